//! Does the first read after a rest take longer?
//!
//! What is not used goes to sleep: an NVMe drive into a power state of its own, a SATA link into partial or slumber, a
//! processor into a state from which it takes a millisecond to come back. The first response afterwards pays for it, and a
//! computer that is used by a person rests most of the time. Rests of unlike length come in random order, among reads
//! without any. What sleeps, sleeps after each rest: nearly all reads after one take longer than nearly all others. A mean
//! would be no help, as a single late response of six after the longest rest looks like sleep.
//!
//! Who slept? A program that waits lets its processor sleep as well. So where reads take longer, the rests are made again,
//! and half of them, in random order, of thousands of short waits one after the other: no command goes to the drive, which
//! rests as before, but the processor is woken all the time and has no time to sleep deeply. What still takes longer then
//! was slept by the drive or its link, if it is longer than any processor takes to wake: the interrupt may go to another one,
//! which sleeps. What is not late any more was slept by this computer. Drive and link cannot be told apart from here.

use base::{Duration, Io, Message, Script, Stopped};
use stats::{median, median_interval};

use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "wake",
    suits: |_| true,
    writes: |_| None,
    takes: |asked| {
        let (rests, rounds) = rests(asked.patience);
        let reads: usize = rests.iter().map(|rest| rest.reads).sum();
        let idle = in_a_round(rests).saturating_mul(rounds as u64);
        let again = 2 * AFTER_THE_LONGEST as u64;
        let idle = idle + LONGEST_AWAKE.saturating_mul(again);
        asked
            .singles((reads * rounds) as u64 + again)
            .and_idle(idle)
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

/// So long a wait is no sleep from which a processor comes back late, and longer rests are not made of such.
const TICK: Duration = Duration::from_micros(50);
const LONGEST_AWAKE: Duration = Duration::from_secs(1);
/// By chance hardly a read of six is late where nothing sleeps.
const NONE: f64 = 0.2;

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
    found.add(
        probe,
        "longer",
        "us",
        after.as_ref().map(|(_, it)| *it).map_err(Clone::clone),
    );
    let awake = match after {
        Ok((rest, _)) => awake_meanwhile(probe, rest, &responses[0])?,
        Err(why) => Err(why),
    };
    found.add(probe, "processor-awake", "us", awake);
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

/// How much longer reads after such a rest, in seconds, take where the processor does not sleep meanwhile, given those
/// without a rest.
fn awake_meanwhile(probe: &mut Probe<'_>, rest: f64, without: &[f64]) -> Result<Estimate, Stopped> {
    let rest = Duration::from_secs_f64(rest);
    let all = rest.saturating_mul(2 * AFTER_THE_LONGEST as u64);
    if rest > LONGEST_AWAKE || all > probe.asked.patience {
        return Ok(Err(Message::of("why-rest-too-long")));
    }
    let mut order = [[false, true]; AFTER_THE_LONGEST].concat();
    probe.shuffle(&mut order);
    let mut script = Script::new("who sleeps", 1);
    let (mut last, mut steps) = (None, 0);
    let mut turns = Vec::new();
    for awake in order {
        let (many, each) = match awake {
            true => (rest.as_nanos() / TICK.as_nanos() - 1, TICK),
            false => (0, rest),
        };
        for _ in 0..many {
            last = Some(script.host(TICK, last.as_slice()));
        }
        let read = probe.random_read();
        last = Some(script.io(read, each, last.as_slice()));
        turns.push((steps + many, awake));
        steps += many + 1;
    }
    let trail = probe.script("who sleeps", script)?;
    let mut responses = [without.to_vec(), Vec::new(), Vec::new()];
    for io in trail {
        let turn = turns.iter().find(|(step, _)| *step == u64::from(io.step));
        if let Some((_, awake)) = turn {
            responses[1 + usize::from(*awake)].push(io.took.as_secs_f64() * 1e6);
        }
    }
    Ok(told_apart(&responses))
}

/// How much longer reads take after a rest during which the processor was awake: of those without a rest, after one in
/// which it may sleep, and after one in which it does not.
fn told_apart(responses: &[Vec<f64>]) -> Estimate {
    let open = || Message::of("why-wake-open");
    let (Some((asleep, _)), Some((awake, took))) = (longer(responses, 1), longer(responses, 2))
    else {
        return Err(Message::of("why-nothing-completed"));
    };
    let is_told = awake >= EACH || awake <= NONE;
    (asleep >= EACH && is_told).then_some(took).ok_or_else(open)
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
    use base::bench::Bench;
    use base::record::PhaseRecord;
    use base::run::{PhaseInput, Unwatched, run_phase};
    use base::size::Bytes;
    use base::target::{Busy, Done, Info, Outcome, Tag, Target};
    use base::time::Instant;

    use super::*;
    use crate::asked::{Asked, Writes};

    /// Reads take 80 us, and a millisecond more after half a second without a command, or without anything that wakes the
    /// computer.
    struct Sleeps {
        drive: bool,
        now: Instant,
        last: Instant,
        slept: Duration,
        running: Option<Done>,
    }

    impl Target for Sleeps {
        fn info(&self) -> Info {
            Info {
                capacity: Bytes::gib(1),
                block: Bytes::SECTOR,
                max_in_flight: 1,
                writable: false,
            }
        }

        fn now(&self) -> Instant {
            self.now
        }

        fn submit(&mut self, tag: Tag, _: &Io) -> Result<(), Busy> {
            let rested = match self.drive {
                true => self.now.since(self.last),
                false => self.slept,
            };
            let asleep = rested > Duration::from_millis(500);
            self.last = self.now + Duration::from_micros(if asleep { 1_080 } else { 80 });
            self.slept = Duration::ZERO;
            self.running = Some(Done {
                tag,
                sent: self.now,
                at: self.last,
                outcome: Outcome::Complete,
            });
            Ok(())
        }

        fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
            match self.running.take() {
                Some(ended) => {
                    self.now = ended.at;
                    done.push(ended);
                }
                None => {
                    let until = until.unwrap_or(self.now);
                    self.slept = until.since(self.now);
                    self.now = until;
                }
            }
        }
    }

    struct OnBench(Sleeps, Option<PhaseRecord>);

    impl Bench for OnBench {
        fn info(&self) -> Info {
            self.0.info()
        }

        fn run_phase(
            &mut self,
            name: &str,
            input: PhaseInput<'_>,
        ) -> Result<&PhaseRecord, Stopped> {
            let record = run_phase(&mut self.0, name, input, &mut Unwatched).unwrap();
            Ok(self.1.insert(record))
        }

        fn idle(&mut self, _: &str, time: Duration) -> Result<(), Stopped> {
            self.0.now += time;
            Ok(())
        }
    }

    #[test]
    fn what_a_processor_slept_is_told_from_what_the_drive_slept() {
        for drive in [true, false] {
            let sleeps = Sleeps {
                drive,
                now: Instant::ZERO,
                last: Instant::ZERO,
                slept: Duration::ZERO,
                running: None,
            };
            let info = sleeps.info();
            let patience = Duration::from_secs(20);
            let asked = Asked::of(info.capacity, &info, Writes::Nothing, patience, 1);
            let mut bench = OnBench(sleeps, None);
            let mut probe = Probe::new(&mut bench, "wake", &asked);
            let found = ask(&mut probe, &mut Known::default()).unwrap();
            let us = |key: &str| {
                let mut figures = found.figures.iter();
                figures.find(|it| it.key == key).unwrap().value.unwrap()
            };
            assert!((us("wake.rest") - 1.0).abs() < 1e-9);
            assert!((us("wake.longer") - 1_000.0).abs() < 1e-6);
            let awake = if drive { 1_000.0 } else { 0.0 };
            assert!((us("wake.processor-awake") - awake).abs() < 1e-6);
        }
    }

    #[test]
    fn nothing_is_told_apart_where_half_of_the_reads_are_late_or_none_is_any_more() {
        let (awake, late) = (vec![80.0; 12], vec![1_080.0; 6]);
        let half = [[80.0; 3], [1_080.0; 3]].concat();
        let open = Err(Message::of("why-wake-open"));
        assert_eq!(told_apart(&[awake.clone(), late, half]), open);
        assert_eq!(told_apart(&[awake.clone(), awake.clone(), awake]), open);
        assert!(told_apart(&[Vec::new(), Vec::new(), Vec::new()]).is_err());
    }

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
