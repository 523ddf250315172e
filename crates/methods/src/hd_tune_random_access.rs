//! HD Tune Pro's random access tab, and its plot of access times by position.
//!
//! **What it measures.** IOPS, mean and longest access time and MB/s of random I/Os of five sizes; and the access time
//! by position on the drive.
//!
//! **Who published it.** EFD Software, HD Tune Pro 5.00; its behaviour is taken from third parties' pages, not from its
//! source.
//!
//! **Protocol.** For each size (512 bytes, 4 KiB, 64 KiB, 1 MiB, and random sizes) I/Os at queue depth 1 at random
//! positions of the full LBA range, on whole sectors. The random sizes here are the multiples of 32 KiB up to 1 MiB,
//! equally likely (an estimate: the original does not say). MB/s are 10^6 bytes per second, as in `hd-tune`. The
//! original's scatter plot is drawn as a band: the LBA range in parts, each with the minimum, mean and maximum time of
//! the I/Os in it.
//!
//! **What it cannot tell.** Deep queues: one I/O is in flight. How many I/Os the original issues is not known; here it
//! is a setting. On a flash drive that was never written the reads do not access flash.

use base::chart::designs;
use base::record::AddressBin;
use base::workload::Access;
use base::{
    Better, Bytes, Card, Chart, Curve, Duration, Figure, Forecast, Group, Info, Job, Message, Op,
    Order, PhaseRecord, Setting, Settings, Span, Stop, Stopped, Takes, Workload, splitmix64,
};

use crate::areas::{access, forecast, impossible};
use crate::figures::{Of, Origin, withheld};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{OPS, SHORT_STROKE, extent, ops_of};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// The tab's rows, and the size of their I/Os; 0 for random sizes.
const ROWS: [(&str, Bytes); 5] = [
    ("512b", Bytes::SECTOR),
    ("4k", Bytes::kib(4)),
    ("64k", Bytes::kib(64)),
    ("1m", Bytes::mib(1)),
    ("random", Bytes::ZERO),
];
/// Step and largest of the random sizes.
const STEP: Bytes = Bytes::kib(32);
const LARGEST: Bytes = Bytes::mib(1);
/// Parts of the surface in the picture, at most.
const PARTS: u64 = 256;

static CARD: Card = Card {
    id: "hd-tune-random-access",
    title: "HD Tune Pro: random access",
    publisher: "EFD Software, HD Tune Pro 5.00",
    summary: "Random I/Os of 512 bytes, 4 KiB, 64 KiB, 1 MiB and random sizes: IOPS, mean and longest access time, MB/s, and access time by position.",
    version: 1,
    group: Group::Program,
    short: "Random access time and IOPS by I/O size",
    shortest: &["extent=16MiB", "accesses=20"],
    #[rustfmt::skip]
    settings: &[
        Setting::count("accesses", "I/Os of each row", 1..=10_000_000, ["200", "1000", "2000"]),
        SHORT_STROKE,
        OPS,
    ],
    ..Card::PLAIN
};

/// A row's I/Os on a target: sizes that fit.
fn accesses_of(size: Bytes, surface: Bytes, op: Op, on: &Info) -> Vec<Access> {
    let one = |size: Bytes| Access {
        weight: 1,
        size: access(size, on).min(surface),
        read_percent: if op == Op::Read { 100 } else { 0 },
        trims: false,
    };
    if !size.is_zero() {
        return vec![one(size)];
    }
    (1..=LARGEST.get() / STEP.get())
        .map(|n| one(STEP * n))
        .collect()
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let extent = extent(settings, "extent", on);
    let ops = ops_of(settings, on);
    let accesses = settings.count("accesses");
    let of_a_row = |(_, size): &(&str, Bytes)| {
        let size = if size.is_zero() { LARGEST } else { *size };
        let moved = access(size, on).get().saturating_mul(accesses);
        Takes::moving(Bytes::new(moved)).and_accesses(accesses)
    };
    let rows = ROWS.iter().map(of_a_row).fold(Takes::default(), Takes::and);
    let takes = rows.times(ops.len() as u64);
    Forecast {
        reads_as_found: ops.contains(&Op::Read),
        ..forecast(extent, ops.contains(&Op::Write), takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let whole = run.bench.whole();
    let surface = run.extent("extent");
    run.tell_grown(&[STEP]);
    for op in ops_of(settings, &run.on) {
        let mut curves = Vec::new();
        for (row, (name, size)) in (0..).zip(ROWS) {
            if let Some(why) = impossible(size, surface.len, &run.on) {
                run.output.figures.extend(missing(name, op, &why));
                continue;
            }
            let accesses = accesses_of(size, surface.len, op, &run.on);
            let work = work(op, surface, accesses, row, settings, &run.on);
            let phase = format!("{} {name}", op.name());
            let record = run.bench.phase(&phase, &work)?;
            let key = format!("{name}.{}", op.name());
            run.output
                .figures
                .extend(figures(&key, op, record, &run.on, &whole));
            curves.push(by_position(name, record));
        }
        let key = format!("{}.access", op.name());
        run.output
            .charts
            .push(Chart::new(key, designs::ACCESS, curves));
    }
    Ok(())
}

fn work(
    op: Op,
    surface: Span,
    accesses: Vec<Access>,
    row: u64,
    settings: &Settings,
    on: &Info,
) -> Workload {
    let count = settings.count("accesses");
    let mut job = Job::closed(op.name(), op, Order::Random, surface, on.block, 1);
    job.accesses = accesses;
    let seed = splitmix64(settings.seed ^ (row << 8) ^ op as u64);
    let mut work = Workload::single(job, Stop::after_ios(count), seed);
    let blocks = surface.len.get() / on.block.get().max(1);
    work.keep.bins = Some((count / 4).clamp(1, PARTS).min(blocks.max(1)) as u32);
    work
}

/// The figures of a row whose I/Os cannot be made.
fn missing(name: &str, op: Op, why: &Message) -> Vec<Figure> {
    let row = |(figure_of, unit, better): (&str, &str, Better)| {
        let key = format!("{name}.{}.{figure_of}", op.name());
        let figure = Origin::default().figure(&key, unit, better);
        withheld(figure, why.clone())
    };
    [
        ("iops", "IOPS", Better::Higher),
        ("mean", "ms", Better::Lower),
        ("max", "ms", Better::Lower),
        ("rate", "MB/s", Better::Higher),
    ]
    .map(row)
    .into()
}

fn figures(key: &str, op: Op, record: &PhaseRecord, on: &Info, whole: &Message) -> Vec<Figure> {
    let mut origin = Origin::of(record);
    if record.workload.jobs[0].span.len == on.capacity.round_down(on.block) {
        origin.is_of_the_whole(whole.clone());
    }

    let times = record.of(op).service;
    #[rustfmt::skip]
    let ios = ("iops", "IOPS", Better::Higher, record.iops(), "made-ios-over-time", record.ios());
    let time = |name: &str, of| origin.latency(&format!("{key}.{name}"), "ms", of, &times);
    let mut figures = origin.table(&format!("{key}."), &[ios]);
    figures.extend([time("mean", Of::Mean), time("max", Of::Max)]);
    let rate = format!("{key}.rate");
    figures.push(origin.transfer_rate(&rate, record));
    figures
}

/// Access times of the parts of the surface.
pub(crate) fn by_position(name: &str, record: &PhaseRecord) -> Curve {
    let bins = record.job().bins.iter();
    let starts = bins.clone().flat_map(|bins| {
        (0..bins.bins.len()).map(|i| bins.start_of(i).get() as f64 + bins.width.get() as f64 / 2.0)
    });
    let of = |time: fn(&AddressBin) -> Duration| {
        let all = bins.clone().flat_map(|bins| &bins.bins);
        all.map(|bin| (bin.ios > 0).then(|| time(bin).as_millis_f64()))
            .collect::<Vec<_>>()
    };
    Curve {
        name: name.to_owned(),
        x: starts.collect(),
        y: of(|bin| Duration::from_nanos(bin.sum.as_nanos() / bin.ios.max(1))),
        low: Some(of(|bin| bin.least)),
        high: Some(of(|bin| bin.worst)),
        on_right: false,
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn each_row_has_its_size_and_the_times_of_single_accesses() {
        let settings = settings("hd-tune-random-access", Scale::Quick, &["accesses=1000"]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("hd-tune-random-access", &settings, &mut bench);
        // 100 us an I/O.
        for row in ["512b", "4k", "64k", "1m", "random"] {
            for op in ["read", "write"] {
                assert!((value(&output, &format!("{row}.{op}.iops")) - 10_000.0).abs() < 1.0);
                assert!((value(&output, &format!("{row}.{op}.mean")) - 0.1).abs() < 1e-3);
            }
        }
        assert!((value(&output, "4k.read.rate") - 40.96).abs() < 0.01);
        // Sizes of 32 KiB to 1 MiB, 528 KiB in the mean.
        let mean = value(&output, "random.write.rate") / 10_000.0 * 1e6 / 1_024.0;
        assert!((mean - 528.0).abs() < 25.0, "{mean}");
        assert_eq!(bench.phases.len(), 10);
    }

    #[test]
    fn the_picture_has_the_time_of_every_part_of_the_surface() {
        let settings = settings("hd-tune-random-access", Scale::Quick, &["accesses=1000"]);
        let output = output_of(
            "hd-tune-random-access",
            &settings,
            &mut BenchDouble::new(drive()),
        );
        let curve = &output.charts[0].curves[1];
        assert_eq!((curve.name.as_str(), curve.x.len()), ("4k", 250));
        let there = curve.y.iter().flatten();
        assert!(there.clone().count() > 200 && there.clone().all(|ms| (ms - 0.1).abs() < 1e-9));
    }
}
