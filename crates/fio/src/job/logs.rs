//! Logs of single I/Os, or of means over windows: which ones a job writes, and under which names.

use base::time::Duration;

use super::Options;
use crate::file::Given;

/// What a job writes down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logs {
    /// Begin of the file's name for rates.
    pub rates: Option<String>,
    /// For latencies: submission, completion, both.
    pub latencies: Option<String>,
    /// For I/Os a second.
    pub iops: Option<String>,
    /// File for the I/Os themselves, as fio's iolog.
    pub trace: Option<String>,
    /// Means over windows of this length; each I/O where it is zero.
    pub window: Duration,
    /// Of a window the largest value, not the mean.
    pub largest: bool,
    /// With the offset of each I/O.
    pub offsets: bool,
    /// A file for each copy of a job.
    pub per_job: bool,
}

impl Logs {
    /// Whether anything is written down.
    pub fn any(&self) -> bool {
        let files = [&self.rates, &self.latencies, &self.iops, &self.trace];
        files.into_iter().any(Option::is_some)
    }
}

pub(super) fn logs(o: &mut Options<'_>) -> Logs {
    Logs {
        rates: named(o, "write_bw_log"),
        latencies: named(o, "write_lat_log"),
        iops: named(o, "write_iops_log"),
        trace: o.take("write_iolog", None, |text, _| Ok(Some(text.to_owned()))),
        window: Duration::from_millis(o.number("log_avg_msec", 0, 0, 1 << 40)),
        largest: o.number("log_max_value", 0, 0, 2) > 0,
        offsets: o.flag("log_offset", false),
        per_job: o.flag("per_job_logs", true),
    }
}

/// The given name, or the job's if the option has no value.
fn named(o: &Options<'_>, option: &str) -> Option<String> {
    let Given { value, .. } = o.section.get(option)?;
    Some(value.clone().unwrap_or_else(|| o.section.name.clone()))
}
