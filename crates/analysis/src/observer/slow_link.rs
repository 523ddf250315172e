//! The drive could do more than the link that it was put on: a slot of an older generation or with fewer lanes, a SATA
//! port or cable that agreed on less, USB 2.

use results::{Quantity, RunResult, Statement};

use super::{Figures, Kind};

pub(super) const KIND: Kind = Kind {
    id: "slow-link",
    worsens: &[Figures::Rates, Figures::SmallRates],
    holds: |result| result.target.slow_link.is_some(),
    says,
    does: "reservation-slow-link-do",
};

fn says(results: &[&RunResult]) -> Statement {
    let mut links = results
        .iter()
        .filter_map(|result| result.target.slow_link.as_ref());
    let link = links.next();
    let name = |of: Option<&String>| Quantity::name(of.cloned().unwrap_or_default());
    Statement::new("reservation-slow-link")
        .with("has", name(link.map(|link| &link.has)))
        .with("best", name(link.map(|link| &link.best)))
}
