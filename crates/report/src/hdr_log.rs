//! Response times as an HdrHistogram interval log (version 1.3 of the format, V2 histograms, compressed): what
//! HistogramLogAnalyzer, hdr-plot and their kin read.
//!
//! A phase is an interval, and its reads, writes, trims and flushes are histograms of their own, told apart by a tag
//! (`scan.read`). Values are nanoseconds to three digits; the largest value column is in milliseconds, as the format has
//! it. A record's own buckets are at most 1/128 wide, and each counts at its middle, as in every percentile here.

use std::time::{Duration, UNIX_EPOCH};

use base::{Latencies, Op, PhaseRecord};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use results::RunResult;

/// Digits that are kept of a value.
const DIGITS: u8 = 3;
/// Nanoseconds in a millisecond.
const NANOS_PER_MILLI: f64 = 1e6;

/// The phases of a result, in order.
///
/// # Errors
/// A histogram that cannot be encoded, in words.
pub fn log(result: &RunResult) -> Result<String, String> {
    let mut log = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let began = UNIX_EPOCH + Duration::from_millis(result.began_unix_ms);
    let mut writer = IntervalLogWriterBuilder::new()
        .add_comment(&format!(
            "drivelab {}, {}",
            result.environment.drivelab, result.method
        ))
        .with_start_time(began)
        .with_base_time(began)
        .with_max_value_divisor(NANOS_PER_MILLI)
        .begin_log_with(&mut log, &mut serializer)
        .map_err(|error| error.to_string())?;
    let first = result.phases.first().map(|phase| phase.began);
    for phase in &result.phases {
        let since = first.map_or(base::time::Duration::ZERO, |first| phase.began.since(first));
        for (op, times) in histograms(phase) {
            let tag = format!("{}.{}", phase.name, op.name()).replace([' ', ','], "-");
            writer
                .write_histogram(
                    &histogram(&times)?,
                    Duration::from_nanos(since.as_nanos()),
                    Duration::from_nanos(phase.took.as_nanos()),
                    Tag::new(&tag),
                )
                .map_err(|error| format!("{tag}: {error:?}"))?;
        }
    }
    Ok(String::from_utf8_lossy(&log).into_owned())
}

/// Each kind of I/O of a phase with its response times.
pub(crate) fn histograms(phase: &PhaseRecord) -> impl Iterator<Item = (Op, Latencies)> + '_ {
    let all = [Op::Read, Op::Write, Op::Trim, Op::Flush].into_iter();
    all.map(|op| (op, phase.of(op).felt().clone()))
        .filter(|(_, times)| !times.is_empty())
}

fn histogram(times: &Latencies) -> Result<Histogram<u64>, String> {
    let mut histogram = Histogram::new(DIGITS).map_err(|error| error.to_string())?;
    for (low, width, count) in times.buckets() {
        let middle = low.as_nanos() + width.as_nanos() / 2;
        let value = middle.clamp(times.min().as_nanos(), times.max().as_nanos());
        histogram
            .record_n(value, count)
            .map_err(|error| error.to_string())?;
    }
    Ok(histogram)
}
