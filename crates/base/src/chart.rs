//! Charts as data: what a method wants to plot, independent of rendering.
//!
//! A chart is a design and its curves. The design defines both axes (quantity, unit, scale), the shape of a curve, and
//! whether drives share a picture or have one each; its texts are in both languages of the report. Everything that
//! draws, compares or searches charts reads the design, so a new kind of chart is a constant in the method that draws
//! it. Designs shared by several methods are in [`designs`].

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Message;

pub mod designs;

/// A text in the languages of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TextInLanguages")]
pub struct Text {
    /// In English.
    pub en: Cow<'static, str>,
    /// Japanese; where it is empty, English is shown.
    #[serde(default)]
    pub ja: Cow<'static, str>,
}

impl Text {
    /// A text to print.
    pub const fn new(en: &'static str, ja: &'static str) -> Text {
        Text {
            en: Cow::Borrowed(en),
            ja: Cow::Borrowed(ja),
        }
    }
}

/// How an axis spreads its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "AxisScale")]
pub enum Scale {
    /// Equal differences are equally long; from 0.
    Linear,
    /// Equal ratios are equally long.
    Log,
    /// Equal ratios are equally long, with ticks at powers of two, as sizes and queue depths have them.
    Log2,
    /// Linear, or logarithmic if the curves are so far apart that the lowest would be flat.
    Adaptive,
}

/// One axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Axis {
    /// What is measured: `Latency`.
    pub quantity: Text,
    /// The unit of the values. `us` and `ms` (times), `%` and `B` (bytes) are printed with each value, in a suitable
    /// multiple; `one-in` is the inverse of the share beyond a percentile (1,000 is the 99.9th); any other is named
    /// once, next to the quantity. Empty for a plain number.
    pub unit: Cow<'static, str>,
    /// How it spreads its values.
    pub scale: Scale,
    /// First and last value, in the unit; from the curves where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
}

impl Axis {
    /// A linear axis.
    pub const fn linear(quantity: Text, unit: &'static str) -> Axis {
        Axis::scaled(quantity, unit, Scale::Linear)
    }

    /// A logarithmic axis.
    pub const fn log(quantity: Text, unit: &'static str) -> Axis {
        Axis::scaled(quantity, unit, Scale::Log)
    }

    /// A logarithmic axis of powers of two.
    pub const fn log2(quantity: Text, unit: &'static str) -> Axis {
        Axis::scaled(quantity, unit, Scale::Log2)
    }

    /// A linear axis that becomes logarithmic where the curves are far apart.
    pub const fn adaptive(quantity: Text, unit: &'static str) -> Axis {
        Axis::scaled(quantity, unit, Scale::Adaptive)
    }

    /// The axis from the first to the second value.
    pub const fn within(mut self, range: [f64; 2]) -> Axis {
        self.range = Some(range);
        self
    }

    const fn scaled(quantity: Text, unit: &'static str, scale: Scale) -> Axis {
        Axis {
            quantity,
            unit: Cow::Borrowed(unit),
            scale,
            range: None,
        }
    }
}

/// How the curves of several drives are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Drives are overlaid: one picture per curve name, with one line per drive.
    Overlaid,
    /// A picture for each drive with all its curves, on the same axes.
    Panels,
}

/// The shape of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// A line, with its band if it has one.
    Line,
    /// A histogram: x is the lower edge of a bucket, y its count; empty buckets may be omitted.
    Histogram,
    /// A bar for each point, those of several curves side by side.
    Bars,
    /// A dot for each point, not joined by lines: it shows scatter.
    Dots,
}

/// The texts and the style of a picture, without its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Design {
    /// What it shows.
    pub title: Text,
    /// How to read it.
    pub explanation: Text,
    /// How drives are laid out.
    pub layout: Layout,
    /// The shape of its curves.
    pub shape: Shape,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Whether overlaid drives also get a panel each with all their curves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub panels_too: bool,
    /// A second vertical axis, on the right, for the curves that use it; absent if all use the left one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<RightAxis>,
}

/// The vertical axis on the right, over the same positions: HD Tune plots the access time there, next to the rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RightAxis {
    /// What is along it.
    pub axis: Axis,
    /// The shape of its curves.
    pub shape: Shape,
}

impl Design {
    /// A picture of lines for each drive.
    pub const fn panels(title: Text, explanation: Text, x: Axis, y: Axis) -> Design {
        Design {
            title,
            explanation,
            layout: Layout::Panels,
            shape: Shape::Line,
            x,
            y,
            panels_too: false,
            right: None,
        }
    }

    /// A picture for each drive with lines on the left axis, and others on the right axis.
    pub const fn two_axes(
        title: Text,
        explanation: Text,
        x: Axis,
        left: Axis,
        right: RightAxis,
    ) -> Design {
        Design {
            title,
            explanation,
            layout: Layout::Panels,
            shape: Shape::Line,
            x,
            y: left,
            panels_too: false,
            right: Some(right),
        }
    }

    /// A picture for each curve's name, with a line for each drive.
    pub const fn overlaid(title: Text, explanation: Text, x: Axis, y: Axis) -> Design {
        Design {
            title,
            explanation,
            layout: Layout::Overlaid,
            shape: Shape::Line,
            x,
            y,
            panels_too: false,
            right: None,
        }
    }

    /// The same with another shape of its curves.
    pub const fn drawn_as(mut self, shape: Shape) -> Design {
        self.shape = shape;
        self
    }

    /// The same with a panel for each drive, too.
    pub const fn with_panels(mut self) -> Design {
        self.panels_too = true;
        self
    }

    /// Whether the axes show these quantities.
    pub fn shows(&self, y: &Text, over: &Text) -> bool {
        self.y.quantity == *y && self.x.quantity == *over
    }
}

/// One picture, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Stored")]
pub struct Chart {
    /// Its name, stable: `transfer`, `response`, `alone.latency`. The part before the last dot is the subject.
    pub key: String,
    /// Its texts and style. A rate over time may be a method's own; a phase with a step in its level gets one,
    /// `PHASE.rate`, with the steps as marks. `drivelab.result/1` had a word, `kind`, instead; drivelab reads both.
    pub design: Design,
    /// What is drawn in it.
    pub curves: Vec<Curve>,
    /// Single points to mark: the worst I/Os of a timeline.
    pub marks: Vec<Mark>,
}

impl Chart {
    /// A chart without marked points.
    pub fn new(key: impl Into<String>, design: Design, curves: Vec<Curve>) -> Chart {
        Chart {
            key: key.into(),
            design,
            curves,
            marks: Vec::new(),
        }
    }
}

/// One line (or histogram) of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Curve {
    /// `read`, `write`, or another distinguishing name.
    pub name: String,
    /// Positions on the x axis, ascending.
    pub x: Vec<f64>,
    /// Values, as many as `x`; `null` if there is none.
    pub y: Vec<Option<f64>>,
    /// Lower edge of the band, if any; as long as `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Vec<Option<f64>>>,
    /// Upper edge of the band, if any; as long as `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Vec<Option<f64>>>,
    /// Whether its values are along the axis on the right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_right: bool,
}

impl Curve {
    /// A curve without a band.
    pub fn new(name: impl Into<String>, x: Vec<f64>, y: Vec<Option<f64>>) -> Curve {
        Curve {
            name: name.into(),
            x,
            y,
            low: None,
            high: None,
            on_right: false,
        }
    }

    /// A curve without a band, by its points.
    pub fn through(
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, Option<f64>)>,
    ) -> Curve {
        let (x, y) = points.into_iter().unzip();
        Curve::new(name, x, y)
    }

    /// The curve along the axis on the right.
    #[must_use]
    pub fn on_right(mut self) -> Curve {
        self.on_right = true;
        self
    }

    /// The curve with a band; each edge as long as the curve.
    #[must_use]
    pub fn with_band(mut self, low: Vec<Option<f64>>, high: Vec<Option<f64>>) -> Curve {
        self.low = Some(low);
        self.high = Some(high);
        self
    }
}

/// One marked point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ChartMark")]
pub struct Mark {
    /// The name of the curve that it belongs to; absent if it belongs to all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<String>,
    /// Position on the x axis.
    pub x: f64,
    /// Position on the y axis.
    pub y: f64,
    /// A description: `write of 4 KiB at 12.3 GB: 212 ms, beside 31 reads and 0 writes`.
    pub label: Message,
}

/// A chart as stored: with its design, or, in results of the first version of the schema, with a word for it.
#[derive(Deserialize, JsonSchema)]
struct Stored {
    key: String,
    design: Option<Design>,
    kind: Option<String>,
    curves: Vec<Curve>,
    #[serde(default)]
    marks: Vec<Mark>,
}

/// Why a stored chart cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Unreadable {
    #[error("the chart '{0}' has neither a design nor a kind")]
    NoDesign(String),
    #[error("the chart '{0}' has an unknown kind, '{1}'")]
    UnknownKind(String, String),
}

impl TryFrom<Stored> for Chart {
    type Error = Unreadable;

    fn try_from(mut stored: Stored) -> Result<Chart, Unreadable> {
        let design = match (stored.design, stored.kind) {
            (Some(design), _) => design,
            (None, None) => return Err(Unreadable::NoDesign(stored.key)),
            (None, Some(kind)) => {
                stored.marks = of_their_curves(stored.marks, &stored.curves);
                let found = of_first_version(&kind, &stored.key);
                found.ok_or_else(|| Unreadable::UnknownKind(stored.key.clone(), kind))?
            }
        };
        Ok(Chart {
            key: stored.key,
            design,
            curves: stored.curves,
            marks: stored.marks,
        })
    }
}

/// The design of a chart of the first version; the title states what only its key said.
fn of_first_version(kind: &str, key: &str) -> Option<Design> {
    let mut design = designs::of_first_version(kind)?;
    let last = key.rsplit('.').next().unwrap_or(key);
    if designs::of_first_version(last).is_none() {
        for text in [&mut design.title.en, &mut design.title.ja] {
            *text = format!("{text} · {last}").into();
        }
    }
    Some(design)
}

/// Marks of the first version named their curve in front of a colon.
fn of_their_curves(marks: Vec<Mark>, curves: &[Curve]) -> Vec<Mark> {
    let name = |mark: &Mark| {
        let names = curves.iter().map(|curve| &curve.name);
        let mut own = names.filter(|name| {
            let rest = mark.label.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.starts_with(':'))
        });
        own.next().cloned()
    };
    let of = |mark: Mark| Mark {
        curve: name(&mark),
        ..mark
    };
    marks.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = r#"{"key": "fill", "kind": "transfer",
        "curves": [{"name": "write", "x": [0.0, 1.0], "y": [500.0, null], "low": [1.0, null]}],
        "marks": [{"x": 1.0, "y": 2.0, "label": "write: level from 5 to 4 MB/s"}]}"#;

    #[test]
    fn a_chart_reads_back_as_it_was_written() {
        let chart = Chart {
            marks: vec![Mark {
                curve: Some("read".to_owned()),
                x: 1.0,
                y: 2.0,
                label: Message::as_it_stands("a step"),
            }],
            ..Chart::new(
                "alone.rate",
                designs::COMPRESSION,
                vec![Curve::new("read", vec![1.0], vec![None])],
            )
        };
        let text = serde_json::to_string(&chart).unwrap();
        assert_eq!(serde_json::from_str::<Chart>(&text).unwrap(), chart);
    }

    #[test]
    fn a_chart_of_the_first_version_gets_the_design_of_its_kind() {
        let chart: Chart = serde_json::from_str(FIRST).unwrap();
        assert_eq!(chart.design.x, designs::TRANSFER.x);
        assert_eq!(
            chart.design.title.en, "Transfer rate by position · fill",
            "the key says more than the kind"
        );
        assert_eq!(chart.marks[0].curve.as_deref(), Some("write"));
        let plain: Chart =
            serde_json::from_str(&FIRST.replace("\"fill\"", "\"a.transfer\"")).unwrap();
        assert_eq!(plain.design, designs::TRANSFER);
    }

    #[test]
    fn every_kind_of_the_first_version_is_read_and_no_other() {
        for kind in [
            "transfer",
            "response",
            "latency",
            "rate",
            "temperature",
            "rounds",
            "load",
            "frontier",
            "volume",
            "access",
            "sizes",
            "compression",
        ] {
            let text = FIRST.replace("transfer", kind);
            assert!(serde_json::from_str::<Chart>(&text).is_ok(), "{kind}");
        }
        let unknown = serde_json::from_str::<Chart>(&FIRST.replace("transfer", "pie"));
        assert!(unknown.unwrap_err().to_string().contains("'pie'"));
        let neither = serde_json::from_str::<Chart>(&FIRST.replace("kind", "sort"));
        assert!(neither.unwrap_err().to_string().contains("neither"));
    }
}
