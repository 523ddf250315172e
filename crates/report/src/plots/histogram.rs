//! Response-time histograms: how many I/Os took how long, both axes logarithmic.
//!
//! A result lists buckets by their lower edge; one that holds nothing may be left out. So buckets of
//! all curves are laid on one row of edges, gaps are filled with empty buckets, and the overlap of
//! reads and writes (the lesser of the two counts) is a histogram of its own: it is drawn, not left
//! to the mixing of two transparent colours, which differs between screen and print.

use std::collections::BTreeMap;

use base::result::{Chart, Curve};

use super::{PlotGroup, Source, curve_name, direction_colour, title};
use crate::chart::{Axis, Line, Plot, Reading, Scale};
use crate::lang::Texts;
use crate::number;
use analysis::group::Subject;
use analysis::key;

/// Edges are told apart to a thousandth of a decade.
const EDGES_A_DECADE: f64 = 1_000.0;
/// The height of "less than one" on the logarithmic axis.
const FLOOR: f64 = 0.5;

/// A picture for each drive, on the same axes.
pub(super) fn group(source: &Source, texts: &Texts) -> PlotGroup {
    let rows: Vec<(&Subject, &Chart, Row)> = source
        .of
        .iter()
        .map(|(subject, chart)| (*subject, *chart, Row::new(&chart.curves)))
        .filter(|(_, _, row)| row.edges.len() > 1)
        .collect();
    let edges = || rows.iter().flat_map(|(_, _, row)| &row.edges).copied();
    let counts = rows
        .iter()
        .flat_map(|(_, _, row)| row.counts.iter().flatten());
    let x = Axis {
        label: texts.say("response-axis"),
        scale: Scale::Log,
        reading: Reading::Micros,
        low: edges().fold(f64::INFINITY, f64::min),
        high: edges().fold(0.0, f64::max),
    };
    let y = Axis {
        label: texts.say("count-axis"),
        scale: Scale::Log,
        reading: Reading::Number,
        low: FLOOR,
        high: counts.copied().fold(1.0, f64::max) * 2.0,
    };
    let title = title("response", source.key, "", texts);
    let plots = rows
        .iter()
        .map(|(subject, chart, row)| Plot {
            id: String::new(),
            subject: Some(subject.index),
            title: format!("{} · {title}", subject.title),
            description: description(&chart.curves, row, texts),
            x: x.clone(),
            y: y.clone(),
            lines: lines(subject, &chart.curves, row, texts),
            marks: Vec::new(),
        })
        .collect();
    PlotGroup {
        title,
        explanation: texts.say("desc-response"),
        plots,
    }
}

/// Buckets of several curves on one row of edges.
struct Row {
    /// Edges in us, the end of the last bucket included.
    edges: Vec<f64>,
    /// For each curve, the count of the bucket that begins at each edge; the last is always 0.
    counts: Vec<Vec<f64>>,
}

impl Row {
    fn new(curves: &[Curve]) -> Row {
        let mut buckets: BTreeMap<i64, (f64, Vec<f64>)> = BTreeMap::new();
        for (place, curve) in curves.iter().enumerate() {
            for (x, y) in curve.x.iter().zip(&curve.y) {
                if !(*x > 0.0 && x.is_finite()) {
                    continue;
                }
                let edge = (libm::log10(*x) * EDGES_A_DECADE).round() as i64;
                let bucket = buckets.entry(edge).or_insert((*x, vec![0.0; curves.len()]));
                bucket.1[place] += y.filter(|y| *y > 0.0 && y.is_finite()).unwrap_or(0.0);
            }
        }
        Row::from_buckets(&buckets, curves.len())
    }

    fn from_buckets(buckets: &BTreeMap<i64, (f64, Vec<f64>)>, curves: usize) -> Row {
        let mut row = Row {
            edges: Vec::new(),
            counts: vec![Vec::new(); curves],
        };
        let keys: Vec<i64> = buckets.keys().copied().collect();
        let step = keys
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .min()
            .unwrap_or(50);
        let width = libm::pow(10.0, step as f64 / EDGES_A_DECADE);
        for (at, (key, (x, counts))) in buckets.iter().enumerate() {
            row.push(*x, counts);
            // Steps are rounded to whole thousandths, so that one may be a little longer than another.
            let gap = keys
                .get(at + 1)
                .is_none_or(|next| next - key > step + step / 2);
            if gap {
                row.push(x * width, &vec![0.0; curves]);
            }
        }
        row
    }

    fn push(&mut self, edge: f64, counts: &[f64]) {
        self.edges.push(edge);
        for (column, count) in self.counts.iter_mut().zip(counts) {
            column.push(*count);
        }
    }

    /// The lesser count of two curves, bucket by bucket.
    fn overlap(&self, a: usize, b: usize) -> Vec<f64> {
        let pairs = self.counts[a].iter().zip(&self.counts[b]);
        pairs.map(|(a, b)| a.min(*b)).collect()
    }
}

fn lines(subject: &Subject, curves: &[Curve], row: &Row, texts: &Texts) -> Vec<Line> {
    let histogram = |colour: String, name: String, counts: &[f64]| Line {
        colour,
        subject: subject.index,
        name,
        letter: String::new(),
        x: row.edges.clone(),
        y: counts.iter().map(|count| Some(*count)).collect(),
        band: None,
        is_histogram: true,
        gb_a_unit: None,
    };
    let mut lines: Vec<Line> = curves
        .iter()
        .zip(&row.counts)
        .enumerate()
        .map(|(place, (curve, counts))| {
            let colour = direction_colour(&curve.name, place);
            histogram(colour, curve_name(&curve.name, texts), counts)
        })
        .collect();
    let of = |op| {
        curves
            .iter()
            .position(|c| key::direction(&c.name) == Some(op))
    };
    if let (Some(read), Some(write), 2) = (
        of(base::io::Op::Read),
        of(base::io::Op::Write),
        curves.len(),
    ) {
        let overlap = row.overlap(read, write);
        lines.push(histogram(
            "op-overlap".to_owned(),
            texts.say("overlap"),
            &overlap,
        ));
    }
    lines
}

fn description(curves: &[Curve], row: &Row, texts: &Texts) -> String {
    let each: Vec<String> = curves
        .iter()
        .zip(&row.counts)
        .map(|(curve, counts)| {
            let total: f64 = counts.iter().sum();
            let most = counts.iter().copied().fold(0.0, f64::max);
            let at = |wanted: Option<usize>| {
                let edge = wanted.and_then(|i| row.edges.get(i));
                edge.map_or_else(|| texts.say("no-value"), |e| Reading::Micros.print(*e))
            };
            let peak = at(counts.iter().position(|c| *c > 0.0 && *c >= most));
            let longest = at(counts.iter().rposition(|c| *c > 0.0));
            let name = curve_name(&curve.name, texts);
            let total = number::value(total, "count");
            texts.with(
                "peak-text",
                &[
                    ("name", &name),
                    ("count", &total),
                    ("peak", &peak),
                    ("longest", &longest),
                ],
            )
        })
        .collect();
    each.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, buckets: &[(f64, f64)]) -> Curve {
        Curve {
            name: name.to_owned(),
            x: buckets.iter().map(|b| b.0).collect(),
            y: buckets.iter().map(|b| Some(b.1)).collect(),
            low: None,
            high: None,
        }
    }

    #[test]
    fn a_bucket_that_was_left_out_is_empty_and_no_bucket_is_stretched() {
        let reads = curve("read", &[(10.0, 4.0), (12.589, 2.0), (100.0, 1.0)]);
        let row = Row::new(&[reads]);
        assert_eq!(row.counts[0], [4.0, 2.0, 0.0, 1.0, 0.0]);
        let ends = [row.edges[2] / row.edges[1], row.edges[4] / row.edges[3]];
        for width in ends {
            assert!((width - 1.2589).abs() < 1e-3, "{width}");
        }
    }

    #[test]
    fn the_overlap_is_the_lesser_of_reads_and_writes() {
        let reads = curve("read", &[(10.0, 4.0), (20.0, 2.0)]);
        let writes = curve("write", &[(20.0, 5.0), (40.0, 1.0)]);
        let row = Row::new(&[reads, writes]);
        assert_eq!(row.overlap(0, 1), [0.0, 2.0, 0.0, 0.0]);
    }
}
