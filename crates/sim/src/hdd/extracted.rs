//! Disks whose parameters were extracted from outside, as DiskSim 4.0 describes them.
//!
//! Programs can find out nearly everything of a disk by timing its answers: where blocks lie, the seek
//! curve point by point, what the buffer does. Such descriptions exist for real disks, together with
//! responses that were measured on them, and so they are where this model meets reality. Nothing in
//! them is fitted to those responses. [`mod@file`] says what a description's file holds; here it becomes
//! the plain numbers of [`Parameters`].

use base::size::Bytes;

use super::ahead::AheadRule;
use super::bus::SharedBus;
use super::overheads::{After, ExtraDisconnect, Overheads};
use super::parameters::Parameters;
use super::queue::{Patience, Queueing};
use super::spindle::Spindle;
use super::track_pass::Mechanics;
use super::unqueued::Unqueued;
use super::vibration::Vibration;

pub mod file;
mod layout;
mod seek;

use file::{BadDisk, Controller, DiskFile};

/// Whole nanoseconds of milliseconds.
fn ns(ms: f64) -> u64 {
    (ms * 1e6 + 0.5) as u64
}

fn after(read_ms: f64, write_ms: f64) -> After {
    After {
        read_ns: ns(read_ms),
        write_ns: ns(write_ms),
    }
}

impl DiskFile {
    /// The plain numbers of the disk that the file describes.
    ///
    /// # Errors
    /// Where the values do not make a disk, or ask for what is not modelled.
    pub fn parameters(&self) -> Result<Parameters, BadDisk> {
        let geometry = self.geometry()?;
        let actuator = self.actuator(geometry.cylinders())?;
        let milli_rpm = (self.mechanics.rotation_speed_in_rpms * 1e3 + 0.5) as u64;
        let spindle = Spindle::of_milli_rpm(milli_rpm);
        let c = &self.controller;
        let write_segments = u32::from(c.use_separate_write_segment != 0);
        Ok(Parameters {
            blocks: geometry.blocks(),
            block: Bytes::SECTOR,
            physical_blocks: 1,
            mechanics: Mechanics::new(geometry, actuator, spindle),
            queue_depth: 1,
            patience: Patience::new(1),
            queueing: Queueing::default(),
            vibration: Vibration::default(),
            read_overhead_ns: 0,
            write_overhead_ns: 0,
            wire_block_picos: 0,
            wire_write_block_picos: 0,
            wire_frame_blocks: 1,
            zero_latency: c.immediate_buffer_read != 0,
            look_behind: c.read_any_free_blocks != 0,
            read_segments: c
                .number_of_buffer_segments
                .saturating_sub(write_segments)
                .max(1),
            segment_blocks: c.segment_size_in_blks,
            read_ahead_blocks: 0,
            read_on_below_blocks: 0,
            write_back: false,
            write_cache_blocks: 0,
            write_cache_saved_blocks: 0,
            write_cache_runs: 0,
            write_run_blocks: u64::MAX,
            destage_delay_ns: 0,
            destage_deadline_ns: 0,
            destage_part_blocks: 0,
            bursts: None,
            media_scan: None,
            unqueued: Some(self.controller_rules()),
            rare_gap_blocks: 0.0,
            rare_gap_revolutions: 0.0,
            rare_revolutions: 1.0,
            recovery: None,
            shingled: None,
            cold: None,
            cold_until_ns: 0,
            seed: 0,
        })
    }

    fn controller_rules(&self) -> Unqueued {
        let c = &self.controller;
        Unqueued {
            bus: self.shared_bus(),
            overheads: c.overheads(),
            ahead: match c.buffer_continuous_read {
                1 => AheadRule::Track,
                2 => AheadRule::Cylinder,
                3 => AheadRule::Blocks(c.maximum_read_ahead_blks),
                4 => AheadRule::TrackAndNext,
                _ => AheadRule::None,
            },
            ahead_on_idle_hit: c.read_ahead_on_idle_hit != 0,
            stop_in_sector: c.stop_prefetch_in_sector != 0,
            caching: c.enable_caching_in_buffer != 0,
            fast_write: c.fast_write_level != 0,
            combine_writes: c.combine_seq_writes != 0,
            write_segment: c.use_separate_write_segment != 0,
            hits_on_written: c.allow_read_hits_on_write_data != 0,
            zero_latency_write: c.immediate_buffer_write != 0,
            least_write_move_ns: ns(c.minimum_seek_delay),
            extra_disconnect: (c.extra_write_disconnect != 0).then(|| ExtraDisconnect {
                arm_ns: ns(c.extradisc_command_overhead + c.extradisc_seek_delta),
                bus_ns: ns(c.extradisc_command_overhead
                    + c.extradisc_disconnect_overhead
                    + c.extradisc_inter_disconnect_delay
                    + c.other_reselect_overhead),
                second_disconnect_ns: ns(c.extradisc_2nd_disconnect_overhead),
            }),
        }
    }

    fn shared_bus(&self) -> SharedBus {
        let c = &self.controller;
        let block_ns = |bus_ms: f64| ns(bus_ms.max(c.bulk_sector_transfer_time));
        SharedBus {
            read_block_ns: block_ns(self.bus.read_block_transfer_time),
            write_block_ns: block_ns(self.bus.write_block_transfer_time),
            hold: c.hold_bus_entire_read_xfer != 0,
            never_disconnect: c.never_disconnect != 0,
            read_mark_millionths: (c.high_read_water_mark * 1e6 + 0.5) as u64,
            preparation_ns: ns(c.data_preparation_overhead),
            reselect_ns: ns(c.first_reselect_overhead),
        }
    }
}

impl Controller {
    fn overheads(&self) -> Overheads {
        let write = if self.fast_write_level != 0 {
            after(
                self.write_hit_over_after_read,
                self.write_hit_over_after_write,
            )
        } else {
            after(
                self.write_miss_over_after_read,
                self.write_miss_over_after_write,
            )
        };
        Overheads {
            read_hit: after(
                self.read_hit_over_after_read,
                self.read_hit_over_after_write,
            ),
            read_miss: after(
                self.read_miss_over_after_read,
                self.read_miss_over_after_write,
            ),
            write,
            read_disconnect: after(
                self.read_disconnect_afterread,
                self.read_disconnect_afterwrite,
            ),
            write_disconnect_ns: ns(self.write_disconnect_overhead),
            read_completion_ns: ns(self.read_completion_overhead),
            write_completion_ns: ns(self.write_completion_overhead),
        }
    }
}
