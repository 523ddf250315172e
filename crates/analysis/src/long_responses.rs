//! What the longest responses of a run have in common, and the odds that chance would make them alike.
//!
//! A stutter has a cause, and its cause has a habit: a clock in the firmware comes round regularly, a weak area is always
//! at the same place, collection waits for writes, a fill is folded only after it was written. So the worst I/Os of a phase
//! are tried for one habit after another. Each is a test against chance: if they were spread evenly, over the time, the
//! places or the operations of the phase, how likely would they be as alike as this? The bounds are closed forms that are
//! too large rather than too small, and are multiplied by the number of tests that were tried (Bonferroni): what is said
//! is seldom nothing.
//!
//! Requests that wait together are one event: a controller that stops for 300 ms holds up everything that is in flight.

use base::record::{JobRecord, PhaseRecord, STALL, WORST_KEPT, WorstIo};
use base::time::Duration;
use results::{Quantity, RunResult, Statement};

mod before;
mod chance;
mod failures;
mod load;
mod operation;
mod period;
mod place;
mod temperature;
mod time;

/// A habit, tested on one phase of a run.
type Habit = fn(&Phase<'_>) -> Option<Common>;

/// All habits.
const HABITS: &[Habit] = &[
    period::habit,
    place::habit,
    operation::habit,
    load::habit,
    before::rest,
    before::writes,
    temperature::habit,
    time::habit,
    failures::habit,
];

/// What is less likely than this is no chance.
const NO_CHANCE: f64 = 1e-3;
/// A response is long where it takes so many times as long as its half of all do, and so long at least.
const LONG_TIMES: u64 = 10;
const LEAST_LONG: Duration = Duration::from_millis(1);
/// Events that are shorter than this part of the longest are of another kind.
const AS_LONG: u64 = 4;
/// No other than a response of this length is felt: half a frame of a screen.
const FELT: Duration = Duration::from_millis(10);
/// Of fewer events nothing is said.
const LEAST_EVENTS: usize = 4;
/// That they come at random is said of so many: fewer could hide a habit.
const LEAST_AT_RANDOM: usize = 10;

/// What events have in common.
struct Common {
    says: Statement,
    /// How likely chance makes them as alike, at most.
    chance: f64,
}

/// The long responses of a phase.
struct Phase<'a> {
    record: &'a PhaseRecord,
    /// Their result: other phases are what a load is told by.
    result: &'a RunResult,
    /// In order of time.
    events: Vec<Event>,
}

/// One time at which something took long.
struct Event {
    /// When the first of its I/Os was sent, in seconds from the beginning of the phase.
    begins_s: f64,
    /// When the last one was complete.
    ends_s: f64,
    /// The I/O that waited for longest.
    longest: WorstIo,
}

/// What a response takes at least to be long, whatever it does: the same for all of the phase's jobs and operations, and
/// no less than the shortest that a job kept, which has no room for all.
fn least(record: &PhaseRecord) -> Duration {
    let usual = record.jobs.iter().flat_map(|job| &job.ops).map(|op| {
        let median = op.felt().percentile(50.0);
        median.unwrap_or_default().saturating_mul(LONG_TIMES)
    });
    let kept = record.jobs.iter().filter_map(|job| {
        let worst = job.worst.ios();
        let is_full = worst.len() >= WORST_KEPT;
        worst.last().filter(|_| is_full).map(|io| io.felt)
    });
    usual
        .into_iter()
        .chain(kept)
        .fold(LEAST_LONG, Duration::max)
}

/// The longest events, where they are enough by themselves: a stall of 300 ms has another cause than a wait of 6 ms, and
/// together they would have no habit.
fn of_one_kind(events: Vec<Event>) -> Vec<Event> {
    let longest = events.iter().map(|event| event.longest.felt).max();
    let least = Duration::from_nanos(longest.unwrap_or_default().as_nanos() / AS_LONG);
    let is_as_long = |event: &Event| event.longest.felt >= least;
    match events.iter().filter(|event| is_as_long(event)).count() {
        LEAST_EVENTS.. => events.into_iter().filter(is_as_long).collect(),
        _ => events,
    }
}

impl<'a> Phase<'a> {
    fn of(record: &'a PhaseRecord, result: &'a RunResult) -> Phase<'a> {
        let least = least(record);
        let worst = record.jobs.iter().flat_map(|job| job.worst.ios());
        let mut ios: Vec<WorstIo> = worst.filter(|io| io.felt >= least).copied().collect();
        ios.sort_by_key(|io| io.at - io.felt.min(io.at));
        let mut events: Vec<Event> = Vec::new();
        for io in ios {
            let ends_s = io.at.as_secs_f64();
            let begins_s = (ends_s - io.felt.as_secs_f64()).max(0.0);
            match events.last_mut().filter(|last| begins_s <= last.ends_s) {
                Some(last) => {
                    last.ends_s = last.ends_s.max(ends_s);
                    if io.felt > last.longest.felt {
                        last.longest = io;
                    }
                }
                None => events.push(Event {
                    begins_s,
                    ends_s,
                    longest: io,
                }),
            }
        }
        let events = of_one_kind(events);
        Phase {
            record,
            result,
            events,
        }
    }

    /// What the shortest of its events takes.
    fn shortest(&self) -> Duration {
        let all = self.events.iter().map(|event| event.longest.felt);
        all.min().unwrap_or_default()
    }
}

/// I/Os of each operation of a job that took half as long as the shortest event, or longer; those that were not sent
/// meanwhile would have waited, too, but for the same one.
fn long(job: &JobRecord, shortest: Duration) -> [u64; 4] {
    let half = Duration::from_nanos(shortest.as_nanos() / 2);
    job.ops.each_ref().map(|of| {
        let long = of.service.buckets().filter(|(low, _, _)| *low >= half);
        long.map(|(_, _, count)| count).sum()
    })
}

/// What the long responses of a run have in common, in the phase whose are longest, or that even the most of them come at random; nothing where
/// they are few, or felt by nobody.
pub(crate) fn in_common(result: &RunResult) -> Option<Statement> {
    // What prepares the drive has no figures.
    let of_figure = |phase: &&PhaseRecord| {
        let mut figures = result.figures.iter();
        figures.any(|figure| figure.phases.contains(&phase.name))
    };
    let measured = result.phases.iter().filter(of_figure);
    let phases = measured.map(|phase| Phase::of(phase, result));
    let phases: Vec<Phase<'_>> = phases
        .filter(|phase| phase.events.len() >= LEAST_EVENTS)
        .collect();
    let is_felt = |phase: &Phase<'_>| phase.events.iter().any(|it| it.longest.felt >= FELT);
    let tests = (phases.len() * HABITS.len()) as f64;
    let found = phases.iter().filter(|phase| is_felt(phase)).map(|phase| {
        let habits = HABITS.iter().filter_map(|habit| habit(phase));
        let sure = habits.filter(|common| common.chance * tests < NO_CHANCE);
        (phase, sure.collect::<Vec<Common>>())
    });
    let (phase, common) = found.max_by_key(|(phase, common)| match common.is_empty() {
        true => (false, phase.events.len() as u64),
        false => (true, phase.shortest().as_nanos()),
    })?;
    let said = |key| {
        Statement::new(key)
            .with("events", Quantity::Count(phase.events.len() as u64))
            .with("shortest", Quantity::Time(phase.shortest()))
    };
    // What is least sure of all that is said.
    let Some(chance) = common.iter().map(|it| it.chance).max_by(f64::total_cmp) else {
        let stalls = phase.events.iter().any(|it| it.longest.felt >= STALL);
        let enough = phase.events.len() >= LEAST_AT_RANDOM;
        return (stalls && enough).then(|| said("answer-long-responses-random"));
    };
    let what = common.into_iter().map(|it| it.says).collect();
    Some(
        said("answer-long-responses")
            .with("what", Quantity::Said(what))
            .with("odds", Quantity::Said(vec![odds(chance * tests)])),
    )
}

/// How often chance would do that.
fn odds(chance: f64) -> Statement {
    /// Nobody can picture more.
    const MOST: f64 = 1e6;
    let one_in = (1.0 / chance.max(f64::MIN_POSITIVE)).min(MOST);
    let key = if one_in < MOST {
        "answer-long-responses-odds"
    } else {
        "answer-long-responses-odds-over"
    };
    // Two digits.
    let mut digit = 1.0;
    while one_in / digit >= 100.0 {
        digit *= 10.0;
    }
    let rounded = ((one_in / digit).floor() * digit) as u64;
    Statement::new(key).with("times", Quantity::Count(rounded))
}
