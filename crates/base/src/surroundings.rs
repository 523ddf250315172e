//! Anything around a drive that is measured with it or instead of it.
//!
//! A figure describes the drive only if nothing between it and the program adds to it or takes away from it: other work
//! on the computer, a compressing file system, a layer that caches in memory, a hypervisor, a link slower than the
//! drive. Crates that inspect the machine detect these, results store them as data, and the analysis decides what they
//! invalidate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a layer between a target and its drive does to what passes through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LayerKind {
    /// Stores fewer bytes than it is given.
    Compression,
    /// Keeps data elsewhere, in memory or on a faster drive.
    Cache,
    /// Stands over other file systems and copies files between them (overlay).
    Copies,
    /// Works on every byte with the processor.
    Encryption,
    /// Gives out blocks as they are first written.
    Thin,
    /// Copies blocks before they are overwritten.
    Snapshot,
    /// A part of one drive or several, put together: nothing is added to an access.
    Volume,
    /// Several drives as one.
    Array,
    /// Several drives as one, with one missing or being rebuilt.
    DegradedArray,
    /// A file shown as a device.
    Loop,
    /// A hypervisor's disk: the memory of its host may answer.
    VirtualDisk,
    /// Another computer answers.
    Network,
    /// A program answers (FUSE).
    UserSpace,
}

/// One layer between a target and its drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LayerBeneath")]
pub struct Layer {
    /// What it does.
    pub kind: LayerKind,
    /// What it is called: `btrfs (compress=zstd:3)`, `dm-0 (dm-crypt home)`.
    pub name: String,
}

/// A link slower than the drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlowLink {
    /// What was negotiated, in the kernel's words: `8.0 GT/s PCIe x4`.
    pub has: String,
    /// What the drive could do: `16.0 GT/s PCIe x4`.
    pub best: String,
}

/// What else a computer did around a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostActivity {
    /// Processes that wanted a processor (or waited for a drive) in the minute before, on average.
    pub load: Option<f64>,
    /// Processors that there are.
    pub processors: u32,
    /// I/Os of others that the device completed in 100 ms before the run.
    pub others_ios: Option<u64>,
    /// Whether the processors are held at their least frequency.
    pub power_save: bool,
    /// Of the processors' time during the run, the part that a hypervisor gave to others.
    pub stolen_percent: Option<f64>,
}

impl HostActivity {
    /// Processes that want a processor beyond half of the processors; one may be an earlier run of ours.
    const OURS: f64 = 1.0;
    /// I/Os of others in 100 ms that are no chance: a journal's few writes are.
    const OTHERS: u64 = 10;
    /// Stolen time from which on response times are the hypervisor's, too.
    const STOLEN_PERCENT: f64 = 5.0;

    /// The load, where processes may have had to wait for a processor.
    pub fn heavy_load(&self) -> Option<f64> {
        let most = HostActivity::OURS + 0.5 * f64::from(self.processors);
        self.load.filter(|load| self.processors > 0 && *load > most)
    }

    /// The I/Os of others, where they are too many to be chance.
    pub fn many_ios_of_others(&self) -> Option<u64> {
        self.others_ios.filter(|ios| *ios > HostActivity::OTHERS)
    }

    /// The part of the time that a hypervisor took, where it is felt.
    pub fn much_stolen(&self) -> Option<f64> {
        self.stolen_percent
            .filter(|percent| *percent >= HostActivity::STOLEN_PERCENT)
    }
}
