//! A drive's surface map, position by position: duration of its I/Os, the worst one, failures.

use base::{Bytes, Duration, Op, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one pass over a surface found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Surface {
    /// What the pass did: it read, or it wrote.
    pub op: Op,
    /// Bytes that were accessed: all of the regions in a full scan, the heads of them in a quick one.
    pub visited: Bytes,
    /// Places in the order of their addresses.
    pub regions: Vec<Region>,
    /// Adjacent regions that deviate from their surroundings, or from the batch.
    pub weak: Vec<WeakArea>,
}

impl Surface {
    /// From the first region to the end of the last one.
    pub fn span(&self) -> Span {
        let first = self.regions.first().map_or(Bytes::ZERO, |r| r.span.start);
        let end = self.regions.last().map_or(first, |r| r.span.end());
        Span::new(first, end.saturating_sub(first))
    }
}

/// A position of a surface map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Region {
    /// Its location.
    pub span: Span,
    /// Accesses that were completed in it.
    pub ios: u64,
    /// The mean time of an access; absent where none was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<Duration>,
    /// The longest time of an access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<Duration>,
    /// Failed I/Os; the first 1,000 of a job have an address.
    pub failed: u64,
    /// What became of it.
    pub mark: Mark,
}

/// What became of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Like the positions around it.
    Sound,
    /// It deviates from them.
    Slow,
    /// Accesses failed in it.
    Failed,
    /// Nobody was there.
    Unvisited,
}

/// A part of a surface whose accesses take far longer than those around it, or than the batch's there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WeakArea {
    /// Reading, or writing.
    pub op: Op,
    /// The first byte of the first region; the area itself may begin anywhere in it.
    pub from: Bytes,
    /// The end of the last region.
    pub to: Bytes,
    /// How many times as long an access takes, on the mean of all of it.
    pub factor: f64,
    /// The longest time of an access.
    pub worst: Duration,
    /// Minimum number of slow I/Os: if all of them had taken as long as the worst one.
    pub reads: u64,
}
