//! What is concluded, before it is put into words: the name of a sentence, and the quantities that it states.
//!
//! The originator of a conclusion (an answer, a finding, a reservation) chooses the sentence and provides the numbers;
//! a report has the wording, in each language, under the sentence's name. So a conclusion is tested by its numbers, a
//! language by its texts, and no finished sentence is ever parsed.

use base::{Bytes, Duration, Message};
use schemars::JsonSchema;
use serde::Serialize;

/// A sentence by its name, with its values.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Statement {
    /// The name of the sentence in the texts.
    pub key: &'static str,
    /// What it states, by the names under which the sentence refers to it.
    pub quantities: Vec<(&'static str, Quantity)>,
}

impl Statement {
    /// A sentence that states nothing yet.
    pub const fn new(key: &'static str) -> Statement {
        Statement {
            key,
            quantities: Vec::new(),
        }
    }

    /// The same with one more quantity.
    #[must_use]
    pub fn with(mut self, name: &'static str, quantity: Quantity) -> Statement {
        self.quantities.push((name, quantity));
        self
    }

    /// The quantity of this name.
    pub fn quantity(&self, name: &str) -> Option<&Quantity> {
        let mut all = self.quantities.iter();
        all.find(|(of, _)| *of == name).map(|(_, what)| what)
    }
}

/// The value of a sentence: a number with its quantity, so that it is formatted consistently.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "quantity", content = "value")]
pub enum Quantity {
    /// An amount of data or a position on a drive, in decimal units: `140 GB`.
    Size(Bytes),
    /// A position on a drive, exact enough that two close to each other differ: `1.4996 TB`.
    Place(Bytes),
    /// The length of an I/O or of a test file: `4 KiB`.
    Length(Bytes),
    /// Megabytes (10^6) a second: `283 MB/s`, `3.5 GB/s`.
    MegabytesPerSecond(f64),
    /// Anything counted a second: `12,400`.
    PerSecond(f64),
    /// Anything counted a minute: `3`, `0.4`.
    PerMinute(f64),
    /// A time: `0.3 ms`, `193 ms`, `2 min`.
    Time(Duration),
    /// A number of things. The texts also have it as a number under its name and `-count`, to choose a plural by.
    Count(u64),
    /// Parts of a hundred: `8 %`.
    Percent(f64),
    /// By how many times: `6.2`.
    Factor(f64),
    /// Degrees Celsius.
    Celsius(f64),
    /// A name: a drive's, a method's; unchanged but for what layers say of a drive.
    Name(Message),
    /// Why there is no figure, or why a drive is not simply good.
    Why(Message),
    /// A figure's key; the texts have its title.
    Figure(String),
    /// A title in both languages: a method's.
    Title {
        /// In English.
        en: String,
        /// In Japanese; empty where there is none.
        ja: String,
    },
    /// A word of a command line, which is quoted where a shell would take it apart.
    Word(String),
    /// Another sentence, or several, concatenated.
    Said(Vec<Statement>),
}

impl Quantity {
    /// A name that is the same in every language.
    pub fn name(name: impl Into<String>) -> Quantity {
        Quantity::Name(Message::as_it_stands(name))
    }
}
