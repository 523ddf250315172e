//! Shares of several causes in one difference.
//!
//! Two drives differ in several parts, and a figure differs. Which part is how much of it? Change one part alone and look:
//! but parts that stand in for each other each seem to be the whole cause (two switches that both end the same wait each
//! explain 86 and 100 % of it: 186 % together), and parts that only work together seem to do nothing. What a part adds
//! depends on which others were changed before it.
//!
//! Shapley's value ("A value for n-person games", Contributions to the Theory of Games II, 1953) is the mean of what a part
//! adds over all orders in which the parts can be changed. It is the only division under which the shares add up to the
//! whole difference, parts that do the same have the same share, and one that never adds anything has none. How much of
//! it two parts have only together is their interaction index (Grabisch and Roubens, "An axiomatic approach to the concept of
//! interaction among players in cooperative games", International Journal of Game Theory 28, 1999): positive where they
//! need each other, negative where one stands in for the other.
//!
//! A set of parts is a number whose bit `i` is set where part `i` is changed.

use base::rng::Rng;

/// Most parts: a set is 32 bits.
pub const MOST: usize = 32;

/// The set of all `parts`.
pub const fn all(parts: usize) -> u32 {
    match parts {
        MOST.. => u32::MAX,
        _ => (1 << parts) - 1,
    }
}

/// The share of each of `parts` parts in `value(all) - value(0)`, in the unit of `value`, which is asked for all sets.
pub fn shares(parts: usize, value: impl Fn(u32) -> f64) -> Vec<f64> {
    let share = |part: usize| {
        let others = (0..=all(parts)).filter(|set| set & (1 << part) == 0);
        others
            .map(|set| weight(set, parts) * (value(set | (1 << part)) - value(set)))
            .sum()
    };
    (0..parts).map(share).collect()
}

/// The interaction index of two parts, in the unit of `value`: the mean of what changing both adds beyond what each adds
/// alone.
pub fn interaction(parts: usize, value: impl Fn(u32) -> f64, first: usize, second: usize) -> f64 {
    let pair = (1 << first) | (1 << second);
    let others = (0..=all(parts)).filter(|set| set & pair == 0);
    others
        .map(|set| weight(set, parts.saturating_sub(1)) * together(&value, set, first, second))
        .sum()
}

/// What both parts add to a set beyond what each adds to it alone.
fn together(value: &impl Fn(u32) -> f64, set: u32, first: usize, second: usize) -> f64 {
    let (first, second) = (1 << first, 1 << second);
    value(set | first | second) - value(set | first) - value(set | second) + value(set)
}

/// The chance that exactly this set precedes a given part, all orders of `parts` parts being as likely:
/// `s! (n - s - 1)! / n!`.
fn weight(set: u32, parts: usize) -> f64 {
    let before = set.count_ones();
    let mut ways = 1.0;
    for k in 0..before {
        ways *= f64::from(k + 1) / (parts as f64 - 1.0 - f64::from(k));
    }
    ways / parts as f64
}

/// Random orders of `parts` parts, each followed by its reverse: a part that comes early in one comes late in the other,
/// so that the means of both vary less.
pub fn orders(parts: usize, pairs: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut rng = Rng::new(seed);
    let mut orders = Vec::new();
    for _ in 0..pairs {
        let mut order: Vec<usize> = (0..parts).collect();
        for at in (1..parts).rev() {
            // Fisher and Yates.
            let other = rng.below(at as u64 + 1) as usize;
            order.swap(at, other);
        }
        let reverse = order.iter().rev().copied().collect();
        orders.extend([order, reverse]);
    }
    orders
}

/// The sets that [`shares_over`] and [`interaction_over`] ask for, each once.
pub fn sets_of(orders: &[Vec<usize>]) -> Vec<u32> {
    let mut sets = vec![0];
    for order in orders {
        let mut before = 0;
        for (at, part) in order.iter().enumerate() {
            sets.extend(order.get(at + 1).map(|next| before | (1 << next)));
            before |= 1 << part;
            sets.push(before);
        }
    }
    sets.sort_unstable();
    sets.dedup();
    sets
}

/// The shares as means over some orders in place of all.
pub fn shares_over(orders: &[Vec<usize>], parts: usize, value: impl Fn(u32) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; parts];
    for order in orders {
        let mut before = 0;
        for &part in order {
            let with = before | (1 << part);
            sums[part] += value(with) - value(before);
            before = with;
        }
    }
    let count = orders.len().max(1) as f64;
    sums.iter().map(|sum| sum / count).collect()
}

/// The interaction index over those of some orders in which one of the two parts follows the other at once: what precedes
/// them is then drawn as in an order in which the two are one. `None` where they never do.
pub fn interaction_over(
    orders: &[Vec<usize>],
    value: impl Fn(u32) -> f64,
    first: usize,
    second: usize,
) -> Option<f64> {
    let mut found = Vec::new();
    for order in orders {
        let mut before = 0;
        for pair in order.windows(2) {
            if [[first, second], [second, first]].contains(&[pair[0], pair[1]]) {
                found.push(together(&value, before, first, second));
            }
            before |= 1 << pair[0];
        }
    }
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(set: u32, part: usize) -> f64 {
        f64::from(set >> part & 1)
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    }

    /// Additive, with a part that does nothing.
    fn sum(set: u32) -> f64 {
        5.0 + 2.0 * has(set, 0) - 7.0 * has(set, 1)
    }

    /// All three or nothing.
    fn product(set: u32) -> f64 {
        12.0 * has(set, 0) * has(set, 1) * has(set, 2)
    }

    /// Either of two is enough.
    fn either(set: u32) -> f64 {
        has(set, 0).max(has(set, 1))
    }

    #[test]
    fn parts_that_add_up_have_what_they_add_and_one_that_does_nothing_has_none() {
        let found = shares(3, sum);
        for (found, expected) in found.iter().zip([2.0, -7.0, 0.0]) {
            assert_near(*found, expected);
        }
        assert_near(interaction(3, sum, 0, 1), 0.0);
    }

    #[test]
    fn parts_that_need_each_other_share_alike_and_interact_for_good() {
        for found in shares(3, product) {
            assert_near(found, 4.0);
        }
        // Of {}, {2}: 0 and 12, as likely.
        assert_near(interaction(3, product, 0, 1), 6.0);
        assert_near(shares(2, |set| has(set, 0) * has(set, 1))[0], 0.5);
        assert_near(interaction(2, |set| has(set, 0) * has(set, 1), 0, 1), 1.0);
    }

    #[test]
    fn parts_that_stand_in_for_each_other_have_half_each_and_interact_to_the_contrary() {
        for found in shares(2, either) {
            assert_near(found, 0.5);
        }
        assert_near(interaction(2, either, 0, 1), -1.0);
        // A third one that does nothing changes neither.
        assert_near(shares(3, either)[0], 0.5);
        assert_near(interaction(3, either, 0, 1), -1.0);
    }

    #[test]
    fn shares_add_up_to_the_whole_difference() {
        let value = |set: u32| f64::from(set.wrapping_mul(2_654_435_761) >> 20);
        for parts in 1..7 {
            let total: f64 = shares(parts, value).iter().sum();
            assert_near(total, value(all(parts)) - value(0));
        }
    }

    #[test]
    fn over_all_orders_the_means_are_exact_and_over_some_they_add_up() {
        let value = |set: u32| f64::from(set.wrapping_mul(2_654_435_761) >> 20);
        let every = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        let every: Vec<Vec<usize>> = every.iter().map(|order| order.to_vec()).collect();
        let exact = shares(3, value);
        for (found, expected) in shares_over(&every, 3, value).iter().zip(exact) {
            assert_near(*found, expected);
        }
        let found = interaction_over(&every, value, 0, 2).unwrap();
        assert_near(found, interaction(3, value, 0, 2));
        let some = orders(9, 4, 1);
        let total: f64 = shares_over(&some, 9, value).iter().sum();
        assert_near(total, value(all(9)) - value(0));
    }

    #[test]
    fn orders_come_from_the_seed_and_what_they_ask_for_is_listed() {
        let some = orders(8, 3, 7);
        assert_eq!(some.len(), 6);
        assert_eq!(some, orders(8, 3, 7));
        assert_ne!(some, orders(8, 3, 8));
        let sets = sets_of(&some);
        let asked = |set: u32| {
            assert!(sets.binary_search(&set).is_ok(), "{set}");
            0.0
        };
        shares_over(&some, 8, asked);
        for (first, second) in [(0, 1), (3, 7), (2, 5)] {
            interaction_over(&some, asked, first, second);
        }
    }
}
