//! Does it stutter under a database? A committing log, and reads during random writes.
//!
//! A disk whose reads wait for its writes is not faulty, so a review has no finding for it; but it matters for a
//! database. A period of less than ten seconds without stutter is inconclusive: one stutter every ten seconds is
//! frequent ([`OFTEN`]). And commit rates are only as meaningful as the drive's flushes.

use base::time::Duration;
use results::{Quantity, Statement};

use super::{Asked, Question, Reply, Step, Verdict, of_finding, undecided};

use crate::observer::Figures;

pub(super) const QUESTION: Question = Question {
    id: "database",
    steps: &[
        Step::once("latency-watch", &["load=writes"]),
        Step::once("commit", &[]),
    ],
    rests_on: &[Figures::ResponseTimes],
    reply,
    ..Question::PLAIN
};

/// Stutters that come as seldom as this are still often; a shorter watch may miss them all.
const OFTEN: Duration = Duration::from_secs(10);

fn reply(drives: &[Asked]) -> Reply {
    let Some(drive) = drives.first() else {
        return undecided("question-no-result");
    };
    let commits = drive.answer("commit");
    let target = Quantity::Word(drive.target.to_owned());
    let unflushed = Statement::new("question-database-flushes").with("target", target);
    if let Some(found) = of_finding(drive, "stutters") {
        return found
            .because(commits)
            .because([unflushed])
            .surer("question-database-surer", drive);
    }
    let watched = drive.answer("latency-watch");
    let Some(first) = watched.first() else {
        return undecided("question-no-result");
    };
    let verdict = match first.quantity("watched") {
        Some(Quantity::Time(watched)) if *watched >= OFTEN => Verdict::No,
        None if first.quantity("stutters").is_some() => Verdict::Yes,
        Some(_) | None => Verdict::Undecided,
    };
    Reply::new(verdict, watched)
        .because(commits)
        .because([unflushed])
        .surer("question-database-surer", drive)
}
