//! Read-back of queued writes: the effect of queue depth on the physical layout.
//!
//! **What it measures.** The sequential read rate of data that was written in small random I/Os, at queue depth 1 and
//! deeper, compared with sequentially written data.
//!
//! **Who published it.** Users of the first SSDs with a command queue suspected that drives with good random write
//! rates at high queue depth scatter the data, so that reading it back is slow; it was never measured there. The method
//! is ours.
//!
//! **Protocol.** The span is written once sequentially, flushed, left idle for a moment and read sequentially: the
//! reference. Then each position is overwritten once with 4 KiB I/Os in random order at queue depth 1; flushed, left
//! idle, and read sequentially. Then the same positions in the same order at queue depth 32, and another read. All
//! reads are 128 KiB per I/O at queue depth 1. The figures are the three rates, and the ratios of the queued one to the
//! others. A drive that lays out data by address (a disk) gives the same rate three times; on a drive that lays it out
//! in order of arrival, randomly written data reads more slowly, and the queue matters as far as it changes that order.
//!
//! **What it cannot tell.** A span that fits into the drive's cache is read from there: it should be several times as
//! large. The second pass finds the drive as the first one left it.

use base::{
    Better, Bytes, Card, Figure, Forecast, Group, Info, Job, Latencies, Needs, Op, Order, Rate,
    Setting, Settings, Span, Stopped, Takes, Workload,
};

use crate::areas::{ONE_PASS, access, forecast, in_order};
use crate::chart::responses;
use crate::figures::Origin;
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{DATA, extent, fill_of, part, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "queued-read-back",
    title: "Read-back of queued writes",
    publisher: "drivelab, after a suspicion of users of early SSDs",
    summary: "The same small random writes at queue depth 1 and 32, each read back sequentially: the effect of the queue on the layout.",
    version: 1,
    group: Group::Inside,
    short: "Read speed after random writes at queue depth",
    needs: &[Needs::Writing],
    shortest: &["span=4MiB", "rest=10ms"],
    #[rustfmt::skip]
    settings: &[
        part("span", "how much is written and read, from the start", ["32MiB", "512MiB", "4GiB"]),
        Setting::size("block", "bytes per write", Bytes::SECTOR..=Bytes::mib(1), ["4KiB"; 3]),
        Setting::count("depth", "queue depth of the queued writes", 2..=256, ["32"; 3]),
        Setting::size("read", "bytes per read", Bytes::SECTOR..=Bytes::mib(8), ["128KiB"; 3]),
        Setting::time("rest", "time between writing and reading", seconds(0)..=seconds(3_600), ["1s", "10s", "60s"]),
        DATA,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let extent = extent(settings, "span", on);
    let bytes = if on.writable { extent * 3 } else { Bytes::ZERO };
    let mut takes = Takes::moving(bytes * 2);
    if on.writable {
        let block = access(settings.size("block"), on);
        takes = takes
            .and_idle(settings.time("rest").saturating_mul(3))
            .and_accesses(2 * extent.get() / block.get());
    }
    Forecast {
        reads: Some(bytes),
        writes: Some(bytes),
        ..forecast(extent, on.writable, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("ratio", "x", Better::Higher);
    }
    let depth = u32::try_from(settings.count("depth")).unwrap_or(32);
    let span = run.extent("span");
    let in_order = in_order("write", Op::Write, span, Bytes::mib(1), 4);
    let block = access(settings.size("block"), &run.on)
        .round_down(run.on.block)
        .min(span.len);
    let scattered = |depth| Job::closed("write", Op::Write, Order::RandomOnce, span, block, depth);
    run.tell_grown(&[settings.size("block"), settings.size("read")]);
    let mut distributions: Vec<(&str, Latencies)> = Vec::new();
    let mut rates = Vec::new();
    let mut origin = Origin::default();
    let layouts = [
        ("in-order", in_order),
        ("qd1", scattered(1)),
        ("queued", scattered(depth)),
    ];
    for (layout, job) in layouts {
        let of = layout_of(layout, job, span, run)?;
        origin.by = of.figures[1].comparable_by.clone();
        run.output.figures.extend(of.figures);
        rates.push(of.rate);
        distributions.push((layout, of.reads));
    }
    let queued = rates[2];
    for (key, other, made) in [
        ("ratio", rates[1], "made-queued-over-not"),
        ("ratio-to-in-order", rates[0], "made-queued-over-sequential"),
    ] {
        let ratio = queued.zip(other).map(|(queued, other)| queued / other);
        let row = (key, "x", Better::Higher, ratio, made, 1);
        run.output.figures.extend(origin.table("", &[row]));
    }
    let chart = responses("read-back.response", &distributions);
    run.output.charts.push(chart);
    Ok(())
}

/// The outcome of one way to write.
struct Layout {
    /// Rates of writing and of reading back.
    figures: Vec<Figure>,
    /// MB/s of reading back.
    rate: Option<f64>,
    reads: Latencies,
}

/// Writes the span in one way and reads it back.
fn layout_of(layout: &str, mut job: Job, span: Span, run: &mut Run<'_>) -> Result<Layout, Stopped> {
    let settings = run.settings;
    job.fill = fill_of(settings);
    let mut work = Workload::single(job, ONE_PASS, settings.seed);
    work.flush_at_end = true;
    let name = format!("write {layout}");
    let record = run.bench.phase(&name, &work)?;
    let key = format!("{layout}.write");
    let write = Origin::of(record).transfer_rate(&key, record);
    run.bench
        .idle(&format!("rest after {name}"), settings.time("rest"))?;
    let size = access(settings.size("read"), &run.on).min(span.len);
    let reads = in_order("read", Op::Read, span, size, 1);
    let work = Workload::single(reads, ONE_PASS, settings.seed);
    let record = run.bench.phase(&format!("read back {layout}"), &work)?;
    let key = format!("{layout}.read-back");
    let read_back = Origin::of(record).transfer_rate(&key, record);
    Ok(Layout {
        rate: record.rate().map(Rate::mb_s),
        reads: record.of(Op::Read).service,
        figures: vec![write, read_back],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn on_a_drive_without_a_layout_all_are_read_alike_and_written_each_in_its_way() {
        let settings = settings("queued-read-back", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("queued-read-back", &settings, &mut bench);
        assert!((value(&output, "ratio") - 1.0).abs() < 1e-9);
        assert!((value(&output, "ratio-to-in-order") - 1.0).abs() < 1e-9);
        let writes: Vec<(Order, u32, u64)> = bench
            .phases
            .iter()
            .step_by(2)
            .map(|phase| {
                let job = &phase.workload.jobs[0];
                (job.order, job.depth(), phase.ios())
            })
            .collect();
        assert_eq!(
            writes,
            [
                (Order::Sequential, 4, 32),
                (Order::RandomOnce, 1, 8_192),
                (Order::RandomOnce, 32, 8_192)
            ]
        );
        // The same places in the same order.
        assert_eq!(bench.phases[2].workload.seed, bench.phases[4].workload.seed);
    }
}
