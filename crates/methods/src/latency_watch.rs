//! Latency watch: one small I/O every few milliseconds, idle and under load.
//!
//! **What it measures.** Stutter: the worst responses of a lightly loaded drive, and how often they occur. This, not
//! the mean, is what users notice.
//!
//! **Who published it.** DriveLatencyChecker and the response time column of Windows' resource monitor, with which
//! Japanese reviewers investigated petit-freeze (プチフリ) from 2008 on.
//!
//! **Protocol.** A read (or write) of 4 KiB at a random position every 5 ms, one at a time: if the previous one has not
//! completed when the next is due, the interval restarts at its completion. So no response includes the watch's own
//! queueing. A stall of a second counts in all two hundred I/Os due during it: the I/O in flight took the second, the
//! others are included in the percentiles with the time that they would have waited. First alone, then under a
//! background load: mixed random reads and writes of 4 KiB, or the load that is set; last, if the target is writable,
//! small writes alone, on the area that the load has used: the stutter of the first consumer SSDs occurred on writes. A
//! stutter is an I/O that took 100 ms or more. A stall is a period of 100 ms or more in which no I/O of the watch
//! completed although one was outstanding.
//!
//! A watch must not be a load: two hundred I/Os per second are more than a disk can serve. So a few I/Os are timed
//! first, one after another, and the watch runs at a third of the drive's rate if that is less often than every 5 ms.
//!
//! **What it cannot tell.** How a drive serves a program that sends the next I/O before the previous one completes:
//! that is `fixed-rate`. If one I/O of many is held up while others complete, the watch stalls, since it has no other.
//! Rare events need a long watch: the shortened one says little about a stall that happens once an hour.

use base::record::STALL;
use base::{
    Argument, Better, Bytes, Card, Duration, Figure, Fill, Forecast, Group, Info, Job, JobRecord,
    Message, MethodOutput, Op, Order, Pacing, PhaseRecord, Setting, Settings, Span, Stop, Stopped,
    Takes, Workload,
};

use crate::areas::{forecast, prepared};
use crate::chart::{latency_over_time, percentiles, responses};
use crate::figures::{Of, Origin, count_from, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{extent, micros, millis, part, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Time between the watch's I/Os.
pub(crate) const EVERY: Setting = Setting::time(
    "every",
    "minimum interval between I/Os; longer if the drive takes more than a third of it for one",
    micros(100)..=seconds(10),
    ["5ms"; 3],
);

/// A watch, and the pace measurement before it; for writes, the watch has one I/O per interval.
fn watched(op: Op, settings: &Settings) -> Takes {
    let (time, pace) = (settings.time("time"), pace_time(settings));
    match op {
        Op::Write => {
            let asked = time.as_nanos() / settings.time("every").as_nanos().max(1) + 1;
            Takes::reading_for(time)
                .and(Takes::timed(pace))
                .and_moving(Bytes::kib(4) * asked)
        }
        _ => Takes::reading_for(time + pace),
    }
}

/// What the watching I/O does.
pub(crate) const OP: Setting = Setting::choice(
    "op",
    "what the watching I/O does",
    &["read", "write"],
    ["read"; 3],
);

/// Queue depth of the background load.
pub(crate) const LOAD_DEPTH: Setting =
    Setting::count("load-depth", "queue depth of the load", 1..=1_024, ["4"; 3]);

/// What counts as a stutter.
pub(crate) const STUTTER: Setting = Setting::time(
    "stutter",
    "a response of this or more is a stutter",
    micros(1)..=seconds(3_600),
    ["100ms"; 3],
);

static CARD: Card = Card {
    id: "latency-watch",
    title: "Latency watch",
    publisher: "after DriveLatencyChecker and the resource monitor's response time",
    summary: "A small I/O every few milliseconds, idle and under a background load: the worst responses, and how often the drive stutters.",
    version: 3,
    group: Group::Response,
    short: "Stutter: small probe I/Os, idle and under load",
    shortest: &["size=8MiB", "time=100ms"],
    #[rustfmt::skip]
    settings: &[
        Setting::time("time", "length of each watch", millis(100)..=seconds(86_400), ["500ms", "10s", "5min"]),
        EVERY,
        part("size", "part of the target that is watched; written first if the target is writable", ["64MiB", "256MiB", "1GiB"]),
        OP,
        Setting::choice("load", "background load of the second watch: as-allowed is mixed if the target is writable, else reads; random 4 KiB, or sequential 128 KiB", LOADS, ["as-allowed"; 3]),
        LOAD_DEPTH,
        STUTTER,
    ],
    ..Card::PLAIN
};

/// The loads' names.
pub(crate) const LOADS: &[&str] = &[
    "as-allowed",
    "mixed",
    "reads",
    "writes",
    "sequential-reads",
    "sequential-writes",
    "none",
];

/// The background load of a watch.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    /// Percentage of reads.
    reads: u8,
    order: Order,
    size: Bytes,
}

/// The load selected by the settings, if any.
pub(crate) fn load_of(settings: &Settings, on: &Info) -> Option<Load> {
    let random = |reads| {
        Some(Load {
            reads,
            order: Order::Random,
            size: Bytes::kib(4),
        })
    };
    let in_order = |reads| {
        Some(Load {
            reads,
            order: Order::Sequential,
            size: Bytes::kib(128),
        })
    };
    match settings.text("load") {
        "mixed" => random(50),
        "reads" => random(100),
        "writes" => random(0),
        "sequential-reads" => in_order(100),
        "sequential-writes" => in_order(0),
        "none" => None,
        _ if on.writable => random(50),
        _ => random(100),
    }
}

fn writes(settings: &Settings, on: &Info) -> bool {
    on.writable
        || settings.text("op") == "write"
        || load_of(settings, on).is_some_and(|load| load.reads < 100)
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let area = extent(settings, "size", on);
    let time = settings.time("time");
    let mut takes = watched(op_of(settings), settings);
    if let Some(load) = load_of(settings, on) {
        takes = takes.and(Takes::mixed_for(time, u64::from(load.reads)));
    }
    if watches_writes(settings, on) {
        takes = takes.and(watched(Op::Write, settings));
    }
    let takes = takes.and_moving(prepared(area, on.writable));
    forecast(area, writes(settings, on), takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("size");
    if run.on.writable {
        run.write_at_depth(1, "prepare", span, Fill::FRESH)?;
    }
    let op = op_of(settings);
    let every = pace("pace", op, span, run)?;
    let alone = workload(span, settings, op, every, None);
    let record = run.bench.phase("alone", &alone)?;
    add_figures("alone", record, settings, &mut run.output);
    if let Some(load) = load_of(settings, &run.on) {
        let beside = workload(span, settings, op, every, Some(load));
        let record = run.bench.phase("beside a load", &beside)?;
        add_figures("loaded", record, settings, &mut run.output);
    }
    if watches_writes(settings, &run.on) {
        let name = "pace of writes";
        let every = pace(name, Op::Write, span, run)?;
        let writing = workload(span, settings, Op::Write, every, None);
        let record = run.bench.phase("writing", &writing)?;
        add_figures("writing", record, settings, &mut run.output);
    }
    Ok(())
}

/// What the watching I/O does.
pub(crate) fn op_of(settings: &Settings) -> Op {
    match settings.text("op") {
        "write" => Op::Write,
        _ => Op::Read,
    }
}

/// Whether small writes are also watched: if allowed, and not watched anyway.
fn watches_writes(settings: &Settings, on: &Info) -> bool {
    on.writable && op_of(settings) == Op::Read && settings.text("load") == "as-allowed"
}

/// Duration of the measurement of the watch's interval.
const PACE: Duration = Duration::from_millis(500);
/// The share of the drive's time that the watch may use, as a divisor.
const SHARE: u64 = 3;

fn pace_time(settings: &Settings) -> Duration {
    PACE.min(settings.time("time"))
}

/// The watch's interval: as set, or longer if the drive takes long for one I/O.
fn pace(name: &str, op: Op, span: Span, run: &mut Run<'_>) -> Result<Duration, Stopped> {
    let settings = run.settings;
    let job = Job::closed("pace", op, Order::Random, span, Bytes::kib(4), 1);
    let stop = Stop::after_time(pace_time(settings));
    let work = Workload::single(job, stop, settings.seed);
    let record = run.bench.phase(name, &work)?;
    let one = Duration::from_nanos(record.took.as_nanos() / record.ios().max(1));
    let every = settings.time("every");
    let slow = Duration::from_millis(one.saturating_mul(SHARE).as_nanos().div_ceil(1_000_000));
    if slow <= every {
        return Ok(every);
    }
    run.output.notes.push(Message::new(
        "note-slower-watch",
        [
            ("access", Argument::Phase(op.name().to_owned())),
            ("took", one.into()),
            ("every", slow.into()),
            ("wanted", every.into()),
        ],
    ));
    Ok(slow)
}

/// The watching job, and the background load.
pub(crate) fn workload(
    span: Span,
    settings: &Settings,
    op: Op,
    every: Duration,
    load: Option<Load>,
) -> Workload {
    let mut watch = Job::closed("watch", op, Order::Random, span, Bytes::kib(4), 1);
    watch.pacing = Pacing::Paced { every };
    let stop = Stop::after_time(settings.time("time"));
    let mut work = Workload::single(watch, stop, settings.seed);
    let point = Duration::from_nanos(settings.time("time").as_nanos() / 400);
    work.keep.series = point.max(Duration::from_millis(10));
    if let Some(Load { reads, order, size }) = load {
        let depth = settings.count("load-depth") as u32;
        let mut load = Job::closed("load", Op::Read, order, span, size.min(span.len), depth);
        load.accesses[0].read_percent = reads;
        work.jobs.push(load);
    }
    work
}

/// The figures and charts of one watch.
pub(crate) fn add_figures(
    prefix: &str,
    record: &PhaseRecord,
    settings: &Settings,
    into: &mut MethodOutput,
) {
    let watch = record.job();
    let op = if watch.ops[Op::Write as usize].ios > 0 {
        Op::Write
    } else {
        op_of(settings)
    };
    let felt = watch.ops[op as usize].felt();
    let origin = Origin::of(record);
    let key = |what: &str| format!("{prefix}.{what}");
    let limit = settings.time("stutter");
    let minutes = record.took.as_secs_f64() / 60.0;
    let asked = &watch.ops[op as usize].service;
    let a_minute = Some(count_from(asked, limit) as f64 / minutes);
    let rate = origin.figure(&key("stutters"), "per min", Better::Lower);
    let slow = Message::new("made-slow-responses", [("limit", limit.into())]);
    into.figures.extend([
        origin.latency(&key("median"), "ms", Of::Percentile(50.0), felt),
        origin.latency(&key("p99"), "ms", Of::Percentile(99.0), felt),
        origin.latency(&key("p99.9"), "ms", Of::Percentile(99.9), felt),
        origin.latency(&key("worst"), "ms", Of::Max, felt),
        valued(rate, a_minute, slow, felt.count()),
    ]);
    into.figures.extend(stalls(prefix, watch, &origin));
    into.notes.extend(pace_missed(record, watch, asked.count()));
    let load = record.jobs.get(1);
    let load = load.map(|load| load_rate(&key("load"), record, load, &origin));
    into.figures.extend(load);
    into.charts.extend([
        latency_over_time(&key("latency"), &[("watch", watch)]),
        responses(&key("response"), &[(op.name(), felt)]),
        percentiles(&key("percentiles"), op.name(), felt),
    ]);
}

/// The message if the drive was often slower than the interval: one in ten of the I/Os due was not sent.
fn pace_missed(record: &PhaseRecord, watch: &JobRecord, asked: u64) -> Option<Message> {
    let pacing = record.workload.jobs.first().map(|job| job.pacing);
    let Some(Pacing::Paced { every }) = pacing else {
        return None;
    };
    let out_for = watch.stalls.total;
    let due = record.took.saturating_sub(out_for).as_nanos() / every.as_nanos().max(1);
    (asked * 10 < due * 9).then(|| {
        Message::new(
            "note-pace-missed",
            [
                ("phase", Argument::Phase(record.name.clone())),
                ("every", every.into()),
                ("asked", asked.into()),
                ("due", Argument::text(due)),
            ],
        )
    })
}

/// How often the watch stood still, and for how long at most: nothing stood where it never did.
fn stalls(prefix: &str, watch: &JobRecord, origin: &Origin) -> [Figure; 2] {
    let accesses: u64 = watch.ops.iter().map(|op| op.ios).sum();
    let stalls = &watch.stalls;
    let of = |what: &str, unit, value: f64, statistic: Message| {
        let key = format!("{prefix}.{what}");
        let figure = origin.figure(&key, unit, Better::Lower);
        valued(figure, (accesses > 0).then_some(value), statistic, accesses)
    };
    let counted = Message::new("made-stalls", [("limit", STALL.into())]);
    let (longest, made) = (
        stalls.longest.as_millis_f64(),
        Message::of("made-longest-stall"),
    );
    [
        of("stalls", "count", stalls.count as f64, counted),
        of("longest-stall", "ms", longest, made),
    ]
}

fn load_rate(key: &str, record: &PhaseRecord, load: &JobRecord, origin: &Origin) -> Figure {
    let seconds = record.took.as_secs_f64();
    let rate = (seconds > 0.0).then(|| load.ios() as f64 / seconds);
    let figure = origin.figure(key, "IOPS", Better::Higher);
    valued(figure, rate, Message::of("made-load"), load.ios())
}
