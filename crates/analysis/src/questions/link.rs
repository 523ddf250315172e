//! Is the slot or the cable the limit? The link as reported by the system, and the measured rates.

use base::result::Figure;
use results::{Quantity, Statement};

use super::{Asked, Question, Reply, Step, Verdict, of_finding, undecided};
use crate::held::{Held, held};

pub(super) const QUESTION: Question = Question {
    id: "link",
    steps: &[Step::once("crystaldiskmark", &[])],
    reply,
    ..Question::PLAIN
};

fn reply(drives: &[Asked]) -> Reply {
    let Some(drive) = drives.first() else {
        return undecided("question-no-result");
    };
    let rates = drive.answer("crystaldiskmark");
    if let Some(found) = of_finding(drive, "link-limited") {
        return found.because(rates);
    }
    let link = drive.of("crystaldiskmark").and_then(|result| {
        let link = result.target.identity.get("link")?;
        Some((result, link.clone()))
    });
    let Some((result, link)) = link else {
        return undecided("question-link-unknown").because(rates);
    };
    let full = |figure: &Figure| held(figure, result) == Some(Held::ByLink);
    let key = match result.figures.iter().any(full) {
        true => "question-link-own-full",
        false => "question-link-own",
    };
    let says = Statement::new(key).with("link", Quantity::name(link));
    Reply::new(Verdict::No, vec![says]).because(rates)
}
