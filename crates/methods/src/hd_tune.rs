//! HD Tune Pro: the transfer curve of 200 points.
//!
//! **What it measures.** The rate at 200 points across the drive (minimum, maximum and mean, and at the start), the
//! access time, and the burst rate of repeatedly reading one block.
//!
//! **Who published it.** EFD Software, HD Tune Pro 5.00; its workings are taken from third parties' pages, not from its
//! source.
//!
//! **Protocol.** At each multiple of a 200th of the capacity one block is read that is not counted (the seek), then a
//! run of blocks is read, or written, one at a time: 64 KiB per block. In the full test a run extends to the next
//! point, so that the full LBA range is covered; otherwise it is as long as the setting says (the original's length is
//! not published: ours is an estimate, larger than a disk's cache, since a shorter run of writes would fit in the cache
//! and slow down the next run). The mean is the mean of the points. Access time: single sectors at random positions of
//! the full LBA range, each plotted as a dot over the curve. Burst: the first block repeatedly. MB/s are 10^6 bytes per
//! second.
//!
//! **What it cannot tell.** What is between the points, unless the test is full; deep queues; and on a flash drive that
//! was never written, real read performance. The CPU load that the original prints is not measured. Its other tabs are
//! `hd-tune-random-access` and `hd-tune-file`.

use base::chart::{Axis, Design, RightAxis, Shape, Text, designs};
use base::{
    Better, Bytes, Card, Chart, Curve, Figure, Forecast, Group, Info, Job, Message, Op, Order,
    PhaseRecord, Setting, Settings, Span, Stop, Stopped, Workload,
};

use crate::areas::{ONE_PASS, forecast_of, in_order};
use crate::figures::{Of, Origin, valued};
use crate::hd_tune_random_access::by_position;
use crate::quick_scan::parts;
use crate::run::{PlainMethod, Run};
use crate::scan::{Pass, Position, charts};
use crate::shared_settings::{OPS, SHORT_STROKE, extent, ops_of};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Parts of the surface that have a dot each, at most.
const DOTS: u64 = 512;

/// x: position in bytes; y: MB/s (10^6) on the left, ms on the right.
const SURFACE: Design = Design::two_axes(
    Text::new("Transfer rate and access time", "転送速度とアクセス時間"),
    Text::new(
        "As HD Tune draws it: the line is the transfer rate, on the left axis; each dot is the time of single I/Os at its place, on the right axis.",
        "HD Tune と同じ形式。線は転送速度 (左軸)、点は各位置の単独アクセスの時間 (右軸)。",
    ),
    Axis::linear(designs::POSITION, "B"),
    Axis::linear(designs::RATE, "MB/s"),
    RightAxis {
        axis: Axis::linear(Text::new("Access time", "アクセス時間"), "ms"),
        shape: Shape::Dots,
    },
);

static CARD: Card = Card {
    id: "hd-tune",
    title: "HD Tune Pro",
    publisher: "EFD Software, HD Tune Pro 5.00",
    summary: "The transfer curve of 200 points across the drive: minimum, maximum and mean rate, rate at the start, access time and burst rate.",
    version: 2,
    group: Group::Program,
    short: "Transfer curve, access time, burst rate",
    shortest: &["extent=8MiB", "points=4", "run=1MiB"],
    #[rustfmt::skip]
    settings: &[
        Setting::count("points", "number of points", 2..=4_096, ["20", "100", "200"]),
        Setting::choice("test", "full: each run extends to the next point", &["partial", "full"], ["partial"; 3]),
        Setting::size("run", "bytes of each run in the partial test", Bytes::SECTOR..=Bytes::gib(64), ["512KiB", "32MiB", "32MiB"]),
        Setting::size("block", "bytes per I/O", Bytes::SECTOR..=Bytes::mib(8), ["64KiB"; 3]),
        SHORT_STROKE,
        Setting::count("accesses", "single I/Os for the access time, and blocks for the burst rate", 1..=1_000_000, ["50", "500", "1000"]),
        OPS,
    ],
    ..Card::PLAIN
};

/// The points' runs: whole blocks.
fn runs(settings: &Settings, on: &Info) -> Vec<Span> {
    let block = settings.size("block").max(on.block);
    let surface = extent(settings, "extent", on);
    let to_next = parts(surface, settings.count("points"), block);
    // One that is all of the surface is run through.
    let run = match settings.text("test") {
        "full" => surface,
        _ if to_next.len() == 1 => surface,
        _ => settings.size("run").round_down(block).max(block),
    };
    let runs = to_next.into_iter();
    runs.map(|part| Span::new(part.start, part.len.min(run)))
        .collect()
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let (surface, ops) = (extent(settings, "extent", on), ops_of(settings, on));
    let runs = runs(settings, on);
    let bytes: u64 = runs.iter().map(|run| run.len.get()).sum();
    let burst = settings.size("block").max(on.block).min(surface);
    let accesses = settings.count("accesses");
    // The runs, single I/Os over the whole surface, and bursts from one place.
    let moved = Bytes::new(bytes) + on.block * accesses + burst * accesses;
    let of_all = forecast_of(surface, moved, &ops);
    // Before each run a block is read at its place, whatever is measured.
    let seeks = burst * (runs.len() * ops.len()) as u64;
    let places = settings.count("points") + 2 * accesses;
    let takes = of_all.takes.and_reading(seeks);
    Forecast {
        takes: takes.and_accesses(places * ops.len() as u64),
        reads: of_all.reads.map(|bytes| bytes.saturating_add(seeks)),
        reads_as_found: ops.contains(&Op::Read),
        ..of_all
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    run.tell_grown(&[Bytes::SECTOR, run.settings.size("block")]);
    let (mut passes, mut surfaces) = (Vec::new(), Vec::new());
    for op in ops_of(run.settings, &run.on) {
        let pass = curve(op, run)?;
        run.output.figures.extend(rates(&pass));
        let (figures, dots) = single_accesses(op, &pass.origin.by.span, run)?;
        run.output.figures.extend(figures);
        surfaces.push(surface(&pass, dots));
        passes.push(pass);
    }
    run.output.charts = surfaces;
    run.output.charts.extend(charts(&passes));
    Ok(())
}

/// HD Tune's picture of one direction: the points' rates, and the single I/Os over them.
fn surface(pass: &Pass, dots: Curve) -> Chart {
    let rates = Curve {
        low: None,
        high: None,
        ..pass.curve()
    };
    let key = format!("{}.surface", pass.op.name());
    Chart::new(key, SURFACE, vec![rates, dots.on_right()])
}

/// All points in one direction.
fn curve(op: Op, run: &mut Run<'_>) -> Result<Pass, Stopped> {
    let settings = run.settings;
    let runs = runs(settings, &run.on);
    let block = settings.size("block").max(run.on.block);
    let mut pass = Pass::new(op);
    for (i, part) in runs.iter().enumerate() {
        let name = format!("{} point {i:03}", op.name());
        let head = Span::new(part.start, block.min(part.len));
        let seek = in_order("seek", Op::Read, head, block, 1);
        let seek = Workload::single(seek, ONE_PASS, settings.seed);
        run.bench.phase(&format!("{name} seek"), &seek)?;
        let job = in_order(op.name(), op, *part, block, 1);
        let work = Workload::single(job, ONE_PASS, settings.seed);
        let record = run.bench.phase(&name, &work)?;
        pass.positions.extend(position(part.start, record));
        pass.add(record);
    }
    let surface = extent(settings, "extent", &run.on);
    let by = &mut pass.origin.by;
    by.whole = surface == run.on.capacity.round_down(run.on.block);
    let surface = if by.whole {
        run.bench.whole()
    } else {
        Span::first(surface).said()
    };
    let points = [("n", runs.len().into()), ("surface", surface.into())];
    by.span = Message::new("span-points", points);
    Ok(pass)
}

fn position(at: Bytes, record: &PhaseRecord) -> Option<Position> {
    let mean = record.rate()?.mb_s();
    Some(Position {
        at,
        low: mean,
        mean,
        high: mean,
    })
}

fn rates(pass: &Pass) -> Vec<Figure> {
    let name = pass.op.name();
    let points: Vec<f64> = pass.positions.iter().map(|p| p.mean).collect();
    let n = points.len() as u64;
    let mean = (n > 0).then(|| points.iter().sum::<f64>() / n as f64);
    let least = points.iter().copied().min_by(f64::total_cmp);
    let greatest = points.iter().copied().max_by(f64::total_cmp);
    let (start, end) = (points.first().copied(), points.last().copied());
    let rates = [
        ("min", least, "made-least-point"),
        ("max", greatest, "made-greatest-point"),
        ("mean", mean, "made-mean-point"),
        ("mean-by-time", pass.mean_mb_s(), "made-bytes-over-time"),
        ("start", start, "made-first-point"),
        ("end", end, "made-last-point"),
    ];
    let rows = rates.map(|(key, value, made)| (key, "MB/s", Better::Higher, value, made, n));
    pass.origin.table(&format!("{name}."), &rows)
}

/// Access time over the surface and burst rate of the first block.
fn single_accesses(
    op: Op,
    span: &Message,
    run: &mut Run<'_>,
) -> Result<(Vec<Figure>, Curve), Stopped> {
    let settings = run.settings;
    let stop = Stop::after_ios(settings.count("accesses"));
    let surface = run.extent("extent");
    let job = Job::closed(op.name(), op, Order::Random, surface, run.on.block, 1);
    let mut work = Workload::single(job, stop, settings.seed);
    let places = settings.count("accesses").min(DOTS);
    let blocks = surface.len.get() / run.on.block.get().max(1);
    work.keep.bins = Some(places.clamp(1, blocks.max(1)) as u32);
    let name = format!("{} access time", op.name());
    let record = run.bench.phase(&name, &work)?;
    let dots = Curve {
        low: None,
        high: None,
        ..by_position(&format!("{} access", op.name()), record)
    };
    let mut origin = Origin::of(record);
    origin.by.span = span.clone();
    let key = format!("{}.access", op.name());
    let access = origin.latency(&key, "ms", Of::Mean, &record.of(op).service);
    let block = settings.size("block").max(run.on.block).min(surface.len);
    let burst = in_order(op.name(), op, Span::first(block), block, 1);
    let work = Workload::single(burst, stop, settings.seed);
    let name = format!("{} burst", op.name());
    let record = run.bench.phase(&name, &work)?;
    let key = format!("{}.burst", op.name());
    let figure = Origin::of(record).figure(&key, "MB/s", Better::Higher);
    let rate = record.rate().map(|r| r.mb_s());
    let burst = valued(figure, rate, "mean", settings.count("accesses"));
    Ok((vec![access, burst], dots))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn each_point_has_an_uncounted_read_and_a_run_at_its_place() {
        let settings = settings(
            "hd-tune",
            Scale::Quick,
            &["points=8", "run=1MiB", "ops=write"],
        );
        let mut bench = BenchDouble::new(drive());
        let output = output_of("hd-tune", &settings, &mut bench);
        let runs: Vec<_> = bench.phases.iter().filter(|p| p.ios() == 16).collect();
        assert_eq!(runs.len(), 8);
        assert_eq!(runs[3].workload.jobs[0].span.start, Bytes::mib(3 * 512));
        assert_eq!(bench.phases[6].workload.jobs[0].span.len, Bytes::kib(64));
        assert!(!bench.phases[6].workload.writes() && bench.phases[7].workload.writes());
        assert!((value(&output, "write.mean") - 655.36).abs() < 0.01);
        assert!((value(&output, "write.access") - 0.1).abs() < 0.001);
    }

    #[test]
    fn one_picture_has_the_rates_on_the_left_and_single_accesses_on_the_right() {
        let settings = settings("hd-tune", Scale::Quick, &["points=8", "ops=write"]);
        let output = output_of("hd-tune", &settings, &mut BenchDouble::new(drive()));
        let keys: Vec<&str> = output.charts.iter().map(|c| c.key.as_str()).collect();
        assert_eq!(keys, ["write.surface", "transfer", "response"]);
        let [rates, dots] = output.charts[0].curves.as_slice() else {
            panic!("a line and its dots");
        };
        assert_eq!((rates.on_right, rates.x.len()), (false, 8));
        assert!(rates.y.iter().flatten().all(|mb_s| *mb_s > 600.0));
        assert!(dots.on_right);
        let times = dots.y.iter().flatten();
        assert!(times.clone().count() > 20 && times.into_iter().all(|ms| (ms - 0.1).abs() < 1e-9));
    }

    #[test]
    fn the_full_test_covers_the_surface() {
        let settings = settings(
            "hd-tune",
            Scale::Quick,
            &["points=10", "test=full", "ops=read"],
        );
        let mut bench = BenchDouble::new(drive());
        output_of("hd-tune", &settings, &mut bench);
        let counted: u64 = bench
            .phases
            .iter()
            .filter(|p| p.name.starts_with("read point") && !p.name.ends_with("seek"))
            .map(|p| p.bytes().get())
            .sum();
        let rest = Bytes::gib(4).get() - counted;
        assert!(rest < 10 * 65_536, "{rest}");
    }
}
