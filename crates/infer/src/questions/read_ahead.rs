//! Does it read ahead?
//!
//! Whoever reads in order, one block at a time, pays for each block what a random read takes, unless the drive fetches the
//! next ones before they are asked for. A drive that only keeps what it has read (a whole page of the flash, a track of a
//! disk) is as fast downwards; one that reads ahead is fast upwards alone. Both runs are read from places of their own, so
//! that neither finds what the other has left.

use base::bench::Stopped;

use crate::evidence::ratio;
use crate::probe::{Probe, micros};
use crate::question::{Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "ahead",
    suits: |_| true,
    writes: |_| None,
    takes: |asked| asked.singles(3 * READS),
    ask,
};

/// Reads of each run.
const READS: u64 = 400;

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let third = probe.asked.places() / 3;
    let reads = READS.min(third.max(1));
    let random: Vec<_> = (0..reads).map(|_| probe.random_read()).collect();
    let random = micros(&probe.one_at_a_time("at random", random)?);
    let up: Vec<_> = (0..reads).map(|n| probe.read(third + n)).collect();
    let up = micros(&probe.one_at_a_time("in order", up)?);
    let down: Vec<_> = (0..reads)
        .rev()
        .map(|n| probe.read(2 * third + n))
        .collect();
    let down = micros(&probe.one_at_a_time("in reverse", down)?);
    let mut found = Found::default();
    found.add(probe, "in-order", "ratio", ratio(&up, &random));
    found.add(probe, "in-reverse", "ratio", ratio(&down, &random));
    Ok(found)
}
