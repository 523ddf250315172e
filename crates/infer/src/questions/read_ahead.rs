//! Does it read ahead?
//!
//! Whoever reads in order, one block at a time, pays for each block what a random read takes, unless the drive fetches the
//! next ones before they are asked for. A drive that only keeps what it has read (a whole page of the flash, a track of a
//! disk) is as fast downwards; one that reads ahead is fast upwards alone. Both runs are read from places of their own, so
//! that neither finds what the other has left.

use base::bench::Stopped;
use base::message::Message;

use crate::evidence::mean;
use crate::probe::{Probe, micros};
use crate::question::{Estimate, Found, Known, Question};

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
    found.add(probe, "in-order", "ratio", share(&up, &random));
    found.add(probe, "in-reverse", "ratio", share(&down, &random));
    Ok(found)
}

/// What a read takes, as a share of a random one.
fn share(responses: &[f64], random: &[f64]) -> Estimate {
    let none = || Message::of("why-nothing-completed");
    let own = mean(responses).ok_or_else(none)?;
    let random = mean(random).filter(|it| it.value > 0.0).ok_or_else(none)?;
    let share = own.value / random.value;
    // The error of a ratio, to the first order.
    let relative = libm::hypot(own.error / own.value.max(1e-9), random.error / random.value);
    let off = 1.96 * share * relative;
    Ok((share, Some([(share - off).max(0.0), share + off])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_the_errors_of_both() {
        let even = |at: f64| (0..100).map(|i| at + f64::from(i % 2)).collect::<Vec<_>>();
        let (value, interval) = share(&even(10.0), &even(100.0)).unwrap();
        let [low, high] = interval.unwrap();
        assert!(low < value && value < high && (value - 10.5 / 100.5).abs() < 1e-9);
        assert!(share(&[], &even(1.0)).is_err());
    }
}
