//! The band of a disk's transfer curve: what its lower edge says about surfaces and missed revolutions.
//!
//! A scan records, at each position, the minimum and maximum rate among short intervals. Two things separate them.
//! *Surfaces*: each is formatted as densely as its own head allows, so that the rate changes with each head switch;
//! that is the same for reads and writes, since it is deterministic. *Missed revolutions*: if a sector is not read or
//! written at the first try, the platter has to come round again; that is random, and shows in the slowest of many
//! intervals.
//!
//! The likelihood of a lower edge has a closed form. Surfaces are uniformly distributed between the densest, with the
//! rate of the band's upper edge, and the sparsest, whose rate is lower by a share, the *spread*. Events are a Poisson
//! process with a mean *gap*, in seconds or in megabytes transferred; each takes k revolutions with probability p (1 -
//! p)^(k - 1), since after each revolution the chance to succeed is the same, 1 / p revolutions on average. An interval
//! ends with the first completion after its length. An event of length D that begins u into it therefore reduces its
//! rate by the share D / max(T, u + D), where T is the interval and u is uniform between 0 and T; so the share is y or
//! more with the probability
//!
//! > min(1, D (1 - y) / (y T)), where D is at least T or y is at most D / T; else 0.
//!
//! The slowest interval of a position is slower than a rate r unless each event of a Poisson number of
//! them takes too little for that. So with N events expected,
//!
//! > P(bottom >= r) = exp(-N mean over surfaces of P(share >= 1 - r / rate of the surface)),
//!
//! and 0 where the sparsest surface alone is slower. Two events in one interval are left out: they are
//! rare where one is. A bottom is printed in whole units, so its likelihood is that of half a unit on
//! either side.
//!
//! [`most_likely`] searches a grid, the same for each disk, so that the same figures give the same values on every
//! machine.

use accuracy::reference::Calibrate;

/// Shares of the printed unit on either side.
const HALF_A_UNIT: f64 = 0.5;
/// Nothing is as unlikely as what no parameters explain.
const LEAST_LIKELIHOOD: f64 = 1e-9;
/// Number of spreads tried.
const SPREADS: f64 = 800.0;
/// The widest: the maximum known from disks measured externally is 0.17.
const MOST_SPREAD: usize = 160;
/// The longest mean length that is tried, in revolutions: about 0.3 s, as long as an interval.
const MOST_TURNS: f64 = 32.0;
/// Gaps and mean lengths that are tried in each decade.
const A_DECADE: u32 = 24;

/// One end of a disk's curve, in MB/s as printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct End {
    /// Top of the band.
    pub top: f64,
    /// Bottoms of the band: of reads and of writes.
    pub bottoms: [f64; 2],
}

impl End {
    /// From figures that may be fitted to: the top, and the bottoms of reads and of writes.
    pub(crate) fn of(top: &Calibrate, reads: &Calibrate, writes: &Calibrate) -> End {
        End {
            top: top.number(),
            bottoms: [reads.number(), writes.number()],
        }
    }
}

/// What is known of a disk and its scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scanned {
    /// Milliseconds that a turn takes.
    pub turn_ms: f64,
    /// Surfaces, at least 1.
    pub heads: u32,
    /// Milliseconds of an interval of the band.
    pub interval_ms: f64,
    /// Megabytes of a position of the curve.
    pub position_mb: f64,
    /// The outermost and the innermost position.
    pub ends: [End; 2],
}

/// In what events are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Seconds in which sectors pass.
    Seconds,
    /// Megabytes that pass.
    Megabytes,
}

/// What is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Law {
    /// By what share the sparsest surface is slower, at the outermost and at the innermost position.
    pub spread: [f64; 2],
    /// Mean gap between events.
    pub gap: f64,
    /// Mean turns that an event takes, at least 1.
    pub turns: f64,
}

/// The most likely law of several disks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    /// A law for each disk: its own spreads, with the gap and the mean revolutions common to all.
    pub laws: Vec<Law>,
    /// The logarithm of its likelihood.
    pub log_likelihood: f64,
}

/// Probability that an event takes at least such a share of an interval's rate.
pub(crate) fn loss_at_least(share: f64, turns: f64, scanned: &Scanned) -> f64 {
    if share <= 0.0 {
        return 1.0;
    }
    let again = 1.0 - 1.0 / turns.max(1.0);
    let (mut likely, mut sum) = (1.0 - again, 0.0);
    let mut length = scanned.turn_ms;
    while likely > 1e-9 {
        if length >= scanned.interval_ms || share * scanned.interval_ms <= length {
            sum += likely * (length * (1.0 - share) / (share * scanned.interval_ms)).min(1.0);
        }
        likely *= again;
        length += scanned.turn_ms;
    }
    sum
}

/// Probabilities, for one end and one spread, that an event spoils a bottom's lower and upper edge; one
/// pair a direction. None: the sparsest surface is too slow for that edge.
type Edges = [[Option<f64>; 2]; 2];

fn edges(scanned: &Scanned, end: &End, spread: f64, turns: f64) -> Edges {
    end.bottoms.map(|bottom| {
        [bottom - HALF_A_UNIT, bottom + HALF_A_UNIT]
            .map(|edge| spoiled(scanned, end, spread, turns, edge))
    })
}

/// Probability that an event makes an interval slower than a rate, where no surface is slower itself.
fn spoiled(scanned: &Scanned, end: &End, spread: f64, turns: f64, rate: f64) -> Option<f64> {
    let steps = f64::from(scanned.heads.saturating_sub(1).max(1));
    let of = |surface: u32| end.top * (1.0 - spread * f64::from(surface) / steps);
    if of(scanned.heads - 1) < rate {
        return None;
    }
    let each = (0..scanned.heads).map(|s| loss_at_least(1.0 - rate / of(s), turns, scanned));
    Some(each.sum::<f64>() / f64::from(scanned.heads))
}

/// The logarithm of the likelihood of one end's two lower edges, with this many expected events.
fn of_end(edges: &Edges, events: f64) -> f64 {
    let reached = |spoiled: Option<f64>| spoiled.map_or(0.0, |p| libm::exp(-events * p));
    let each = edges.map(|[low, high]| (reached(low) - reached(high)).max(LEAST_LIKELIHOOD));
    each.into_iter().map(libm::log).sum()
}

/// Events expected at a position.
fn events(scanned: &Scanned, end: &End, spread: f64, gap: f64, by: By) -> f64 {
    match by {
        By::Megabytes => scanned.position_mb / gap,
        By::Seconds => scanned.position_mb / (end.top * (1.0 - spread / 2.0)) / gap,
    }
}

/// Values from `first` on, this many per decade, with three significant digits.
fn grid(first: f64, decades: u32) -> Vec<f64> {
    let at = |step: u32| {
        let value = first * libm::pow(10.0, f64::from(step) / f64::from(A_DECADE));
        let units = libm::pow(10.0, 2.0 - libm::floor(libm::log10(value)));
        libm::round(value * units) / units
    };
    (0..=decades * A_DECADE).map(at).collect()
}

/// The most likely law of disks whose events are counted so: a mean gap and a mean number of turns for
/// all of them (four bottoms of one disk are too few to tell its law from another's), and spreads for
/// each end of each. Spreads do not depend on each other, so each is the best at its end, for each gap
/// and each mean length.
pub(crate) fn most_likely(disks: &[Scanned], by: By) -> Found {
    let gaps = match by {
        By::Seconds => grid(0.5, 4),
        By::Megabytes => grid(50.0, 4),
    };
    let mut best = Found {
        laws: Vec::new(),
        log_likelihood: f64::NEG_INFINITY,
    };
    for turns in grid(1.0, 2)
        .into_iter()
        .filter(|turns| *turns <= MOST_TURNS)
    {
        let ends: Vec<Spreads> = disks.iter().map(|disk| spreads(disk, turns)).collect();
        for &gap in &gaps {
            let mut log_likelihood = 0.0;
            let mut laws = Vec::new();
            for (disk, by_spread) in disks.iter().zip(&ends) {
                let best = [0, 1].map(|at: usize| {
                    let expected = |spread| events(disk, &disk.ends[at], spread, gap, by);
                    best_spread(&by_spread[at], expected)
                });
                log_likelihood += best[0].0 + best[1].0;
                let spread = best.map(|(_, spread)| spread);
                laws.push(Law { spread, gap, turns });
            }
            if log_likelihood > best.log_likelihood {
                best = Found {
                    laws,
                    log_likelihood,
                };
            }
        }
    }
    best
}

/// What an event spoils at both ends of a disk, by spread.
type Spreads = [Vec<Edges>; 2];

fn spreads(disk: &Scanned, turns: f64) -> Spreads {
    disk.ends.map(|end| {
        let of = |step| edges(disk, &end, step as f64 / SPREADS, turns);
        (0..=MOST_SPREAD).map(of).collect()
    })
}

/// The best spread of an end, with its logarithm; the least one where several are alike.
fn best_spread(edges: &[Edges], events: impl Fn(f64) -> f64) -> (f64, f64) {
    let each = edges.iter().enumerate().map(|(step, edges)| {
        let spread = step as f64 / SPREADS;
        (of_end(edges, events(spread)), spread)
    });
    each.fold((f64::NEG_INFINITY, 0.0), |best, this| {
        if this.0 > best.0 { this } else { best }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    fn scanned() -> Scanned {
        Scanned {
            turn_ms: 10.0,
            heads: 4,
            interval_ms: 100.0,
            position_mb: 2_000.0,
            ends: [
                End {
                    top: 200.0,
                    bottoms: [180.0, 164.0],
                },
                End {
                    top: 100.0,
                    bottoms: [95.0, 95.0],
                },
            ],
        }
    }

    #[test]
    fn what_an_event_takes_has_the_distribution_of_its_closed_form() {
        let scanned = scanned();
        let mut rng = Rng::new(5);
        let n = 200_000;
        for turns in [1.0, 3.0, 15.0] {
            let again: f64 = 1.0 - 1.0 / turns;
            let shares: Vec<f64> = (0..n)
                .map(|_| {
                    let mut length = 10.0;
                    while rng.unit() < again {
                        length += 10.0;
                    }
                    length / f64::max(100.0, rng.unit() * 100.0 + length)
                })
                .collect();
            for share in [0.05, 0.1, 0.2, 0.5, 0.8] {
                let drawn = shares.iter().filter(|s| **s >= share - 1e-9).count();
                let drawn = drawn as f64 / f64::from(n);
                let closed = loss_at_least(share - 1e-9, turns, &scanned);
                assert!(
                    (drawn - closed).abs() < 0.005,
                    "{turns} {share} {drawn} {closed}"
                );
            }
        }
    }

    #[test]
    fn bottoms_that_agree_are_surfaces_and_one_that_does_not_is_an_event() {
        let quiet = Scanned {
            ends: [
                End {
                    top: 200.0,
                    bottoms: [180.0, 180.0],
                },
                End {
                    top: 100.0,
                    bottoms: [95.0, 95.0],
                },
            ],
            ..scanned()
        };
        let found = most_likely(&[quiet], By::Seconds);
        assert!((found.laws[0].spread[0] - 0.1).abs() < 0.006, "{found:?}");
        assert!((found.laws[0].spread[1] - 0.05).abs() < 0.006, "{found:?}");
        // No event in 2 x (10 s + 20 s): the longest gap that is tried.
        assert!(found.laws[0].gap > 1_000.0, "{found:?}");
        // One bottom of four is lower, by a tenth: an event of a turn, and not in each position.
        let found = most_likely(&[scanned()], By::Seconds);
        assert!((found.laws[0].spread[0] - 0.1).abs() < 0.012, "{found:?}");
        assert!(found.laws[0].turns < 2.0, "{found:?}");
        assert!(
            found.laws[0].gap > 10.0 && found.laws[0].gap < 1_000.0,
            "{found:?}"
        );
    }

    #[test]
    fn the_likelihood_of_all_bottoms_is_one() {
        let law = Law {
            spread: [0.1, 0.1],
            gap: 8.0,
            turns: 2.0,
        };
        let end = scanned().ends[0];
        let n = events(&scanned(), &end, 0.1, 8.0, By::Seconds);
        let sum: f64 = (0..=200)
            .map(|bottom| {
                let end = End {
                    bottoms: [f64::from(bottom); 2],
                    ..end
                };
                let edges = edges(&scanned(), &end, 0.1, law.turns);
                libm::exp(of_end(&edges, n) / 2.0)
            })
            .sum();
        assert!((sum - 1.0).abs() < 0.01, "{sum}");
    }
}
