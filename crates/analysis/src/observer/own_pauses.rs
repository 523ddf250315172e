//! The program itself was stopped, the computer slept, or a virtual machine was paused. Such pauses are already
//! excluded from all figures; they are reported, since a watch with a gap has not seen everything.

use base::record::Pauses;
use base::time::Duration;
use results::{Quantity, RunResult, Statement};

use super::Kind;

pub(super) const KIND: Kind = Kind {
    id: "own-pauses",
    worsens: &[],
    holds,
    says,
    does: "reservation-own-pauses-do",
};

fn pauses<'a>(results: &'a [&RunResult]) -> impl Iterator<Item = &'a Pauses> {
    let phases = results.iter().flat_map(|result| &result.phases);
    phases.map(|phase| &phase.pauses)
}

fn holds(result: &RunResult) -> bool {
    pauses(&[result]).any(|pauses| pauses.count > 0)
}

fn says(results: &[&RunResult]) -> Statement {
    let sum = |of: fn(&Pauses) -> u64| pauses(results).map(of).sum::<u64>();
    let longest = pauses(results).map(|pauses| pauses.longest).max();
    let total = Duration::from_nanos(sum(|pauses| pauses.total.as_nanos()));
    Statement::new("reservation-own-pauses")
        .with("pauses", Quantity::Count(sum(|pauses| pauses.count)))
        .with("total", Quantity::Time(total))
        .with("longest", Quantity::Time(longest.unwrap_or_default()))
        .with("ios", Quantity::Count(sum(|pauses| pauses.left_out)))
}
