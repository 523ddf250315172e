//! Sectors that hold no block: gaps, spares, and slips behind which everything moves up by one.
//!
//! A factory leaves room for bad sectors and then skips those it finds. How far a skipped sector
//! pushes the blocks behind it depends on where the spares are: at the zone's end (all to the end
//! of the zone move), or at the end of each *range* of tracks (only the rest of that range moves: a
//! range of one track is a spare on each track). Where a whole track is skipped, the head
//! changes over to the one after it. Inside a zone two numberings meet here: *blocks*, counted
//! from the zone's first one, and *physical block addresses* (PBAs), counted from its first sector,
//! which run along under the head without holes.

use super::ZoneLayout;

/// The two numberings of a zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spares {
    front_gap: u64,
    /// Skipped PBAs, growing.
    slips: Vec<u32>,
    /// Whole ranges, PBAs in each, and blocks in each. One range without end where there are none.
    ranges: u64,
    range_pbas: u64,
    range_blocks: u64,
    blocks: u64,
    /// Spares at the zone's end.
    trailing: u64,
}

/// Why the description of a zone makes no numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsound {
    /// Slips out of order or outside.
    Slips,
    /// No block is left.
    NoRoom,
}

impl Spares {
    /// The numberings of a zone of so many PBAs, with `used` on a track.
    pub(super) fn new(layout: &ZoneLayout, pbas: u64, used: u64) -> Result<Spares, Unsound> {
        let slips = layout.slips.clone();
        let growing = slips.windows(2).all(|w| w[0] < w[1]);
        if !growing || slips.last().is_some_and(|&s| u64::from(s) >= pbas) {
            return Err(Unsound::Slips);
        }
        let range_pbas = u64::from(layout.range_tracks) * used;
        let ranges = pbas.checked_div(range_pbas).unwrap_or(0);
        let range_spares = u64::from(layout.range_spares);
        if ranges > 0 && range_pbas <= range_spares {
            return Err(Unsound::NoRoom);
        }
        let in_ranges = |&&slip: &&u32| u64::from(slip) / range_pbas.max(1) < ranges;
        let absorbed = slips.iter().filter(in_ranges).count() as u64;
        let idle = u64::from(layout.front_gap)
            + u64::from(layout.spares_at_end)
            + ranges * range_spares
            + (slips.len() as u64 - absorbed);
        if pbas <= idle {
            return Err(Unsound::NoRoom);
        }
        let fits = |range: u64| {
            let (first, end) = (range * range_pbas, (range + 1) * range_pbas);
            let here = slips.partition_point(|&s| u64::from(s) < end)
                - slips.partition_point(|&s| u64::from(s) < first);
            here as u64 <= range_spares
        };
        if absorbed > 0 && !(0..ranges).all(fits) {
            return Err(Unsound::Slips);
        }
        Ok(Spares {
            front_gap: u64::from(layout.front_gap),
            slips,
            ranges,
            range_pbas,
            range_blocks: range_pbas.saturating_sub(range_spares),
            blocks: pbas - idle,
            trailing: u64::from(layout.spares_at_end),
        })
    }

    /// Blocks of the zone.
    pub(super) fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Whether a track holds none of the zone's blocks: skipped, or all gap or spares.
    pub(super) fn is_empty_track(&self, first: u64, end: u64) -> bool {
        self.blocks_before(first) == self.blocks_before(end) && !self.is_slipless()
    }

    /// The two numberings are the same.
    fn is_slipless(&self) -> bool {
        self.slips.is_empty() && self.front_gap == 0 && self.ranges == 0 && self.trailing == 0
    }

    /// The PBA of a block.
    pub(super) fn pba_of(&self, block: u64) -> u64 {
        let counted = block + self.front_gap;
        let range = counted
            .checked_div(self.range_blocks)
            .map_or(0, |range| range.min(self.ranges));
        let first = range * self.range_pbas;
        let pba = first + counted - range * self.range_blocks;
        let from = self.slips.partition_point(|&s| u64::from(s) < first);
        // Each slip before the block moves it up by one, and may so bring another one before it:
        // what a slip's PBA is above its number among them only grows.
        let here = &self.slips[from..];
        let (mut low, mut high) = (0, here.len());
        while low < high {
            let middle = low.midpoint(high);
            if u64::from(here[middle]) <= pba + middle as u64 {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        pba + low as u64
    }

    /// How many blocks lie before a PBA.
    pub(super) fn blocks_before(&self, pba: u64) -> u64 {
        let range = pba
            .checked_div(self.range_pbas)
            .map_or(0, |range| range.min(self.ranges));
        let first = range * self.range_pbas;
        let below = |end: u64| self.slips.partition_point(|&s| u64::from(s) < end) as u64;
        let mut inside = pba - first - (below(pba) - below(first));
        if range < self.ranges {
            inside = inside.min(self.range_blocks);
        }
        // Slips inside the front gap do not count twice: they are not expected there.
        (range * self.range_blocks + inside)
            .saturating_sub(self.front_gap)
            .min(self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pbas(spares: &Spares) -> Vec<u64> {
        (0..spares.blocks())
            .map(|block| spares.pba_of(block))
            .collect()
    }

    fn assert_way_back(spares: &Spares) {
        for block in 0..spares.blocks() {
            assert_eq!(spares.blocks_before(spares.pba_of(block)), block);
        }
    }

    #[test]
    fn a_slip_pushes_only_the_rest_of_its_range() {
        let layout = ZoneLayout {
            range_tracks: 1,
            range_spares: 2,
            slips: vec![3, 15],
            ..ZoneLayout::default()
        };
        // Two tracks of 8 and one of 8 more: 3 ranges of one track.
        let spares = Spares::new(&layout, 24, 8).unwrap();
        let expected = [
            0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 20, 21,
        ];
        assert_eq!(pbas(&spares), expected);
        assert_way_back(&spares);
    }

    #[test]
    fn a_last_short_range_has_no_spares() {
        let layout = ZoneLayout {
            range_tracks: 2,
            range_spares: 3,
            ..ZoneLayout::default()
        };
        let spares = Spares::new(&layout, 12, 4).unwrap();
        assert_eq!(pbas(&spares), [0, 1, 2, 3, 4, 8, 9, 10, 11]);
        assert_way_back(&spares);
    }

    #[test]
    fn a_skipped_track_holds_nothing() {
        let layout = ZoneLayout {
            slips: vec![4, 5, 6, 7],
            spares_at_end: 4,
            ..ZoneLayout::default()
        };
        let spares = Spares::new(&layout, 16, 4).unwrap();
        assert_eq!(pbas(&spares), [0, 1, 2, 3, 8, 9, 10, 11]);
        assert_way_back(&spares);
        let empty = |track: u64| spares.is_empty_track(4 * track, 4 * track + 4);
        assert_eq!([0, 1, 2, 3].map(empty), [false, true, false, true]);
    }

    #[test]
    fn more_slips_than_spares_in_a_range_are_refused() {
        let layout = ZoneLayout {
            range_tracks: 1,
            range_spares: 1,
            slips: vec![1, 2],
            ..ZoneLayout::default()
        };
        assert_eq!(Spares::new(&layout, 16, 8), Err(Unsound::Slips));
    }
}
