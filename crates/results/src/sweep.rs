//! A method's figures for a modelled drive with varied parameters: one point per combination of a grid.

use base::{Better, Scale};
use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a sweep.
pub const SWEEP_SCHEMA: &str = "drivelab.sweep/1";

/// A modelled drive, varied over a grid. The same command gives the same document on any number of threads.
///
/// ```json
/// {
///   "schema": "drivelab.sweep/1",
///   "method": "crystaldiskmark",
///   "method_title": "CrystalDiskMark 8/9",
///   "target": "model:samsung-840-evo-750gb",
///   "scale": "quick",
///   "seed": 1,
///   "set": [],
///   "axes": [{ "key": "ssd.nand.dies", "values": ["16", "32"] }],
///   "figures": [{ "key": "seq1m-q8t1.read", "unit": "MB/s", "better": "higher" }],
///   "points": [
///     { "values": ["16"], "figures": [null], "why_not": "no such drive: ..." },
///     { "values": ["32"], "figures": [543.4] }
///   ]
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Sweep {
    /// [`SWEEP_SCHEMA`].
    pub schema: &'static str,
    /// The method's name.
    pub method: String,
    /// The method's title.
    pub method_title: String,
    /// The target's name.
    pub target: String,
    /// Scale at which each point was run.
    pub scale: Scale,
    /// Seeds everything random.
    pub seed: u64,
    /// Settings that held for all points, each `key=value`.
    pub set: Vec<String>,
    /// What was varied.
    pub axes: Vec<SweptAxis>,
    /// The figures of the points.
    pub figures: Vec<SweptFigure>,
    /// One for each combination; the last axis runs fastest.
    pub points: Vec<SweptPoint>,
}

/// Something that is varied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SweptAxis {
    /// A number of the drive's file, an option of the target, or a setting of the method.
    pub key: String,
    /// Its values, as they are written in a target's name.
    pub values: Vec<String>,
}

/// A figure of every point.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SweptFigure {
    /// Its key in the method's results.
    pub key: String,
    /// Its unit.
    pub unit: String,
    /// Which of two is better.
    pub better: Better,
}

/// One combination of values.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SweptPoint {
    /// A value for each axis.
    pub values: Vec<String>,
    /// A number for each figure; `null` if there is none.
    pub figures: Vec<Option<f64>>,
    /// Why there are none: the combination is not a drive, or the method did not run on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}
