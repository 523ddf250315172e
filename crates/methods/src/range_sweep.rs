//! Range sweep: random reads over a growing part of the drive.
//!
//! **What it measures.** How much of a drive its map cache covers: random reads within that range are fast; beyond it
//! each read may first have to fetch part of the map from flash.
//!
//! **Who published it.** Reviews of DRAM-less drives, with TxBENCH and similar tools: 4 KiB random reads at queue depth
//! 32 over 1 GB, 2 GB, 4 GB and so on. Writing the drive before, sequentially or at random, is our addition, since the
//! map of sequential data may be smaller.
//!
//! **Protocol.** The drive is written; then for each range, from the first, doubled up to the whole drive, a warm-up
//! that is not counted, and a run. Ranges are powers of two. The knee is the first range whose speed is below 90 % of
//! the median of all smaller ranges' speeds, provided that the same holds for every larger range.
//!
//! **What it cannot tell.** The behaviour at queue depth 1, where a map fetch shows more; and whether a larger range is
//! slower because of the map or because another part of the drive is slower.

use base::chart::{Axis, Design, Text, designs};
use base::{
    Better, Bytes, Card, Chart, Curve, Figure, Fill, Forecast, Group, Info, Job, Message, Needs,
    Op, Order, PhaseRecord, Setting, Settings, Span, Stop, Stopped, Takes, Workload,
};
use stats::median;

use crate::areas::{ONE_PASS, access, forecast, prepared};
use crate::figures::{Origin, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{extent, millis, part, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Below this share of the plateau the speed has fallen.
const FALLEN: f64 = 0.9;

static CARD: Card = Card {
    id: "range-sweep",
    title: "Range sweep",
    publisher: "after TxBENCH (Texim) as reviews of SSDs without DRAM use it",
    summary: "4 KiB random reads at queue depth 32 over 1 GiB, 2 GiB, 4 GiB and so on up to the whole drive: how much of it the map cache covers.",
    version: 1,
    group: Group::Inside,
    short: "Random reads by range: extent of the map cache",
    needs: &[Needs::Flash("it has no mapping table, and so no map cache")],
    shortest: &["first=2MiB", "extent=8MiB", "time=20ms", "warm=0"],
    #[rustfmt::skip]
    settings: &[
        part("first", "the smallest range", ["256MiB", "1GiB", "1GiB"]),
        part("extent", "the largest range", ["1GiB", "whole", "whole"]),
        Setting::choice("written", "how the drive is written before, if it is writable", &["in-order", "at-random", "not"], ["in-order"; 3]),
        Setting::size("size", "bytes per read", Bytes::SECTOR..=Bytes::mib(1), ["4KiB"; 3]),
        Setting::count("depth", "reads in flight", 1..=1_024, ["32"; 3]),
        Setting::time("warm", "warm-up before each run, not counted", seconds(0)..=seconds(3_600), ["20ms", "500ms", "2s"]),
        Setting::time("time", "length of each run", millis(10)..=seconds(3_600), ["50ms", "1s", "5s"]),
    ],
    ..Card::PLAIN
};

/// From the first range, doubled, up to the whole extent.
fn ranges(settings: &Settings, on: &Info) -> Vec<Bytes> {
    let whole = extent(settings, "extent", on);
    let mut range = extent(settings, "first", on).min(whole);
    let mut ranges = Vec::new();
    while range < whole {
        ranges.push(range);
        range = range.saturating_add(range);
    }
    ranges.push(whole);
    ranges
}

fn writes(settings: &Settings, on: &Info) -> bool {
    on.writable && settings.text("written") != "not"
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let extent = extent(settings, "extent", on);
    let writes = writes(settings, on);
    let each = settings.time("warm") + settings.time("time");
    let written = prepared(extent, writes);
    let pages = match settings.text("written") {
        "in-order" => 0,
        _ => written.get() / access(Bytes::kib(4), on).get(),
    };
    let takes = Takes::timed(each.saturating_mul(ranges(settings, on).len() as u64))
        .and_moving(written)
        .and_accesses(pages);
    Forecast {
        writes: Some(written),
        ..forecast(extent, writes, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if writes(settings, &run.on) {
        write(run)?;
    }
    let mut speeds = Vec::new();
    run.tell_grown(&[settings.size("size")]);
    let mut origin = Origin::default();
    for range in ranges(settings, &run.on) {
        let name = format!("reads over {range}");
        let work = |time, salt| {
            let size = access(settings.size("size"), &run.on);
            let depth = u32::try_from(settings.count("depth")).unwrap_or(32);
            let span = Span::first(range);
            let job = Job::closed("read", Op::Read, Order::Random, span, size, depth);
            let stop = Stop::after_time(time);
            Workload::single(job, stop, settings.seed ^ salt)
        };
        let warm = settings.time("warm");
        if !warm.is_zero() {
            run.bench
                .phase(&format!("{name} warm-up"), &work(warm, 1))?;
        }
        let reads = work(settings.time("time"), 0);
        let record = run.bench.phase(&name, &reads)?;
        run.output.figures.push(speed(range, record));
        speeds.push((range, record.iops(), record.rate().map(|r| r.mb_s())));
        origin.add(record);
    }
    origin.by.span =
        (speeds.last()).map_or_else(Message::default, |s| Message::as_it_stands(s.0.to_string()));
    run.output.figures.extend(knee_figures(&speeds, &origin));
    run.output.charts.push(chart(&speeds));
    Ok(())
}

fn write(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("extent");
    if settings.text("written") == "in-order" {
        return run.write_in_order("write in order", span, Fill::FRESH);
    }
    let size = access(Bytes::kib(4), &run.on);
    let job = Job::closed("write", Op::Write, Order::RandomOnce, span, size, 32);
    let mut work = Workload::single(job, ONE_PASS, settings.seed);
    work.flush_at_end = true;
    run.bench.phase("write at random", &work)?;
    Ok(())
}

type Speed = (Bytes, Option<f64>, Option<f64>);

fn speed(range: Bytes, record: &PhaseRecord) -> Figure {
    let key = if range.is_multiple_of(Bytes::gib(1)) {
        format!("range.{}gib", range.get() >> 30)
    } else {
        format!("range.{}mib", range.get() >> 20)
    };
    let figure = Origin::of(record).figure(&key, "IOPS", Better::Higher);
    valued(figure, record.iops(), "mean", record.ios())
}

/// The first range from which on all speeds are fallen, and the plateau before it.
fn knee(speeds: &[f64]) -> Option<(usize, f64)> {
    (1..speeds.len()).find_map(|i| {
        let plateau = median(&speeds[..i])?;
        let fallen = |speed: &f64| *speed < FALLEN * plateau;
        speeds[i..].iter().all(fallen).then_some((i, plateau))
    })
}

fn knee_figures(speeds: &[Speed], origin: &Origin) -> Vec<Figure> {
    let measured: Vec<(Bytes, f64)> = speeds
        .iter()
        .filter_map(|(range, iops, _)| Some((*range, (*iops)?)))
        .collect();
    let iops: Vec<f64> = measured.iter().map(|(_, iops)| *iops).collect();
    let found = knee(&iops);
    let n = measured.len() as u64;
    let gib = found.map(|(i, _)| measured[i].0.get() as f64 / f64::from(1 << 30));
    let at = origin.figure("knee", "GiB", Better::None);
    let mut at = valued(at, gib, Message::of("made-knee"), n);
    if found.is_none() && n > 0 {
        let places = [("percent", "90".into())];
        at.why_not = Some(Message::new("why-no-slower-range", places));
    }
    let plateau = found.map(|(_, plateau)| plateau).or_else(|| median(&iops));
    let whole = iops.last().zip(plateau).map(|(last, p)| 100.0 * last / p);
    #[rustfmt::skip]
    let rows = [
        ("plateau", "IOPS", Better::Higher, plateau, "made-plateau", n),
        ("whole-of-plateau", "%", Better::Higher, whole, "made-largest-of-plateau", n),
    ];
    let mut figures = vec![at];
    figures.extend(origin.table("", &rows));
    figures
}

/// x: bytes of the range; y: MB/s (10^6).
const RATE_BY_RANGE: Design = Design::overlaid(
    Text::new(
        "Transfer rate by size of the range",
        "範囲の大きさ別の転送速度",
    ),
    Text::new(
        "One line for each drive: MB/s of reads scattered over a range from the beginning of the drive.",
        "ドライブごとに 1 本の線。先頭からの範囲に散らばる読み込みの転送速度 (MB/s)。",
    ),
    Axis::log2(Text::new("Size of the range", "範囲の大きさ"), "B"),
    Axis::adaptive(designs::RATE, "MB/s"),
);

fn chart(speeds: &[Speed]) -> Chart {
    let points = speeds
        .iter()
        .map(|(range, _, rate)| (range.get() as f64, *rate));
    let curve = Curve::through("read", points);
    Chart::new("ranges", RATE_BY_RANGE, vec![curve])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn the_knee_is_where_the_speed_falls_for_good() {
        let found = knee(&[100.0, 101.0, 99.0, 80.0, 100.0, 85.0, 60.0]);
        assert!(
            matches!(found, Some((5, p)) if (p - 100.0).abs() < 1e-9),
            "{found:?}"
        );
        assert_eq!(knee(&[100.0, 95.0, 91.0]), None);
        assert_eq!(knee(&[]), None);
    }

    #[test]
    fn a_target_without_a_map_has_no_knee_and_says_so() {
        let settings = settings(
            "range-sweep",
            Scale::Quick,
            &["extent=3GiB", "first=512MiB"],
        );
        let mut bench = BenchDouble::new(drive());
        let output = output_of("range-sweep", &settings, &mut bench);
        let knee = output.figures.iter().find(|f| f.key == "knee").unwrap();
        assert!(knee.value.is_none() && knee.why_not.is_some());
        let ranges: Vec<f64> = output.charts[0].curves[0].x.clone();
        let mib = |n: u64| Bytes::mib(n).get() as f64;
        assert_eq!(ranges, [512, 1_024, 2_048, 3_072].map(mib));
        assert!((value(&output, "plateau") - 10_000.0).abs() < 10.0);
        assert_eq!(bench.phases[0].bytes(), Bytes::gib(3));
    }
}
