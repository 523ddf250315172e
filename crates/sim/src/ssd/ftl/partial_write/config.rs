//! The section of a drive's file that says how it takes writes which do not fill a unit.

use base::size::Bytes;
use serde::Deserialize;

use super::{Acknowledged, PartialWriteRules};
use crate::sheet::{Section, Sourced};

/// Who reads the rest of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fills {
    /// The queues of the flash, beside all other reads.
    #[default]
    SideBySide,
    /// The firmware's task that takes commands: one after the other, and no command meanwhile.
    InTurn,
}

impl std::fmt::Display for Fills {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Fills::SideBySide => "side-by-side",
            Fills::InTurn => "in-turn",
        })
    }
}

/// The section `[ssd.sub_unit]` of a drive's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartialWriteConfig {
    unit_kib: Sourced<f64>,
    acknowledged: Sourced<Acknowledged>,
    gather_kib: Sourced<f64>,
    fills: Option<Sourced<Fills>>,
}

impl PartialWriteConfig {
    /// The values with units and ranges.
    pub fn section(&self) -> Section {
        let mut rows = vec![
            self.unit_kib.row("unit_kib", "KiB", 0.5..=4_096.0),
            self.acknowledged.plain_row("acknowledged", ""),
            self.gather_kib.row("gather_kib", "KiB", 0.0..=1_048_576.0),
        ];
        rows.extend(self.fills.iter().map(|fills| fills.plain_row("fills", "")));
        Section::new("sub_unit", rows)
    }

    /// The plain rules.
    pub fn rules(&self) -> PartialWriteRules {
        let kib = |value: &Sourced<f64>| Bytes::new((value.get() * 1_024.0) as u64);
        PartialWriteRules {
            unit: kib(&self.unit_kib),
            acknowledged: self.acknowledged.get(),
            gather: kib(&self.gather_kib),
            fills: self.fills.as_ref().map(Sourced::get).unwrap_or_default(),
        }
    }
}
