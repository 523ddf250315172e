//! Parsing a plan into its types, so that each error is one line: file and line, what was found, what is expected, and
//! the name that was probably meant.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use base::nearest::nearest;
use base::{Duration, Method, Scale, Settings};
use lab::LabError;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use stats::repeat::Repeat;
use targets::error::did_you_mean;
use toml::Spanned;

use crate::error::PlanError;

/// A file and its text.
pub(super) struct Source<'a> {
    /// Its name in messages.
    pub(super) file: &'a str,
    /// Its contents.
    pub(super) text: &'a str,
}

impl<'a> Source<'a> {
    /// The text as a value of its type.
    ///
    /// # Errors
    /// The first mistake in it.
    pub(super) fn read<T: Deserialize<'a>>(&self) -> Result<T, PlanError> {
        toml::from_str(self.text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let stands = self.line(span.start).1;
            let message = error.message().replace('\n', " ").replace('`', "'");
            let meant = did_you_mean(&meant(&message));
            let message = match stands {
                "" => format!("{message}{meant}"),
                stands => format!("{stands}: {message}{meant}"),
            };
            self.error(span, message)
        })
    }

    /// The error at a position.
    pub(super) fn error(&self, span: Range<usize>, message: String) -> PlanError {
        PlanError::File {
            file: self.file.to_owned(),
            line: self.line(span.start).0,
            message,
        }
    }

    /// File and line of a position.
    pub(super) fn place(&self, span: Range<usize>) -> String {
        format!("{}, line {}", self.file, self.line(span.start).0)
    }

    /// The line number of a position, from 1, and the line without its comment.
    fn line(&self, at: usize) -> (usize, &str) {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let number = before.iter().filter(|byte| **byte == b'\n').count();
        let line = self.text.lines().nth(number).unwrap_or_default();
        let line = line.split(" #").next().unwrap_or_default();
        (number + 1, line.trim())
    }
}

/// The defaults of all steps.
pub(super) struct Usual {
    pub(super) scale: Scale,
    pub(super) repeat: Repeat,
    pub(super) rest: Duration,
    pub(super) seed: u64,
}

/// The method of a name.
pub(super) fn method_of(
    source: &Source<'_>,
    name: &Spanned<String>,
) -> Result<&'static dyn Method, PlanError> {
    methods::find(name.get_ref()).map_err(|nearest| {
        let id = name.get_ref().clone();
        let error = LabError::NoMethod { id, nearest };
        source.error(name.span(), error.to_string())
    })
}

/// Settings of a method, each as `key=value`, in the order of the file.
pub(super) fn settings_of(
    source: &Source<'_>,
    method: &dyn Method,
    set: &BTreeMap<Spanned<String>, Spanned<Plain>>,
    scale: Scale,
    seed: u64,
) -> Result<Vec<String>, PlanError> {
    let mut settings: Vec<_> = set.iter().collect();
    settings.sort_by_key(|(key, _)| key.span().start);
    let mut pairs = Vec::new();
    for (key, value) in settings {
        let pair = format!("{}={}", key.get_ref(), value.get_ref().0);
        let check = Settings::new(method.card(), scale, seed, std::slice::from_ref(&pair));
        check.map_err(|error| source.error(key.span(), error.to_string()))?;
        pairs.push(pair);
    }
    Ok(pairs)
}

/// The known names most similar to the unknown one, if serde's message lists them: `unknown field 'a', expected one of
/// 'b', 'c'`.
fn meant(message: &str) -> Vec<String> {
    let quoted: Vec<&str> = message.split('\'').skip(1).step_by(2).collect();
    match quoted.split_first() {
        Some((unknown, known)) if message.starts_with("unknown ") => nearest(unknown, known),
        _ => Vec::new(),
    }
}

/// A text or a number as written, without quotes.
pub(super) struct Plain(pub(super) String);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Plain, D::Error> {
        struct TextOrNumber;
        impl Visitor<'_> for TextOrNumber {
            type Value = Plain;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a number")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Plain, E> {
                Ok(Plain(text.trim().to_owned()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Plain, E> {
                Ok(Plain(number.to_string()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Plain, E> {
                Ok(Plain(number.to_string()))
            }
        }
        deserializer.deserialize_any(TextOrNumber)
    }
}

/// A value that is written as text or number and parsed by its type; `takes` describes it, and `allowed` checks it.
pub(super) fn written<'de, T: FromStr, D: Deserializer<'de>>(
    deserializer: D,
    takes: &str,
    allowed: impl Fn(&T) -> bool,
) -> Result<Option<T>, D::Error> {
    let Plain(text) = Plain::deserialize(deserializer)?;
    match text.parse().ok().filter(allowed) {
        Some(value) => Ok(Some(value)),
        None => Err(D::Error::custom(format!("it takes {takes}"))),
    }
}
