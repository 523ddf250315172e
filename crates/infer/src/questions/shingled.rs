//! Is it shingled?
//!
//! A disk needs a seek and half a turn for a small write anywhere, unless it may put it somewhere else: shingled disks lay
//! their tracks over one another like tiles and cannot write one of them alone, so they take random writes in a cache on
//! the discs, in order, and so does a disk with a *media cache*. Then a small write takes a hundredth of a read. A cache in
//! memory does so, too, until it is full: the second half of some thousand writes tells. Which of the two it is cannot be
//! told from here.

use base::{Io, Message, Stopped};

use crate::evidence::mean;
use crate::probe::{Probe, micros};
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "elsewhere",
    suits: |known| known.turns == Some(true),
    writes: |asked| Some(asked.span),
    takes: |asked| asked.singles(WRITES + READS),
    ask,
};

/// Writes: several times what caches in memory hold.
const WRITES: u64 = 2_400;
const READS: u64 = 100;
/// Half of the writes are as alike as this, as a share of the middle one, where each takes the same way.
const ALIKE: f64 = 0.15;
/// Shorter ones, as a share of a read, did not wait for the arm or a turn: they went elsewhere.
const LEAST_OF_READ: f64 = 0.15;

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let reads: Vec<Io> = (0..READS).map(|_| probe.random_read()).collect();
    let reads = micros(&probe.one_at_a_time("reads", reads)?);
    let writes: Vec<Io> = (0..WRITES)
        .map(|_| {
            let at = probe.random_read().offset;
            probe.write(at, probe.asked.access)
        })
        .collect();
    let writes = micros(&probe.one_at_a_time("writes", writes)?);
    let share = share(&writes, &reads);
    known.writes_elsewhere = matches!(share, Ok((share, _)) if share < LEAST_OF_READ);
    let mut found = Found::default();
    found.add(probe, "write", "ratio", share);
    Ok(found)
}

/// What a write takes in the second half, as a share of a read. All that they took counts: where a cache takes most at once
/// and makes some wait for long, the mean is what the disk does.
fn share(writes: &[f64], reads: &[f64]) -> Estimate {
    let late = &writes[writes.len() / 2..];
    let read = mean(reads).filter(|it| it.value > 0.0 && !late.is_empty());
    let read = read.ok_or_else(|| Message::of("why-nothing-completed"))?;
    let write = late.iter().sum::<f64>() / late.len() as f64;
    if regular(late) > LEAST_OF_READ * read.value {
        return Err(Message::of("why-writes-regular"));
    }
    Ok((write / read.value, None))
}

/// The middle time of writes that all take about as long, zero of others. One after another in a band, each a whole turn
/// behind the last, they look like a disk without a write cache, whose writes scatter as seeks and turns do.
fn regular(late: &[f64]) -> f64 {
    let mut sorted = late.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quarter = sorted.len() / 4;
    let [low, middle, high] = [quarter, 2 * quarter, 3 * quarter].map(|at| sorted[at]);
    if high - low < ALIKE * middle {
        middle
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_that_go_elsewhere_take_a_hundredth_of_a_read_and_a_cache_in_memory_does_not_hide_the_seeks()
     {
        let reads = vec![12_000.0; 50];
        let (elsewhere, _) = share(&vec![150.0; 2_000], &reads).unwrap();
        assert!(elsewhere < 0.02);
        let mut cached = vec![100.0; 500];
        cached.extend((0..1_500).map(|n| 5_000.0 + f64::from(n % 80) * 100.0));
        let (in_memory, _) = share(&cached, &reads).unwrap();
        assert!(in_memory > 0.5, "{in_memory}");
        assert!(share(&[], &[]).is_err());
        // A turn each.
        let turns: Vec<f64> = (0..2_000)
            .map(|n| 8_300.0 + f64::from(n % 10) * 20.0)
            .collect();
        assert_eq!(
            share(&turns, &reads).unwrap_err().key(),
            Some("why-writes-regular")
        );
    }
}
