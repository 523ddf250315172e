//! What stood between a drive and its figures (a busy host, a pause of the program itself, a file system that
//! compresses), in one sentence before all others about the drive.

use analysis::observer::reservations;
use results::RunResult;

use crate::lang::{Lang, Texts};

/// The same for one result, for those who print its figures in another program's words; empty without such a cause.
pub fn of_result(result: &RunResult, lang: Lang) -> String {
    reserved(&[result], &Texts::of(lang, std::slice::from_ref(result)))
}

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
