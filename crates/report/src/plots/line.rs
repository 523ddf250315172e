//! Curves as lines that a screen can show, and in words.

use base::chart::{Curve, Design, Layout, designs};

use super::Drawn;
use crate::chart::{Axis, Drawing, Line, Reading};
use crate::lang::Texts;

/// A line as wide as the page has no more points than this: one for every two pixels.
const MOST_POINTS: usize = 480;
/// One of several side by side has no more than this: with its band, there is one for every pixel or two.
const MOST_POINTS_OF_A_PANEL: usize = 200;

/// How many points a line is drawn with at most.
pub(super) const fn most_points(layout: Layout) -> usize {
    match layout {
        Layout::Overlaid => MOST_POINTS,
        Layout::Panels => MOST_POINTS_OF_A_PANEL,
    }
}

/// The ranges of all lines of a picture, for those who do not see it.
pub(super) fn ranges(lines: &[Line], y: &Axis, right: Option<&Axis>, texts: &Texts) -> String {
    let of = |line: &Line| right.filter(|_| line.on_right).unwrap_or(y);
    let each: Vec<String> = lines
        .iter()
        .map(|line| range(line, of(line).reading, texts))
        .collect();
    match y.reading {
        Reading::Number => format!("{} ({})", texts.clauses(&each), y.label),
        _ => texts.clauses(&each),
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

/// How neighbours are joined into one point.
///
/// Neighbours over bytes hold equal bytes, so that their rate is all bytes over all time: the harmonic mean. An
/// arithmetic one would draw a drive that writes half of its bytes at 2,500 MB/s and half at 350 at 1,425 MB/s, where
/// a stopwatch says 614. Neighbours over time hold equal times, and whatever is no rate is a plain mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// The arithmetic mean.
    ByTime,
    /// The harmonic mean.
    ByBytes,
}

impl Joined {
    /// For the curves of a design.
    pub(super) fn of(design: &Design) -> Joined {
        let over_bytes = [designs::POSITION, designs::AMOUNT].contains(&design.x.quantity);
        let is_rate = [designs::RATE, designs::IOPS].contains(&design.y.quantity);
        match over_bytes && is_rate {
            true => Joined::ByBytes,
            false => Joined::ByTime,
        }
    }

    fn mean(self, values: &[Option<f64>]) -> Option<f64> {
        let there = values.iter().flatten();
        let count = there.clone().count() as f64;
        values.iter().flatten().next()?;
        Some(match self {
            Joined::ByTime => there.sum::<f64>() / count,
            // A stretch without any bytes takes for ever: the sum is infinite, the rate 0.
            Joined::ByBytes => count / there.map(|rate| rate.recip()).sum::<f64>(),
        })
    }
}

/// The least and the greatest of each point.
type Band = (Vec<Option<f64>>, Vec<Option<f64>>);

/// A curve of no more points than can be seen.
struct JoinedCurve {
    /// Where each point begins.
    x: Vec<f64>,
    /// The points' means.
    y: Vec<Option<f64>>,
    /// The least and the greatest of each point, where the curve has a band or neighbours were joined.
    band: Option<Band>,
}

/// Joins neighbours until a curve has no more points than can be seen: the mean of their values is drawn, and their
/// band keeps its extremes, so that no stall is lost.
fn join(curve: &Curve, by: Joined, most: usize) -> JoinedCurve {
    let count = curve.x.len().min(curve.y.len());
    let joined = count.div_ceil(most).max(1);
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
    JoinedCurve {
        x: curve.x[..count].iter().step_by(joined).copied().collect(),
        band: banded.then(|| (of(&low, f64::min), of(&high, f64::max))),
        y: y.chunks(joined).map(|chunk| by.mean(chunk)).collect(),
    }
}

/// A curve as a line.
pub(super) fn line(drawn: &Drawn, by: Joined, most: usize) -> Line {
    let JoinedCurve { x, y, band } = join(drawn.curve, by, most);
    Line {
        colour: drawn.colour.clone(),
        subject: drawn.subject,
        name: drawn.name.clone(),
        letter: drawn.letter.clone(),
        x,
        band,
        y,
        drawing: Drawing::Line,
        gb_a_unit: None,
        on_right: drawn.curve.on_right,
    }
}

/// Bands of more lines than this cover each other and tell nothing.
const MOST_BANDS: usize = 2;

/// Leaves the bands out of a picture of lines whose bands would cover each other; whether it had any.
pub(super) fn leave_out_bands(lines: &mut [Line]) -> bool {
    let banded = |line: &&Line| line.band.is_some();
    let too_many = lines.iter().filter(banded).count() > MOST_BANDS;
    if too_many {
        lines.iter_mut().for_each(|line| line.band = None);
    }
    too_many
}

/// A picture holds no more dots than this: beyond, one would lie on the other.
const MOST_DOTS: usize = 1_200;

/// A curve whose points stand for themselves: bars, or dots. Of very many dots, of each few neighbours in turn the
/// lowest and the highest is kept, so that the cloud is as wide as it was.
pub(super) fn apart(drawn: &Drawn, drawing: Drawing) -> Line {
    let curve = drawn.curve;
    let finite = |y: &Option<f64>| y.filter(|y| y.is_finite());
    let points: Vec<(f64, Option<f64>)> = curve
        .x
        .iter()
        .copied()
        .zip(curve.y.iter().map(finite))
        .collect();
    let few = points.len().div_ceil(MOST_DOTS).max(1);
    let extreme = |(place, chunk): (usize, &[(f64, Option<f64>)])| {
        let by_height = |a: &&(f64, Option<f64>), b: &&(f64, Option<f64>)| {
            let height = |y: Option<f64>| y.unwrap_or(0.0);
            height(a.1).total_cmp(&height(b.1))
        };
        match place % 2 {
            0 => chunk.iter().min_by(by_height).copied(),
            _ => chunk.iter().max_by(by_height).copied(),
        }
    };
    let kept = points.chunks(few).enumerate().filter_map(extreme);
    let (x, y) = kept.unzip();
    Line {
        colour: drawn.colour.clone(),
        subject: drawn.subject,
        name: drawn.name.clone(),
        letter: drawn.letter.clone(),
        x,
        y,
        band: None,
        drawing,
        gb_a_unit: None,
        on_right: drawn.curve.on_right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(curve: &Curve) -> Drawn<'_> {
        Drawn {
            curve,
            subject: 0,
            colour: String::new(),
            name: String::new(),
            letter: String::new(),
        }
    }

    #[test]
    fn rates_over_bytes_are_joined_to_all_bytes_over_all_time() {
        let rates = (0..4_000).map(|i| Some(if i % 2 == 0 { 2_500.0 } else { 350.0 }));
        let curve = Curve::new(
            "write",
            (0..4_000).map(f64::from).collect(),
            rates.collect(),
        );
        let of = |design: &Design| line(&drawn(&curve), Joined::of(design), 500).y[17].unwrap();
        assert!((of(&designs::TRANSFER) - 2.0 / (1.0 / 2_500.0 + 1.0 / 350.0)).abs() < 1e-9);
        assert!((of(&designs::RATE_OVER_TIME) - 1_425.0).abs() < 1e-9);
        assert!(
            (of(&designs::ACCESS) - 1_425.0).abs() < 1e-9,
            "times, no rates"
        );
    }

    #[test]
    fn of_too_many_dots_the_lowest_and_the_highest_stay() {
        let mut y: Vec<Option<f64>> = vec![Some(5.0); 6_000];
        (y[12], y[17]) = (Some(1.0), Some(9.0));
        let curve = Curve::new("write", (0..6_000).map(f64::from).collect(), y);
        let dots = apart(&drawn(&curve), Drawing::Dots);
        assert!(dots.x.len() <= MOST_DOTS);
        assert!(dots.y.contains(&Some(1.0)) && dots.y.contains(&Some(9.0)));
    }

    #[test]
    fn joining_points_keeps_the_extremes() {
        let mut y: Vec<Option<f64>> = vec![Some(1.0); 4_000];
        y[1_234] = Some(99.0);
        y[77] = None;
        let curve = Curve::new("read", (0..4_000).map(f64::from).collect(), y);
        let line = line(&drawn(&curve), Joined::ByTime, 500);
        assert_eq!(line.x.len(), 500);
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
