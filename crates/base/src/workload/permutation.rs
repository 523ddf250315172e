//! A random order of n things without a list in memory.
//!
//! A Feistel network is a bijection of 2^2k numbers for any round function; walking along its cycles until a number
//! below n comes up makes it a bijection of n numbers (Black and Rogaway, "Ciphers with arbitrary finite domains",
//! 2002). So a scan can visit every position of a drive of any size once, in random order, from a seed alone, and can
//! resume in the middle.

use crate::rng::splitmix64;

const ROUNDS: usize = 6;

/// A seeded bijection of the numbers below n.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    n: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// An order of the numbers `0..n`, `n` at most 2^62.
    ///
    /// # Panics
    /// If `n` is above 2^62, more than the number of sectors of any drive.
    pub(crate) fn new(n: u64, seed: u64) -> Permutation {
        assert!(n <= 1 << 62, "at most 2^62 places");
        let bits = 64 - n.saturating_sub(1).leading_zeros();
        let mut key = splitmix64(seed);
        let keys = std::array::from_fn(|_| {
            key = splitmix64(key);
            key
        });
        Permutation {
            n,
            half_bits: bits.div_ceil(2).max(1),
            keys,
        }
    }

    /// Where the `i`-th one is; `i` is taken modulo n. Zero where n is 0.
    pub(crate) fn at(&self, i: u64) -> u64 {
        if self.n == 0 {
            return 0;
        }
        let mut x = i % self.n;
        loop {
            x = self.network(x);
            if x < self.n {
                return x;
            }
        }
    }

    fn network(&self, x: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (x >> self.half_bits, x & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (splitmix64(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_up_once(n in 1_u64..3_000, seed: u64) {
            let order = Permutation::new(n, seed);
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let at = order.at(i) as usize;
                prop_assert!(!seen[at], "{at} twice");
                seen[at] = true;
            }
        }
    }

    #[test]
    fn neighbours_do_not_stay_neighbours() {
        let order = Permutation::new(1_000_000, 1);
        let close = (0..10_000_u64)
            .filter(|&i| order.at(i).abs_diff(order.at(i + 1)) < 1_000)
            .count();
        // 0.2 % of random pairs are this close: 20 are expected.
        assert!(close < 60, "{close}");
    }
}
