//! Datasheet: the figures that SSD makers specify.
//!
//! **What it measures.** Sequential reads and writes of 128 KiB, and random reads and writes of 4 KiB at queue depth 1
//! and 32, over a small part of an otherwise empty drive.
//!
//! **Who published it.** The makers, in the footnotes of their data sheets (Samsung: Iometer, sequential 128 KiB at
//! queue depth 32, random 4 KiB over 8 GB, as a secondary drive, write cache enabled).
//!
//! **Protocol.** The span is written once sequentially, optionally followed by idle time (`rest`) in which the drive
//! can empty a fast buffer; then one run per figure: sequential read and write at queue depth 32, random reads at queue
//! depth 1 and 32, random writes at 1 and 32. Runs are not repeated; after each write run a flush, which is not
//! counted, empties the drive's cache. MB/s are 10^6 bytes per second.
//!
//! **What it cannot tell.** The performance of a drive in use: the span fits into any cache. At queue depth 1 the
//! computer's own time is a large part of each I/O, and makers use their own desktop computers: behind a faster host a
//! drive exceeds its data sheet ("up to"), as some modelled drives do behind the default host.

use base::{
    Better, Bytes, Card, Figure, Forecast, Group, Info, Job, Latencies, Message, Op, Order,
    PhaseRecord, Setting, Settings, Span, Stop, Stopped, Workload,
};

use crate::areas::{forecast, impossible, prepared, timed_in};
use crate::chart::responses;
use crate::figures::{Of, Origin, valued, withheld};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{DATA, OPS, SPAN, extent, fill_of, millis, ops_of, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

struct Row {
    key: &'static str,
    order: Order,
    size: Bytes,
    depth: u32,
}

const ROWS: [Row; 3] = [
    row("seq128k-qd32", Order::Sequential, Bytes::kib(128), 32),
    row("rnd4k-qd1", Order::Random, Bytes::kib(4), 1),
    row("rnd4k-qd32", Order::Random, Bytes::kib(4), 32),
];

const fn row(key: &'static str, order: Order, size: Bytes, depth: u32) -> Row {
    Row {
        key,
        order,
        size,
        depth,
    }
}

static CARD: Card = Card {
    id: "datasheet",
    title: "Datasheet figures",
    publisher: "the makers of SSDs, in the footnotes of their data sheets",
    summary: "Sequential 128 KiB and random 4 KiB reads and writes at queue depth 1 and 32 over a few GB, as makers specify them.",
    version: 3,
    group: Group::Standard,
    short: "The figures that makers specify",
    shortest: &["span=8MiB", "time=20ms"],
    #[rustfmt::skip]
    settings: &[
        SPAN.with_values(["64MiB", "1GiB", "8GB"]),
        Setting::time("time", "length of a run", millis(10)..=seconds(3_600), ["50ms", "1s", "10s"]),
        Setting::time("rest", "idle time after the span is written", seconds(0)..=seconds(86_400), ["0"; 3]),
        DATA,
        OPS,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let (rows, ops) = (ROWS.len() as u64, ops_of(settings, on));
    let span = extent(settings, "span", on);
    let mut takes = timed_in(&ops, settings.time("time").saturating_mul(rows))
        .and_accesses(rows * ops.len() as u64)
        .and_moving(prepared(span, on.writable));
    if on.writable {
        takes = takes.and_idle(settings.time("rest"));
    }
    forecast(span, on.writable, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("span");
    if run.on.writable {
        run.write_in_order("prepare", span, fill_of(settings))?;
        let rest = settings.time("rest");
        if !rest.is_zero() {
            run.bench.idle("rest", rest)?;
        }
    }
    let mut distributions: Vec<(String, Latencies)> = Vec::new();
    let (first, rest) = ROWS.split_at(1);
    for rows in [first, rest] {
        for op in ops_of(settings, &run.on) {
            for row in rows {
                if let Some(why) = impossible(row.size, span.len, &run.on) {
                    run.output.figures.extend(row.missing(op, &why));
                    continue;
                }
                let work = row.workload(op, span, settings);
                let name = format!("{} {}", row.key, op.name());
                let record = run.bench.phase(&name, &work)?;
                run.output.figures.extend(row.figures(op, record));
                distributions.push((name.clone(), record.of(op).service));
                if op == Op::Write {
                    run.flush_after(&name)?;
                }
            }
        }
    }
    run.output
        .charts
        .push(responses("response", &distributions));
    Ok(())
}

impl Row {
    fn workload(&self, op: Op, span: Span, settings: &Settings) -> Workload {
        let mut job = Job::closed(self.key, op, self.order, span, self.size, self.depth);
        job.fill = fill_of(settings);
        let stop = Stop::after_time(settings.time("time"));
        let salt = u64::from(self.depth) << 8 | op as u64;
        Workload::single(job, stop, base::rng::splitmix64(settings.seed ^ salt))
    }

    fn unit(&self) -> &'static str {
        match self.order {
            Order::Sequential => "MB/s",
            _ => "IOPS",
        }
    }

    /// The figures of a row whose I/Os cannot be made.
    fn missing(&self, op: Op, why: &Message) -> Vec<Figure> {
        let key = format!("{}.{}", self.key, op.name());
        let none = |key: &str, unit, better| {
            let figure = Origin::default().figure(key, unit, better);
            withheld(figure, why.clone())
        };
        vec![
            none(&key, self.unit(), Better::Higher),
            none(&format!("{key}.p99.9"), "us", Better::Lower),
        ]
    }

    fn figures(&self, op: Op, record: &PhaseRecord) -> Vec<Figure> {
        let origin = Origin::of(record);
        let key = format!("{}.{}", self.key, op.name());
        let of = record.of(op);
        let value = match self.order {
            Order::Sequential => record.rate().map(|r| r.mb_s()),
            _ => record.iops(),
        };
        let rate = origin.figure(&key, self.unit(), Better::Higher);
        let tail = format!("{key}.p99.9");
        vec![
            valued(rate, value, "mean", of.ios),
            origin.latency(&tail, "us", Of::Percentile(99.9), &of.service),
        ]
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::io::Op;
    use base::method::Scale;

    #[test]
    fn sequential_rates_are_in_decimal_megabytes_and_random_ones_in_accesses() {
        let settings = settings("datasheet", Scale::Quick, &["time=200ms"]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("datasheet", &settings, &mut bench);
        assert!((value(&output, "seq128k-qd32.write") - 1_310.72).abs() < 30.0);
        assert!((value(&output, "rnd4k-qd1.read") - 10_000.0).abs() < 50.0);
        assert!((value(&output, "rnd4k-qd32.read.p99.9") - 3_200.0).abs() < 40.0);
        // What is written before, six rows, and a flush after each of the three that write.
        assert_eq!(bench.phases.len(), 10);
        let flushes = bench.phases.iter().filter(|p| p.of(Op::Flush).ios == 1);
        assert_eq!(flushes.count(), 4);
    }
}
