//! Is it shingled? Small writes beside small reads, and overwriting all over the surface, give it away.

use results::statement::{Quantity, Statement};

use super::{Asked, Question, Reply, Step, Verdict, of_finding, undecided};

pub(super) const QUESTION: Question = Question {
    id: "shingled",
    steps: &[
        Step::once("crystaldiskmark", &[]),
        Step::once("quick-scan", &[]),
    ],
    drives: (1, 1),
    beside_earlier: false,
    reply,
};

fn reply(drives: &[Asked]) -> Reply {
    let Some(drive) = drives.first() else {
        return undecided("question-no-result");
    };
    if let Some(found) = of_finding(drive, "shingled") {
        return found.because(signs(drive));
    }
    match is_disk(drive) {
        Some(false) => Reply::new(Verdict::No, vec![Statement::new("question-shingled-flash")]),
        Some(true) => match signs(drive) {
            Some(signs) => {
                let says = vec![Statement::new("question-shingled-not")];
                Reply::new(Verdict::No, says)
                    .because([signs])
                    .surer("question-shingled-surer", drive)
            }
            None => undecided("question-shingled-writes"),
        },
        None => undecided("question-shingled-unknown"),
    }
}

fn is_disk(drive: &Asked) -> Option<bool> {
    crate::findings::Evidence::of(&drive.results)?.is_disk()
}

/// What shows it: small writes beside small reads, and writing in order beside reading.
fn signs(drive: &Asked) -> Option<Statement> {
    let small = |op: &str| {
        let key = format!("rnd4k-q1t1.{op}.median");
        drive.value("crystaldiskmark", &key)
    };
    let whole = |op: &str| drive.value("quick-scan", &format!("{op}.mean"));
    Some(
        Statement::new("question-shingled-signs")
            .with("factor", Quantity::Factor(small("write")? / small("read")?))
            .with(
                "share",
                Quantity::Percent(whole("write")? / whole("read")? * 100.0),
            ),
    )
}
