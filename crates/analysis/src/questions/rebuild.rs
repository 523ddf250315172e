//! Can it be trusted for a rebuild? All of it is read while the array has no redundancy: an unreadable sector, a
//! stalling disk, or one whose writes wait for a cache, ends a rebuild.

use results::{Quantity, Statement};

use super::{Asked, Question, Reply, Step, Verdict, undecided};
use crate::findings::{Found, Sureness};

pub(super) const QUESTION: Question = Question {
    id: "rebuild",
    steps: &[
        Step::once("quick-scan", &["ops=read"]),
        Step::once("full-scan", &["ops=read"]),
    ],
    reply,
    ..Question::PLAIN
};

/// What ends a rebuild, or may.
const AGAINST: [&str; 7] = [
    "failing",
    "missing-capacity",
    "loses-acknowledged-writes",
    "unhealthy",
    "weak-area",
    "stutters",
    "shingled",
];

fn reply(drives: &[Asked]) -> Reply {
    let scanned = |drive: &&Asked| drive.of("full-scan").is_some();
    let Some(drive) = drives.first().filter(scanned) else {
        return undecided("question-no-result");
    };
    let found = drive.findings().into_iter();
    let against: Vec<Found> = found.filter(|f| AGAINST.contains(&f.of.id)).collect();
    if !against.is_empty() {
        let sure = against.iter().any(|found| found.sure != Sureness::Possible);
        let verdict = match sure {
            true => Verdict::No,
            false => Verdict::Undecided,
        };
        let says = against.into_iter().map(|found| found.says).collect();
        return Reply::new(verdict, says);
    }
    let read = drive.answer("full-scan");
    if drive.is_read_whole() {
        let says = vec![Statement::new("question-rebuild-read")];
        return Reply::new(Verdict::Yes, says)
            .because(read)
            .surer("question-rebuild-surer", drive);
    }
    let target = Quantity::Word(drive.target.to_owned());
    let says = Statement::new("question-rebuild-part").with("target", target);
    Reply::new(Verdict::Undecided, vec![says]).because(read)
}
