//! Rare long responses: the drive's own work and retries, as a seeded process.
//!
//! Now and then a sector is not read or written at the first try: the head is off its track, the
//! code does not correct, the drive looks after itself. Each further try costs a turn, so that an
//! access takes tens to hundreds of milliseconds longer. Two numbers describe the process: the mean
//! number of sectors between two such events (they are independent of each other, so the gaps are
//! exponential), and the mean number of turns an event takes (geometric: after each turn the same
//! chance of success). Events count sectors that pass under the head for a purpose, read ahead and
//! destaged ones too, and not time: an idle drive has none.

use base::rng::Rng;

/// The seeded process.
#[derive(Clone, Debug)]
pub struct Rare {
    rng: Rng,
    mean_gap_sectors: f64,
    /// -1 / ln(1 - 1 / mean turns); zero where each event takes one turn.
    turns_scale: f64,
}

/// No event ever: further away than any drive has sectors.
const NEVER: u64 = 1 << 60;

impl Rare {
    /// Events every `mean_gap_sectors` sectors (0: none ever) of `mean_turns` turns (at least 1).
    pub fn new(mean_gap_sectors: f64, mean_turns: f64, seed: u64) -> Rare {
        let turns_scale = if mean_turns > 1.0 {
            -1.0 / libm::log(1.0 - 1.0 / mean_turns)
        } else {
            0.0
        };
        Rare {
            rng: Rng::stream(seed, 0x0048_4444),
            mean_gap_sectors,
            turns_scale,
        }
    }

    /// Sectors until the next event, at least one.
    pub fn gap(&mut self) -> u64 {
        if self.mean_gap_sectors > 0.0 {
            1 + (self.rng.exponential() * self.mean_gap_sectors) as u64
        } else {
            NEVER
        }
    }

    /// Turns that an event takes, at least one.
    pub fn turns(&mut self) -> u64 {
        1 + (self.rng.exponential() * self.turns_scale) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_turns_have_the_means_that_were_asked_for() {
        let mut rare = Rare::new(10_000.0, 6.0, 3);
        let n = 100_000_u32;
        let gaps: u64 = (0..n).map(|_| rare.gap()).sum();
        let turns: u64 = (0..n).map(|_| rare.turns()).sum();
        let mean = |sum: u64| sum as f64 / f64::from(n);
        assert!((mean(gaps) / 10_000.0 - 1.0).abs() < 0.02, "{}", mean(gaps));
        assert!((mean(turns) / 6.0 - 1.0).abs() < 0.02, "{}", mean(turns));
    }

    #[test]
    fn a_drive_without_rare_events_has_none() {
        assert_eq!(Rare::new(0.0, 1.0, 3).gap(), NEVER);
        assert_eq!(Rare::new(5.0, 1.0, 3).turns(), 1);
    }
}
