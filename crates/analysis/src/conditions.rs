//! Whether two figures may be compared: the measurements must be alike.
//!
//! Every figure has its conditions: span, data, alignment, state of the drive, scale. If two figures' conditions
//! differ, the difference of their values says as much about the conditions as about the drives, so no winner is named.
//! One case is weaker: a real drive's history is unknown, its state is `unknown`, so it may or may not differ. Such a
//! figure is compared **with reserve**, and marked so. The tail of a modelled drive is never compared with a measured
//! one ([`tails`](crate::tails)).

use base::method::told_scale;
use base::{Figure, Message};
use results::imported::NOT_STATED;
use results::{ConditionDifference, TargetRecord};

use crate::tails::is_modelled_tail;

/// The word for an unknown state (a real drive's).
const UNKNOWN: &str = "unknown";

/// A figure with its method's version, which changes when its workloads do, and its target.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    pub figure: &'a Figure,
    /// The version of the method.
    pub version: u32,
    pub target: &'a TargetRecord,
}

impl Made<'_> {
    /// Whether it is a modelled drive's tail.
    pub fn is_modelled_tail(&self) -> bool {
        is_modelled_tail(self.figure, self.target)
    }
}

/// Differences between the conditions of `here` and `there`; an unknown state is not counted as one (see
/// [`state_is_reserved`]).
pub fn differences(here: Made, there: Made) -> Vec<ConditionDifference> {
    let (a, b) = (&here.figure.comparable_by, &there.figure.comparable_by);
    let [own, other] = [here, there].map(|made| tail_words(&made));
    let as_it_stands = |here: &str, there: &str| [here, there].map(Message::as_it_stands);
    let pairs: [(&'static str, [Message; 2]); 9] = [
        ("span", [a.span.clone(), b.span.clone()]),
        ("data", [a.data.clone(), b.data.clone()]),
        ("alignment", as_it_stands(&a.alignment, &b.alignment)),
        (
            "state",
            [&a.state, &b.state].map(|of| or_as_it_stands(base::state::told(of), of)),
        ),
        (
            "scale",
            [&a.scale, &b.scale].map(|of| or_as_it_stands(told_scale(of), of)),
        ),
        ("unit", as_it_stands(&here.figure.unit, &there.figure.unit)),
        (
            "statistic",
            [here, there].map(|made| made.figure.statistic.message_of_one_run()),
        ),
        (
            "method version",
            [here, there].map(|made| Message::as_it_stands(made.version.to_string())),
        ),
        ("tail", [own, other]),
    ];
    // A result of before has the sentence without its key.
    let is_itself = std::ptr::eq(here.figure, there.figure);
    let differ = |[here, there]: &[Message; 2]| {
        // Of what two imported files do not state nobody knows that it is the same.
        here.as_str() != there.as_str() || (here.as_str() == NOT_STATED && !is_itself)
    };
    pairs
        .into_iter()
        .filter(|(what, pair)| {
            differ(pair) && !(*what == "state" && pair.iter().any(|state| is_unknown(state)))
        })
        .map(|(what, [here, there])| ConditionDifference { what, here, there })
        .collect()
}

/// Whose tail a figure is of; the same for all that are of none.
fn tail_words(made: &Made) -> Message {
    match (made.figure.is_of_the_tail(), made.is_modelled_tail()) {
        (false, _) => Message::default(),
        (true, false) => Message::of("tail-measured"),
        (true, true) => Message::of("tail-modelled"),
    }
}

fn or_as_it_stands(told: Option<Message>, text: &str) -> Message {
    told.unwrap_or_else(|| Message::as_it_stands(text))
}

/// True where the states of the two drives differ only in that one of them is not known.
pub fn state_is_reserved(here: &Figure, there: &Figure) -> bool {
    let (a, b) = (&here.comparable_by.state, &there.comparable_by.state);
    is_unknown(a) != is_unknown(b)
}

/// True if the history of the figure's drive is unknown.
pub fn state_is_unknown(figure: &Figure) -> bool {
    is_unknown(&figure.comparable_by.state)
}

/// `unknown`, or `unknown` with what is known nevertheless (`unknown, trimmed`).
fn is_unknown(state: &str) -> bool {
    state.starts_with(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    fn two() -> (Figure, Figure) {
        let figure = sample::figure("read.mean", Some(100.0), "MB/s");
        (figure.clone(), figure)
    }

    fn made(figure: &Figure) -> Made<'_> {
        static REAL: std::sync::LazyLock<TargetRecord> =
            std::sync::LazyLock::new(TargetRecord::default);
        Made {
            figure,
            version: 1,
            target: &REAL,
        }
    }

    #[test]
    fn figures_of_the_same_conditions_are_comparable_and_each_difference_is_named() {
        let (a, mut b) = two();
        assert_eq!(differences(made(&a), made(&b)), []);
        b.comparable_by.span = base::message::Message::as_it_stands("0+512 MiB");
        b.comparable_by.state = "full-in-order".to_owned();
        let named: Vec<&str> = differences(made(&a), made(&b))
            .iter()
            .map(|d| d.what)
            .collect();
        assert_eq!(named, ["span", "state"]);
        let (mut here, mut there) = two();
        for imported in [&mut here, &mut there] {
            imported.comparable_by.data = base::message::Message::as_it_stands(NOT_STATED);
        }
        assert_eq!(differences(made(&here), made(&there))[0].what, "data");
        let newer = Made {
            version: 2,
            ..made(&a)
        };
        assert_eq!(differences(made(&a), newer)[0].what, "method version");
    }

    #[test]
    fn a_repeated_figure_may_stand_beside_one_of_a_single_run() {
        let (mut a, b) = two();
        a.statistic = b.statistic.over_repeats();
        assert_eq!(differences(made(&a), made(&b)), []);
    }

    #[test]
    fn a_state_that_nobody_knows_is_a_reserve_and_no_difference() {
        let (a, mut b) = two();
        b.comparable_by.state = "unknown".to_owned();
        assert_eq!(differences(made(&a), made(&b)), []);
        assert!(state_is_reserved(&a, &b));
        assert!(!state_is_reserved(&b, &b));
    }

    #[test]
    fn a_modelled_tail_does_not_stand_beside_a_measured_one_and_its_middle_does() {
        let (mut a, _) = two();
        a.better = base::result::Better::Lower;
        a.unit = "ms".to_owned();
        let model = TargetRecord {
            kind: results::TargetKind::Model,
            ..TargetRecord::default()
        };
        for (statistic, differing) in [("p99.9", vec!["tail"]), ("median", vec![])] {
            a.statistic = statistic.into();
            let modelled = Made {
                target: &model,
                ..made(&a)
            };
            let found = differences(modelled, made(&a));
            let named: Vec<&str> = found.iter().map(|d| d.what).collect();
            assert_eq!(named, differing, "{statistic}");
            assert_eq!(differences(modelled, modelled), []);
        }
    }
}
