//! PTS write saturation: random writes of 4 KiB from a purged drive to steady state.
//!
//! **What it measures.** How the IOPS of a purged drive fall during random writes: the initial level, the final level,
//! and how much was written in between.
//!
//! **Who published it.** SNIA, Solid State Storage Performance Test Specification (Enterprise 1.1, Client 1.2, one
//! document since 2.0), the write saturation test.
//!
//! **Protocol.** The extent is purged (trimmed), and not preconditioned: the transition from fresh to steady state is
//! the subject. Then rounds of a minute of random writes of 4 KiB, until four times the extent has been written, or
//! steady state is reached, or a day has passed. Steady state: over five rounds the maximum and minimum IOPS differ by
//! no more than 20 % of the mean, and the fitted line changes by no more than 10 % of it. But a purged drive is as flat
//! as one in steady state until its spare area is used up, and five minutes pass quickly. So three rules are our
//! addition (the enterprise test considers one minute in half an hour, for the same reason): a round that counts is a
//! step, as many minutes as write 30 % of the extent; only steps count that begin after the whole extent was written
//! once; and five steps that are as fast (within 20 %) as the first extent count only after four times the extent has
//! been written. `step=0` is the specification's rule to the letter: every minute counts. How many extents were written
//! when steady state was declared is a figure.
//!
//! **What it cannot tell.** The steady state of a drive that cannot be written two and a half times in a day. A drive
//! with a seventh to a third of spare area approaches its level so slowly that steady state is rarely found before four
//! times the extent is written, and a drive as fast at the end as at the beginning (limited by link or controller) only
//! then; so is one with spare area of three times its extent, which has not begun to collect garbage. The final rate
//! may be up to a tenth above the level of days later (modelled drives with spare area of 13 to 160 % of their capacity
//! end 1 to 7 % above it). In a small extent a drive has so much spare area that it never collects garbage. The purge
//! is a trim, not a secure erase, and the drive's write cache stays as it is.

use crate::chart::{consistency, each_interval};
use base::{
    Better, Bytes, Card, Comparable, Duration, Figure, Forecast, Group, Info, Latencies, Message,
    MethodOutput, Op, Setting, Settings, Span, Stopped, Takes, Workload, splitmix64,
};

use crate::areas::forecast;
use crate::figures::{Of, Origin, conditions, valued};
use crate::pts::rounds::{Measured, Steadiness};
use crate::pts::steady_state::WINDOW;
use crate::pts::steps::Steps;
use crate::pts::{
    DEPTH, EXTENT, LENGTH, NEEDS, PUBLISHER, THREADS, begin_writes, purge, timed, withhold_of_part,
};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::extent;

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Bytes written in all, in extents.
const MOST_WRITTEN: u64 = 4;

static CARD: Card = Card {
    id: "pts-write-saturation",
    title: "SNIA PTS write saturation",
    publisher: PUBLISHER,
    summary: "Purge, then random writes of 4 KiB in rounds until steady state or until four times its capacity is written: IOPS at the beginning and at the end.",
    version: 2,
    group: Group::Standard,
    short: "Random writes until steady state",
    needs: NEEDS,
    shortest: &["extent=4MiB", "time=10ms", "most-time=100ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT.with_values(["16MiB", "4GiB", "whole"]),
        Setting::time("time", "length of a round", LENGTH, ["50ms", "500ms", "60s"]),
        Setting::time("most-time", "no round begins after this much write time", LENGTH, ["5s", "120s", "24h"]),
        Setting::count("step", "step for the steady-state rule, in per cent of the extent, counted after the extent was written once; 0 counts every round, as in the specification", 0..=100, ["30"; 3]),
        THREADS,
        DEPTH,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let span = extent(settings, EXTENT.key, on);
    // The last round begins before the time is over.
    let time = settings.time("most-time") + settings.time("time");
    let takes = Takes::timed(time);
    forecast(
        span,
        on.writable,
        if on.writable { takes } else { Takes::default() },
    )
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let main = ("last.iops", "IOPS", Better::Higher);
    let Some((span, job)) = begin_writes(main, run)? else {
        return Ok(());
    };
    purge("purge", span, run)?;
    let work = timed(job, settings.time("time"), settings.seed);
    let saturation = Saturation::run(span, &work, run)?;
    saturation.add_figures(conditions(&work), &mut run.output);
    withhold_of_part(&mut run.output.figures, span, &run.on);
    Ok(())
}

/// All rounds.
struct Saturation {
    /// Each round's figures, in order.
    rounds: Vec<Measured>,
    /// Seconds from the beginning, and the I/Os a second then.
    seconds: Vec<(f64, f64)>,
    steadiness: Steadiness,
    written: Bytes,
    extent: Bytes,
    /// It ended on a level as high as that of the first extent.
    as_at_first: bool,
}

impl Saturation {
    fn run(span: Span, work: &Workload, run: &mut Run<'_>) -> Result<Saturation, Stopped> {
        let most = span.len * MOST_WRITTEN;
        let mut spent = Duration::ZERO;
        let mut rounds: Vec<Measured> = Vec::new();
        let mut seconds = Vec::new();
        let mut steps = Steps::new(span.len, run.settings.count("step"), most);
        while steps.written() < most && spent < run.settings.time("most-time") {
            let number = rounds.len() as u64 + 1;
            let mut round = work.clone();
            round.seed = splitmix64(work.seed ^ number);
            let record = run.bench.phase(&format!("round {number}"), &round)?;
            let taken = record.of(Op::Write).bytes;
            steps.round(record);
            for job in &record.jobs {
                seconds.extend(each_interval(spent.as_secs_f64(), job));
            }
            spent += record.took;
            rounds.push(Measured::of(record));
            // Only the last ones' distributions are looked at.
            if let Some(left) = rounds.len().checked_sub(WINDOW + 1) {
                rounds[left].latencies = Latencies::default();
            }
            // A drive that takes no more writes has turned read-only.
            if taken.is_zero() || steps.steadiness().reached {
                break;
            }
        }
        Ok(Saturation {
            steadiness: steps.steadiness(),
            rounds,
            seconds,
            written: steps.written(),
            extent: span.len,
            as_at_first: steps.is_as_fast_as_at_first(),
        })
    }

    fn last_rounds(&self) -> &[Measured] {
        &self.rounds[self.rounds.len().saturating_sub(WINDOW)..]
    }

    fn add_figures(&self, by: Comparable, into: &mut MethodOutput) {
        let last = self.last_rounds();
        let phases = last.iter().map(|round| round.phase.clone()).collect();
        let origin = Origin { by, phases };
        let mut figures = self.levels(&origin);
        let mut latencies = Latencies::default();
        last.iter()
            .for_each(|round| latencies.merge(&round.latencies));
        for (key, of) in [
            ("last.mean", Of::Mean),
            ("last.p99.9", Of::Percentile(99.9)),
            ("last.worst", Of::Max),
        ] {
            figures.push(origin.latency(key, "us", of, &latencies));
        }
        figures.extend(self.steadiness.figures("", &origin));
        into.figures.extend(figures);
        into.warnings
            .extend(self.steadiness.warning("write saturation"));
        if self.as_at_first {
            into.warnings.push(Message::of("warning-as-at-first"));
        }
        self.draw(into);
    }

    /// IOPS of the first round and of the last ones, whose phases these are, and how much was written in between.
    fn levels(&self, origin: &Origin) -> Vec<Figure> {
        let last = self.last_rounds();
        let fresh = self.rounds.first();
        let of = |phases: Vec<String>| Origin {
            by: origin.by.clone(),
            phases,
        };
        let of_fresh = of(fresh.iter().map(|round| round.phase.clone()).collect());
        let n = last.len() as u64;
        let worked = last.iter().any(|round| round.iops > 0.0);
        let level = worked.then(|| last.iter().map(|r| r.iops).sum::<f64>() / n as f64);
        let at_first = fresh.map(|round| round.iops).filter(|iops| *iops > 0.0);
        let share = level
            .zip(at_first)
            .map(|(last, first)| 100.0 * last / first);
        let gb = self.written.get() as f64 / 1e9;
        let times = self.written.get() as f64 / self.extent.get().max(1) as f64;
        let last_rounds = Message::new("made-last-rounds", [("n", n.into())]);
        let higher = Better::Higher;
        let last = origin.figure("last.iops", "IOPS", higher);
        let last = valued(last, level, last_rounds, n);
        #[rustfmt::skip]
        let fresh = ("fresh.iops", "IOPS", higher, at_first, "made-first-round", 1);
        #[rustfmt::skip]
        let share = ("last-of-fresh", "%", higher, share, "made-last-of-first", n);
        #[rustfmt::skip]
        let amounts = [
            ("written", "GB", Better::None, Some(gb), "sum", n),
            ("written.extents", "count", Better::None, Some(times), "made-extents", n),
        ];
        let mut figures = of_fresh.table("", &[fresh]);
        figures.push(last);
        figures.extend(origin.table("", &[share]));
        figures.extend(of(Vec::new()).table("", &amounts));
        figures
    }

    /// All rounds, in per cent of the last ones.
    fn draw(&self, into: &mut MethodOutput) {
        let values: Vec<(u64, f64)> = (1..)
            .zip(self.rounds.iter().map(|round| round.iops))
            .collect();
        let ends = self.rounds.len() as u64;
        let shown = Steadiness {
            rounds: self
                .steadiness
                .rounds
                .or_else(|| Some((ends.checked_sub(WINDOW as u64 - 1)?.max(1), ends))),
            ..self.steadiness.clone()
        };
        let curves = [("write".to_owned(), values)];
        into.charts.push(shown.chart("rounds", &curves));
        into.charts
            .push(consistency("consistency", "write", &self.seconds));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive_of, output_of, settings, value};
    use base::io::Op;
    use base::method::Scale;
    use base::size::Bytes;

    #[test]
    fn a_drive_as_fast_at_last_as_at_first_is_steady_only_when_four_extents_are_written() {
        // 10,000 writes of 4 KiB a second: 100 a round, and 4,096 are the extent.
        let given = ["time=10ms", "threads=1", "depth=1"];
        let settings = settings("pts-write-saturation", Scale::Quick, &given);
        let mut bench = BenchDouble::new(drive_of(Bytes::mib(16)));
        let output = output_of("pts-write-saturation", &settings, &mut bench);
        // Four times the extent are 16,384 writes; round 164 completes them.
        assert!((value(&output, "steady.round") - 164.0).abs() < 1e-9);
        assert!((value(&output, "steady.extents") - 16_400.0 / 4_096.0).abs() < 1e-9);
        assert!((value(&output, "last-of-fresh") - 100.0).abs() < 0.5);
        assert!(bench.phases[0].of(Op::Trim).bytes == Bytes::mib(16));
        assert!(output.warnings.is_empty());
    }

    #[test]
    fn a_run_that_time_ends_on_a_fresh_plateau_is_not_steady_and_says_how_much_was_written() {
        // 12,000 writes, of which 4,096 are the extent: more than five steps of the same rate.
        let given = ["time=10ms", "threads=1", "depth=1", "most-time=1200ms"];
        let settings = settings("pts-write-saturation", Scale::Quick, &given);
        let mut bench = BenchDouble::new(drive_of(Bytes::mib(16)));
        let output = output_of("pts-write-saturation", &settings, &mut bench);
        for key in ["steady.round", "steady.extents"] {
            let steady = output.figures.iter().find(|f| f.key == key).unwrap();
            let why = "not steady after 120 rounds and 2.9 times the extent written";
            assert_eq!(steady.why_not.as_deref(), Some(why));
        }
        assert!(output.warnings[0].contains("2.9 times the extent written"));
        assert!(output.warnings[1].contains("four times the extent"));
    }

    #[test]
    fn where_steps_are_too_long_it_ends_with_four_times_the_extent_and_says_so() {
        let given = ["time=10ms", "step=100"];
        let settings = settings("pts-write-saturation", Scale::Quick, &given);
        let mut bench = BenchDouble::new(drive_of(Bytes::mib(16)));
        let output = output_of("pts-write-saturation", &settings, &mut bench);
        let writes = bench.phases.iter().map(|p| p.of(Op::Write).bytes.get());
        let extents = writes.sum::<u64>() as f64 / Bytes::mib(16).get() as f64;
        // The last round is a whole one.
        assert!((4.0..4.04).contains(&extents), "{extents}");
        assert!((value(&output, "written.extents") - extents).abs() < 1e-9);
        assert_eq!(output.warnings.len(), 1);
        let steady = output.figures.iter().find(|f| f.key == "steady.round");
        assert!(steady.unwrap().value.is_none());
    }

    #[test]
    fn where_every_round_counts_the_first_five_of_a_flat_drive_are_steady() {
        let settings = settings(
            "pts-write-saturation",
            Scale::Quick,
            &["time=10ms", "step=0"],
        );
        let output = output_of(
            "pts-write-saturation",
            &settings,
            &mut BenchDouble::new(drive_of(Bytes::mib(16))),
        );
        assert!((value(&output, "steady.round") - 5.0).abs() < 1e-9);
    }
}
