//! Change points: where the level of a series steps, as a cache ends, a drive throttles, or
//! collection begins.
//!
//! PELT (Killick, Fearnhead and Eckley, "Optimal Detection of Changepoints with a Linear
//! Computational Cost", Journal of the American Statistical Association 107, 2012) finds the one
//! segmentation that costs least, exactly: the cost of a segment is its sum of squares about its own
//! mean in units of the noise's variance, each change costs a penalty, and begins that can never win
//! again are dropped. The penalty is the modified Bayes information criterion (Zhang and Siegmund,
//! "A Modified Bayes Information Criterion ...", Biometrics 63, 2007): 3 ln n a change, and the
//! logarithm of each segment's share of the series.
//!
//! What measured series need besides:
//! * **the noise** is taken from differences of neighbours, by their median absolute deviation, so
//!   that steps do not count as noise; of several distances the largest, since what lasts for
//!   a few points (a collection, a cache refill) is noise here and no level;
//! * a **floor** of the noise at [`LEAST_NOISE`] of the level: a model's series may have none;
//! * **single points** far from all around them are replaced by the median of five (Hampel's
//!   filter): one stall is no level;
//! * a level lasts [`LEAST_LENGTH`] points at least.

use super::median;

/// The shortest segment, in points.
pub const LEAST_LENGTH: usize = 5;
/// Lower bound of the noise, as a share of the level.
pub const LEAST_NOISE: f64 = 0.01;
/// A step below this share of the higher level is not reported: it would not be visible in a picture.
pub const LEAST_STEP: f64 = 0.05;
/// Longer series are averaged down to this many points.
const MOST_POINTS: usize = 4_096;
/// Distances over which differences are taken.
const DISTANCES: [usize; 4] = [1, 2, 4, 8];
/// Median absolute deviation of a normal variable with standard deviation 1.
const MAD_OF_NORMAL: f64 = 0.674_489_750_196_081_7;

/// A step of the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The first point of the new level.
    pub index: usize,
    /// The mean level before, from the change before it.
    pub before: f64,
    /// The mean level after, to the next change.
    pub after: f64,
}

/// The steps of a series, in order. Values that are not finite are passed over.
pub fn change_points(series: &[f64]) -> Vec<Change> {
    let finite: Vec<(usize, f64)> = series
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, value)| value.is_finite())
        .collect();
    let joined = finite.len().div_ceil(MOST_POINTS).max(1);
    let points: Vec<(usize, f64)> = finite
        .chunks(joined)
        .map(|chunk| {
            let sum: f64 = chunk.iter().map(|(_, value)| value).sum();
            (chunk[0].0, sum / chunk.len() as f64)
        })
        .collect();
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    if values.len() < 2 * LEAST_LENGTH {
        return Vec::new();
    }
    let noise = noise_of(&values);
    let Some(noise) = noise.filter(|noise| *noise > 0.0) else {
        return Vec::new();
    };
    let calm = without_spikes(&values, noise);
    let begins = visible(&calm, segments(&calm, noise));
    let levels = levels(&calm, &begins);
    let changes = begins
        .iter()
        .zip(levels.windows(2))
        .map(|(begin, pair)| Change {
            index: points[*begin].0,
            before: pair[0],
            after: pair[1],
        });
    changes.collect()
}

/// The standard deviation of the noise; nothing for a series that is zero throughout.
fn noise_of(values: &[f64]) -> Option<f64> {
    let sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    let level = median(&sizes)?.max(sizes.iter().sum::<f64>() / sizes.len() as f64);
    let measured = DISTANCES
        .iter()
        .filter(|d| values.len() > 4 * **d)
        .map(|d| {
            let steps: Vec<f64> = values
                .windows(d + 1)
                .map(|w| (w[*d] - w[0]).abs())
                .collect();
            median(&steps).unwrap_or(0.0) / MAD_OF_NORMAL / std::f64::consts::SQRT_2
        });
    Some(measured.fold(LEAST_NOISE * level, f64::max))
}

/// Hampel's filter: a value further than three deviations from the median of the five around it is
/// replaced by that median. A step passes unchanged.
fn without_spikes(values: &[f64], noise: f64) -> Vec<f64> {
    let replaced = values.iter().enumerate().map(|(i, value)| {
        let around = &values[i.saturating_sub(2)..(i + 3).min(values.len())];
        let middle = median(around).unwrap_or(*value);
        if (value - middle).abs() > 3.0 * noise {
            middle
        } else {
            *value
        }
    });
    replaced.collect()
}

/// Sums of values and of their squares, so that a segment's cost is a subtraction.
struct Costs {
    sums: Vec<f64>,
    squares: Vec<f64>,
    /// Logarithms of lengths.
    logs: Vec<f64>,
}

impl Costs {
    /// In units of the noise, about the series' mean, so that squares do not swallow differences.
    fn new(values: &[f64], noise: f64) -> Costs {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
        for value in values {
            let scaled = (value - mean) / noise;
            sums.push(sums[sums.len() - 1] + scaled);
            squares.push(squares[squares.len() - 1] + scaled * scaled);
        }
        let logs = (0..=values.len()).map(|n| libm::log(n as f64)).collect();
        Costs {
            sums,
            squares,
            logs,
        }
    }

    fn of(&self, begin: usize, end: usize) -> f64 {
        let n = (end - begin) as f64;
        let sum = self.sums[end] - self.sums[begin];
        let squares = self.squares[end] - self.squares[begin];
        (squares - sum * sum / n).max(0.0) + self.logs[end - begin]
    }
}

/// A possible beginning of the last segment.
struct Candidate {
    begin: usize,
    /// From this end on it can never win again.
    useless_from: usize,
}

/// Begins of all segments but the first, by PELT.
fn segments(values: &[f64], noise: f64) -> Vec<usize> {
    let n = values.len();
    let costs = Costs::new(values, noise);
    let penalty = 3.0 * libm::log(n as f64);
    // Two segments cost less than one but for ln a + ln b - ln (a + b), at most ln (n / 4).
    let slack = libm::log(n as f64 / 4.0).max(0.0);
    let mut best = vec![f64::INFINITY; n + 1];
    let mut from = vec![0; n + 1];
    best[0] = -penalty;
    let mut candidates = vec![Candidate {
        begin: 0,
        useless_from: usize::MAX,
    }];
    for end in LEAST_LENGTH..=n {
        for candidate in &candidates {
            if candidate.begin + LEAST_LENGTH > end {
                continue;
            }
            let cost = best[candidate.begin] + costs.of(candidate.begin, end) + penalty;
            if cost < best[end] {
                (best[end], from[end]) = (cost, candidate.begin);
            }
        }
        for candidate in &mut candidates {
            // What `end` beats as a begin is beaten only by segments that begin there, and these are
            // long enough only later.
            if candidate.begin + LEAST_LENGTH <= end
                && best[candidate.begin] + costs.of(candidate.begin, end) - slack >= best[end]
            {
                let later = end + LEAST_LENGTH;
                candidate.useless_from = candidate.useless_from.min(later);
            }
        }
        candidates.retain(|candidate| candidate.useless_from > end);
        candidates.push(Candidate {
            begin: end,
            useless_from: usize::MAX,
        });
    }
    let mut begins = Vec::new();
    let mut end = from[n];
    while end > 0 {
        begins.push(end);
        end = from[end];
    }
    begins.reverse();
    begins
}

/// Drops the steps that are too small to be seen, the smallest first.
fn visible(values: &[f64], mut begins: Vec<usize>) -> Vec<usize> {
    loop {
        let levels = levels(values, &begins);
        let size = |pair: &[f64]| {
            (pair[1] - pair[0]).abs() / pair[0].abs().max(pair[1].abs()).max(f64::MIN_POSITIVE)
        };
        let smallest = levels
            .windows(2)
            .map(size)
            .enumerate()
            .min_by(|a, b| a.1.total_cmp(&b.1));
        match smallest {
            Some((at, step)) if step < LEAST_STEP => begins.remove(at),
            _ => return begins,
        };
    }
}

/// The mean of each segment.
fn levels(values: &[f64], begins: &[usize]) -> Vec<f64> {
    let starts = std::iter::once(0).chain(begins.iter().copied());
    let ends = begins.iter().copied().chain(std::iter::once(values.len()));
    let mean = |(start, end): (usize, usize)| {
        values[start..end].iter().sum::<f64>() / (end - start).max(1) as f64
    };
    starts.zip(ends).map(mean).collect()
}

#[cfg(test)]
mod tests;
