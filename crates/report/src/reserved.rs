//! What stood between a drive and its figures (a busy host, a pause of the program itself, a file system that
//! compresses), in one sentence that stands before all that is said of the drive.

use analysis::observer::reservations;
use results::RunResult;

use crate::lang::Texts;

/// `Provisional: ...`, with what to do.
pub(crate) fn reserved(results: &[&RunResult], texts: &Texts) -> String {
    let said = reservations(results);
    if said.is_empty() {
        return String::new();
    }
    let all = said.into_iter().flat_map(|one| [one.says, one.does]);
    let all = texts.state_all(&all.collect::<Vec<_>>());
    texts.with("answer-reserved", &[("what", &all)])
}
