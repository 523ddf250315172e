//! What the file of a measured disk holds, as far as the model reads it.
//!
//! Times are in milliseconds and sizes in blocks of 512 bytes; the names are those of the DiskSim 4.0
//! reference manual, section on disk modules. What the six have in common (one command at a time, no overhead
//! for leaving and taking the bus) is not read.

use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct DiskFile {
    pub(crate) number_of_data_surfaces: u16,
    /// What the zones add up to.
    pub(crate) layout_block_count: u64,
    pub(crate) mechanics: Arm,
    pub(crate) controller: Buffer,
    pub(crate) bus: Bus,
    pub(crate) layout: Layout,
}

#[derive(Deserialize)]
pub(crate) struct Arm {
    pub(crate) seek_curve_cylinders_ms: Vec<(u32, f64)>,
    pub(crate) add_write_settling_delay: f64,
    pub(crate) head_switch_time: f64,
    pub(crate) rotation_speed_in_rpms: f64,
}

#[derive(Deserialize)]
pub(crate) struct Bus {
    pub(crate) read_block_transfer_time: f64,
    pub(crate) write_block_transfer_time: f64,
}

#[derive(Deserialize)]
pub(crate) struct Layout {
    pub(crate) lbn_to_pbn_mapping_scheme: u32,
    pub(crate) sparing_scheme_used: u32,
    pub(crate) rangesize_for_sparing: u32,
    pub(crate) zones: Vec<Zone>,
}

#[derive(Deserialize)]
pub(crate) struct Zone {
    pub(crate) first_cylinder_number: u32,
    pub(crate) last_cylinder_number: u32,
    pub(crate) blocks_per_track: u32,
    pub(crate) offset_of_first_block: f64,
    pub(crate) empty_space_at_zone_front: u32,
    pub(crate) skew_for_track_switch: f64,
    pub(crate) skew_for_cylinder_switch: f64,
    pub(crate) number_of_spares: u32,
    pub(crate) slips: Vec<u32>,
}

#[derive(Deserialize)]
pub(crate) struct Buffer {
    pub(crate) number_of_buffer_segments: u32,
    pub(crate) segment_size_in_blks: u64,
    pub(crate) bulk_sector_transfer_time: f64,
    pub(crate) hold_bus_entire_read_xfer: u32,
    pub(crate) allow_read_hits_on_write_data: u32,
    pub(crate) use_separate_write_segment: u32,
    pub(crate) high_read_water_mark: f64,
    pub(crate) buffer_continuous_read: u32,
    pub(crate) maximum_read_ahead_blks: u64,
    pub(crate) read_ahead_on_idle_hit: u32,
    pub(crate) read_any_free_blocks: u32,
    pub(crate) fast_write_level: u32,
    pub(crate) immediate_buffer_read: u32,
    pub(crate) immediate_buffer_write: u32,
    pub(crate) stop_prefetch_in_sector: u32,
    pub(crate) read_hit_over_after_read: f64,
    pub(crate) read_hit_over_after_write: f64,
    pub(crate) read_miss_over_after_read: f64,
    pub(crate) read_miss_over_after_write: f64,
    pub(crate) write_hit_over_after_read: f64,
    pub(crate) write_hit_over_after_write: f64,
    pub(crate) write_miss_over_after_read: f64,
    pub(crate) write_miss_over_after_write: f64,
    pub(crate) read_completion_overhead: f64,
    pub(crate) write_completion_overhead: f64,
}
