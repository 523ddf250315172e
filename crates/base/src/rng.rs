//! Seeded randomness: xoshiro256++ by Blackman and Vigna (2019), seeded through splitmix64.
//!
//! Ours and not a crate's, since a seed must give the same workload on every machine and with every
//! later version: the sequence is part of a stored result.

/// A random number generator that a seed replays.
#[derive(Clone, Debug)]
pub struct Rng {
    s: [u64; 4],
}

/// One step of splitmix64: spreads a seed, and mixes a seed with a number.
pub const fn splitmix64(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Rng {
    /// The generator of a seed; any seed is as good as another.
    pub fn new(seed: u64) -> Rng {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let s = [0, 1, 2, 3].map(|i| splitmix64(seed.wrapping_add(STEP.wrapping_mul(i))));
        Rng { s }
    }

    /// The generator of the `index`-th stream of a seed.
    pub fn stream(seed: u64, index: u64) -> Rng {
        Rng::new(splitmix64(seed) ^ splitmix64(index.wrapping_add(0x5eed)))
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.s;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `n`, every one as likely up to `n / 2^64`; 0 where `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A number from 0 to below 1, in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A number with exponential distribution and mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_xoshiro256_plus_plus() {
        // First outputs of the reference implementation for the state 1, 2, 3, 4.
        let mut rng = Rng { s: [1, 2, 3, 4] };
        let first: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        assert_eq!(
            first,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386
            ]
        );
    }

    #[test]
    fn the_exponential_numbers_have_mean_and_spread_one() {
        let mut rng = Rng::new(7);
        let n = 200_000;
        let drawn: Vec<f64> = (0..n).map(|_| rng.exponential()).collect();
        let mean = drawn.iter().sum::<f64>() / f64::from(n);
        let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
        assert!(
            (mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.03,
            "{mean} {variance}"
        );
    }
}
