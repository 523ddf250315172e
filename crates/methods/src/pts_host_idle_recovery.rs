//! PTS host idle recovery: bursts of writes separated by idle time, in steady state.
//!
//! **What it measures.** How a drive in steady state uses idle time: how much faster it writes after 5, 10, 15, 25 and
//! 50 idle seconds, and whether it falls back to its steady level.
//!
//! **Who published it.** SNIA, Solid State Storage Performance Test Specification (Enterprise 1.1, one document since
//! 2.0), the host idle recovery test.
//!
//! **Protocol.** The extent is purged (trimmed), and written twice sequentially, 128 KiB per I/O. Random writes of 4
//! KiB follow in rounds of half an hour until steady state: over five rounds the maximum and minimum IOPS differ by no
//! more than 20 % of the mean, and the fitted line changes by no more than 10 % of it (after 25 rounds the test
//! continues regardless, with a warning). Then, for each idle time of 5, 10, 15, 25 and 50 s (1, 2, 3, 5 and 10 times
//! the burst): 360 times a burst of 5 s of such writes and the idle time; then half an hour of writes without idle
//! time, back to the steady level. Figures are medians over the bursts of an idle time, and their ratio to the steady
//! level.
//!
//! **What it cannot tell.** A drive that needs minutes to recover. The purge is a trim, not a secure erase, and the
//! drive's write cache stays as it is: if a cache absorbs a burst, the burst measures the cache. In a small extent the
//! steady level itself is that of a fast cache, which the bursts use up and which only the longer idle times empty:
//! ratios would rise and fall with the idle times, so none is given if only a part of the drive is used.

use base::chart::{Axis, Design, Text};
use base::{
    Better, Card, Chart, Curve, Duration, Figure, Forecast, Group, Info, Message, Setting,
    Settings, Stopped, Takes, Workload, splitmix64,
};
use stats::median_interval;

use crate::figures::{Origin, conditions, valued};
use crate::pts::rounds::{Made, Measured, Rounds, Stimulus};
use crate::pts::{
    DEPTH, EXTENT, LENGTH, NEEDS, PUBLISHER, ROUNDS, THREADS, begin_writes, condition, in_rounds,
    timed, withhold_of_part,
};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::extent;

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Rests, in bursts: the specification's wait states 1, 2, 3, 5 and 10.
const RESTS: [u64; 5] = [1, 2, 3, 5, 10];

static CARD: Card = Card {
    id: "pts-host-idle-recovery",
    title: "SNIA PTS host idle recovery",
    publisher: PUBLISHER,
    summary: "In steady state, bursts of 5 s of random writes separated by 5, 10, 15, 25 and 50 s of idle time: IOPS after each idle time relative to the steady level.",
    version: 2,
    group: Group::Standard,
    short: "Performance recovered by idle time in steady state",
    needs: NEEDS,
    shortest: &["extent=4MiB", "time=5ms", "burst=2ms", "baseline=2ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT,
        Setting::time("time", "length of a round before steady state", LENGTH, ["20ms", "2s", "30min"]),
        ROUNDS,
        Setting::time("burst", "length of a burst; the idle times are 1, 2, 3, 5 and 10 times as long", LENGTH, ["10ms", "5s", "5s"]),
        Setting::count("bursts", "bursts for each idle time", 1..=10_000, ["3", "3", "360"]),
        Setting::time("baseline", "length of the writes without idle time after each idle time", LENGTH, ["10ms", "5s", "30min"]),
        THREADS,
        DEPTH,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let span = extent(settings, EXTENT.key, on);
    let until_steady = in_rounds(span, 1, settings, on);
    if !on.writable {
        return until_steady;
    }
    let (burst, bursts) = (settings.time("burst"), settings.count("bursts"));
    let of_rests = |times: &u64| {
        let rest = burst.saturating_mul(*times);
        let bursts = Takes::timed(burst).and_idle(rest).times(bursts);
        bursts.and(Takes::timed(settings.time("baseline")))
    };
    let rests = RESTS.iter().map(of_rests);
    Forecast {
        takes: rests.fold(until_steady.takes, Takes::and),
        ..until_steady
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let main = ("steady.iops", "IOPS", Better::Higher);
    let Some((span, job)) = begin_writes(main, run)? else {
        return Ok(());
    };
    condition("", span, run)?;
    let work = |time: Duration| timed(job.clone(), time, settings.seed);
    let level = until_steady(work(settings.time("time")), run)?;
    let mut curves = Vec::new();
    for times in RESTS {
        let rest = settings.time("burst").saturating_mul(times);
        let bursts = bursts(times, rest, &work, run)?;
        let name = name_of(rest);
        run.output.figures.extend(figures(
            &name,
            &bursts,
            level,
            &work(settings.time("burst")),
        ));
        curves.push(curve(&name, &bursts, level));
        let mut baseline = work(settings.time("baseline"));
        baseline.seed = splitmix64(settings.seed ^ times << 32);
        let record = run.bench.phase(&format!("after {name}"), &baseline)?;
        let key = format!("{name}.afterwards.iops");
        let start = Origin::of(record).figure(&key, "IOPS", Better::Higher);
        let statistic = Message::of("made-after-rests");
        let figure = valued(start, record.iops(), statistic, record.ios());
        run.output.figures.push(figure);
    }
    withhold_of_part(&mut run.output.figures, span, &run.on);
    run.output.charts.push(Chart::new("bursts", BURSTS, curves));
    Ok(())
}

/// x: number of the burst, from 1; y: per cent of the level without idle time.
const BURSTS: Design = Design::panels(
    Text::new("Bursts between rests", "休止をはさむ書き込み"),
    Text::new(
        "Each burst of writes after a rest, in % of the drive's level without rests.",
        "休止後の各書き込み。休止なしの水準に対する %。",
    ),
    Axis::linear(Text::new("Burst", "回"), ""),
    Axis::linear(
        Text::new(
            "Share of the level without rests",
            "休止なしの水準に対する割合",
        ),
        "%",
    ),
);

/// Rounds until the drive is steady; hands back its level.
fn until_steady(work: Workload, run: &mut Run<'_>) -> Result<f64, Stopped> {
    let stimuli = [Stimulus {
        key: "writes".to_owned(),
        curve: Some("write".to_owned()),
        work,
    }];
    let iops = |measured: &Measured| measured.iops;
    let rounds = Rounds {
        name: "",
        of: "before the rests",
        stimuli: &stimuli,
        followed: 0,
        follow: iops,
    };
    let level = |made: &Made| {
        let start = made
            .origin(0, &stimuli[0].work)
            .figure("steady.iops", "IOPS", Better::Higher);
        made.mean(start, 0, iops)
    };
    let made = rounds.make(run, |made, _| vec![level(made)])?;
    Ok(level(&made).value.unwrap_or(0.0))
}

/// `rest-5s`, `rest-500ms`.
fn name_of(rest: Duration) -> String {
    let millis = rest.as_nanos() / 1_000_000;
    match millis % 1_000 {
        0 if millis > 0 => format!("rest-{}s", millis / 1_000),
        _ => format!("rest-{millis}ms"),
    }
}

/// Bursts, each followed by idle time.
fn bursts(
    times: u64,
    rest: Duration,
    work: &dyn Fn(Duration) -> Workload,
    run: &mut Run<'_>,
) -> Result<Vec<Measured>, Stopped> {
    let settings = run.settings;
    let name = name_of(rest);
    let mut bursts = Vec::new();
    for number in 1..=settings.count("bursts") {
        let mut burst = work(settings.time("burst"));
        burst.seed = splitmix64(settings.seed ^ times << 32 ^ number);
        let record = run.bench.phase(&format!("{name} burst {number}"), &burst)?;
        let mut measured = Measured::of(record);
        measured.latencies = base::record::Latencies::default();
        bursts.push(measured);
        run.bench.idle(&format!("{name} rest {number}"), rest)?;
    }
    Ok(bursts)
}

/// The bursts after idle time, which is all but the first one, if there are more.
fn after_a_rest(bursts: &[Measured]) -> &[Measured] {
    match bursts {
        [_, rested @ ..] if !rested.is_empty() => rested,
        all => all,
    }
}

fn figures(name: &str, bursts: &[Measured], level: f64, work: &Workload) -> [Figure; 2] {
    let rested = after_a_rest(bursts);
    let origin = Origin {
        by: conditions(work),
        phases: rested.iter().map(|burst| burst.phase.clone()).collect(),
    };
    let values: Vec<f64> = rested.iter().map(|burst| burst.iops).collect();
    let n = values.len() as u64;
    let worked = values.iter().any(|iops| *iops > 0.0);
    let middle = stats::median(&values).filter(|_| worked);
    let key = format!("{name}.iops");
    let start = origin.figure(&key, "IOPS", Better::Higher);
    let mut iops = valued(start, middle, Message::of("made-bursts"), n);
    iops.interval = median_interval(&values).filter(|_| worked);
    let key = format!("{name}.of-steady");
    let start = origin.figure(&key, "%", Better::Higher);
    let share = middle
        .filter(|_| level > 0.0)
        .map(|middle| 100.0 * middle / level);
    let share = valued(start, share, Message::of("made-bursts-of-steady"), n);
    [iops, share]
}

fn curve(name: &str, bursts: &[Measured], level: f64) -> Curve {
    let percent = |burst: &Measured| (level > 0.0).then(|| 100.0 * burst.iops / level);
    let numbers = (1..=bursts.len()).map(|number| number as f64);
    Curve::through(name, numbers.zip(bursts.iter().map(percent)))
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, drive_of, output_of, settings, value};
    use base::method::Scale;
    use base::size::Bytes;
    use base::time::Duration;

    #[test]
    fn of_a_part_of_a_drive_no_share_of_a_steady_level_is_given() {
        let settings = settings("pts-host-idle-recovery", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("pts-host-idle-recovery", &settings, &mut bench);
        let shares = output
            .figures
            .iter()
            .filter(|f| f.key.ends_with(".of-steady"));
        let whys: Vec<&str> = shares.filter_map(|f| f.why_not.as_deref()).collect();
        assert_eq!(whys.len(), 5);
        assert!(whys[0].contains("extent=whole"), "{}", whys[0]);
        assert!(value(&output, "rest-50ms.iops") > 0.0);
    }

    #[test]
    fn bursts_are_five_seconds_long_and_rests_are_the_specifications_own() {
        let given = ["extent=16MiB", "time=100ms", "bursts=2", "baseline=1s"];
        let settings = settings("pts-host-idle-recovery", Scale::Full, &given);
        let mut bench = BenchDouble::new(drive_of(Bytes::mib(16)));
        let output = output_of("pts-host-idle-recovery", &settings, &mut bench);
        for rest in [5, 10, 15, 25, 50] {
            let at = |number: u64| {
                let name = format!("rest-{rest}s burst {number}");
                let phase = bench.phases.iter().find(|p| p.name == name);
                phase.unwrap_or_else(|| panic!("{name}"))
            };
            let (first, second) = (at(1), at(2));
            assert!(first.took >= Duration::from_secs(5));
            let between = second.began.since(first.began + first.took);
            assert_eq!(between, Duration::from_secs(rest));
            let share = value(&output, &format!("rest-{rest}s.of-steady"));
            assert!((share - 100.0).abs() < 0.1, "{share}");
        }
    }
}
