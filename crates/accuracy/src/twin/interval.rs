//! Intervals of fitted values.
//!
//! Near the best values the errors of the figures are linear in them, so that least squares has a covariance in closed
//! form: `s^2 (J'J)^-1`, with the slopes `J` and the variance `s^2` of what is left (G. Seber and C. Wild, "Nonlinear
//! Regression", 1989, section 2.1.2). Slopes are taken over a part of the range, since figures are counted on a number of
//! I/Os and have steps. What is left includes what the model lacks, so an interval is wider for a drive that the kind fits
//! badly. It ends at the range of the kind.

/// A slope is taken over so much of a range, on either side.
const PART: f64 = 0.1;
/// What is left is not less than this, as a share: the noise of a cut workload.
const LEAST_LEFT: f64 = 0.01;
/// Two standard deviations and a little, for 95 % of few degrees of freedom.
const FACTOR: f64 = 2.2;
/// Keeps values that no figure tells apart from dividing by nothing: they get their whole range.
const RIDGE: f64 = 1e-9;

/// Of a value that is told no better than this share of its range, were the model right, the data say nothing.
const NOTHING: f64 = 0.9;

/// What the data say of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    /// Its 95 % interval.
    pub(super) span: [f64; 2],
    /// False where even a model without an error of its own would leave it open.
    pub(super) is_told: bool,
}

/// Gives what each figure is off with some values, or why it cannot be told.
type Errors<'a> = dyn FnMut(&[f64]) -> Result<Vec<f64>, String> + 'a;

/// The 95 % interval of each value. `errors` gives 1 plus the error of each figure.
pub(super) fn intervals(
    values: &[f64],
    within: &[[f64; 2]],
    whole: &[bool],
    errors: &mut Errors<'_>,
) -> Result<Vec<Interval>, String> {
    let now = errors(values)?;
    let left: f64 = now.iter().map(|error| (error - 1.0) * (error - 1.0)).sum();
    let free = now.len().saturating_sub(values.len()).max(1) as f64;
    let left = (left / free).sqrt().max(LEAST_LEFT);
    let mut slopes: Vec<Vec<f64>> = Vec::new();
    for (at, [low, high]) in within.iter().enumerate() {
        let mut ends = [values[at]; 2];
        let mut found = [now.clone(), now.clone()];
        for (side, moved) in sides(values, at, [*low, *high], whole[at])
            .into_iter()
            .enumerate()
        {
            if let Ok(errors) = errors(&moved) {
                ends[side] = moved[at];
                found[side] = errors;
            }
        }
        let width =
            (ends[1] - ends[0]).max(f64::MIN_POSITIVE) / (high - low).max(f64::MIN_POSITIVE);
        let pairs = found[0].iter().zip(&found[1]);
        slopes.push(
            pairs
                .map(|(below, above)| (above - below) / width)
                .collect(),
        );
    }
    let interval = |((value, [low, high]), spread): ((&f64, &[f64; 2]), f64)| {
        let half = FACTOR * spread * left * (high - low);
        Interval {
            span: [(value - half).max(*low), (value + half).min(*high)],
            is_told: 2.0 * FACTOR * spread * LEAST_LEFT < NOTHING,
        }
    };
    let spread = spreads(&slopes);
    Ok(values
        .iter()
        .zip(within)
        .zip(spread)
        .map(interval)
        .collect())
}

/// Everything that [`intervals`] asks for: each value moved to either side.
pub(super) fn moved(values: &[f64], within: &[[f64; 2]], whole: &[bool]) -> Vec<Vec<f64>> {
    let at = 0..values.len();
    at.flat_map(|at| sides(values, at, within[at], whole[at]))
        .collect()
}

/// The values with one of them moved to either side, within its range.
fn sides(values: &[f64], at: usize, [low, high]: [f64; 2], whole: bool) -> [Vec<f64>; 2] {
    let step = match whole {
        true => (PART * (high - low)).max(1.0).round(),
        false => PART * (high - low),
    };
    [-1.0, 1.0].map(|sign| {
        let mut moved = values.to_vec();
        moved[at] = (values[at] + sign * step).clamp(low, high);
        moved
    })
}

/// The standard deviation of each value, as a share of its range, where the errors left are one.
fn spreads(slopes: &[Vec<f64>]) -> Vec<f64> {
    let count = slopes.len();
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let normal: Vec<Vec<f64>> = (0..count)
        .map(|row| {
            let own = |column: usize| f64::from(u8::from(row == column)) * RIDGE;
            let cell = |column: usize| product(&slopes[row], &slopes[column]) + own(column);
            (0..count).map(cell).collect()
        })
        .collect();
    let inverse = inverted(normal);
    (0..count)
        .map(|at| inverse[at][at].max(0.0).sqrt())
        .collect()
}

/// The inverse of a positive definite matrix, by elimination.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let count = matrix.len();
    for (row, cells) in matrix.iter_mut().enumerate() {
        cells.extend((0..count).map(|column| f64::from(u8::from(row == column))));
    }
    for pivot in 0..count {
        let scale = matrix[pivot][pivot];
        for cell in &mut matrix[pivot] {
            *cell /= scale;
        }
        let own = matrix[pivot].clone();
        for (row, cells) in matrix.iter_mut().enumerate() {
            let factor = cells[pivot];
            if row != pivot {
                for (cell, own) in cells.iter_mut().zip(&own) {
                    *cell -= factor * own;
                }
            }
        }
    }
    matrix
        .into_iter()
        .map(|row| row[count..].to_vec())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three figures: two of the first value, with errors of 1 % against each other, and one that hardly follows from the
    /// second.
    fn errors(values: &[f64]) -> Result<Vec<f64>, String> {
        let off = values[0] / 10.0 - 1.0;
        Ok(vec![1.01 + off, 0.99 + off, 1.0 + 1e-4 * (values[1] - 5.0)])
    }

    #[test]
    fn an_interval_is_narrow_where_figures_follow_and_the_range_where_they_do_not() {
        let within = [[5.0, 20.0], [1.0, 9.0]];
        let found = intervals(&[10.0, 5.0], &within, &[false, false], &mut |v| errors(v)).unwrap();
        let [low, high] = found[0].span;
        // The mean of two with a deviation of 1.4 % each: 1 % of 10, twice and a little.
        assert!(
            (low - 9.78).abs() < 0.02 && (high - 10.22).abs() < 0.02,
            "{found:?}"
        );
        let range = within[1];
        assert!(found[0].is_told && !found[1].is_told, "{found:?}");
        assert!(
            found[1]
                .span
                .iter()
                .zip(range)
                .all(|(a, b)| (a - b).abs() < 1e-9),
            "{found:?}"
        );
    }

    #[test]
    fn values_that_act_alike_have_the_whole_range_each() {
        let mut alike = |v: &[f64]| Ok(vec![1.0 + 0.05 * (v[0] + v[1] - 10.0); 4]);
        let within = [[1.0, 9.0]; 2];
        let found = intervals(&[5.0, 5.0], &within, &[false, false], &mut alike).unwrap();
        assert!(
            found
                .iter()
                .all(|found| !found.is_told && found.span[1] - found.span[0] > 7.9),
            "{found:?}"
        );
    }
}
