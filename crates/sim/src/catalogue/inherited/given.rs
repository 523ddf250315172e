//! What a target's name gives in place of a value of the drive's file: `ssd.nand.dies=8`,
//! `ssd.sub_unit.fills=in-turn`, `ssd.buffer.protected=true`.
//!
//! It is read as the value that it replaces is written: a whole number, a number, true or false, or a
//! word. Whether the number is in range and the word is known, the schema says, as of a file.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::CatalogueError;

/// Where a value comes from that the file leaves out and a target's name gives.
const GIVEN: &str = "estimated";

/// Something in place of a value.
#[derive(Clone, Debug)]
pub(super) struct Override {
    /// The value's path: `ssd.nand.dies`.
    pub(super) key: String,
    /// As it was given.
    text: String,
    /// As TOML writes the whole number, where it is one.
    whole: Option<String>,
    /// As TOML writes the number, where it is one.
    number: Option<String>,
}

impl Override {
    /// Of a path and what was given for it.
    pub(super) fn of((key, text): &(String, String)) -> Override {
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        let is_whole = |number: &f64| libm::fmod(*number, 1.0).abs() < f64::MIN_POSITIVE;
        let exact = text.parse::<i64>().ok().map(|whole| whole.to_string());
        Override {
            key: key.clone(),
            text: text.clone(),
            whole: exact.or_else(|| number.filter(is_whole).map(|number| format!("{number:.0}"))),
            number: number.map(|number| format!("{number:?}")),
        }
    }

    /// The value that takes the place of one of the file.
    ///
    /// # Errors
    /// Where it is of another kind than that one.
    pub(super) fn in_place_of(&self, found: &DeValue<'_>) -> Result<DeValue<'_>, CatalogueError> {
        let takes = |what: &str| self.refused(format!("it takes {what}, not '{}'", self.text));
        match found {
            DeValue::Integer(_) => self.literal(&self.whole, || takes("whole numbers")),
            DeValue::Float(_) => self.literal(&self.number, || takes("numbers")),
            DeValue::Boolean(_) => match self.text.as_str() {
                "true" | "1" => Ok(DeValue::Boolean(true)),
                "false" | "0" => Ok(DeValue::Boolean(false)),
                _ => Err(takes("true or false")),
            },
            DeValue::String(_) => Ok(DeValue::String(Cow::Borrowed(&self.text))),
            _ => Err(self.refused("it is a section, not a value".to_owned())),
        }
    }

    /// The value with its source, where the file has none.
    ///
    /// # Errors
    /// None that is known of: what was parsed as a number is a number.
    pub(super) fn as_new(&self, span: &Range<usize>) -> Result<DeValue<'_>, CatalogueError> {
        let value = match (self.text.as_str(), &self.whole, &self.number) {
            ("true", ..) => DeValue::Boolean(true),
            ("false", ..) => DeValue::Boolean(false),
            (_, None, None) => DeValue::String(Cow::Borrowed(self.text.as_str())),
            (_, whole @ Some(_), _) => self.literal(whole, || self.refused(String::new()))?,
            (_, None, number) => self.literal(number, || self.refused(String::new()))?,
        };
        let word = |word: &'static str| DeValue::String(Cow::Borrowed(word));
        let why = word("given in the target's name");
        let mut sourced = DeTable::new();
        for (name, value) in [("value", value), ("source", word(GIVEN)), ("why", why)] {
            let name = Spanned::new(span.clone(), Cow::Borrowed(name));
            sourced.insert(name, Spanned::new(span.clone(), value));
        }
        Ok(DeValue::Table(sourced))
    }

    fn literal<'a>(
        &self,
        literal: &'a Option<String>,
        refuse: impl Fn() -> CatalogueError,
    ) -> Result<DeValue<'a>, CatalogueError> {
        let parsed = DeValue::parse(literal.as_deref().ok_or_else(&refuse)?);
        Ok(parsed.map_err(|_| refuse())?.into_inner())
    }

    /// Why it cannot be.
    pub(super) fn refused(&self, message: String) -> CatalogueError {
        CatalogueError::Override {
            key: self.key.clone(),
            message,
        }
    }
}
