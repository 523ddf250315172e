//! `--output-format=normal`: for people.

use std::fmt::Write;

use super::{Entry, Moment, iops, millis, named, percent, percentiles, rate, shares};
use crate::job::Job;
use crate::job::steady::Steady;
use crate::kept::{Kept, OpKept, Spread, Times};
use crate::steady::Steadiness;

/// The text of a whole run.
pub fn normal(entries: &[Entry<'_>], at: &Moment) -> String {
    let mut text = String::new();
    for entry in entries {
        header(&mut text, entry);
    }
    for entry in entries {
        job(&mut text, entry, at);
    }
    let mut groups: Vec<u32> = entries.iter().map(|entry| entry.group).collect();
    groups.dedup();
    for group in groups {
        status(&mut text, group, entries);
    }
    text
}

fn header(text: &mut String, entry: &Entry<'_>) {
    let job = entry.job;
    let sizes = |n: usize| {
        let all = job.sizes[n].iter().map(|(size, _)| *size);
        let (least, most) = (all.clone().min().unwrap_or(0), all.max().unwrap_or(0));
        format!("{least}B-{most}B")
    };
    let _ = writeln!(
        text,
        "{}: (g={}): rw={}, bs=(R) {}, (W) {}, (T) {}, ioengine={}, iodepth={}",
        job.name,
        entry.group,
        job.kind.name,
        sizes(0),
        sizes(1),
        sizes(2),
        job.engine,
        job.depth
    );
}

fn job(text: &mut String, entry: &Entry<'_>, at: &Moment) {
    let (job, kept) = (entry.job, &entry.kept);
    let _ = writeln!(
        text,
        "\n{}: (groupid={}, jobs={}): err={:2}: pid=0: {}",
        job.name, entry.group, entry.copies, kept.errno, at.text
    );
    if let Some(words) = &job.description {
        let _ = writeln!(text, "  Description  : [{words}]");
    }
    for (name, op) in named(entry) {
        if op.ios > 0 {
            of_op(text, (name, op), job, kept.zone_resets);
        }
    }
    table(text, kept);
    let _ = writeln!(
        text,
        "  cpu          : usr=0.00%, sys=0.00%, ctx=0, majf=0, minf=0"
    );
    depths(text, kept);
    if let (Some(rule), Some(found)) = (&job.steady, &kept.steadiness) {
        steady(text, rule, found);
    }
}

fn steady(text: &mut String, rule: &Steady, found: &Steadiness) {
    let bytes = Steadiness::mean(&found.bytes) as u64;
    let what = if rule.of_bytes { "bw" } else { "iops" };
    let by = if rule.by_slope { "slope" } else { "mean dev" };
    let percent = if rule.in_percent { "%" } else { "" };
    let _ = writeln!(
        text,
        "  steadystate  : attained={}, bw={} ({}), iops={}, {what} {by}={:.3}{percent}",
        if found.attained { "yes" } else { "no" },
        binary(bytes, "/s"),
        decimal(bytes, "/s"),
        Steadiness::mean(&found.iops) as u64,
        found.criterion
    );
}

fn of_op(text: &mut String, (name, op): (&str, &OpKept), job: &Job, resets: u64) {
    let bytes = rate(op);
    let zones = if name == "read" || name == "mixed" {
        String::new()
    } else {
        format!("; {resets} zone resets")
    };
    let _ = writeln!(
        text,
        "  {name:>5}: IOPS={}, BW={} ({})({}/{}msec){zones}",
        thousands(iops(op)),
        binary(bytes, "/s"),
        decimal(bytes, "/s"),
        binary(op.bytes, ""),
        millis(op.time)
    );
    for (label, times) in [
        ("slat", &op.submission),
        ("clat", &op.completion),
        ("lat", &op.whole),
    ] {
        if times.spread.count > 0 {
            latency(text, label, times);
        }
    }
    let shown = [
        ("clat", &op.completion),
        ("lat", &op.whole),
        ("slat", &op.submission),
    ];
    for ((label, times), shown) in shown.into_iter().zip(job.reporting.shows) {
        if shown && times.spread.count > 0 {
            table_of_percentiles(text, label, times, &job.reporting.percentiles);
        }
    }
    samples(
        text,
        "  bw (  KiB/s): ",
        &op.rates,
        Some(bytes as f64 / 1024.0),
    );
    samples(text, "  iops        : ", &op.iops, None);
}

/// The unit in which fio shows times, and its nanoseconds.
fn unit(spread: &Spread) -> (&'static str, f64) {
    match spread.mean() {
        mean if mean >= 1_000_000.0 * 2.0 => ("msec", 1e6),
        mean if mean >= 1_000.0 * 2.0 && spread.max >= 1_000.0 * 99.0 => ("usec", 1e3),
        _ => ("nsec", 1.0),
    }
}

fn latency(text: &mut String, label: &str, times: &Times) {
    let (name, nanos) = unit(&times.spread);
    let whole = |value: f64| (value / nanos) as u64;
    let _ = writeln!(
        text,
        "    {label:>4} ({name}): min={}, max={}, avg={:5.2}, stdev={:5.2}",
        whole(times.spread.min),
        whole(times.spread.max),
        times.spread.mean() / nanos,
        times.spread.deviation() / nanos
    );
}

fn table_of_percentiles(text: &mut String, label: &str, times: &Times, list: &[f64]) {
    let (name, nanos) = unit(&times.spread);
    let all = percentiles(&times.histogram, list);
    let _ = write!(text, "    {label} percentiles ({name}):");
    for (n, (percent, value)) in all.iter().enumerate() {
        let _ = match n % 4 {
            0 => write!(text, "\n     |"),
            _ => Ok(()),
        };
        let comma = if n + 1 < all.len() { "," } else { "" };
        let _ = write!(
            text,
            " {percent:5.2}th=[{:5}]{comma}",
            (*value as f64 / nanos).round() as u64
        );
    }
    text.push('\n');
}

fn samples(text: &mut String, label: &str, spread: &Spread, all: Option<f64>) {
    let share = all.map_or(String::new(), |all| {
        format!(
            "per={:3.2}%, ",
            if all > 0.0 {
                (spread.mean() / all * 100.0).min(100.0)
            } else {
                0.0
            }
        )
    });
    let _ = writeln!(
        text,
        " {label}min={:5}, max={:5}, {share}avg={:5.2}, stdev={:5.2}, samples={}",
        spread.min as u64,
        spread.max as u64,
        spread.mean(),
        spread.deviation(),
        spread.count
    );
}

fn table(text: &mut String, kept: &Kept) {
    let shares = shares(kept);
    for ((name, edges), shares) in ["nsec", "usec", "msec"]
        .into_iter()
        .zip(super::EDGES)
        .zip(shares)
    {
        let some: Vec<String> = edges
            .iter()
            .zip(&shares)
            .filter(|(_, share)| **share > 0.0)
            .map(|(edge, share)| match edge {
                &u64::MAX => format!(">=2000={share:.2}%"),
                edge => format!("{edge}={share:.2}%"),
            })
            .collect();
        for line in some.chunks(5) {
            let _ = writeln!(text, "  lat ({name})   : {}", line.join(", "));
        }
    }
}

fn depths(text: &mut String, kept: &Kept) {
    let total: u64 = kept.ops[..3].iter().map(|op| op.ios).sum();
    let names = ["1", "2", "4", "8", "16", "32", ">=64"];
    let all: Vec<String> = names
        .into_iter()
        .zip(kept.depths)
        .map(|(name, n)| format!("{name}={:3.1}%", percent(n, total)))
        .collect();
    let _ = writeln!(text, "  IO depths    : {}", all.join(", "));
    let [reads, writes, trims, flushes] = &kept.ops;
    let _ = writeln!(
        text,
        "     issued rwts: total={},{},{},{} short={},{},{},0 dropped=0,0,0,0",
        reads.ios, writes.ios, trims.ios, flushes.ios, reads.short, writes.short, trims.short
    );
}

fn status(text: &mut String, group: u32, entries: &[Entry<'_>]) {
    let _ = writeln!(text, "\nRun status group {group} (all jobs):");
    for name in ["read", "write", "trim", "mixed"] {
        let all: Vec<&OpKept> = entries
            .iter()
            .filter(|entry| entry.group == group)
            .flat_map(named)
            .filter(|(of, op)| *of == name && op.ios > 0)
            .map(|(_, op)| op)
            .collect();
        let name = name.to_uppercase();
        let rates: Vec<u64> = all.iter().map(|op| rate(op)).collect();
        let times: Vec<u64> = all.iter().map(|op| millis(op.time)).collect();
        let (Some(slow), Some(fast)) = (rates.iter().min(), rates.iter().max()) else {
            continue;
        };
        let (Some(short), Some(long)) = (times.iter().min(), times.iter().max()) else {
            continue;
        };
        let bytes: u64 = all.iter().map(|op| op.bytes).sum();
        let together = (u128::from(bytes) * 1_000 / u128::from(*long)) as u64;
        let _ = writeln!(
            text,
            "  {name:>5}: bw={} ({}), {}-{} ({}-{}), io={} ({}), run={short}-{long}msec",
            binary(together, "/s"),
            decimal(together, "/s"),
            binary(*slow, "/s"),
            binary(*fast, "/s"),
            decimal(*slow, "/s"),
            decimal(*fast, "/s"),
            binary(bytes, ""),
            decimal(bytes, "")
        );
    }
}

/// With four digits, as fio has it.
fn scaled(value: u64, base: f64, units: [&str; 5], of: &str) -> String {
    let mut value = value as f64;
    let mut unit = 0;
    while value >= base * if unit == 0 { 1.0 } else { 9.9995 } && unit < 4
        || (unit > 0 && value >= 10_000.0 && unit < 4)
    {
        value /= base;
        unit += 1;
    }
    let digits = match value {
        value if unit == 0 || value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    };
    format!("{digits}{}{of}", units[unit])
}

fn binary(bytes: u64, of: &str) -> String {
    scaled(bytes, 1024.0, ["B", "KiB", "MiB", "GiB", "TiB"], of)
}

fn decimal(bytes: u64, of: &str) -> String {
    scaled(bytes, 1000.0, ["B", "kB", "MB", "GB", "TB"], of)
}

fn thousands(value: f64) -> String {
    match value {
        value if value >= 10_000.0 => format!("{:.1}k", value / 1_000.0),
        value => format!("{}", value as u64),
    }
}
