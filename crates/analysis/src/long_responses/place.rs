//! They lie close together on a drive that is read or written everywhere: a weak area.
//!
//! Of n places spread evenly, some window of the share w of the range holds m or more with the probability
//! n P(B >= m-1) at most, B binomial with n-1 trials of w: each of them may be the first in such a window. Several widths
//! are tried.

use base::{Bytes, Order};
use results::{Quantity, Statement};

use super::chance::at_least;
use super::{Common, Phase};

/// Windows from a half of the range down to 2^-20.
const WIDTHS: u32 = 20;
/// Most of the events are there, or it explains them not.
const MOST: f64 = 0.5;

pub(super) fn habit(phase: &Phase<'_>) -> Option<Common> {
    let jobs = &phase.record.workload.jobs;
    let (first, all) = (jobs.first()?, jobs.iter());
    // Where addresses go with time, a place is a time.
    if !all.clone().all(|job| job.order == Order::Random) {
        return None;
    }
    let start = all.clone().map(|job| job.span.start).min()?;
    let end = all.map(|job| job.span.end()).max()?;
    let range = (end - start).get() as f64;
    let mut places: Vec<Bytes> = phase.events.iter().map(|it| it.longest.offset).collect();
    places.sort_unstable();
    let accesses = first.accesses.iter().map(|access| access.size);
    let access = accesses.max().unwrap_or(Bytes::ZERO);
    let windows = (1..=WIDTHS).filter_map(|halvings| {
        let share = 0.5_f64.powi(i32::try_from(halvings).ok()?);
        let (held, at) = fullest(&places, Bytes::new((range * share) as u64));
        let n = places.len();
        let chance = f64::from(WIDTHS) * n as f64 * at_least(held - 1, n - 1, share);
        (held as f64 > MOST * n as f64).then_some((chance.min(1.0), held, at))
    });
    let (chance, held, at) = windows.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let last = places[at + held - 1] + access;
    Some(Common {
        says: Statement::new("answer-long-responses-place")
            .with("held", Quantity::Count(held as u64))
            .with("from", Quantity::Place(places[at]))
            .with("to", Quantity::Place(last)),
        chance,
    })
}

/// How many of the sorted places the window holds that holds most, and the index of its first one.
fn fullest(places: &[Bytes], window: Bytes) -> (usize, usize) {
    let held = (0..places.len()).map(|at| {
        let end = places[at] + window;
        (places.partition_point(|place| *place <= end) - at, at)
    });
    held.max_by_key(|(held, at)| (*held, std::cmp::Reverse(*at)))
        .unwrap_or((1, 0))
}
