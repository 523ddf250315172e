//! Does something take far longer now and then, and does it come round by a clock?
//!
//! That is the stutter: the mean is good, and every few seconds everything waits. Firmware that saves its tables, a look at
//! the medium, a program of the host: they go by a clock, whatever is read. So no phase of its own is needed for it. All
//! phases that only read are watched while they answer something else, and their longest responses are kept with the time
//! at which they were sent.
//!
//! A response is long that takes many times as long as a lone read and as most of its own phase do: a disk's seek is none,
//! and neither is an I/O that a long queue passes over. What is sent first after a pause may have had to wake something, which is a
//! question of its own. Responses that wait together are one event. Events have a period where all gaps between them are
//! multiples of it (between two phases nothing is in flight, and an event is missed), where few are missed while something
//! is in flight, and where chance would hardly make the gaps as even.

use base::message::Message;
use base::record::PhaseRecord;
use base::time::Duration;

use crate::probe::Probe;
use crate::question::{Estimate, Found, Known};

/// No other is felt: half a frame of a screen.
const FELT: f64 = 0.01;
/// So many times what the slowest tenth of lone reads takes, and the slowest twentieth of the phase's own, or the half of
/// them where they are few.
const LONE_READS: f64 = 5.0;
const SLOWEST: f64 = 3.0;
const HALF: f64 = 10.0;
/// In flight at most in phases that count. A disk passes over some I/Os of a queue, to seek less for the others.
const DEEPEST: u32 = 8;
const DEEPEST_OF_A_DISK: u32 = 1;
/// Kinds of events, each twice as long as the one before: a disk has retries of its own beside a clock's stalls.
const KINDS: i32 = 6;
/// Of fewer events, nothing is said of a period.
const LEAST_EVENTS: usize = 5;
/// A gap is so near a multiple of the period, as a share of it; and is taken to be no nearer when it comes to chance.
const NEAR: f64 = 0.15;
const NO_NEARER: f64 = 0.02;
/// Chance would make gaps as even more seldom than this, whichever kind of events is looked at.
const NO_CHANCE: f64 = 1e-3 / KINDS as f64;
/// Of the events that are due while something is in flight, so many are seen at least.
const SEEN: f64 = 0.75;
/// A phase has no rests where something is in flight for so much of it.
const BUSY: f64 = 0.9;
/// No period is surer: the time between two phases is not counted on real drives.
const NO_SURER: f64 = 0.01;
/// Nothing is said to be long as it is in phases that are so much of all the time.
const HALF_OF_ALL: f64 = 0.5;
/// What is sent within so much of a phase's beginning is sent after a pause.
const AFTER_A_PAUSE: f64 = 1e-3;

/// The phases so far, in seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Vec<Watched>);

/// A phase: from when to when, what is long in it, and its longest I/Os.
#[derive(Clone, Debug, PartialEq)]
struct Watched {
    name: String,
    depth: u32,
    from: f64,
    to: f64,
    /// How much of it something was in flight: the others are rests of its own.
    busy: f64,
    long_from: f64,
    longest: Vec<Event>,
}

/// Something that took from one time to another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    begins: f64,
    ends: f64,
    /// What the one took that waited for longest.
    longest: f64,
}

impl Watched {
    /// Whether all that is due in it is seen.
    fn never_rests(&self) -> bool {
        self.busy >= BUSY * (self.to - self.from)
    }

    fn holds(&self, event: &Event) -> bool {
        self.from <= event.begins && event.begins <= self.to
    }
}

impl Watch {
    /// Keeps what took longest in a phase that began so long after the beginning of all.
    pub(crate) fn keep(&mut self, at: Duration, record: &PhaseRecord) {
        let depths = record.workload.jobs.iter().map(|job| job.depth());
        let from = at.as_secs_f64();
        let ops = record.jobs.iter().flat_map(|job| &job.ops);
        let usual = ops.map(|op| {
            let of = |percent, times| {
                let longest = op.felt().percentile(percent)?;
                Some(times * longest.as_secs_f64())
            };
            of(95.0, SLOWEST).or_else(|| of(50.0, HALF)).unwrap_or(0.0)
        });
        let long_from = usual.fold(0.0, f64::max);
        let worst = record.jobs.iter().flat_map(|job| job.worst.ios());
        let longest = worst.map(|io| {
            let ends = io.at.as_secs_f64();
            let begins = from + (ends - io.felt.as_secs_f64()).max(0.0);
            Event {
                begins,
                ends: from + ends,
                longest: io.felt.as_secs_f64(),
            }
        });
        let busy = record.script.as_ref().map_or(record.took, |it| it.busy);
        self.0.push(Watched {
            name: record.name.clone(),
            depth: depths.max().unwrap_or(0),
            from,
            to: from + record.took.as_secs_f64(),
            busy: busy.as_secs_f64(),
            long_from,
            longest: longest.collect(),
        });
    }

    /// What came of it.
    pub(crate) fn found(mut self, mut probe: Probe<'_>, known: &Known) -> Found {
        let mut found = Found::default();
        let deepest = match known.may_turn() {
            true => DEEPEST_OF_A_DISK,
            false => DEEPEST,
        };
        self.0.retain(|phase| phase.depth <= deepest);
        let lone = known.slow_read_us.unwrap_or(0.0) / 1e6;
        let least = FELT.max(LONE_READS * lone);
        let mut kinds = (0..KINDS).map(|kind| least * libm::exp2(f64::from(kind)));
        let of_a_clock = kinds.find(|least| self.period(&self.events(*least)).is_ok());
        let least = of_a_clock.unwrap_or(least);
        let events = self.events(least);
        if events.is_empty() {
            return self.none(&probe, least);
        }
        let is_in = |phase: &&Watched| events.iter().any(|event| phase.holds(event));
        probe.phases = self
            .0
            .iter()
            .filter(is_in)
            .map(|it| it.name.clone())
            .collect();
        probe.ios = events.len() as u64;
        let watched = self.0.iter().map(|phase| phase.busy).sum();
        let longest = events.iter().map(|it| it.longest).max_by(f64::total_cmp);
        let longest = longest.ok_or_else(|| Message::of("why-no-long-response"));
        found.add(&probe, "every", "s", self.period(&events));
        found.add(&probe, "longest", "ms", longest.map(|it| (1e3 * it, None)));
        found.add(&probe, "events", "count", Ok((events.len() as f64, None)));
        found.add(&probe, "least", "ms", Ok((1e3 * least, None)));
        found.add(&probe, "watched", "s", Ok((watched, None)));
        found
    }

    /// Nothing was long: from what length on, in phases that are at least half of all the time.
    fn none(&self, probe: &Probe<'_>, least: f64) -> Found {
        let within = |from: f64| {
            let seen = self.0.iter().filter(|phase| phase.long_from <= from);
            seen.map(|phase| phase.busy).sum::<f64>()
        };
        let mut kinds = (0..).map(|kind| least * libm::exp2(f64::from(kind)));
        let from = kinds.find(|from| within(*from) >= HALF_OF_ALL * within(f64::MAX));
        let from = from.unwrap_or(least);
        let none = || Message::of("why-no-long-response");
        let mut found = Found::default();
        found.add(probe, "every", "s", Err(none()));
        found.add(probe, "none-from", "ms", Ok((1e3 * from, None)));
        found.add(probe, "watched", "s", Ok((within(from), None)));
        found
    }

    /// Everything that took so long, in order of time; what waits together is one.
    fn events(&self, least: f64) -> Vec<Event> {
        let long = self.0.iter().flat_map(|phase| {
            let least = least.max(phase.long_from);
            let long = phase.longest.iter().copied();
            long.filter(move |it| it.longest >= least && it.begins > phase.from + AFTER_A_PAUSE)
        });
        let mut long: Vec<Event> = long.collect();
        long.sort_by(|one, other| one.begins.total_cmp(&other.begins));
        let mut events: Vec<Event> = Vec::new();
        for next in long {
            match events.last_mut().filter(|last| next.begins <= last.ends) {
                Some(last) => {
                    last.ends = last.ends.max(next.ends);
                    last.longest = last.longest.max(next.longest);
                }
                None => events.push(next),
            }
        }
        events
    }

    /// The period of events, in seconds.
    fn period(&self, events: &[Event]) -> Estimate {
        if events.is_empty() {
            return Err(Message::of("why-no-long-response"));
        }
        let uneven = || Message::of("why-no-period");
        if events.len() < LEAST_EVENTS {
            return Err(Message::of("why-few-long-responses"));
        }
        let begins: Vec<f64> = events.iter().map(|event| event.begins).collect();
        let gaps: Vec<f64> = begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let even = even(&gaps).ok_or_else(uneven)?;
        let missed = self.missed(&begins, even.period);
        let seen = events.len() as f64;
        if seen < SEEN * (seen + missed as f64) {
            return Err(uneven());
        }
        let off = (even.apart / libm::sqrt(seen)).max(NO_SURER) * even.period;
        Ok((even.period, Some([even.period - off, even.period + off])))
    }

    /// How many are due between events while something is in flight.
    fn missed(&self, begins: &[f64], period: f64) -> usize {
        let margin = NEAR * period;
        let is_watched = |at: &f64| {
            let mut phases = self.0.iter().filter(|phase| phase.never_rests());
            phases.any(|phase| phase.from + margin < *at && *at < phase.to - margin)
        };
        let due = begins.windows(2).flat_map(|pair| {
            let gap = pair[1] - pair[0];
            let times = libm::round(gap / period);
            (1..times as u64).map(move |nth| pair[0] + gap * nth as f64 / times)
        });
        due.filter(is_watched).count()
    }
}

/// Gaps that are all multiples of a period.
struct Even {
    period: f64,
    /// How far the furthest is from one, as a share of the period.
    apart: f64,
}

/// The period of gaps, which is about the shortest of them; nothing where chance makes gaps as even.
fn even(gaps: &[f64]) -> Option<Even> {
    let mut period = gaps.iter().copied().min_by(f64::total_cmp)?;
    let mut apart = f64::MAX;
    // With the period the multiples are known, and with them the period.
    for _ in 0..3 {
        let times = |gap: &f64| libm::round(gap / period).max(1.0);
        let all: f64 = gaps.iter().map(times).sum();
        let off = |gap: &f64| (gap / period - times(gap)).abs();
        apart = gaps.iter().map(off).fold(0.0, f64::max);
        period = gaps.iter().sum::<f64>() / all;
    }
    let free = gaps.len() as i32 - 1;
    let chance = libm::pow(2.0 * apart.max(NO_NEARER), f64::from(free));
    (apart < NEAR && chance < NO_CHANCE).then_some(Even { period, apart })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// Phases of some seconds with pauses between them, and events of 50 ms at times; what falls into a pause is not seen.
    fn watch(times: &[f64], seed: u64) -> Watch {
        let mut rng = Rng::new(seed);
        let (mut watch, mut now) = (Watch::default(), 0.0);
        for _ in 0..20 {
            let (from, to) = (now, now + 1.0 + 10.0 * rng.unit());
            let within = times.iter().filter(|at| from < **at && **at < to - 0.05);
            let longest = within.map(|at| Event {
                begins: *at,
                ends: at + 0.05,
                longest: 0.05,
            });
            watch.0.push(Watched {
                name: String::new(),
                depth: 1,
                from,
                to,
                busy: to - from,
                long_from: 240e-6,
                longest: longest.collect(),
            });
            now = to + 2.0 * rng.unit();
        }
        watch
    }

    fn period(watch: &Watch) -> Estimate {
        watch.period(&watch.events(FELT))
    }

    #[test]
    fn a_clock_is_found_though_it_goes_on_between_phases() {
        for seed in 0..30 {
            let mut rng = Rng::new(seed);
            let every = 1.0 + 6.0 * rng.unit();
            let late = |n: u32| f64::from(n) * every + 0.03 * every * rng.unit();
            let times: Vec<f64> = (1..150).map(late).collect();
            let (found, between) = period(&watch(&times, seed)).unwrap();
            let [low, high] = between.unwrap();
            assert!(low <= every && every <= high, "{found} for {every}");
        }
    }

    #[test]
    fn events_at_random_have_no_period() {
        let found = (0..300).filter(|seed| {
            let mut rng = Rng::new(*seed);
            let many = 5 + rng.below(30);
            let times: Vec<f64> = (0..many).map(|_| 130.0 * rng.unit()).collect();
            period(&watch(&times, *seed)).is_ok()
        });
        assert_eq!(found.count(), 0);
    }

    #[test]
    fn none_few_and_what_wakes_something_are_told_apart() {
        let why = |times: &[f64]| period(&watch(times, 1)).unwrap_err();
        assert_eq!(why(&[]).key(), Some("why-no-long-response"));
        assert_eq!(why(&[0.5, 0.8]).key(), Some("why-few-long-responses"));
        let mut woken = watch(&[], 1);
        for phase in &mut woken.0 {
            let (begins, ends) = (phase.from, phase.from + 0.05);
            let longest = ends - begins;
            phase.longest.push(Event {
                begins,
                ends,
                longest,
            });
        }
        assert!(woken.events(FELT).is_empty());
    }
}
