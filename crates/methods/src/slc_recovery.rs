//! SLC recovery: how much of the fast cache idle time recovers.
//!
//! **What it measures.** How much can be written at full speed again when a drive whose cache (flash in SLC mode) was
//! used up has been idle for seconds or minutes: fast volume against idle time.
//!
//! **Who published it.** Reviewers of SSDs with such a cache, who fill it, wait, and fill it again.
//!
//! **Protocol.** As in `slc-fill` the extent is written once sequentially and the position of the drop is located.
//! Then, for idle times from the shortest, doubled up to the longest: the drive is left idle, and the cache's size plus
//! a quarter is written, so that the cache is used up again at the end of each refill. Each refill goes to its own
//! addresses, as far as the extent allows: data that is overwritten while still in the cache need not be moved out of
//! it, and the cache would seem to recover at once. The rates before and after the drop are known by then, so the end
//! of the fast volume is found by a least-squares fit of two segments, one at each rate, to the width of a bin of the
//! curve, however short the fast segment is. Each refill is checked to end at the slow rate; otherwise the volume is
//! all that was written.
//!
//! **What it cannot tell.** The DRAM write buffer is counted with the cache, even without idle time. A drive that
//! empties its cache during writes shows more than it had. A drive that accepts everything at one speed has no cache
//! that could recover.

use base::{
    Better, Bytes, Card, Chart, Curve, Duration, Figure, Forecast, Group, Info, Message, Needs,
    Rate, Setting, Settings, Span, Stopped, Takes, splitmix64,
};
use std::ops::RangeInclusive;

use base::chart::{Axis, Design, Text, designs};

use crate::areas::forecast;
use crate::figures::{Origin, or_why, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{DATA, DEPTH, extent, millis, part, seconds};
use crate::slc_fill::{BLOCK, FILL, Filled, Part, workload};
use stats::falls::place_between;

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "slc-recovery",
    title: "SLC recovery",
    publisher: "after reviewers of SSDs with a fast cache",
    summary: "Fills the drive until its fast cache is used up, leaves it idle for 5 s to 10 min, and fills again: fast volume by idle time.",
    version: 1,
    group: Group::Inside,
    short: "SLC cache recovered by idle time",
    needs: &[Needs::Writing],
    shortest: &["extent=8MiB", "shortest=100ms", "longest=100ms"],
    #[rustfmt::skip]
    settings: &[
        part("extent", "how much is written first, from the start; each refill is the cache size plus a quarter, at most this much", ["1GiB", "512GiB", "whole"]),
        BLOCK,
        DEPTH,
        Setting::time("shortest", "the first idle time; each next one is twice as long", REST, ["5s"; 3]),
        Setting::time("longest", "the last idle time", REST, ["10s", "80s", "10min"]),
        DATA,
    ],
    ..Card::PLAIN
};

const REST: RangeInclusive<Duration> = millis(100)..=seconds(86_400);

/// From the shortest, doubled, up to the longest.
fn rests(settings: &Settings) -> Vec<Duration> {
    let longest = settings.time("longest");
    let doubled = std::iter::successors(Some(settings.time("shortest")), |rest| {
        Some(rest.saturating_mul(2))
    });
    let mut rests: Vec<Duration> = doubled.take_while(|rest| *rest < longest).collect();
    rests.push(longest);
    rests
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let extent = extent(settings, "extent", on);
    let fills = if on.writable {
        1 + rests(settings).len() as u64
    } else {
        0
    };
    let rests = rests(settings)
        .into_iter()
        .fold(Duration::ZERO, Duration::saturating_add);
    let mut takes = Takes::moving(extent * fills);
    if on.writable {
        takes = takes.and_idle(rests);
    }
    Forecast {
        reads: Some(Bytes::ZERO),
        writes: Some(extent * fills),
        ..forecast(extent, on.writable, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("cache.size", "GB", Better::Higher);
    }
    let span = run.extent("extent");
    let work = workload(span, settings, &run.on);
    let record = run.bench.phase("fill", &work)?;
    let filled = Filled::of(record, run.on.capacity);
    run.output.figures = filled.figures("", record, &Origin::of(record));
    run.output.charts = vec![filled.chart("fill", FILL)];
    let levels = (
        filled.fallen_at(),
        filled.rate(Part::Before),
        filled.rate(Part::After),
    );
    let (Some(size), Some(fast), Some(slow)) = levels else {
        let note = Message::new("note-no-drop", [("span", span.len.into())]);
        run.output.notes.push(note);
        return Ok(());
    };
    let again = Bytes::new(size.get() / 4 * 5).min(span.len);
    // Whole MiB, so that no refill begins inside a page.
    let mib = again.round_down(Bytes::mib(1).max(run.on.block));
    let again = if mib.is_zero() { span.len } else { mib };
    let places = span.len.get() / again.get().max(1);
    if places < 2 {
        run.output.notes.push(Message::of("note-one-refill"));
    }
    let mut points = Vec::new();
    for (rest, nth) in rests(settings).into_iter().zip(1..) {
        let name = format!("after {}", words(rest));
        run.bench.idle(&format!("rest of {}", words(rest)), rest)?;
        let part = Span::new(again * (nth % places), again);
        let (figure, volume) = refill(&name, part, [fast, slow], run)?;
        run.output.figures.push(figure);
        points.push((rest.as_secs_f64(), volume));
    }
    let figure = half_back(size, &points, &run.output.figures[0]);
    run.output.figures.push(figure);
    run.output.charts.push(chart(&points));
    Ok(())
}

/// `5 s`, `2.5 s`.
fn words(rest: Duration) -> String {
    format!("{} s", rest.as_secs_f64())
}

/// Writes a part again: how much of it went fast, in GB.
fn refill(
    name: &str,
    part: Span,
    [fast, slow]: [f64; 2],
    run: &mut Run<'_>,
) -> Result<(Figure, f64), Stopped> {
    let mut work = workload(part, run.settings, &run.on);
    work.seed = splitmix64(run.settings.seed ^ splitmix64(part.start.get()));
    let record = run.bench.phase(&format!("fill {name}"), &work)?;
    let bins = record.job().bins.iter();
    let rates: Vec<f64> = bins
        .clone()
        .flat_map(|bins| &bins.bins)
        .map(|bin| bin.rate().map_or(0.0, Rate::mb_s))
        .collect();
    let width = bins.map(|bins| bins.width.get()).sum::<u64>() as f64;
    let volume = (place_between(&rates, fast, slow) * width).min(part.len.get() as f64) / 1e9;
    let key = format!("{}.volume", name.replace(' ', "-").replace("-s", "s"));
    let figure = Origin::of(record).figure(&key, "GB", Better::Higher);
    let made = Message::of("made-refill-cut");
    let figure = valued(figure, Some(volume), made, rates.len() as u64);
    Ok((figure, volume))
}

/// The shortest idle time after which half of the cache has recovered.
fn half_back(size: Bytes, points: &[(f64, f64)], like: &Figure) -> Figure {
    let half = size.get() as f64 / 2e9;
    let back = points.iter().find(|(_, volume)| *volume >= half);
    let figure = Origin::like(like).figure("half-back_s", "s", Better::Lower);
    let (rest, made) = (back.map(|(rest, _)| *rest), Message::of("made-half-back"));
    let figure = valued(figure, rest, made, points.len() as u64);
    or_why(figure, "why-not-half-back")
}

/// x: seconds of idle time; y: GB (10^9).
const VOLUME_BY_REST: Design = Design::panels(
    Text::new("Fast volume by rest", "休止時間別の高速書き込み量"),
    Text::new(
        "GB that are written fast again after a rest.",
        "休止後に再び高速で書き込める量 (GB)。",
    ),
    Axis::linear(Text::new("Rest", "休止時間"), "s"),
    Axis::linear(designs::AMOUNT, "GB"),
);

/// Fast volume against idle time.
fn chart(points: &[(f64, f64)]) -> Chart {
    let points = points.iter().map(|(rest, volume)| (*rest, Some(*volume)));
    let curve = Curve::through("write", points);
    Chart::new("recovery.volume", VOLUME_BY_REST, vec![curve])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slc_fill::tests::Cliff;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn rests_double_up_to_the_longest() {
        let settings = settings("slc-recovery", Scale::Full, &[]);
        let seconds: Vec<f64> = rests(&settings).iter().map(|r| r.as_secs_f64()).collect();
        assert_eq!(seconds, [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 600.0]);
    }

    #[test]
    fn the_volume_grows_with_the_rest_as_the_cache_is_cleared() {
        let given = ["depth=1", "longest=20s"];
        let settings = settings("slc-recovery", Scale::Quick, &given);
        // 200 MiB at first; 10 MiB come back in a second of rest.
        let cliff = Cliff::recovering(Bytes::mib(200), Bytes::mib(10));
        let output = output_of("slc-recovery", &settings, &mut BenchDouble::new(cliff));
        let size = value(&output, "cache.size") * 1e9 / f64::from(1 << 20);
        assert!((size - 200.0).abs() < 2.0, "{size}");
        for (rest, mib) in [(5, 50.0), (10, 100.0), (20, 200.0)] {
            let volume = value(&output, &format!("after-{rest}s.volume"));
            let found = volume * 1e9 / f64::from(1 << 20);
            assert!((found - mib).abs() < 3.0, "{rest}: {found}");
        }
        assert!((value(&output, "half-back_s") - 10.0).abs() < 1e-9);
        let chart = output.charts.last().unwrap();
        assert_eq!(chart.curves[0].x, [5.0, 10.0, 20.0]);
    }

    #[test]
    fn without_a_fall_nothing_is_waited_for() {
        let settings = settings("slc-recovery", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("slc-recovery", &settings, &mut bench);
        assert_eq!(bench.phases.len(), 1);
        assert!(output.notes[0].contains("does not drop"));
    }
}
