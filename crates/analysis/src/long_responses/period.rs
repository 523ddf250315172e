//! They come at regular intervals: a clock, in the firmware or in the computer.
//!
//! Between n events are n-1 gaps. If the events came by chance, and their first and last are given, the gaps would be
//! shares of the time between them, any shares alike likely (Dirichlet with all parameters 1, density (n-2)! over n-2 free
//! shares). That all of them are within the share d of their mean then has the probability
//! (n-2)! (2 d / (n-1))^(n-2) at most, the density times a cube around the equal shares.

use base::time::Duration;
use results::{Quantity, Statement};

use super::{Common, Event, Phase};

/// Gaps that differ by more are no period.
const MOST_APART: f64 = 0.2;
/// Less than this is what an I/O takes more or less, and no evidence.
const LEAST_APART: f64 = 0.005;

/// Between events is more time than they take.
const LONGEST: f64 = 0.5;

pub(super) fn habit(phase: &Phase<'_>) -> Option<Common> {
    let begins: Vec<f64> = phase.events.iter().map(|event| event.begins_s).collect();
    let gaps: Vec<f64> = begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    // One after another without a break comes as often as it takes.
    let longest = phase
        .events
        .iter()
        .map(|event| event.ends_s - event.begins_s);
    if longest.fold(0.0, f64::max) > mean * LONGEST {
        return None;
    }
    if comes_round(phase) {
        return None;
    }
    let apart = gaps.iter().map(|gap| (gap / mean - 1.0).abs());
    let apart = apart.fold(LEAST_APART, f64::max);
    (apart < MOST_APART).then(|| Common {
        says: Statement::new("answer-long-responses-period")
            .with("every", Quantity::Time(Duration::from_secs_f64(mean))),
        chance: of_gaps(gaps.len(), apart),
    })
}

/// Whether they come at regular steps of a script: then it is the script that comes round, and not a clock.
fn comes_round(phase: &Phase<'_>) -> bool {
    let script = phase.record.script.as_ref();
    let Some(trail) = script.and_then(|script| script.trail.as_ref()) else {
        return false;
    };
    let step = |event: &Event| {
        let mut ios = trail.ios().iter();
        ios.find(|io| io.sent + io.took == event.longest.at)
            .map(|io| f64::from(io.step))
    };
    let steps: Vec<f64> = phase.events.iter().filter_map(step).collect();
    let gaps: Vec<f64> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
    gaps.iter().all(|gap| (gap / mean - 1.0).abs() < MOST_APART)
}

/// The probability that so many gaps are all within a share of their mean, at most.
fn of_gaps(gaps: usize, apart: f64) -> f64 {
    let free = gaps - 1;
    let share = 2.0 * apart / gaps as f64;
    (1..=free)
        .map(|k| k as f64 * share)
        .product::<f64>()
        .min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    #[test]
    fn the_odds_bound_how_often_chance_does_it() {
        let mut rng = Rng::new(3);
        for (gaps, apart) in [(3, 0.2), (4, 0.2), (3, 0.1)] {
            let tries = 100_000;
            let alike = (0..tries).filter(|_| {
                let mut times: Vec<f64> = (0..gaps - 1).map(|_| rng.unit()).collect();
                times.extend([0.0, 1.0]);
                times.sort_by(f64::total_cmp);
                let mean = 1.0 / gaps as f64;
                let mut gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
                gaps.all(|gap| (gap / mean - 1.0).abs() <= apart)
            });
            let share = alike.count() as f64 / f64::from(tries);
            let bound = of_gaps(gaps, apart);
            assert!(
                share <= 1.05 * bound && share >= 0.4 * bound,
                "{share} {bound}"
            );
        }
    }
}
