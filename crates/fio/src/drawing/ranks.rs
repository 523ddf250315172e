//! Non-uniform random distributions.
//!
//! Zipf, Pareto and the normal distribution give ranks; a rank's position is scattered over the region, so that popular
//! positions are not adjacent. With a centre the whole pattern is rotated. Zones follow one another in their order.

use base::rng::Rng;
use base::workload::zipf::Zipf;

use crate::job::law::{Distribution, Zone};
use crate::units::Amount;

/// A distribution over the positions of a region.
pub(super) struct Ranks {
    law: Law,
    places: u64,
    /// Places that the pattern is turned by.
    turned: u64,
}

enum Law {
    Zipf(Zipf),
    Pareto(f64),
    Normal(f64),
    /// For reads, writes and trims: share in per cent, first position, positions.
    Zoned([Vec<(u8, u64, u64)>; 3]),
}

impl Ranks {
    /// The distribution over positions of `align` bytes; `None` for the uniform one.
    pub(super) fn of(distribution: &Distribution, places: u64, align: u64) -> Option<Ranks> {
        let n = places as f64;
        let turned = |center: &Option<f64>, from: f64| {
            let share = center.map_or(0.0, |center| center - from);
            (n * (share + 1.0)) as u64 % places
        };
        let (law, turned) = match distribution {
            Distribution::Even => return None,
            Distribution::Zipf(theta, center) => {
                (Law::Zipf(Zipf::new(places, *theta)), turned(center, 0.0))
            }
            Distribution::Pareto(h, center) => (Law::Pareto(*h), turned(center, 0.0)),
            Distribution::Normal(percent, center) => (Law::Normal(*percent), turned(center, 0.5)),
            Distribution::Zoned(zones) => {
                let laid = |zones: &Vec<Zone>| laid_out(zones, places, align);
                (Law::Zoned(std::array::from_fn(|op| laid(&zones[op]))), 0)
            }
        };
        Some(Ranks {
            law,
            places,
            turned,
        })
    }

    /// The position of the next I/O of an operation.
    pub(super) fn draw(&self, op: usize, rng: &mut Rng) -> u64 {
        let n = self.places as f64;
        let rank = match &self.law {
            Law::Zipf(zipf) => zipf.draw(rng),
            // A share h of the places has 1 - h of the accesses: the place is n * u^a, with h^(1/a) = 1 - h.
            Law::Pareto(h) => {
                let power = libm::log(*h) / libm::log(1.0 - *h);
                (n * libm::pow(rng.unit(), power)) as u64
            }
            // Around the middle, by Box and Muller; what falls outside is drawn again.
            Law::Normal(percent) => loop {
                let radius = (2.0 * rng.exponential()).sqrt();
                let normal = radius * libm::cos(2.0 * std::f64::consts::PI * rng.unit());
                let at = n / 2.0 + normal * n * percent / 100.0;
                if (0.0..n).contains(&at) {
                    break at as u64;
                }
            },
            Law::Zoned(zones) => return in_zones(&zones[op.min(2)], self.places, rng),
        };
        let at = scattered(rank.min(self.places - 1), self.places);
        (at + self.turned) % self.places
    }
}

fn laid_out(zones: &[Zone], places: u64, align: u64) -> Vec<(u8, u64, u64)> {
    let (mut before, mut laid) = (0_u128, Vec::new());
    for zone in zones {
        let (of, size) = match zone.size {
            Amount::Percent(percent) => (100, u128::from(percent)),
            Amount::Bytes(bytes) | Amount::Zones(bytes) => {
                (u128::from(places) * u128::from(align), u128::from(bytes))
            }
        };
        let at = |n: u128| (u128::from(places) * n.min(of) / of.max(1)) as u64;
        let (first, end) = (at(before), at(before + size));
        laid.push((zone.accesses, first.min(places - 1), (end - first).max(1)));
        before += size;
    }
    laid
}

fn in_zones(zones: &[(u8, u64, u64)], places: u64, rng: &mut Rng) -> u64 {
    let mut ticket = rng.below(100);
    for (accesses, first, len) in zones {
        if ticket < u64::from(*accesses) {
            return (first + rng.below(*len)).min(places - 1);
        }
        ticket -= u64::from(*accesses);
    }
    rng.below(places)
}

/// A rank's position: popular positions are scattered over the region. Steps of an odd prime visit each position once,
/// unless it divides their number.
fn scattered(rank: u64, places: u64) -> u64 {
    const STEP: u128 = 2_654_435_761;
    match u128::from(places).is_multiple_of(STEP) {
        true => rank,
        false => (u128::from(rank) * STEP % u128::from(places)) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(distribution: &Distribution, places: usize, op: usize) -> Vec<u32> {
        let ranks = Ranks::of(distribution, places as u64, 4096).unwrap();
        let mut rng = Rng::new(5);
        let mut counts = vec![0; places];
        for _ in 0..20_000 {
            counts[ranks.draw(op, &mut rng) as usize] += 1;
        }
        counts
    }

    #[test]
    fn a_skew_above_one_wants_few_places() {
        let mut counts = counted(&Distribution::Zipf(1.2, None), 1_000, 0);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        // Of 1000 places with 1/k^1.2 the first has 23.0 % of the accesses.
        assert!(counts[0].abs_diff(4_600) < 300, "{}", counts[0]);
    }

    #[test]
    fn a_centre_turns_the_pattern() {
        let plain = counted(&Distribution::Zipf(0.8, None), 100, 0);
        let turned = counted(&Distribution::Zipf(0.8, Some(0.25)), 100, 0);
        assert_eq!(turned[25..], plain[..75]);
    }

    #[test]
    fn zones_in_bytes_end_where_they_say_and_each_operation_has_its_own() {
        let zone = |accesses, bytes| Zone {
            accesses,
            size: Amount::Bytes(bytes),
        };
        let zones = Distribution::Zoned([
            vec![zone(95, 4096 * 10), zone(5, 4096 * 40)],
            vec![zone(100, 4096)],
            vec![zone(100, 4096)],
        ]);
        let reads = counted(&zones, 100, 0);
        let first: u32 = reads[..10].iter().sum();
        assert!(first.abs_diff(19_000) < 300, "{first}");
        assert!(reads[50..].iter().all(|n| *n == 0));
        assert_eq!(counted(&zones, 100, 1)[0], 20_000);
    }
}
