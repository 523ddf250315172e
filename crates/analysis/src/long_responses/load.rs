//! Only the phase with a load has them: what takes long alone is the drive's own, what takes long beside other I/Os waits
//! for these.
//!
//! The same I/Os are sent with the load and without. By chance the long ones would be spread over both as all are.

use base::record::{JobRecord, PhaseRecord};
use results::{Quantity, Statement};

use super::chance::at_least;
use super::{Common, Phase, long};

/// A quiet phase has so many I/Os at least.
const LEAST: u64 = 100;

pub(super) fn habit(phase: &Phase<'_>) -> Option<Common> {
    if phase.record.jobs.len() < 2 {
        return None;
    }
    let (alone, beside) = phase.record.jobs.iter().find_map(|job| {
        let others = phase.result.phases.iter();
        let alone = others.filter_map(|other| of_one_job(other));
        let mut alone = alone.filter(|other| other.name == job.name && other.ios() >= LEAST);
        Some((alone.next()?, job))
    })?;
    let long = [alone, beside].map(|job| long(job, phase.shortest()).iter().sum::<u64>());
    let events = phase
        .events
        .len()
        .min(usize::try_from(long[1]).unwrap_or(usize::MAX));
    let loaded = beside.ios() as f64 / (alone.ios() + beside.ios()) as f64;
    (long[0] == 0).then(|| Common {
        says: Statement::new("answer-long-responses-load")
            .with("alone", Quantity::Count(alone.ios())),
        chance: at_least(events, events, loaded),
    })
}

fn of_one_job(phase: &PhaseRecord) -> Option<&JobRecord> {
    match &phase.jobs[..] {
        [job] => Some(job),
        _ => None,
    }
}
