//! Statements in words: the sentence that the texts have under a statement's name, with its quantities written out.
//!
//! A size has two or three digits, as people say it aloud (`140 GB`), and a rate of a thousand megabytes is one of
//! gigabytes: the exact figure is in the tables.

use base::{Bytes, Duration};
use fluent_bundle::FluentValue;
use results::{Quantity, Statement};

use crate::lang::Texts;
use crate::number;

impl Texts {
    /// A statement as a sentence, and what it means, where the texts say so.
    pub(crate) fn state(&self, statement: &Statement) -> String {
        let said = self.stated(statement);
        match self.aspect_of(statement, "means") {
            Some(means) => [said, means].join(&self.say("sentence-separator")),
            None => said,
        }
    }

    /// A statement as a sentence.
    pub(crate) fn stated(&self, statement: &Statement) -> String {
        self.filled(statement.key, self.arguments(statement))
            .unwrap_or_else(|| statement.key.to_owned())
    }

    /// What the texts say of a statement under another name.
    pub(crate) fn aspect_of(&self, statement: &Statement, name: &str) -> Option<String> {
        self.said_of(statement.key, Some(name), self.arguments(statement))
    }

    fn arguments(&self, statement: &Statement) -> Vec<(String, FluentValue<'static>)> {
        let mut arguments: Vec<(String, FluentValue)> = Vec::new();
        for (name, quantity) in &statement.quantities {
            if let Quantity::Count(count) = quantity {
                arguments.push((format!("{name}-count"), (*count).into()));
            }
            arguments.push(((*name).to_owned(), self.quantity(quantity).into()));
        }
        arguments
    }

    /// Several statements, one behind the other.
    pub(crate) fn state_all(&self, statements: &[Statement]) -> String {
        let said: Vec<String> = statements.iter().map(|one| self.state(one)).collect();
        said.join(&self.say("sentence-separator"))
    }

    /// A quantity as it is written in a sentence.
    pub(crate) fn quantity(&self, quantity: &Quantity) -> String {
        match quantity {
            Quantity::Size(bytes) => size(*bytes, 3),
            Quantity::Place(bytes) => size(*bytes, 5),
            Quantity::Length(bytes) => bytes.to_string(),
            Quantity::MegabytesPerSecond(rate) if *rate >= 999.5 => {
                format!("{} GB/s", two_digits(rate / 1e3))
            }
            Quantity::MegabytesPerSecond(rate) => format!("{} MB/s", three_digits(*rate)),
            Quantity::PerSecond(rate) | Quantity::PerMinute(rate) => three_digits(*rate),
            Quantity::Time(time) => spoken(*time),
            Quantity::Count(count) => number::with_commas(&count.to_string()),
            Quantity::Percent(percent) => format!("{} %", two_digits(*percent)),
            Quantity::Factor(factor) => two_digits(*factor),
            Quantity::Celsius(degrees) => format!("{degrees:.0} °C"),
            Quantity::Name(said) | Quantity::Why(said) => self.message(said),
            Quantity::Figure(key) => self.figure(key),
            Quantity::Title { en, ja } => self.title([en, ja]).to_owned(),
            Quantity::Word(word) => crate::uses::quoted(word),
            Quantity::Said(statements) => self.state_all(statements),
        }
    }
}

/// An amount of data in a decimal unit, as drives are sold: `140 GB`, `1.5 TB`; binary where it is a round number of
/// KiB below a megabyte.
fn size(bytes: Bytes, digits: i32) -> String {
    let n = bytes.get();
    if n < 1_000_000 {
        return bytes.to_string();
    }
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB")];
    let (unit, name) = units
        .into_iter()
        .find(|(unit, _)| n as f64 >= unit * 0.9995)
        .unwrap_or((1e6, "MB"));
    format!("{} {name}", significant(n as f64 / unit, digits))
}

/// A time: `85 µs`, `0.31 ms`, `193 ms`, `3.1 s`, `12 min 4 s`.
fn spoken(time: Duration) -> String {
    let nanos = time.as_nanos() as f64;
    match nanos {
        n if n < 99_950.0 => format!("{} µs", two_digits(n / 1e3)),
        n if n < 99_950_000.0 => format!("{} ms", two_digits(n / 1e6)),
        n if n < 999_500_000.0 => format!("{} ms", three_digits(n / 1e6)),
        n if n < 120e9 => format!("{} s", two_digits(n / 1e9)),
        _ => number::time(time),
    }
}

/// Two digits that count, but never fewer than stand before the point: `0.31`, `3.5`, `12`, `283`.
fn two_digits(value: f64) -> String {
    significant(value, 2)
}

/// Three digits that count, without a nought behind the point: `1.5`, `28.3`, `283`, `12,400`.
fn three_digits(value: f64) -> String {
    significant(value, 3)
}

fn significant(value: f64, digits: i32) -> String {
    if !value.is_finite() || value.abs() < 1e-12 {
        return format!("{:.0}", if value.is_finite() { 0.0 } else { value });
    }
    let magnitude = libm::floor(libm::log10(value.abs())) as i32;
    let step = libm::pow(10.0, f64::from(magnitude - digits + 1));
    let rounded = libm::round(value / step) * step;
    let decimals = usize::try_from(digits - 1 - magnitude).unwrap_or(0);
    let text = format!("{rounded:.decimals$}");
    let text = match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.'),
        None => text.as_str(),
    };
    number::with_commas(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;

    #[test]
    fn quantities_are_written_as_people_say_them() {
        let texts = Texts::new(Lang::En);
        let said = |quantity: Quantity| texts.quantity(&quantity);
        for (quantity, words) in [
            (Quantity::Size(Bytes::new(140_234_000_000)), "140 GB"),
            (Quantity::Size(Bytes::new(1_500_000_000_000)), "1.5 TB"),
            (Quantity::Size(Bytes::new(65_536)), "64 KiB"),
            (Quantity::Place(Bytes::new(1_499_566_768_128)), "1.4996 TB"),
            (Quantity::Place(Bytes::new(2_000_000_000)), "2 GB"),
            (Quantity::MegabytesPerSecond(3_494.0), "3.5 GB/s"),
            (Quantity::MegabytesPerSecond(282.9), "283 MB/s"),
            (Quantity::MegabytesPerSecond(7.552), "7.55 MB/s"),
            (Quantity::PerSecond(12_417.0), "12,400"),
            (Quantity::PerMinute(0.41), "0.41"),
            (Quantity::Time(Duration::from_micros(85)), "85 µs"),
            (Quantity::Time(Duration::from_micros(312)), "0.31 ms"),
            (Quantity::Time(Duration::from_millis(193)), "193 ms"),
            (Quantity::Time(Duration::from_millis(3_063)), "3.1 s"),
            (Quantity::Count(1_234), "1,234"),
            (Quantity::Percent(8.1), "8.1 %"),
            (Quantity::Percent(78.4), "78 %"),
            (Quantity::Factor(6.22), "6.2"),
            (Quantity::Celsius(-3.4), "-3 °C"),
        ] {
            assert_eq!(said(quantity.clone()), words, "{quantity:?}");
        }
    }

    #[test]
    fn nothing_and_what_is_no_number_are_written_too() {
        assert_eq!(two_digits(0.0), "0");
        assert_eq!(three_digits(99.96), "100");
        assert_eq!(two_digits(0.999), "1");
        assert_eq!(spoken(Duration::ZERO), "0 µs");
    }
}
