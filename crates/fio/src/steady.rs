//! Whether a rate is steady: samples of a second each, held against their mean or against a line through them.

use std::collections::VecDeque;

use base::time::{Duration, Instant};

use crate::job::steady::Steady;

const SECOND: Duration = Duration::from_secs(1);

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Steadiness {
    /// The rate was steady.
    pub attained: bool,
    /// What is held against the limit: in per cent of the mean where the limit is.
    pub criterion: f64,
    /// The farthest from the mean.
    pub deviation: f64,
    /// Of the line.
    pub slope: f64,
    /// I/Os of each second.
    pub iops: Vec<u64>,
    /// Bytes of each second.
    pub bytes: Vec<u64>,
}

impl Steadiness {
    /// The mean of values; 0 of none.
    pub fn mean(values: &[u64]) -> f64 {
        let sum: u128 = values.iter().map(|n| u128::from(*n)).sum();
        if values.is_empty() {
            0.0
        } else {
            sum as f64 / values.len() as f64
        }
    }
}

/// Watches the jobs that are steady together.
pub(crate) struct Watch {
    rule: Steady,
    /// Which group of the output; which lane, where it watches only one.
    pub(crate) group: u32,
    pub(crate) lane: Option<usize>,
    due: Instant,
    begun: bool,
    before: (u64, u64),
    iops: VecDeque<u64>,
    bytes: VecDeque<u64>,
    pub(crate) found: Steadiness,
}

impl Watch {
    pub(crate) fn new(rule: Steady, group: u32, lane: Option<usize>) -> Watch {
        Watch {
            rule,
            group,
            lane,
            due: Instant::ZERO,
            begun: false,
            before: (0, 0),
            iops: VecDeque::new(),
            bytes: VecDeque::new(),
            found: Steadiness {
                attained: false,
                criterion: 0.0,
                deviation: 0.0,
                slope: 0.0,
                iops: Vec::new(),
                bytes: Vec::new(),
            },
        }
    }

    /// When it looks next.
    pub(crate) fn due(&self) -> Option<Instant> {
        (self.begun && !self.found.attained).then_some(self.due)
    }

    /// The jobs have done this many I/Os and bytes. True if they are steady from now on.
    pub(crate) fn look(&mut self, now: Instant, ios: u64, bytes: u64) -> bool {
        if !self.begun {
            self.begun = true;
            self.due = now.saturating_add(self.rule.ramp).saturating_add(SECOND);
            if self.rule.ramp.is_zero() {
                self.before = (ios, bytes);
            }
            return false;
        }
        let ramp_is_over = self.due.since(Instant::ZERO).saturating_sub(SECOND);
        if self.iops.is_empty() && now.since(Instant::ZERO) <= ramp_is_over {
            self.before = (ios, bytes);
        }
        if now < self.due || self.found.attained {
            return false;
        }
        // Late by some: a sample is of a second.
        let late = now.since(self.due).saturating_add(SECOND).as_secs_f64();
        let a_second = |n: u64| (n as f64 / late) as u64;
        self.iops
            .push_back(a_second(ios.saturating_sub(self.before.0)));
        self.bytes
            .push_back(a_second(bytes.saturating_sub(self.before.1)));
        self.before = (ios, bytes);
        self.due = now.saturating_add(SECOND);
        if self.iops.len() > self.rule.samples {
            self.iops.pop_front();
            self.bytes.pop_front();
        }
        self.judge();
        self.found.attained
    }

    fn judge(&mut self) {
        let found = &mut self.found;
        (found.iops, found.bytes) = (
            self.iops.iter().copied().collect(),
            self.bytes.iter().copied().collect(),
        );
        if self.iops.len() < self.rule.samples {
            return;
        }
        let values = if self.rule.of_bytes {
            &found.bytes
        } else {
            &found.iops
        };
        let mean = Steadiness::mean(values);
        let off = values.iter().map(|n| (*n as f64 - mean).abs());
        found.deviation = off.fold(0.0, f64::max);
        found.slope = slope(values);
        let of = if self.rule.by_slope {
            found.slope.abs()
        } else {
            found.deviation
        };
        found.criterion = match self.rule.in_percent {
            true if mean > 0.0 => 100.0 * of / mean,
            true => 0.0,
            false => of,
        };
        found.attained = found.criterion < self.rule.limit;
    }
}

/// Of the line with the least squares through values at 0, 1, 2, ...
fn slope(values: &[u64]) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        return 0.0;
    }
    let middle = (n - 1.0) / 2.0;
    let mean = Steadiness::mean(values);
    let pairs = values.iter().enumerate();
    let (mut over, mut under) = (0.0, 0.0);
    for (x, y) in pairs {
        let x = x as f64 - middle;
        over += x * (*y as f64 - mean);
        under += x * x;
    }
    over / under
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(name: &str, limit: f64, in_percent: bool, rates: &[u64]) -> (Steadiness, usize) {
        let rule = Steady {
            name: name.to_owned(),
            of_bytes: name.starts_with("bw"),
            by_slope: name.ends_with("slope"),
            limit,
            in_percent,
            samples: 4,
            ramp: Duration::ZERO,
        };
        let mut watch = Watch::new(rule, 0, None);
        watch.look(Instant::ZERO, 0, 0);
        let mut ios = 0;
        for (n, rate) in (1_u64..).zip(rates) {
            ios += rate;
            if watch.look(Instant::from_nanos(n * 1_000_000_000), ios, ios * 4096) {
                return (watch.found, n as usize);
            }
        }
        (watch.found, 0)
    }

    #[test]
    fn it_is_steady_when_no_sample_is_far_from_the_mean() {
        let rates = [1_000, 800, 600, 500, 402, 400, 398, 400];
        let (found, at) = watched("iops", 1.0, true, &rates);
        assert_eq!((found.attained, at), (true, 8));
        assert_eq!(
            (found.iops, found.deviation),
            (vec![402, 400, 398, 400], 2.0)
        );
        assert!((found.criterion - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_slope_is_that_of_the_line_through_the_samples() {
        let (found, at) = watched("iops_slope", 3.5, false, &[100, 90, 80, 70, 70, 70, 70, 70]);
        assert_eq!(at, 6);
        assert!((found.slope + 3.0).abs() < 1e-9);
    }
}
