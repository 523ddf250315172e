//! Places of a parameter between its physical bounds, from 0 to 1, and the rounded values there.

use super::Axis;

/// Significant digits of a fitted value.
const DIGITS: i32 = 4;

impl Axis {
    fn by_logarithm(&self) -> bool {
        self.within[0] > 0.0 && self.within[1] > 4.0 * self.within[0]
    }

    /// The rounded value at a position from 0 to 1 between the bounds.
    pub(crate) fn value_at(&self, place: f64) -> f64 {
        let [low, high] = self.within;
        let place = place.clamp(0.0, 1.0);
        let value = if self.by_logarithm() {
            low * libm::pow(high / low, place)
        } else {
            low + place * (high - low)
        };
        match self.step {
            Some(step) => multiple(value, f64::from(step), self.within),
            None => rounded(value).clamp(low, high),
        }
    }
}

/// The multiple of a step that is nearest to a value, of those within the bounds.
fn multiple(value: f64, step: f64, [low, high]: [f64; 2]) -> f64 {
    let least = libm::ceil(low / step);
    let most = libm::floor(high / step).max(least);
    step * libm::round(value / step).clamp(least, most)
}

/// A value with as many digits as are written.
pub(super) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = DIGITS - 1 - libm::floor(libm::log10(value.abs())) as i32;
    // By text and back: the nearest number to what will be written.
    let places = usize::try_from(digits).unwrap_or(0);
    let unit = libm::pow(10.0, f64::from((-digits).max(0)));
    let text = format!("{:.places$}", libm::round(value / unit) * unit);
    if digits > 0 {
        format!("{value:.places$}").parse().unwrap_or(value)
    } else {
        text.parse().unwrap_or(value)
    }
}
