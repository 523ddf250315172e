//! Methods of measuring a drive: one published method a file.
//!
//! A method is a plain function over a [`base::bench::Bench`]: it sees neither a clock nor which
//! kind of target it runs on. Adding one is a new file and a line in [`METHODS`].

use base::{Bytes, Method, PhaseRecord};

mod ageing;
mod alignment;
mod application_traces;
mod areas;
mod as_ssd;
mod as_ssd_compression;
mod as_ssd_copy;
mod atto;
mod boot_phases;
mod capacity;
mod chart;
mod cold_start;
mod commit;
mod copying;
mod crystaldiskmark;
mod crystaldiskmark_classic;
mod datasheet;
mod delay_ratio;
mod explain;
mod figures;
mod file_copy;
mod file_system;
mod fixed_rate;
mod full_scan;
mod hd_tune;
mod hd_tune_file;
mod hd_tune_random_access;
mod idle_latency;
mod iometer;
mod latency_watch;
mod mark_cell;
mod mixed_plane;
mod os_boot;
mod pts;
mod pts_host_idle_recovery;
mod pts_iops;
mod pts_latency;
mod pts_throughput;
mod pts_write_saturation;
mod queue_depth_sweep;
mod queued_read_back;
mod quick_scan;
mod range_sweep;
mod read_again;
mod replay;
mod retention;
mod run;
mod scan;
mod shared_settings;
mod slc_fill;
mod slc_recovery;
mod trace;
mod verify;
mod wear_out;
mod write_amplification;
mod zone_order;
mod zones;

/// All methods, in the order in which they are listed.
pub const METHODS: &[&dyn Method] = &[
    &crystaldiskmark::METHOD,
    &crystaldiskmark_classic::METHOD,
    &full_scan::FullScan,
    &quick_scan::METHOD,
    &latency_watch::METHOD,
    &iometer::Iometer,
    &hd_tune::METHOD,
    &range_sweep::METHOD,
    &slc_fill::METHOD,
    &datasheet::METHOD,
    &as_ssd::METHOD,
    &atto::METHOD,
    &alignment::METHOD,
    &delay_ratio::METHOD,
    &file_copy::METHOD,
    &os_boot::METHOD,
    &application_traces::METHOD,
    &ageing::METHOD,
    &wear_out::METHOD,
    &write_amplification::METHOD,
    &file_system::FileSystem,
    &pts_iops::METHOD,
    &pts_throughput::METHOD,
    &pts_latency::METHOD,
    &pts_write_saturation::METHOD,
    &pts_host_idle_recovery::METHOD,
    &replay::TraceReplay,
    &verify::METHOD,
    &capacity::METHOD,
    &slc_recovery::METHOD,
    &queued_read_back::METHOD,
    &cold_start::METHOD,
    &retention::METHOD,
    &boot_phases::METHOD,
    &hd_tune_random_access::METHOD,
    &hd_tune_file::METHOD,
    &as_ssd_copy::METHOD,
    &as_ssd_compression::METHOD,
    &fixed_rate::METHOD,
    &queue_depth_sweep::METHOD,
    &mixed_plane::METHOD,
    &commit::METHOD,
    &idle_latency::METHOD,
    &zones::METHOD,
    &explain::METHOD,
];

/// Methods that draw the rate over positions, which drives of a batch are compared by.
pub const WITH_TRANSFER_CURVES: &[&str] =
    &["full-scan", "hd-tune", "quick-scan", "slc-fill", "zones"];

/// How much was written when the rate of a fill fell for good, by the rule of `slc-fill`: the end of a fast cache. `fill` is
/// a write in order that kept its rate by address, of a drive of this capacity.
pub fn fallen_at(fill: &PhaseRecord, capacity: Bytes) -> Option<Bytes> {
    slc_fill::Filled::of(fill, capacity).fallen_at()
}

/// The method with this name.
///
/// # Errors
/// The nearest names where there is none.
pub fn find(id: &str) -> Result<&'static dyn Method, Vec<String>> {
    METHODS
        .iter()
        .copied()
        .find(|m| m.card().id == id)
        .ok_or_else(|| {
            let ids: Vec<&str> = METHODS.iter().map(|m| m.card().id).collect();
            base::nearest::nearest(id, &ids)
        })
}

#[cfg(test)]
pub(crate) mod tests;
