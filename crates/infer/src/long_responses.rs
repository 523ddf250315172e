//! Does something take far longer now and then, and does it come round by a clock?
//!
//! That is the stutter: the mean is good, and every few seconds everything waits. Firmware that saves its tables, a look at
//! the medium, a program of the host: they go by a clock, whatever is read. So no phase of its own is needed for it. All
//! phases that only read are watched while they answer something else, and their longest responses are kept with the time
//! at which they were sent.
//!
//! A response is long that takes many times as long as a lone read and as most of its own phase do: a disk's seek is none,
//! and neither is an I/O that a long queue passes over. What is sent first after a pause may have had to wake something,
//! which is a question of its own. Responses that wait together are one event. Events have a period where all gaps between
//! them are multiples of it (between two phases nothing is in flight, and an event is missed), where few are missed while
//! something is in flight, and where chance would hardly make the gaps as even. A weak place that is read again and again
//! comes round, too: events at the same places have no clock.

use std::collections::BTreeSet;

use base::record::WORST_KEPT;
use base::{Bytes, Duration, Message, Order, PhaseRecord, TrailIo};

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
/// In less, nothing is said to be missing.
const LEAST_WATCHED: f64 = 10.0;
/// Nothing goes to sleep in a shorter pause; what is sent within so much after one is sent first.
const PAUSE: Duration = Duration::from_millis(500);
const AFTER_A_PAUSE: Duration = Duration::from_millis(1);
/// Events are at the same places where these, of so much each, are no more than half of the events, and where each pass
/// over them has its own.
const PLACE: Bytes = Bytes::mib(1);

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
    /// How often it went over the same part in order, as far as so many long responses are kept; none where once.
    passes: f64,
}

/// Something that took from one time to another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    begins: f64,
    ends: f64,
    /// What the one took that waited for longest, and where it was.
    longest: f64,
    at: Bytes,
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
        let trail = record.script.as_ref().and_then(|kept| kept.trail.as_ref());
        let pauses = ends_of_pauses(trail.map_or(&[], |trail| trail.ios()));
        let after_one = |sent: Duration| {
            let mut pauses = pauses.iter();
            pauses.any(|end| *end <= sent && sent <= *end + AFTER_A_PAUSE)
        };
        let worst = record.jobs.iter().flat_map(|job| job.worst.ios());
        let longest = worst.filter_map(|io| {
            let sent = io.at.saturating_sub(io.felt);
            (!after_one(sent)).then_some(Event {
                begins: from + sent.as_secs_f64(),
                ends: from + io.at.as_secs_f64(),
                longest: io.felt.as_secs_f64(),
                at: io.offset,
            })
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
            passes: passes(record),
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
        if within(from) < LEAST_WATCHED {
            return found;
        }
        found.add(probe, "none-from", "ms", Ok((1e3 * from, None)));
        found.add(probe, "watched", "s", Ok((within(from), None)));
        found
    }

    /// Everything that took so long, in order of time; what waits together is one.
    fn events(&self, least: f64) -> Vec<Event> {
        let long = self.0.iter().flat_map(|phase| {
            let least = least.max(phase.long_from);
            let long = phase.longest.iter().copied();
            long.filter(move |it| it.longest >= least)
        });
        let mut long: Vec<Event> = long.collect();
        long.sort_by(|one, other| one.begins.total_cmp(&other.begins));
        let mut events: Vec<Event> = Vec::new();
        for next in long {
            match events.last_mut().filter(|last| next.begins <= last.ends) {
                Some(last) => {
                    let ends = last.ends.max(next.ends);
                    if next.longest > last.longest {
                        (last.longest, last.at) = (next.longest, next.at);
                    }
                    last.ends = ends;
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
        if self.lie_at_the_same_places(events) {
            return Err(Message::of("why-one-place"));
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

    /// Whether each pass over the same part has them at the same places.
    fn lie_at_the_same_places(&self, events: &[Event]) -> bool {
        let again = self.0.iter().filter(|phase| phase.passes > 0.0);
        let passes: f64 = again.clone().map(|phase| phase.passes).sum();
        let is_in_one = |event: &&Event| again.clone().any(|phase| phase.holds(event));
        let places = events.iter().filter(is_in_one);
        let places: Vec<u64> = places.map(|it| it.at.get() / PLACE.get()).collect();
        let unlike: BTreeSet<&u64> = places.iter().collect();
        let enough = places.len() as f64 >= SEEN * passes && 2 * places.len() >= events.len();
        enough && 2 * unlike.len() <= places.len()
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

/// How often a phase went over its part in order.
fn passes(record: &PhaseRecord) -> f64 {
    let [job] = &record.workload.jobs[..] else {
        return 0.0;
    };
    let moved: u64 = record
        .jobs
        .iter()
        .flat_map(|job| &job.ops)
        .map(|op| op.bytes.get())
        .sum();
    let passes = moved as f64 / job.span.len.get().max(1) as f64;
    match job.order == Order::Sequential && passes >= 2.0 {
        true => passes.min(WORST_KEPT as f64),
        false => 0.0,
    }
}

/// When something was sent after a pause: at the beginning, and where everything before was complete for so long.
fn ends_of_pauses(trail: &[TrailIo]) -> Vec<Duration> {
    let mut sent: Vec<&TrailIo> = trail.iter().collect();
    sent.sort_by_key(|io| io.sent);
    let (mut ends, mut complete) = (vec![Duration::ZERO], Duration::ZERO);
    for io in sent {
        if io.sent > complete + PAUSE {
            ends.push(io.sent);
        }
        complete = complete.max(io.sent + io.took);
    }
    ends
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
    use base::io::Op;
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
                at: Bytes::mib((at * 1e6) as u64),
            });
            watch.0.push(Watched {
                name: String::new(),
                depth: 1,
                from,
                to,
                busy: to - from,
                long_from: 240e-6,
                longest: longest.collect(),
                passes: 0.0,
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
    fn none_few_and_a_weak_place_are_told_apart() {
        let why = |times: &[f64]| period(&watch(times, 1)).unwrap_err();
        assert_eq!(why(&[]).key(), Some("why-no-long-response"));
        assert_eq!(why(&[0.5, 0.8]).key(), Some("why-few-long-responses"));
        let mut weak = watch(&(1..100).map(f64::from).collect::<Vec<f64>>(), 1);
        assert!(period(&weak).is_ok());
        for phase in &mut weak.0 {
            phase.passes = phase.longest.len() as f64;
            for event in &mut phase.longest {
                event.at = Bytes::mib(100);
            }
        }
        assert_eq!(period(&weak).unwrap_err().key(), Some("why-one-place"));
        // A clock that meets the same place each time, which is read in between.
        for phase in &mut weak.0 {
            phase.passes *= 5.0;
        }
        assert!(period(&weak).is_ok());
    }

    #[test]
    fn what_is_sent_first_after_a_pause_is_known() {
        let io = |sent: u64, took: u64| TrailIo {
            step: 0,
            op: Op::Read,
            offset: Bytes::ZERO,
            len: Bytes::kib(4),
            sent: Duration::from_millis(sent),
            took: Duration::from_millis(took),
        };
        let trail = [
            io(0, 1),
            io(1, 300),
            io(400, 1),
            io(2_000, 900),
            io(2_901, 1),
        ];
        assert_eq!(
            ends_of_pauses(&trail),
            [0, 2_000].map(Duration::from_millis)
        );
    }
}
