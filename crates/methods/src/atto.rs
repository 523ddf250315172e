//! ATTO Disk Benchmark.
//!
//! **What it measures.** Sequential rates by I/O size, from half a KiB to many MiB: the transition from per-command
//! overhead to bandwidth.
//!
//! **Who published it.** ATTO Technology, ATTO Disk Benchmark 2.4x to 4.x; its workings are taken from third parties'
//! pages, not from its source.
//!
//! **Protocol.** A test file of 256 MiB, 4 I/Os in flight ("overlapped I/O"). For each I/O size, from 512 bytes doubled
//! up to 8 MiB (new versions: 64 MiB), the file is written once sequentially, then read once sequentially. The time
//! includes draining the queue, but no flush. MB/s are 10^6 bytes per second. The data is incompressible: the
//! original's default is zeros, the best case for a drive that compresses (`data=zeros`).
//!
//! **What it cannot tell.** Random I/O, and the difference between a cache and the drive: 256 MiB fits into most
//! caches.

use base::{
    Better, Bytes, Card, Chart, Curve, Forecast, Group, Info, Latencies, Message, Op, Rate,
    Setting, Settings, Stopped, Workload,
};
use std::ops::RangeInclusive;

use base::chart::designs;

use crate::areas::{ONE_PASS, forecast_of, in_order};
use crate::chart::responses;
use crate::figures::{Origin, key_of};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{DATA, DEPTH, OPS, extent, fill_of, ops_of, part};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "atto",
    title: "ATTO Disk Benchmark",
    publisher: "ATTO Technology, ATTO Disk Benchmark 2.4x to 4.x",
    summary: "A small file written and read sequentially at queue depth 4, at I/O sizes from 512 bytes doubled up to 8 MiB.",
    version: 1,
    group: Group::Program,
    short: "Rate by I/O size, 512 B to 8 MiB, sequential",
    shortest: &["size=2MiB"],
    #[rustfmt::skip]
    settings: &[
        part("size", "size of the test file", ["16MiB", "256MiB", "256MiB"]),
        Setting::size("first", "the smallest I/O size", ACCESS, ["4KiB", "512", "512"]),
        Setting::size("last", "the largest I/O size", ACCESS, ["1MiB", "8MiB", "8MiB"]),
        DEPTH.with_values(["4"; 3]),
        DATA,
        OPS,
    ],
    ..Card::PLAIN
};

const ACCESS: RangeInclusive<Bytes> = Bytes::SECTOR..=Bytes::mib(64);

/// From the first size, doubled, up to the last; those that the target's blocks and the file allow.
fn sizes(settings: &Settings, on: &Info) -> Vec<Bytes> {
    let file = extent(settings, "size", on);
    let last = settings.size("last").min(file);
    let first = settings.size("first").max(on.block);
    std::iter::successors(Some(first), |size| Some(size.saturating_add(*size)))
        .take_while(|size| *size <= last)
        .collect()
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let file = extent(settings, "size", on);
    let passes = sizes(settings, on).len() as u64;
    forecast_of(file, file * passes, &ops_of(settings, on))
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("size");
    let depth = u32::try_from(settings.count("depth")).unwrap_or(4);
    // The original writes a size before it reads it.
    let ops: Vec<Op> = ops_of(settings, &run.on).into_iter().rev().collect();
    let mut distributions: Vec<(String, Latencies)> = Vec::new();
    let mut rates: Vec<Curve> = ops
        .iter()
        .map(|op| Curve::new(op.name(), Vec::new(), Vec::new()))
        .collect();
    for size in sizes(settings, &run.on) {
        for (op, curve) in ops.iter().zip(&mut rates) {
            let key = format!("{}.{}", key_of(size), op.name());
            let mut job = in_order(&key, *op, span, size, depth);
            job.fill = fill_of(settings);
            let work = Workload::single(job, ONE_PASS, settings.seed);
            let record = run.bench.phase(&key, &work)?;
            let figure = Origin::of(record).transfer_rate(&key, record);
            curve.x.push(size.get() as f64);
            curve.y.push(record.rate().map(Rate::mb_s));
            run.output.figures.push(figure);
            distributions.push((key, record.of(*op).service));
        }
    }
    if run.output.figures.is_empty() {
        let why = Message::of("why-no-access-size-in-file");
        return run.without_number("rate", "MB/s", Better::Higher, why);
    }
    run.output
        .charts
        .push(Chart::new("sizes", designs::SIZES, rates));
    run.output
        .charts
        .push(responses("response", &distributions));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;
    use base::size::Bytes;

    #[test]
    fn each_size_is_written_and_then_read_once_and_has_its_rate() {
        let settings = settings("atto", Scale::Full, &["size=16MiB"]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("atto", &settings, &mut bench);
        // 512 bytes to 8 MiB: fifteen sizes, one I/O every 100 us.
        assert_eq!(bench.phases.len(), 2 * 15);
        assert!(bench.phases.iter().all(|p| p.bytes() == Bytes::mib(16)));
        assert_eq!(bench.phases[0].name, "512b.write");
        assert_eq!(bench.phases[1].name, "512b.read");
        for (key, rate) in [
            ("512b.write", 5.12),
            ("4k.read", 40.96),
            ("8m.write", 83_886.08),
        ] {
            assert!((value(&output, key) / rate - 1.0).abs() < 1e-9, "{key}");
        }
        let writes = &output.charts[0].curves[0];
        assert_eq!(
            (writes.name.as_str(), writes.x[0], writes.x.len()),
            ("write", 512.0, 15)
        );
        assert!((writes.y[0].unwrap() / 5.12 - 1.0).abs() < 1e-9);
    }
}
