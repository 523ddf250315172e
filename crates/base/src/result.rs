//! What a method gives: figures with their conditions, charts, notes.
//!
//! A figure without its unit, statistic and conditions is a rumour. Each one says how it was made
//! (statistic, number of samples, interval), in which phase, and under which conditions it may be
//! compared with another ([`Comparable`]). The report and every export draw on these types alone.

use serde::{Deserialize, Serialize};

/// Which of two figures is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name, dotted, stable: `seq1m-q8t1.read`.
    pub key: String,
    /// The number; `None` where there is none, and then `why_not` says why.
    pub value: Option<f64>,
    /// Why there is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Its unit: `MB/s`, `IOPS`, `us`, `ms`, `%`, `count`.
    pub unit: String,
    /// Which of two is better.
    pub better: Better,
    /// How it was made of its samples: `best of 5`, `median of 5`, `p99.9`, `max`, `mean`.
    pub statistic: String,
    /// Number of samples behind it (runs, or I/Os for a distribution's figure).
    pub n: u64,
    /// An interval for the figure, where samples allow one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The phases it comes from.
    pub phases: Vec<String>,
    /// Under which conditions it may be compared.
    pub comparable_by: Comparable,
}

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end, in the figure's unit.
    pub low: f64,
    /// Upper end, in the figure's unit.
    pub high: f64,
    /// The confidence that it really has, in per cent.
    pub confidence_percent: f64,
}

/// The conditions of a figure: two figures are comparable where all of these agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparable {
    /// Where it was measured: `1000 MiB from 0 B`.
    pub span: String,
    /// What was written: `fresh, 0 % compressible`, `zeros`; empty where nothing was.
    pub data: String,
    /// Alignment of accesses: `4 KiB`.
    pub alignment: String,
    /// The state of the drive before the run; `unknown` on a real one. Set by the lab.
    pub state: String,
    /// The scale, and `changed` where settings were. Set by the lab.
    pub scale: String,
}

/// What a method returns: figures, what to draw, and what a reader must know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodOutput {
    /// The figures.
    pub figures: Vec<Figure>,
    /// What to draw.
    pub charts: Vec<Chart>,
    /// What a reader must know: quirks of the original that distort, shortcuts taken.
    pub notes: Vec<String>,
    /// What spoils or limits the figures: a drive that did not become steady.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One picture, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// Its name, stable: `transfer`, `response`, `latency`.
    pub key: String,
    /// What kind of picture.
    pub kind: ChartKind,
    /// What is drawn in it.
    pub curves: Vec<Curve>,
    /// Single points to mark: the worst I/Os of a timeline.
    #[serde(default)]
    pub marks: Vec<Mark>,
}

/// Kinds of pictures, with their axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// x: position in bytes; y: MB/s (10^6), with a min-max band.
    Transfer,
    /// x: response time in us, lower edge of a bucket; y: number of I/Os in it. Both logarithmic.
    Response,
    /// x: seconds since the phase began; y: latency in ms (mean, band up to the worst).
    Latency,
    /// x: seconds since the phase began; y: MB/s (10^6).
    Rate,
    /// x: seconds since the run began; y: the drive's temperature in degrees Celsius.
    Temperature,
    /// x: number of a round of the same work, from 1; y: what it gave, in per cent of the mean over the
    /// rounds that its figure is made of.
    Rounds,
    /// x: I/Os a second; y: latency in ms. Both logarithmic.
    Load,
    /// x: writes a second; y: reads a second.
    Frontier,
    /// x: seconds, of a rest or since the phase began; y: GB (10^9).
    Volume,
    /// x: position in bytes; y: response time in ms (mean, band from least to greatest).
    Access,
    /// x: bytes an access, logarithmic; y: MB/s (10^6).
    Sizes,
    /// x: per cent of the written data that can be compressed; y: MB/s (10^6).
    Compression,
}

/// One line (or histogram) of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// `read`, `write`, or what else tells it apart.
    pub name: String,
    /// Positions on the x axis, ascending.
    pub x: Vec<f64>,
    /// Values; `None` where there is none.
    pub y: Vec<Option<f64>>,
    /// Lower edge of the band, if any; as long as `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Vec<Option<f64>>>,
    /// Upper edge of the band, if any; as long as `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Vec<Option<f64>>>,
}

/// One marked point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Position on the x axis.
    pub x: f64,
    /// Position on the y axis.
    pub y: f64,
    /// What it is: `write 4 KiB at 12.3 GB, 212 ms, beside 31 reads`.
    pub label: String,
}
