//! AS SSD Benchmark.
//!
//! **What it measures.** Sequential rate, random 4 KiB at queue depth 1 and with 64 threads, access time, and three
//! scores computed from these.
//!
//! **Who published it.** Alex Intelligent Software, AS SSD Benchmark 1.6 to 2.0; its workings are taken from third
//! parties' pages, not from its source.
//!
//! **Protocol.** In 1 GiB of incompressible data: sequential in units of 16 MiB; random 4 KiB at queue depth 1; random
//! 4 KiB by 64 threads, one I/O in flight each. Access time: reads of 4 KiB over the whole drive, writes of 512 bytes
//! in the 1 GiB. What the original prints as MB is 2^20 bytes here (its MB/s and IOPS of a row differ by exactly 16 and
//! 256). Scores: read = 0.1 Seq + 4K + 64Thrd of the reads; the same for writes; total = 0.15 Seq write + 0.1 Seq read
//! + 2 x 4K read + 4K write + 64Thrd write + 1.5 x 64Thrd read.
//!
//! **What it cannot tell.** Anything about queue depths other than 1 and 64. The access time of reads is measured over
//! the whole drive in its current state: where nothing was ever written, a flash drive answers without accessing flash.
//! The 64 threads share the 1 GiB here, while the original gives each its own 16 MB file: the same positions, but drawn
//! by other threads. Its copy and compression tests are `as-ssd-copy` and `as-ssd-compression`.

use base::{
    Better, Bytes, Card, Figure, Fill, Forecast, Group, Info, Job, Latencies, Op, Order, Setting,
    Settings, Span, Stop, Stopped, Workload,
};

use crate::areas::{ONE_PASS, access, forecast, impossible, moved_in, prepared, timed_in};
use crate::chart::responses;
use crate::figures::{Of, Origin, or_why, valued, withheld};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{OPS, RANDOM_TIME, extent, ops_of, part};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "as-ssd",
    title: "AS SSD Benchmark",
    publisher: "Alex Intelligent Software, AS SSD Benchmark 1.6 to 2.0",
    summary: "Sequential, random 4 KiB with 1 and 64 threads, access time, all with incompressible data, and the three scores with their formula.",
    version: 2,
    group: Group::Program,
    short: "Rates, access times and scores, incompressible data",
    shortest: &["size=8MiB", "time=20ms"],
    #[rustfmt::skip]
    settings: &[
        part("size", "size of the test area (the original's 1 GB)", ["64MiB", "512MiB", "1GiB"]),
        RANDOM_TIME,
        Setting::count("accesses", "I/Os for the access time", 1..=1_000_000, ["50", "500", "2000"]),
        OPS,
    ],
    ..Card::PLAIN
};

/// One row of the table: its key, I/O size, order and threads.
const ROWS: [(&str, Bytes, Order, u32); 3] = [
    ("seq", Bytes::mib(16), Order::Sequential, 1),
    ("4k", Bytes::kib(4), Order::Random, 1),
    ("4k-64thrd", Bytes::kib(4), Order::Random, 64),
];

/// MiB/s of one column, in the order of [`ROWS`].
type Column = [Option<f64>; 3];

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let (area, ops) = (extent(settings, "size", on), ops_of(settings, on));
    let timed = ROWS.iter().filter(|row| row.2 != Order::Sequential).count() as u64;
    let accesses = settings.count("accesses");
    let moved = area + access(Bytes::kib(4), on) * accesses;
    let takes = timed_in(&ops, settings.time("time").saturating_mul(timed))
        .and(moved_in(&ops, moved))
        .and_accesses(accesses * ops.len() as u64)
        .and_moving(prepared(area, on.writable));
    let mut forecast = forecast(area, on.writable, takes);
    if ops.contains(&Op::Read) {
        // The access time of reads is taken over the whole drive.
        forecast.extent = on.capacity.round_down(on.block);
        forecast.reads_as_found = true;
    }
    forecast
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let area = run.extent("size");
    if run.on.writable {
        run.write_in_order("prepare", area, Fill::FRESH)?;
    }
    let ops = ops_of(run.settings, &run.on);
    run.tell_grown(&[Bytes::SECTOR]);
    let mut columns: [Column; 2] = Default::default();
    let mut origin = Origin::default();
    for (i, row) in ROWS.iter().enumerate() {
        for op in &ops {
            let (figure, value) = rate(row, *op, area, run)?;
            origin.by = figure.comparable_by.clone();
            run.output.figures.push(figure);
            columns[*op as usize][i] = value;
        }
    }
    let mut distributions = Vec::new();
    for op in &ops {
        let (figure, latencies) = access_time(*op, area, run)?;
        run.output.figures.push(figure);
        distributions.push((op.name(), latencies));
    }
    run.output.figures.extend(scores(&columns, &origin));
    run.output.charts.push(responses("access", &distributions));
    Ok(())
}

fn rate(
    (key, size, order, threads): &(&str, Bytes, Order, u32),
    op: Op,
    area: Span,
    run: &mut Run<'_>,
) -> Result<(Figure, Option<f64>), Stopped> {
    let name = format!("{key}.{}", op.name());
    let no_access = match order {
        Order::Sequential => None,
        _ => impossible(*size, area.len, &run.on),
    };
    if let Some(why) = no_access {
        let figure = Origin::default().figure(&name, "MiB/s", Better::Higher);
        return Ok((withheld(figure, why), None));
    }
    let size = access(*size, &run.on).min(area.len);
    let mut job = Job::closed(key, op, *order, area, size, 1);
    job.streams = *threads;
    let stop = match order {
        Order::Sequential => ONE_PASS,
        _ => Stop::after_time(run.settings.time("time")),
    };
    let salt = u64::from(*threads) << 8 | op as u64;
    let work = Workload::single(job, stop, base::rng::splitmix64(run.settings.seed ^ salt));
    let phase = format!("{key} {}", op.name());
    let record = run.bench.phase(&phase, &work)?;
    let value = record.rate().map(|r| r.mib_s());
    let figure = Origin::of(record).figure(&name, "MiB/s", Better::Higher);
    Ok((valued(figure, value, "mean", record.ios()), value))
}

/// Reads of 4 KiB over the whole drive, or writes of one sector in the area.
fn access_time(op: Op, area: Span, run: &mut Run<'_>) -> Result<(Figure, Latencies), Stopped> {
    let (span, size) = match op {
        Op::Read => (
            Span::first(run.on.capacity.round_down(run.on.block)),
            access(Bytes::kib(4), &run.on),
        ),
        _ => (area, run.on.block),
    };
    let job = Job::closed("access", op, Order::Random, span, size.min(span.len), 1);
    let stop = Stop::after_ios(run.settings.count("accesses"));
    let work = Workload::single(job, stop, run.settings.seed);
    let name = format!("access time {}", op.name());
    let record = run.bench.phase(&name, &work)?;
    let latencies = record.of(op).service;
    let mut origin = Origin::of(record);
    if op == Op::Read {
        origin.is_of_the_whole(run.bench.whole());
    }
    let key = format!("access.{}", op.name());
    let figure = origin.latency(&key, "ms", Of::Mean, &latencies);
    Ok((figure, latencies))
}

fn scores([read, write]: &[Column; 2], origin: &Origin) -> Vec<Figure> {
    let weighed = |parts: &[(f64, Option<f64>)]| {
        parts
            .iter()
            .try_fold(0.0, |sum, (weight, value)| Some(sum + weight * (*value)?))
    };

    let score = |key: &str, formula: &str, value: Option<f64>| {
        let figure = origin.figure(key, "points", Better::Higher);
        or_why(valued(figure, value, formula, 1), "why-part-not-measured")
    };
    let side = |column: &Column| weighed(&[(0.1, column[0]), (1.0, column[1]), (1.0, column[2])]);
    let total = weighed(&[
        (0.15, write[0]),
        (0.1, read[0]),
        (2.0, read[1]),
        (1.0, write[1]),
        (1.0, write[2]),
        (1.5, read[2]),
    ]);
    vec![
        score("score.read", "0.1 Seq + 4K + 64Thrd", side(read)),
        score("score.write", "0.1 Seq + 4K + 64Thrd", side(write)),
        score(
            "score.total",
            "0.15 SeqW + 0.1 SeqR + 2 x 4KR + 4KW + 64W + 1.5 x 64R",
            total,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn the_scores_are_made_of_the_rows_as_the_formula_says() {
        let settings = settings("as-ssd", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("as-ssd", &settings, &mut bench);
        let of = |key: &str| value(&output, key);
        // 16 MiB, and 4 KiB, each 100 us.
        assert!((of("seq.read") - 160_000.0).abs() < 1.0);
        assert!((of("4k.write") - 39.06).abs() < 0.05);
        assert!((of("access.write") - 0.1).abs() < 1e-3);
        let score = 0.1 * of("seq.write") + of("4k.write") + of("4k-64thrd.write");
        assert!((of("score.write") - score).abs() < 1e-9);
        let total = 0.15 * of("seq.write")
            + 0.1 * of("seq.read")
            + 2.0 * of("4k.read")
            + of("4k.write")
            + of("4k-64thrd.write")
            + 1.5 * of("4k-64thrd.read");
        assert!((of("score.total") - total).abs() < 1e-9);
    }
}
