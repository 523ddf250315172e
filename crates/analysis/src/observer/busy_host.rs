//! The computer had other work: a response waits for the processor as well as for the drive.
//!
//! The best evidence is how punctually the program itself was woken while it measured ([`base::record::WakeUps`]); a
//! load average of the minute before counts if that is not known, or agrees with it. Phases in which the program itself
//! keeps all processors busy say nothing about others.

use base::record::WakeUps;
use results::{Quantity, RunResult, Statement};

use super::{Figures, Kind};

pub(super) const KIND: Kind = Kind {
    id: "busy-host",
    worsens: &[Figures::ResponseTimes, Figures::SmallRates],
    holds,
    says,
    does: "reservation-busy-host-do",
};

/// A second of wake-ups: fewer are inconclusive.
const ENOUGH: u64 = 100;
/// One wake-up in twenty that is a millisecond late: the median is still the drive's, and no high percentile is.
const OFTEN_LATE_PERCENT: f64 = 5.0;
/// A loaded computer that wakes a program later than one time in a hundred has no processor to spare.
const LATE_UNDER_LOAD_PERCENT: f64 = 1.0;

/// Of the wake-ups in phases that left a processor to others, those that were late, in per cent.
fn late_percent(results: &[&RunResult]) -> Option<f64> {
    let of_result = |result: &&RunResult| {
        let activity = result.environment.activity.as_ref();
        let processors = activity.map_or(2, |activity| activity.processors.max(2));
        let phases = result.phases.iter().filter(move |phase| {
            let streams: u32 = phase.workload.jobs.iter().map(|job| job.streams).sum();
            streams < processors
        });
        phases
            .filter_map(|phase| phase.pauses.wake_ups)
            .fold(WakeUps::default(), |sum, one| WakeUps {
                count: sum.count + one.count,
                late: sum.late + one.late,
            })
    };
    let all: Vec<WakeUps> = results.iter().map(of_result).collect();
    let count: u64 = all.iter().map(|one| one.count).sum();
    let late: u64 = all.iter().map(|one| one.late).sum();
    (count >= ENOUGH).then(|| 100.0 * late as f64 / count as f64)
}

fn holds(result: &RunResult) -> bool {
    let activity = result.environment.activity.unwrap_or_default();
    let late = late_percent(&[result]);
    let is_late = late.is_some_and(|percent| percent >= OFTEN_LATE_PERCENT);
    let is_loaded = activity.heavy_load().is_some()
        && late.is_none_or(|percent| percent >= LATE_UNDER_LOAD_PERCENT);
    let is_disturbed = activity.many_ios_of_others().is_some() || activity.much_stolen().is_some();
    is_late || is_loaded || is_disturbed
}

fn says(results: &[&RunResult]) -> Statement {
    let all = || {
        results
            .iter()
            .filter_map(|result| result.environment.activity)
    };
    let greatest = |of: fn(&base::surroundings::HostActivity) -> Option<f64>| {
        all()
            .filter_map(|activity| of(&activity))
            .max_by(f64::total_cmp)
    };
    let processors = all().map(|activity| u64::from(activity.processors)).max();
    let load = greatest(|a| a.heavy_load()).map(|load| {
        Statement::new("reservation-busy-host-load")
            .with("load", Quantity::Factor(load))
            .with("processors", Quantity::Count(processors.unwrap_or(0)))
    });
    let late = late_percent(results).filter(|percent| *percent >= LATE_UNDER_LOAD_PERCENT);
    let late = late.map(|percent| {
        Statement::new("reservation-busy-host-late").with("late", Quantity::Percent(percent))
    });
    let others = all()
        .filter_map(|activity| activity.many_ios_of_others())
        .max();
    let others = others.map(|ios| {
        Statement::new("reservation-busy-host-others").with("ios", Quantity::Count(ios))
    });
    let stolen = greatest(|a| a.much_stolen()).map(|percent| {
        Statement::new("reservation-busy-host-stolen").with("stolen", Quantity::Percent(percent))
    });
    let why = [load, late, others, stolen].into_iter().flatten().collect();
    Statement::new("reservation-busy-host").with("why", Quantity::Said(why))
}
