//! Full scan: the full LBA range, sequentially.
//!
//! **What it measures.** Rate by position, with a min-max band at each position, and the distribution of response times
//! over every I/O of the drive.
//!
//! **Who published it.** Ladybug Systems' disk tester HDT-201A; acceptance tests of disks do the same.
//!
//! **Protocol.** The full LBA range sequentially, 64 KiB per I/O, queue depth 1 without pauses, caches enabled; reads
//! first, then writes. The curve has 1,024 positions; the band at a position extends from the slowest to the fastest
//! interval in it: 0.3 s, or a sixteenth of the position if that is shorter. The tester's maker says that it keeps the
//! minimum and maximum rate of each position and does not average; it does not state the interval, so the one used here
//! fits the lower band edges of five disks best. What completes in the first 1.2 s, while caches fill, is excluded from
//! the band of a position that lasts longer. All I/Os are of 128 sectors as on the tester; the remainder at the end is
//! scanned for errors, but not timed. Then up to eight positions whose reads took far longer than their neighbours' are
//! read once more, which enters no figure: it tells a slow place from a slow moment. The shortened scan covers only the
//! first part; with `ends`, only that many positions at either end are scanned, as wide as those of the full scan,
//! which is enough for rates at the ends: it then gives no mean, and states which share of the LBA range its errors
//! refer to. On a zoned drive all zones of the extent are reset before the writes, which then proceed zone by zone;
//! with `ends` it does not write there. If the zone capacity is smaller than the zone size, it skips the gaps for both
//! reads and writes: they hold no data.
//!
//! **What it cannot tell.** The behaviour under random I/O or with a queue. On a fresh SSD the reads find unwritten
//! blocks and do not access flash. A weak sector that the drive itself moved or rewrote when it was first read is fast when
//! it is read again: that is in the drive's counters of reallocated sectors, not in the map.

use base::record::AddressBins;
use base::{
    Bench, Better, Bytes, Card, Duration, Forecast, Group, Info, Job, Message, Method,
    MethodOutput, Op, Order, Setting, Settings, Span, Stop, Stopped, Workload,
};
use stats::weak_places::Place;

use crate::areas::forecast_of;
use crate::figures::{Origin, withheld};
use crate::quick_scan::BLOCK;
use crate::read_again::{self, CACHED};
use crate::run::Run;
use crate::scan::{Between, Pass, Position, charts};
use crate::shared_settings::{OPS, SCANNED_EXTENT, extent, ops_of};
use crate::zone_order::{emptied, unreadable};

pub(crate) struct FullScan;

/// Positions of the transfer curve.
const POSITIONS: u32 = 1_024;

/// The longest interval of the band: the one with which the bottoms of five disks are most likely.
const INTERVAL: Duration = Duration::from_millis(300);

static CARD: Card = Card {
    id: "full-scan",
    title: "Full scan",
    publisher: "after the HDT-201A disk tester (Ladybug Systems)",
    summary: "The full LBA range, sequentially: transfer curve with its min-max band, and the response-time distribution of every I/O. Bad sectors are counted and do not stop the scan.",
    version: 2,
    group: Group::Surface,
    short: "The full LBA range sequentially, every I/O timed",
    shortest: &["extent=8MiB"],
    #[rustfmt::skip]
    settings: &[
        SCANNED_EXTENT.with_values(["1GiB", "whole", "whole"]),
        Setting::count("ends", "positions to scan at either end, out of 1,024; 0 for the whole extent", 0..=512, ["0"; 3]),
        BLOCK,
        OPS,
    ],
    ..Card::PLAIN
};

impl Method for FullScan {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn respects_zones(&self, settings: &Settings) -> bool {
        settings.count("ends") == 0
    }

    fn on_zoned(&self) -> &'static str {
        "it resets them and writes them sequentially; refused where it writes both ends alone"
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        let ops = ops_of(settings, on);
        let parts = parts(settings, on);
        let spans = parts.iter().map(|(_, span, _)| *span);
        let spans: Vec<Span> = spans.chain(rest(settings, on)).collect();
        let scanned = Bytes::new(spans.iter().map(|span| span.len.get()).sum());
        let mut forecast = forecast_of(extent(settings, "extent", on), scanned, &ops);
        if parts.len() > 1 && !forecast.written.is_empty() {
            forecast.written = spans;
        }
        forecast.reads_as_found = ops.contains(&Op::Read);
        if forecast.reads_as_found && is_read_again(Op::Read, &parts) {
            let position = scanned.get() / u64::from(POSITIONS);
            let again =
                Bytes::new(position * read_again::most(POSITIONS.into())) + CACHED.min(scanned);
            forecast.reads = forecast.reads.map(|reads| reads.saturating_add(again));
            forecast.takes = forecast.takes.and_reading(again);
        }
        forecast
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        let run = &mut Run::new(settings, bench);
        let parts = parts(settings, &run.on);
        let (mut passes, mut missing) = (Vec::new(), Vec::new());
        for op in ops_of(settings, &run.on) {
            let all = run.extent("extent");
            let block = settings.size("block").max(run.on.block);
            let cannot = match op {
                Op::Write => emptied(run.bench, all, block)?,
                _ => unreadable(run.bench, all)?,
            };
            if let Some(why) = cannot {
                let key = format!("{}.mean", op.name());
                let none = Origin::default().figure(&key, "MB/s", Better::Higher);
                missing.push(withheld(none, why));
                continue;
            }
            let mut pass = scan(op, &parts, run)?;
            if let Some(rest) = rest(settings, &run.on) {
                let work = workload(op, rest, 1, settings);
                let record = run.bench.phase(&format!("{} the rest", op.name()), &work)?;
                pass.add_rest(record);
            }
            passes.push(pass);
        }
        Ok(MethodOutput {
            figures: passes
                .iter()
                .flat_map(Pass::figures)
                .chain(missing)
                .collect(),
            charts: charts(&passes),
            ..MethodOutput::default()
        })
    }
}

/// What is scanned: the name of a phase's part, where it is, and how many positions it has.
fn parts(settings: &Settings, on: &Info) -> Vec<(&'static str, Span, u32)> {
    let whole = extent(settings, "extent", on);
    let block = settings.size("block").max(on.block);
    let position = Bytes::new(whole.get() / u64::from(POSITIONS)).round_down(block);
    let ends = settings.count("ends");
    let end = position * ends;
    if end.is_zero() || end + end >= whole {
        return vec![("", Span::first(in_whole_blocks(whole, block)), POSITIONS)];
    }
    let count = u32::try_from(ends).unwrap_or(POSITIONS);
    let last = Span::new(whole.saturating_sub(end).round_down(block), end);
    vec![
        (" the first part", Span::first(end), count),
        (" the last part", last, count),
    ]
}

/// The whole I/Os of a range; one shorter than an I/O is used as it is.
fn in_whole_blocks(whole: Bytes, block: Bytes) -> Bytes {
    let blocks = whole.round_down(block);
    if blocks.is_zero() { whole } else { blocks }
}

/// The remainder of the range after the last whole I/O. It is scanned for errors; its response is that of a shorter I/O
/// and not comparable with the others.
fn rest(settings: &Settings, on: &Info) -> Option<Span> {
    let whole = extent(settings, "extent", on);
    let start = in_whole_blocks(whole, settings.size("block").max(on.block));
    let len = whole.saturating_sub(start);
    (!len.is_zero()).then(|| Span::new(start, len))
}

/// All parts in one direction.
fn scan(op: Op, parts: &[(&'static str, Span, u32)], run: &mut Run<'_>) -> Result<Pass, Stopped> {
    let settings = run.settings;
    let (mut pass, mut visited) = (Pass::new(op), Vec::new());
    for (name, span, positions) in parts {
        let work = workload(op, *span, *positions, settings);
        let name = format!("{}{name}", op.name());
        let record = run.bench.phase(&name, &work)?;
        if is_read_again(op, parts) {
            visited = Place::all_of(record.job());
        }
        pass.positions
            .extend(record.job().bins.iter().flat_map(self::positions));
        pass.add(record);
        let block = settings.size("block").max(run.on.block);
        if span.len == in_whole_blocks(run.on.capacity.round_down(run.on.block), block) {
            pass.origin.is_of_the_whole(run.bench.whole());
        }
    }
    if let [(_, first, positions), (_, last, _)] = parts {
        // By their share of the surface, as a whole one is called whole however large it is: drives of two sizes compare.
        let surface =
            match extent(settings, "extent", &run.on) == run.on.capacity.round_down(run.on.block) {
                true => run.bench.whole(),
                false => Span::first(last.end()).said(),
            };
        let ends = [
            ("n", (*positions).into()),
            ("positions", POSITIONS.into()),
            ("surface", surface.into()),
        ];
        pass.origin.by.span = Message::new("span-ends", ends);
        pass.between = Some(Between {
            positions: *positions as usize,
            from: first.end(),
            covered: first.len + last.len,
            of: last.end(),
        });
    }
    let others = Some(Span::first(CACHED));
    read_again::read(&visited, others, run, |suspect| {
        let mut work = workload(op, suspect.span, 1, settings);
        work.stop.time = Some(suspect.at_most);
        work
    })?;
    Ok(pass)
}

/// Whether slow positions of this direction are read again: two ends are too few for neighbours.
fn is_read_again(op: Op, parts: &[(&'static str, Span, u32)]) -> bool {
    op == Op::Read && parts.len() == 1
}

fn workload(op: Op, span: Span, positions: u32, settings: &Settings) -> Workload {
    let block = settings.size("block").min(span.len);
    let job = Job::closed(op.name(), op, Order::Sequential, span, block, 1);
    let stop = Stop::after_passes(1);
    let mut work = Workload::single(job, stop, settings.seed);
    work.keep.bins = Some(positions);
    work.keep.interval = Some(INTERVAL);
    work
}

fn positions(bins: &AddressBins) -> Vec<Position> {
    let position = |(i, bin): (usize, &base::record::AddressBin)| {
        Some(Position {
            at: bins.start_of(i),
            low: bin.slowest_rate()?.mb_s(),
            mean: bin.rate()?.mb_s(),
            high: bin.fastest_rate()?.mb_s(),
        })
    };
    bins.bins.iter().enumerate().filter_map(position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::fault::{Faults, Faulty};
    use base::method::Scale;

    #[test]
    fn what_is_shorter_than_an_access_is_scanned_for_errors_and_not_timed() {
        // 43,690 I/Os of 96 KiB, and 64 KiB with a bad sector in them.
        let bad = Span::new(Bytes::gib(4).saturating_sub(Bytes::SECTOR), Bytes::SECTOR);
        let faults = Faults {
            bad: vec![bad],
            ..Faults::default()
        };
        let mut bench = BenchDouble::new(Faulty::new(drive(), faults));
        let given = settings("full-scan", Scale::Full, &["ops=read", "block=96KiB"]);
        let output = output_of("full-scan", &given, &mut bench);
        assert!((value(&output, "read.errors") - 1.0).abs() < 1e-9);
        let least = output.figures.iter().find(|f| f.key == "read.response.min");
        assert_eq!(least.unwrap().n, 43_690);
        assert_eq!(output.figures[0].comparable_by.span, "whole surface");
    }

    #[test]
    fn slow_positions_are_read_again_when_no_cache_holds_them_any_more() {
        let slow_at = |start: u64| {
            let faults = Faults {
                slow: vec![Span::new(Bytes::mib(start), Bytes::mib(3))],
                slow_by: Duration::from_millis(20),
                ..Faults::default()
            };
            let mut bench = BenchDouble::new(Faulty::new(drive(), faults));
            let given = settings("full-scan", Scale::Full, &["ops=read"]);
            output_of("full-scan", &given, &mut bench);
            let again = bench.phases.iter().skip(1);
            let again = again.map(|phase| (phase.name.clone(), phase.workload.jobs[0].span));
            again.collect::<Vec<_>>()
        };
        // Positions of 4 MiB.
        let place = Span::new(Bytes::mib(1_000), Bytes::mib(4));
        assert_eq!(slow_at(1_001), [("read again 1".to_owned(), place)]);
        // Two neighbours are one group.
        assert_eq!(slow_at(2_002).len(), 1);
        let [(others, before), (name, span)] = &slow_at(4_001)[..] else {
            panic!("the drive may hold it in its cache")
        };
        assert_eq!(
            (others.as_str(), *before),
            ("read others", Span::first(Bytes::mib(512)))
        );
        assert_eq!(
            (name.as_str(), span.start),
            ("read again 1", Bytes::mib(4_000))
        );
    }

    #[test]
    fn a_position_that_is_slow_again_is_left_when_that_is_settled() {
        let faults = Faults {
            slow: vec![Span::new(Bytes::mib(1_000), Bytes::mib(4))],
            slow_by: Duration::from_millis(500),
            ..Faults::default()
        };
        let mut bench = BenchDouble::new(Faulty::new(drive(), faults));
        let given = settings("full-scan", Scale::Full, &["ops=read"]);
        output_of("full-scan", &given, &mut bench);
        // 64 reads that are held back by half a second each.
        let again = &bench.phases[1];
        assert!((2..=4).contains(&again.ios()), "{}", again.ios());
    }

    #[test]
    fn a_scan_of_the_ends_finds_there_what_a_whole_scan_finds() {
        // 1,024 positions of 4 MiB; one bad sector in the last.
        let bad_end = || {
            let bad = Span::new(Bytes::gib(4).saturating_sub(Bytes::mib(2)), Bytes::kib(64));
            let faults = Faults {
                bad: vec![bad],
                ..Faults::default()
            };
            BenchDouble::new(Faulty::new(drive(), faults))
        };
        let scanned = |given: &[&str]| {
            let mut bench = bad_end();
            let output = output_of(
                "full-scan",
                &settings("full-scan", Scale::Full, given),
                &mut bench,
            );
            (output, bench.phases.len())
        };
        let (whole, one) = scanned(&["ops=read"]);
        let (ends, two) = scanned(&["ops=read", "ends=8"]);
        assert_eq!((one, two), (1, 2));
        let keys = [
            "read.outermost.top",
            "read.outermost.bottom",
            "read.innermost.top",
            "read.innermost.bottom",
        ];
        for key in keys {
            assert!(
                (value(&whole, key) - value(&ends, key)).abs() < 1e-6,
                "{key}"
            );
        }
        // What two ends cannot say: a mean, and that there are no errors anywhere. 16 positions of 1,024 were scanned.
        let of = |key: &str| ends.figures.iter().find(|figure| figure.key == key);
        let mean = of("read.mean").unwrap();
        assert_eq!(mean.value, None);
        assert!(mean.why_not.as_ref().unwrap().contains("quick-scan"));
        assert!((value(&ends, "read.covered") - 100.0 / 64.0).abs() < 1e-9);
        assert!(!of("read.errors").unwrap().comparable_by.whole);
        assert!(
            whole
                .figures
                .iter()
                .all(|figure| figure.key != "read.covered")
        );
        // And nothing is drawn between them.
        let curve = &ends.charts[0].curves[0];
        assert_eq!((curve.y.len(), curve.y[8]), (17, None));
        assert!((curve.x[8] - Bytes::mib(32).get() as f64).abs() < 0.5);
        assert_eq!(curve.low.as_ref().unwrap()[8], None);
        assert!((value(&ends, "read.errors") - 1.0).abs() < 1e-9);
        // Sixteen positions of 4 MiB, less the bad I/O.
        let ios = 16 * Bytes::mib(4).get() / 65_536 - 1;
        let reads = ends
            .figures
            .iter()
            .find(|f| f.key == "read.response.min")
            .unwrap();
        assert_eq!(reads.n, ios);
        assert_eq!(
            ends.figures[0].comparable_by.span,
            "the first and the last 8 of 1024 positions of whole surface"
        );
    }
}
