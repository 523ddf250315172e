//! The value of a published figure: a number, a bound, a range or words.

use std::fmt;

/// The value of a published figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number {
        value: f64,
        /// Half of its last printed digit: what rounding leaves open.
        half_digit: f64,
        printed: String,
    },
    /// More than this: `>500`.
    Above(f64),
    /// Less than this: `<90`.
    Below(f64),
    /// From one number to another: `55-65`.
    Between(f64, f64),
    /// An order, a behaviour, a description.
    Words(String),
}

impl Value {
    /// Parses a table entry. Only a row with a unit has a range: `4-8` without one is words.
    pub(crate) fn read(text: &str, unit: &str) -> Value {
        let text = text.trim();
        let words = || Value::Words(text.to_owned());
        let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite());
        if let Some(value) = number(text) {
            return Value::Number {
                value,
                half_digit: half_digit(text),
                printed: text.to_owned(),
            };
        }
        let bound = text.split_at_checked(1).map(|(sign, n)| (sign, number(n)));
        match bound {
            Some((">", Some(least))) => return Value::Above(least),
            Some(("<", Some(most))) => return Value::Below(most),
            _ => {}
        }
        let ends = text.split_once('-').filter(|_| !unit.is_empty());
        match ends.map(|(low, high)| (number(low), number(high))) {
            Some((Some(low), Some(high))) if low <= high => Value::Between(low, high),
            _ => words(),
        }
    }

    /// The number, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number { value, .. } => Some(*value),
            _ => None,
        }
    }
}

/// Half of the last digit of a printed number.
fn half_digit(text: &str) -> f64 {
    let decimals = text.split_once('.').map_or(0, |(_, after)| after.len());
    0.5 / libm::pow(10.0, decimals as f64)
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Value::Number { printed, .. } => printed.clone(),
            Value::Above(least) => format!(">{least}"),
            Value::Below(most) => format!("<{most}"),
            Value::Between(low, high) => format!("{low}-{high}"),
            Value::Words(words) => words.clone(),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_what_it_is() {
        assert_eq!(Value::read(">500", "MB/s"), Value::Above(500.0));
        assert_eq!(Value::read("<1", ""), Value::Below(1.0));
        assert_eq!(Value::read("55-65", "MB/s"), Value::Between(55.0, 65.0));
        assert_eq!(Value::read("none", "GB"), Value::Words("none".to_owned()));
        assert_eq!(
            Value::read("16.22-16.76", ""),
            Value::Words("16.22-16.76".to_owned())
        );
        for text in ["195.2", ">500", "55-65", "a > b"] {
            assert_eq!(Value::read(text, "s").to_string(), text);
        }
    }

    #[test]
    fn the_last_printed_digit_is_uncertain_by_half() {
        let half = |text| match Value::read(text, "ms") {
            Value::Number { half_digit, .. } => half_digit,
            other => panic!("{other:?}"),
        };
        assert!((half("0.3") - 0.05).abs() < 1e-12);
        assert!((half("16.22") - 0.005).abs() < 1e-12);
        assert!((half("540") - 0.5).abs() < 1e-12);
    }
}
