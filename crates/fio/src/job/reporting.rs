//! What the output shows of a job.

use super::Options;
use super::values::percentiles;

/// How a job is in the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Reporting {
    /// Reads, writes and trims are one line.
    pub unified: bool,
    /// It is in the output.
    pub shown: bool,
    /// A group begins with it.
    pub new_group: bool,
    /// The jobs of a group, and their copies, are one line.
    pub by_group: bool,
    /// Percentiles that are shown, ascending.
    pub percentiles: Vec<f64>,
    /// Which latencies have percentiles: service, whole, submission.
    pub shows: [bool; 3],
}

/// fio's default percentiles.
const PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

pub(super) fn reporting(o: &mut Options<'_>) -> Reporting {
    Reporting {
        unified: o.take("unified_rw_reporting", false, |text, _| match text {
            "none" | "0" => Ok(false),
            "mixed" | "1" => Ok(true),
            _ => Err("it is none or mixed; both is not done here".to_owned()),
        }),
        shown: o.flag("stats", true),
        new_group: o.flag("new_group", false),
        by_group: o.flag("group_reporting", false),
        percentiles: o.take("percentile_list", PERCENTILES.to_vec(), |text, _| {
            percentiles(text)
        }),
        shows: [
            o.flag("clat_percentiles", true),
            o.flag("lat_percentiles", false),
            o.flag("slat_percentiles", false),
        ],
    }
}
