//! What is inside a drive: each finding as a sentence that stands alone.

use results::{RunResult, Statement};

use super::inside::findings;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let said = findings(result);
    let said: Vec<Statement> = said.iter().map(|finding| finding.sentence()).collect();
    (!said.is_empty()).then_some(said)
}
