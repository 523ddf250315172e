//! `drivelab develop bench infer`: how often `explain` is right, open, or certain and wrong.
//!
//! An estimator that was tried on a few drives is right about those. So drives are drawn: a drive of the catalogue of each
//! family, every uncertain value within what it may be, and parts of its structure (dies, the map's memory, turns) within
//! what was sold. Each is asked by the method `explain` as a user would ask it, through a quiet host or a busy one and
//! through faults that a real machine has, and what is said is held against the drive's own values. An answer is right, it
//! is *bounded* (off, but its interval says so), it is *open* (nothing is claimed), or it is *wrong*: certain, and not so.
//! Wrong answers are the ones that cost a user something.
//!
//! All drives here have the models' own mechanisms. How the estimators fare on drives that work otherwise is held by the
//! tests of `alien`.

use base::interrupt::Interrupt;
use base::method::Scale;
use base::side_by_side::side_by_side;
use lab::LabError;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use results::RunResult;
use results::benchmarks::{
    INFERENCE_BENCH_SCHEMA, InferenceAnswer, InferenceBench, InferenceDrive, InferenceScore,
};
use results::statement::Statement;

use crate::error::{AccuracyError, NothingSelected};

mod draw;
mod judge;
mod truth;

use draw::{Drawn, FAMILIES, drawn};

/// What is tried.
#[derive(Clone, Debug)]
pub struct Inference {
    /// Families by name; all where there is none.
    pub families: Vec<String>,
    /// Drives a family.
    pub drives: u32,
    /// Threads.
    pub jobs: usize,
    /// Draws drives, hosts and faults.
    pub seed: u64,
}

/// The names of the families.
pub fn families() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|family| family.name)
}

/// Draws drives, asks them, and judges the answers. `done` is called with the number of drives done and of all.
///
/// # Errors
/// Where there is no such family, a drive cannot be run, or a stop is requested.
pub fn bench_inference(
    asked: &Inference,
    interrupt: &Interrupt,
    done: &(dyn Fn(usize, usize) + Sync),
) -> Result<InferenceBench, AccuracyError> {
    for name in &asked.families {
        if families().all(|family| family != name) {
            let (asked, all) = (name.clone(), families().map(str::to_owned).collect());
            return Err(NothingSelected::Family { asked, all }.into());
        }
    }
    let chosen =
        |name: &str| asked.families.is_empty() || asked.families.iter().any(|one| one == name);
    let numbers: Vec<(&draw::Family, u64)> = FAMILIES
        .iter()
        .filter(|family| chosen(family.name))
        .flat_map(|family| (0..u64::from(asked.drives)).map(move |n| (family, n)))
        .collect();
    let work = |(family, n): &(&draw::Family, u64)| one(family, *n, asked.seed, interrupt);
    let judged = side_by_side(&numbers, asked.jobs, work, done);
    LabError::not_interrupted(interrupt)?;
    let drives: Vec<InferenceDrive> = judged.into_iter().collect::<Result<_, _>>()?;
    Ok(InferenceBench {
        schema: INFERENCE_BENCH_SCHEMA,
        seed: asked.seed,
        scores: scores(&drives),
        drives,
    })
}

/// Filling most of a drive takes ten times as long as all other questions: one drive in so many is filled. It is a
/// prime that is no family's number of drives, so that each of them has its turn.
const FILLED_ONE_IN: u64 = 11;

fn one(
    family: &draw::Family,
    n: u64,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<InferenceDrive, AccuracyError> {
    let drawn = drawn(family, n, seed)?;
    let result = explained(&drawn, n.is_multiple_of(FILLED_ONE_IN), interrupt)?;
    let said = analysis::answers::inside::findings(&result);
    let said: Vec<Statement> = said.into_iter().map(|finding| finding.said).collect();
    let truths = truth::truths(&drawn);
    let answers = truths
        .iter()
        .filter_map(|truth| judge::judged(truth, &result, &said))
        .collect();
    Ok(InferenceDrive {
        family: family.name,
        noise: drawn.noise,
        target: drawn.target,
        answers,
    })
}

fn explained(
    drawn: &Drawn,
    fills: bool,
    interrupt: &Interrupt,
) -> Result<RunResult, AccuracyError> {
    let request = Request {
        // The drives are models: what a user has to ask for costs nothing here.
        set: vec![
            "writes=whole".to_owned(),
            format!("fill={}", if fills { "yes" } else { "no" }),
        ],
        ..Request::new("explain", &drawn.target, Scale::Default, drawn.seed)
    };
    Ok(prepare(request)?.run(None, &mut Silent, interrupt)?)
}

/// Counts by question and family, by question and noise, and by question alone.
fn scores(drives: &[InferenceDrive]) -> Vec<InferenceScore> {
    let mut scores: Vec<InferenceScore> = Vec::new();
    for drive in drives {
        for answer in &drive.answers {
            for of in ["all", drive.family, drive.noise] {
                count(&mut scores, of, answer);
            }
        }
    }
    scores.sort_by_key(|score| (score.question, score.of));
    scores
}

fn count(scores: &mut Vec<InferenceScore>, of: &'static str, answer: &InferenceAnswer) {
    let known = |score: &InferenceScore| score.of == of && score.question == answer.question;
    let at = scores.iter().position(known).unwrap_or_else(|| {
        scores.push(InferenceScore::new(of, answer.question));
        scores.len() - 1
    });
    scores[at].count(answer);
}

/// The scores as a table, wrong answers first, then each wrong answer with its drive.
pub fn text(bench: &InferenceBench) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<14} {:<18} {:>6} {:>6} {:>7} {:>6} {:>6} {:>6} {:>9}",
        "question", "drives", "asked", "WRONG", "bounded", "open", "right", "holds", "of"
    );
    for score in &bench.scores {
        let _ = writeln!(
            text,
            "{:<14} {:<18} {:>6} {:>6} {:>7} {:>6} {:>6} {:>6} {:>9}",
            score.question,
            score.of,
            score.asked,
            score.wrong,
            score.bounded,
            score.open,
            score.right,
            score.held,
            score.with_interval
        );
    }
    for drive in &bench.drives {
        for answer in drive
            .answers
            .iter()
            .filter(|answer| answer.outcome == "wrong")
        {
            let _ = writeln!(
                text,
                "wrong: {}: {} for {}: {}",
                answer.question, answer.said, answer.is, drive.target
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    mod happened;

    use super::*;

    #[test]
    fn a_drawn_drive_of_each_family_is_asked_and_judged() {
        let asked = Inference {
            families: Vec::new(),
            drives: 1,
            jobs: 2,
            seed: 7,
        };
        let bench = bench_inference(&asked, &Interrupt::new(), &|_, _| {}).unwrap();
        assert_eq!(bench.drives.len(), FAMILIES.len());
        for drive in &bench.drives {
            assert!(!drive.answers.is_empty(), "{}", drive.target);
        }
        let all: u32 = bench
            .scores
            .iter()
            .filter(|score| score.of == "all")
            .map(|score| score.asked)
            .sum();
        let each: usize = bench.drives.iter().map(|drive| drive.answers.len()).sum();
        assert_eq!(all as usize, each);
        assert!(text(&bench).contains("WRONG"));
    }

    #[test]
    fn a_family_that_is_not_there_is_named_with_those_that_are() {
        let asked = Inference {
            families: vec!["tape".to_owned()],
            drives: 1,
            jobs: 1,
            seed: 1,
        };
        let error = bench_inference(&asked, &Interrupt::new(), &|_, _| {}).unwrap_err();
        assert!(error.to_string().contains("sata"), "{error}");
    }
}
