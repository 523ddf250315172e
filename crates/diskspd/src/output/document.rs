//! The XML: the profile again, then for each time span percentiles, counts an interval, and each thread.

use std::fmt::Write;

use super::{Machine, Which, mean, percentile};
use base::spread::Spread;

use crate::kept::Side;
use crate::profile::{Profile, TimeSpan};
use crate::running::Ran;
use crate::xml::{escaped, printed};

/// All of it.
pub fn document(profile: &Profile, ran: &[Ran], machine: &Machine) -> String {
    let mut text = String::from("<Results>\n  <System>\n");
    element(&mut text, 4, "ComputerName", escaped(&machine.program));
    text.push_str("    <Tool>\n");
    element(&mut text, 6, "Version", escaped(&machine.program));
    text.push_str("    </Tool>\n");
    element(&mut text, 4, "RunTime", escaped(&machine.began));
    text.push_str("  </System>\n");
    for line in printed(profile).lines() {
        let _ = writeln!(text, "  {line}");
    }
    for (span, ran) in profile.spans.iter().zip(ran) {
        text.push_str("  <TimeSpan>\n");
        time_span(&mut text, span, ran, machine);
        text.push_str("  </TimeSpan>\n");
    }
    text.push_str("</Results>\n");
    text
}

fn element(text: &mut String, indent: usize, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "{:indent$}<{name}>{value}</{name}>", "");
}

fn millis(text: &mut String, indent: usize, name: &str, value: f64) {
    element(text, indent, name, format!("{value:.3}"));
}

fn time_span(text: &mut String, span: &TimeSpan, ran: &Ran, machine: &Machine) {
    element(
        text,
        4,
        "TestTimeSeconds",
        format!("{:.2}", ran.time.as_secs_f64()),
    );
    element(text, 4, "ThreadCount", ran.threads.len());
    element(text, 4, "RequestCount", span.requests.unwrap_or(0));
    element(text, 4, "ProcCount", machine.processors);
    processors(text, ran);
    let [read, write, total] =
        [Which::Read, Which::Write, Which::Total].map(|which| which.of_all(ran));
    if span.measures_latency {
        latency(text, &read, &write, &total);
    }
    if let Some(interval) = span.interval_ms {
        iops(text, 4, [&read, &write, &total], interval);
    }
    for (n, kept) in ran.threads.iter().enumerate() {
        text.push_str("    <Thread>\n");
        element(text, 6, "Id", n);
        text.push_str("      <Target>\n");
        let (reads, writes, total) = (&kept.reads, &kept.writes, kept.total());
        element(text, 8, "Path", escaped(&span.works[kept.work].path));
        element(text, 8, "BytesCount", total.bytes);
        element(text, 8, "FileSize", ran.sizes[kept.work]);
        element(text, 8, "IOCount", total.ios);
        element(text, 8, "ReadBytes", reads.bytes);
        element(text, 8, "ReadCount", reads.ios);
        element(text, 8, "WriteBytes", writes.bytes);
        element(text, 8, "WriteCount", writes.ios);
        if span.measures_latency {
            for (name, side) in [("Read", reads), ("Write", writes), ("", &total)] {
                if let Some(deviation) = side.deviation_millis() {
                    millis(
                        text,
                        8,
                        &format!("Average{name}LatencyMilliseconds"),
                        side.mean_millis(),
                    );
                    millis(text, 8, &format!("{name}LatencyStdev"), deviation);
                }
            }
        }
        if let Some(interval) = span.interval_ms {
            iops(text, 8, [reads, writes, &total], interval);
        }
        text.push_str("      </Target>\n    </Thread>\n");
    }
}

fn processors(text: &mut String, ran: &Ran) {
    text.push_str("    <CpuUtilization>\n");
    let mut shares = |name: &str, id: Option<usize>, [user, kernel, idle]: [f64; 3]| {
        let _ = writeln!(text, "      <{name}>");
        if let Some(id) = id {
            element(text, 8, "Group", 0);
            element(text, 8, "Id", id);
        }
        element(text, 8, "UsagePercent", format!("{:.2}", user + kernel));
        element(text, 8, "UserPercent", format!("{user:.2}"));
        element(text, 8, "KernelPercent", format!("{kernel:.2}"));
        element(text, 8, "IdlePercent", format!("{idle:.2}"));
        let _ = writeln!(text, "      </{name}>");
    };
    for (n, one) in ran.processors.iter().enumerate() {
        shares("CPU", Some(n), [one.user, one.kernel, one.idle]);
    }
    let all = mean(&ran.processors);
    shares("Average", None, [all.user, all.kernel, all.idle]);
    text.push_str("    </CpuUtilization>\n");
}

fn latency(text: &mut String, read: &Side, write: &Side, total: &Side) {
    text.push_str("    <Latency>\n");
    let sides = [
        ("Read", "Read", read),
        ("Write", "Write", write),
        ("Total", "", total),
    ];
    for (name, of_deviation, side) in sides {
        if let Some(deviation) = side.deviation_millis() {
            millis(
                text,
                6,
                &format!("Average{name}Milliseconds"),
                side.mean_millis(),
            );
            millis(text, 6, &format!("{of_deviation}LatencyStdev"), deviation);
        }
    }
    let mut bucket = |percent: &str, value: &dyn Fn(&Side) -> f64| {
        text.push_str("      <Bucket>\n");
        element(text, 8, "Percentile", percent);
        for (name, _, side) in sides.iter().filter(|(_, _, side)| side.ios > 0) {
            millis(text, 8, &format!("{name}Milliseconds"), value(side));
        }
        text.push_str("      </Bucket>\n");
    };
    bucket("0", &|side| side.latencies.min().as_millis_f64());
    for percent in 1..=99 {
        bucket(&percent.to_string(), &|side| {
            percentile(side, f64::from(percent))
        });
    }
    for nines in 1..=7_usize {
        let percent = 100.0 - 1.0 / 10_f64.powi(nines as i32);
        bucket(&format!("{percent:.nines$}"), &|side| {
            percentile(side, percent)
        });
    }
    bucket("100", &|side| side.latencies.max().as_millis_f64());
    text.push_str("    </Latency>\n");
}

fn iops(text: &mut String, indent: usize, [read, write, total]: [&Side; 3], interval_ms: u32) {
    let _ = writeln!(text, "{:indent$}<Iops>", "");
    let inner = indent + 2;
    for (name, side) in [
        ("ReadIopsStdDev", read),
        ("WriteIopsStdDev", write),
        ("IopsStdDev", total),
    ] {
        if !side.intervals.is_empty() {
            millis(text, inner, name, side.iops_deviation(interval_ms));
        }
    }
    for (n, (read, write)) in read.intervals.iter().zip(&write.intervals).enumerate() {
        let a_second = |of: &Spread| of.count as f64 * 1_000.0 / f64::from(interval_ms);
        let side = |name: &str, of: &Spread| {
            format!(
                "{name}MinLatencyMilliseconds=\"{:.3}\" {name}MaxLatencyMilliseconds=\"{:.3}\" {name}AvgLatencyMilliseconds=\"{:.3}\" {name}LatencyStdDev=\"{:.3}\"",
                of.min,
                of.max,
                of.mean(),
                of.population_deviation()
            )
        };
        let _ = writeln!(
            text,
            "{:inner$}<Bucket SampleMillisecond=\"{}\" Read=\"{:.0}\" Write=\"{:.0}\" Total=\"{:.0}\" {} {}/>",
            "",
            u64::from(interval_ms) * (n as u64 + 1),
            a_second(read),
            a_second(write),
            a_second(read) + a_second(write),
            side("Read", read),
            side("Write", write)
        );
    }
    let _ = writeln!(text, "{:indent$}</Iops>", "");
}
