//! Reading a TOML file key by key, so that each mistake is told with its file, line and key, what the
//! key takes, and the name that was probably meant.

use std::ops::Range;
use std::str::FromStr;

use base::nearest::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::PlanError;
use lab::error::did_you_mean;

/// A file and its text.
pub(super) struct Source<'a> {
    /// Its name in messages.
    pub(super) file: &'a str,
    /// What stands in it.
    pub(super) text: &'a str,
}

/// A table of it.
pub(super) struct Table<'a> {
    source: &'a Source<'a>,
    table: &'a DeTable<'a>,
    /// What it is in messages: `the plan`, `a [[step]]`.
    what: &'static str,
    /// Where it begins.
    span: Range<usize>,
}

impl Source<'_> {
    /// What is wrong at a place.
    pub(super) fn error(&self, span: Range<usize>, message: String) -> PlanError {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        PlanError::File {
            file: self.file.to_owned(),
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            message,
        }
    }
}

impl<'a> Table<'a> {
    /// A table with these keys and no others.
    ///
    /// # Errors
    /// A key that it does not have, with the nearest that it has.
    pub(super) fn new(
        source: &'a Source<'a>,
        table: &'a DeTable<'a>,
        span: Range<usize>,
        what: &'static str,
        keys: &[&str],
    ) -> Result<Table<'a>, PlanError> {
        for (key, _) in table {
            let name = key.get_ref().as_ref();
            if !keys.contains(&name) {
                let near = nearest(name, keys);
                let meant = if near.is_empty() {
                    format!("; it takes {}", keys.join(", "))
                } else {
                    did_you_mean(&near)
                };
                let message = format!("there is no key '{name}' in {what}{meant}");
                return Err(source.error(key.span(), message));
            }
        }
        Ok(Table {
            source,
            table,
            what,
            span,
        })
    }

    /// The value of a key, where it is there.
    pub(super) fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    /// What is wrong with a value.
    pub(super) fn error(&self, at: &Spanned<DeValue<'a>>, message: String) -> PlanError {
        self.source.error(at.span(), message)
    }

    /// What is wrong with the table as a whole.
    pub(super) fn error_here(&self, message: String) -> PlanError {
        self.source.error(self.span.clone(), message)
    }

    /// A value that does not fit its key.
    pub(super) fn misfit(
        &self,
        key: &str,
        value: &Spanned<DeValue<'a>>,
        takes: &str,
        meant: &[String],
    ) -> PlanError {
        let message = format!(
            "{key} = {} cannot be: it takes {takes}{}",
            written(value.get_ref()),
            did_you_mean(meant)
        );
        self.error(value, message)
    }

    /// The value of a key that must be there.
    pub(super) fn needed(&self, key: &str) -> Result<&'a Spanned<DeValue<'a>>, PlanError> {
        let missing = || self.error_here(format!("{} needs the key '{key}'", self.what));
        self.get(key).ok_or_else(missing)
    }

    /// A text.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, PlanError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.get_ref().as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(self.misfit(key, value, "a text in quotes", &[])),
        }
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &self,
        key: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, PlanError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let text = value.get_ref().as_str().unwrap_or_default();
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                let takes = format!("one of {}", known.join(", "));
                Err(self.misfit(key, value, &takes, &nearest(text, &known)))
            }
        }
    }

    /// A value that is written as text or as a number and read by its type; `takes` says what it may
    /// be, and `allowed` whether this one may.
    pub(super) fn read<T: FromStr>(
        &self,
        key: &str,
        takes: &str,
        allowed: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, PlanError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let parsed = plain(value.get_ref()).and_then(|text| text.parse().ok());
        match parsed.filter(allowed) {
            Some(value) => Ok(Some(value)),
            None => Err(self.misfit(key, value, takes, &[])),
        }
    }

    /// The table that stands under a key.
    pub(super) fn table(
        &self,
        key: &str,
        what: &'static str,
        keys: &[&str],
    ) -> Result<Option<Table<'a>>, PlanError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.misfit(key, value, &format!("a table, [{key}]"), &[]));
        };
        Table::new(self.source, table, value.span(), what, keys).map(Some)
    }

    /// The values of a list.
    pub(super) fn list(
        &self,
        key: &str,
        takes: &str,
    ) -> Result<&'a [Spanned<DeValue<'a>>], PlanError> {
        let Some(value) = self.get(key) else {
            return Ok(&[]);
        };
        match value.get_ref() {
            DeValue::Array(values) => Ok(values),
            _ => Err(self.misfit(key, value, takes, &[])),
        }
    }

    /// A table in a list.
    pub(super) fn in_list(
        &self,
        value: &'a Spanned<DeValue<'a>>,
        what: &'static str,
        keys: &[&str],
    ) -> Result<Table<'a>, PlanError> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.error(value, format!("{what} is a table")));
        };
        Table::new(self.source, table, value.span(), what, keys)
    }

    /// Keys with their values, in the order of the file.
    pub(super) fn pairs(&self) -> Vec<(&'a str, &'a Spanned<DeValue<'a>>)> {
        let mut pairs: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| (key.span().start, key.get_ref().as_ref(), value))
            .collect();
        pairs.sort_by_key(|(at, ..)| *at);
        pairs
            .into_iter()
            .map(|(_, key, value)| (key, value))
            .collect()
    }
}

/// A text or a number as it is written, without quotes; nothing for anything else.
pub(super) fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.trim().to_owned()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// A value in a message.
fn written(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{text}\""),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
        other => plain(other).unwrap_or_else(|| "a number".to_owned()),
    }
}
