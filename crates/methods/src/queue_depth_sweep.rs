//! Queue-depth sweep: rate against latency, from queue depth 1 to 256.
//!
//! **What it measures.** What a deeper queue gains and costs: IOPS and MB/s against mean, 99th, 99.9th percentile and
//! worst latency, for several sizes; and the smallest depth that reaches nearly the full rate, beyond which I/Os only
//! wait longer.
//!
//! **Who published it.** Every maker of drives and storage systems (the "hockey stick" of latency against load, as
//! drawn by SPC-1 and SNIA's demand intensity test).
//!
//! **Protocol.** The extent is written once sequentially. For each size, reads, then writes, random (or sequential):
//! queue depth 1, 2, 4 ... 256, each for a fixed time, limited by the target's own queue. After each write run a flush,
//! which is not counted, empties the drive's cache, so that no run pays for the previous one. The knee is the smallest
//! depth with at least 95 % of the maximum IOPS. By Little's law the depth is the rate times the mean latency: figures
//! that violate it are wrong.
//!
//! **What it cannot tell.** Latency below saturation: see fixed rate. Writes change the drive from step to step.

use base::{
    Better, Bytes, Card, Chart, Curve, Duration, Figure, Forecast, Group, Info, Job, Latencies,
    Message, Op, Order, PhaseRecord, Rate, Setting, Settings, Span, Stop, Stopped, Workload,
    splitmix64,
};
use std::ops::RangeInclusive;

use base::chart::{Axis, Design, Text, designs};

use crate::areas::{forecast, prepared, timed_in};
use crate::figures::{Of, Origin, key_of, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{EXTENT, OPS, PREPARE, extent, millis, ops_of, prepares, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// The rate at the knee, as a part of the most.
const NEARLY_ALL: f64 = 0.95;
/// The statistics of latencies.
const TOLD: [(&str, Of); 4] = [
    ("mean", Of::Mean),
    ("p99", Of::Percentile(99.0)),
    ("p99.9", Of::Percentile(99.9)),
    ("worst", Of::Max),
];

const ACCESS: RangeInclusive<Bytes> = Bytes::SECTOR..=Bytes::mib(8);

static CARD: Card = Card {
    id: "queue-depth-sweep",
    title: "Queue-depth sweep",
    publisher: "the trade's curve of latency against load",
    summary: "Queue depth 1, 2, 4 ... 256 for several I/O sizes: IOPS and MB/s against mean, p99, p99.9 and worst latency, and the depth at which 95 % of the rate is reached.",
    version: 2,
    group: Group::Response,
    short: "IOPS against latency, queue depth 1 to 256",
    shortest: &["extent=4MiB", "most-depth=4"],
    #[rustfmt::skip]
    settings: &[
        EXTENT,
        PREPARE,
        Setting::size("first", "the smallest I/O size; each next one is four times as large", ACCESS, ["4KiB"; 3]),
        Setting::size("last", "the largest I/O size", ACCESS, ["4KiB", "64KiB", "1MiB"]),
        Setting::choice("order", "order of the I/Os", &["random", "in-order"], ["random"; 3]),
        Setting::count("most-depth", "maximum queue depth", 1..=4_096, ["16", "256", "256"]),
        Setting::time("time", "length of each depth", millis(1)..=seconds(86_400), ["10ms", "500ms", "30s"]),
        OPS,
    ],
    ..Card::PLAIN
};

/// From the first size on, each four times the one before; those that the target's blocks and the
/// extent allow.
fn sizes(settings: &Settings, on: &Info) -> Vec<Bytes> {
    let most = settings.size("last").min(extent(settings, "extent", on));
    let first = settings.size("first").max(on.block);
    std::iter::successors(Some(first), |size| {
        size.get().checked_mul(4).map(Bytes::new)
    })
    .take_while(|size| *size <= most)
    .collect()
}

/// 1, 2, 4 ... up to the requested depth and the target's limit.
fn depths(settings: &Settings, on: &Info) -> Vec<u32> {
    let most = settings
        .count("most-depth")
        .min(u64::from(on.max_in_flight.max(1)));
    (0..32)
        .map(|power| 1_u32 << power)
        .take_while(|depth| u64::from(*depth) <= most)
        .collect()
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let (span, ops) = (extent(settings, "extent", on), ops_of(settings, on));
    let writes = prepares(settings, on) || ops.contains(&Op::Write);
    let steps = (sizes(settings, on).len() * depths(settings, on).len()) as u64;
    let takes = timed_in(&ops, settings.time("time").saturating_mul(steps))
        .and_accesses(steps * ops.len() as u64)
        .and_moving(prepared(span, prepares(settings, on)));
    forecast(span, writes, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("extent");
    let sizes = sizes(settings, &run.on);
    if sizes.is_empty() {
        let why = Message::of("why-no-access-size");
        return run.without_number("most", "IOPS", Better::Higher, why);
    }
    run.prepare(span)?;
    if u64::from(run.on.max_in_flight) < settings.count("most-depth") {
        let accesses = run.on.max_in_flight.into();
        let note = Message::new("note-shallow-target", [("accesses", accesses)]);
        run.output.notes.push(note);
    }
    for size in sizes {
        for op in ops_of(settings, &run.on) {
            sweep(span, size, op, run)?;
        }
    }
    Ok(())
}

/// One depth.
struct Step {
    phase: String,
    depth: u32,
    iops: Option<f64>,
    rate: Option<f64>,
    latencies: Latencies,
}

impl Step {
    fn of(depth: u32, op: Op, record: &PhaseRecord) -> Step {
        Step {
            phase: record.name.clone(),
            depth,
            iops: record.iops().filter(|iops| *iops > 0.0),
            rate: record.rate().map(Rate::mb_s),
            latencies: record.of(op).service,
        }
    }

    fn figures(&self, key: &str, origin: &Origin) -> Vec<Figure> {
        let key = |what: &str| format!("{key}.qd{}.{what}", self.depth);
        let n = self.latencies.count();
        let start = |what: &str, unit: &str| origin.figure(&key(what), unit, Better::Higher);
        let mut figures = vec![
            valued(start("iops", "IOPS"), self.iops, "mean", n),
            valued(start("rate", "MB/s"), self.rate, "mean", n),
        ];
        figures
            .extend(TOLD.map(|(what, of)| origin.latency(&key(what), "us", of, &self.latencies)));
        figures
    }
}

/// Whether what was in flight at the end took longer than the depth was to be run for: then the rate tells how a
/// cache fills and a queue drains, as on disks that take seconds for a deep one.
fn drains(record: &PhaseRecord, settings: &Settings) -> bool {
    record.took > settings.time("time").saturating_mul(2)
}

/// All depths of one size in one direction.
fn sweep(span: Span, size: Bytes, op: Op, run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let (order, kind) = match settings.text("order") {
        "in-order" => (Order::Sequential, "seq"),
        _ => (Order::Random, "rnd"),
    };
    let key = format!("{kind}{}.{}", key_of(size), op.name());
    let mut steps = Vec::new();
    let mut drained_from = None;
    let mut knee_origin = Origin::default();
    for depth in depths(settings, &run.on) {
        let job = Job::closed("access", op, order, span, size, depth);
        let stop = Stop::after_time(settings.time("time"));
        let work = Workload::single(job, stop, splitmix64(settings.seed ^ u64::from(depth)));

        let phase = format!("{key}.qd{depth}");
        let record = run.bench.phase(&phase, &work)?;
        if drains(record, settings) && drained_from.is_none() {
            drained_from = Some(depth);
        }
        let step = Step::of(depth, op, record);
        let origin = Origin::of(record);
        run.output.figures.extend(step.figures(&key, &origin));
        knee_origin.by = origin.by;
        steps.push(step);
        if op == Op::Write {
            run.flush_after(&phase)?;
        }
    }
    if let Some(depth) = drained_from {
        let told = [("accesses", key.as_str().into()), ("depth", depth.into())];
        run.output
            .notes
            .push(Message::new("note-queue-drains", told));
    }
    run.output.figures.extend(knee(&key, &steps, knee_origin));
    run.output.charts.push(by_depth(&key, op, &steps));
    run.output.charts.push(load(&key, &steps));
    Ok(())
}

/// The least depth with nearly all of the rate, and the latency there.
fn knee(key: &str, steps: &[Step], mut origin: Origin) -> Vec<Figure> {
    let most = steps
        .iter()
        .filter_map(|step| step.iops)
        .fold(0.0, f64::max);
    let enough = |step: &&Step| step.iops.is_some_and(|iops| iops >= NEARLY_ALL * most);
    let found = steps.iter().find(enough);
    origin.phases = found.iter().map(|step| step.phase.clone()).collect();
    let n = steps.len() as u64;
    let key = |what: &str| format!("{key}.knee.{what}");
    let depth = origin.figure(&key("depth"), "count", Better::Lower);
    let iops = origin.figure(&key("iops"), "IOPS", Better::Higher);
    let least = found.map(|step| f64::from(step.depth));
    let mut figures = vec![
        valued(depth, least, Message::of("made-least-depth"), n),
        valued(iops, found.and_then(|step| step.iops), "mean", n),
    ];
    let none = Latencies::default();
    let latencies = found.map_or(&none, |step| &step.latencies);
    let told = TOLD.iter().take(2);
    figures.extend(told.map(|(what, of)| origin.latency(&key(what), "us", *of, latencies)));
    figures
}

/// x: I/Os in flight; y: I/Os per second.
const IOPS_BY_DEPTH: Design = Design::overlaid(
    Text::new(
        "I/Os per second by queue depth",
        "キューの深さ別の毎秒の I/O 数",
    ),
    Text::new(
        "One line for each drive: it rises as long as the drive can use a deeper queue.",
        "ドライブごとに 1 本の線。より深いキューを生かせる間は上昇する。",
    ),
    Axis::log2(Text::new("Queue depth", "キューの深さ"), ""),
    Axis::adaptive(designs::IOPS, ""),
);

/// What each depth gives.
fn by_depth(key: &str, op: Op, steps: &[Step]) -> Chart {
    let points = steps.iter().map(|step| (f64::from(step.depth), step.iops));
    let curve = Curve::through(op.name(), points);
    Chart::new(format!("{key}.depths"), IOPS_BY_DEPTH, vec![curve])
}

/// Latencies against the rate, by rising rate.
fn load(key: &str, steps: &[Step]) -> Chart {
    let mut by_rate: Vec<(f64, &Step)> = steps
        .iter()
        .filter_map(|step| Some((step.iops?, step)))
        .collect();
    by_rate.sort_by(|a, b| a.0.total_cmp(&b.0));
    let curve = |name: &str, of: &dyn Fn(&Latencies) -> Option<Duration>| {
        let points = by_rate.iter().map(|(iops, step)| {
            let time = of(&step.latencies);
            (*iops, time.map(|time| time.as_millis_f64()))
        });
        Curve::through(name, points)
    };
    Chart::new(
        format!("{key}.load"),
        designs::LOAD,
        vec![
            curve("mean", &Latencies::mean),
            curve("p99", &|all| all.percentile(99.0)),
            curve("p99.9", &|all| all.percentile(99.9)),
            curve("worst", &|all| (!all.is_empty()).then(|| all.max())),
        ],
    )
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{SERVICE, output_of, settings, value};
    use base::method::Scale;
    use base::null::Null;
    use base::size::Bytes;

    #[test]
    fn the_knee_of_a_drive_that_serves_eight_at_once_is_at_eight() {
        let eight = Null::new(Bytes::gib(4), SERVICE).with_servers(8);
        let given = ["most-depth=256", "time=100ms", "ops=read"];
        let settings = settings("queue-depth-sweep", Scale::Quick, &given);
        let mut bench = BenchDouble::new(eight);
        let output = output_of("queue-depth-sweep", &settings, &mut bench);
        let of = |what: &str| value(&output, &format!("rnd4k.read.{what}"));
        assert!((of("knee.depth") - 8.0).abs() < 1e-9);
        assert!((of("knee.mean") - 100.0).abs() < 1e-9);
        assert!((of("qd1.iops") - 10_000.0).abs() < 1.0);
        assert!((of("qd256.rate") / (80_000.0 * 4_096.0 / 1e6) - 1.0).abs() < 0.01);
        // Little's law.
        for depth in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
            let in_flight = of(&format!("qd{depth}.iops")) * of(&format!("qd{depth}.mean")) / 1e6;
            assert!(
                (in_flight / f64::from(depth) - 1.0).abs() < 0.05,
                "{in_flight}"
            );
        }
        let depths = &output.charts[0].curves[0];
        assert_eq!(
            depths.x,
            [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0]
        );
        assert!((depths.y[3].unwrap() - 80_000.0).abs() < 1e3);
        assert_eq!(output.charts[1].curves.len(), 4);
    }

    #[test]
    fn a_queue_that_takes_longer_to_drain_than_a_depth_is_run_for_is_noted_with_the_depth() {
        let noted = |time: &str| {
            let given = ["most-depth=256", time, "ops=read"];
            let settings = settings("queue-depth-sweep", Scale::Quick, &given);
            let mut bench = BenchDouble::new(Null::new(Bytes::gib(4), SERVICE).with_servers(1));
            let output = output_of("queue-depth-sweep", &settings, &mut bench);
            let notes: Vec<String> = output.notes.iter().map(|note| note.to_string()).collect();
            let found = notes
                .into_iter()
                .find(|note| note.contains("take longer to end"));
            found.map(|note| note.contains("depth of 128 on"))
        };
        // 128 of 100 us each drain in 12.8 ms, 64 in 6.4.
        assert_eq!(noted("time=10ms"), Some(true));
        assert_eq!(noted("time=100ms"), None);
    }

    #[test]
    fn queues_that_the_target_does_not_take_are_left_out_and_said_so() {
        let shallow = Null::new(Bytes::gib(4), SERVICE).with_depth(4);
        let settings = settings("queue-depth-sweep", Scale::Quick, &["ops=read"]);
        let output = output_of(
            "queue-depth-sweep",
            &settings,
            &mut BenchDouble::new(shallow),
        );
        assert!(output.figures.iter().all(|f| !f.key.contains("qd8")));
        assert!(output.notes[0].contains("4 outstanding I/Os"));
    }
}
