//! A value with its source: what keeps a modelled drive honest.
//!
//! Every value of a catalogue file is a table that says what the value is, where it comes from and
//! why it is believed: `read_us = { value = 60.0, source = "estimated", why = "..." }`. A section
//! of a file lists its values once more as [`Row`]s, with units and allowed ranges: the same list
//! checks the file and prints the drive's sheet, so the two cannot differ.

use std::fmt::Display;
use std::ops::{Range, RangeInclusive};

use serde::Deserialize;

use reading::Placed;

pub mod quantity;
pub(crate) mod reading;
pub(crate) mod table;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A published figure: its fact, or the maker's datasheet.
    Published,
    /// How the drive is built: its parts.
    Construction,
    /// Derived or estimated, with the reasoning beside it.
    Estimated,
    /// What drives of its kind have: of this one nothing is known.
    Class,
    /// Chosen so that the model reproduces the named facts.
    Fitted,
}

impl Source {
    /// The word that stands for it in a catalogue file.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Published => "published",
            Source::Construction => "construction",
            Source::Estimated => "estimated",
            Source::Class => "class",
            Source::Fitted => "fitted",
        }
    }
}

/// How a fitted value was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FittedBy {
    /// By `drivelab develop fit`: whole runs of the methods that gave the facts, again and again,
    /// until their figures come out.
    #[default]
    Calibrate,
    /// By maximum likelihood, which `drivelab develop fit` finds without a run: the facts are a
    /// matter of chance (the slowest of some hundred pieces of a disk), so that a search for the
    /// value at which one run gives them would fit the run's seed.
    Likelihood,
    /// By `drivelab calibrate FILE`: until the model has what the drive's own data sheet rates.
    Rated,
    /// By `drivelab twin`: until the model has what was measured on the one drive. Its facts are results in a store.
    Twin,
}

impl FittedBy {
    /// The word that stands for it in a catalogue file.
    pub const fn name(self) -> &'static str {
        match self {
            FittedBy::Calibrate => "calibrate",
            FittedBy::Likelihood => "likelihood",
            FittedBy::Rated => "rated",
            FittedBy::Twin => "twin",
        }
    }
}

/// A value, where it comes from and why it is believed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with value, source and why")]
pub struct Sourced<T> {
    value: Placed<T>,
    source: Source,
    /// Of a fitted value: how it was found.
    by: Option<FittedBy>,
    /// Facts that it was published as, follows from, or was fitted to.
    #[serde(default)]
    facts: Vec<String>,
    /// Of a fitted value: the least and the greatest that is physically possible. Of a value of a class: the range
    /// that the class spans.
    within: Option<[f64; 2]>,
    /// The reasoning, or the place where it is published.
    why: String,
}

impl<T: Clone> Sourced<T> {
    /// The value itself.
    pub fn get(&self) -> T {
        self.value.value.clone()
    }
}

impl<T: Clone + Display + PartialOrd> Sourced<T> {
    /// The value as a row of the sheet, with its unit and the range it must lie in.
    pub fn row(&self, key: &'static str, unit: &'static str, allowed: RangeInclusive<T>) -> Row {
        let value = &self.value.value;
        let in_range = allowed.contains(value);
        Row {
            allowed: Some(format!("{} to {}", allowed.start(), allowed.end())),
            in_range,
            ..self.plain_row(key, unit)
        }
    }
}

impl<T: Clone + Display> Sourced<T> {
    /// The value as a row of the sheet where the type itself limits it (a name out of a list).
    pub fn plain_row(&self, key: &'static str, unit: &'static str) -> Row {
        Row {
            key,
            unit,
            value: self.value.value.to_string(),
            source: self.source,
            by: self.by,
            facts: self.facts.clone(),
            why: self.why.clone(),
            allowed: None,
            in_range: true,
            within: self.within,
            step: None,
            span: self.value.span.clone(),
        }
    }
}

/// One value of a drive's sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name in the file.
    pub key: &'static str,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// The value as text.
    pub value: String,
    /// Where it comes from.
    pub source: Source,
    /// Of a fitted value: how it was found, where the file says it.
    pub by: Option<FittedBy>,
    /// The facts behind it.
    pub facts: Vec<String>,
    /// Why it is believed.
    pub why: String,
    /// The range that it must lie in, in words.
    pub allowed: Option<String>,
    /// Whether the value lies in it.
    pub in_range: bool,
    /// Of a fitted value: the least and the greatest that is physically possible. Of a value of a class: the range
    /// that the class spans.
    pub within: Option<[f64; 2]>,
    /// Of a number that comes in whole multiples of another one: that one, from 1.
    pub step: Option<u32>,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
}

/// A named part of a drive's sheet: one section of its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The section's name in the file.
    pub name: &'static str,
    /// Its values, in the order of the mechanism.
    pub rows: Vec<Row>,
}

impl Section {
    /// A section of these rows.
    pub fn new(name: &'static str, rows: Vec<Row>) -> Section {
        Section { name, rows }
    }
}

/// A value that a file may not have: what is wrong, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong and what to do.
    pub message: String,
    /// Where, in bytes of the file.
    pub span: Range<usize>,
}

/// The first value outside its range, or without a reason, or fitted without saying to what.
pub fn first_fault(sections: &[Section]) -> Option<Fault> {
    faults(sections).into_iter().next()
}

/// All of them.
pub fn faults(sections: &[Section]) -> Vec<Fault> {
    let rows = sections
        .iter()
        .flat_map(|section| section.rows.iter().map(move |row| (section.name, row)));
    rows.filter_map(|(section, row)| fault_of(section, row))
        .collect()
}

fn fault_of(section: &str, row: &Row) -> Option<Fault> {
    let key = row.key;
    let message = if !row.in_range {
        let allowed = row.allowed.as_deref().unwrap_or("");
        format!(
            "{section}.{key} is {} {}, allowed is {allowed} {}",
            row.value, row.unit, row.unit
        )
    } else if row.why.trim().is_empty() {
        format!("{section}.{key} gives no reason: say in `why` where the value comes from")
    } else if row.source == Source::Fitted && row.facts.is_empty() {
        format!("{section}.{key} is fitted, but `facts` does not say to what")
    } else if row.source != Source::Fitted && row.by.is_some() {
        let source = row.source.name();
        format!("{section}.{key} is {source}: `by` is for a value that is fitted")
    } else {
        return None;
    };
    Some(Fault {
        message,
        span: row.span.clone(),
    })
}

/// The fitted values that have no physical bounds, or lie outside them. A number that a user
/// puts in its place may lie anywhere in the range of its key.
pub fn unbounded(sections: &[Section]) -> Vec<Fault> {
    let rows = sections
        .iter()
        .flat_map(|section| section.rows.iter().map(move |row| (section.name, row)));
    rows.filter(|(_, row)| row.source == Source::Fitted && !lies_within(row))
        .map(|(section, row)| Fault {
            message: format!(
                "{section}.{} is fitted: `within = [low, high]` says what is physically possible, \
                 and its value lies there",
                row.key
            ),
            span: row.span.clone(),
        })
        .collect()
}

fn lies_within(row: &Row) -> bool {
    let value: Result<f64, _> = row.value.parse();
    match (row.within, value) {
        (Some([low, high]), Ok(value)) => low <= value && value <= high,
        _ => false,
    }
}
