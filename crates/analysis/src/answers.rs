//! What a result answers, in a sentence or two: every method is a question, and its figures are the reply.
//!
//! Nobody who runs a fill wants a table first: "140 GB at 3.5 GB/s, then 283 MB/s: 8 % of it" is what was asked. So
//! each method has one file here, whose function looks at the figures of a result and chooses the sentence. It is a
//! function of figures alone: it never reads words, and where a figure is missing it says less instead of guessing.
//!
//! A sentence is a [`Statement`]; its words stand in the texts of the reports under its key (`answer-METHOD-…`).
//! Adding one is a file in `answers/` and a line in `ANSWERS`.

use results::RunResult;
use results::statement::Statement;

mod capacity;
pub(crate) mod figures;
mod slc_fill;

/// How a method's result is answered.
type Answer = fn(&RunResult) -> Vec<Statement>;

/// The methods, each with its answer.
const ANSWERS: &[(&str, Answer)] = &[
    ("capacity", capacity::answer),
    ("slc-fill", slc_fill::answer),
];

/// What a result answers: the first sentence replies to the method's question, the others say what bears on it.
/// Nothing where the figures for it are missing.
pub fn answer(result: &RunResult) -> Vec<Statement> {
    let known = ANSWERS.iter().find(|(method, _)| *method == result.method);
    known.map_or_else(Vec::new, |(_, answer)| answer(result))
}

/// The methods that have an answer.
pub fn answered() -> impl Iterator<Item = &'static str> {
    ANSWERS.iter().map(|(method, _)| *method)
}
