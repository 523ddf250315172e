//! Decimal numbers as they stand in a file, converted without rounding on the way.
//!
//! The digits are taken as an integer with a power of ten. A conversion of units multiplies that integer, and only the end
//! becomes a float: so `3389.850` of 1,024,000 bytes are 3471.2064 MB and not the nearest float of a float.

/// A decimal number: `digits / 10^decimals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: i128,
    decimals: u32,
}

impl Decimal {
    /// `-12.50`; nothing of what is written otherwise, or has more than 25 digits.
    pub(crate) fn read(text: &str) -> Option<Decimal> {
        let (sign, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let all = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !all(whole) || !all(part) || whole.len() + part.len() > 25 {
            return None;
        }
        let digits: i128 = format!("{whole}{part}").parse().ok()?;
        Some(Decimal {
            digits: sign * digits,
            decimals: part.len() as u32,
        })
    }

    /// The number in a unit of which `many` are `of` of this one's.
    pub(crate) fn times(self, many: u64, of: u64) -> Option<f64> {
        let scale = 10_i128.checked_pow(self.decimals)?;
        let above = self.digits.checked_mul(i128::from(many))?;
        let below = scale.checked_mul(i128::from(of))?;
        divided(above, below)
    }

    /// `amount` divided by this number and by `of`: bytes over seconds, in a unit of `of` bytes.
    pub(crate) fn under(self, amount: u64, of: u64) -> Option<f64> {
        let scale = 10_i128.checked_pow(self.decimals)?;
        let above = i128::from(amount).checked_mul(scale)?;
        divided(above, self.digits.checked_mul(i128::from(of))?)
    }

    /// The number as it is.
    pub(crate) fn value(self) -> Option<f64> {
        self.times(1, 1)
    }

    pub(crate) const fn is_zero(self) -> bool {
        self.digits == 0
    }

    pub(crate) const fn is_negative(self) -> bool {
        self.digits < 0
    }
}

/// The float nearest to a fraction: as the decimal that it is where it ends soon, else as a quotient.
fn divided(above: i128, below: i128) -> Option<f64> {
    if below == 0 {
        return None;
    }
    let whole = above / below;
    let mut rest = (above % below).unsigned_abs();
    let below = below.unsigned_abs();
    let mut text = match above < 0 && whole == 0 {
        true => "-0.".to_owned(),
        false => format!("{whole}."),
    };
    // Thirty places are more than a float can tell apart.
    for _ in 0..30 {
        let ten = rest.checked_mul(10)?;
        text.push(char::from_digit((ten / below) as u32, 10)?);
        rest = ten % below;
        if rest == 0 {
            break;
        }
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_digits_through_a_conversion() {
        let read = |text: &str| Decimal::read(text).unwrap();
        assert_eq!(
            read("3389.850").times(1_024_000, 1_000_000),
            Some(3471.2064)
        );
        assert_eq!(read("0.1").value(), Some(0.1));
        assert_eq!(read("-1.0").value(), Some(-1.0));
        assert_eq!(read("-0.5").value(), Some(-0.5));
        assert_eq!(read("1").times(1, 3), Some(1.0 / 3.0));
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in [
            "",
            ".",
            "-",
            "1,5",
            "1e3",
            "+1",
            "1.2.3",
            "nan",
            "12345678901234567890123456",
        ] {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
    }
}
