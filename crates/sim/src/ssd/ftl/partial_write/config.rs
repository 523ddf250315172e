//! The section of a drive's file that says how it takes writes which do not fill a unit.

use base::size::Bytes;
use serde::Deserialize;

use super::{PAGE, SECTOR};
use crate::sheet::quantity::{FractionalKibibytes, Word};
use crate::sheet::table::parameters;

/// When a write that covers part of a unit is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Acknowledged {
    /// When its data have come.
    AtOnce,
    /// When the rest of its units has been read, too.
    AfterRead,
}

impl std::fmt::Display for Acknowledged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Acknowledged::AtOnce => "at-once",
            Acknowledged::AfterRead => "after-read",
        })
    }
}

/// Who reads the rest of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Merge {
    /// The queues of the flash, beside all other reads.
    #[default]
    #[serde(rename = "side-by-side")]
    Parallel,
    /// The firmware's task that takes commands: one after the other, and no command meanwhile.
    #[serde(rename = "in-turn")]
    Serial,
}

impl std::fmt::Display for Merge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Merge::Parallel => "side-by-side",
            Merge::Serial => "in-turn",
        })
    }
}

parameters! {
    /// How the drive takes writes that do not fill a unit.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub PartialWriteRules from PartialWriteConfig ["sub_unit"] {
        /// Bytes of a mapping unit: 512, or a power of two of at least 4 KiB.
        unit "unit_kib": FractionalKibibytes in 0.5..=4_096.0;
        /// When a part is acknowledged, where nothing is coalesced.
        acknowledged "acknowledged": Word<Acknowledged>;
        /// Data of partly written units that wait in DRAM for the rest; it is not part of the
        /// buffer.
        coalesce "gather_kib": FractionalKibibytes in 0.0..=1_048_576.0;
        /// Who reads the rest: of units, or of pages where units are coalesced.
        merge "fills": Word<Merge>, or Merge::Parallel;
    }
}

impl PartialWriteRules {
    /// Why such rules cannot be; `None` if they can. `room` is what the write buffer has beside
    /// data that wait for the rest of a program.
    pub fn fault(&self, room: Bytes) -> Option<String> {
        let unit = self.unit.get();
        if unit != SECTOR && (!(PAGE..=4 << 20).contains(&unit) || !unit.is_power_of_two()) {
            return Some(format!(
                "a mapping unit of {}; 512 B, or a power of two from 4 KiB to 4 MiB",
                self.unit
            ));
        }
        // A unit is placed whole, beside a piece of a write and its two edges.
        if room.get() < 4 * unit {
            return Some(format!(
                "a buffer with room for {room} and mapping units of {}; four units at least",
                self.unit
            ));
        }
        None
    }
}
