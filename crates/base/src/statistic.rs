//! How a figure is made of its samples.
//!
//! Either one of a few terms (`mean`, `p99.9`, `best of 5`), or a sentence that its method says by key
//! (`bytes over time`). What must be known of the words, to compare, to resample, to tell the middle of a
//! distribution from its tail, is read out of them here and nowhere else.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::{Argument, Message};

/// Prefix of the statistic of one run if a figure is the median of repeats.
const REPEATED: &str = "median of repeats of: ";

/// How the words begin that count long responses, or give the longest pause between responses.
const OF_THE_LONGEST: [&str; 3] = ["responses of ", "standstills of ", "longest standstill"];

/// How a figure was made of its samples, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub struct Statistic(Message);

/// What is made of the samples of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// The arithmetic mean.
    Mean,
    /// A percentile, above 0 and below 100; the median is 50.
    Percentile(f64),
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// Anything else.
    Other,
}

/// The samples that a percentile from the 90th on needs: enough for one to lie beyond it, 100 for the 99th and 1,000
/// for the 99.9th. With fewer the nearest rank is the maximum, which is another figure and is named so. The middle of a
/// distribution needs one.
pub fn least_samples(per_cent: f64) -> u64 {
    if !(90.0..100.0).contains(&per_cent) {
        return 1;
    }
    // 100 - 99.9 is not quite a tenth.
    (100.0 / (100.0 - per_cent) - 1e-6).ceil() as u64
}

/// The sentence of a term, which is written the same by whoever makes figures; none of `p99.9`, which is the same in
/// every language, and of what is no term.
fn term(words: &str) -> Option<Message> {
    let alone = match words {
        "mean" => "made-mean",
        "median" => "made-median",
        "min" => "made-min",
        "max" => "made-max",
        "count" => "made-count",
        "sum" => "made-sum",
        "total" => "made-total",
        "none" => "made-none",
        _ => "",
    };
    if !alone.is_empty() {
        return Some(Message::of(alone));
    }
    if let Some(of) = words.strip_prefix(REPEATED) {
        return Some(repeated(term(of)?));
    }
    let (how, n) = of_runs(words)?;
    let key = match how {
        "best" => "made-best-of",
        "median" => "made-median-of",
        "mean" => "made-mean-of",
        _ => return None,
    };
    Some(Message::new(key, [("n", n.into())]))
}

/// `best of 5`: what was made of how many.
fn of_runs(words: &str) -> Option<(&str, u64)> {
    let (how, n) = words.rsplit_once(" of ")?;
    Some((how, n.parse().ok()?))
}

fn repeated(of: Message) -> Message {
    Message::new("made-over-repeats", [("statistic", of.into())])
}

impl Statistic {
    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The words with their key, where they have one.
    pub fn message(&self) -> &Message {
        &self.0
    }

    /// The sentence that it is; nothing where it is a term, which needs no key beside it.
    pub fn sentence(&mut self) -> Option<&mut Message> {
        term(&self.0).is_none().then_some(&mut self.0)
    }

    /// Of how many runs it is the best, the median or the mean.
    pub fn runs(&self) -> Option<u64> {
        of_runs(&self.0).map(|(_, n)| n)
    }

    /// The words for one run, whether or not the figure is a median of repeats.
    pub fn of_one_run(&self) -> &str {
        self.0.strip_prefix(REPEATED).unwrap_or(&self.0)
    }

    /// The same with their key.
    pub fn message_of_one_run(&self) -> Message {
        let repeated = self.0.arguments().find_map(|(_, argument)| match argument {
            Argument::Said { parts, .. } if self.is_over_repeats() => parts.first(),
            _ => None,
        });
        let as_it_stands = || Statistic::from(self.of_one_run()).0;
        match self.is_over_repeats() {
            true => repeated.cloned().unwrap_or_else(as_it_stands),
            false => self.0.clone(),
        }
    }

    /// The median over repeats of this statistic.
    #[must_use]
    pub fn over_repeats(&self) -> Statistic {
        Statistic(repeated(self.0.clone()))
    }

    /// Whether it is a median over repeats.
    pub fn is_over_repeats(&self) -> bool {
        self.0.starts_with(REPEATED)
    }

    /// What is made of the samples of one run.
    pub fn kind(&self) -> Kind {
        let words = self.of_one_run();
        // `max of rounds 1 to 5`: which rounds the samples are from.
        let made = words.split_once(" of rounds ").map_or(words, |of| of.0);
        match made {
            "mean" => Kind::Mean,
            "median" => Kind::Percentile(50.0),
            "min" => Kind::Min,
            "max" => Kind::Max,
            other => match other.strip_prefix('p').map(str::parse::<f64>) {
                Some(Ok(percent)) if percent > 0.0 && percent < 100.0 => Kind::Percentile(percent),
                _ => Kind::Other,
            },
        }
    }

    /// Whether it is an extreme of single samples: it scatters however many there are.
    pub fn is_extreme(&self) -> bool {
        matches!(self.kind(), Kind::Min | Kind::Max)
    }

    /// Whether it is of a distribution's tails: an extreme, or a percentile from the 90th on or below
    /// the 20th.
    pub fn is_tail(&self) -> bool {
        match self.kind() {
            Kind::Percentile(percent) => !(20.0..90.0).contains(&percent),
            Kind::Min | Kind::Max => true,
            Kind::Mean | Kind::Other => false,
        }
    }

    /// Whether it describes the upper end of a distribution: its maximum, a percentile from the 90th on, or the number
    /// or length of stalls.
    pub fn is_of_the_longest(&self) -> bool {
        match self.kind() {
            Kind::Percentile(percent) => percent >= 90.0,
            Kind::Max => true,
            Kind::Min | Kind::Mean => false,
            Kind::Other => OF_THE_LONGEST
                .iter()
                .any(|words| self.of_one_run().starts_with(words)),
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Message> for Statistic {
    fn from(sentence: Message) -> Statistic {
        Statistic(sentence)
    }
}

impl From<&str> for Statistic {
    fn from(words: &str) -> Statistic {
        Statistic(term(words).unwrap_or_else(|| Message::as_it_stands(words)))
    }
}

impl From<String> for Statistic {
    fn from(words: String) -> Statistic {
        words.as_str().into()
    }
}

impl From<Statistic> for String {
    fn from(statistic: Statistic) -> String {
        statistic.to_string()
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_for_what_they_say_with_repeats_and_without() {
        for (words, kind, tail) in [
            ("mean", Kind::Mean, false),
            ("median", Kind::Percentile(50.0), false),
            ("p99.9", Kind::Percentile(99.9), true),
            ("p1", Kind::Percentile(1.0), true),
            ("p75", Kind::Percentile(75.0), false),
            ("max of rounds 1 to 5", Kind::Max, true),
            ("p99.9 of rounds 1 to 5", Kind::Percentile(99.9), true),
            ("mean of rounds 1 to 5", Kind::Mean, false),
            ("p100", Kind::Other, false),
            ("passes", Kind::Other, false),
            ("max", Kind::Max, true),
            ("min", Kind::Min, true),
            ("best of 5", Kind::Other, false),
        ] {
            let statistic = Statistic::from(words);
            let repeated = statistic.over_repeats();
            assert_eq!((statistic.kind(), repeated.kind()), (kind, kind), "{words}");
            assert_eq!((statistic.is_tail(), repeated.is_tail()), (tail, tail));
            assert_eq!(repeated.of_one_run(), words);
        }
    }

    #[test]
    fn a_percentile_needs_as_many_samples_as_there_are_to_one_beyond_it() {
        let needed = [50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 100.0].map(least_samples);
        assert_eq!(needed, [1, 10, 100, 1_000, 10_000, 100_000, 1]);
    }

    #[test]
    fn the_longest_are_high_percentiles_maxima_and_standstills() {
        for words in [
            "p99",
            "p99.9",
            "max",
            "responses of 100ms or more",
            "longest standstill",
        ] {
            assert!(
                Statistic::from(words).over_repeats().is_of_the_longest(),
                "{words}"
            );
        }
        for words in ["median", "p1", "min", "mean", "best of 5", "standstill"] {
            assert!(!Statistic::from(words).is_of_the_longest(), "{words}");
        }
    }
}
