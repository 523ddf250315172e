//! A disk of the 1990s from what was extracted of it: zones, seek curve and spindle are the model's own,
//! the controller is [`super::controller`]'s. Nothing is fitted to the responses.

use sim::hdd::geometry::{Geometry, ZoneLayout};
use sim::hdd::rare::Rare;
use sim::hdd::seek::{Actuator, SeekCurve};
use sim::hdd::spindle::{Angle, Spindle};
use sim::hdd::track_pass::{Mechanics, TrackPass};

use super::buffer::Buffer;
use super::controller::{After, Controller, Rules};
use super::file::{DiskFile, Zone};

/// Whole nanoseconds of milliseconds.
fn ns(ms: f64) -> u64 {
    (ms * 1e6 + 0.5) as u64
}

impl DiskFile {
    /// Where blocks lie.
    pub(crate) fn geometry(&self) -> Geometry {
        let zones = self.layout.zones.iter().map(|zone| self.zone(zone));
        let serpentine = self.layout.lbn_to_pbn_mapping_scheme == 1;
        Geometry::new(self.number_of_data_surfaces, 1, serpentine, zones.collect()).unwrap()
    }

    fn zone(&self, zone: &Zone) -> ZoneLayout {
        // Skews are counted in millionths of a sector.
        let whole = u64::from(zone.blocks_per_track) * 1_000_000;
        let angle = |sectors: f64| Angle::share((sectors * 1e6 + 0.5) as u64, whole);
        let plain = ZoneLayout {
            first_cylinder: zone.first_cylinder_number,
            cylinders: zone.last_cylinder_number - zone.first_cylinder_number + 1,
            sectors_per_track: zone.blocks_per_track,
            front_gap: zone.empty_space_at_zone_front,
            offset: angle(zone.offset_of_first_block),
            skew_head: angle(zone.skew_for_track_switch),
            skew_band: angle(zone.skew_for_cylinder_switch),
            ..ZoneLayout::default()
        };
        let mut slips = zone.slips.clone();
        slips.sort_unstable();
        let left = zone.number_of_spares.saturating_sub(slips.len() as u32);
        match self.layout.sparing_scheme_used {
            1 if slips.is_empty() => ZoneLayout {
                spares_at_end: left * zone.blocks_per_track,
                ..plain
            },
            7 => ZoneLayout { slips, ..plain },
            8 => ZoneLayout {
                range_tracks: self.layout.rangesize_for_sparing
                    * u32::from(self.number_of_data_surfaces),
                range_spares: zone.number_of_spares,
                slips,
                ..plain
            },
            9 => ZoneLayout {
                spares_at_end: left,
                slips,
                ..plain
            },
            scheme => panic!("none of the six disks spares by scheme {scheme}"),
        }
    }

    fn actuator(&self, cylinders: u32) -> Actuator {
        let m = &self.mechanics;
        let points = m.seek_curve_cylinders_ms.iter();
        let points: Vec<(u32, u64)> = points.map(|&(d, ms)| (d, ns(ms))).collect();
        Actuator {
            curve: SeekCurve::through(cylinders, &points).unwrap(),
            head_switch_ns: ns(m.head_switch_time),
            write_settle_ns: (m.add_write_settling_delay * 1e6) as i64,
            write_more_q16: 0,
        }
    }

    fn rules(&self) -> Rules {
        let c = &self.controller;
        let block_ns = |ms: f64| ns(ms.max(c.bulk_sector_transfer_time));
        let after = |read_ms, write_ms| After {
            read_ns: ns(read_ms),
            write_ns: ns(write_ms),
        };
        let fast_write = c.fast_write_level != 0;
        Rules {
            read_block_ns: block_ns(self.bus.read_block_transfer_time),
            write_block_ns: block_ns(self.bus.write_block_transfer_time),
            hold_bus: c.hold_bus_entire_read_xfer != 0,
            wait_for_all: c.high_read_water_mark > 0.5,
            read_hit: after(c.read_hit_over_after_read, c.read_hit_over_after_write),
            read_miss: after(c.read_miss_over_after_read, c.read_miss_over_after_write),
            write: if fast_write {
                after(c.write_hit_over_after_read, c.write_hit_over_after_write)
            } else {
                after(c.write_miss_over_after_read, c.write_miss_over_after_write)
            },
            read_completion_ns: ns(c.read_completion_overhead),
            write_completion_ns: ns(c.write_completion_overhead),
            ahead_blocks: (c.buffer_continuous_read == 3).then_some(c.maximum_read_ahead_blks),
            ahead_on_idle_hit: c.read_ahead_on_idle_hit != 0,
            stop_in_sector: c.stop_prefetch_in_sector != 0,
            look_behind: c.read_any_free_blocks != 0,
            zero_latency: c.immediate_buffer_read != 0,
            zero_latency_write: c.immediate_buffer_write != 0,
            fast_write,
            write_segment: c.use_separate_write_segment != 0,
            hits_on_written: c.allow_read_hits_on_write_data != 0,
        }
    }

    /// The disk that the file describes, its arm over the first track.
    pub(crate) fn disk(&self) -> Controller {
        let geometry = self.geometry();
        let actuator = self.actuator(geometry.cylinders());
        let milli_rpm = (self.mechanics.rotation_speed_in_rpms * 1e3 + 0.5) as u64;
        let mechanics = Mechanics::new(geometry, actuator, Spindle::of_milli_rpm(milli_rpm));
        let rules = self.rules();
        let c = &self.controller;
        let segments = c.number_of_buffer_segments - u32::from(rules.write_segment);
        let mut rare = Rare::new(0.0, 1.0, 0);
        Controller {
            pass: TrackPass::parked(&mechanics, &mut rare),
            buffer: Buffer::new(segments.max(1), c.segment_size_in_blks),
            mechanics,
            rules,
            rare,
            ahead: None,
            after_write: false,
            written: (0, 0),
            written_at: 0,
            moving_until: 0,
        }
    }
}
