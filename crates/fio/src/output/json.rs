//! `--output-format=json` and `json+`.

use super::{
    EDGES, Entry, Moment, VERSION, Value, buckets, iops, millis, named, percent, percentiles, rate,
    shares,
};
use crate::file::{Given, JobFile};
use crate::job::Job;
use crate::job::steady::Steady;
use crate::kept::{Kept, OpKept, Spread, Times};
use crate::steady::Steadiness;

/// The document; with whole histograms where `bins` is true.
pub fn json(file: &JobFile, entries: &[Entry<'_>], at: &Moment, bins: bool) -> String {
    let jobs = entries.iter().map(|entry| job(entry, bins)).collect();
    Value::object([
        ("fio version", Value::text(VERSION)),
        ("timestamp", Value::Whole(at.unix_ms / 1_000)),
        ("timestamp_ms", Value::Whole(at.unix_ms)),
        ("time", Value::text(&at.text)),
        (
            "global options",
            Value::object(file.global.iter().map(given)),
        ),
        ("jobs", Value::List(jobs)),
        ("disk_util", Value::List(Vec::new())),
    ])
    .pretty()
}

fn given(given: &Given) -> (&'static str, Value) {
    (
        given.name,
        Value::text(given.value.clone().unwrap_or_default()),
    )
}

fn job(entry: &Entry<'_>, bins: bool) -> Value {
    let (job, kept) = (entry.job, &entry.kept);
    let options = job
        .given
        .iter()
        .map(|(name, value)| (name.clone(), Value::text(value)));
    let mut pairs = vec![
        ("jobname", Value::text(&job.name)),
        ("groupid", Value::Whole(u64::from(entry.group))),
        ("error", Value::Whole(u64::from(kept.errno.unsigned_abs()))),
        // What fio has for a job that is over.
        ("eta", Value::Whole(i32::MAX as u64)),
        ("elapsed", Value::Whole(entry.elapsed)),
    ];
    pairs.extend(
        job.description
            .as_ref()
            .map(|text| ("desc", Value::text(text))),
    );
    pairs.push(("job options", Value::object(options)));
    for (name, op) in named(entry) {
        pairs.push((name, of_op(job, op, bins)));
    }
    // fio has no flushes in the output of all operations together.
    if !job.reporting.unified {
        pairs.push(("sync", flushes(job, &kept.ops[3], bins)));
    }
    pairs.extend([
        (
            "job_runtime",
            Value::Whole(millis(kept.runtime) * u64::from(entry.copies)),
        ),
        ("usr_cpu", Value::Number(0.0)),
        ("sys_cpu", Value::Number(0.0)),
        ("ctx", Value::Whole(0)),
        ("majf", Value::Whole(0)),
        ("minf", Value::Whole(0)),
    ]);
    pairs.extend(depths(kept));
    pairs.extend(latencies(kept));
    pairs.extend(latency_target(job, kept));
    if let (Some(rule), Some(found)) = (&job.steady, &kept.steadiness) {
        pairs.push(("steadystate", steady(rule, found)));
    }
    Value::object(pairs)
}

fn flushes(job: &Job, flushes: &OpKept, bins: bool) -> Value {
    let list = Some(&job.reporting.percentiles).filter(|_| flushes.ios > 0);
    Value::object([
        ("total_ios", Value::Whole(flushes.ios)),
        ("lat_ns", times(&flushes.whole, list, bins)),
    ])
}

/// Shares of the I/Os by the number in flight. One at a time is submitted, and completed.
fn depths(kept: &Kept) -> [(&'static str, Value); 3] {
    let total: u64 = kept.ops[..3].iter().map(|op| op.ios).sum();
    let level = ["1", "2", "4", "8", "16", "32", ">=64"]
        .into_iter()
        .zip(kept.depths);
    let level = level.map(|(key, n)| (key, Value::Number(percent(n, total))));
    let one = || {
        let keys = ["0", "4", "8", "16", "32", "64", ">=64"];
        let share = |key: &str| Value::Number(if key == "4" && total > 0 { 100.0 } else { 0.0 });
        Value::object(keys.map(|key| (key, share(key))))
    };
    [
        ("iodepth_level", Value::object(level)),
        ("iodepth_submit", one()),
        ("iodepth_complete", one()),
    ]
}

/// Shares of the I/Os by latency, in ns, us and ms.
fn latencies(kept: &Kept) -> Vec<(&'static str, Value)> {
    let key = |edge: &u64| match *edge {
        u64::MAX => ">=2000".to_owned(),
        edge => edge.to_string(),
    };
    let of_unit = |((name, edges), shares): ((&'static str, &[u64]), Vec<f64>)| {
        let shares = shares.into_iter().map(Value::Number);
        (name, Value::object(edges.iter().map(key).zip(shares)))
    };
    let names = ["latency_ns", "latency_us", "latency_ms"];
    let units = names.into_iter().zip(EDGES).zip(shares(kept));
    units.map(of_unit).collect()
}

/// The latency target, in ns and us, and the depth that was found with it.
fn latency_target(job: &Job, kept: &Kept) -> [(&'static str, Value); 4] {
    let target = job.latency_target;
    let depth = kept.depth_found.unwrap_or(job.depth);
    let nanos = target.map_or(0, |target| target.most.as_nanos());
    let window = target.map_or(0, |target| target.window.as_nanos() / 1_000);
    let percent = target.map_or(100.0, |target| target.percent);
    [
        ("latency_depth", Value::Whole(u64::from(depth))),
        ("latency_target", Value::Whole(nanos)),
        ("latency_percentile", Value::Number(percent)),
        ("latency_window", Value::Whole(window)),
    ]
}

fn of_op(job: &Job, op: &OpKept, bins: bool) -> Value {
    let bytes = rate(op);
    let list = |shown: bool| Some(&job.reporting.percentiles).filter(|_| shown && op.ios > 0);
    let [completion, whole, submission] = job.reporting.shows;
    let mut pairs = vec![
        ("io_bytes", Value::Whole(op.bytes)),
        ("io_kbytes", Value::Whole(op.bytes >> 10)),
        ("bw_bytes", Value::Whole(if op.ios > 0 { bytes } else { 0 })),
        ("bw", Value::Whole(if op.ios > 0 { bytes >> 10 } else { 0 })),
        ("iops", Value::Number(iops(op))),
        (
            "runtime",
            Value::Whole(if op.ios > 0 { millis(op.time) } else { 0 }),
        ),
        ("total_ios", Value::Whole(op.ios)),
        ("short_ios", Value::Whole(op.short)),
        ("drop_ios", Value::Whole(0)),
        ("slat_ns", times(&op.submission, list(submission), bins)),
        ("clat_ns", times(&op.completion, list(completion), bins)),
        ("lat_ns", times(&op.whole, list(whole), bins)),
    ];
    let all: u64 = op.bytes;
    let mean = op.rates.mean();
    let agg = if all == 0 || bytes == 0 {
        0.0
    } else {
        (mean * 102_400.0 / bytes as f64).min(100.0)
    };
    pairs.extend(samples("bw_min", "bw_max", &op.rates));
    pairs.push(("bw_agg", Value::Number(agg)));
    pairs.push(("bw_mean", Value::Number(mean)));
    pairs.push(("bw_dev", Value::Number(op.rates.deviation())));
    pairs.push(("bw_samples", Value::Whole(op.rates.count)));
    pairs.extend(samples("iops_min", "iops_max", &op.iops));
    pairs.push(("iops_mean", Value::Number(op.iops.mean())));
    pairs.push(("iops_stddev", Value::Number(op.iops.deviation())));
    pairs.push(("iops_samples", Value::Whole(op.iops.count)));
    Value::object(pairs)
}

fn steady(rule: &Steady, found: &Steadiness) -> Value {
    let whole = |n: &u64| Value::Whole(*n);
    let list = |values: &[u64]| Value::List(values.iter().map(whole).collect());
    let percent = if rule.in_percent { "%" } else { "" };
    let data = Value::object([
        (
            "bw_mean",
            Value::Whole(Steadiness::mean(&found.bytes) as u64),
        ),
        (
            "iops_mean",
            Value::Whole(Steadiness::mean(&found.iops) as u64),
        ),
        ("iops", list(&found.iops)),
        ("bw", list(&found.bytes)),
    ]);
    Value::object([
        ("ss", Value::text(&rule.name)),
        ("duration", Value::Whole(rule.samples as u64)),
        ("attained", Value::Whole(u64::from(found.attained))),
        (
            "criterion",
            Value::text(format!("{:.6}{percent}", found.criterion)),
        ),
        ("max_deviation", Value::Number(found.deviation)),
        ("slope", Value::Number(found.slope)),
        ("data", data),
    ])
}

fn samples(min: &'static str, max: &'static str, of: &Spread) -> [(&'static str, Value); 2] {
    [
        (min, Value::Whole(of.min as u64)),
        (max, Value::Whole(of.max as u64)),
    ]
}

fn times(times: &Times, list: Option<&Vec<f64>>, bins: bool) -> Value {
    let spread = &times.spread;
    let mut pairs = vec![
        ("min", Value::Whole(spread.min as u64)),
        ("max", Value::Whole(spread.max as u64)),
        ("mean", Value::Number(spread.mean())),
        ("stddev", Value::Number(spread.deviation())),
        ("N", Value::Whole(spread.count)),
    ];
    if let Some(list) = list.filter(|_| spread.count > 0) {
        let all = percentiles(&times.histogram, list).into_iter();
        let all = all.map(|(percent, value)| (format!("{percent:.6}"), Value::Whole(value)));
        pairs.push(("percentile", Value::object(all)));
        if bins {
            let all = buckets(&times.histogram).into_iter();
            pairs.push((
                "bins",
                Value::object(all.map(|(at, n)| (at.to_string(), Value::Whole(n)))),
            ));
        }
    }
    Value::object(pairs)
}
