//! Reliability of a modelled drive's long responses: their error compared with a real drive, or that they were never
//! compared.
//!
//! A drive's tail (retries, garbage collection, a remapped sector) has other causes than its middle, so a correct mean
//! of a model says nothing about its 99.9th percentile. Such a figure is marked wherever it is shown, and is not ranked
//! against a measured one: the model would win by what it leaves out.

use base::statistic::Kind;
use base::{Figure, Op};
use results::tails::{TailErrors, TailMark, Tails};
use results::{TargetKind, TargetRecord};

use crate::key;

/// The remark on a figure; `None` if it is not a tail, or the target's own. A missed published value of the drive is
/// reported first, whether it is a tail or not.
pub fn tail_mark(figure: &Figure, target: &TargetRecord) -> Option<TailMark> {
    let value = figure.value?;
    let same_unit = |unit: &str| unit == figure.unit || unit.is_empty();
    let known = target.known_misses.iter();
    let mut missed = known.filter(|miss| miss.key == figure.key && same_unit(&miss.unit));
    if let Some(miss) = missed.next() {
        return Some(TailMark::MissesPublished {
            published: miss.published,
            factor: miss.published.map_or(miss.factor, |of| apart(of, value)),
        });
    }
    if !figure.is_of_the_tail() {
        return None;
    }
    match standing(target)? {
        Tails::Exact => None,
        Tails::NotCompared => Some(TailMark::NotCompared),
        // No factor makes anything else of nothing: of no stall, of a longest stall of 0 ms.
        Tails::Compared { errors } => (value != 0.0).then(|| off(figure, errors)),
    }
}

/// How many times too much or too little a value is.
fn apart(published: f64, value: f64) -> f64 {
    let (low, high) = (published.min(value), published.max(value));
    if low > 0.0 { high / low } else { f64::INFINITY }
}

/// Whether the figure is a modelled drive's tail: it is not ranked against a measured one.
pub fn is_modelled_tail(figure: &Figure, target: &TargetRecord) -> bool {
    let modelled = standing(target).is_some_and(|tails| *tails != Tails::Exact);
    modelled && figure.is_of_the_tail()
}

/// A modelled target's reliability; an older result without it counts as never compared. `None` for a real target.
pub fn standing(target: &TargetRecord) -> Option<&Tails> {
    match target.kind {
        TargetKind::Real => None,
        TargetKind::Model => Some(target.tails.as_ref().unwrap_or(&Tails::NotCompared)),
    }
}

/// How far the model was off in the direction that the figure speaks of; where it speaks of none, the
/// worse of both.
fn off(figure: &Figure, errors: &[TailErrors]) -> TailMark {
    let direction = key::direction(&figure.key);
    let speaks_of = |op: Op| direction.is_none_or(|wanted| wanted == op);
    let of_op = errors.iter().filter(|of| speaks_of(of.op));
    let worst = |of: fn(&TailErrors) -> f64| of_op.clone().map(of).max_by(f64::total_cmp);
    let percentile = match figure.statistic.kind() {
        Kind::Percentile(percent) => percent,
        _ => 100.0,
    };
    // Beyond the 99.9th nothing but the longest was compared.
    let mark = if percentile < 99.9 {
        worst(|of| of.p99_percent).map(TailMark::OffPercent)
    } else if percentile < 99.95 {
        worst(|of| of.p99_9_percent).map(TailMark::OffPercent)
    } else {
        worst(|of| of.longest_factor).map(TailMark::OffFactor)
    };
    mark.unwrap_or(TailMark::NotCompared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::result::Better;
    use fixtures::results as sample;
    use results::tails::KnownMiss;

    fn figure(key: &str, statistic: &str, unit: &str) -> Figure {
        let mut figure = sample::figure(key, Some(1.0), unit);
        figure.statistic = statistic.into();
        figure.better = Better::Lower;
        figure
    }

    fn target(tails: Option<Tails>) -> TargetRecord {
        TargetRecord {
            kind: TargetKind::Model,
            tails,
            ..TargetRecord::default()
        }
    }

    fn errors(op: Op, scale: f64) -> TailErrors {
        TailErrors {
            op,
            tuned: false,
            rate_percent: scale,
            median_percent: 2.0 * scale,
            p99_percent: 3.0 * scale,
            p99_9_percent: 4.0 * scale,
            longest_factor: 5.0 * scale,
        }
    }

    #[test]
    fn a_tail_of_a_model_is_marked_and_its_middle_is_not() {
        let not = target(Some(Tails::NotCompared));
        let before = target(None);
        for (statistic, unit) in [
            ("p99", "us"),
            ("max", "ms"),
            ("responses of 100ms or more", "per min"),
        ] {
            let of = figure("alone.x", statistic, unit);
            assert_eq!(tail_mark(&of, &not), Some(TailMark::NotCompared));
            assert_eq!(tail_mark(&of, &before), Some(TailMark::NotCompared));
            assert_eq!(tail_mark(&of, &target(Some(Tails::Exact))), None);
            assert_eq!(tail_mark(&of, &TargetRecord::default()), None);
        }
        for (statistic, unit) in [("median", "us"), ("mean", "ms"), ("max", "MB/s")] {
            assert_eq!(tail_mark(&figure("alone.x", statistic, unit), &not), None);
        }
    }

    #[test]
    fn a_figure_that_was_published_and_missed_says_so_whatever_else_was_compared() {
        let mut target = target(Some(Tails::Compared {
            errors: vec![errors(Op::Read, 1.0)],
        }));
        target.known_misses = vec![KnownMiss {
            key: "read.response.max".to_owned(),
            published: Some(10.7),
            unit: "ms".to_owned(),
            factor: 7.8,
        }];
        let missed = figure("read.response.max", "max", "ms");
        let mark = tail_mark(&missed, &target).unwrap();
        assert!(mark.is_known_miss() && !mark.is_told() && mark.at_worst(1.0).is_infinite());
        // The figure is 1, so that it is 10.7 times too little, whatever another run was.
        assert!(
            matches!(mark, TailMark::MissesPublished { factor, .. } if (factor - 10.7).abs() < 1e-9)
        );
        assert!(
            !tail_mark(&figure("read.response.max", "max", "us"), &target)
                .unwrap()
                .is_known_miss()
        );
        assert!(
            tail_mark(&figure("read.p99", "p99", "ms"), &target)
                .unwrap()
                .is_told()
        );
    }

    #[test]
    fn a_mark_has_the_error_of_its_direction_and_of_its_depth_into_the_tail() {
        let errors = vec![errors(Op::Read, 1.0), errors(Op::Write, 2.0)];
        let compared = target(Some(Tails::Compared { errors }));
        for (key, statistic, mark) in [
            ("x.read", "p99", TailMark::OffPercent(3.0)),
            ("x.write", "p99", TailMark::OffPercent(6.0)),
            ("x.read", "p99.9", TailMark::OffPercent(4.0)),
            ("x.read", "p99.99", TailMark::OffFactor(5.0)),
            ("x.write", "max", TailMark::OffFactor(10.0)),
            ("alone.p99", "p99", TailMark::OffPercent(6.0)),
        ] {
            let of = figure(key, statistic, "us");
            assert_eq!(tail_mark(&of, &compared), Some(mark), "{key} {statistic}");
        }
        let mut stalls = figure("alone.stalls", "responses of 100ms or more", "per min");
        assert!(tail_mark(&stalls, &compared).is_some());
        stalls.value = Some(0.0);
        assert_eq!(tail_mark(&stalls, &compared), None);
    }
}
