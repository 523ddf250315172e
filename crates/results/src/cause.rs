//! Which differences between two drives make a difference in a figure.

use base::{Better, Scale};
use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a cause.
pub const CAUSE_SCHEMA: &str = "drivelab.cause/1";

/// A figure of two modelled drives, and the share of each mechanism in its difference. All values and shares are in the
/// unit of the figure.
///
/// ```json
/// {
///   "schema": "drivelab.cause/1",
///   "method": "crystaldiskmark",
///   "method_title": "CrystalDiskMark 8/9",
///   "scale": "quick",
///   "seed": 1,
///   "set": [],
///   "figure": { "key": "rnd4k-q32t1.read.iops", "unit": "IOPS", "better": "higher" },
///   "a": { "target": "model:wd-black-sn770-1tb", "title": "WD_BLACK SN770 1TB", "value": 219800.0, "spread": 900.0 },
///   "b": { "target": "model:wd-black-sn770-2tb", "title": "WD_BLACK SN770 2TB", "value": 320900.0, "spread": 1100.0 },
///   "verdict": "explained",
///   "noise": 1100.0,
///   "carried": 101100.0,
///   "rest": 0.0,
///   "groups": [
///     { "mechanisms": ["dies"], "changes": [{ "key": "ssd.nand.dies", "a": "16", "b": "32" }],
///       "share": 101100.0, "share_percent": 100.0, "alone_from_a": 101100.0, "alone_from_b": 101100.0, "matters": true }
///   ],
///   "common": [
///     { "mechanism": "map-memory", "key": "ssd.map_cache", "a": 219800.0, "b": 322600.0, "of_difference_percent": 101.0 }
///   ],
///   "inseparable": [],
///   "runs": 10
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Cause {
    /// [`CAUSE_SCHEMA`].
    pub schema: &'static str,
    /// The method's name.
    pub method: String,
    /// The method's title.
    pub method_title: String,
    /// Scale of all runs.
    pub scale: Scale,
    /// Seeds everything random.
    pub seed: u64,
    /// Settings that held for all runs, each `key=value`.
    pub set: Vec<String>,
    /// The figure.
    pub figure: CausedFigure,
    /// The first drive.
    pub a: CauseSide,
    /// The second drive.
    pub b: CauseSide,
    /// Whether there are shares, and why not.
    pub verdict: CauseVerdict,
    /// The greatest range of the figure over three seeds, of A or of B.
    pub noise: f64,
    /// The difference that A makes with all groups as in B: the sum of the shares.
    pub carried: Option<f64>,
    /// What no group carries: B less A with all groups as in B.
    pub rest: Option<f64>,
    /// The differences by mechanism, the greatest share first.
    pub groups: Vec<CauseGroup>,
    /// The two groups that do most together beyond what each does alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction: Option<CauseInteraction>,
    /// Mechanisms that both drives have and that cost or give both of them something, or through which the difference
    /// acts.
    pub common: Vec<CommonMechanism>,
    /// Groups that no drive can have apart, and were joined.
    pub inseparable: Vec<Inseparable>,
    /// Number of random orders of the groups in place of all, where there are too many groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orders: Option<usize>,
    /// Number of runs.
    pub runs: usize,
}

/// The figure that differs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CausedFigure {
    /// Its key in the method's results, or what is read off a chart of it.
    pub key: String,
    /// Its unit.
    pub unit: String,
    /// Which of two is better.
    pub better: Better,
}

/// One of the two drives.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CauseSide {
    /// The target's name.
    pub target: String,
    /// Its name for people.
    pub title: String,
    /// The figure of the model.
    pub value: f64,
    /// The range of the model's figure over three seeds; 0 where a measured figure already ended the search.
    pub spread: f64,
    /// The measured figure, where one is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// How far the model is off the measured figure, in per cent of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_percent: Option<f64>,
}

/// What can be said of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CauseVerdict {
    /// The shares say what makes the difference.
    Explained,
    /// The difference is within the figure's noise, or below 2 %.
    NoDifference,
    /// A model misses a measured figure by more than 10 %.
    ModelsMiss,
    /// More than a quarter of the difference is in none of the groups.
    Unexplained,
}

/// Differences that belong to one mechanism, or to several that cannot be told apart.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CauseGroup {
    /// The mechanisms.
    pub mechanisms: Vec<DriveMechanism>,
    /// What differs.
    pub changes: Vec<CauseChange>,
    /// Its Shapley share.
    pub share: f64,
    /// The same in per cent of the difference between A and B.
    pub share_percent: f64,
    /// What A gains from it alone.
    pub alone_from_a: f64,
    /// What B loses without it alone.
    pub alone_from_b: f64,
    /// Whether it does anything beyond the noise and 1 % of the difference.
    pub matters: bool,
}

/// Something that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CauseChange {
    /// A value or a section of the drives' files, or an option of the targets.
    pub key: String,
    /// Of A; `null` if it has none.
    pub a: Option<String>,
    /// Of B; `null` if it has none.
    pub b: Option<String>,
}

/// What two groups do together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CauseInteraction {
    /// The first group, by its place in the list.
    pub first: usize,
    /// The second group.
    pub second: usize,
    /// The Shapley interaction index: of the sign of the difference where they need each other, of the other where one stands
    /// in for the other.
    pub value: f64,
}

/// A mechanism that both drives have, switched off in both.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CommonMechanism {
    /// The mechanism.
    pub mechanism: DriveMechanism,
    /// The section that was switched off.
    pub key: String,
    /// A's figure without it; `null` where A's state or partition cannot be had without it.
    pub a: Option<f64>,
    /// The same of B.
    pub b: Option<f64>,
    /// The difference that is left without it, in per cent of the difference with it; `null` where one of both cannot be.
    pub of_difference_percent: Option<f64>,
}

/// Groups that were joined, since no drive can have one without the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Inseparable {
    /// The mechanisms of the one.
    pub first: Vec<DriveMechanism>,
    /// The mechanisms of the other.
    pub second: Vec<DriveMechanism>,
    /// What was said of a drive that has one alone.
    pub why: String,
}

/// A part of a drive, as those who build drives divide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DriveMechanism {
    /// The number of bytes that can be addressed, with the flash or the discs behind them.
    Capacity,
    /// Dies, planes, blocks and pages.
    Dies,
    /// Channels to the flash.
    Channels,
    /// Times of the cells: reading, programming, erasing.
    Cells,
    /// The cache of cells with one bit.
    OneBitCache,
    /// Memory for the map.
    MapMemory,
    /// The unit in which places are mapped.
    MapUnit,
    /// Of a drive mapped by whole blocks: the blocks that take writes until they are merged.
    LogBlocks,
    /// The same drive's merging of a log block with the block that it stands for.
    Merging,
    /// The write buffer, and what a flush costs.
    WriteBuffer,
    /// Times of the controller.
    Controller,
    /// The order of work at the dies.
    DieOrder,
    /// Collection of free blocks, trim.
    Collection,
    /// Flash beyond the capacity.
    Spare,
    /// Journal of the map, housekeeping.
    Housekeeping,
    /// Reading ahead of the host.
    ReadAhead,
    /// Compression of the contents.
    Compression,
    /// Temperature.
    Heat,
    /// Wear, retention, errors and their retries.
    Wear,
    /// Zones that are written in order.
    Zones,
    /// The interface and its link.
    Link,
    /// Rotation.
    Rotation,
    /// Heads, tracks and their density.
    Tracks,
    /// Seeks.
    Seeks,
    /// The order of queued commands.
    CommandOrder,
    /// The disk's cache for reads.
    ReadCache,
    /// The disk's cache for writes.
    WriteCache,
    /// Shingled tracks.
    Shingles,
    /// Behaviour in the cold.
    Cold,
    /// Defects, spare sectors, recovery, shocks.
    Defects,
    /// A whole other way of building a drive.
    Design,
    /// The state before the run.
    State,
    /// Where the partition begins.
    PartitionOffset,
    /// The host.
    Host,
    /// The file system.
    FileSystem,
    /// What no list names.
    Other,
    /// Groups that do nothing alone.
    EverythingElse,
}
