//! How large is its fast cache, and what comes after it? One sequential write shows it.

use super::{Asked, Question, Reply, Step, Verdict, undecided};

use crate::observer::Figures;

pub(super) const QUESTION: Question = Question {
    id: "cache",
    steps: &[Step::once("slc-fill", &[])],
    rests_on: &[Figures::Rates, Figures::ResponseTimes],
    reply,
    ..Question::PLAIN
};

fn reply(drives: &[Asked]) -> Reply {
    match drives
        .first()
        .map(|drive| (drive, drive.answer("slc-fill")))
    {
        Some((drive, says)) if !says.is_empty() => {
            Reply::new(Verdict::Told, says).surer("question-cache-surer", drive)
        }
        _ => undecided("question-no-result"),
    }
}
