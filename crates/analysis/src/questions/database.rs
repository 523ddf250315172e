//! Does it stutter under a database? A log that commits, and reads beside random writes.

use super::{Asked, Question, Reply, Step, Verdict, of_finding, undecided};

pub(super) const QUESTION: Question = Question {
    id: "database",
    steps: &[
        Step::once("latency-watch", &["load=writes"]),
        Step::once("commit", &[]),
    ],
    drives: (1, 1),
    beside_earlier: false,
    reply,
};

fn reply(drives: &[Asked]) -> Reply {
    let Some(drive) = drives.first() else {
        return undecided("question-no-result");
    };
    let commits = drive.answer("commit");
    if let Some(found) = of_finding(drive, "stutters") {
        return found
            .because(commits)
            .surer("question-database-surer", drive);
    }
    let watched = drive.answer("latency-watch");
    if watched.is_empty() {
        return undecided("question-no-result");
    }
    Reply::new(Verdict::No, watched)
        .because(commits)
        .surer("question-database-surer", drive)
}
