//! How often a method is repeated: a fixed number of times, or until its medians are sure enough.
//!
//! One run gives one value, without any indication of its variation. With repeats, each figure has the median of its
//! values with an interval that makes no assumption about their distribution ([`super::median_interval`]). After each
//! run the rule checks whether the interval of every figure with a better direction is narrow enough, and ends at a
//! maximum, since a figure may scatter without end. Repeated checking makes an interval slightly less certain than
//! stated; the minimum of six runs (fewer have no interval of 95 %) keeps this effect small.

use std::fmt;
use std::str::FromStr;

use super::{median, median_interval};
use base::time::Duration;

/// Runs before the first look: the range of six is the first interval with 95 % confidence.
pub const LEAST_RUNS: u32 = 6;
/// Runs at most, unless another cap is given.
pub const MOST_RUNS: u32 = 20;
/// Width of the interval over the median, in per cent, unless another is given.
pub const WIDTH_PERCENT: f64 = 5.0;

/// How often a method is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repeat {
    /// So many runs.
    Times(u32),
    /// Until every interval is narrow enough.
    Until {
        /// Width of the interval over the median, in per cent.
        width_percent: f64,
        /// Runs at most.
        most: u32,
    },
}

impl Default for Repeat {
    fn default() -> Repeat {
        Repeat::Times(1)
    }
}

/// A rule that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid repeat rule '{0}': write a number from 1 to 1000, or auto[:WIDTH%][,max=RUNS], such as auto:2%,max=30"
)]
pub struct NoRepeat(String);

impl FromStr for Repeat {
    type Err = NoRepeat;

    fn from_str(text: &str) -> Result<Repeat, NoRepeat> {
        let fail = || NoRepeat(text.to_owned());
        let count = |digits: &str| {
            let count = digits.trim().parse().map_err(|_| fail())?;
            if (1..=1_000).contains(&count) {
                Ok(count)
            } else {
                Err(fail())
            }
        };
        let Some(options) = text.trim().strip_prefix("auto") else {
            return count(text).map(Repeat::Times);
        };
        let (width, most) = match options.split_once(',') {
            Some((width, most)) => (width, Some(most)),
            None => (options, None),
        };
        let width_percent = match width {
            "" => WIDTH_PERCENT,
            _ => {
                let number = width.strip_prefix(':').ok_or_else(fail)?.trim();
                let number = number.strip_suffix('%').unwrap_or(number).trim();
                number.parse().map_err(|_| fail())?
            }
        };
        if !(width_percent > 0.0 && width_percent <= 100.0) {
            return Err(fail());
        }
        let most = match most {
            None => MOST_RUNS,
            Some(most) => count(most.trim().strip_prefix("max=").ok_or_else(fail)?)?,
        };
        Ok(Repeat::Until {
            width_percent,
            most,
        })
    }
}

impl fmt::Display for Repeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repeat::Times(runs) => write!(f, "{runs}"),
            Repeat::Until {
                width_percent,
                most,
            } => write!(f, "auto:{width_percent}%,max={most}"),
        }
    }
}

impl Repeat {
    /// Runs at most.
    pub fn most(&self) -> u32 {
        match self {
            Repeat::Times(runs) => *runs,
            Repeat::Until { most, .. } => *most,
        }
    }

    /// The time of all runs together, where one takes `once`; of the least number of them where
    /// the rule decides as it goes.
    pub fn time(&self, once: Option<Duration>) -> Option<Duration> {
        let runs = match self {
            Repeat::Times(runs) => *runs,
            Repeat::Until { most, .. } => LEAST_RUNS.min(*most),
        };
        once.map(|once| once.saturating_mul(u64::from(runs)))
    }

    /// True where `runs` runs are enough; `figures` are the values of each figure that counts, one
    /// a run that had it.
    pub fn is_enough<'a>(&self, runs: u32, figures: impl IntoIterator<Item = &'a [f64]>) -> bool {
        match self {
            Repeat::Times(wanted) => runs >= *wanted,
            Repeat::Until { most, .. } if runs >= *most => true,
            Repeat::Until { .. } if runs < LEAST_RUNS => false,
            Repeat::Until { width_percent, .. } => figures
                .into_iter()
                .all(|values| width_of(values) <= *width_percent),
        }
    }
}

/// Width of the median's interval over the median, in per cent; 0 where all values are alike, and
/// unbounded for fewer than two.
pub fn width_of(values: &[f64]) -> f64 {
    let Some((median, interval)) = median(values).zip(median_interval(values)) else {
        return f64::INFINITY;
    };
    let width = interval.high - interval.low;
    if width <= 0.0 {
        return 0.0;
    }
    width / median.abs().max(f64::MIN_POSITIVE) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    #[test]
    fn rules_are_read_and_written_and_nonsense_is_refused_in_words() {
        let until = |width_percent, most| Repeat::Until {
            width_percent,
            most,
        };
        for (text, rule) in [
            ("3", Repeat::Times(3)),
            ("auto", until(5.0, 20)),
            ("auto:2%", until(2.0, 20)),
            ("auto:1.5", until(1.5, 20)),
            ("auto:2%,max=30", until(2.0, 30)),
            ("auto,max=8", until(5.0, 8)),
        ] {
            assert_eq!(text.parse(), Ok(rule), "{text}");
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        for text in [
            "", "0", "-1", "1001", "auto:", "auto:0", "auto:NaN", "auto:5,8", "often",
        ] {
            assert!(text.parse::<Repeat>().is_err(), "{text}");
        }
    }

    /// Runs until the rule is content with values of such a scatter about 100.
    fn runs(rule: Repeat, scatter: f64) -> u32 {
        let mut rng = Rng::new(5);
        let mut values = Vec::new();
        loop {
            values.push(100.0 + scatter * (rng.unit() - 0.5));
            let so_far = values.len() as u32;
            if rule.is_enough(so_far, [values.as_slice()]) {
                return so_far;
            }
        }
    }

    #[test]
    fn steady_figures_need_the_least_runs_wider_ones_more_and_wild_ones_the_cap() {
        let rule: Repeat = "auto:5%,max=100".parse().unwrap();
        assert_eq!(runs(rule, 0.0), LEAST_RUNS);
        let (some, more) = (runs(rule, 12.0), runs(rule, 16.0));
        assert!(
            LEAST_RUNS < some && some < more && more < 100,
            "{some} {more}"
        );
        assert_eq!(runs(rule, 150.0), 100);
        assert_eq!(runs(Repeat::Times(3), 150.0), 3);
    }

    #[test]
    fn every_figure_must_be_narrow() {
        let rule: Repeat = "auto:5%".parse().unwrap();
        let (narrow, wide) = ([100.0; 6], [50.0, 150.0, 60.0, 140.0, 70.0, 130.0]);
        assert!(rule.is_enough(6, [narrow.as_slice()]));
        assert!(!rule.is_enough(6, [narrow.as_slice(), wide.as_slice()]));
        assert!(rule.is_enough(20, [wide.as_slice()]));
    }
}
