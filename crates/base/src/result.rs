//! What a method gives: figures with their conditions, charts, notes.
//!
//! A figure without its unit, statistic and conditions is meaningless. Each one says how it was made (statistic, number
//! of samples, interval), in which phase, and under which conditions it may be compared with another ([`Comparable`]).
//! The report and every export use these types alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chart::Chart;
use crate::message::Message;
use crate::statistic::{Kind, Statistic, least_samples};

mod of_phase;

pub use of_phase::{alike, figures_of};

/// Which of two figures is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither: a description.
    None,
}

/// One number of a result.
///
/// ```json
/// {
///   "key": "alone.p99",
///   "value": 0.001,
///   "unit": "ms",
///   "better": "lower",
///   "statistic": "p99",
///   "n": 20,
///   "phases": ["alone"],
///   "comparable_by": {
///     "span": "64 MiB from 0 B",
///     "data": "",
///     "alignment": "4 KiB",
///     "state": "none",
///     "scale": "quick, load=none, time=100ms"
///   }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// Its name, dotted, stable: `seq1m-q8t1.read`.
    pub key: String,
    /// The number, in `unit`; `null` if there is none, in which case `why_not` gives the reason.
    pub value: Option<f64>,
    /// Why there is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<Message>,
    /// Its unit: `MB/s`, `IOPS`, `us`, `ms`, `%`, `count`.
    pub unit: String,
    /// Which of two is better.
    pub better: Better,
    /// How it was made of its samples: `best of 5`, `median of 5`, `p99.9`, `max`, `mean`.
    pub statistic: Statistic,
    /// Number of samples (runs, or I/Os for a distribution's figure).
    pub n: u64,
    /// An interval for the figure, where samples allow one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The phases it comes from.
    pub phases: Vec<String>,
    /// Under which conditions it may be compared.
    pub comparable_by: Comparable,
}

impl Figure {
    /// The sentences that may have a key.
    pub fn sentences(&mut self) -> impl Iterator<Item = &mut Message> {
        let by = &mut self.comparable_by;
        let made = self
            .statistic
            .sentence()
            .into_iter()
            .chain(&mut self.why_not);
        made.chain([&mut by.span, &mut by.data])
    }

    /// The figure, without its number where that is a high percentile of too few samples. A median over repeats is of
    /// runs that each had enough.
    #[must_use]
    pub fn if_told(mut self) -> Figure {
        let Kind::Percentile(per_cent) = self.statistic.kind() else {
            return self;
        };
        let least = least_samples(per_cent);
        if self.value.is_some() && self.n < least && !self.statistic.is_over_repeats() {
            self.value = None;
            self.interval = None;
            let places = [("needed", least.into()), ("samples", self.n.into())];
            self.why_not = Some(Message::new("why-samples", places));
        }
        self
    }

    /// Whether it describes the tail of responses: a high percentile, the longest time, or the frequency of stalls.
    /// Different mechanisms determine a drive's tail and its middle.
    pub fn is_of_the_tail(&self) -> bool {
        let takes_time = matches!(self.unit.as_str(), "ns" | "us" | "ms" | "s");
        let counts = matches!(self.unit.as_str(), "count" | "per min");
        self.better == Better::Lower && (takes_time || counts) && self.statistic.is_of_the_longest()
    }
}

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower end, in the figure's unit.
    pub low: f64,
    /// Upper end, in the figure's unit.
    pub high: f64,
    /// The confidence that it really has, in per cent.
    pub confidence_percent: f64,
}

/// The conditions of a figure: two figures are comparable where all of these agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparable {
    /// Where it was measured: `1000 MiB from 0 B`.
    pub span: Message,
    /// Whether that is all that can be addressed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// What was written: `fresh, 0 % compressible`, `zeros`; empty where nothing was.
    pub data: Message,
    /// Alignment of accesses: `4 KiB`.
    pub alignment: String,
    /// The state of the drive before the run; `unknown` on a real one. Set by the lab.
    pub state: String,
    /// The scale, and `changed` where settings were. Set by the lab.
    pub scale: String,
}

/// The output of a method: figures, charts, and notes for the reader.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MethodOutput {
    /// What was measured, in the order in which it is shown.
    pub figures: Vec<Figure>,
    /// What to draw.
    pub charts: Vec<Chart>,
    /// What a reader must know: quirks of the original that distort, shortcuts taken.
    pub notes: Vec<Message>,
    /// What spoils or limits the figures: a drive that did not become steady.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Message>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_high_percentile_of_too_few_samples_is_no_figure_and_says_what_it_needs() {
        let figure = |statistic: &str, n: u64| Figure {
            key: "x".to_owned(),
            value: Some(1.0),
            why_not: None,
            unit: "ms".to_owned(),
            better: Better::Lower,
            statistic: statistic.into(),
            n,
            interval: None,
            phases: Vec::new(),
            comparable_by: Comparable::default(),
        };
        let withheld = figure("p99.9", 46).if_told();
        let why = "needs 1000 samples, has 46";
        assert_eq!(
            (withheld.value, withheld.why_not.as_deref()),
            (None, Some(why))
        );
        for (statistic, n) in [("p99.9", 1_000), ("p99", 100), ("median", 1), ("max", 1)] {
            assert_eq!(figure(statistic, n).if_told(), figure(statistic, n));
        }
        let mut repeated = figure("p99.9", 6);
        repeated.statistic = repeated.statistic.over_repeats();
        assert_eq!(repeated.clone().if_told(), repeated);
    }
}
