//! They come while the drive is warm: it slows down to cool, or its cells are harder to read.
//!
//! The temperature was read now and then. By chance as large a share of the events as of the time would be as warm.

use results::{Quantity, Statement};

use super::chance::at_least;
use super::{Common, Event, Phase};

pub(super) fn habit(phase: &Phase<'_>) -> Option<Common> {
    let took = phase.record.took.as_secs_f64();
    while_warm(&phase.events, took, &temperatures(phase))
}

/// Events of a phase that took so many seconds, and when it was how warm.
fn while_warm(events: &[Event], last: f64, read: &[(f64, i64)]) -> Option<Common> {
    let first = read.first()?.0;
    let at = |time: f64| {
        let before = read.partition_point(|(from, _)| *from <= time);
        before.checked_sub(1).map(|before| read[before].1)
    };
    let mut levels: Vec<i64> = read.iter().map(|(_, celsius)| *celsius).collect();
    levels.sort_unstable();
    levels.dedup();
    // The lowest is no habit: it is always as warm.
    let levels = &levels[1..];
    let common = levels.iter().filter_map(|level| {
        let is_warm = |celsius: i64| celsius >= *level;
        let begins = events.iter().map(|event| event.begins_s);
        let held = begins.filter(|time| at(*time).is_some_and(is_warm)).count();
        let ends = read.iter().skip(1).map(|(from, _)| *from).chain([last]);
        let warm = read
            .iter()
            .zip(ends)
            .filter(|((_, celsius), _)| is_warm(*celsius));
        let warm: f64 = warm.map(|((from, _), end)| end - from).sum();
        let share = warm / (last - first).max(f64::MIN_POSITIVE);
        (2 * held > events.len()).then(|| Common {
            says: Statement::new("answer-long-responses-warm")
                .with("held", Quantity::Count(held as u64))
                .with("temperature", Quantity::Celsius(*level as f64))
                .with("share", Quantity::Percent(100.0 * share)),
            chance: levels.len() as f64 * at_least(held, events.len(), share),
        })
    });
    common.min_by(|a, b| a.chance.total_cmp(&b.chance))
}

/// When it was how warm, in seconds since the phase began.
fn temperatures(phase: &Phase<'_>) -> Vec<(f64, i64)> {
    let earlier = phase.result.phases.iter();
    let earlier = earlier.take_while(|other| other.name != phase.record.name);
    // A real target's clock starts anew with each phase.
    let began: f64 = earlier.map(|other| other.took.as_secs_f64()).sum();
    let took = phase.record.took.as_secs_f64();
    let samples = phase.result.health_during.iter().filter_map(|sample| {
        let since = sample.at.as_secs_f64() - began;
        Some((since.max(0.0), sample.temperature_celsius?))
            .filter(|_| since > -took && since < took)
    });
    samples.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::record::WorstIo;
    use base::size::Bytes;
    use base::time::Duration;

    fn at(seconds: f64) -> Event {
        let felt = Duration::from_millis(30);
        Event {
            begins_s: seconds,
            ends_s: seconds + 0.03,
            longest: WorstIo {
                op: Op::Read,
                offset: Bytes::ZERO,
                len: Bytes::kib(4),
                at: Duration::from_secs_f64(seconds) + felt,
                service: felt,
                felt,
                beside_reads: 0,
                beside_writes: 0,
            },
        }
    }

    #[test]
    fn a_drive_that_stutters_while_it_is_hot_is_told_by_the_temperature() {
        // 70 C and more from 80 s to 100 s of 200.
        let read: Vec<(f64, i64)> = (0..200)
            .map(|second| {
                (
                    f64::from(second),
                    if (80..100).contains(&second) { 71 } else { 50 },
                )
            })
            .collect();
        let hot: Vec<Event> = (0..8).map(|n| at(81.5 + 2.0 * f64::from(n))).collect();
        let found = while_warm(&hot, 200.0, &read).unwrap();
        assert_eq!(
            found.says.quantity("temperature"),
            Some(&Quantity::Celsius(71.0))
        );
        assert!(found.chance < 1e-6, "{}", found.chance);
        let anywhere: Vec<Event> = (0..8).map(|n| at(5.5 + 24.0 * f64::from(n))).collect();
        assert!(while_warm(&anywhere, 200.0, &read).is_none());
        // Never read, or always the same.
        assert!(while_warm(&hot, 200.0, &[]).is_none());
        assert!(while_warm(&hot, 200.0, &[(0.0, 50), (100.0, 50)]).is_none());
    }
}
