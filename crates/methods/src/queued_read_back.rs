//! Read-back of queued writes: what small writes with a deep queue did to the layout.
//!
//! **What it measures.** How fast data are read in order that were written in small I/Os in random
//! order, one at a time and many at a time, compared with data written sequentially.
//!
//! **Who published it.** Users of the first SSDs with a command queue suspected that drives which shine
//! with many small writes in flight scatter them, so that reading them back is slow; it was never
//! measured there. The method is ours.
//!
//! **Protocol.** The span is written once in order, flushed, left alone for a moment and read in order:
//! the reference. Then every place of it is written once in I/Os of 4 KiB in random order, one in
//! flight; flushed, left alone, and read in order. Then the same places in the same order with 32 in
//! flight, and read again. All reads are alike: 128 KiB an I/O, one in flight. The figures are the
//! three rates, and the ratios of the queued one to the others. Of a drive that lays data out by address
//! (a disk) all three are the same; of one that lays them out in the order in which they arrive, the
//! random ones are slower, and the queue matters as far as it changes that order.
//!
//! **What it cannot tell.** A span that the drive keeps in its cache is read from there: it should be
//! several times as large. The second writing finds the drive as the first one left it.

use base::bench::{Bench, Stopped};
use base::io::Op;
use base::message::Message;
use base::method::{Card, Forecast, Group, Method, Needs, Setting, Settings, Takes};
use base::record::Latencies;
use base::result::{Better, Comparable, Figure, MethodOutput};
use base::size::{Bytes, Rate};
use base::target::Info;
use base::workload::{Job, Order, Span, Workload};

use crate::areas::{ONE_PASS, access, forecast, grown, in_order, not_writable};
use crate::chart::responses;
use crate::figures::{conditions, figure, valued};
use crate::shared_settings::{DATA, extent, fill_of, part, seconds};

pub(crate) struct QueuedReadBack;

static CARD: Card = Card {
    id: "queued-read-back",
    title: "Read-back of queued writes",
    title_ja: "キューイング書き込み後の読み戻し",
    publisher: "drivelab, after a suspicion of users of early SSDs",
    summary: "The same small random writes one at a time and 32 at a time, each read back sequentially: what the queue did to the layout.",
    version: 1,
    group: Group::Inside,
    short: "What queued small writes did to the layout",
    needs: &[Needs::Writing],
    shortest: &["span=4MiB", "rest=10ms"],
    #[rustfmt::skip]
    settings: &[
        part("span", "how much is written and read, from the start", ["32MiB", "512MiB", "4GiB"]),
        Setting::size("block", "bytes a write", Bytes::SECTOR..=Bytes::mib(1), ["4KiB"; 3]),
        Setting::count("depth", "writes in flight, of the queued ones", 2..=256, ["32"; 3]),
        Setting::size("read", "bytes a read", Bytes::SECTOR..=Bytes::mib(8), ["128KiB"; 3]),
        Setting::time("rest", "time between writing and reading", seconds(0)..=seconds(3_600), ["1s", "10s", "60s"]),
        DATA,
    ],
    ..Card::PLAIN
};

impl Method for QueuedReadBack {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
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

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        let info = bench.info();
        if !info.writable {
            return Ok(not_writable("ratio", "x", Better::Higher));
        }
        let depth = u32::try_from(settings.count("depth")).unwrap_or(32);
        let span = Span::first(extent(settings, "span", &info));
        let in_order = in_order("write", Op::Write, span, Bytes::mib(1), 4);
        let block = access(settings.size("block"), &info)
            .round_down(info.block)
            .min(span.len);
        let scattered =
            |depth| Job::closed("write", Op::Write, Order::RandomOnce, span, block, depth);
        let mut output = MethodOutput::default();
        let sizes = [settings.size("block"), settings.size("read")];
        output.warnings.extend(grown(&sizes, &info));
        let mut distributions: Vec<(&str, Latencies)> = Vec::new();
        let mut rates = Vec::new();
        let mut by = Comparable::default();
        let layouts = [
            ("in-order", in_order),
            ("qd1", scattered(1)),
            ("queued", scattered(depth)),
        ];
        for (layout, job) in layouts {
            let of = layout_of(layout, job, span, settings, bench)?;
            by = of.figures[1].comparable_by.clone();
            output.figures.extend(of.figures);
            rates.push(of.rate);
            distributions.push((layout, of.reads));
        }
        let queued = rates[2];
        for (key, other, words) in [
            ("ratio", rates[1], Message::of("made-queued-over-not")),
            (
                "ratio-to-in-order",
                rates[0],
                Message::of("made-queued-over-sequential"),
            ),
        ] {
            let ratio = queued.zip(other).map(|(queued, other)| queued / other);
            output.figures.push(valued(
                figure(key, "x", Better::Higher, &by, &[]),
                ratio,
                words,
                1,
            ));
        }
        output
            .charts
            .push(responses("read-back.response", &distributions));
        Ok(output)
    }
}

/// What came of one way to write.
struct Layout {
    /// Rates of writing and of reading back.
    figures: Vec<Figure>,
    /// MB/s of reading back.
    rate: Option<f64>,
    reads: Latencies,
}

/// Writes the span in one way and reads it back.
fn layout_of(
    layout: &str,
    mut job: Job,
    span: Span,
    settings: &Settings,
    bench: &mut dyn Bench,
) -> Result<Layout, Stopped> {
    job.fill = fill_of(settings);
    let mut work = Workload::single(job, ONE_PASS, settings.seed);
    work.flush_at_end = true;
    let mut figures = Vec::new();
    let mut keep = |key: String, name: &str, work: &Workload, rate: Option<Rate>, n| {
        let figure = figure(
            &key,
            "MB/s",
            Better::Higher,
            &conditions(work),
            &[name.to_owned()],
        );
        figures.push(valued(
            figure,
            rate.map(Rate::mb_s),
            Message::of("made-bytes-over-time"),
            n,
        ));
    };
    let name = format!("write {layout}");
    let record = bench.phase(&name, &work)?;
    keep(
        format!("{layout}.write"),
        &name,
        &work,
        record.rate(),
        record.ios(),
    );
    bench.idle(&format!("rest after {name}"), settings.time("rest"))?;
    let size = access(settings.size("read"), &bench.info()).min(span.len);
    let work = Workload::single(
        in_order("read", Op::Read, span, size, 1),
        ONE_PASS,
        settings.seed,
    );
    let name = format!("read back {layout}");
    let record = bench.phase(&name, &work)?;
    keep(
        format!("{layout}.read-back"),
        &name,
        &work,
        record.rate(),
        record.ios(),
    );
    Ok(Layout {
        rate: record.rate().map(Rate::mb_s),
        reads: record.of(Op::Read).service,
        figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_double::BenchDouble;
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
