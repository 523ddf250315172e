//! Commit: small durable writes.
//!
//! **What it measures.** How many 4 KiB writes per second become durable, and with which latency: what a database waits
//! for when it commits a transaction, with 1 to 16 writers; and how much of it is the flush.
//!
//! **Who published it.** The databases' own tools and similar ones: PostgreSQL's `pg_test_fsync`, fio with
//! `fdatasync=1`. This is neither, but it answers the same question.
//!
//! **Protocol.** The area is written once sequentially. Then, with 1, 2, 4, 8 and 16 writers, each in its own part and
//! sequentially like a log (or at random, with `order=random`), three variants for a fixed time each. *flushed*: a
//! write of 4 KiB, then a flush (`fdatasync`, or the drive's own command), and the next write when the flush completes.
//! A commit's latency is measured from submission of the write to completion of the flush. *durable*: each write
//! completes only when it is on stable storage (`RWF_DSYNC`; a write with FUA if the drive has it), without a flush.
//! *unflushed*: the same writes alone, which a drive may acknowledge from a volatile cache.
//!
//! **What it cannot tell.** Whether the drive has FUA: without it, the kernel sends a flush after each durable write,
//! and *durable* is *flushed* with one system call less. A drive that reports no volatile cache, as most with
//! capacitors do, is sent neither, so that all three are the same. A real target opened with `TARGET?sync=yes` makes every write
//! synchronous (`O_SYNC`), so that the three are the same. Databases combine the commits of many writers into one
//! flush; here each writer sends its own. Whether a drive keeps what it has acknowledged is another question: see
//! `verify` and its power cuts.

use base::chart::designs;
use base::{
    Better, Bytes, Card, Chart, Curve, Figure, Forecast, Group, Info, Job, Latencies, Needs, Op,
    Order, PhaseRecord, Setting, Settings, Span, Stop, Stopped, Takes, Workload, splitmix64,
};

use crate::areas::{access, forecast, prepared};
use crate::chart::responses;
use crate::figures::{Of, Origin, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{EXTENT, PREPARE, extent, millis, prepares, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "commit",
    title: "Commit",
    publisher: "drivelab; after pg_test_fsync and fio with fdatasync=1",
    summary: "Writes of 4 KiB, each made durable by a flush before the next, from 1 to 16 writers: commits per second and their latencies, compared with durable writes (FUA), and with the same writes without either.",
    version: 2,
    group: Group::Response,
    short: "4 KiB writes with flush, 1 to 16 writers",
    needs: &[Needs::Writing],
    shortest: &["extent=4MiB", "time=20ms", "most-writers=2"],
    #[rustfmt::skip]
    settings: &[
        EXTENT.with_values(["16MiB", "256MiB", "1GiB"]),
        PREPARE,
        Setting::size("size", "bytes per write", Bytes::SECTOR..=Bytes::mib(1), ["4KiB"; 3]),
        Setting::choice("order", "order of each writer's writes: sequential in its part of the area, like a log, or random", &["log", "random"], ["log"; 3]),
        Setting::count("most-writers", "1, 2, 4 ... writers up to this", 1..=16, ["4", "16", "16"]),
        Setting::time("time", "length of each run", millis(1)..=seconds(86_400), ["20ms", "2s", "30s"]),
    ],
    ..Card::PLAIN
};

/// What makes each write durable, if anything does.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// A flush after it.
    Flushed,
    /// Its own flag.
    Durable,
    Unflushed,
}

const WAYS: [Way; 3] = [Way::Flushed, Way::Durable, Way::Unflushed];

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Flushed => "flushed",
            Way::Durable => "durable",
            Way::Unflushed => "unflushed",
        }
    }

    /// How many commits there were, and how long each took.
    fn commits(self, record: &PhaseRecord) -> (u64, Latencies) {
        match self {
            Way::Flushed => {
                let flushes = record.of(Op::Flush);
                (flushes.ios, flushes.response)
            }
            Way::Durable | Way::Unflushed => {
                let writes = record.of(Op::Write);
                (writes.ios, writes.service)
            }
        }
    }
}

/// Bytes of a write here.
fn size(settings: &Settings, span: Bytes, on: &Info) -> Bytes {
    access(settings.size("size"), on).min(span)
}

/// 1, 2, 4 ... up to the requested number of writers, limited by the target's queue and by the room for a write each.
fn writers(settings: &Settings, on: &Info) -> Vec<u32> {
    let span = extent(settings, EXTENT.key, on);
    let places = span.get() / size(settings, span, on).get().max(1);
    let most = settings
        .count("most-writers")
        .min(u64::from(on.max_in_flight))
        .min(places);
    let doubled = (0..5).map(|power| 1_u32 << power);
    doubled.take_while(|n| u64::from(*n) <= most).collect()
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let span = extent(settings, EXTENT.key, on);
    if !on.writable {
        return forecast(span, false, Takes::default());
    }
    let steps = WAYS.len() as u64 * writers(settings, on).len() as u64;
    let takes = Takes::timed(settings.time("time").saturating_mul(steps))
        .and_moving(prepared(span, prepares(settings, on)));
    forecast(span, true, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("flushed.writers1.rate", "IOPS", Better::Higher);
    }
    let span = run.extent(EXTENT.key);
    run.prepare(span)?;
    run.tell_grown(&[settings.size("size")]);
    for way in WAYS {
        let mut steps = Vec::new();
        for writers in writers(settings, &run.on) {
            let work = workload(way, span, writers, settings, &run.on);
            let name = format!("{}.writers{writers}", way.name());
            let record = run.bench.phase(&name, &work)?;
            run.output.figures.extend(figures(way, record));
            steps.push(Step::of(way, record));
        }
        let distributions: Vec<(&str, &Latencies)> = steps
            .iter()
            .map(|step| (step.name.as_str(), &step.latencies))
            .collect();
        run.output.charts.push(load(way, &steps));
        run.output.charts.push(responses(
            &format!("{}.response", way.name()),
            &distributions,
        ));
    }
    Ok(())
}

fn workload(way: Way, span: Span, writers: u32, settings: &Settings, on: &Info) -> Workload {
    let order = match settings.text("order") {
        "random" => Order::Random,
        _ => Order::Sequential,
    };
    let size = size(settings, span.len, on);
    let mut job = Job::closed("commit", Op::Write, order, span, size, 1);
    job.streams = writers;
    job.flush_every = (way == Way::Flushed).then_some(1);
    job.durable = way == Way::Durable;
    let stop = Stop::after_time(settings.time("time"));
    Workload::single(job, stop, splitmix64(settings.seed ^ u64::from(writers)))
}

/// One number of writers.
struct Step {
    name: String,
    rate: Option<f64>,
    latencies: Latencies,
}

impl Step {
    fn of(way: Way, record: &PhaseRecord) -> Step {
        let (commits, latencies) = way.commits(record);
        let seconds = record.took.as_secs_f64();
        Step {
            name: record.name.clone(),
            rate: (commits > 0 && seconds > 0.0).then(|| commits as f64 / seconds),
            latencies,
        }
    }
}

/// The rate and the latencies of a step; where it flushes, how long a flush takes by itself.
fn figures(way: Way, record: &PhaseRecord) -> Vec<Figure> {
    let Step {
        name,
        rate,
        latencies,
    } = Step::of(way, record);
    let origin = Origin::of(record);
    let key = |what: &str| format!("{name}.{what}");
    let start = origin.figure(&key("rate"), "IOPS", Better::Higher);
    let mut figures = vec![valued(start, rate, "mean", latencies.count())];
    let of = |what: &str, of: Of, all: &Latencies| origin.latency(&key(what), "us", of, all);
    for (what, statistic) in [
        ("mean", Of::Mean),
        ("p50", Of::Percentile(50.0)),
        ("p99", Of::Percentile(99.0)),
        ("p99.9", Of::Percentile(99.9)),
        ("worst", Of::Max),
    ] {
        figures.push(of(what, statistic, &latencies));
    }
    if way == Way::Flushed {
        let flushes = record.of(Op::Flush).service;
        figures.push(of("flush.p50", Of::Percentile(50.0), &flushes));
    }
    figures
}

/// Latencies against the rate, by rising rate.
fn load(way: Way, steps: &[Step]) -> Chart {
    let mut by_rate: Vec<(f64, &Latencies)> = steps
        .iter()
        .filter_map(|step| Some((step.rate?, &step.latencies)))
        .collect();
    by_rate.sort_by(|a, b| a.0.total_cmp(&b.0));
    let curve = |name: &str, percent: f64| {
        let points = by_rate.iter().map(|(rate, all)| {
            let time = all.percentile(percent);
            (*rate, time.map(|time| time.as_millis_f64()))
        });
        Curve::through(name, points)
    };
    Chart::new(
        format!("{}.load", way.name()),
        designs::LOAD,
        vec![
            curve("p50", 50.0),
            curve("p99", 99.0),
            curve("worst", 100.0),
        ],
    )
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::timed_double::Timed;
    use crate::tests::{drive, output_of, settings, value};
    use base::io::Op;
    use base::method::Scale;
    use base::time::Duration;

    #[test]
    fn a_commit_takes_as_long_as_its_write_and_its_flush() {
        // A write takes 50 us, 450 us where it is durable, and a flush 950 us, any number at a time.
        let mut bench = BenchDouble::new(Timed::new(|io, _| match io.op {
            Op::Flush => Duration::from_micros(950),
            _ if io.durable => Duration::from_micros(450),
            _ => Duration::from_micros(50),
        }));
        let settings = settings("commit", Scale::Quick, &["time=1100ms"]);
        let output = output_of("commit", &settings, &mut bench);
        for writers in [1.0, 2.0, 4.0] {
            let of =
                |way: &str, what: &str| value(&output, &format!("{way}.writers{writers}.{what}"));
            assert!((of("flushed", "rate") / (1_000.0 * writers) - 1.0).abs() < 0.01);
            assert!((of("durable", "rate") / (1e6 / 450.0 * writers) - 1.0).abs() < 0.01);
            assert!((of("unflushed", "rate") / (20_000.0 * writers) - 1.0).abs() < 0.01);
            for what in ["mean", "p50", "p99", "p99.9", "worst"] {
                assert!((of("flushed", what) / 1_000.0 - 1.0).abs() < 0.01, "{what}");
                assert!((of("durable", what) / 450.0 - 1.0).abs() < 0.01, "{what}");
                assert!((of("unflushed", what) / 50.0 - 1.0).abs() < 0.01, "{what}");
            }
            assert!((of("flushed", "flush.p50") / 950.0 - 1.0).abs() < 0.01);
        }
        assert!(output.figures.iter().all(|f| !f.key.contains("writers8")));
    }

    #[test]
    fn where_flushes_wait_for_each_other_more_writers_commit_no_more() {
        // One I/O at a time, 100 us each: a write and a flush take 200 us of the drive.
        let settings = settings("commit", Scale::Quick, &["time=100ms", "order=random"]);
        let output = output_of("commit", &settings, &mut BenchDouble::new(drive()));
        for writers in [1.0, 2.0, 4.0] {
            let rate = value(&output, &format!("flushed.writers{writers}.rate"));
            let mean = value(&output, &format!("flushed.writers{writers}.mean"));
            assert!((rate / 5_000.0 - 1.0).abs() < 0.01, "{rate}");
            // Little's law.
            assert!((rate * mean / 1e6 / writers - 1.0).abs() < 0.02, "{mean}");
        }
    }

    #[test]
    fn each_write_of_a_log_goes_on_in_its_writers_part() {
        let given = ["extent=4MiB", "most-writers=4", "time=1ms"];
        let settings = settings("commit", Scale::Quick, &given);
        let mut bench = BenchDouble::new(drive());
        output_of("commit", &settings, &mut bench);
        let phase = bench
            .phases
            .iter()
            .find(|p| p.name == "flushed.writers4")
            .unwrap();
        let job = &phase.workload.jobs[0];
        assert_eq!((job.streams, job.flush_every, job.depth()), (4, Some(1), 4));
        let writes = phase
            .job()
            .worst
            .ios()
            .iter()
            .filter(|io| io.op == Op::Write);
        let mut parts: Vec<u64> = writes.map(|io| io.offset.get() >> 20).collect();
        parts.sort_unstable();
        parts.dedup();
        assert_eq!(parts, [0, 1, 2, 3]);
    }
}
