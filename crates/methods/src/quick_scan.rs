//! Quick scan: about 3 s at the start of each of 256 regions.
//!
//! **What it measures.** The same two figures as a full scan in 12.8 minutes per pass: rate by position, and the
//! distribution of response times, including the seeks between regions.
//!
//! **Who published it.** Ladybug Systems' disk tester HDT-201A.
//!
//! **Protocol.** The LBA range is divided into 256 equal regions; at the start of each, sequential I/Os of 64 KiB at
//! queue depth 1, without pauses, for 3 s; reads over all regions first, then writes. The band at a position is the
//! minimum and maximum rate among the intervals of its dwell (a tenth each, so 0.3 s as in the full scan, and at least
//! 0.1 s, since shorter intervals only show a disk's cache; the last, incomplete one is omitted, and one without
//! completions is merged with the next). A dwell with fewer than three intervals has no band. Up to eight regions whose
//! reads took far longer than their neighbours' are read once more, but for what a cache may still hold. That enters no
//! figure, as in the full scan.
//!
//! **What it cannot tell.** What is between the starts of the regions; a full scan does.

use base::record::Point;
use base::{
    Argument, Bytes, Card, Duration, Forecast, Group, Info, Job, Message, Op, Order, PhaseRecord,
    Rate, Setting, Settings, Span, Stop, Stopped, Workload,
};
use stats::weak_places::Place;

use crate::areas::{forecast, timed_in};
use crate::read_again;
use crate::run::{PlainMethod, Run};
use crate::scan::{Pass, Position, charts};
use crate::shared_settings::{OPS, SCANNED_EXTENT, extent, millis, ops_of, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Intervals of a dwell, for the band.
const INTERVALS: u64 = 10;
/// The shortest interval: in less a disk's cache alone is seen, at the link's rate or standing still.
const SHORTEST: Duration = Duration::from_millis(100);
/// A band of fewer whole intervals is none.
const FEWEST: u64 = 3;

/// Into how many regions the drive is divided.
pub(crate) const REGIONS: Setting = Setting::count(
    "regions",
    "number of regions",
    2..=4_096,
    ["16", "64", "256"],
);

/// How long is read, or written, at the head of each.
pub(crate) const DWELL: Setting = Setting::time(
    "dwell",
    "time at the start of each region",
    millis(10)..=seconds(600),
    ["30ms", "500ms", "3s"],
);

/// Bytes of an I/O.
pub(crate) const BLOCK: Setting = Setting::size(
    "block",
    "bytes an access",
    Bytes::SECTOR..=Bytes::mib(16),
    ["64KiB"; 3],
);

static CARD: Card = Card {
    id: "quick-scan",
    title: "Quick scan",
    publisher: "after the HDT-201A disk tester (Ladybug Systems)",
    summary: "A few seconds of sequential I/O at the start of each of 256 regions: transfer curve with its band and response-time distribution, including seeks between regions.",
    version: 4,
    group: Group::Surface,
    short: "256 regions, a few seconds each: rate and response",
    shortest: &["extent=16MiB", "regions=4", "dwell=10ms"],
    #[rustfmt::skip]
    settings: &[REGIONS, DWELL, SCANNED_EXTENT, BLOCK, OPS],
    ..Card::PLAIN
};

/// The regions.
pub(crate) fn regions(settings: &Settings, on: &Info) -> Vec<Span> {
    let block = settings.size("block").max(on.block);
    parts(
        extent(settings, "extent", on),
        settings.count("regions"),
        block,
    )
}

/// A surface in so many parts of whole blocks, which leave out less than one of them; all of it where they would be
/// shorter than a block.
pub(crate) fn parts(surface: Bytes, count: u64, block: Bytes) -> Vec<Span> {
    let length = Bytes::new(surface.get() / count).round_down(block);
    if length < block {
        return vec![Span::first(surface)];
    }
    // Of short parts in large blocks the rest of each is much together: each then begins where its share does.
    let is_even = surface - length * count < length;
    let start = |part: u64| {
        let share = u128::from(surface.get()) * u128::from(part) / u128::from(count);
        match is_even {
            true => length * part,
            false => Bytes::new(share as u64).round_down(block),
        }
    };
    (0..count)
        .map(|part| Span::new(start(part), start(part + 1) - start(part)))
        .collect()
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let ops = ops_of(settings, on);
    let dwell = settings
        .time("dwell")
        .saturating_mul(settings.count("regions"));
    let extent = extent(settings, "extent", on);
    let writes = ops.contains(&Op::Write);
    let mut takes = timed_in(&ops, dwell);
    if ops.contains(&Op::Read) {
        let again = read_again::most(settings.count("regions"));
        let again = settings.time("dwell").saturating_mul(again);
        takes = takes.and(timed_in(&[Op::Read], again));
    }
    Forecast {
        reads: (!ops.contains(&Op::Read)).then_some(Bytes::ZERO),
        reads_as_found: ops.contains(&Op::Read),
        written: if writes {
            regions(settings, on)
        } else {
            Vec::new()
        },
        ..forecast(extent, writes, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let regions = regions(run.settings, &run.on);
    let passes: Result<Vec<Pass>, Stopped> = ops_of(run.settings, &run.on)
        .into_iter()
        .map(|op| scan(op, &regions, run))
        .collect();
    let passes = passes?;
    run.output.figures = passes.iter().flat_map(Pass::figures).collect();
    run.output.charts = charts(&passes);
    Ok(())
}

/// One pass over all regions.
fn scan(op: Op, regions: &[Span], run: &mut Run<'_>) -> Result<Pass, Stopped> {
    let settings = run.settings;
    let mut pass = Pass::new(op);
    pass.no_band = no_band(settings);
    let mut visited = Vec::new();
    for (i, region) in regions.iter().enumerate() {
        let name = format!("{} region {i:03}", op.name());
        let record = run.bench.phase(&name, &dwell(op, *region, settings))?;
        pass.positions.extend(position(op, region.start, record));
        pass.add(record);
        if op == Op::Read {
            visited.push(Place::alone(*region, op, record.job()));
        }
    }
    read_again::read(&visited, None, run, |suspect| {
        dwell(op, suspect.span, settings)
    })?;
    let by = &mut pass.origin.by;
    by.whole = extent(settings, "extent", &run.on) == run.on.capacity.round_down(run.on.block);
    let surface = if by.whole {
        run.bench.whole()
    } else {
        let end = regions.last().map_or(Bytes::ZERO, Span::end);
        Span::first(end).said()
    };
    let places = [("n", regions.len().into()), ("surface", surface.into())];
    by.span = Message::new("span-regions-of", places);
    Ok(pass)
}

/// An interval of a dwell.
fn interval(dwell: Duration) -> Duration {
    Duration::from_nanos(dwell.as_nanos() / INTERVALS).max(SHORTEST)
}

/// Why such a dwell has no band, where it has none.
fn no_band(settings: &Settings) -> Option<Message> {
    let dwell = settings.time("dwell");
    let whole = dwell.as_nanos() / interval(dwell).as_nanos();
    // The last one ends with the dwell, or an I/O later.
    (whole <= FEWEST).then(|| {
        let times = Argument::text(FEWEST);
        let places = [
            ("dwell", dwell.into()),
            ("times", times),
            ("slice", SHORTEST.into()),
        ];
        Message::new("why-no-band", places)
    })
}

/// The I/Os at the head of one region.
pub(crate) fn dwell(op: Op, region: Span, settings: &Settings) -> Workload {
    let time = settings.time("dwell");
    // A surface may be smaller than a block.
    let block = settings.size("block").min(region.len);
    let job = Job::closed(op.name(), op, Order::Sequential, region, block, 1);
    let stop = Stop::after_time(time);
    let mut work = Workload::single(job, stop, settings.seed);
    work.keep.series = interval(time);
    work
}

/// Mean and band of one region's dwell.
pub(crate) fn position(op: Op, at: Bytes, record: &PhaseRecord) -> Option<Position> {
    let series = &record.job().series;
    let mean = record.rate()?.mb_s();
    // The last interval is cut off by the end of the dwell.
    let whole = series.points.len().saturating_sub(1);
    let rates = match whole as u64 {
        ..FEWEST => Vec::new(),
        _ => interval_rates(&series.points[..whole], op, series.interval),
    };
    let low = rates.iter().copied().fold(mean, f64::min);
    let high = rates.iter().copied().fold(mean, f64::max);
    Some(Position {
        at,
        low,
        mean,
        high,
    })
}

/// The rate of each interval, in MB/s. One without a completion belongs to the I/O that lasts
/// through it, and is joined with the next.
fn interval_rates(points: &[Point], op: Op, interval: Duration) -> Vec<f64> {
    let mut rates = Vec::new();
    let mut time = Duration::ZERO;
    for point in points {
        let bytes = point.of(op).bytes;
        time += interval;
        if !bytes.is_zero() {
            rates.extend(Rate::of(bytes, time).map(|r| r.mb_s()));
            time = Duration::ZERO;
        }
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_blocks_and_leave_out_less_than_one_of_them() {
        let gb = |gb: u64| Bytes::new(gb * 1_000_000_000);
        for (surface, count, block) in [
            (gb(3_000), 256, Bytes::kib(64)),
            (gb(100), 4_096, Bytes::mib(8)),
            (gb(100), 4_096, Bytes::mib(16)),
            (Bytes::mib(100), 7, Bytes::mib(8)),
        ] {
            let parts = parts(surface, count, block);
            assert_eq!(parts.len() as u64, count);
            let mut from = Bytes::ZERO;
            for part in &parts {
                assert_eq!(part.start, from);
                assert!(part.len >= block && part.len.is_multiple_of(block));
                from = part.end();
            }
            assert!(from <= surface && surface - from < parts[0].len);
        }
        assert_eq!(
            parts(Bytes::mib(1), 4, Bytes::mib(1)),
            [Span::first(Bytes::mib(1))]
        );
    }

    #[test]
    fn a_stall_over_whole_intervals_is_slow_and_not_nothing() {
        let interval = Duration::from_millis(100);
        let mut points = [Point::default(); 4];
        for (point, mib) in points.iter_mut().zip([10, 0, 0, 3]) {
            point.read.bytes = Bytes::mib(mib);
        }
        let rates = interval_rates(&points, Op::Read, interval);
        let per_second = [10.0 * 1.048_576 / 0.1, 3.0 * 1.048_576 / 0.3];
        assert!(
            rates
                .iter()
                .zip(per_second)
                .all(|(a, b)| (a - b).abs() < 1e-9)
                && rates.len() == 2
        );
    }
}
