//! Read retry: a page with more bit errors is decoded longer, and read again with other voltages.
//!
//! The decoder works in rounds, more of them the more bits are wrong, up to a limit: the raw bit
//! error rate that it can correct. Beyond that the die reads the page again with its reference
//! voltages moved, a whole reading, transfer and decoding more a step, until the errors are few
//! enough. The mean rate grows with erases and with the hours since programming,
//!
//! `1.48e-3 + 3.9e-10 PE^2.05 + 6.28e-5 PE^0.14 h^0.54`,
//!
//! fitted to 72-layer TLC by the authors of MQSim-JW (docs/features/ecc-and-read-retry.md of
//! jwjeong92/MQSim-JW), where the rate of other cells is a multiple of it. Pages lie about the mean
//! log-normally, since layers, word lines and blocks differ; what a page's errors are belongs to its
//! place, so that the same page is slow again. Each step of voltages leaves half of the errors. No
//! drive remembers which step was right (as in the Linux NAND drivers, which go back to the first).
//!
//! Erases are those of the drive's mean wear when it is made: the share of the life of its cells of all bits that is over. Hours are those that its state has lain
//! (`age=`), for what lay in it then: superblocks that were opened since hold young data, whether the host
//! wrote them or the drive moved them. On drives whose data age superblock by superblock
//! ([`retention`](crate::ssd::flash::retention)) hours do not count here, too. The decoder's limit, 72 bits
//! a KiB, is 8.8e-3.
//!
//! A page that is still beyond it after the last step cannot be read. Its dies' neighbours may hold what
//! is missing ([`parity`](crate::ssd::flash::parity)); without them the read ends with an error.

use base::time::Duration;

use crate::sheet::quantity::{Count, Microseconds, Number};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;

/// Share of the errors that is left after each step of voltages.
const LEFT_A_STEP: f64 = 0.5;

/// Erases that cells as those of the formula, 72-layer TLC, are rated for: a class value. Others wear out in as many as they are rated for themselves,
/// so what counts is the share of these.
const RATED: f64 = 3_000.0;

/// Decoding times are kept for so many classes of pages.
const CLASSES: usize = 256;

parameters! {
    /// How pages err, and what that costs.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub RetryRules from ReadRetryConfig ["scatter.read_retry"] {
        /// Mean rate of errors of these cells over that of the formula.
        errors "errors": Number("of 72-layer TLC") in 0.01..=20.0;
        /// Deviation of the logarithm of a page's rate.
        pages "page_sigma": Number in 0.0..=1.0;
        /// The rate that is decoded at last.
        limit "limit": Number("raw bit error rate") in 0.0001..=0.1;
        /// Decoding beyond that of a page with no more than the mean rate, at the limit.
        decode "decode_us": Microseconds in 0.0..=200.0, or Duration::ZERO;
        /// A step beyond the reading itself: transfer, decoding and command.
        step "step_us": Microseconds in 0.0..=1_000.0;
        /// Steps at most.
        most "most_steps": Count in 1..=40;
    }
}

/// The mean raw bit error rate after so many erases and hours, of the cells of the formula.
pub fn mean_rate(erases: f64, hours: f64) -> f64 {
    let erases = erases.max(1.0);
    1.48e-3
        + 3.9e-10 * libm::pow(erases, 2.05)
        + 6.28e-5 * libm::pow(erases, 0.14) * libm::pow(hours.max(0.0), 0.54)
}

/// What is added to a reading of a page.
#[derive(Clone, Copy, Debug)]
struct Added {
    /// Decoding beyond the usual.
    decoding: Duration,
    /// Readings with other voltages.
    steps: u32,
    /// They were not enough.
    unreadable: bool,
}

/// What is added, by the class of a page.
type Classes = Box<[Added; CLASSES]>;

/// What is added to readings.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct ReadRetry {
    seed: u64,
    /// To those of what was programmed just now.
    young: Classes,
    /// To those of what the drive held when it was made, in superblocks up to a turn.
    old: Option<(Classes, u32)>,
    step: Duration,
    /// Some page cannot be read.
    fails: bool,
}

impl ReadRetry {
    /// Of cells that went through so many erases, and young data.
    pub(in crate::ssd) fn new(rules: RetryRules, erases: f64, seed: u64) -> ReadRetry {
        let young = classes(&rules, erases, 0.0);
        ReadRetry {
            seed: base::rng::splitmix64(seed ^ 0x4e74),
            fails: fails(&young),
            young,
            old: None,
            step: rules.step,
        }
    }

    /// The same, where superblocks opened up to a turn hold data that have lain for so many hours.
    fn with_old(mut self, rules: RetryRules, (erases, hours): (f64, f64), turn: u32) -> ReadRetry {
        let old = classes(&rules, erases, hours);
        self.fails |= fails(&old);
        self.old = Some((old, turn));
        self
    }

    /// What a reading of a unit takes that would take `reading` alone; `turn` gives the turn in
    /// which its superblock was opened.
    #[inline]
    pub(in crate::ssd) fn read(
        &self,
        unit: u32,
        reading: Duration,
        turn: impl FnOnce() -> u32,
    ) -> Duration {
        let added = self.added(unit, turn);
        reading + added.decoding + (reading + self.step) * u64::from(added.steps)
    }

    /// Whether a unit is read with other voltages.
    pub(in crate::ssd) fn is_retried(&self, unit: u32, turn: impl FnOnce() -> u32) -> bool {
        self.added(unit, turn).steps > 0
    }

    /// Whether there are units that can be read by none of the steps.
    #[inline]
    pub(in crate::ssd) fn may_fail(&self) -> bool {
        self.fails
    }

    /// Whether a unit can be read by none of the steps.
    pub(in crate::ssd) fn fails(&self, unit: u32, turn: impl FnOnce() -> u32) -> bool {
        self.fails && self.added(unit, turn).unreadable
    }

    #[inline(always)]
    fn added(&self, unit: u32, turn: impl FnOnce() -> u32) -> Added {
        let class = base::rng::splitmix64(self.seed ^ u64::from(unit)) as usize % CLASSES;
        match &self.old {
            Some((old, before)) if turn() <= *before => old[class],
            _ => self.young[class],
        }
    }
}

fn classes(rules: &RetryRules, erases: f64, hours: f64) -> Classes {
    let mean = rules.errors * mean_rate(erases, hours);
    Box::new(std::array::from_fn(|class| {
        let z = quantile((class as f64 + 0.5) / CLASSES as f64);
        extra(rules, mean, mean * libm::exp(rules.pages * z))
    }))
}

fn fails(classes: &Classes) -> bool {
    classes.iter().any(|added| added.unreadable)
}

impl Drive {
    /// What the drive holds errs as after its mean wear and so long without programming.
    pub(in crate::ssd) fn errors_of_its_age(&mut self, age: Duration, seed: u64) {
        let Some(rules) = self.p.scatter.read_retry else {
            return;
        };
        let erases = self.used_percent().unwrap_or(0.0) / 100.0 * RATED;
        let mut retry = ReadRetry::new(rules, erases, seed);
        // Where age is counted superblock by superblock, it does not count here, too.
        if !age.is_zero() && self.p.retention.is_none() {
            let hours = age.as_secs_f64() / 3_600.0;
            retry = retry.with_old(rules, (erases, hours), self.ftl.pool.opened());
        }
        self.flash.read_retry = Some(Box::new(retry));
    }
}

/// What is added to a reading of a page of a given rate.
fn extra(rules: &RetryRules, mean: f64, rate: f64) -> Added {
    let mut left = rate;
    let mut steps = 0;
    while left > rules.limit && steps < rules.most {
        left *= LEFT_A_STEP;
        steps += 1;
    }
    let usual = mean.min(rules.limit);
    let beyond = ((left - usual) / (rules.limit - usual).max(1e-9)).clamp(0.0, 1.0);
    Added {
        decoding: Duration::from_secs_f64(rules.decode.as_secs_f64() * beyond),
        steps,
        unreadable: left > rules.limit,
    }
}

/// The standard normal distribution's quantile, by halving.
fn quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if 0.5 * libm::erfc(-middle / std::f64::consts::SQRT_2) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: RetryRules = RetryRules {
        errors: 1.0,
        pages: 0.4,
        limit: 8.8e-3,
        decode: Duration::from_micros(20),
        step: Duration::from_micros(40),
        most: 8,
    };

    fn mean_steps(erases: f64, hours: f64) -> f64 {
        let steps: u32 = classes(&RULES, erases, hours)
            .iter()
            .map(|added| added.steps)
            .sum();
        f64::from(steps) / CLASSES as f64
    }

    #[test]
    fn the_mean_rate_is_the_published_formulas() {
        // The values of the formula at 1 and 1,000 erases, without rest and after a year.
        for (erases, hours, rate) in [
            (1.0, 0.0, 1.48e-3),
            (1_000.0, 0.0, 2.03e-3),
            (1_000.0, 8_760.0, 2.42e-2),
        ] {
            let got = mean_rate(erases, hours);
            assert!((got / rate - 1.0).abs() < 0.02, "{erases} {hours}: {got}");
        }
    }

    #[test]
    fn new_pages_need_no_step_and_old_worn_ones_some() {
        assert!(mean_steps(1.0, 0.0) < 1e-9);
        let month = mean_steps(1_000.0, 720.0);
        let year = mean_steps(1_000.0, 8_760.0);
        assert!(month > 0.1 && month < 1.0, "{month}");
        assert!(year > 1.0 && year > month, "{year}");
    }

    #[test]
    fn the_same_page_is_slow_again() {
        let young = ReadRetry::new(RULES, 1_000.0, 1);
        let retry = young.with_old(RULES, (1_000.0, 2_000.0), 7);
        let reading = Duration::from_micros(60);
        let read = |unit| retry.read(unit, reading, || 7);
        let times: Vec<Duration> = (0..200).map(read).collect();
        assert!(times.iter().any(|time| *time > times[0]));
        assert!((0..200).all(|unit| read(unit) == times[unit as usize]));
    }

    #[test]
    fn what_was_programmed_since_is_read_as_young_data_are() {
        let young = ReadRetry::new(RULES, 1_000.0, 1);
        let old = young.clone();
        let retry = old.with_old(RULES, (1_000.0, 8_760.0), 7);
        let reading = Duration::from_micros(60);
        let sum = |retry: &ReadRetry, turn: u32| -> Duration {
            let times = (0..500).map(|unit| retry.read(unit, reading, || turn));
            times.fold(Duration::ZERO, |sum, time| sum + time)
        };
        assert_eq!(sum(&retry, 8), sum(&young, 8));
        assert!(sum(&retry, 7) > sum(&retry, 8) * 2);
    }

    #[test]
    fn a_page_that_the_last_step_leaves_beyond_the_limit_cannot_be_read() {
        // A year on 1,000 erases: 2.4 % of the bits; one step leaves half of them, two a quarter.
        let failing = |most| {
            let rules = RetryRules { most, ..RULES };
            let old = classes(&rules, 1_000.0, 8_760.0);
            old.iter().filter(|added| added.unreadable).count()
        };
        assert_eq!((failing(1), failing(8)), (202, 0));
        assert!((1..100).contains(&failing(2)), "{}", failing(2));
    }

    #[test]
    fn pages_that_are_all_alike_and_within_the_limit_take_nothing_more() {
        let alike = RetryRules {
            pages: 0.0,
            ..RULES
        };
        let retry = ReadRetry::new(alike, 1.0, 1);
        let reading = Duration::from_micros(60);
        assert!((0..1_000).all(|unit| retry.read(unit, reading, || 0) == reading));
    }
}
