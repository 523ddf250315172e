//! A made-up review of three drives, to try the report on: **no number in it was measured**.
//!
//! It has what a real review has: one real drive (of unknown state) beside two modelled ones, a method
//! in its shortened form, several hundred phases of a quick scan, a figure without a value, a warning,
//! and stalls among the responses.

use std::collections::BTreeMap;

use base::io::{Io, Op};
use base::method::{Scale, Settings};
use base::record::{Completion, Ended, JobRecord, PhaseRecord};
use base::result::{
    Better, Chart, ChartKind, Comparable, Curve, Environment, Figure, RESULT_SCHEMA, RunResult,
    TargetRecord,
};
use base::size::Bytes;
use base::target::{Info, Outcome};
use base::time::{Duration, Instant};
use base::workload::{Job, Order, Span, Stop, Workload};

mod charts;
mod health;

use charts::{latency_chart, noise, response_chart, transfer};

/// A drive of the sample, and how fast it pretends to be.
struct Drive {
    name: &'static str,
    title: &'static str,
    kind: &'static str,
    state: &'static str,
    path: &'static str,
    identity: &'static [(&'static str, &'static str)],
    capacity: Bytes,
    /// MB/s at the outermost and innermost position, reading.
    outer: f64,
    inner: f64,
    /// Writing is so many times as fast.
    write: f64,
    /// Time of one 4 KiB access at queue depth 1, in us: read, write.
    access: [f64; 2],
    /// 4 KiB accesses a second at queue depth 32: read, write.
    queued: [f64; 2],
    /// Worst response, in ms.
    worst: f64,
}

const DRIVES: [Drive; 3] = [
    Drive {
        name: "./",
        title: "Example NVMe 1TB (test file)",
        kind: "real",
        state: "unknown",
        path: "io_uring, direct, registered buffers",
        identity: &[
            ("file system", "ext4"),
            ("firmware", "EX1.04"),
            ("link", "PCIe 4.0 x4"),
            ("model", "Example NVMe 1TB"),
            ("serial", "S-000123"),
        ],
        capacity: Bytes::gib(1),
        outer: 3_480.0,
        inner: 3_440.0,
        write: 0.86,
        access: [61.0, 17.0],
        queued: [391_000.0, 352_000.0],
        worst: 9.7,
    },
    Drive {
        name: "model:samsung-840-evo-750gb",
        title: "Samsung 840 EVO 750GB",
        kind: "model",
        state: "fresh",
        path: "host linux-uring, SATA 6 Gbit/s, NCQ 32",
        identity: &[
            ("firmware", "EXT0BB6Q"),
            ("link", "SATA 6 Gbit/s"),
            ("model", "Samsung SSD 840 EVO 750GB"),
        ],
        capacity: Bytes::new(750_156_374_016),
        outer: 541.0,
        inner: 538.0,
        write: 0.96,
        access: [96.0, 29.0],
        queued: [98_100.0, 88_400.0],
        worst: 4.1,
    },
    Drive {
        name: "model:hgst-hdn724030-3tb",
        title: "HGST Deskstar NAS 3TB",
        kind: "model",
        state: "fresh",
        path: "host linux-uring, SATA 6 Gbit/s, NCQ 32",
        identity: &[
            ("firmware", "A5E0"),
            ("link", "SATA 6 Gbit/s"),
            ("model", "HGST HDN724030ALE640"),
        ],
        capacity: Bytes::new(3_000_592_982_016),
        outer: 174.0,
        inner: 83.0,
        write: 0.99,
        access: [12_700.0, 5_900.0],
        queued: [187.0, 312.0],
        worst: 412.0,
    },
];

/// All methods on all three drives: twelve results.
pub fn review() -> Vec<RunResult> {
    let methods = [crystaldiskmark, full_scan, quick_scan, latency_watch];
    let of_method = |make: fn(&Drive) -> RunResult| DRIVES.iter().map(make);
    let mut results: Vec<RunResult> = methods.into_iter().flat_map(of_method).collect();
    for (i, result) in results.iter_mut().enumerate() {
        result.id = i as i64 + 1;
    }
    results
}

/// One figure under the sample's usual conditions.
pub fn figure(key: &str, value: Option<f64>, unit: &str) -> Figure {
    let better = match unit {
        "MB/s" | "IOPS" => Better::Higher,
        _ => Better::Lower,
    };
    Figure {
        key: key.to_owned(),
        value,
        why_not: value.is_none().then(|| "nothing was completed".to_owned()),
        unit: unit.to_owned(),
        better,
        statistic: "best of 3".to_owned(),
        n: 3,
        interval: None,
        phases: Vec::new(),
        comparable_by: Comparable {
            span: "1 GiB from 0 B".to_owned(),
            data: "fresh, 0 % compressible".to_owned(),
            alignment: "4 KiB".to_owned(),
            state: "fresh".to_owned(),
            scale: "default".to_owned(),
        },
    }
}

fn result(drive: &Drive, method: &str, title: &str, settings: &[(&str, &str)]) -> RunResult {
    let text = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    };
    let real = drive.kind == "real";
    RunResult {
        schema: RESULT_SCHEMA.to_owned(),
        id: 0,
        method: method.to_owned(),
        method_title: title.to_owned(),
        method_version: 1,
        settings: Settings {
            scale: Scale::Default,
            seed: 1,
            values: text(settings),
            given: Vec::new(),
            inputs: BTreeMap::new(),
        },
        scale: Scale::Default,
        stands_beside_published: false,
        target: TargetRecord {
            name: drive.name.to_owned(),
            title: drive.title.to_owned(),
            kind: drive.kind.to_owned(),
            info: Some(Info {
                capacity: drive.capacity,
                block: Bytes::new(512),
                max_in_flight: 1_024,
                writable: true,
            }),
            identity: text(drive.identity),
            state: drive.state.to_owned(),
            path: drive.path.to_owned(),
        },
        environment: Environment {
            drivelab: "0.1.0".to_owned(),
            command: ["drivelab", "review", "./"].map(str::to_owned).to_vec(),
            host: text(&[
                ("cpu", "Example CPU, 8 cores"),
                ("kernel", "Linux 6.12"),
                ("memory", "32 GiB"),
            ]),
        },
        began_unix_ms: if real { 1_772_368_440_000 } else { 0 },
        figures: Vec::new(),
        charts: Vec::new(),
        phases: Vec::new(),
        notes: Vec::new(),
        warnings: Vec::new(),
        ended: "complete".to_owned(),
        health_before: None,
        health_after: None,
        health_during: Vec::new(),
        change_points: Vec::new(),
        repeats: None,
    }
}

/// Adds the drive's state to a figure's conditions, as the lab does.
fn in_state(drive: &Drive, mut figure: Figure) -> Figure {
    figure.comparable_by.state = drive.state.to_owned();
    figure
}

fn phase(name: &str, job: Job, stop: Stop, latency_us: f64) -> PhaseRecord {
    let mut record = JobRecord::new(&job.name, Duration::from_secs(1), None);
    let access = job.accesses[0];
    for i in 0..40 {
        let service = Duration::from_nanos((latency_us * 1e3 * (0.8 + 0.4 * noise(i))) as u64);
        let offset = job.span.start + access.size * i;
        let io = if access.read_percent > 0 {
            Io::read(offset, access.size)
        } else {
            Io::write(offset, access.size, i)
        };
        record.keep(&Completion {
            io,
            at: Duration::from_millis(i * 10),
            service,
            response: None,
            outcome: Outcome::Complete,
            beside_reads: 0,
            beside_writes: 0,
        });
    }
    PhaseRecord {
        name: name.to_owned(),
        workload: Workload::single(job, stop, 1),
        began: Instant::ZERO,
        took: Duration::from_millis(400),
        ended: Ended::Complete,
        jobs: vec![record],
        script: None,
        traced: None,
        done_below: None,
    }
}

fn for_time(time: Duration) -> Stop {
    Stop {
        time: Some(time),
        ..Stop::default()
    }
}

const OPS: [Op; 2] = [Op::Read, Op::Write];

fn crystaldiskmark(drive: &Drive) -> RunResult {
    let settings = [
        ("data", "random"),
        ("profile", "default"),
        ("runs", "3"),
        ("size", "1GiB"),
        ("time", "1s"),
    ];
    let mut result = result(drive, "crystaldiskmark", "CrystalDiskMark 8/9", &settings);
    for op in OPS {
        let factor = if op == Op::Write { drive.write } else { 1.0 };
        let i = op as usize;
        let cells = [
            ("seq1m-q8t1", 1024.0, factor * drive.outer, 8_u32),
            ("seq1m-q1t1", 1024.0, factor * drive.outer * 0.71, 1),
            ("rnd4k-q32t1", 4.0, drive.queued[i] * 4_096.0 / 1e6, 32),
            ("rnd4k-q1t1", 4.0, 4_096.0 / drive.access[i], 1),
        ];
        for (test, kib, mb_s, depth) in cells {
            cell(
                drive,
                &mut result,
                &format!("{test}.{}", op.name()),
                kib,
                mb_s,
                depth,
            );
            let order = if kib > 4.0 {
                Order::Sequential
            } else {
                Order::Random
            };
            let size = Bytes::kib(kib as u64);
            let job = Job::closed(test, op, order, Span::first(Bytes::gib(1)), size, depth);
            let latency = f64::from(depth) * kib * 1.024e3 / mb_s;
            for run in 1..=3 {
                let name = format!("{test} {} run {run}", op.name());
                let stop = for_time(Duration::from_secs(1));
                result.phases.push(phase(&name, job.clone(), stop, latency));
            }
        }
    }
    result.charts = vec![response_chart(drive, "response", 40_000.0)];
    result.notes = vec![
        "dialect: the best of the counted runs; the medians stand beside".to_owned(),
        "the response-time chart shows the counted runs of RND4K Q1T1".to_owned(),
    ];
    if drive.kind == "real" {
        result.warnings = vec![
            "the file system is 91 % full: a drive with little free space may write more slowly"
                .to_owned(),
        ];
    }
    result
}

fn cell(drive: &Drive, result: &mut RunResult, key: &str, kib: f64, mb_s: f64, depth: u32) {
    let iops = mb_s * 1e6 / (kib * 1_024.0);
    let mean_us = f64::from(depth) * 1e6 / iops;
    let phases: Vec<String> = (1..=3)
        .map(|run| format!("{} run {run}", key.replace('.', " ")))
        .collect();
    let mut add = |suffix: &str, value: f64, unit: &str, statistic: &str, n: u64| {
        let mut figure = figure(&format!("{key}{suffix}"), Some(value), unit);
        figure.statistic = statistic.to_owned();
        figure.n = n;
        figure.phases.clone_from(&phases);
        result.figures.push(in_state(drive, figure));
    };
    add("", mb_s, "MB/s", "best of 3", 3);
    add(".median", mb_s * 0.985, "MB/s", "median of 3", 3);
    add(".iops", iops, "IOPS", "best of 3", 3);
    add(".latency", mean_us, "us", "best of 3", 3);
    add(".p99.9", mean_us * 2.9, "us", "p99.9", 40_000);
    add(
        ".worst",
        mean_us * 2.9 + drive.worst * 500.0,
        "us",
        "max",
        40_000,
    );
    if let Some(median) = result
        .figures
        .iter_mut()
        .rev()
        .find(|f| f.statistic == "median of 3")
    {
        median.interval = Some(base::result::Interval {
            low: mb_s * 0.97,
            high: mb_s,
            confidence_percent: 75.0,
        });
    }
}

fn full_scan(drive: &Drive) -> RunResult {
    let settings = [
        ("block", "64KiB"),
        ("extent", "whole"),
        ("ops", "read-write"),
    ];
    let mut result = result(drive, "full-scan", "Full scan", &settings);
    scan(drive, &mut result, 400);
    for op in OPS {
        let span = Span::first(drive.capacity.round_down(Bytes::kib(64)));
        let job = Job::closed(op.name(), op, Order::Sequential, span, Bytes::kib(64), 1);
        let stop = Stop {
            passes: Some(1),
            ..Stop::default()
        };
        result
            .phases
            .push(phase(op.name(), job, stop, 65.536e3 / drive.outer));
    }
    result
}

fn quick_scan(drive: &Drive) -> RunResult {
    let settings = [("block", "64KiB"), ("dwell", "300ms"), ("regions", "256")];
    let mut result = result(drive, "quick-scan", "Quick scan", &settings);
    scan(drive, &mut result, 256);
    let length = Bytes::new(drive.capacity.get() / 256).round_down(Bytes::kib(64));
    for op in OPS {
        for region in 0..256 {
            let span = Span::new(length * region, length);
            let job = Job::closed(op.name(), op, Order::Sequential, span, Bytes::kib(64), 1);
            let name = format!("{} region {region:03}", op.name());
            let stop = for_time(Duration::from_millis(300));
            result
                .phases
                .push(phase(&name, job, stop, 65.536e3 / drive.outer));
        }
    }
    result
}

fn scan(drive: &Drive, result: &mut RunResult, positions: u64) {
    let curves: Vec<Curve> = OPS
        .iter()
        .map(|op| transfer(drive, *op, positions))
        .collect();
    for (op, curve) in OPS.iter().zip(&curves) {
        let end = |values: &Option<Vec<Option<f64>>>, last: bool| {
            let values = values.as_ref()?;
            if last { *values.last()? } else { values[0] }
        };
        let mean = curve.y.iter().flatten().sum::<f64>() / positions as f64;
        let access_ms = 65.536 / mean;
        let mut add = |key: &str, value: Option<f64>, unit: &str, statistic: &str| {
            let mut figure = figure(&format!("{}.{key}", op.name()), value, unit);
            figure.statistic = statistic.to_owned();
            figure.n = positions;
            figure.phases = vec![op.name().to_owned()];
            figure.comparable_by.span = "whole".to_owned();
            result.figures.push(in_state(drive, figure));
        };
        add(
            "outermost.top",
            end(&curve.high, false),
            "MB/s",
            "top of the band",
        );
        add(
            "outermost.bottom",
            end(&curve.low, false),
            "MB/s",
            "bottom of the band",
        );
        add(
            "innermost.top",
            end(&curve.high, true),
            "MB/s",
            "top of the band",
        );
        add(
            "innermost.bottom",
            end(&curve.low, true),
            "MB/s",
            "bottom of the band",
        );
        add("mean", Some(mean), "MB/s", "bytes over time");
        add("response.mean", Some(access_ms), "ms", "mean");
        add("response.p99.9", Some(access_ms * 3.1), "ms", "p99.9");
        add("response.max", Some(drive.worst), "ms", "max");
        add("errors", Some(0.0), "count", "count");
    }
    result.charts = vec![
        Chart {
            key: "transfer".to_owned(),
            kind: ChartKind::Transfer,
            curves,
            marks: Vec::new(),
        },
        response_chart(drive, "response", 2e6),
    ];
}

fn latency_watch(drive: &Drive) -> RunResult {
    let settings = [("every", "5ms"), ("load", "as-allowed"), ("time", "10s")];
    let mut result = result(drive, "latency-watch", "Latency watch", &settings);
    for (name, phase_name, worse) in [("alone", "alone", 1.0), ("loaded", "beside a load", 3.7)] {
        let base_ms = drive.access[0] / 1e3 * worse;
        let mut add = |key: &str, value: Option<f64>, unit: &str, statistic: &str| {
            let mut figure = figure(&format!("{name}.{key}"), value, unit);
            figure.statistic = statistic.to_owned();
            figure.n = 2_000;
            figure.phases = vec![phase_name.to_owned()];
            result.figures.push(in_state(drive, figure));
        };
        add("median", Some(base_ms), "ms", "p50");
        add("p99", Some(base_ms * 1.8), "ms", "p99");
        add("p99.9", Some(base_ms * 2.6), "ms", "p99.9");
        add("worst", Some(drive.worst * worse), "ms", "max");
        let stutters = if drive.worst * worse >= 100.0 {
            18.0
        } else {
            0.0
        };
        add(
            "stutters",
            Some(stutters),
            "per min",
            "responses of 100 ms or more",
        );
        if name == "loaded" {
            let load =
                (drive.kind == "real" || drive.worst < 100.0).then_some(drive.queued[0] / 9.0);
            add("load", load, "IOPS", "mean");
        }
        result
            .charts
            .push(latency_chart(drive, name, base_ms, drive.worst * worse));
        let mut response = response_chart(drive, &format!("{name}.response"), 2_000.0);
        response.curves.truncate(1);
        result.charts.push(response);
        let span = Span::first(Bytes::mib(256));
        let job = Job::closed("watch", Op::Read, Order::Random, span, Bytes::kib(4), 1);
        let stop = for_time(Duration::from_secs(10));
        result
            .phases
            .push(phase(phase_name, job, stop, base_ms * 1e3));
    }
    if drive.kind == "real" {
        health::watched(&mut result);
    }
    result
}
