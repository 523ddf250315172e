//! HD Tune Pro's file benchmark.
//!
//! **What it measures.** In one file: sequential read and write rates, random 4 KiB at queue depth 1 and deeper, and
//! the rate by I/O size from 0.5 KB to 8192 KB.
//!
//! **Who published it.** EFD Software, HD Tune Pro 5.00; its behaviour is taken from third parties' pages, not from its
//! source.
//!
//! **Protocol.** The file is written sequentially, then read sequentially (here 1 MiB per I/O, queue depth 1). Random 4
//! KiB in the file: queue depth 1, and 32 (configurable in the original). Then for each size from 512 bytes, doubled,
//! up to 8 MiB: the file is written sequentially with I/Os of that size, and read in the same way, each for as many
//! bytes as the setting says. MB/s are 10^6 bytes per second, as in `hd-tune`.
//!
//! **What it cannot tell.** How long the original stays at a size is not known. The drive's caches are enabled, as in
//! the original; sequential writes smaller than the drive's own unit (512 bytes) are coalesced in them, so those
//! figures are the cache's. On a target without a file system the file is the first part of the drive.

use base::chart::designs;
use base::{
    Better, Bytes, Card, Chart, Curve, Figure, Fill, Forecast, Group, Info, Job, Op, Order, Rate,
    Setting, Settings, Span, Stop, Stopped, Workload, splitmix64,
};

use crate::areas::{ONE_PASS, forecast, impossible, in_order, moved_in, prepared, timed_in};
use crate::figures::{Origin, withheld};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{DATA, OPS, RANDOM_TIME, extent, fill_of, ops_of, part};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// From the first size, doubled, to the last.
const SMALLEST: Bytes = Bytes::SECTOR;
const SIZES: u32 = 15;

static CARD: Card = Card {
    id: "hd-tune-file",
    title: "HD Tune Pro: file benchmark",
    publisher: "EFD Software, HD Tune Pro 5.00",
    summary: "In one file: sequential rate, random 4 KiB at queue depth 1 and deeper, and the rate of I/Os from 0.5 KB to 8192 KB.",
    version: 2,
    group: Group::Program,
    short: "One file: sequential, random, and by I/O size",
    shortest: &["size=8MiB", "time=10ms"],
    #[rustfmt::skip]
    settings: &[
        part("size", "size of the file", ["16MiB", "256MiB", "512MiB"]),
        part("each", "bytes written, and read, with each I/O size", ["2MiB", "16MiB", "64MiB"]),
        RANDOM_TIME,
        Setting::count("threads", "queue depth of the deeper random run", 2..=64, ["32"; 3]),
        DATA,
        OPS,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let file = extent(settings, "size", on);
    let each = extent(settings, "each", on).min(file);
    let ops = ops_of(settings, on);
    let makes_the_file = on.writable && !ops.contains(&Op::Write);
    let takes = timed_in(&ops, settings.time("time").saturating_mul(2))
        .and(moved_in(&ops, file + each * u64::from(SIZES)))
        .and_moving(prepared(file, makes_the_file));
    forecast(file, on.writable, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let file = run.extent("size");
    // The original writes before it reads.
    let ops: Vec<Op> = ops_of(settings, &run.on).into_iter().rev().collect();
    if run.on.writable && !ops.contains(&Op::Write) {
        run.write_in_order("make the file", file, Fill::FRESH)?;
    }
    for op in &ops {
        let job = in_order("sequential", *op, file, Bytes::mib(1), 1);
        let figure = measure(job, "sequential", *op, ONE_PASS, run)?.0;
        run.output.figures.push(figure);
    }
    let threads = u32::try_from(settings.count("threads")).unwrap_or(32);
    for (name, depth) in [("rnd4k-single", 1), ("rnd4k-multi", threads)] {
        for op in &ops {
            let size = Bytes::kib(4);
            if let Some(why) = impossible(size, file.len, &run.on) {
                let key = format!("{name}.{}", op.name());
                let figure = Origin::default().figure(&key, "MB/s", Better::Higher);
                run.output.figures.push(withheld(figure, why));
                continue;
            }
            let job = Job::closed(name, *op, Order::Random, file, size, depth);
            let stop = Stop::after_time(settings.time("time"));
            let figure = measure(job, name, *op, stop, run)?.0;
            run.output.figures.push(figure);
        }
    }
    let chart = by_size(&ops, file, run)?;
    run.output.charts.push(chart);
    Ok(())
}

/// Rates against the size of an I/O.
fn by_size(ops: &[Op], file: Span, run: &mut Run<'_>) -> Result<Chart, Stopped> {
    let part = Span::first(extent(run.settings, "each", &run.on).min(file.len));
    let sizes = (0..SIZES).map(|n| Bytes::new(SMALLEST.get() << n));
    let sizes: Vec<Bytes> = sizes
        .filter(|size| *size >= run.on.block && *size <= part.len)
        .collect();
    let mut rates = vec![Vec::new(); ops.len()];
    for size in &sizes {
        for (op, rates) in ops.iter().zip(&mut rates) {
            let job = in_order("size", *op, part, *size, 1);
            let (figure, rate) = measure(job, &key_of(*size), *op, ONE_PASS, run)?;
            run.output.figures.push(figure);
            rates.push(rate);
        }
    }
    let curves = ops.iter().zip(rates).map(|(op, rates)| {
        let sizes = sizes.iter().map(|size| size.get() as f64);
        Curve::through(op.name(), sizes.zip(rates))
    });
    Ok(Chart::new("file.sizes", designs::SIZES, curves.collect()))
}

/// A size in a figure's key, in KB throughout as the original writes it; these I/Os are in order, those of
/// "4K single" are not, which the original leaves to the reader: `seq512b`, `seq8k`, `seq8192k`.
fn key_of(size: Bytes) -> String {
    match size.get() {
        bytes if bytes < 1_024 => format!("seq{bytes}b"),
        bytes => format!("seq{}k", bytes >> 10),
    }
}

fn measure(
    mut job: Job,
    name: &str,
    op: Op,
    stop: Stop,
    run: &mut Run<'_>,
) -> Result<(Figure, Option<f64>), Stopped> {
    job.fill = fill_of(run.settings);
    let key = format!("{name}.{}", op.name());
    let seed = splitmix64(run.settings.seed ^ (u64::from(job.depth()) << 8) ^ op as u64);
    let work = Workload::single(job, stop, seed);
    let record = run.bench.phase(&format!("{name} {}", op.name()), &work)?;
    let figure = Origin::of(record).transfer_rate(&key, record);
    Ok((figure, record.rate().map(Rate::mb_s)))
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn each_size_is_written_and_read_and_drawn() {
        let settings = settings("hd-tune-file", Scale::Quick, &["each=16MiB"]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("hd-tune-file", &settings, &mut bench);
        // An I/O of any size takes 100 us.
        for (key, mb_s) in [
            ("sequential.read", 10_485.76),
            ("rnd4k-single.write", 40.96),
            ("seq512b.write", 5.12),
            ("seq8192k.read", 83_886.08),
        ] {
            let found = value(&output, key);
            assert!((found / mb_s - 1.0).abs() < 0.01, "{key}: {found}");
        }
        let curve = &output.charts[0].curves[0];
        assert_eq!((curve.name.as_str(), curve.x.len()), ("write", 15));
        assert!(curve.x.first() < curve.x.last());
    }
}
