//! Response-time histograms: how many I/Os took how long, both axes logarithmic.
//!
//! A result lists buckets by their lower edge; an empty one may be left out. So buckets of
//! all curves are mapped to common edges, gaps are filled with empty buckets, and the overlap of
//! reads and writes (the lesser of the two counts) is a histogram of its own: it is drawn, not left
//! to the mixing of two transparent colours, which differs between screen and print.

use std::collections::BTreeMap;

use base::chart::Curve;

use super::Drawn;
use crate::chart::{Drawing, Line, Reading};
use crate::lang::Texts;
use crate::number;

/// Edges are told apart to a thousandth of a decade.
const EDGES_A_DECADE: f64 = 1_000.0;
/// The colour of the overlap.
pub(crate) const OVERLAP: &str = "op-overlap";

/// Buckets of several curves on one row of edges.
struct Row {
    /// Edges in us, the end of the last bucket included.
    edges: Vec<f64>,
    /// For each curve, the count of the bucket that begins at each edge; the last is always 0.
    counts: Vec<Vec<f64>>,
}

impl Row {
    fn new(curves: &[&Curve]) -> Row {
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

/// Each curve as a histogram, and the overlap of reads and writes where there is nothing else.
pub(super) fn lines(curves: &[Drawn], texts: &Texts) -> Vec<Line> {
    let row = Row::new(&curves.iter().map(|drawn| drawn.curve).collect::<Vec<_>>());
    let histogram = |drawn: &Drawn, counts: &[f64]| Line {
        colour: drawn.colour.clone(),
        subject: drawn.subject,
        name: drawn.name.clone(),
        letter: drawn.letter.clone(),
        x: row.edges.clone(),
        y: counts.iter().map(|count| Some(*count)).collect(),
        band: None,
        drawing: Drawing::Histogram,
        gb_a_unit: None,
        on_right: false,
    };
    let each = curves.iter().zip(&row.counts);
    let mut lines: Vec<Line> = each
        .map(|(drawn, counts)| histogram(drawn, counts))
        .collect();
    let of = |colour: &str| curves.iter().position(|drawn| drawn.colour == colour);
    if let (Some(read), Some(write), 2) = (of("op-read"), of("op-write"), curves.len()) {
        lines.push(Line {
            colour: OVERLAP.to_owned(),
            name: texts.say("overlap"),
            ..histogram(&curves[read], &row.overlap(read, write))
        });
    }
    lines
}

/// Number, peak and longest of each histogram, for those who do not see it.
pub(super) fn description(lines: &[Line], texts: &Texts) -> String {
    let of = |line: &Line| {
        let counts = || line.y.iter().map(|count| count.unwrap_or(0.0));
        let most = counts().fold(0.0, f64::max);
        let at = |wanted: Option<usize>| {
            let edge = wanted.and_then(|i| line.x.get(i));
            edge.map_or_else(|| texts.say("no-value"), |e| Reading::Micros.print(*e))
        };
        let counts: Vec<f64> = counts().collect();
        let peak = at(counts.iter().position(|c| *c > 0.0 && *c >= most));
        let longest = at(counts.iter().rposition(|c| *c > 0.0));
        let total = number::value(counts.iter().sum(), "count");
        texts.with(
            "peak-text",
            &[
                ("name", &line.name),
                ("count", &total),
                ("peak", &peak),
                ("longest", &longest),
            ],
        )
    };
    let own = lines.iter().filter(|line| line.colour != OVERLAP);
    texts.clauses(&own.map(of).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, buckets: &[(f64, f64)]) -> Curve {
        let (x, y) = buckets.iter().map(|b| (b.0, Some(b.1))).unzip();
        Curve::new(name, x, y)
    }

    #[test]
    fn a_bucket_that_was_left_out_is_empty_and_no_bucket_is_stretched() {
        let reads = curve("read", &[(10.0, 4.0), (12.589, 2.0), (100.0, 1.0)]);
        let row = Row::new(&[&reads]);
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
        let row = Row::new(&[&reads, &writes]);
        assert_eq!(row.overlap(0, 1), [0.0, 2.0, 0.0, 0.0]);
    }
}
