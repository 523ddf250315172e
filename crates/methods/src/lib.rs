//! Methods of measuring a drive: one published method a file.
//!
//! A method is a plain function over a [`base::bench::Bench`]: it sees neither a clock nor which
//! kind of target it runs on. Adding one is a new file and a line in [`METHODS`].

use base::method::Method;
use base::record::PhaseRecord;
use base::size::Bytes;

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
mod replay;
mod retention;
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
    &crystaldiskmark::CrystalDiskMark,
    &crystaldiskmark_classic::Classic,
    &full_scan::FullScan,
    &quick_scan::QuickScan,
    &latency_watch::LatencyWatch,
    &iometer::Iometer,
    &hd_tune::HdTune,
    &range_sweep::RangeSweep,
    &slc_fill::SlcFill,
    &datasheet::Datasheet,
    &as_ssd::AsSsd,
    &atto::Atto,
    &alignment::Alignment,
    &delay_ratio::DelayRatio,
    &file_copy::FileCopy,
    &os_boot::OsBoot,
    &application_traces::ApplicationTraces,
    &ageing::Ageing,
    &wear_out::WearOut,
    &write_amplification::WriteAmplification,
    &file_system::FileSystem,
    &pts_iops::PtsIops,
    &pts_throughput::PtsThroughput,
    &pts_latency::PtsLatency,
    &pts_write_saturation::PtsWriteSaturation,
    &pts_host_idle_recovery::PtsHostIdleRecovery,
    &replay::TraceReplay,
    &verify::Verify,
    &capacity::Capacity,
    &slc_recovery::SlcRecovery,
    &queued_read_back::QueuedReadBack,
    &cold_start::ColdStart,
    &retention::Retention,
    &boot_phases::BootPhases,
    &hd_tune_random_access::HdTuneRandomAccess,
    &hd_tune_file::HdTuneFile,
    &as_ssd_copy::AsSsdCopy,
    &as_ssd_compression::AsSsdCompression,
    &fixed_rate::FixedRate,
    &queue_depth_sweep::QueueDepthSweep,
    &mixed_plane::MixedPlane,
    &commit::Commit,
    &idle_latency::IdleLatency,
    &zones::Zones,
    &explain::Explain,
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
pub(crate) mod bench_double;
#[cfg(test)]
mod forecasts;
#[cfg(test)]
mod odd_targets;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
pub(crate) mod timed_double;
