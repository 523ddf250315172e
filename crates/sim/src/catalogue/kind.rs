//! Kinds of drives: what drives of one class have in common, where nothing is known of the one drive.
//!
//! A data sheet gives a capacity, a link and some rates; a model needs some sixty values more. What those are
//! like in drives of a class is known within bounds: programs of 64-layer TLC take one to two milliseconds, a
//! SATA controller answers a write after some thirty microseconds. Such a class is a file in `catalog/kinds`,
//! written as a family is, whose values have `source = "class"` and `within = [low, high]`: the range that the
//! class spans. A drive's file names it (`kind = "..."` in `[drive]`) and says only what it knows better.
//!
//! What a class cannot say once, since it follows from the capacity, is worked out here: the number of dies is
//! what holds the capacity and the class's least spare flash, in whole steps of dies; a disk has as many heads as surfaces
//! that its capacity fills.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::de::{DeTable, DeValue};

use super::text::get;

/// The head of a kind's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindHead {
    /// Its name for people.
    pub title: String,
    /// What drives are meant, in a sentence.
    pub about: String,
    /// How most of them are attached.
    pub interface: Option<String>,
    /// How dies are counted, of drives with flash.
    pub flash: Option<KindFlash>,
    /// How heads are counted, of disks.
    pub discs: Option<KindDiscs>,
    /// What determines a rated figure: keys of values, the first that can be set counts.
    #[serde(default)]
    pub fits: BTreeMap<String, Vec<String>>,
}

/// How many dies a drive of the kind has.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindFlash {
    /// GiB of data that a die holds.
    pub die_gib: f64,
    /// Flash beyond the capacity, at the least, as a share of it.
    pub least_spare: f64,
    /// Dies come in multiples of this number.
    pub step: u32,
    /// Channels of the controller: a drive of few dies uses no more than it has dies.
    pub channels: u32,
}

impl KindFlash {
    /// Dies for a capacity in bytes.
    pub fn dies(&self, capacity_bytes: u64) -> u32 {
        let die = self.die_gib * 1_073_741_824.0;
        let wanted = capacity_bytes as f64 * (1.0 + self.least_spare) / die;
        let steps = (wanted / f64::from(self.step.max(1))).ceil().max(1.0);
        // A file of one's own may hold any number: too many dies are refused where the drive is built.
        (steps as u32).saturating_mul(self.step.max(1))
    }
}

/// How many heads a disk of the kind has.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindDiscs {
    /// GB of 10^9 bytes that a surface holds.
    pub surface_gb: f64,
    /// Heads come in whole multiples of this: as many as there are actuators.
    #[serde(default = "one")]
    pub step: u32,
}

const fn one() -> u32 {
    1
}

impl KindDiscs {
    /// Heads for a capacity in bytes. One part in fifty beyond what surfaces hold makes no head more: sheets round.
    pub fn heads(&self, capacity_bytes: u64) -> u32 {
        let surfaces = capacity_bytes as f64 / (self.surface_gb * 1e9);
        ((surfaces / 1.02).ceil().max(1.0) as u32).next_multiple_of(self.step.max(1))
    }
}

/// What a kind says of a drive of a capacity, as a text to lie under all others: the numbers of dies and channels, or of
/// heads. Nothing where the kind counts none.
pub(super) fn counted(kind: &DeTable<'_>, capacity_bytes: u64) -> Option<String> {
    let head = get(kind, "kind")?.as_table()?;
    if let Some(discs) = get(head, "discs").and_then(DeValue::as_table) {
        let surface_gb = number(get(discs, "surface_gb")?)?;
        let step = get(discs, "step")
            .and_then(number)
            .map_or(1, |step| step as u32);
        let heads = KindDiscs { surface_gb, step }.heads(capacity_bytes);
        let why = "as many surfaces as the capacity fills at the density of the class";
        return Some(format!(
            "[hdd.media]\nheads = {{ value = {heads}, source = \"class\", why = \"{why}\" }}\n"
        ));
    }
    let flash = get(head, "flash")?.as_table()?;
    let flash = KindFlash {
        die_gib: number(get(flash, "die_gib")?)?,
        least_spare: number(get(flash, "least_spare")?)?,
        step: number(get(flash, "step")?)? as u32,
        channels: number(get(flash, "channels")?)? as u32,
    };
    let why =
        "what holds the capacity and the least spare flash of the class, in whole steps of dies";
    let dies = flash.dies(capacity_bytes);
    let channels = flash.channels.min(dies);
    let most = "as the class has, but no more than there are dies";
    Some(format!(
        "[ssd.nand]\ndies = {{ value = {dies}, source = \"class\", why = \"{why}\" }}\n\
         channels = {{ value = {channels}, source = \"class\", why = \"{most}\" }}\n"
    ))
}

/// The capacity that a file gives in `[drive]`.
pub(super) fn capacity(table: &DeTable<'_>) -> Option<u64> {
    let drive = get(table, "drive")?.as_table()?;
    let bytes = number(get(drive, "capacity_bytes")?)?;
    Some(bytes as u64)
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(whole) => {
            let digits = i64::from_str_radix(whole.as_str(), whole.radix()).ok()?;
            Some(digits as f64)
        }
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dies_hold_the_capacity_and_the_least_spare_flash_in_whole_steps() {
        let flash = KindFlash {
            die_gib: 64.0,
            least_spare: 0.05,
            step: 4,
            channels: 8,
        };
        assert_eq!(flash.dies(1_000_204_886_016), 16);
        assert_eq!(flash.dies(2_000_398_934_016), 32);
        assert_eq!(flash.dies(120_034_123_776), 4);
    }

    #[test]
    fn a_disk_has_as_many_heads_as_surfaces_that_its_capacity_fills() {
        let discs = KindDiscs {
            surface_gb: 250.0,
            step: 1,
        };
        assert_eq!(discs.heads(500_107_862_016), 2);
        assert_eq!(discs.heads(1_000_204_886_016), 4);
        assert_eq!(discs.heads(80_026_361_856), 1);
        // Two actuators have as many each.
        let discs = KindDiscs { step: 2, ..discs };
        assert_eq!(discs.heads(80_026_361_856), 2);
        assert_eq!(discs.heads(750_156_374_016), 4);
    }
}
