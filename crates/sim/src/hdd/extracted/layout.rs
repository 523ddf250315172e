//! The layout of an extracted disk: zones, skews, and the five ways to spare sectors.

use super::super::geometry::remapped::Extent;
use super::super::geometry::{Geometry, NotADisk, ZoneLayout};
use super::super::spindle::Angle;
use super::file::{BadDisk, DiskFile, Zone};

/// Ten times what the densest drives have; the seek curve holds a time for each.
const MOST_CYLINDERS: u32 = 10_000_000;
/// Skews are counted in millionths of a sector.
const PARTS: f64 = 1e6;

impl DiskFile {
    /// Where blocks lie.
    pub(super) fn geometry(&self) -> Result<Geometry, BadDisk> {
        let zones = &self.layout.zones;
        let zones: Result<Vec<ZoneLayout>, BadDisk> = (0..zones.len())
            .map(|index| self.zone(index, &zones[index]))
            .collect();
        let serpentine = match self.layout.lbn_to_pbn_mapping_scheme {
            0 => false,
            1 => true,
            n => {
                let what = format!("scheme {n} is not modelled: 0 or 1");
                return Err(self.bad("lbn_to_pbn_mapping_scheme", what));
            }
        };
        Geometry::new(self.number_of_data_surfaces, 1, serpentine, zones?).map_err(|why| {
            let index = match why {
                NotADisk::Remapped(i) => return self.bad_zone(i, "defects", why.to_string()),
                NotADisk::NoRoom(i)
                | NotADisk::TooLarge(i)
                | NotADisk::DiskTooLarge(i)
                | NotADisk::Overlap(i)
                | NotADisk::Surface(i)
                | NotADisk::Slips(i) => i,
                NotADisk::Empty => 0,
            };
            self.bad_zone(index, "first_cylinder_number", why.to_string())
        })
    }

    fn zone(&self, index: usize, zone: &Zone) -> Result<ZoneLayout, BadDisk> {
        let Some(last) = zone
            .last_cylinder_number
            .checked_sub(zone.first_cylinder_number)
        else {
            let what = "the zone ends before it begins".to_owned();
            return Err(self.bad_zone(index, "last_cylinder_number", what));
        };
        if last >= MOST_CYLINDERS || zone.last_cylinder_number >= MOST_CYLINDERS {
            let what = format!("a disk has at most {MOST_CYLINDERS} cylinders");
            return Err(self.bad_zone(index, "last_cylinder_number", what));
        }
        if zone.blocks_per_track == 0 {
            let what = "a track needs at least one block".to_owned();
            return Err(self.bad_zone(index, "blocks_per_track", what));
        }
        let Some(defects) = zone.defects.pairs() else {
            let what = "a list of pairs: a sector, and the one that it is remapped to".to_owned();
            return Err(self.bad_zone(index, "defects", what));
        };
        let remapped = defects.iter().map(|&(home, spare)| Extent {
            home: u64::from(home),
            spare: u64::from(spare),
            sectors: 1,
        });
        let whole = (f64::from(zone.blocks_per_track) * PARTS) as u64;
        let angle = |sectors: f64| Angle::share((sectors * PARTS + 0.5) as u64, whole);
        let plain = ZoneLayout {
            first_cylinder: zone.first_cylinder_number,
            cylinders: last + 1,
            sectors_per_track: zone.blocks_per_track,
            front_gap: zone.empty_space_at_zone_front,
            offset: angle(zone.offset_of_first_block),
            skew_head: angle(zone.skew_for_track_switch),
            skew_band: angle(zone.skew_for_cylinder_switch),
            remapped: remapped.collect(),
            ..ZoneLayout::default()
        };
        self.with_spares(index, zone, plain)
    }

    fn with_spares(
        &self,
        index: usize,
        zone: &Zone,
        plain: ZoneLayout,
    ) -> Result<ZoneLayout, BadDisk> {
        let spares = zone.number_of_spares;
        let mut slips = zone.slips.clone();
        slips.sort_unstable();
        let layout = &self.layout;
        Ok(match layout.sparing_scheme_used {
            0 if slips.is_empty() => plain,
            1 => ZoneLayout {
                spares_at_end: spares
                    .saturating_sub(slips.len() as u32)
                    .saturating_mul(zone.blocks_per_track),
                slipped_tracks: slips,
                ..plain
            },
            // Sectors are counted with the spares where any is remapped.
            3 if slips.is_empty() && plain.remapped.is_empty() => ZoneLayout {
                spares_per_track: spares,
                ..plain
            },
            3 => ZoneLayout {
                range_tracks: 1,
                range_spares: spares,
                slips,
                ..plain
            },
            7 => ZoneLayout { slips, ..plain },
            8 => ZoneLayout {
                range_tracks: layout
                    .rangesize_for_sparing
                    .saturating_mul(u32::from(self.number_of_data_surfaces)),
                range_spares: spares,
                slips,
                ..plain
            },
            9 => ZoneLayout {
                spares_at_end: spares.saturating_sub(slips.len() as u32),
                slips,
                ..plain
            },
            0 => {
                let what = "slips without a sparing scheme".to_owned();
                return Err(self.bad_zone(index, "slips", what));
            }
            n => {
                let what = format!("scheme {n} is not modelled: 0, 1, 3, 7, 8 or 9");
                return Err(self.bad("sparing_scheme_used", what));
            }
        })
    }
}
