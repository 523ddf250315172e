//! Does the first read after a rest take longer?
//!
//! What is not used goes to sleep: an NVMe drive into a power state of its own, a SATA link into partial or slumber, a
//! processor into a state from which it takes a millisecond to come back. The first response afterwards pays for it, and a
//! computer that is used by a person rests most of the time. Rests of unlike length come in random order, among reads
//! without any, and the means are compared: on flash pages differ by a fifth, so a handful of responses after the longest
//! rest is enough only for what is worth knowing.
//!
//! Who slept (drive, link or host) cannot be told from here: a drive that never sleeps, in the same slot, would tell.

use base::bench::Stopped;
use base::io::Io;
use base::message::Message;
use base::script::Script;
use base::time::Duration;

use crate::evidence::{Mean, mean};
use crate::probe::Probe;
use crate::question::{Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "wake",
    suits: |_| true,
    writes: |_| None,
    takes: |asked| {
        let rests = RESTS.iter().map(|rest| rest.length.as_secs_f64() * rest.reads as f64);
        let each = Duration::from_secs_f64(rests.sum());
        let reads: usize = RESTS.iter().map(|rest| rest.reads).sum();
        asked.singles((reads * ROUNDS) as u64).and_idle(each.saturating_mul(ROUNDS as u64))
    },
    ask,
};

/// A rest, and how many reads follow one in each round.
struct Rest {
    length: Duration,
    reads: usize,
}

/// None to hold the others against, and those after which links, drives and hosts are known to sleep. A round is shorter
/// than a phase may be.
const RESTS: [Rest; 4] = [
    Rest { length: Duration::ZERO, reads: 12 },
    Rest { length: Duration::from_millis(100), reads: 6 },
    Rest { length: Duration::from_millis(1_000), reads: 3 },
    Rest { length: Duration::from_millis(10_000), reads: 1 },
];
const ROUNDS: usize = 6;
/// A longer response is one from so many standard errors on, and from this share of one without a rest.
const LEAST_ERRORS: f64 = 4.0;
const LEAST_SHARE: f64 = 0.15;

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let mut responses: [Vec<f64>; RESTS.len()] = Default::default();
    for round in 0..ROUNDS {
        let mut order: Vec<usize> = (RESTS.iter().enumerate())
            .flat_map(|(which, rest)| vec![which; rest.reads])
            .collect();
        probe.shuffle(&mut order);
        let script = rested(probe, &order);
        let trail = probe.script(&format!("round {}", round + 1), script)?;
        for io in trail {
            if let Some(which) = order.get(io.step as usize) {
                responses[*which].push(io.took.as_secs_f64() * 1e6);
            }
        }
    }
    let mut found = Found::default();
    let after = first_longer(&responses);
    let rest = after.as_ref().map(|(rest, _)| (*rest, None));
    found.add(probe, "after", "s", rest.map_err(Clone::clone));
    found.add(probe, "longer", "us", after.map(|(_, longer)| with_interval(&longer)));
    let longest = longer(&responses, RESTS.len() - 1);
    found.add(probe, "longest", "us", longest.map(|it| with_interval(&it)));
    Ok(found)
}

/// Reads one at a time, each after the rest that its turn has.
fn rested(probe: &mut Probe<'_>, order: &[usize]) -> Script {
    let mut script = Script::new("rests", 1);
    let mut last = None;
    for which in order {
        let read: Io = probe.random_read();
        last = Some(script.io(read, RESTS[*which].length, last.as_slice()));
    }
    script
}

/// By how much reads after a rest take longer than those without.
fn longer(responses: &[Vec<f64>; RESTS.len()], which: usize) -> Result<Mean, Message> {
    let none = || Message::of("why-nothing-completed");
    let without = mean(&responses[0]).ok_or_else(none)?;
    // A long response is what is looked for: nothing is cut off.
    let own = &responses[which];
    let n = own.len() as f64;
    if own.len() < 2 {
        return Err(none());
    }
    let value = own.iter().sum::<f64>() / n;
    let squares: f64 = own.iter().map(|it| (it - value) * (it - value)).sum();
    let error = libm::hypot(without.error, libm::sqrt(squares / (n - 1.0) / n));
    Ok(Mean { value: value - without.value, error })
}

fn with_interval(mean: &Mean) -> (f64, Option<[f64; 2]>) {
    let off = 1.96 * mean.error;
    (mean.value, Some([mean.value - off, mean.value + off]))
}

/// The shortest rest after which reads take longer, in seconds, and by how much; a rest counts where the longer ones do,
/// too: what sleeps after a second still sleeps after ten.
fn first_longer(responses: &[Vec<f64>; RESTS.len()]) -> Result<(f64, Mean), Message> {
    let without = mean(&responses[0]).ok_or_else(|| Message::of("why-nothing-completed"))?;
    let stands_out =
        |it: &Mean| it.value > LEAST_ERRORS * it.error && it.value > LEAST_SHARE * without.value;
    let mut first = Err(Message::of("why-no-wake"));
    for which in (1..RESTS.len()).rev() {
        match longer(responses, which) {
            Ok(it) if stands_out(&it) => first = Ok((RESTS[which].length.as_secs_f64(), it)),
            _ => break,
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn responses(after: [f64; 4]) -> [Vec<f64>; 4] {
        let scatter = |n: usize| f64::from((n * 7 % 11) as u32) - 5.0;
        std::array::from_fn(|which| {
            let n = RESTS[which].reads * ROUNDS;
            (0..n).map(|n| after[which] + scatter(n)).collect()
        })
    }

    #[test]
    fn the_shortest_rest_that_costs_something_is_told() {
        let (rest, longer) = first_longer(&responses([70.0, 71.0, 1_300.0, 5_200.0])).unwrap();
        assert!((rest - 1.0).abs() < 1e-9, "{rest}");
        assert!((longer.value - 1_230.0).abs() < 5.0, "{longer:?}");
    }

    #[test]
    fn scatter_is_no_sleep_and_neither_is_one_rest_that_longer_ones_do_not_confirm() {
        assert!(first_longer(&responses([70.0, 72.0, 69.0, 74.0])).is_err());
        assert!(first_longer(&responses([70.0, 300.0, 70.0, 70.0])).is_err());
        assert!(first_longer(&Default::default()).is_err());
    }
}
