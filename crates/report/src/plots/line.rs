//! Curves as lines that a screen can show, and in words.

use super::Drawn;
use crate::chart::{Axis, Line, Reading};
use crate::lang::Texts;

/// A line is drawn with no more points than this: more than a screen has pixels for.
const MOST_POINTS: usize = 1_000;

/// The ranges of all lines of a picture, for those who do not see it.
pub(super) fn ranges(lines: &[Line], y: &Axis, texts: &Texts) -> String {
    let each: Vec<String> = lines
        .iter()
        .map(|line| range(line, y.reading, texts))
        .collect();
    match y.reading {
        Reading::Number => format!("{} ({})", each.join("; "), y.label),
        _ => each.join("; "),
    }
}

/// Lowest and highest value of a line and its band, in words.
fn range(line: &Line, reading: Reading, texts: &Texts) -> String {
    let band = line
        .band
        .iter()
        .flat_map(|(low, high)| low.iter().chain(high));
    let (low, high) = line
        .y
        .iter()
        .chain(band)
        .flatten()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(*v), high.max(*v))
        });
    let print = |v: f64| {
        if v.is_finite() {
            reading.print(v)
        } else {
            texts.say("no-value")
        }
    };
    let (low, high) = (print(low), print(high));
    texts.with(
        "range-text",
        &[("name", &line.name), ("low", &low), ("high", &high)],
    )
}

/// A curve as a line, with no more points than can be seen: neighbours are joined, the mean of their
/// values is drawn, and their band keeps its extremes, so that no stall is lost.
pub(super) fn line(drawn: &Drawn) -> Line {
    let curve = drawn.curve;
    let count = curve.x.len().min(curve.y.len());
    let joined = count.div_ceil(MOST_POINTS).max(1);
    let finite = |v: &Option<f64>| v.filter(|v| v.is_finite());
    let y: Vec<Option<f64>> = curve.y[..count].iter().map(finite).collect();
    let edge = |edge: &Option<Vec<Option<f64>>>| -> Vec<Option<f64>> {
        match edge {
            Some(values) => (0..count)
                .map(|i| values.get(i).and_then(finite).or(y[i]))
                .collect(),
            None => y.clone(),
        }
    };
    let (low, high) = (edge(&curve.low), edge(&curve.high));
    let banded = curve.low.is_some() || curve.high.is_some() || joined > 1;
    let fold = |values: &[Option<f64>], by: fn(f64, f64) -> f64| {
        values.iter().flatten().copied().reduce(by)
    };
    let of = |values: &[Option<f64>], by: fn(f64, f64) -> f64| -> Vec<Option<f64>> {
        values.chunks(joined).map(|chunk| fold(chunk, by)).collect()
    };
    let mean = |chunk: &[Option<f64>]| {
        let there = chunk.iter().flatten().count();
        (there > 0).then(|| chunk.iter().flatten().sum::<f64>() / there as f64)
    };
    Line {
        colour: drawn.colour.clone(),
        subject: drawn.subject,
        name: drawn.name.clone(),
        letter: drawn.letter.clone(),
        x: curve.x[..count].iter().step_by(joined).copied().collect(),
        band: banded.then(|| (of(&low, f64::min), of(&high, f64::max))),
        y: y.chunks(joined).map(mean).collect(),
        is_histogram: false,
        gb_a_unit: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::chart::Curve;

    #[test]
    fn joining_points_keeps_the_extremes() {
        let mut y: Vec<Option<f64>> = vec![Some(1.0); 4_000];
        y[1_234] = Some(99.0);
        y[77] = None;
        let curve = Curve::new("read", (0..4_000).map(f64::from).collect(), y);
        let line = line(&Drawn {
            curve: &curve,
            subject: 0,
            colour: String::new(),
            name: String::new(),
            letter: String::new(),
        });
        assert_eq!(line.x.len(), MOST_POINTS);
        let highest = line
            .band
            .unwrap()
            .1
            .into_iter()
            .flatten()
            .fold(0.0, f64::max);
        assert!((highest - 99.0).abs() < 1e-12);
    }
}
