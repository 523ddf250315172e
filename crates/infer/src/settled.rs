//! Is the drive at rest again?
//!
//! What a question wrote is not over when its last write is complete: a disk empties its write cache when something else
//! waits for it, flash is folded out of a one-bit area or collected when the host is quiet. The next question would measure
//! that. So after each question that writes, the drive is told to save everything, and is left alone until a few reads are
//! as they were at the beginning; what is not over after the longest rest is no passing state.

use base::{Argument, Duration, Message, Stopped, Takes};

use crate::asked::Asked;
use crate::probe::{Probe, micros};
use crate::question::Known;

/// Reads that tell, and rests between them.
const READS: u64 = 60;
const RESTS: [Duration; 3] = [
    Duration::from_secs(2),
    Duration::from_secs(10),
    Duration::from_secs(20),
];
/// The slowest tenth takes longer than at the beginning by no more than this.
const AS_BEFORE: f64 = 1.4;

/// The most that it takes.
pub(crate) fn takes(asked: &Asked) -> Takes {
    let rests = rests(asked);
    let all = rests.iter().fold(Duration::ZERO, |all, rest| all + *rest);
    asked
        .singles(READS * (rests.len() as u64 + 1))
        .and_idle(all)
}

/// The rests that together are no longer than a phase may be.
fn rests(asked: &Asked) -> &'static [Duration] {
    let together = |many: &usize| {
        let all = RESTS[..*many].iter();
        all.fold(Duration::ZERO, |all, rest| all + *rest) <= asked.patience
    };
    &RESTS[..(0..=RESTS.len()).rev().find(together).unwrap_or(0)]
}

/// Saves what was written, and waits until reads are as they were; says so where they are not after the longest rest.
pub(crate) fn settle(probe: &mut Probe<'_>, known: &Known) -> Result<Option<Message>, Stopped> {
    probe.flush()?;
    let Some(usual) = known.slow_read_us else {
        return Ok(None);
    };
    let mut rested = Duration::ZERO;
    for turn in 1.. {
        let reads: Vec<_> = (0..READS).map(|_| probe.random_read()).collect();
        let phase = format!("settled {turn}");
        let responses = micros(&probe.one_at_a_time(&phase, reads)?);
        let Some(slow) = slow(&responses).filter(|slow| *slow > AS_BEFORE * usual) else {
            break;
        };
        let Some(rest) = rests(probe.asked).get(turn - 1) else {
            return Ok(Some(unsettled(probe, slow / usual, rested)));
        };
        probe.rest(&format!("settling {turn}"), *rest)?;
        rested += *rest;
    }
    Ok(None)
}

/// The drive is still at work.
fn unsettled(probe: &Probe<'_>, times: f64, rested: Duration) -> Message {
    let phase = Argument::Phase(probe.phases.last().cloned().unwrap_or_default());
    let times = Argument::text(format!("{times:.1}"));
    let rested = Argument::text(rested);
    let arguments = [("phase", phase), ("times", times), ("rested", rested)];
    Message::new("warning-not-settled", arguments)
}

/// What the slowest tenth of responses takes at least.
pub(crate) fn slow(responses: &[f64]) -> Option<f64> {
    let mut sorted = responses.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() * 9 / 10).copied()
}
