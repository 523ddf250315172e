//! Does the first read after a rest take longer?
//!
//! What is not used goes to sleep: an NVMe drive into a power state of its own, a SATA link into partial or slumber, a
//! processor into a state from which it takes a millisecond to come back. The first response afterwards pays for it, and a
//! computer that is used by a person rests most of the time. Rests of unlike length come in random order, among reads
//! without any. What sleeps, sleeps after each rest: nearly all reads after one take longer than nearly all others. A mean
//! would be no help, as a single late response of six after the longest rest looks like sleep.
//!
//! Who slept (drive, link or host) cannot be told from here: a drive that never sleeps, in the same slot, would tell.

use base::bench::Stopped;
use base::io::Io;
use base::message::Message;
use base::script::Script;
use base::time::Duration;
use stats::{median, median_interval};

use crate::probe::Probe;
use crate::question::{Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "wake",
    suits: |_| true,
    writes: |_| None,
    takes: |asked| {
        let (rests, rounds) = rests(asked.patience);
        let reads: usize = rests.iter().map(|rest| rest.reads).sum();
        let idle = in_a_round(rests).saturating_mul(rounds as u64);
        asked.singles((reads * rounds) as u64).and_idle(idle)
    },
    ask,
};

/// A rest, and how many reads follow one in each round.
struct Rest {
    length: Duration,
    reads: usize,
}

/// None to hold the others against, and those after which links, drives and hosts are known to sleep.
const RESTS: [Rest; 4] = [
    Rest {
        length: Duration::ZERO,
        reads: 12,
    },
    Rest {
        length: Duration::from_millis(100),
        reads: 6,
    },
    Rest {
        length: Duration::from_millis(1_000),
        reads: 3,
    },
    Rest {
        length: Duration::from_millis(10_000),
        reads: 1,
    },
];
/// Fewer reads after the longest rest would tell too little.
const AFTER_THE_LONGEST: usize = 6;
/// What sleeps, sleeps after each rest: so large a share of the responses lies beyond this percentile of those without one.
/// Of six responses five would by chance in one run of 20,000.
const BEYOND_PERCENT: f64 = 90.0;
const EACH: f64 = 0.8;
/// Microseconds by which a read must take longer: no link, drive or processor comes back from sleep sooner. A page of a bit
/// that is slower to read takes longer by as much.
const LEAST_LONGER: f64 = 30.0;
/// Of so many by chance: in between nothing is said.
const HARDLY_ANY: f64 = 0.4;

/// The rests of which a round fits into a phase, and as many rounds as the longest of them needs.
fn rests(patience: Duration) -> (&'static [Rest], usize) {
    let fit = (2..=RESTS.len()).rev().map(|many| &RESTS[..many]);
    let mut fit = fit.filter(|rests| in_a_round(rests) <= patience);
    let rests = fit.next().unwrap_or(&RESTS[..2]);
    let after_the_longest = rests.last().map_or(1, |rest| rest.reads);
    (rests, AFTER_THE_LONGEST.div_ceil(after_the_longest))
}

/// All rests of a round.
fn in_a_round(rests: &[Rest]) -> Duration {
    let of = |rest: &Rest| rest.length.saturating_mul(rest.reads as u64);
    rests
        .iter()
        .fold(Duration::ZERO, |all, rest| all + of(rest))
}

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let (rests, rounds) = rests(probe.asked.patience);
    let mut responses = vec![Vec::new(); rests.len()];
    for round in 0..rounds {
        let mut order: Vec<usize> = (rests.iter().enumerate())
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
    found.add(probe, "rest", "s", rest.map_err(Clone::clone));
    found.add(probe, "longer", "us", after.map(|(_, longer)| longer));
    let tried = rests.last().map_or(0.0, |rest| rest.length.as_secs_f64());
    found.add(probe, "longest-rest", "s", Ok((tried, None)));
    let longest = longer(&responses, rests.len() - 1);
    let longest = longest.ok_or_else(|| Message::of("why-nothing-completed"));
    found.add(probe, "longest", "us", longest.map(|(_, longer)| longer));
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

/// Which share of the reads after a rest takes longer than nearly all without one, and by how much the middle one does,
/// with an interval.
fn longer(responses: &[Vec<f64>], which: usize) -> Option<(f64, Longer)> {
    let own = &responses[which];
    let usual = median(&responses[0]).filter(|_| own.len() > 1)?;
    let mut without = responses[0].clone();
    without.sort_by(f64::total_cmp);
    let at = (without.len() as f64 * BEYOND_PERCENT / 100.0) as usize;
    let bound = without[at.min(without.len() - 1)].max(usual + LEAST_LONGER);
    let beyond = own.iter().filter(|it| **it > bound).count() as f64 / own.len() as f64;
    let interval = median_interval(own).map(|it| [it.low - usual, it.high - usual]);
    Some((beyond, (median(own)? - usual, interval)))
}

/// A time, in us, and the interval that it has.
type Longer = (f64, Option<[f64; 2]>);

/// The shortest rest after which reads take longer, in seconds, and by how much; a rest counts where the longer ones do,
/// too: what sleeps after a second still sleeps after ten.
fn first_longer(responses: &[Vec<f64>]) -> Result<(f64, Longer), Message> {
    let mut first = Err(Message::of("why-no-wake"));
    for which in (1..responses.len()).rev() {
        let (beyond, longer) =
            longer(responses, which).ok_or_else(|| Message::of("why-nothing-completed"))?;
        match beyond {
            beyond if beyond >= EACH => first = Ok((RESTS[which].length.as_secs_f64(), longer)),
            beyond if beyond > HARDLY_ANY && first.is_err() => {
                return Err(Message::of("why-wake-open"));
            }
            _ => break,
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn responses(after: [f64; 4]) -> Vec<Vec<f64>> {
        let scatter = |n: usize| f64::from((n * 7 % 11) as u32) - 5.0;
        let of = |which: usize| {
            let n = RESTS[which].reads * AFTER_THE_LONGEST;
            (0..n).map(|n| after[which] + scatter(n)).collect()
        };
        (0..RESTS.len()).map(of).collect()
    }

    #[test]
    fn the_shortest_rest_that_costs_something_is_told() {
        let (rest, (longer, interval)) =
            first_longer(&responses([70.0, 71.0, 1_300.0, 5_200.0])).unwrap();
        assert!((rest - 1.0).abs() < 1e-9, "{rest}");
        assert!((longer - 1_230.0).abs() < 6.0, "{longer}");
        assert!(interval.unwrap()[0] > 1_200.0);
    }

    #[test]
    fn scatter_is_no_sleep_and_neither_is_one_rest_that_longer_ones_do_not_confirm() {
        let why = |responses: Vec<Vec<f64>>| first_longer(&responses).unwrap_err();
        let none = Message::of("why-no-wake");
        assert_eq!(why(responses([70.0, 72.0, 69.0, 71.0])), none);
        assert_eq!(why(responses([70.0, 300.0, 70.0, 70.0])), none);
        // One late response, of a stall.
        let mut late = responses([70.0; 4]);
        late[3][2] += 50_000.0;
        assert_eq!(why(late.clone()), none);
        // Half of them late: nothing is said.
        late[3][0] += 1_000.0;
        late[3][1] += 1_000.0;
        assert_eq!(why(late), Message::of("why-wake-open"));
        assert!(first_longer(&vec![Vec::new(); 4]).is_err());
    }

    #[test]
    fn a_round_is_no_longer_than_a_phase_may_be_and_the_longest_rest_has_its_reads() {
        for (patience, longest) in [(1, 100), (5, 1_000), (20, 10_000), (3_600, 10_000)] {
            let patience = Duration::from_secs(patience);
            let (rests, rounds) = rests(patience);
            let last = rests.last().unwrap();
            assert_eq!(last.length, Duration::from_millis(longest));
            assert!(in_a_round(rests) <= patience);
            assert_eq!(last.reads * rounds, AFTER_THE_LONGEST);
        }
    }
}
