//! What is said, held against what is so.

use base::message::Argument;
use base::result::Figure;
use results::RunResult;
use results::benchmarks::InferenceAnswer;
use results::statement::Statement;

use super::truth::{Is, Truth};

/// The outcome of a question; nothing where it was not asked.
pub(super) fn judged(
    truth: &Truth,
    result: &RunResult,
    said: &[Statement],
) -> Option<InferenceAnswer> {
    match &truth.is {
        Is::Number(key, is, tolerance) => number(truth.question, result, key, *is, *tolerance),
        Is::Said(right, wrong) => sentence(truth.question, said, right, wrong),
    }
}

fn number(
    question: &'static str,
    result: &RunResult,
    key: &str,
    is: Option<[f64; 2]>,
    tolerance: f64,
) -> Option<InferenceAnswer> {
    let figure = result.figures.iter().find(|figure| figure.key == key)?;
    let interval = figure.interval.as_ref().map(|it| [it.low, it.high]);
    let holds = |[low, high]: [f64; 2]| interval.map(|it| it[0] <= high && low <= it[1]);
    let near = |value: f64, [low, high]: [f64; 2]| {
        value >= low * (1.0 - tolerance) && value <= high * (1.0 + tolerance)
    };
    let held = is.filter(|_| figure.value.is_some()).and_then(holds);
    let outcome = match (figure.value, is) {
        (None, None) => "right",
        (None, Some(is)) => match of_one_or_other(figure) {
            None => "open",
            Some(value) if near(value, is) => "bounded",
            Some(_) => "wrong",
        },
        (Some(_), None) => "wrong",
        (Some(value), Some(is)) if near(value, is) => "right",
        (Some(_), Some(_)) if held == Some(true) => "bounded",
        (Some(_), Some(_)) => "wrong",
    };
    Some(InferenceAnswer {
        question,
        is: is.map_or("none".to_owned(), |[low, high]| match low < high {
            true => format!("{low:.1} to {high:.1}"),
            false => format!("{low:.1}"),
        }),
        said: figure
            .value
            .map_or("none".to_owned(), |value| format!("{value:.1}")),
        held,
        true_between: is,
        said_between: interval,
        outcome,
    })
}

/// The number of what is found, though not which of two things it is.
fn of_one_or_other(figure: &Figure) -> Option<f64> {
    let why = figure.why_not.as_ref();
    let why = why.filter(|why| why.key() == Some("why-die-or-channel"))?;
    match why.arguments().find(|(name, _)| *name == "pages")?.1 {
        Argument::Text(pages) => pages.parse().ok(),
        _ => None,
    }
}

fn sentence(
    question: &'static str,
    said: &[Statement],
    right: &'static [&'static str],
    wrong: &'static [&'static str],
) -> Option<InferenceAnswer> {
    let one_of = |keys: &[&str]| said.iter().find(|said| keys.contains(&said.key));
    let claimed = one_of(right).or_else(|| one_of(wrong));
    // Where nothing at all came of a question, it did not suit.
    let outcome = match claimed {
        Some(said) if right.contains(&said.key) => "right",
        Some(_) => "wrong",
        None => "open",
    };
    Some(InferenceAnswer {
        question,
        is: right[0].to_owned(),
        said: claimed.map_or("nothing", |said| said.key).to_owned(),
        held: None,
        true_between: None,
        said_between: None,
        outcome,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_claims_neither_is_open() {
        let outcome = |key| {
            let said: Vec<Statement> = Option::into_iter(key).map(Statement::new).collect();
            sentence("trim", &said, &["yes"], &["no"]).unwrap().outcome
        };
        assert_eq!(outcome(Some("yes")), "right");
        assert_eq!(outcome(Some("no")), "wrong");
        assert_eq!(outcome(Some("perhaps")), "open");
        assert_eq!(outcome(None), "open");
    }
}
