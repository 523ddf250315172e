//! PTS write saturation: random writes of 4 KiB until the drive is steady, from its first day on.
//!
//! **What it measures.** How a purged drive's I/Os a second fall while it is written at random: the
//! level at first, the level at last, and how much was written between them.
//!
//! **Who published it.** SNIA, Solid State Storage Performance Test Specification (Enterprise 1.1,
//! Client 1.2, one document since 2.0), the write saturation test.
//!
//! **Protocol.** The extent is purged (trimmed), and not preconditioned: the way from fresh to steady is
//! what is looked at. Then rounds of a minute of random writes of 4 KiB, until four times the extent has
//! been written, or the drive is steady, or a day is over. It is steady when over five rounds their
//! greatest and least I/Os a second differ by no more than 20 % of the mean, and the fitted line moves by
//! no more than 10 % of it. A purged drive is as flat as a steady one until its spare room is used up,
//! and five minutes are soon over; so a round counts only when the extent has been written once, and
//! when another tenth of it was written since the last one that counted (our addition: the enterprise
//! test's own scripts look at one minute in half an hour, for the same reason). `step=0` lets all of them
//! count.
//!
//! **What it cannot tell.** Whether a drive is steady that cannot be written one and a half times over
//! in a day; a drive that is steady from its first write on, as a disk is, is found to be so only then. A
//! drive with spare room of half its capacity is taken for steady before it has to collect. In a small
//! extent a drive has so much spare room that it never has to collect. The purge is a trim, not a
//! secure erase, and the drive's write cache stays as it is.

use base::bench::{Bench, Stopped};
use base::io::Op;
use base::method::{Card, Forecast, Kind, Method, SettingCard, Settings};
use base::record::Latencies;
use base::result::{Better, Comparable, Figure, Judgement};
use base::rng::splitmix64;
use base::size::Bytes;
use base::target::Info;
use base::time::Duration;
use base::workload::{Span, Workload};

use crate::areas::{access, forecast, not_writable};
use crate::figures::{Of, conditions, figure, latency, valued};
use crate::pts::rounds::{Measured, Steadiness};
use crate::pts::steady_state::WINDOW;
use crate::pts::{DEPTH, EXTENT, LENGTH, PUBLISHER, THREADS, purge, random, timed};
use crate::shared_settings::extent;

/// The method.
pub(crate) struct PtsWriteSaturation;

/// Bytes written in all, in extents.
const MOST_WRITTEN: u64 = 4;

static CARD: Card = Card {
    id: "pts-write-saturation",
    title: "PTS write saturation",
    publisher: PUBLISHER,
    summary: "Purge, then random writes of 4 KiB in rounds until the drive is steady or four times its capacity is written: I/Os a second at first and at last.",
    version: 1,
    writes: true,
    files: true,
    models_only: false,
    settings: &[
        SettingCard {
            by_scale: ["16MiB", "4GiB", "whole"],
            ..EXTENT
        },
        SettingCard {
            key: "time",
            help: "length of a round",
            kind: LENGTH,
            by_scale: ["50ms", "500ms", "60s"],
        },
        SettingCard {
            key: "most-time",
            help: "the last round begins before so much time was written",
            kind: LENGTH,
            by_scale: ["5s", "120s", "24h"],
        },
        SettingCard {
            key: "step",
            help: "a round counts for being steady when the extent is written once, and again so many per cent of it; 0 lets all rounds count",
            kind: Kind::Count { min: 0, max: 100 },
            by_scale: ["10", "10", "10"],
        },
        THREADS,
        DEPTH,
    ],
};

impl Method for PtsWriteSaturation {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        forecast(extent(settings, EXTENT.key, on), on.writable)
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<Judgement, Stopped> {
        let info = bench.info();
        if !info.writable {
            return Ok(not_writable("last.iops", "IOPS", Better::Higher));
        }
        let span = Span::first(extent(settings, EXTENT.key, &info));
        let mut judgement = Judgement::default();
        let unpurged = purge(bench, "purge", span, settings.seed)?;
        judgement.warnings.extend(unpurged);
        let size = access(Bytes::kib(4), &info).min(span.len);
        let job = random(span, size, 0, settings);
        let work = timed(job, settings.time("time"), settings.seed);
        let saturation = Saturation::run(span, &work, settings, bench)?;
        saturation.judge(&conditions(&work), &mut judgement);
        Ok(judgement)
    }
}

/// Whether a round counts that found so much written and wrote so much more: the extent was written
/// once before it, and it completed another step.
fn counts(before: Bytes, taken: Bytes, extent: Bytes, step_percent: u64) -> bool {
    let steps = |bytes: Bytes| {
        let hundredths = u128::from(bytes.get()) * 100;
        hundredths / (u128::from(extent.get()) * u128::from(step_percent)).max(1)
    };
    step_percent == 0 || (before >= extent && steps(before + taken) > steps(before))
}

/// All rounds.
struct Saturation {
    /// By round.
    rounds: Vec<Measured>,
    steadiness: Steadiness,
    /// Bytes written.
    written: Bytes,
    extent: Bytes,
}

impl Saturation {
    fn run(
        span: Span,
        work: &Workload,
        settings: &Settings,
        bench: &mut dyn Bench,
    ) -> Result<Saturation, Stopped> {
        let most = (span.len * MOST_WRITTEN).round_down(work.jobs[0].largest());
        let (mut written, mut spent) = (Bytes::ZERO, Duration::ZERO);
        let mut rounds: Vec<Measured> = Vec::new();
        let mut counting: Vec<(u64, f64)> = Vec::new();
        while written < most && spent < settings.time("most-time") {
            let number = rounds.len() as u64 + 1;
            let mut round = work.clone();
            round.seed = splitmix64(work.seed ^ number);
            round.stop.bytes = Some(most.saturating_sub(written));
            let record = bench.phase(&format!("round {number}"), &round)?;
            let taken = record.of(Op::Write).bytes;
            let counts = counts(written, taken, span.len, settings.count("step"));
            written += taken;
            spent += record.took;
            let measured = Measured::of(record);
            if counts {
                counting.push((number, measured.iops));
            }
            rounds.push(measured);
            // Only the last ones' distributions are looked at.
            if let Some(left) = rounds.len().checked_sub(WINDOW + 1) {
                rounds[left].latencies = Latencies::default();
            }
            // A drive that takes no more writes has turned read-only.
            if taken.is_zero() || Steadiness::of(&counting).reached {
                break;
            }
        }
        Ok(Saturation {
            steadiness: Steadiness {
                last: rounds.len() as u64,
                ..Steadiness::of(&counting)
            },
            rounds,
            written,
            extent: span.len,
        })
    }

    fn last_rounds(&self) -> &[Measured] {
        &self.rounds[self.rounds.len().saturating_sub(WINDOW)..]
    }

    fn judge(&self, by: &Comparable, into: &mut Judgement) {
        let last = self.last_rounds();
        let phases: Vec<String> = last.iter().map(|round| round.phase.clone()).collect();
        let fresh = self.rounds.first();
        let of_fresh: Vec<String> = fresh.iter().map(|round| round.phase.clone()).collect();
        let start = |key: &str, unit: &str, better, phases: &[String]| {
            figure(key, unit, better, by, phases)
        };
        let n = last.len() as u64;
        let level = (n > 0).then(|| last.iter().map(|r| r.iops).sum::<f64>() / n as f64);
        let at_first = fresh.map(|round| round.iops);
        let share = level.zip(at_first.filter(|iops| *iops > 0.0));
        let gb = self.written.get() as f64 / 1e9;
        let times = self.written.get() as f64 / self.extent.get().max(1) as f64;
        let statistic = format!("mean of the last {n} rounds");
        let higher = Better::Higher;
        let mut figures: Vec<Figure> = vec![
            valued(
                start("fresh.iops", "IOPS", higher, &of_fresh),
                at_first,
                "mean of the first round",
                1,
            ),
            valued(
                start("last.iops", "IOPS", higher, &phases),
                level,
                &statistic,
                n,
            ),
            valued(
                start("last-of-fresh", "%", higher, &phases),
                share.map(|(last, first)| 100.0 * last / first),
                "last rounds against the first one",
                n,
            ),
            valued(
                start("written", "GB", Better::None, &[]),
                Some(gb),
                "sum",
                n,
            ),
            valued(
                start("written.extents", "count", Better::None, &[]),
                Some(times),
                "bytes written over the extent",
                n,
            ),
        ];
        let mut latencies = Latencies::default();
        last.iter()
            .for_each(|round| latencies.merge(&round.latencies));
        for (key, of) in [
            ("last.mean", Of::Mean),
            ("last.p99.9", Of::Percentile(99.9)),
            ("last.worst", Of::Max),
        ] {
            figures.push(latency(key, "us", of, &latencies, by, &phases));
        }
        figures.extend(self.steadiness.figures("", by, &phases));
        into.figures.extend(figures);
        into.warnings
            .extend(self.steadiness.warning("write saturation"));
        self.draw(into);
    }

    /// All rounds, in per cent of the last ones.
    fn draw(&self, into: &mut Judgement) {
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
    }
}

#[cfg(test)]
mod tests {
    use crate::bench_double::BenchDouble;
    use crate::tests::{drive, judged, settings, value};
    use base::io::Op;
    use base::method::Scale;
    use base::size::Bytes;

    #[test]
    fn a_flat_drive_is_steady_when_it_was_written_once_and_five_tenths_more() {
        // 10,000 writes of 4 KiB a second: 100 a round, and 4,096 are the extent.
        let given = ["time=10ms", "threads=1", "depth=1"];
        let settings = settings("pts-write-saturation", Scale::Quick, &given);
        let mut bench = BenchDouble::new(drive());
        let judgement = judged("pts-write-saturation", &settings, &mut bench);
        // 1.5 times the extent are 6,144 writes; round 62 completes them.
        assert!((value(&judgement, "steady.round") - 62.0).abs() < 1e-9);
        assert!((value(&judgement, "last-of-fresh") - 100.0).abs() < 0.5);
        assert!(bench.phases[0].of(Op::Trim).bytes == Bytes::mib(16));
        assert!(judgement.warnings.is_empty());
    }

    #[test]
    fn where_steps_are_too_long_it_ends_with_four_times_the_extent_and_says_so() {
        let given = ["time=10ms", "step=100"];
        let settings = settings("pts-write-saturation", Scale::Quick, &given);
        let mut bench = BenchDouble::new(drive());
        let judgement = judged("pts-write-saturation", &settings, &mut bench);
        let writes = bench.phases.iter().map(|p| p.of(Op::Write).bytes.get());
        assert_eq!(writes.sum::<u64>(), Bytes::mib(64).get());
        assert!((value(&judgement, "written.extents") - 4.0).abs() < 1e-9);
        assert_eq!(judgement.warnings.len(), 1);
        let steady = judgement.figures.iter().find(|f| f.key == "steady.round");
        assert!(steady.unwrap().value.is_none());
    }

    #[test]
    fn where_every_round_counts_the_first_five_of_a_flat_drive_are_steady() {
        let settings = settings(
            "pts-write-saturation",
            Scale::Quick,
            &["time=10ms", "step=0"],
        );
        let judgement = judged(
            "pts-write-saturation",
            &settings,
            &mut BenchDouble::new(drive()),
        );
        assert!((value(&judgement, "steady.round") - 5.0).abs() < 1e-9);
    }
}
