//! Making charts of records: response-time histograms and latency over time.

use std::borrow::Borrow;

use base::chart::{Mark, designs};
use base::record::WorstIo;
use base::{Argument, Chart, Curve, JobRecord, Latencies, Message, Op};

/// Buckets a decade of a drawn histogram: the record's own are far finer than a picture can show.
const BUCKETS_A_DECADE: u32 = 20;

/// Response-time histograms, one curve for each named distribution that is not empty.
pub(crate) fn responses<N: AsRef<str>, L: Borrow<Latencies>>(
    key: &str,
    distributions: &[(N, L)],
) -> Chart {
    let curves = distributions
        .iter()
        .map(|(name, latencies)| (name.as_ref(), latencies.borrow()))
        .filter(|(_, latencies)| !latencies.is_empty())
        .map(|(name, latencies)| histogram(name, latencies))
        .collect();
    Chart::new(key, designs::RESPONSE, curves)
}

/// A histogram in twenty buckets a decade: x is a bucket's lower edge in us, empty buckets between
/// full ones are there.
fn histogram(name: &str, latencies: &Latencies) -> Curve {
    let mut counts = std::collections::BTreeMap::<i32, u64>::new();
    for (low, width, n) in latencies.buckets() {
        let middle = (low.as_nanos() as f64 + width.as_nanos() as f64 / 2.0).max(1.0);
        let bucket = (libm::log10(middle) * f64::from(BUCKETS_A_DECADE)).floor() as i32;
        *counts.entry(bucket).or_default() += n;
    }
    let (first, last) = (counts.first_key_value(), counts.last_key_value());
    let buckets = first.map_or(0, |first| *first.0)..=last.map_or(-1, |last| *last.0);
    let points = buckets.map(|bucket| {
        let decades = f64::from(bucket) / f64::from(BUCKETS_A_DECADE);
        let count = counts.get(&bucket).copied().unwrap_or(0);
        (libm::pow(10.0, decades) / 1e3, Some(count as f64))
    });
    Curve::through(name, points)
}

/// The percentiles to plot: number of responses per longer one.
const ONE_IN: [f64; 5] = [2.0, 10.0, 100.0, 1_000.0, 10_000.0];

/// Percentiles from the median on, as far as there are ten responses beyond one: with fewer it is a matter of chance.
pub(crate) fn percentiles(key: &str, name: &str, latencies: &Latencies) -> Chart {
    let told = |one_in: &&f64| latencies.count() as f64 >= 10.0 * **one_in;
    let points = ONE_IN.iter().filter(told).map(|one_in| {
        let value = latencies.percentile(100.0 - 100.0 / one_in);
        (*one_in, value.map(|time| time.as_millis_f64()))
    });
    let curve = Curve::through(name, points);
    Chart::new(key, designs::PERCENTILES, vec![curve])
}

/// I/Os of each interval of a job's series, in I/Os a second; `began` are the seconds before it.
pub(crate) fn each_interval(began: f64, job: &JobRecord) -> Vec<(f64, f64)> {
    let seconds = job.series.interval.as_secs_f64();
    let points = (0..).zip(&job.series.points);
    // The last interval is cut short by the end of the job.
    let whole = job.series.points.len().saturating_sub(1).max(1);
    points
        .take(whole)
        .map(|(i, p)| {
            let ios = (p.read.ios + p.write.ios) as f64;
            (began + (f64::from(i) + 0.5) * seconds, ios / seconds)
        })
        .collect()
}

/// A dot for each interval.
pub(crate) fn consistency(key: &str, name: &str, intervals: &[(f64, f64)]) -> Chart {
    let curve = Curve::through(name, intervals.iter().map(|(x, y)| (*x, Some(*y))));
    Chart::new(key, designs::CONSISTENCY, vec![curve])
}

/// Latency over time: mean of each interval with a band up to the worst, and the worst I/Os marked.
pub(crate) fn latency_over_time(key: &str, jobs: &[(&str, &JobRecord)]) -> Chart {
    let mut chart = Chart::new(key, designs::LATENCY_OVER_TIME, Vec::new());
    for (name, job) in jobs {
        for op in [Op::Read, Op::Write] {
            if let Some(curve) = latency_curve(name, job, op) {
                chart.curves.push(curve);
            }
        }
        chart
            .marks
            .extend(job.worst.ios().iter().take(10).map(mark));
    }
    chart
}

fn latency_curve(name: &str, job: &JobRecord, op: Op) -> Option<Curve> {
    if job.ops[op as usize].ios == 0 {
        return None;
    }
    let seconds = job.series.interval.as_secs_f64();
    let cells = job.series.points.iter().map(|p| p.of(op));
    let mean: Vec<Option<f64>> = cells
        .clone()
        .map(|c| c.mean().map(|d| d.as_millis_f64()))
        .collect();
    let worst = cells
        .map(|c| (c.ios > 0).then(|| c.worst.as_millis_f64()))
        .collect();
    let middles = (0..mean.len()).map(|i| (i as f64 + 0.5) * seconds);
    let curve = Curve::new(
        format!("{name} {}", op.name()),
        middles.collect(),
        mean.clone(),
    );
    Some(curve.with_band(mean, worst))
}

/// Bytes read and written over time, in MB/s (10^6).
pub(crate) fn rate_over_time(key: &str, job: &JobRecord) -> Chart {
    let seconds = job.series.interval.as_secs_f64();
    let curve = |op: Op| {
        let cells = job.series.points.iter();
        let cells = cells.map(|p| p.of(op));
        let middles = (0..job.series.points.len()).map(|i| (i as f64 + 0.5) * seconds);
        let rates = cells.map(|cell| Some(cell.bytes.get() as f64 / 1e6 / seconds));
        Curve::new(op.name(), middles.collect(), rates.collect())
    };
    let there = |op: &Op| job.ops[*op as usize].ios > 0;
    Chart::new(
        key,
        designs::RATE_OVER_TIME,
        [Op::Read, Op::Write]
            .into_iter()
            .filter(there)
            .map(curve)
            .collect(),
    )
}

fn mark(io: &WorstIo) -> Mark {
    Mark {
        curve: None,
        x: io.at.as_secs_f64(),
        y: io.felt.as_millis_f64(),
        label: Message::new(
            "mark-worst",
            [
                ("op", Argument::Phase(io.op.name().to_owned())),
                ("size", io.len.into()),
                ("at", io.offset.into()),
                ("took", io.felt.into()),
                ("reads", io.beside_reads.into()),
                ("writes", io.beside_writes.into()),
            ],
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::time::Duration;

    #[test]
    fn a_percentile_is_drawn_where_ten_responses_lie_beyond_it() {
        let mut latencies = Latencies::default();
        for _ in 0..150 {
            latencies.keep(Duration::from_millis(4));
        }
        let chart = percentiles("p", "read", &latencies);
        let curve = &chart.curves[0];
        assert_eq!(curve.x, [2.0, 10.0]);
        assert!(curve.y.iter().all(|y| (y.unwrap() - 4.0).abs() < 0.1));
    }
}
