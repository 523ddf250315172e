//! Does it stutter under a database? A log that commits, and reads beside random writes.
//!
//! A disk whose reads wait behind its writes is no fault of the disk, so a review has no finding of it; who asks for a
//! database has to know. What keeps still for less than ten seconds is not known to: stutters of which one comes every
//! ten seconds are often ([`OFTEN`]). And commits a second are worth what the drive's flushes are worth.

use base::time::Duration;
use results::statement::{Quantity, Statement};

use super::{Asked, Question, Reply, Step, Verdict, of_finding, undecided};

use crate::observer::Figures;

pub(super) const QUESTION: Question = Question {
    id: "database",
    steps: &[
        Step::once("latency-watch", &["load=writes"]),
        Step::once("commit", &[]),
    ],
    drives: (1, 1),
    beside_earlier: false,
    judges_failing: false,
    rests_on: &[Figures::ResponseTimes],
    reply,
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
