//! Whether a difference is more than chance, and how large it is.
//!
//! Two numbers always differ. Whether two drives do is decided from the samples behind the numbers, the best that both
//! results have:
//! 1. **repeats**: the medians' difference, resampled ([`stats::bootstrap`]);
//! 2. **latencies**: a percentile's or mean's difference, resampled from the histograms of the two
//!    runs. Other runs of the same drives may differ more than one run's I/Os among each other, so
//!    that this is the weaker ground;
//! 3. **intervals**: where both figures carry one, the difference is no less than from the nearer
//!    ends and no more than from the farther ends (Goldstein and Healy, 1995: this errs on the side
//!    of no difference).
//!
//! With one value each nothing can be said. If the 95 % interval contains zero, no difference is shown: its ends say
//! how large one could still be.
//!
//! A real drive varies: three consecutive runs of a benchmark on one drive differed in up to six of nine values by more
//! than intervals of one run. So for real drives only repeats give a verdict; the other two give an interval without
//! one. A modelled drive gives the same values in its next run.
//!
//! This concerns one pair of figures; a comparison of many corrects for their number ([`compare`](crate::compare)).

use base::result::Interval;
use base::statistic::Kind;
use base::{Better, Figure, Latencies, Op};
use results::comparison::{Effect, EffectVerdict};
use results::{RunResult, TargetKind};
use stats::bootstrap::{Difference, LEAST_VALUES, Sample, difference};

/// The confidence above which a difference is reported: the extremes of five values contain their median with 93.75 %,
/// those of three with 75.
const LEAST_CONFIDENCE: f64 = 90.0;
/// The same results always give the same comparison.
pub(crate) const SEED: u64 = 1;
/// A histogram belongs to a figure where its statistic is the figure's value to this share: half a
/// bucket is 0.4 %.
const SAME: f64 = 0.006;

/// The basis of a verdict that repeats give.
pub(crate) const REPEATS: &str = "repeats";

/// A figure with the result that it is of.
#[derive(Clone, Copy, Debug)]
pub struct Behind<'a> {
    pub figure: &'a Figure,
    /// The result that it is of.
    pub result: &'a RunResult,
}

/// The difference of `second` from `first`; `None` if there are too few samples.
pub fn effect(first: Behind, second: Behind) -> Option<Effect> {
    let (difference, basis) = by_repeats(first, second)
        .map(|d| (d, REPEATS))
        .or_else(|| by_latencies(first, second).map(|d| (d, "latencies")))
        .or_else(|| by_intervals(first.figure, second.figure).map(|d| (d, "intervals")))?;
    let one_run = basis != REPEATS && [first, second].iter().any(|of| is_real(of));
    let were_repeated = [first, second].iter().all(|of| runs(of) > 1);
    let sure = difference.interval.confidence_percent >= LEAST_CONFIDENCE;
    Some(Effect {
        verdict: match (one_run, sure) {
            // Some runs are too few to compare them, and still not one.
            (true, _) if were_repeated => EffectVerdict::TooFewValues,
            (true, _) => EffectVerdict::CannotTell,
            (false, false) => EffectVerdict::TooFewValues,
            (false, true) => verdict(&difference, first.figure),
        },
        basis,
        chance: None,
        difference: difference.by,
        interval: difference.interval,
        percent: difference.percent,
        percent_interval: difference.percent_interval,
    })
}

/// The number of runs behind a figure.
fn runs(of: &Behind) -> usize {
    let repeats = of.result.repeats.as_ref();
    let values = repeats.and_then(|repeats| repeats.values.get(&of.figure.key));
    values.map_or(1, Vec::len)
}

fn is_real(of: &Behind) -> bool {
    of.result.target.kind == TargetKind::Real
}

fn verdict(difference: &Difference, figure: &Figure) -> EffectVerdict {
    if difference.may_be_none() {
        return EffectVerdict::NoDifference;
    }
    let more = difference.by > 0.0;
    let speed = matches!(figure.unit.as_str(), "MB/s" | "IOPS" | "us" | "ms" | "s");
    match (figure.better, more) {
        (Better::None, true) => EffectVerdict::Higher,
        (Better::None, false) => EffectVerdict::Lower,
        (Better::Higher, true) | (Better::Lower, false) if speed => EffectVerdict::Faster,
        (Better::Higher, true) | (Better::Lower, false) => EffectVerdict::Better,
        _ if speed => EffectVerdict::Slower,
        _ => EffectVerdict::Worse,
    }
}

/// A figure's values, one a run, where they are enough.
pub(crate) fn repeated<'a>(of: Behind<'a>) -> Option<&'a [f64]> {
    let values = of.result.repeats.as_ref()?.values.get(&of.figure.key)?;
    let enough = values.len() >= LEAST_VALUES && values.iter().all(|v| v.is_finite());
    enough.then_some(values)
}

fn by_repeats(first: Behind, second: Behind) -> Option<Difference> {
    let (a, b) = (repeated(first)?, repeated(second)?);
    difference(Sample::Median(a), Sample::Median(b), SEED)
}

fn by_latencies(first: Behind, second: Behind) -> Option<Difference> {
    let (statistic, scale) = (statistic(first.figure)?, nanos_a_unit(&first.figure.unit)?);
    let (a, b) = (
        latencies(first, statistic, scale)?,
        latencies(second, statistic, scale)?,
    );
    let in_nanos = difference(statistic.of(&a), statistic.of(&b), SEED)?;
    let in_unit = |nanos: f64| nanos / scale;
    Some(Difference {
        by: in_unit(in_nanos.by),
        interval: Interval {
            low: in_unit(in_nanos.interval.low),
            high: in_unit(in_nanos.interval.high),
            ..in_nanos.interval
        },
        ..in_nanos
    })
}

/// A statistic of latencies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Statistic {
    Quantile(f64),
    Mean,
}

impl Statistic {
    fn of(self, latencies: &Latencies) -> Sample<'_> {
        match self {
            Statistic::Quantile(share) => Sample::Quantile(latencies, share),
            Statistic::Mean => Sample::Mean(latencies),
        }
    }

    fn value(self, latencies: &Latencies) -> Option<f64> {
        let time = match self {
            Statistic::Quantile(share) => latencies.percentile(share * 100.0),
            Statistic::Mean => latencies.mean(),
        };
        time.map(|time| time.as_nanos() as f64)
    }
}

/// The statistics that can be resampled: a maximum cannot.
fn statistic(figure: &Figure) -> Option<Statistic> {
    if figure.statistic.is_over_repeats() {
        return None;
    }
    match figure.statistic.kind() {
        Kind::Mean => Some(Statistic::Mean),
        Kind::Percentile(percent) => Some(Statistic::Quantile(percent / 100.0)),
        Kind::Min | Kind::Max | Kind::Other => None,
    }
}

fn nanos_a_unit(unit: &str) -> Option<f64> {
    match unit {
        "us" => Some(1e3),
        "ms" => Some(1e6),
        "s" => Some(1e9),
        _ => None,
    }
}

/// The histogram that the figure was made of: the one among its phases' whose statistic is its value.
fn latencies(of: Behind, statistic: Statistic, scale: f64) -> Option<Latencies> {
    let wanted = of.figure.value? * scale;
    let phases = of
        .result
        .phases
        .iter()
        .filter(|p| of.figure.phases.contains(&p.name));
    let mut candidates: Vec<Latencies> = Vec::new();
    for phase in phases {
        for op in [Op::Read, Op::Write] {
            let mut all = Latencies::default();
            for job in &phase.jobs {
                let felt = job.ops[op as usize].felt();
                candidates.push(felt.clone());
                all.merge(felt);
            }
            candidates.push(all);
        }
    }
    candidates.into_iter().find(|latencies| {
        statistic
            .value(latencies)
            .is_some_and(|value| (value - wanted).abs() <= SAME * wanted)
    })
}

fn by_intervals(first: &Figure, second: &Figure) -> Option<Difference> {
    let (value_a, value_b) = (first.value?, second.value?);
    let (a, b) = (first.interval?, second.interval?);
    let confidence_percent = a.confidence_percent.min(b.confidence_percent);
    let interval = Interval {
        low: b.low - a.high,
        high: b.high - a.low,
        confidence_percent,
    };
    let percent = |b: f64, a: f64| (b / a - 1.0) * 100.0;
    let positive = a.low > 0.0 && b.low >= 0.0;
    Some(Difference {
        by: value_b - value_a,
        interval,
        percent: positive.then(|| percent(value_b, value_a)),
        percent_interval: positive.then(|| Interval {
            low: percent(b.low, a.high),
            high: percent(b.high, a.low),
            confidence_percent,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::record::{JobRecord, PhaseRecord};
    use base::rng::Rng;
    use base::time::Duration;
    use fixtures::results as sample;
    use results::Repeats;

    fn repeated(unit: &str, values: &[f64]) -> RunResult {
        let mut result = sample::review().swap_remove(0);
        result.figures = vec![sample::figure("read", Some(values[0]), unit)];
        result.phases.clear();
        result.repeats = Some(Repeats {
            values: [("read".to_owned(), values.to_vec())].into(),
            ..Repeats::default()
        });
        result
    }

    fn between(a: &RunResult, b: &RunResult) -> Option<Effect> {
        let first = Behind {
            figure: &a.figures[0],
            result: a,
        };
        let second = Behind {
            figure: &b.figures[0],
            result: b,
        };
        effect(first, second)
    }

    const AROUND_500: [f64; 8] = [498.0, 503.0, 500.0, 497.0, 505.0, 501.0, 499.0, 502.0];

    fn times(factor: f64) -> Vec<f64> {
        AROUND_500.iter().map(|v| v * factor).collect()
    }

    #[test]
    fn repeats_that_lie_apart_are_faster_or_slower_by_their_unit() {
        let base = repeated("MB/s", &AROUND_500);
        let faster = between(&base, &repeated("MB/s", &times(1.1))).unwrap();
        assert_eq!(
            (faster.verdict, faster.basis),
            (EffectVerdict::Faster, "repeats")
        );
        assert!((faster.percent.unwrap() - 10.0).abs() < 0.1);
        let interval = faster.percent_interval.unwrap();
        assert!(interval.low > 8.0 && interval.high < 12.0, "{interval:?}");
        // More of a latency is slower.
        let base = repeated("ms", &AROUND_500);
        let slower = between(&base, &repeated("ms", &times(1.1))).unwrap();
        assert_eq!(slower.verdict, EffectVerdict::Slower);
        let fewer = between(
            &repeated("count", &AROUND_500),
            &repeated("count", &times(0.5)),
        );
        assert_eq!(fewer.unwrap().verdict, EffectVerdict::Better);
    }

    #[test]
    fn repeats_that_overlap_show_no_difference_and_one_value_says_nothing() {
        let base = repeated("MB/s", &AROUND_500);
        let effect = between(&base, &repeated("MB/s", &times(1.001))).unwrap();
        assert_eq!(effect.verdict, EffectVerdict::NoDifference);
        assert_eq!(between(&base, &repeated("MB/s", &[600.0])), None);
    }

    fn with_latencies(mean_us: f64, seed: u64) -> RunResult {
        let mut rng = Rng::new(seed);
        let mut kept = Latencies::default();
        for _ in 0..5_000 {
            kept.keep(Duration::from_secs_f64(rng.exponential() * mean_us / 1e6));
        }
        let mut result = sample::review().swap_remove(0);
        let p99 = kept.percentile(99.0).unwrap().as_nanos() as f64 / 1e3;
        let mut figure = sample::figure("p99", Some(p99), "us");
        figure.statistic = "p99".into();
        figure.phases = vec!["watch".to_owned()];
        result.figures = vec![figure];
        let mut job: JobRecord = serde_json::from_value(job_document()).unwrap();
        job.ops[Op::Read as usize].service = kept;
        let mut phase: PhaseRecord = serde_json::from_value(phase_document()).unwrap();
        phase.jobs = vec![job];
        result.phases = vec![phase];
        result
    }

    fn job_document() -> serde_json::Value {
        let none = serde_json::to_value(base::record::OpRecord::default()).unwrap();
        serde_json::json!({
            "name": "watch", "ops": [none, none, none, none],
            "series": { "interval": 1_000_000, "points": [] },
            "worst": [], "errors": { "count": 0, "first": [] }
        })
    }

    fn phase_document() -> serde_json::Value {
        serde_json::json!({
            "name": "watch", "began": 0, "took": 0, "ended": "complete", "jobs": [],
            "workload": {
                "jobs": [], "seed": 1, "flush_at_end": false,
                "stop": { "bytes": null, "ios": null, "passes": null, "time": null, "look": "always" },
                "keep": { "series": 1, "bins": null }
            }
        })
    }

    #[test]
    fn percentiles_are_compared_from_the_histograms_behind_them() {
        let of_model = |scale, seed| {
            let mut result = with_latencies(scale, seed);
            result.target.kind = TargetKind::Model;
            result
        };
        let base = of_model(100.0, 1);
        let same = between(&base, &of_model(100.0, 2)).unwrap();
        assert_eq!(
            (same.verdict, same.basis),
            (EffectVerdict::NoDifference, "latencies")
        );
        let slower = between(&base, &of_model(200.0, 3)).unwrap();
        assert_eq!(slower.verdict, EffectVerdict::Slower);
        let interval = slower.percent_interval.unwrap();
        assert!(
            interval.low < 100.0 && interval.high > 100.0,
            "{interval:?}"
        );
        // In the figure's unit: the 99th percentiles are 460 and 921 us.
        assert!(
            (slower.difference - 460.0).abs() < 80.0,
            "{}",
            slower.difference
        );
    }

    #[test]
    fn a_figure_whose_histogram_is_not_found_is_not_judged_from_another_one() {
        let base = with_latencies(100.0, 1);
        let mut other = with_latencies(200.0, 2);
        other.figures[0].value = Some(7.0);
        assert_eq!(between(&base, &other), None);
    }

    #[test]
    fn intervals_that_are_apart_are_a_difference_and_such_that_meet_are_none() {
        let with = |value: f64, low: f64, high: f64| {
            let mut result = repeated("MB/s", &[value]);
            result.repeats = None;
            result.target.kind = TargetKind::Model;
            result.figures[0].interval = Some(Interval {
                low,
                high,
                confidence_percent: 93.75,
            });
            result
        };
        let base = with(500.0, 490.0, 510.0);
        let faster = between(&base, &with(550.0, 540.0, 560.0)).unwrap();
        assert_eq!(
            (faster.verdict, faster.basis),
            (EffectVerdict::Faster, "intervals")
        );
        assert!((faster.interval.low - 30.0).abs() < 1e-9);
        let none = between(&base, &with(505.0, 495.0, 515.0)).unwrap();
        assert_eq!(none.verdict, EffectVerdict::NoDifference);
    }

    #[test]
    fn one_run_of_a_real_drive_and_three_values_of_any_cannot_tell() {
        let base = with_latencies(100.0, 1);
        let other = between(&base, &with_latencies(200.0, 3)).unwrap();
        assert_eq!(other.verdict, EffectVerdict::CannotTell);
        let of_four = |mean_us: f64, seed| {
            let mut result = with_latencies(mean_us, seed);
            result.repeats = Some(Repeats {
                values: [("p99".to_owned(), vec![mean_us; 4])].into(),
                ..Repeats::default()
            });
            result
        };
        let other = between(&of_four(100.0, 1), &of_four(200.0, 3)).unwrap();
        assert_eq!(other.verdict, EffectVerdict::TooFewValues);
        let of_three = |value: f64| {
            let mut result = repeated("MB/s", &[value]);
            result.repeats = None;
            result.target.kind = TargetKind::Model;
            result.figures[0].interval = Some(Interval {
                low: value - 1.0,
                high: value + 1.0,
                confidence_percent: 75.0,
            });
            result
        };
        let effect = between(&of_three(500.0), &of_three(600.0)).unwrap();
        assert_eq!(effect.verdict, EffectVerdict::TooFewValues);
    }
}
