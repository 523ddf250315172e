//! Which number of a result is compared with a published one.
//!
//! | written | is |
//! |---|---|
//! | `seq.read` | a figure of the method, by its key |
//! | `response/read > 10ms` | of a distribution, the share of responses longer than that |
//! | `transfer/write @ first` | of a curve, its first point; so are `last`, `least`, `most` and `median` |
//! | `transfer/read @ mean of first 78%` | of a curve, the mean over its first so many per cent |
//!
//! The word before the slash is the chart's key, the one after it the curve's name.

use std::collections::BTreeMap;

use base::chart::{Chart, Curve};
use base::time::Duration;
use results::RunResult;
use stats::median;

/// A method's figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// The number, where there is one.
    pub value: Option<f64>,
    pub unit: String,
    /// Why there is none.
    pub why_not: Option<String>,
}

/// What an experiment gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Figures by their keys.
    pub figures: BTreeMap<String, Measured>,
    /// Charts: curves and distributions.
    pub charts: Vec<Chart>,
}

impl Outcome {
    /// Figures and charts of a result, without its phases.
    pub(crate) fn of(result: &RunResult) -> Outcome {
        let figures = result.figures.iter().cloned().map(|figure| {
            let measured = Measured {
                value: figure.value,
                unit: figure.unit,
                why_not: figure.why_not.map(|why| why.to_string()),
            };
            (figure.key, measured)
        });
        Outcome {
            figures: figures.collect(),
            charts: result.charts.clone(),
        }
    }
}

/// One number of a result, named.
#[derive(Clone, Debug, PartialEq)]
pub enum Metric {
    /// A figure's key.
    Figure(String),
    /// The share of a distribution above a limit.
    ShareAbove {
        chart: String,
        curve: String,
        /// Above which response time.
        limit: Duration,
    },
    /// Something of a curve.
    Of {
        chart: String,
        curve: String,
        /// The quantity that is read off.
        what: What,
    },
}

/// What of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// Its first point.
    First,
    /// Its last point.
    Last,
    /// Its lowest point.
    Least,
    /// Its highest point.
    Most,
    /// The median of its points.
    Median,
    /// The mean of the first per cents of its points.
    MeanOfFirst(u8),
}

impl std::str::FromStr for Metric {
    type Err = String;

    fn from_str(text: &str) -> Result<Metric, String> {
        let (place, rest) = match text.find(['>', '@']) {
            None => return figure(text),
            Some(at) => text.split_at(at),
        };
        let (chart, curve) = place
            .trim()
            .split_once('/')
            .ok_or_else(|| format!("'{text}': write chart/curve before the sign"))?;
        let (chart, curve) = (chart.to_owned(), curve.to_owned());
        let sign = &rest[..1];
        let rest = rest[1..].trim();
        if sign == ">" {
            let limit = rest.parse().map_err(|e| format!("'{text}': {e}"))?;
            return Ok(Metric::ShareAbove {
                chart,
                curve,
                limit,
            });
        }
        let what = what(rest).ok_or_else(|| {
            format!(
                "'{text}': '{rest}' is not first, last, least, most, median or mean of first N%"
            )
        })?;
        Ok(Metric::Of { chart, curve, what })
    }
}

fn figure(text: &str) -> Result<Metric, String> {
    let text = text.trim();
    let of_key = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._".contains(c);
    if text.is_empty() || !text.chars().all(of_key) {
        return Err(format!("'{text}' is not a figure's key"));
    }
    Ok(Metric::Figure(text.to_owned()))
}

fn what(text: &str) -> Option<What> {
    Some(match text {
        "first" => What::First,
        "last" => What::Last,
        "least" => What::Least,
        "most" => What::Most,
        "median" => What::Median,
        _ => {
            let share = text.strip_prefix("mean of first ")?.strip_suffix('%')?;
            What::MeanOfFirst(share.parse().ok().filter(|n| (1..=100).contains(n))?)
        }
    })
}

/// A number of a result, with its unit where that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The number; nothing where the method found none (a speed that never falls).
    pub value: Option<f64>,
    /// Its unit; `None` for what is read off a curve.
    pub unit: Option<String>,
}

impl Metric {
    /// Looks it up.
    ///
    /// # Errors
    /// Where the result has no such figure, chart or curve.
    pub fn find(&self, outcome: &Outcome) -> Result<Found, String> {
        match self {
            Metric::Figure(key) => {
                let figure = outcome.figures.get(key);
                let figure = figure.ok_or_else(|| format!("the method gives no figure '{key}'"))?;
                Ok(Found {
                    value: figure.value,
                    unit: Some(figure.unit.clone()),
                })
            }
            Metric::ShareAbove {
                chart,
                curve,
                limit,
            } => {
                let curve = find_curve(outcome, chart, curve)?;
                Ok(Found {
                    value: share_above(curve, *limit),
                    unit: None,
                })
            }
            Metric::Of { chart, curve, what } => {
                let curve = find_curve(outcome, chart, curve)?;
                let points: Vec<f64> = curve.y.iter().copied().flatten().collect();
                Ok(Found {
                    value: of_points(&points, *what),
                    unit: None,
                })
            }
        }
    }
}

fn find_curve<'a>(outcome: &'a Outcome, chart: &str, curve: &str) -> Result<&'a Curve, String> {
    let found = outcome.charts.iter().find(|c| c.key == chart);
    let found = found.ok_or_else(|| format!("the method draws no chart '{chart}'"))?;
    let found = found.curves.iter().find(|c| c.name == curve);
    found.ok_or_else(|| format!("the chart '{chart}' has no curve '{curve}'"))
}

/// The share of a histogram's responses in buckets that begin at the limit or above it. A
/// distribution's x is the lower edge of a bucket in us.
fn share_above(curve: &Curve, limit: Duration) -> Option<f64> {
    let limit = limit.as_micros_f64();
    let (mut above, mut all) = (0.0, 0.0);
    for (x, count) in curve.x.iter().zip(&curve.y) {
        let count = count.unwrap_or(0.0);
        all += count;
        if *x >= limit {
            above += count;
        }
    }
    (all > 0.0).then(|| above / all)
}

fn of_points(points: &[f64], what: What) -> Option<f64> {
    match what {
        What::First => points.first().copied(),
        What::Last => points.last().copied(),
        What::Least => points.iter().copied().reduce(f64::min),
        What::Most => points.iter().copied().reduce(f64::max),
        What::Median => median(points),
        What::MeanOfFirst(percent) => {
            let count = (points.len() * usize::from(percent)).div_ceil(100);
            let first = points.get(..count).filter(|first| !first.is_empty())?;
            Some(first.iter().sum::<f64>() / count as f64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::chart::designs;

    fn outcome() -> Outcome {
        let curve = |name: &str, x: &[f64], y: &[f64]| {
            Curve::new(name, x.to_vec(), y.iter().copied().map(Some).collect())
        };
        let chart = |key: &str, design, curve| Chart::new(key, design, vec![curve]);
        let counts = curve(
            "read",
            &[100.0, 9_000.0, 10_000.0, 50_000.0],
            &[90.0, 6.0, 3.0, 1.0],
        );
        let rates = curve(
            "write",
            &[0.0, 1.0, 2.0, 3.0],
            &[500.0, 410.0, 400.0, 430.0],
        );
        let figure = Measured {
            value: Some(233.0),
            unit: "MB/s".to_owned(),
            why_not: None,
        };
        Outcome {
            figures: [("seq.read".to_owned(), figure)].into(),
            charts: vec![
                chart("response", designs::RESPONSE, counts),
                chart("transfer", designs::TRANSFER, rates),
            ],
        }
    }

    #[test]
    fn each_kind_of_number_is_found() {
        for (text, expected) in [
            ("seq.read", 233.0),
            ("response/read > 10ms", 0.04),
            ("response/read > 20ms", 0.01),
            ("transfer/write @ first", 500.0),
            ("transfer/write @ last", 430.0),
            ("transfer/write @ least", 400.0),
            ("transfer/write @ most", 500.0),
            ("transfer/write @ median", 420.0),
            ("transfer/write @ mean of first 50%", 455.0),
        ] {
            let found = text.parse::<Metric>().unwrap().find(&outcome()).unwrap();
            let value = found.value.unwrap();
            assert!((value - expected).abs() < 1e-9, "{text}: {value}");
        }
    }

    #[test]
    fn what_is_not_there_is_said() {
        for (text, why) in [
            ("seq.write", "no figure 'seq.write'"),
            ("response/write > 1ms", "no curve 'write'"),
            ("latency/read @ most", "no chart 'latency'"),
        ] {
            let metric: Metric = text.parse().unwrap();
            assert!(metric.find(&outcome()).unwrap_err().contains(why), "{text}");
        }
        for text in ["", "Seq read", "response > 1ms", "a/b > soon", "a/b @ best"] {
            assert!(text.parse::<Metric>().is_err(), "{text}");
        }
    }
}
