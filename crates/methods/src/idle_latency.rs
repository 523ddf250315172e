//! Idle latency: the first I/O after idle time.
//!
//! **What it measures.** The latency of the first I/O after the drive was idle for a millisecond up to ten minutes, and
//! of the next one: what power saving of link or controller, a parked head or a stopped spindle costs the first
//! request.
//!
//! **Who published it.** Reviewers who measure a drive's wake-up latency and its idle power, and the makers' data
//! sheets, which give the time to leave each power state (NVMe: exit latency). The steps of the idle time are
//! drivelab's own.
//!
//! **Protocol.** The area is written once sequentially. For idle times of 1, 3, 10, 30 ms and so on up to the longest,
//! ten times each: 16 random reads of 4 KiB, one at a time, to wake the drive; the idle time, counted from completion
//! of the last of them; then two such reads back to back. Median and worst of the first and of the second are given.
//!
//! **What it cannot tell.** What was asleep: drive, link, or the host's own processor, whose sleep states also add to
//! the first I/O (compare with `null:` and with another drive in the same machine). Other software that uses the drive
//! during the idle time keeps it awake. A modelled drive without power states is equally fast after any idle time.

use base::{
    Better, Bytes, Card, Comparable, Duration, Figure, Forecast, Group, Info, Io, Latencies,
    PhaseRecord, Rng, Script, Setting, Settings, Stopped, Takes,
};

use crate::areas::{access, forecast, prepared};
use crate::chart::responses;
use crate::figures::{Origin, median_of, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{EXTENT, PREPARE, extent, millis, prepares, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Reads before each idle time.
const BEFORE: u64 = 16;
/// Bytes of a read.
const READ: Bytes = Bytes::kib(4);

static CARD: Card = Card {
    id: "idle-latency",
    title: "Idle latency",
    publisher: "drivelab; after reviewers' wake-up latencies and NVMe's exit latencies",
    summary: "The first random read of 4 KiB after 1 ms to 10 min of idle time, and the next one: median and worst for each idle time.",
    version: 1,
    group: Group::Response,
    short: "Latency of the first read after 1 ms to 10 min idle",
    shortest: &["extent=4MiB", "longest=3ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT.with_values(["16MiB", "1GiB", "whole"]),
        PREPARE,
        Setting::time("shortest", "the first idle time; the next ones are 3, 10, 30 ... times as long", millis(1)..=seconds(3_600), ["1ms"; 3]),
        Setting::time("longest", "the last idle time", millis(1)..=seconds(86_400), ["30ms", "3s", "10min"]),
        Setting::count("repeats", "repeats of each idle time", 1..=1_000, ["3", "5", "10"]),
    ],
    ..Card::PLAIN
};

/// The shortest, 3, 10, 30 ... times that, and the longest.
fn rests(settings: &Settings) -> Vec<Duration> {
    let longest = settings.time("longest");
    let decades = std::iter::successors(Some(settings.time("shortest")), |rest| {
        Some(rest.saturating_mul(10))
    });
    let steps = decades.flat_map(|rest| [rest, rest.saturating_mul(3)]);
    let mut rests: Vec<Duration> = steps.take_while(|rest| *rest < longest).collect();
    rests.push(longest);
    rests
}

/// `30ms`, `600s`.
fn name_of(rest: Duration) -> String {
    let millis = rest.as_nanos() / 1_000_000;
    if millis > 0 && millis.is_multiple_of(1_000) {
        format!("{}s", millis / 1_000)
    } else {
        format!("{}ms", rest.as_millis_f64())
    }
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let span = extent(settings, EXTENT.key, on);
    let (rests, repeats) = (rests(settings), settings.count("repeats"));
    let reads = (BEFORE + 2).saturating_mul(repeats.saturating_mul(rests.len() as u64));
    let rest = rests
        .into_iter()
        .fold(Duration::ZERO, Duration::saturating_add);
    let takes = Takes::moving(prepared(span, prepares(settings, on)))
        .and_moving(access(READ, on) * reads)
        .and_accesses(reads)
        .and_idle(rest.saturating_mul(repeats));
    forecast(span, prepares(settings, on), takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent(EXTENT.key);
    run.prepare(span)?;
    run.tell_grown(&[READ]);
    let size = access(READ, &run.on).min(span.len);
    let by = Comparable {
        span: span.said(),
        alignment: size.to_string(),
        ..Comparable::default()
    };
    let mut rng = Rng::new(settings.seed);
    let mut firsts = Vec::new();
    let mut seconds = Latencies::default();
    for rest in rests(settings) {
        let rest_name = name_of(rest);
        let mut waited = Waited::default();
        waited.origin.by = by.clone();
        for number in 1..=settings.count("repeats") {
            let script = script(span.len, size, rest, &mut rng);
            let name = format!("rest {rest_name} {number}");
            waited.keep(run.bench.script(&name, &script)?);
        }
        run.output.figures.extend(waited.figures(&rest_name));
        firsts.push((
            format!("first after {rest_name}"),
            distribution(&waited.first),
        ));
        waited.second.iter().for_each(|time| seconds.keep(*time));
    }
    firsts.push(("second".to_owned(), seconds));
    run.output.charts.push(responses("response", &firsts));
    Ok(())
}

/// Reads that wake the drive, idle time, and two reads, each waiting for the previous one.
fn script(span: Bytes, size: Bytes, rest: Duration, rng: &mut Rng) -> Script {
    let places = (span.get() / size.get().max(1)).max(1);
    let mut read = || Io::read(size * rng.below(places), size);
    let mut script = Script::new("read", 1);
    let mut last = script.io(read(), Duration::ZERO, &[]);
    for _ in 1..BEFORE {
        last = script.io(read(), Duration::ZERO, &[last]);
    }
    let first = script.io(read(), rest, &[last]);
    script.io(read(), Duration::ZERO, &[first]);
    script
}

/// The times of the two reads, over all repeats of an idle time.
#[derive(Default)]
struct Waited {
    first: Vec<Duration>,
    second: Vec<Duration>,
    origin: Origin,
}

impl Waited {
    /// The last two reads of a phase; a phase with a failed read does not count. A record has its worst I/Os
    /// individually, more of them than the script has.
    fn keep(&mut self, record: &PhaseRecord) {
        let mut ios: Vec<(Duration, Duration)> = record
            .job()
            .worst
            .ios()
            .iter()
            .map(|io| (io.at, io.service))
            .collect();
        ios.sort_unstable();
        let all = ios.len() as u64 == BEFORE + 2 && record.errors() == 0;
        if let (true, [.., (_, first), (_, second)]) = (all, ios.as_slice()) {
            self.first.push(*first);
            self.second.push(*second);
            self.origin.phases.push(record.name.clone());
        }
    }

    fn figures(&self, rest: &str) -> Vec<Figure> {
        let of = |what: &str, times: &[Duration]| {
            let start = |statistic: &str| {
                let key = format!("rest-{rest}.{what}.{statistic}");
                self.origin.figure(&key, "us", Better::Lower)
            };
            let times: Vec<f64> = times.iter().map(|time| time.as_micros_f64()).collect();
            let worst = times.iter().copied().max_by(f64::total_cmp);
            [
                median_of(start("median"), &times),
                valued(start("worst"), worst, "max", times.len() as u64),
            ]
        };
        [of("first", &self.first), of("second", &self.second)].concat()
    }
}

fn distribution(times: &[Duration]) -> Latencies {
    let mut all = Latencies::default();
    times.iter().for_each(|time| all.keep(*time));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::timed_double::Timed;
    use crate::tests::{output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn rests_go_up_in_steps_of_three_and_ten_to_the_longest() {
        let settings = settings("idle-latency", Scale::Full, &[]);
        let names: Vec<String> = rests(&settings).into_iter().map(name_of).collect();
        let steps = [
            "1ms", "3ms", "10ms", "30ms", "100ms", "300ms", "1s", "3s", "10s", "30s", "100s",
            "300s", "600s",
        ];
        assert_eq!(names, steps);
    }

    #[test]
    fn a_drive_that_falls_asleep_is_slow_at_the_first_read_and_not_at_the_second() {
        // A read takes 100 us; 5 ms more after 10 ms of rest, and 80 ms more after a second.
        let asleep = |_: &Io, idle: Duration| {
            let wakes = match idle {
                idle if idle >= Duration::from_secs(1) => Duration::from_millis(80),
                idle if idle >= Duration::from_millis(10) => Duration::from_millis(5),
                _ => Duration::ZERO,
            };
            Duration::from_micros(100) + wakes
        };
        let given = ["longest=3s", "repeats=4", "prepare=no"];
        let settings = settings("idle-latency", Scale::Quick, &given);
        let output = output_of(
            "idle-latency",
            &settings,
            &mut BenchDouble::new(Timed::new(asleep)),
        );
        for (rest, first) in [
            ("1ms", 100.0),
            ("3ms", 100.0),
            ("10ms", 5_100.0),
            ("300ms", 5_100.0),
            ("1s", 80_100.0),
            ("3s", 80_100.0),
        ] {
            let of = |what: &str| value(&output, &format!("rest-{rest}.{what}"));
            for statistic in ["median", "worst"] {
                assert!(
                    (of(&format!("first.{statistic}")) - first).abs() < 1e-9,
                    "{rest}"
                );
                assert!(
                    (of(&format!("second.{statistic}")) - 100.0).abs() < 1e-9,
                    "{rest}"
                );
            }
        }
    }

    #[test]
    fn the_worst_of_several_rests_is_told_beside_their_median() {
        let mut rests = 0;
        let settings = settings(
            "idle-latency",
            Scale::Quick,
            &["longest=1ms", "repeats=3", "prepare=no"],
        );
        let mut bench = BenchDouble::new(Timed::new(move |_: &Io, idle: Duration| {
            rests += u32::from(!idle.is_zero());
            // The second rest alone ends in a stall.
            let stall = !idle.is_zero() && rests == 2;
            Duration::from_micros(if stall { 9_000 } else { 100 })
        }));
        let output = output_of("idle-latency", &settings, &mut bench);
        assert!((value(&output, "rest-1ms.first.median") - 100.0).abs() < 1e-9);
        assert!((value(&output, "rest-1ms.first.worst") - 9_000.0).abs() < 1e-9);
        assert!((value(&output, "rest-1ms.second.worst") - 100.0).abs() < 1e-9);
        assert_eq!(bench.phases.len(), 3);
    }
}
