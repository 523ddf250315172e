//! The points of a sweep: the parameters varied, and their values.
//!
//! ```text
//! vary   = KEY "=" values
//! values = value { "," value } | value { ";" value } | FROM ".." TO ":" STEP | FROM ".." TO "*" FACTOR
//! ```
//!
//! A value that contains commas (a drive's state) is listed with semicolons. Ranges include both ends if the steps
//! reach them. Several `vary` make a grid; the last one varies fastest.

use results::sweep::SweptAxis;

/// Maximum number of points of a grid.
const MOST_POINTS: usize = 4_096;

/// Why there is no grid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadGrid {
    /// No `KEY=VALUES`.
    #[error(
        "--vary '{0}': write KEY=VALUE,VALUE,... or KEY=FROM..TO:STEP, such as ssd.nand.dies=8,16,32"
    )]
    Form(String),
    /// A range that does not end, or has no numbers.
    #[error(
        "--vary '{0}': a range is FROM..TO:STEP (or *FACTOR) with TO above FROM, a step above 0 and a factor above 1"
    )]
    Range(String),
    /// The same key twice.
    #[error("--vary '{0}' is given twice")]
    Twice(String),
    /// Too many points.
    #[error("{0} points are too many: the limit is 4096")]
    TooMany(usize),
    /// Nothing is varied.
    #[error("nothing to vary: add --vary KEY=VALUE,VALUE,...")]
    Nothing,
}

/// The axes of a sweep.
///
/// # Errors
/// [`BadGrid`], in one line.
pub fn axes(vary: &[String]) -> Result<Vec<SweptAxis>, BadGrid> {
    let axes: Vec<SweptAxis> = vary
        .iter()
        .map(|text| axis(text))
        .collect::<Result<_, _>>()?;
    if axes.is_empty() {
        return Err(BadGrid::Nothing);
    }
    for (i, axis) in axes.iter().enumerate() {
        if axes[..i].iter().any(|earlier| earlier.key == axis.key) {
            return Err(BadGrid::Twice(axis.key.clone()));
        }
    }
    let points = axes
        .iter()
        .fold(1_usize, |n, axis| n.saturating_mul(axis.values.len()));
    if points > MOST_POINTS {
        return Err(BadGrid::TooMany(points));
    }
    Ok(axes)
}

fn axis(text: &str) -> Result<SweptAxis, BadGrid> {
    let form = || BadGrid::Form(text.to_owned());
    let (key, values) = text.split_once('=').ok_or_else(form)?;
    let key = key.trim().to_owned();
    let values = match range(values) {
        Some(range) => range.ok_or_else(|| BadGrid::Range(text.to_owned()))?,
        None => {
            let separator = if values.contains(';') { ';' } else { ',' };
            values
                .split(separator)
                .map(|v| v.trim().to_owned())
                .collect()
        }
    };
    if key.is_empty() || values.iter().any(String::is_empty) {
        return Err(form());
    }
    Ok(SweptAxis { key, values })
}

/// The numbers of a range: outer `None` where the text is no range, inner where it is a bad one.
fn range(text: &str) -> Option<Option<Vec<String>>> {
    let (from, rest) = text.split_once("..")?;
    let from: f64 = from.trim().parse().ok()?;
    let by_step = |(to, step)| steps(from, number(to)?, number(step)?, |x, step| x + step);
    let by_factor = |(to, factor)| {
        let factor = number(factor).filter(|f| *f > 1.0)?;
        let from = Some(from).filter(|f| *f > 0.0)?;
        steps(from, number(to)?, factor, |x, factor| x * factor)
    };
    Some(match (rest.split_once(':'), rest.split_once('*')) {
        (Some(pair), _) => by_step(pair),
        (None, Some(pair)) => by_factor(pair),
        (None, None) => None,
    })
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|x: &f64| x.is_finite())
}

fn steps(from: f64, to: f64, by: f64, next: impl Fn(f64, f64) -> f64) -> Option<Vec<String>> {
    if by <= 0.0 || to < from || !from.is_finite() {
        return None;
    }
    let mut values = Vec::new();
    let mut at = from;
    while at <= to + by.min(to.abs()) * 1e-9 {
        if values.len() > MOST_POINTS {
            return None;
        }
        // Nine decimals: what adding up has made of a tenth is a tenth again.
        let written = (at * 1e9).round() / 1e9;
        values.push(written.to_string());
        at = next(at, by);
    }
    Some(values)
}

/// The points of a grid in order, each with one value an axis.
pub fn points(axes: &[SweptAxis]) -> Vec<Vec<String>> {
    axes.iter().fold(vec![Vec::new()], |points, axis| {
        let longer = |point: &Vec<String>| {
            let point = point.clone();
            axis.values.iter().map(move |value| {
                let mut longer = point.clone();
                longer.push(value.clone());
                longer
            })
        };
        points.iter().flat_map(longer).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        axis(text).unwrap_or_else(|e| panic!("{text}: {e}")).values
    }

    #[test]
    fn lists_and_ranges_are_read() {
        assert_eq!(values("a=8,16, 32"), ["8", "16", "32"]);
        assert_eq!(values("a=0..12:3"), ["0", "3", "6", "9", "12"]);
        assert_eq!(values("a=0..0.3:0.1"), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(values("a=8..70*2"), ["8", "16", "32", "64"]);
        assert_eq!(values("a=5..5:1"), ["5"]);
        assert_eq!(values("link=sata-3,sata-6"), ["sata-3", "sata-6"]);
        let states = values("state=fresh;steady-random,idle=10s");
        assert_eq!(states, ["fresh", "steady-random,idle=10s"]);
    }

    #[test]
    fn the_last_axis_runs_fastest() {
        let axes = axes(&["a=1,2".to_owned(), "b=x,y,z".to_owned()]).unwrap();
        let joined: Vec<String> = points(&axes).iter().map(|p| p.join("")).collect();
        assert_eq!(joined, ["1x", "1y", "1z", "2x", "2y", "2z"]);
    }

    #[test]
    fn nonsense_is_refused_in_one_line() {
        let refused = |vary: &[&str]| {
            let vary: Vec<String> = vary.iter().map(|v| (*v).to_owned()).collect();
            axes(&vary).unwrap_err().to_string()
        };
        assert!(refused(&["dies"]).contains("KEY=VALUE"));
        assert!(refused(&["a=1,,2"]).contains("KEY=VALUE"));
        for range in [
            "a=1..2",
            "a=2..1:1",
            "a=1..2:0",
            "a=1..2:-1",
            "a=0..8*2",
            "a=1..8*1",
        ] {
            assert!(refused(&[range]).contains("FROM..TO:STEP"), "{range}");
        }
        assert!(refused(&["a=1..1000000:0.001"]).contains("FROM..TO:STEP"));
        assert!(refused(&["a=1", "a=2"]).contains("twice"));
        assert!(refused(&["a=1..100:1", "b=1..100:1"]).contains("10000 points"));
        assert!(refused(&[]).contains("nothing to vary"));
    }
}
