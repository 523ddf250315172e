//! Did the firmware change anything? The same runs before and after, several times each, and compared with what
//! chance alone does from run to run.

use results::comparison::{Comparison, FactsCompared};
use results::{Quantity, RunResult, Statement, TargetKind};

use super::{Asked, Question, Reply, Step, Verdict, undecided};
use crate::compare::compare;
use crate::observer::Figures;

pub(super) const QUESTION: Question = Question {
    id: "firmware",
    steps: &[
        Step {
            method: "crystaldiskmark",
            set: &[],
            times: 5,
        },
        Step::once("retention", &[]),
    ],
    drives: (1, 2),
    beside_earlier: true,
    rests_on: &[Figures::Rates, Figures::ResponseTimes],
    reply,
    ..Question::PLAIN
};

/// Models give the same again with the same seed: what differs by more than this does so by their firmware.
const OF_A_MODEL: f64 = 0.05;

fn reply(drives: &[Asked]) -> Reply {
    let [before, after] = drives else {
        return undecided("question-firmware-first");
    };
    if Identified::of(before) != Identified::of(after) {
        return undecided("question-firmware-two-drives");
    }
    let both = before.results.iter().chain(&after.results);
    let results: Vec<RunResult> = both.map(|&result| result.clone()).collect();
    let comparison = compare(&results);
    let all_models = results.iter().all(|r| r.target.kind == TargetKind::Model);
    let (differ, judged) = match all_models {
        true => of_models(&comparison),
        false => of_runs(&comparison),
    };
    let counts = |key| {
        Statement::new(key)
            .with("differ", Quantity::Count(differ as u64))
            .with("judged", Quantity::Count(judged as u64))
    };
    let reply = match (differ, judged) {
        (_, 0) => undecided("question-firmware-too-few"),
        (0, _) => Reply::new(Verdict::No, vec![counts("question-firmware-same")]),
        _ => Reply::new(Verdict::Yes, vec![counts("question-firmware-differs")])
            .because(most(&comparison)),
    };
    reply.surer("question-firmware-surer", after)
}

/// What two measurements of one drive have in common whatever its firmware; of models, also the seed.
#[derive(PartialEq)]
struct Identified<'a> {
    model: Option<&'a str>,
    serial: Option<&'a str>,
    modelled: Option<&'a str>,
}

impl<'a> Identified<'a> {
    fn of(drive: &Asked<'a>) -> Option<Identified<'a>> {
        let target = &drive.results.first()?.target;
        let fact = |key: &str| target.identity.get(key).map(String::as_str);
        let is_modelled = target.kind == TargetKind::Model;
        Some(Identified {
            model: fact("model"),
            serial: fact("serial"),
            modelled: is_modelled
                .then(|| target.name.split(['?', ')']).next())
                .flatten(),
        })
    }
}

/// Facts that differ beyond chance, and those that could be judged.
fn of_runs(comparison: &Comparison) -> (usize, usize) {
    let facts = comparison.methods.iter().map(|method| &method.facts);
    facts.fold((0, 0), |(differ, judged), facts: &FactsCompared| {
        (differ + facts.differ, judged + facts.judged)
    })
}

/// The same for figures of models, for which one run is enough.
fn of_models(comparison: &Comparison) -> (usize, usize) {
    let ratios: Vec<f64> = ratios(comparison).map(|(_, ratio)| ratio).collect();
    let differ = ratios.iter().filter(|&&ratio| apart(ratio) > OF_A_MODEL);
    (differ.count(), ratios.len())
}

fn ratios(comparison: &Comparison) -> impl Iterator<Item = (&str, f64)> {
    let figures = comparison.methods.iter().flat_map(|method| &method.figures);
    figures.flat_map(|figure| {
        // A model's tails hang on its seed and not on its firmware alone.
        let values = figure.values.iter().filter(|value| value.tail.is_none());
        let ratio = values.filter_map(|value| value.ratio);
        ratio.map(|ratio| (figure.key.as_str(), ratio))
    })
}

/// Distance from 1 in either direction.
fn apart(ratio: f64) -> f64 {
    ratio.max(1.0 / ratio.max(f64::MIN_POSITIVE)) - 1.0
}

/// The figure that changed the most.
fn most(comparison: &Comparison) -> Option<Statement> {
    let (key, ratio) = ratios(comparison).max_by(|a, b| apart(a.1).total_cmp(&apart(b.1)))?;
    let said = Statement::new("question-firmware-most")
        .with("figure", Quantity::Figure(key.to_owned()))
        .with("factor", Quantity::Factor(ratio));
    Some(said)
}
