//! `drivelab develop findings`: findings on drives for which an expert has listed the expected ones.

use accuracy::expected::run::{Asked, judge};
use base::{Message, Scale};

use super::{Session, counted};
use crate::arguments::FindingsArguments;
use crate::output::{Failure, print_lines};

/// Reviews the targets, and prints expected and actual findings and the score.
pub(crate) fn findings(session: &Session, arguments: &FindingsArguments) -> Result<(), Failure> {
    crate::signals::watch(&session.interrupt)?;
    let asked = Asked {
        only: arguments.only.clone(),
        scale: Scale::Default,
        jobs: arguments.jobs.threads(),
        seed: arguments.seed,
    };
    let score = judge(&asked, &session.interrupt, &counted("targets"))?;
    let rows = score.rows.iter();
    let shown = rows.filter(|row| !arguments.wrong || !row.is_right());
    let lines = shown.flat_map(|row| {
        let without = row
            .without_result
            .iter()
            .map(|why| format!("  no result: {why}"));
        std::iter::once(row.line()).chain(without)
    });
    print_lines(&lines.map(Message::as_it_stands).collect::<Vec<_>>())?;
    match score.holds() {
        true => print_lines(&[Message::as_it_stands(score.line())]),
        false => Err(Failure::Failed(score.line())),
    }
}
