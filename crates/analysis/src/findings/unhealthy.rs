//! The drive's own counters call for attention: reallocated sectors, a failed self-test, used-up endurance. It may last
//! for years; but do not store the only copy on it.

use base::health::Condition;
use base::message::{Argument, Message};
use results::{Quantity, Standing, Statement};

use super::failing::assessed;
use super::{Evidence, Finding, Found, Severity};

pub(super) const FINDING: Finding = Finding::new("unhealthy", Severity::Weakness, look);

/// What is left of these uses.
const STANDING: &[(&str, Standing)] = &[
    ("nas", Standing::Limited),
    ("continuous-recording", Standing::Limited),
];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let assessment = assessed(evidence).filter(|a| a.condition == Condition::Suspect)?;
    let reasons = ("reasons", Argument::clauses(assessment.reasons));
    let reasons = Quantity::Why(Message::new("health-reasons", [reasons]));
    Some(Found {
        standing: STANDING,
        ..FINDING.found(Statement::new("finding-unhealthy-says").with("reasons", reasons))
    })
}
