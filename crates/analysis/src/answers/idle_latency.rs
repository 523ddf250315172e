//! How long the first I/O after idle time waits for the drive to wake up.
//!
//! The first I/O is compared with those of an awake drive: the first after the shortest idle time. A disk's I/Os differ
//! by a whole revolution, so a drive is slow to wake if the median of at least three is twice as long.

use base::time::Duration;
use results::{Quantity, RunResult, Statement};

use super::figures::{between, figure, time};

/// From here on it is waking up that takes the time, and not where the head happens to be.
const WAKES: f64 = 2.0;
/// What takes so long seeks.
const SEEKS: Duration = Duration::from_millis(1);
/// Medians of a few seeks differ by as much: a long one and a revolution.
const SCATTER: Duration = Duration::from_millis(20);
/// Fewer idle periods have no median.
const ENOUGH: u64 = 3;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let first = |rest: &str| time(result, &format!("rest-{rest}.first.median"));
    let mut rests: Vec<(Duration, &str, Duration)> = between(result, "rest-", ".first.median")
        .into_iter()
        .filter_map(|rest| Some((rest.parse().ok()?, rest, first(rest)?)))
        .collect();
    rests.sort_by_key(|(length, ..)| *length);
    let (&(_, _, awake), &(longest, rest, _)) = rests.first().zip(rests.last())?;
    let last = figure(result, &format!("rest-{rest}.first.median"))?;
    if result.samples(last) < ENOUGH || rests.len() < 2 {
        return Some(vec![Statement::new("answer-idle-latency-few")]);
    }
    let least = match awake >= SEEKS {
        true => awake + SCATTER,
        false => awake,
    };
    let slow = |of: &&(Duration, &str, Duration)| {
        of.2 >= least && of.2.as_nanos() as f64 >= WAKES * awake.as_nanos() as f64
    };
    // From the shortest rest on after which every one is slow: a drive that sleeps does not wake by itself.
    let sleeping = rests.iter().rev().take_while(slow).last();
    let said = match sleeping {
        Some((length, _, first)) => Statement::new("answer-idle-latency-wakes")
            .with("rest", Quantity::Time(*length))
            .with("first", Quantity::Time(*first)),
        None => Statement::new("answer-idle-latency-awake").with("rest", Quantity::Time(longest)),
    };
    Some(vec![said.with("awake", Quantity::Time(awake))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn key(after_100ms: f64, after_1s: f64, n: u64) -> (&'static str, Option<Quantity>) {
        let figures = [
            ("rest-1ms.first.median", 50.0, "us"),
            ("rest-100ms.first.median", after_100ms, "us"),
            ("rest-1s.first.median", after_1s, "us"),
        ];
        let mut result = measured("idle-latency", &figures);
        for figure in &mut result.figures {
            figure.n = n;
        }
        let said = answer(&result).unwrap().remove(0);
        (said.key, said.quantity("rest").cloned())
    }

    #[test]
    fn a_drive_wakes_slowly_from_the_rest_on_after_which_each_is_twice_as_long() {
        let millis = |n| Some(Quantity::Time(Duration::from_millis(n)));
        assert_eq!(
            key(50.0, 99.0, 3),
            ("answer-idle-latency-awake", millis(1_000))
        );
        assert_eq!(
            key(50.0, 100.0, 3),
            ("answer-idle-latency-wakes", millis(1_000))
        );
        assert_eq!(
            key(900.0, 900.0, 3),
            ("answer-idle-latency-wakes", millis(100))
        );
        assert_eq!(
            key(900.0, 50.0, 3),
            ("answer-idle-latency-awake", millis(1_000))
        );
        assert_eq!(key(900.0, 900.0, 2).0, "answer-idle-latency-few");
        // Of a disk a few seeks happen to be longer.
        let disk = |after: f64| {
            let rests = [
                ("rest-1ms.first.median", 4.0, "ms"),
                ("rest-3s.first.median", after, "ms"),
            ];
            answer(&measured("idle-latency", &rests)).unwrap()[0].key
        };
        assert_eq!(disk(9.3), "answer-idle-latency-awake");
        assert_eq!(disk(280.0), "answer-idle-latency-wakes");
    }
}
