//! Is it shingled? Small writes compared with small reads, and overwriting across the LBA range, show it.

use results::{Quantity, Statement};

use super::{Asked, Question, Reply, Step, Verdict, of_finding, undecided};

pub(super) const QUESTION: Question = Question {
    id: "shingled",
    steps: &[
        Step::once("crystaldiskmark", &[]),
        Step::once("quick-scan", &[]),
    ],
    reply,
    ..Question::PLAIN
};

fn reply(drives: &[Asked]) -> Reply {
    let Some(drive) = drives.first() else {
        return undecided("question-no-result");
    };
    if let Some(found) = of_finding(drive, "shingled") {
        return found.because(signs(drive));
    }
    match is_disk(drive) {
        Some(false) if says_flash(drive) => {
            Reply::new(Verdict::No, vec![Statement::new("question-shingled-flash")])
        }
        Some(true) => match signs(drive) {
            Some(signs) if signs.key == CACHED => undecided("question-shingled-cached")
                .because([signs])
                .surer("question-shingled-surer", drive),
            Some(signs) => {
                let says = vec![Statement::new("question-shingled-not")];
                Reply::new(Verdict::No, says)
                    .because([signs])
                    .surer("question-shingled-surer", drive)
            }
            None => undecided("question-shingled-writes"),
        },
        Some(false) | None => undecided("question-shingled-unknown"),
    }
}

fn is_disk(drive: &Asked) -> Option<bool> {
    crate::findings::Evidence::of(&drive.results)?.is_disk()
}

/// Whether it reports itself as flash. A virtual disk, or a cached file, is only fast.
fn says_flash(drive: &Asked) -> bool {
    let fact = |key: &str| drive.results.first()?.target.identity.get(key);
    fact("rotational").is_some_and(|says| says == "no") && fact("model").is_some()
        || fact("flash").is_some()
}

/// The reason if overwriting was faster than reading: no medium does that, so a cache absorbed it.
const CACHED: &str = "question-shingled-signs-cached";
/// From which multiple of reading's rate overwriting is a cache's: on the tracks themselves both are alike.
const BY_A_CACHE: f64 = 1.2;

/// The evidence: small writes compared with small reads, and sequential writes with sequential reads.
fn signs(drive: &Asked) -> Option<Statement> {
    let small = |op: &str| {
        let key = format!("rnd4k-q1t1.{op}.median");
        drive.value("crystaldiskmark", &key)
    };
    let whole = |op: &str| drive.value("quick-scan", &format!("{op}.mean"));
    let factor = Quantity::Factor(small("write")? / small("read")?);
    let share = whole("write")? / whole("read")?;
    Some(match share > BY_A_CACHE {
        true => Statement::new(CACHED).with("factor", factor),
        false => Statement::new("question-shingled-signs")
            .with("factor", factor)
            .with("share", Quantity::Percent(share * 100.0)),
    })
}
