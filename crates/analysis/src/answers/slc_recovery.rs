//! After how much idle time the fast cache is available again.

use base::time::Duration;
use results::{Quantity, RunResult, Statement};

use super::figures::{between, mb_s, moved, size};

/// What counts as all of the cache: where its end is found is uncertain by some bins of the curve.
const ALL: f64 = 0.9;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let Some(cache) = size(result, "cache.size").filter(|cache| !cache.is_zero()) else {
        let said = Statement::new("answer-slc-recovery-none")
            .with(
                "rate",
                Quantity::MegabytesPerSecond(mb_s(result, "whole.rate")?),
            )
            .with("written", Quantity::Size(moved(result)));
        return Some(vec![said]);
    };
    let rests = between(result, "after-", ".volume").into_iter();
    let rests = rests.filter_map(|rest| {
        let volume = size(result, &format!("after-{rest}.volume"))?;
        Some((rest.parse::<Duration>().ok()?, volume))
    });
    let mut rests: Vec<_> = rests.collect();
    rests.sort_by_key(|(rest, _)| *rest);
    let share = |volume: base::size::Bytes| volume.get() as f64 / cache.get() as f64;
    let full = rests.iter().find(|(_, volume)| share(*volume) >= ALL);
    let (rest, volume) = full.or(rests.last())?;
    let key = match full {
        Some(_) => "answer-slc-recovery-all",
        None => "answer-slc-recovery-part",
    };
    let said = Statement::new(key)
        .with("rest", Quantity::Time(*rest))
        .with("volume", Quantity::Size(*volume))
        .with("cache", Quantity::Size(cache));
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn recovered(after_5s: f64) -> Statement {
        let figures = [
            ("cache.size", 10.0, "GB"),
            ("after-10s.volume", 9.5, "GB"),
            ("after-5s.volume", after_5s, "GB"),
        ];
        answer(&measured("slc-recovery", &figures))
            .unwrap()
            .remove(0)
    }

    #[test]
    fn the_shortest_rest_that_brings_it_back_is_told() {
        let rest = |said: &Statement| said.quantity("rest").cloned();
        let secs = |n| Some(Quantity::Time(Duration::from_secs(n)));
        assert_eq!(rest(&recovered(9.0)), secs(5));
        assert_eq!(rest(&recovered(8.9)), secs(10));
    }

    #[test]
    fn a_cache_that_no_rest_brought_back_and_a_drive_without_one_are_told_apart() {
        let figures = [("cache.size", 10.0, "GB"), ("after-5s.volume", 1.0, "GB")];
        let key = |figures: &[(&str, f64, &str)]| {
            answer(&measured("slc-recovery", figures)).unwrap()[0].key
        };
        assert_eq!(key(&figures), "answer-slc-recovery-part");
        assert_eq!(
            key(&[("whole.rate", 500.0, "MB/s")]),
            "answer-slc-recovery-none"
        );
        assert_eq!(answer(&measured("slc-recovery", &figures[..1])), None);
    }
}
