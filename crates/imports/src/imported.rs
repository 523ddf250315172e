//! What a reader makes of a file, before it is a result.

use std::collections::BTreeMap;

use base::chart::Chart;
use base::message::Message;
use base::result::{Better, Comparable, Figure};
use base::statistic::Statistic;
use results::imported::METHOD;

use crate::number::Decimal;

/// Which of drivelab's methods makes the same tests, with the same keys of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Same {
    /// The method's name.
    pub(crate) method: &'static str,
    /// Its title, in both languages.
    pub(crate) title: &'static str,
    pub(crate) title_ja: &'static str,
    /// Its version: the tests of an older one are others.
    pub(crate) version: u32,
}

impl Same {
    /// No method makes these tests.
    pub(crate) const NONE: Same = Same {
        method: METHOD,
        title: "Imported",
        title_ja: "取り込み",
        version: 1,
    };
}

/// When a file says that it was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// It does not say.
    #[default]
    NotStated,
    /// A moment, in milliseconds of the Unix epoch.
    UnixMs(u64),
    /// As it writes it: the time of a place that it does not name.
    Local(String),
}

/// A file of another tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The tool.
    pub tool: &'static str,
    /// Its version.
    pub version: Option<String>,
    pub(crate) same: Same,
    /// What was measured, as the file names it; empty where it does not.
    pub target: String,
    /// What the file says of the drive.
    pub identity: BTreeMap<String, String>,
    /// What the file says of the computer.
    pub host: BTreeMap<String, String>,
    /// When.
    pub when: When,
    /// What was measured.
    pub figures: Vec<Figure>,
    /// What is drawn.
    pub charts: Vec<Chart>,
    /// Settings that the file states.
    pub settings: BTreeMap<String, String>,
    /// Those of them that differ from the original's.
    pub changed: Vec<String>,
    /// What has to be the same where two such results are compared, in place of scale and settings.
    pub(crate) alike: Option<String>,
    /// What a reader of the result must know.
    pub notes: Vec<Message>,
    /// What the file does not state.
    pub not_stated: Vec<Message>,
}

impl Imported {
    /// Of a tool, with nothing in it.
    pub(crate) fn of(tool: &'static str) -> Imported {
        Imported {
            tool,
            version: None,
            same: Same::NONE,
            target: String::new(),
            identity: BTreeMap::new(),
            host: BTreeMap::new(),
            when: When::NotStated,
            figures: Vec::new(),
            charts: Vec::new(),
            settings: BTreeMap::new(),
            changed: Vec::new(),
            alike: None,
            notes: Vec::new(),
            not_stated: Vec::new(),
        }
    }

    /// Keeps a setting.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<String>) {
        self.settings.insert(key.to_owned(), value.into());
    }

    /// Keeps what the file does not state.
    pub(crate) fn lacks(&mut self, keys: &[&'static str]) {
        self.not_stated
            .extend(keys.iter().map(|key| Message::of(key)));
    }
}

/// The word for a condition that the file does not state.
pub(crate) fn not_stated() -> Message {
    Message::of("import-not-stated")
}

/// Conditions of which the file states none.
pub(crate) fn nothing_stated() -> Comparable {
    Comparable {
        span: not_stated(),
        data: not_stated(),
        alignment: results::imported::NOT_STATED.to_owned(),
        ..Comparable::default()
    }
}

/// A figure, complete but for its number.
pub(crate) fn figure(
    key: String,
    unit: &str,
    statistic: impl Into<Statistic>,
    n: u64,
    by: &Comparable,
) -> Figure {
    let better = match unit {
        "MB/s" | "MB/sec" | "MiB/s" | "IOPS" => Better::Higher,
        "ns" | "us" | "ms" => Better::Lower,
        _ => Better::None,
    };
    Figure {
        key,
        value: None,
        why_not: None,
        unit: unit.to_owned(),
        better,
        statistic: statistic.into(),
        n,
        interval: None,
        phases: Vec::new(),
        comparable_by: by.clone(),
    }
}

/// The figure with its number, multiplied by `many / of`, of a tool that writes 0 for what failed or was left out.
pub(crate) fn valued(mut figure: Figure, number: Decimal, many: u64, of: u64) -> Figure {
    if number.is_zero() {
        figure.why_not = Some(Message::of("why-import-zero"));
    } else if number.is_negative() {
        let value = number
            .value()
            .map_or(String::new(), |value| value.to_string());
        figure.why_not = Some(Message::new(
            "why-import-negative",
            [("value", value.into())],
        ));
    } else {
        figure.value = number.times(many, of);
    }
    figure
}

/// The same of a tool that writes a direction only where it did something: 0 is a number there. A high percentile of too
/// few I/Os is none.
pub(crate) fn numbered(mut figure: Figure, number: Decimal, many: u64, of: u64) -> Figure {
    figure.value = number.times(many, of);
    figure.if_told()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_that_is_not_stated_reads_as_comparisons_look_for_it() {
        assert_eq!(not_stated().as_str(), results::imported::NOT_STATED);
    }
}
