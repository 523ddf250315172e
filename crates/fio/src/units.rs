//! Numbers as fio reads them.
//!
//! fio's units are not the standard's: with `kb_base=1024`, the default, `k` and `kB` are 1024 and `Ki`, `KiB` are
//! *1000*; with `kb_base=1000` it is the other way round. A time without a unit is in seconds or in microseconds,
//! depending on the option. fio reads `1.5g` as 1 and `4x` as 4: such numbers are refused here, since nobody means
//! that. In parentheses a number may be an expression with units inside: `(4k*8+512)`.

/// A share of the target, or a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    Bytes(u64),
    /// Per cent of the target or file.
    Percent(u64),
    /// Zones: of the drive, or those that are worked in one after the other.
    Zones(u64),
}

type Read<T> = Result<T, String>;

/// A number with a unit of bytes; `kb_base` is 1000 or 1024.
///
/// # Errors
/// What it is instead, in words.
pub fn number(text: &str, kb_base: u64) -> Read<u64> {
    whole(text, &|unit| of_bytes(unit, kb_base))
}

/// A size, a share of one (`20%`), or a number of zones (`4z`).
///
/// # Errors
/// As [`number`].
pub fn amount(text: &str, kb_base: u64) -> Read<Amount> {
    let text = text.trim();
    if let Some(zones) = text.strip_suffix(['z', 'Z']) {
        return number(zones, kb_base).map(Amount::Zones);
    }
    match text.strip_suffix('%') {
        None => number(text, kb_base).map(Amount::Bytes),
        Some(percent) => match number(percent, kb_base)? {
            percent @ 0..=100 => Ok(Amount::Percent(percent)),
            more => Err(format!("{more}% is more than all: up to 100%")),
        },
    }
}

/// A time in microseconds; a bare number is in units of `bare` microseconds.
///
/// # Errors
/// As [`number`].
pub fn micros(text: &str, bare: u64) -> Read<u64> {
    whole(text, &|unit| of_time(unit, bare))
}

fn of_bytes(unit: &str, kb_base: u64) -> Option<u64> {
    let unit = unit.to_ascii_lowercase();
    let letter = unit.strip_suffix('b').unwrap_or(&unit);
    let (letter, base) = match letter.strip_suffix('i') {
        // The other base: see above.
        Some(letter) => (letter, if kb_base == 1000 { 1024 } else { 1000 }),
        None => (letter, kb_base),
    };
    let power = match letter {
        "" if !unit.contains('i') => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    u64::checked_pow(base, power)
}

fn of_time(unit: &str, bare: u64) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "" => bare,
        "us" | "usec" => 1,
        "ms" | "msec" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return None,
    })
}

fn whole(text: &str, unit: &dyn Fn(&str) -> Option<u64>) -> Read<u64> {
    let text = text.trim();
    let mut expression = Expression {
        text,
        rest: text,
        unit,
        depth: 0,
    };
    let value = if text.starts_with('(') {
        expression.factor()?
    } else {
        expression.literal()?
    };
    if !expression.rest.trim().is_empty() {
        return Err(format!(
            "'{text}' goes on behind a number: write one number with a unit, or an expression in parentheses"
        ));
    }
    u64::try_from(value).map_err(|_| format!("'{text}' is negative"))
}

/// Maximum nesting of parentheses.
const DEEPEST: u32 = 64;

struct Expression<'a> {
    text: &'a str,
    rest: &'a str,
    unit: &'a dyn Fn(&str) -> Option<u64>,
    depth: u32,
}

impl Expression<'_> {
    fn too_large(&self) -> String {
        format!("'{}' is too large", self.text)
    }

    fn take(&mut self, symbols: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let symbol = self.rest.chars().next().filter(|c| symbols.contains(c))?;
        self.rest = &self.rest[symbol.len_utf8()..];
        Some(symbol)
    }

    fn sum(&mut self) -> Read<i128> {
        let mut sum = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let next = self.product()?;
            let next = if sign == '-' { -next } else { next };
            sum = sum.checked_add(next).ok_or_else(|| self.too_large())?;
        }
        Ok(sum)
    }

    fn product(&mut self) -> Read<i128> {
        let mut product = self.power()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let next = self.power()?;
            let done = match sign {
                '*' => product.checked_mul(next),
                '/' => product.checked_div(next),
                _ => product.checked_rem(next),
            };
            let zero = next == 0 && sign != '*';
            product = done.ok_or_else(|| match zero {
                true => format!("'{}' divides by zero", self.text),
                false => self.too_large(),
            })?;
        }
        Ok(product)
    }

    fn power(&mut self) -> Read<i128> {
        let base = self.factor()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        let exponent = u32::try_from(self.factor()?).map_err(|_| self.too_large())?;
        base.checked_pow(exponent).ok_or_else(|| self.too_large())
    }

    fn factor(&mut self) -> Read<i128> {
        if self.take(&['-']).is_some() {
            self.deeper()?;
            return self.factor().map(|value| -value);
        }
        if self.take(&['(']).is_none() {
            return self.literal();
        }
        self.deeper()?;
        let sum = self.sum()?;
        match self.take(&[')']) {
            Some(_) => Ok(sum),
            None => Err(format!(
                "'{}' has a parenthesis that is not closed",
                self.text
            )),
        }
    }

    fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(format!("'{}' has too many parentheses", self.text)),
            false => Ok(()),
        }
    }

    fn literal(&mut self) -> Read<i128> {
        self.rest = self.rest.trim_start();
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.'))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        if let Some(hex) = hex {
            return i128::from_str_radix(hex, 16)
                .ok()
                .filter(|value| *value <= i128::from(u64::MAX))
                .ok_or_else(|| format!("'{word}' is not a hexadecimal number"));
        }
        let digits = word
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(word.len());
        let (digits, unit) = word.split_at(digits);
        if unit.starts_with('.') {
            return Err(format!(
                "'{word}' is not whole (fio would read {digits}): write it in a smaller unit"
            ));
        }
        if digits.is_empty() {
            return Err(format!("'{}' is not a number", self.text));
        }
        let value: u64 = digits.parse().map_err(|_| self.too_large())?;
        let unit =
            (self.unit)(unit).ok_or_else(|| format!("'{unit}' in '{word}' is not a unit"))?;
        let value = value.checked_mul(unit).ok_or_else(|| self.too_large())?;
        Ok(i128::from(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_fios_and_not_the_standards() {
        let read = |text| number(text, 1024).unwrap();
        assert_eq!(
            ["4k", "4kb", "4K", "4KiB", "4ki", "1b", "0x1000", "2g"].map(read),
            [4096, 4096, 4096, 4000, 4000, 1, 4096, 2 << 30]
        );
        assert_eq!(number("4k", 1000), Ok(4000));
        assert_eq!(number("4KiB", 1000), Ok(4096));
        assert_eq!(amount("20%", 1024), Ok(Amount::Percent(20)));
    }

    #[test]
    fn a_bare_time_is_in_the_unit_of_its_option() {
        assert_eq!(micros("30", 1_000_000), Ok(30_000_000));
        assert_eq!(micros("2", 1), Ok(2));
        assert_eq!(micros("500ms", 1_000_000), Ok(500_000));
        assert_eq!(micros("1m", 1_000_000), Ok(60_000_000));
        assert_eq!(micros("1d", 1_000_000), Ok(86_400_000_000));
    }

    #[test]
    fn parentheses_hold_arithmetic_with_units_inside() {
        assert_eq!(number("(4k*8+512)", 1024), Ok(33_280));
        assert_eq!(number("((1g-1m)/2)", 1024), Ok(536_346_624));
        assert_eq!(number("(2^10%1000)", 1024), Ok(24));
        assert_eq!(micros("(2*30s)", 1), Ok(60_000_000));
    }

    #[test]
    fn what_fio_would_read_as_something_else_is_refused() {
        for text in [
            "1.5g",
            "4x",
            "-1",
            "(4",
            "(1/0)",
            "",
            "4k b",
            "99999999999999999999",
            "120%",
            "(9^99)",
            "4i",
        ] {
            assert!(amount(text, 1024).is_err(), "{text}");
        }
    }
}
