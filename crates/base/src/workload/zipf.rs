//! Zipf ranks by rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone
//! discrete distributions", 1996): constant time and no table for any number of positions.
//!
//! The k-th of n positions is drawn with probability proportional to `1 / k^theta`. With `H(x)` the integral of
//! `x^-theta`, a point between `H(1/2)` and `H(n + 1/2)` is drawn uniformly and mapped back through `H`; the small
//! deviation from the exact distribution is rejected.
//!
//! Any skew from 0 on will do. At 1 the integral is the logarithm, and so near to 1 that the power's difference from 1
//! is lost in rounding, the logarithm is the better value.

use crate::rng::Rng;

/// Draws ranks from 0 (most wanted) to n - 1.
#[derive(Clone, Debug)]
pub struct Zipf {
    n: f64,
    theta: f64,
    low: f64,
    high: f64,
    sure: f64,
}

impl Zipf {
    /// Ranks of `n` positions with skew `theta`, 0 or more.
    pub fn new(n: u64, theta: f64) -> Zipf {
        let mut zipf = Zipf {
            n: n.max(1) as f64,
            theta,
            low: 0.0,
            high: 0.0,
            sure: 0.0,
        };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(zipf.n + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    fn weight(&self, x: f64) -> f64 {
        libm::pow(x, -self.theta)
    }

    fn is_harmonic(&self) -> bool {
        (1.0 - self.theta).abs() < 1e-7
    }

    fn integral(&self, x: f64) -> f64 {
        if self.is_harmonic() {
            return libm::log(x);
        }
        (libm::pow(x, 1.0 - self.theta) - 1.0) / (1.0 - self.theta)
    }

    fn inverse(&self, y: f64) -> f64 {
        if self.is_harmonic() {
            return libm::exp(y);
        }
        libm::pow(
            (y * (1.0 - self.theta) + 1.0).max(0.0),
            1.0 / (1.0 - self.theta),
        )
    }

    /// The next rank.
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        loop {
            let y = self.low + rng.unit() * (self.high - self.low);
            let x = self.inverse(y);
            let k = (x + 0.5).floor().clamp(1.0, self.n);
            if k - x <= self.sure || y >= self.integral(k + 0.5) - self.weight(k) {
                return k as u64 - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_as_often_as_the_law_says() {
        for theta in [0.0, 0.5, 0.99, 1.0, 1.2, 3.0] {
            let n = 50;
            let zipf = Zipf::new(n, theta);
            let mut rng = Rng::new(11);
            let mut counts = vec![0_u32; n as usize];
            let draws = 400_000;
            for _ in 0..draws {
                counts[zipf.draw(&mut rng) as usize] += 1;
            }
            let total: f64 = (1..=n).map(|k| libm::pow(k as f64, -theta)).sum();
            for (rank, &count) in counts.iter().enumerate() {
                let expected = f64::from(draws) * libm::pow(rank as f64 + 1.0, -theta) / total;
                let sigma = libm::sqrt(expected.max(1.0));
                let off = (f64::from(count) - expected).abs();
                assert!(
                    off < 5.0 * sigma,
                    "theta {theta} rank {rank}: {count} for {expected}"
                );
            }
        }
    }
}
