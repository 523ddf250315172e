//! What can be set on a method, and the values that a run has.
//!
//! A card lists what can be set, a line each: the name, a help text, the values taken, and the value at
//! each scale.
//!
//! ```
//! use base::method::Setting;
//! use base::size::Bytes;
//!
//! const SIZE: Setting = Setting::size(
//!     "size",
//!     "size of the test file",
//!     Bytes::mib(16)..=Bytes::gib(64),
//!     ["64MiB", "256MiB", "1GiB"],
//! );
//! assert!(SIZE.kind.takes("2GiB") && !SIZE.kind.takes("1MiB"));
//! ```
//!
//! A value is checked once, when [`Settings`] are made; the methods then read it without ever failing.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Card, Scale};
use crate::input::Input;
use crate::nearest::nearest;
use crate::size::Bytes;
use crate::time::Duration;

/// Something that can be set on a method.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The name before the `=` of `--set`.
    pub key: &'static str,
    /// What it does, with its unit.
    pub help: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// Its value at `quick`, `default` and `full` scale.
    pub by_scale: [&'static str; 3],
}

/// Which values a setting takes; bounds are inclusive.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A size in bytes.
    Size {
        /// The least.
        min: Bytes,
        /// The greatest.
        max: Bytes,
    },
    /// A part of the target: a size in bytes, or the word `whole` for all of it
    /// ([`Settings::size_or_whole`]).
    SizeOrWhole {
        /// The least.
        min: Bytes,
    },
    /// A whole number.
    Count {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// A length of time.
    Time {
        /// The shortest.
        min: Duration,
        /// The longest.
        max: Duration,
    },
    /// A plain number, with decimals or without.
    Factor {
        /// The least.
        min: f64,
        /// The greatest.
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of the words that this function returns, the same each time: names listed elsewhere.
    ChoiceOf(fn() -> &'static [&'static str]),
    /// The path of a file, or one of these words.
    File {
        /// What the file holds, for people: `a trace`.
        holds: &'static str,
        /// Words accepted instead of a path; a file of such a name is written `./word`.
        words: &'static [&'static str],
    },
}

/// The values of a setting at `quick`, `default` and `full` scale.
type ByScale = [&'static str; 3];

impl Setting {
    const fn new(key: &'static str, help: &'static str, kind: Kind, by_scale: ByScale) -> Setting {
        Setting {
            key,
            help,
            kind,
            by_scale,
        }
    }

    /// A size in bytes.
    pub const fn size(
        key: &'static str,
        help: &'static str,
        taken: RangeInclusive<Bytes>,
        by_scale: ByScale,
    ) -> Setting {
        let (min, max) = (*taken.start(), *taken.end());
        Setting::new(key, help, Kind::Size { min, max }, by_scale)
    }

    /// A part of the target from `min` on, or `whole`.
    pub const fn size_or_whole(
        key: &'static str,
        help: &'static str,
        min: Bytes,
        by_scale: ByScale,
    ) -> Setting {
        Setting::new(key, help, Kind::SizeOrWhole { min }, by_scale)
    }

    /// A whole number.
    pub const fn count(
        key: &'static str,
        help: &'static str,
        taken: RangeInclusive<u64>,
        by_scale: ByScale,
    ) -> Setting {
        let (min, max) = (*taken.start(), *taken.end());
        Setting::new(key, help, Kind::Count { min, max }, by_scale)
    }

    /// A length of time.
    pub const fn time(
        key: &'static str,
        help: &'static str,
        taken: RangeInclusive<Duration>,
        by_scale: ByScale,
    ) -> Setting {
        let (min, max) = (*taken.start(), *taken.end());
        Setting::new(key, help, Kind::Time { min, max }, by_scale)
    }

    /// A plain number, with decimals or without.
    pub const fn factor(
        key: &'static str,
        help: &'static str,
        taken: RangeInclusive<f64>,
        by_scale: ByScale,
    ) -> Setting {
        let (min, max) = (*taken.start(), *taken.end());
        Setting::new(key, help, Kind::Factor { min, max }, by_scale)
    }

    /// One of some words.
    pub const fn choice(
        key: &'static str,
        help: &'static str,
        words: &'static [&'static str],
        by_scale: ByScale,
    ) -> Setting {
        Setting::new(key, help, Kind::Choice(words), by_scale)
    }

    /// One of some words that are listed elsewhere.
    pub const fn choice_of(
        key: &'static str,
        help: &'static str,
        words: fn() -> &'static [&'static str],
        by_scale: ByScale,
    ) -> Setting {
        Setting::new(key, help, Kind::ChoiceOf(words), by_scale)
    }

    /// The path of a file that contains what `holds` says (`a trace`), or one of `words`.
    pub const fn file(
        key: &'static str,
        help: &'static str,
        holds: &'static str,
        words: &'static [&'static str],
        by_scale: ByScale,
    ) -> Setting {
        Setting::new(key, help, Kind::File { holds, words }, by_scale)
    }

    /// The same setting with other values: of a method that shares it with others.
    #[must_use]
    pub const fn with_values(self, by_scale: ByScale) -> Setting {
        Setting { by_scale, ..self }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Size { min, max } => write!(f, "a size from {min} to {max}"),
            Kind::SizeOrWhole { min } => write!(f, "a size from {min} on, or whole"),
            Kind::Count { min, max } => write!(f, "a number from {min} to {max}"),
            Kind::Time { min, max } => write!(f, "a time from {min} to {max}"),
            Kind::Factor { min, max } => write!(f, "a number from {min} to {max}"),
            Kind::Choice(_) | Kind::ChoiceOf(_) => write!(f, "one of {}", self.words().join(", ")),
            Kind::File { holds, words } => {
                write!(f, "the path of {holds}, or {}", words.join(" or "))
            }
        }
    }
}

/// A method's settings with their values, checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// Which scale the values that were not given come from.
    pub scale: Scale,
    /// Seeds everything random.
    pub seed: u64,
    /// Value of every setting, as it would be written after `--set`.
    pub values: BTreeMap<String, String>,
    /// Keys that the user set.
    pub given: Vec<String>,
    /// Facts about the files that settings name, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Input>,
}

/// Why a setting was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    /// Not `key=value`.
    #[error("'{0}' is not a setting: write key=value")]
    NotAPair(String),
    /// No such key.
    #[error("{method} has no setting '{key}'{}", offer(.nearest, .all))]
    Unknown {
        /// The method.
        method: &'static str,
        /// The requested value.
        key: String,
        /// The names nearest to it.
        nearest: Vec<String>,
        /// All names.
        all: Vec<String>,
    },
    /// A value that the setting does not take.
    #[error("{method}: invalid setting '{key}={value}': expected {expected}")]
    Value {
        /// The method.
        method: &'static str,
        /// The setting.
        key: String,
        /// What was given.
        value: String,
        /// What it takes.
        expected: String,
    },
}

fn offer(nearest: &[String], all: &[String]) -> String {
    if !nearest.is_empty() {
        format!("; did you mean {}?", nearest.join(" or "))
    } else if all.is_empty() {
        "; it has none".to_owned()
    } else {
        format!("; it has {}", all.join(", "))
    }
}

impl Settings {
    /// The card's values at a scale, with those that the user gave as `key=value`.
    ///
    /// # Errors
    /// [`BadSetting`] for a malformed pair, an unknown key or a value out of range.
    pub fn new(
        card: &Card,
        scale: Scale,
        seed: u64,
        given: &[String],
    ) -> Result<Settings, BadSetting> {
        let mut values: BTreeMap<String, String> = card
            .settings
            .iter()
            .map(|s| (s.key.to_owned(), s.by_scale[scale as usize].to_owned()))
            .collect();
        let mut keys = Vec::new();
        for pair in given {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| BadSetting::NotAPair(pair.clone()))?;
            let (key, value) = (key.trim(), value.trim());
            let setting = card
                .settings
                .iter()
                .find(|s| s.key == key)
                .ok_or_else(|| unknown(card, key))?;
            if !setting.kind.takes(value) {
                return Err(BadSetting::Value {
                    method: card.id,
                    key: key.to_owned(),
                    value: value.to_owned(),
                    expected: setting.kind.to_string(),
                });
            }
            values.insert(key.to_owned(), value.to_owned());
            keys.push(key.to_owned());
        }
        Ok(Settings {
            scale,
            seed,
            values,
            given: keys,
            inputs: BTreeMap::new(),
        })
    }

    /// Whether every value is the scale's own.
    pub fn is_unchanged(&self) -> bool {
        self.given.is_empty()
    }

    /// The text of a setting.
    ///
    /// # Panics
    /// Where the method's card has no such setting: a mistake in the method, which the walk over
    /// all methods in the tests finds.
    pub fn text(&self, key: &str) -> &str {
        self.values
            .get(key)
            .expect("a method asks only for settings on its card")
    }

    /// A size. Panics as [`Settings::text`] does, or if the card has another kind for it.
    pub fn size(&self, key: &str) -> Bytes {
        self.text(key)
            .parse()
            .expect("checked against the card when the settings were made")
    }

    /// A size, or `whole` where the user wrote `whole`. Panics as [`Settings::size`] does.
    pub fn size_or_whole(&self, key: &str, whole: Bytes) -> Bytes {
        if self.text(key) == "whole" {
            whole
        } else {
            self.size(key)
        }
    }

    /// A number. Panics as [`Settings::text`] does, or if the card has another kind for it.
    pub fn count(&self, key: &str) -> u64 {
        self.text(key)
            .parse()
            .expect("checked against the card when the settings were made")
    }

    /// A plain number. Panics as [`Settings::text`] does, or if the card has another kind for it.
    pub fn factor(&self, key: &str) -> f64 {
        self.text(key)
            .parse()
            .expect("checked against the card when the settings were made")
    }

    /// Facts about the file that a setting names; `None` if its value is one of the setting's words, or if the files
    /// have not been read yet.
    pub fn input(&self, key: &str) -> Option<&Input> {
        self.inputs.get(key)
    }

    /// A time. Panics as [`Settings::text`] does, or if the card has another kind for it.
    pub fn time(&self, key: &str) -> Duration {
        self.text(key)
            .parse()
            .expect("checked against the card when the settings were made")
    }
}

fn unknown(card: &Card, key: &str) -> BadSetting {
    let all: Vec<String> = card.settings.iter().map(|s| s.key.to_owned()).collect();
    BadSetting::Unknown {
        method: card.id,
        key: key.to_owned(),
        nearest: nearest(key, all.iter()),
        all,
    }
}

impl Kind {
    /// The accepted words: all of them for a choice, those instead of a path for a file.
    pub fn words(&self) -> &'static [&'static str] {
        match self {
            Kind::Choice(words) | Kind::File { words, .. } => words,
            Kind::ChoiceOf(words) => words(),
            _ => &[],
        }
    }

    /// Whether the text is a value of this kind, inside its bounds.
    pub fn takes(&self, text: &str) -> bool {
        match self {
            Kind::Size { min, max } => text
                .parse::<Bytes>()
                .is_ok_and(|size| (*min..=*max).contains(&size)),
            Kind::SizeOrWhole { min } => {
                text == "whole" || text.parse::<Bytes>().is_ok_and(|size| *min <= size)
            }
            Kind::Count { min, max } => text
                .parse::<u64>()
                .is_ok_and(|n| (*min..=*max).contains(&n)),
            Kind::Time { min, max } => text
                .parse::<Duration>()
                .is_ok_and(|t| (*min..=*max).contains(&t)),
            Kind::Factor { min, max } => text
                .parse::<f64>()
                .is_ok_and(|number| (*min..=*max).contains(&number)),
            Kind::Choice(_) | Kind::ChoiceOf(_) => self.words().contains(&text),
            Kind::File { .. } => !text.is_empty(),
        }
    }

    /// Whether the text is the path of a file, and not one of the kind's words.
    pub fn is_a_path(&self, text: &str) -> bool {
        matches!(self, Kind::File { words, .. } if !words.contains(&text))
    }
}
