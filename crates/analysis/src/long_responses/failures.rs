//! Something failed meanwhile: the drive tries again and again, and all else waits.
//!
//! I/Os that failed take a share of the time of the phase; by chance so many of the events are in it.

use results::{Quantity, Statement};

use super::chance::at_least;
use super::{Common, Event, Phase};

pub(super) fn habit(phase: &Phase<'_>) -> Option<Common> {
    let errors = phase.record.jobs.iter().flat_map(|job| &job.errors.first);
    let mut failing: Vec<[f64; 2]> = errors
        .map(|error| {
            let ends = error.at.as_secs_f64();
            [ends - error.after.as_secs_f64(), ends]
        })
        .collect();
    failing.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let meets = |event: &&Event| {
        let mut failing = failing.iter();
        failing.any(|[begins, ends]| *begins <= event.ends_s && event.begins_s <= *ends)
    };
    let met = phase.events.iter().filter(meets).count();
    if 2 * met <= phase.events.len() {
        return None;
    }
    let longest = phase
        .events
        .iter()
        .map(|event| event.ends_s - event.begins_s);
    let longest = longest.fold(0.0, f64::max);
    // An event meets a failure where it begins as long before it as it takes, too.
    let met_by_chance: f64 = failing.iter().map(|[a, b]| b - a + longest).sum();
    let share = met_by_chance / phase.record.took.as_secs_f64();
    Some(Common {
        says: Statement::new("answer-long-responses-failures")
            .with("met", Quantity::Count(met as u64)),
        chance: at_least(met, phase.events.len(), share),
    })
}
