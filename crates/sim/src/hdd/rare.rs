//! Rare long responses: the drive's own work and retries, as a seeded process.
//!
//! Now and then a sector is not read or written at the first try: the head is off its track, the
//! code does not correct, the drive looks after itself. Each further try costs a revolution, so
//! that an access takes tens to hundreds of milliseconds longer. Two numbers describe the process:
//! the mean number of sectors between two such events (they are independent of each other, so the
//! gaps are exponential), and the mean number of revolutions an event takes (geometric: after each
//! revolution the same chance of success). That recovery goes in steps of one re-read or one
//! re-write each, many of them before a drive gives up (2.5 s of reading, 0.4 s of writing), stands
//! in Seagate's product manuals (Savvio 10K.2; Enterprise Capacity 3.5 V4, read and write retry
//! count maximum recovery times); that each step has the same chance is the simplest law that has
//! one number. Events are counted by sectors that are read or written (read ahead and destaged
//! ones too), not by time: an idle drive has none.
//!
//! Other events go by the clock: vibration, a servo that finds its track again, a look at the drive's
//! own tables. They strike equally often per revolution of a transfer wherever the head is, and
//! therefore more often per sector on shorter tracks. Their mean gap is in *revolutions* of
//! transfers, and a drive may have both kinds. In the [`super::cold`] the gaps by sectors differ.

use base::rng::Rng;

/// The seeded process.
#[derive(Clone, Debug)]
pub struct Rare {
    rng: Rng,
    mean_gap_sectors: f64,
    /// Revolutions between events by the clock; zero: there are none.
    mean_gap_revolutions: f64,
    /// Mean sectors between events while the drive is cold.
    cold_gap_sectors: f64,
    /// When that ends, in nanoseconds.
    cold_until: u64,
    /// -1 / ln(1 - 1 / mean revolutions); zero where each event takes one revolution.
    revolutions_scale: f64,
}

/// How many retries a disk's file asks for.
#[derive(Clone, Copy, Debug)]
pub struct Retries {
    /// Mean sectors between two events; none by sectors where zero.
    pub gap_sectors: f64,
    /// Mean revolutions under way between two events by the clock; 0: none.
    pub gap_revolutions: f64,
    /// Mean revolutions of an event.
    pub revolutions: f64,
}

impl Retries {
    /// Whether they take a revolution for a thousand sectors at most, and ten for each that is
    /// under way: a disk that tried longer would have given up, and an I/O over all of it takes
    /// days, not the months at which an agenda's times lie too far apart.
    pub fn are_bearable(&self) -> bool {
        let each = |gap: f64| {
            if gap > 0.0 {
                self.revolutions / gap
            } else {
                0.0
            }
        };
        each(self.gap_sectors) <= 1e-3 && each(self.gap_revolutions) <= 10.0
    }
}

/// No event ever: further away than any drive has sectors.
const NEVER: u64 = 1 << 60;

impl Rare {
    /// Events every `mean_gap_sectors` sectors (0: none ever) of `mean_revolutions` revolutions (at
    /// least 1).
    pub fn new(mean_gap_sectors: f64, mean_revolutions: f64, seed: u64) -> Rare {
        let revolutions_scale = if mean_revolutions > 1.0 {
            -1.0 / libm::log(1.0 - 1.0 / mean_revolutions)
        } else {
            0.0
        };
        Rare {
            rng: Rng::stream(seed, 0x0048_4444),
            mean_gap_sectors,
            mean_gap_revolutions: 0.0,
            cold_gap_sectors: mean_gap_sectors,
            cold_until: 0,
            revolutions_scale,
        }
    }

    /// The same with events by the clock as well, every `mean_gap_revolutions` revolutions under
    /// way (0: none).
    pub fn by_the_clock(self, mean_gap_revolutions: f64) -> Rare {
        Rare {
            mean_gap_revolutions,
            ..self
        }
    }

    /// Until a time in nanoseconds there is an event every `mean_gap_sectors` sectors (0: none).
    pub fn chill(&mut self, mean_gap_sectors: f64, until: u64) {
        self.cold_gap_sectors = mean_gap_sectors;
        self.cold_until = until;
    }

    /// Sectors until the next event, at least one, from a given time on and where so many sectors
    /// pass in a revolution.
    pub fn gap(&mut self, now: u64, sectors_per_revolution: u32) -> u64 {
        let by_sectors = if now < self.cold_until {
            self.cold_gap_sectors
        } else {
            self.mean_gap_sectors
        };
        let mean = if self.mean_gap_revolutions > 0.0 {
            let by_revolutions = self.mean_gap_revolutions * f64::from(sectors_per_revolution);
            if by_sectors > 0.0 {
                1.0 / (1.0 / by_sectors + 1.0 / by_revolutions)
            } else {
                by_revolutions
            }
        } else {
            by_sectors
        };
        if mean > 0.0 {
            1 + (self.rng.exponential() * mean) as u64
        } else {
            NEVER
        }
    }

    /// Revolutions that an event at a given time takes, at least one; just one while the drive is
    /// cold, since the second try succeeds.
    pub fn revolutions(&mut self, now: u64) -> u64 {
        if now < self.cold_until {
            return 1;
        }
        1 + (self.rng.exponential() * self.revolutions_scale) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_revolutions_have_the_means_that_were_asked_for() {
        let mut rare = Rare::new(10_000.0, 6.0, 3);
        let n = 100_000_u32;
        let gaps: u64 = (0..n).map(|_| rare.gap(0, 100)).sum();
        let revolutions: u64 = (0..n).map(|_| rare.revolutions(0)).sum();
        let mean = |sum: u64| sum as f64 / f64::from(n);
        assert!((mean(gaps) / 10_000.0 - 1.0).abs() < 0.02, "{}", mean(gaps));
        assert!(
            (mean(revolutions) / 6.0 - 1.0).abs() < 0.02,
            "{}",
            mean(revolutions)
        );
    }

    #[test]
    fn a_drive_without_rare_events_has_none() {
        assert_eq!(Rare::new(0.0, 1.0, 3).gap(0, 100), NEVER);
        assert_eq!(Rare::new(5.0, 1.0, 3).revolutions(0), 1);
    }

    #[test]
    fn events_by_the_clock_strike_more_often_a_sector_on_short_tracks() {
        let mut rare = Rare::new(0.0, 1.0, 3).by_the_clock(50.0);
        let n = 100_000_u32;
        for sectors in [1_000, 500] {
            let gaps: u64 = (0..n).map(|_| rare.gap(0, sectors)).sum();
            let mean = gaps as f64 / f64::from(n);
            assert!((mean / (50.0 * f64::from(sectors)) - 1.0).abs() < 0.02);
        }
        // Both kinds at once: their rates add up.
        let mut both = Rare::new(50_000.0, 1.0, 3).by_the_clock(50.0);
        let gaps: u64 = (0..n).map(|_| both.gap(0, 1_000)).sum();
        assert!((gaps as f64 / f64::from(n) / 25_000.0 - 1.0).abs() < 0.02);
    }

    #[test]
    fn the_cold_has_its_own_gaps_until_it_ends() {
        let mut rare = Rare::new(0.0, 1.0, 3);
        rare.chill(1_000.0, 500);
        assert!(rare.gap(499, 100) < 100_000);
        assert_eq!(rare.gap(500, 100), NEVER);
    }

    #[test]
    fn a_disk_that_tries_again_for_months_is_refused() {
        let bearable = |gap_sectors, gap_revolutions, revolutions| {
            let retries = Retries {
                gap_sectors,
                gap_revolutions,
                revolutions,
            };
            retries.are_bearable()
        };
        assert!(bearable(0.0, 0.0, 1_000.0) && bearable(1e6, 4_000.0, 1_000.0));
        assert!(!bearable(10.0, 0.0, 1_000.0) && !bearable(0.0, 10.0, 1_000.0));
    }
}
