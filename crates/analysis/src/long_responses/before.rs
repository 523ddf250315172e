//! What came before them: a rest, or a write.
//!
//! What was not used goes to sleep, or begins work of its own: the first I/O afterwards waits. A write that was answered
//! from a buffer is still on its way to the flash: a read behind it waits. Where the I/Os of a phase are kept one by one,
//! the ones before each are known. By chance as large a share of the events as of all I/Os would come so.

use base::{Duration, Op, TrailIo};
use results::{Quantity, Statement};

use super::chance::at_least;
use super::{Common, Event, Phase};

/// Rests, and times since a write, that are tried.
const TIMES: [Duration; 5] = [
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(10),
];

/// An I/O of a phase, with what came before it.
struct Sent {
    io: TrailIo,
    /// How long nothing was in flight; nothing of the first one.
    rest: Option<Duration>,
    /// How long ago the last write was complete, no time at all where it is still under way; nothing where none was sent.
    written: Option<Duration>,
}

/// They come after a rest.
pub(super) fn rest(phase: &Phase<'_>) -> Option<Common> {
    after_rests(&phase.events, kept(phase)?)
}

/// They are reads behind writes.
pub(super) fn writes(phase: &Phase<'_>) -> Option<Common> {
    behind_writes(&phase.events, kept(phase)?)
}

/// The I/Os of a phase; nothing where they were not all kept.
fn kept<'a>(phase: &Phase<'a>) -> Option<&'a [TrailIo]> {
    let trail = phase.record.script.as_ref()?.trail.as_ref()?;
    (trail.left_out() == 0).then(|| trail.ios())
}

fn after_rests(events: &[Event], ios: &[TrailIo]) -> Option<Common> {
    let sent = sent(ios);
    let all: Vec<&Sent> = sent.iter().filter(|it| it.rest.is_some()).collect();
    let tried = TIMES.map(|least| {
        let counted = |it: &Sent| it.rest.is_some_and(|rest| rest >= least);
        common("answer-long-responses-rest", events, &all, least, counted)
    });
    tried.into_iter().flatten().min_by(by_chance)
}

fn behind_writes(events: &[Event], ios: &[TrailIo]) -> Option<Common> {
    let sent = sent(ios);
    let reads: Vec<&Sent> = sent.iter().filter(|it| it.io.op == Op::Read).collect();
    let tried = TIMES.map(|most| {
        let counted = |it: &Sent| it.written.is_some_and(|since| since <= most);
        common(
            "answer-long-responses-behind",
            events,
            &reads,
            most,
            counted,
        )
    });
    tried.into_iter().flatten().min_by(by_chance)
}

fn by_chance(a: &Common, b: &Common) -> std::cmp::Ordering {
    a.chance.total_cmp(&b.chance)
}

/// I/Os in the order in which they were sent.
fn sent(ios: &[TrailIo]) -> Vec<Sent> {
    let mut ios = ios.to_vec();
    ios.sort_by_key(|io| io.sent);
    let (mut ended, mut written): (Option<Duration>, Option<Duration>) = (None, None);
    let sent = ios.into_iter().map(|io| {
        let it = Sent {
            rest: ended.map(|ended| io.sent.saturating_sub(ended)),
            written: written.map(|written| io.sent.saturating_sub(written)),
            io,
        };
        let end = io.sent + io.took;
        ended = ended.max(Some(end));
        if io.op == Op::Write {
            written = written.max(Some(end));
        }
        it
    });
    sent.collect()
}

/// Most of the events are among those I/Os that count, which are few.
fn common(
    key: &'static str,
    events: &[Event],
    among: &[&Sent],
    time: Duration,
    counted: impl Fn(&Sent) -> bool,
) -> Option<Common> {
    let of_event = |event: &Event| {
        let is_it = |it: &&&Sent| {
            it.io.offset == event.longest.offset && it.io.sent + it.io.took == event.longest.at
        };
        among.iter().find(is_it).copied()
    };
    let held = events.iter().filter_map(of_event);
    let held = held.filter(|it| counted(it)).count();
    let share = among.iter().filter(|it| counted(it)).count() as f64 / among.len().max(1) as f64;
    (2 * held > events.len()).then(|| Common {
        says: Statement::new(key)
            .with("held", Quantity::Count(held as u64))
            .with("time", Quantity::Time(time))
            .with("share", Quantity::Percent(100.0 * share)),
        chance: TIMES.len() as f64 * at_least(held, events.len(), share),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::record::WorstIo;
    use base::rng::Rng;
    use base::size::Bytes;

    /// A thousand I/Os one at a time, each of 100 us: every twentieth is a write, and one in fifty comes after a rest.
    fn ios(takes: impl Fn(u64, Duration, bool) -> Duration) -> (Vec<Event>, Vec<TrailIo>) {
        let mut rng = Rng::new(11);
        let (mut now, mut after_write) = (Duration::ZERO, false);
        let (mut ios, mut events) = (Vec::new(), Vec::new());
        for step in 0..1_000 {
            let rest = Duration::from_millis(if rng.below(50) == 0 { 200 } else { 0 });
            let sent = now + rest;
            let op = if step % 20 == 0 { Op::Write } else { Op::Read };
            let took = takes(step, rest, after_write && op == Op::Read);
            let (offset, len) = (Bytes::kib(4) * step, Bytes::kib(4));
            now = sent + took;
            after_write = op == Op::Write;
            ios.push(TrailIo {
                step: step as u32,
                op,
                offset,
                len,
                sent,
                took,
            });
            if took > Duration::from_millis(10) {
                events.push(Event {
                    begins_s: sent.as_secs_f64(),
                    ends_s: now.as_secs_f64(),
                    longest: WorstIo {
                        op,
                        offset,
                        len,
                        at: now,
                        service: took,
                        felt: took,
                        beside_reads: 0,
                        beside_writes: 0,
                    },
                });
            }
        }
        (events, ios)
    }

    fn after(long: bool) -> Duration {
        Duration::from_micros(if long { 30_000 } else { 100 })
    }

    const NO_CHANCE: f64 = 1e-6;

    #[test]
    fn a_drive_that_wakes_is_told_by_the_rests_before() {
        let (events, ios) = ios(|_, rest, _| after(rest > Duration::ZERO));
        let found = after_rests(&events, &ios).unwrap();
        assert_eq!(found.says.key, "answer-long-responses-rest");
        assert!(found.chance < NO_CHANCE);
        assert!(behind_writes(&events, &ios).is_none_or(|it| it.chance > NO_CHANCE));
    }

    #[test]
    fn reads_that_wait_for_a_write_are_told_by_it() {
        let (events, ios) = ios(|_, _, behind| after(behind));
        let found = behind_writes(&events, &ios).unwrap();
        assert_eq!(found.says.key, "answer-long-responses-behind");
        assert!(found.chance < NO_CHANCE);
        assert!(after_rests(&events, &ios).is_none_or(|it| it.chance > NO_CHANCE));
    }

    #[test]
    fn long_ones_here_and_there_come_after_nothing() {
        for seed in 0..30 {
            let by_chance = |step| base::rng::splitmix64(step + 1_000 * seed).is_multiple_of(40);
            let (events, ios) = ios(|step, _, _| after(by_chance(step)));
            let found = [after_rests(&events, &ios), behind_writes(&events, &ios)];
            let no_chance = found.into_iter().flatten().filter(|it| it.chance < 1e-3);
            assert_eq!(no_chance.count(), 0, "{seed}");
        }
    }
}
