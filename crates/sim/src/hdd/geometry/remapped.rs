//! Sectors that went bad in service: each has its blocks in a spare somewhere else.
//!
//! A sector that the factory finds bad is skipped, and costs nothing but its own length. One that goes
//! bad later has blocks behind it that are in use, so nothing can move up: the drive writes its blocks
//! to a spare sector at the end of the zone, and from then on goes there for them. An access to these
//! blocks alone is as fast as any other; a sequential one leaves its track in the middle, seeks to the spare
//! and back, and waits for the disc twice: some 10 to 25 ms.

/// Sectors with their blocks elsewhere, in PBAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where the blocks would be.
    pub home: u64,
    /// Where they are.
    pub spare: u64,
    /// How many sectors.
    pub sectors: u64,
}

/// All of a disk, by the places where the blocks would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Remapped {
    extents: Vec<Extent>,
}

impl Remapped {
    /// Adds those of a zone, which come after all that were added before. False if they overlap or do
    /// not lie between these PBAs.
    pub(super) fn add(&mut self, mut extents: Vec<Extent>, (first, end): (u64, u64)) -> bool {
        extents.retain(|extent| extent.home != extent.spare);
        extents.sort_unstable_by_key(|extent| extent.home);
        let inside = |from: u64, sectors: u64| from >= first && from.saturating_add(sectors) <= end;
        let apart = extents
            .windows(2)
            .all(|w| w[0].home + w[0].sectors <= w[1].home);
        let sound = extents
            .iter()
            .all(|e| e.sectors > 0 && inside(e.home, e.sectors) && inside(e.spare, e.sectors));
        self.extents.append(&mut extents);
        sound && apart
    }

    /// Whether there are none, as on most disks.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.extents.is_empty()
    }

    /// The extent that a PBA is in.
    pub(super) fn of(&self, pba: u64) -> Option<&Extent> {
        let index = self
            .extents
            .partition_point(|e| e.home <= pba)
            .checked_sub(1)?;
        let extent = &self.extents[index];
        (pba < extent.home + extent.sectors).then_some(extent)
    }

    /// Where the next extent after a PBA begins.
    pub(super) fn after(&self, pba: u64) -> u64 {
        let index = self.extents.partition_point(|e| e.home <= pba);
        self.extents
            .get(index)
            .map_or(u64::MAX, |extent| extent.home)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(home: u64, spare: u64, sectors: u64) -> Extent {
        Extent {
            home,
            spare,
            sectors,
        }
    }

    #[test]
    fn a_sector_is_found_in_its_extent_and_the_next_one_behind_it() {
        let mut all = Remapped::default();
        assert!(all.add(vec![extent(50, 92, 1), extent(16, 80, 8)], (0, 100)));
        assert_eq!(all.of(15), None);
        assert_eq!(all.of(23).map(|e| e.spare), Some(80));
        assert_eq!(all.of(24), None);
        assert_eq!(
            (all.after(0), all.after(16), all.after(50)),
            (16, 50, u64::MAX)
        );
    }

    #[test]
    fn what_overlaps_or_lies_outside_is_unsound_and_a_sector_in_its_own_place_is_nothing() {
        let add = |extents| Remapped::default().add(extents, (10, 100));
        assert!(!add(vec![extent(16, 80, 8), extent(23, 90, 1)]));
        assert!(!add(vec![extent(9, 80, 1)]) && !add(vec![extent(16, 96, 8)]));
        let mut same = Remapped::default();
        assert!(same.add(vec![extent(16, 16, 8)], (10, 100)) && same.is_empty());
    }
}
