//! Skipped sectors and spare ones on a disk of the catalogue: bad sectors that the factory found.
//!
//! No surface is free of faults. A factory scans each disk, notes the sectors that do not hold
//! data, and numbers the blocks past them, so that a *slip* costs the time of a passing sector and
//! no seek; *spares* at a zone's end are left for sectors that go bad later. Both take
//! capacity, and both shift the blocks behind them by a little (`geometry::spares` has the
//! arithmetic).
//!
//! Slips are spread over each zone as the drive's seed draws them, and so are the sectors that went bad
//! in service and have their blocks in a spare ([`super::geometry::remapped`]). Without the section a
//! disk has none of them. Source: the defect lists of the disks whose parameters were extracted for DiskSim
//! (DIXtrac), which hold tens to some thousands of sectors a disk of some million; nothing is
//! published for later disks.

use base::rng::Rng;

use super::geometry::ZoneLayout;
use super::geometry::remapped::Extent;
use super::geometry::surfaces::Surfaces;
use crate::sheet::quantity::{Count, quantities};
use crate::sheet::table::parameters;

quantities! {
    /// Of a million, in a model as a share.
    pub(super) PerMillion: f64, "" => f64 = |millionths| millionths / 1e6;
}

parameters! {
    /// What of a disk holds no block.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub(super) Slips from SparesConfig ["spares"] {
        /// Share of the physical sectors that is skipped.
        share "slips_per_million": PerMillion("physical sectors") in 0.0..=1_000.0;
        /// Spare sectors at each zone's end.
        zone_sectors "zone_sectors": Count("of 512 B a zone") in 0..=10_000_000;
        /// Share of the physical sectors that went bad in service, as far as there are spares.
        remapped "remapped_per_million": PerMillion("physical sectors") in 0.0..=1_000.0, or 0.0;
    }
}

impl Slips {
    /// The least number of sectors for a number of blocks, in this many zones.
    pub(super) fn sectors_for(&self, blocks: u64, zones: u64, whole: u32) -> u64 {
        if *self == Slips::default() {
            return blocks;
        }
        let apart = (u64::from(self.zone_sectors) + 2 * u64::from(whole)) * zones;
        blocks + apart + ((blocks + apart) as f64 * self.share * 1.01) as u64
    }

    /// Puts them into the layouts of a disk, whose zones have so many cylinders each: a zone is one
    /// layout, or a run of them; the last ones have the spares, up to half of each.
    pub(super) fn put_all(
        &self,
        layouts: &mut [ZoneLayout],
        cylinders: u32,
        surfaces: &Surfaces,
        seed: u64,
    ) {
        if *self == Slips::default() {
            return;
        }
        let mut rng = Rng::stream(seed, 0x511b);
        let zone = |layout: &ZoneLayout| layout.first_cylinder / cylinders.max(1);
        let tracks = |layout: &ZoneLayout| {
            let heads = layout.surface.map_or(surfaces.heads, |_| 1);
            u64::from(layout.cylinders) * u64::from(heads)
        };
        let mut spares = vec![0; layouts.len()];
        let mut left = 0;
        for index in (0..layouts.len()).rev() {
            let layout = &layouts[index];
            if layouts.get(index + 1).map(zone) != Some(zone(layout)) {
                left = self.zone_sectors;
            }
            let whole = u64::from(surfaces.whole.max(1));
            let half = tracks(layout) * u64::from(layout.sectors_per_track) / 2 / whole * whole;
            let alone = index == 0 || zone(&layouts[index - 1]) != zone(layout);
            let here = if alone {
                left
            } else {
                left.min(u32::try_from(half).unwrap_or(u32::MAX))
            };
            (spares[index], left) = (here, left - here);
        }
        for (layout, zone_sectors) in layouts.iter_mut().zip(spares) {
            let slips = Slips {
                zone_sectors,
                ..*self
            };
            let tracks = tracks(layout);
            slips.put(layout, tracks, surfaces.whole, &mut rng);
        }
    }

    /// Draws the slips of a zone with so many tracks, in whole physical sectors, and sets its spares.
    fn put(&self, layout: &mut ZoneLayout, tracks: u64, whole: u32, rng: &mut Rng) {
        let whole = u64::from(whole.max(1));
        let sectors = tracks * u64::from(layout.sectors_per_track) / whole;
        let count = (sectors as f64 * self.share) as u64;
        layout.spares_at_end = self.zone_sectors;
        layout.slips = (0..count)
            .flat_map(|number| {
                let (from, end) = (sectors * number / count, sectors * (number + 1) / count);
                let first = (from + rng.below(end - from)) * whole;
                (first..first + whole).map(|pba| u32::try_from(pba).unwrap_or(u32::MAX))
            })
            .collect();
        layout.remapped = self.remapped(&layout.slips, sectors, whole, rng);
    }

    /// Draws the sectors of a zone that went bad in service; their spares are the zone's last sectors.
    fn remapped(&self, slips: &[u32], sectors: u64, whole: u64, rng: &mut Rng) -> Vec<Extent> {
        let spares = (u64::from(self.zone_sectors) / whole).min(sectors);
        let used = sectors - spares;
        let count = ((used as f64 * self.remapped) as u64).min(spares);
        let slipped = |pba: u64| {
            slips
                .binary_search(&u32::try_from(pba).unwrap_or(u32::MAX))
                .is_ok()
        };
        (0..count)
            .map(|number| {
                let (from, end) = (used * number / count, used * (number + 1) / count);
                Extent {
                    home: (from + rng.below(end - from)) * whole,
                    spare: (used + number) * whole,
                    sectors: whole,
                }
            })
            .filter(|extent| !slipped(extent.home))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Geometry;
    use super::*;

    fn disk(slips: Slips) -> Geometry {
        let mut layout = ZoneLayout {
            cylinders: 100,
            sectors_per_track: 1_000,
            ..ZoneLayout::default()
        };
        slips.put(&mut layout, 200, 8, &mut Rng::new(3));
        Geometry::new(2, 1, true, vec![layout]).unwrap()
    }

    #[test]
    fn slips_and_spares_take_blocks_and_shift_those_behind_them() {
        let off = disk(Slips::default());
        assert_eq!(off.blocks(), 200_000);
        let on = disk(Slips {
            share: 0.001,
            zone_sectors: 500,
            remapped: 0.0,
        });
        // 25 of the 25,000 physical sectors are skipped.
        assert_eq!(on.blocks(), 200_000 - 25 * 8 - 500);
        let shift = |block| on.pba_of(block) - off.pba_of(block);
        assert_eq!(shift(199_299), 200);
        assert!((80..=120).contains(&shift(100_000)), "{}", shift(100_000));
        assert!(
            (1..199_300)
                .step_by(97)
                .all(|b| on.pba_of(b) > on.pba_of(b - 1))
        );
    }

    #[test]
    fn as_many_sectors_are_asked_for_as_hold_the_blocks() {
        for (share, zone_sectors) in [(0.0, 0), (0.001, 0), (0.000_01, 4_000), (0.001, 9_000)] {
            let slips = Slips {
                share,
                zone_sectors,
                remapped: 0.0,
            };
            let (zones, blocks) = (4, 700_001);
            let sectors = slips.sectors_for(blocks, zones, 8).div_ceil(zones);
            let mut layouts = Vec::new();
            let cylinders = sectors.div_ceil(2_000) as u32;
            for zone in 0..zones as u32 {
                let mut layout = ZoneLayout {
                    first_cylinder: zone * cylinders,
                    cylinders,
                    sectors_per_track: 1_000,
                    ..ZoneLayout::default()
                };
                slips.put(&mut layout, 2 * u64::from(cylinders), 8, &mut Rng::new(3));
                layouts.push(layout);
            }
            let geometry = Geometry::new(2, 1, true, layouts).unwrap();
            assert!(geometry.blocks() >= blocks, "{share} {zone_sectors}");
        }
    }

    #[test]
    fn a_sector_that_went_bad_has_its_blocks_at_the_zones_end() {
        let bad = disk(Slips {
            share: 0.001,
            zone_sectors: 800,
            remapped: 0.002,
        });
        let good = disk(Slips {
            share: 0.001,
            zone_sectors: 800,
            remapped: 0.0,
        });
        assert_eq!(bad.blocks(), good.blocks());
        let moved: Vec<u64> = (0..bad.blocks())
            .filter(|&block| bad.is_remapped(bad.pba_of(block)))
            .collect();
        // 49 physical sectors of 24,900, but for those that were skipped already.
        assert!((40 * 8..=49 * 8).contains(&moved.len()), "{}", moved.len());
        assert!(moved.iter().all(|&block| {
            let at = bad.place(bad.pba_of(block)).track;
            at.cylinder == 99 && bad.home(bad.pba_of(block)) == good.place(good.pba_of(block))
        }));
    }
}
