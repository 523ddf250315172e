//! What a maker's data sheet rates a drive at, with the conditions of each figure.
//!
//! Ratings are no part of a model: a model *has* rates, and a rating says what they should come to. They stand in the
//! drive's file, under `[rated]`, so that `drivelab calibrate FILE` can bring the two together and `drivelab show` can
//! tell them apart:
//!
//! ```toml
//! [rated]
//! sequential_read_mb_s = { value = 560.0, block_kib = 128, depth = 32 }
//! random_write_steady_iops = { value = 58000.0, depth = 32 }
//! ```
//!
//! Conditions that a sheet does not give are those that makers use: 128 KiB sequential and 4 KiB random, 32 in flight
//! from one program on SATA and from eight on NVMe, and one in flight for latencies.

use serde::Deserialize;

use crate::sheet::reading::Placed;

/// A rated figure with its conditions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatedValue {
    value: Placed<f64>,
    /// KiB an I/O.
    pub block_kib: Option<u32>,
    /// I/Os in flight, of each program.
    pub depth: Option<u32>,
    /// Programs at once.
    pub jobs: Option<u32>,
    /// Where it is rated so, if not in the maker's data sheet.
    pub why: Option<String>,
}

impl RatedValue {
    /// The figure, in the unit that its key ends in.
    pub fn get(&self) -> f64 {
        self.value.value
    }
}

/// What a drive can be rated at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RatedFigure {
    /// Sequential reads, MB/s.
    SequentialRead,
    /// Sequential writes to an empty drive, MB/s.
    SequentialWrite,
    /// Random reads, I/Os a second.
    RandomRead,
    /// Random writes to an empty drive, I/Os a second.
    RandomWrite,
    /// Random writes in steady state, I/Os a second.
    RandomWriteSteady,
    /// A lone random read, microseconds.
    RandomReadLatency,
    /// A lone random write, microseconds.
    RandomWriteLatency,
    /// A lone sequential read, microseconds.
    SequentialReadLatency,
    /// A lone sequential write, microseconds.
    SequentialWriteLatency,
}

impl RatedFigure {
    /// All, as a data sheet lists them.
    pub const ALL: [RatedFigure; 9] = [
        RatedFigure::SequentialRead,
        RatedFigure::SequentialWrite,
        RatedFigure::RandomRead,
        RatedFigure::RandomWrite,
        RatedFigure::RandomWriteSteady,
        RatedFigure::RandomReadLatency,
        RatedFigure::RandomWriteLatency,
        RatedFigure::SequentialReadLatency,
        RatedFigure::SequentialWriteLatency,
    ];

    /// Its key in a file.
    pub const fn key(self) -> &'static str {
        match self {
            RatedFigure::SequentialRead => "sequential_read_mb_s",
            RatedFigure::SequentialWrite => "sequential_write_mb_s",
            RatedFigure::RandomRead => "random_read_iops",
            RatedFigure::RandomWrite => "random_write_iops",
            RatedFigure::RandomWriteSteady => "random_write_steady_iops",
            RatedFigure::RandomReadLatency => "random_read_latency_us",
            RatedFigure::RandomWriteLatency => "random_write_latency_us",
            RatedFigure::SequentialReadLatency => "sequential_read_latency_us",
            RatedFigure::SequentialWriteLatency => "sequential_write_latency_us",
        }
    }

    /// What it means, in words.
    pub const fn meaning(self) -> &'static str {
        match self {
            RatedFigure::SequentialRead => "reads in order",
            RatedFigure::SequentialWrite => "writes in order, to an empty drive",
            RatedFigure::RandomRead => "reads at random",
            RatedFigure::RandomWrite => "writes at random, to an empty drive",
            RatedFigure::RandomWriteSteady => {
                "writes at random, when nothing changes any more (servers' drives)"
            }
            RatedFigure::RandomReadLatency => "a lone read at random",
            RatedFigure::RandomWriteLatency => "a lone write at random",
            RatedFigure::SequentialReadLatency => "a lone read in order",
            RatedFigure::SequentialWriteLatency => "a lone write in order",
        }
    }
}

/// The `[rated]` section: everything may be left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rated {
    sequential_read_mb_s: Option<RatedValue>,
    sequential_write_mb_s: Option<RatedValue>,
    random_read_iops: Option<RatedValue>,
    random_write_iops: Option<RatedValue>,
    random_write_steady_iops: Option<RatedValue>,
    random_read_latency_us: Option<RatedValue>,
    random_write_latency_us: Option<RatedValue>,
    sequential_read_latency_us: Option<RatedValue>,
    sequential_write_latency_us: Option<RatedValue>,
}

impl Rated {
    /// The rated figures in the order of a fit: a figure comes after those that it depends on.
    pub fn figures(&self) -> Vec<(RatedFigure, &RatedValue)> {
        let all = [
            (
                RatedFigure::SequentialReadLatency,
                &self.sequential_read_latency_us,
            ),
            (RatedFigure::RandomReadLatency, &self.random_read_latency_us),
            (
                RatedFigure::SequentialWriteLatency,
                &self.sequential_write_latency_us,
            ),
            (
                RatedFigure::RandomWriteLatency,
                &self.random_write_latency_us,
            ),
            (RatedFigure::SequentialRead, &self.sequential_read_mb_s),
            (RatedFigure::SequentialWrite, &self.sequential_write_mb_s),
            (RatedFigure::RandomRead, &self.random_read_iops),
            (RatedFigure::RandomWrite, &self.random_write_iops),
            (
                RatedFigure::RandomWriteSteady,
                &self.random_write_steady_iops,
            ),
        ];
        all.into_iter()
            .filter_map(|(figure, value)| Some((figure, value.as_ref()?)))
            .collect()
    }

    /// All that are no rate or time, in words, and where they stand.
    pub(super) fn faults(&self) -> Vec<crate::sheet::Fault> {
        let wrong = |value: &RatedValue| {
            let none = |number: Option<u32>| number == Some(0);
            let conditions = [value.block_kib, value.depth, value.jobs];
            !(value.get() > 0.0 && value.get().is_finite()) || conditions.into_iter().any(none)
        };
        let fault = |(figure, value): (RatedFigure, &RatedValue)| crate::sheet::Fault {
            message: format!("rated.{} and its conditions are above zero", figure.key()),
            span: value.value.span.clone(),
        };
        let figures = self.figures().into_iter();
        figures
            .filter(|(_, value)| wrong(value))
            .map(fault)
            .collect()
    }
}
