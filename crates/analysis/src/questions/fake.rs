//! Is it a fake? Marks all over the drive, written and read back, show whether all of its capacity is there.

use base::size::Bytes;
use results::{Quantity, Statement};

use super::{Asked, Question, Reply, Step, Verdict, of_finding, undecided};

pub(super) const QUESTION: Question = Question {
    id: "fake",
    steps: &[Step::once("capacity", &[])],
    reply,
    ..Question::PLAIN
};

fn reply(drives: &[Asked]) -> Reply {
    let Some(drive) = drives.first() else {
        return undecided("question-no-result");
    };
    if let Some(found) = of_finding(drive, "missing-capacity") {
        return found.surer("question-fake-surer", drive);
    }
    if drive.is_a_file() {
        return undecided("question-fake-file");
    }
    let of = |key| drive.value("capacity", key);
    let (Some(claimed), Some(kept)) = (of("claimed.size"), of("kept.size")) else {
        return undecided("question-fake-unchecked");
    };
    if kept < claimed {
        return undecided("question-fake-unchecked");
    }
    let size = Quantity::Size(Bytes::new((claimed * 1e9) as u64));
    let says = Statement::new("question-fake-not").with("size", size);
    Reply::new(Verdict::No, vec![says]).surer("question-fake-surer", drive)
}
