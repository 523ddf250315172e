//! What a method is: a card that says what it does, a forecast, and a function over a bench.
//!
//! Command line, help, man page and JSON listing all come from the cards, and a setting is checked
//! once, when [`Settings`] are made: a method reads its values without ever failing.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bench::{Bench, Stopped};
use crate::input::{BadInput, Input, Inputs};
use crate::nearest::nearest;
use crate::result::Judgement;
use crate::size::Bytes;
use crate::target::Info;
use crate::time::Duration;
use crate::workload::Span;

/// One named way of judging a drive.
pub trait Method: Sync {
    /// What it is.
    fn card(&self) -> &'static Card;

    /// Reads the files that the settings name, before the target is opened: what is malformed or does not
    /// fit the target is found here, and what the forecast and the run need to know is noted in
    /// [`Settings::inputs`]. A method without files has nothing to do.
    ///
    /// # Errors
    /// [`BadInput`] where a file cannot be read, or makes no sense.
    fn survey(
        &self,
        settings: &mut Settings,
        on: &Info,
        inputs: &dyn Inputs,
    ) -> Result<(), BadInput> {
        let _ = (settings, on, inputs);
        Ok(())
    }

    /// What a run on such a target will take: upper bounds, and every range that it writes.
    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast;

    /// Judges the drive.
    ///
    /// # Errors
    /// [`Stopped`] where the bench could not go on.
    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<Judgement, Stopped>;
}

/// What a method says of itself.
#[derive(Debug)]
pub struct Card {
    /// The name on the command line: lower case, dashes.
    pub id: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Who published it, and in which version it is copied.
    pub publisher: &'static str,
    /// One paragraph: what it measures.
    pub summary: &'static str,
    /// Changes when the same settings would no longer give the same workloads.
    pub version: u32,
    /// True where it writes to the target.
    pub writes: bool,
    /// True where it works in a test file where the target is a directory or a file; false where it
    /// needs the whole drive.
    pub files: bool,
    /// True where it would ruin a real drive: such a method is refused on one, with any consent.
    pub models_only: bool,
    /// What can be set.
    pub settings: &'static [SettingCard],
}

/// One thing that can be set.
#[derive(Debug)]
pub struct SettingCard {
    /// Its name.
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
    /// A size in bytes; `whole` may stand for all of the target where `or_whole` is true.
    Size {
        /// Least.
        min: Bytes,
        /// Most.
        max: Bytes,
        /// Whether the word `whole` is taken, too ([`Settings::size_or_whole`]).
        or_whole: bool,
    },
    /// A whole number.
    Count {
        /// Least.
        min: u64,
        /// Most.
        max: u64,
    },
    /// A span of time.
    Time {
        /// Least.
        min: Duration,
        /// Most.
        max: Duration,
    },
    /// A plain number, with decimals or without.
    Factor {
        /// Least.
        min: f64,
        /// Most.
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The path of a file, or one of these words.
    File {
        /// What the file holds, for people: `a trace`.
        holds: &'static str,
        /// Words that are taken in a path's place; a file of such a name is written `./word`.
        words: &'static [&'static str],
    },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Size {
                min,
                max,
                or_whole: false,
            } => write!(f, "a size from {min} to {max}"),
            Kind::Size {
                min,
                max,
                or_whole: true,
            } if max.get() == u64::MAX => {
                write!(f, "a size from {min} on, or whole")
            }
            Kind::Size {
                min,
                max,
                or_whole: true,
            } => write!(f, "a size from {min} to {max}, or whole"),
            Kind::Count { min, max } => write!(f, "a number from {min} to {max}"),
            Kind::Time { min, max } => write!(f, "a time from {min} to {max}"),
            Kind::Factor { min, max } => write!(f, "a number from {min} to {max}"),
            Kind::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Kind::File { holds, words } => {
                write!(f, "the path of {holds}, or {}", words.join(" or "))
            }
        }
    }
}

/// How much of the original's counts and times a run takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Seconds: does it work, roughly how fast.
    Quick = 0,
    /// Under two minutes for a review: shortened, and marked so.
    #[default]
    Default = 1,
    /// The original's own counts and times: alone stands beside published figures.
    Full = 2,
}

impl Scale {
    /// All scales, shortest first.
    pub const ALL: [Scale; 3] = [Scale::Quick, Scale::Default, Scale::Full];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Default => "default",
            Scale::Full => "full",
        }
    }
}

/// What the time of a run is made of: upper bounds. How long the last two take depends on the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Takes {
    /// Phases that a time ends.
    pub timed: Duration,
    /// Rests, and the host's own work: nothing is moved.
    pub idle: Duration,
    /// Bytes moved by phases that bytes, passes or a number of accesses end.
    pub moved: Bytes,
    /// Accesses at random places in such phases, each of which waits for the last.
    pub accesses: u64,
}

impl Takes {
    /// So much time of phases that a time ends.
    pub fn timed(time: Duration) -> Takes {
        Takes {
            timed: time,
            ..Takes::default()
        }
    }

    /// So many bytes moved.
    pub fn moving(bytes: Bytes) -> Takes {
        Takes::default().and_moving(bytes)
    }

    /// And so many bytes moved.
    #[must_use]
    pub fn and_moving(self, bytes: Bytes) -> Takes {
        Takes {
            moved: self.moved.saturating_add(bytes),
            ..self
        }
    }

    /// And so much rest, or work of the host.
    #[must_use]
    pub fn and_idle(self, time: Duration) -> Takes {
        Takes {
            idle: self.idle.saturating_add(time),
            ..self
        }
    }

    /// And so many accesses at random places.
    #[must_use]
    pub fn and_accesses(self, accesses: u64) -> Takes {
        Takes {
            accesses: self.accesses.saturating_add(accesses),
            ..self
        }
    }

    /// Both, one after the other.
    #[must_use]
    pub fn and(self, other: Takes) -> Takes {
        let both = self.and_idle(other.idle).and_moving(other.moved);
        Takes {
            timed: self.timed.saturating_add(other.timed),
            ..both.and_accesses(other.accesses)
        }
    }

    /// All of it so often.
    #[must_use]
    pub fn times(self, n: u64) -> Takes {
        Takes {
            timed: self.timed.saturating_mul(n),
            idle: self.idle.saturating_mul(n),
            moved: Bytes::new(self.moved.get().saturating_mul(n)),
            accesses: self.accesses.saturating_mul(n),
        }
    }

    /// What follows from the settings alone: phases that a time ends, rests and the host's work.
    pub fn known(&self) -> Duration {
        self.timed.saturating_add(self.idle)
    }

    /// True where nothing depends on the drive's speed.
    pub fn is_known(&self) -> bool {
        self.moved.is_zero() && self.accesses == 0
    }
}

/// Upper bounds of what a run will take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// What its time is made of.
    pub takes: Takes,
    /// Bytes read, at most; `None` where only the time bounds them.
    pub reads: Option<Bytes>,
    /// Bytes written, at most; `None` where only the time bounds them.
    pub writes: Option<Bytes>,
    /// Every range that may be written.
    pub written: Vec<Span>,
    /// Size of the test file that it needs, or of the part of the drive that it uses.
    pub extent: Bytes,
}

/// A card's settings with their values, checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Which scale the values that were not given come from.
    pub scale: Scale,
    /// Seeds everything random.
    pub seed: u64,
    /// Value of every setting, as text.
    pub values: BTreeMap<String, String>,
    /// Keys that the user set.
    pub given: Vec<String>,
    /// What is kept of the files that settings name, by key.
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
        /// What was asked for.
        key: String,
        /// The names nearest to it.
        nearest: Vec<String>,
        /// All names.
        all: Vec<String>,
    },
    /// A value that the setting does not take.
    #[error("{method}: '{key}={value}' cannot be: {key} is {expected}")]
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

    /// True where every value is the scale's own.
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

    /// A size. Panics as [`Settings::text`] does, or where the card says that it is no size.
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

    /// A number. Panics as [`Settings::text`] does, or where the card says that it is none.
    pub fn count(&self, key: &str) -> u64 {
        self.text(key)
            .parse()
            .expect("checked against the card when the settings were made")
    }

    /// A plain number. Panics as [`Settings::text`] does, or where the card says that it is none.
    pub fn factor(&self, key: &str) -> f64 {
        self.text(key)
            .parse()
            .expect("checked against the card when the settings were made")
    }

    /// What is kept of the file that a setting names; nothing where it is one of the setting's words, or
    /// where the files have not been looked at.
    pub fn input(&self, key: &str) -> Option<&Input> {
        self.inputs.get(key)
    }

    /// A time. Panics as [`Settings::text`] does, or where the card says that it is none.
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
    /// True where the text is a value of this kind, inside its bounds.
    pub fn takes(&self, text: &str) -> bool {
        match self {
            Kind::Size { or_whole: true, .. } if text == "whole" => true,
            Kind::Size { min, max, .. } => text
                .parse::<Bytes>()
                .is_ok_and(|b| (*min..=*max).contains(&b)),
            Kind::Count { min, max } => text
                .parse::<u64>()
                .is_ok_and(|n| (*min..=*max).contains(&n)),
            Kind::Time { min, max } => text
                .parse::<Duration>()
                .is_ok_and(|t| (*min..=*max).contains(&t)),
            Kind::Factor { min, max } => text
                .parse::<f64>()
                .is_ok_and(|number| (*min..=*max).contains(&number)),
            Kind::Choice(words) => words.contains(&text),
            Kind::File { .. } => !text.is_empty(),
        }
    }

    /// True where the text is the path of a file, and not one of the kind's words.
    pub fn is_a_path(&self, text: &str) -> bool {
        matches!(self, Kind::File { words, .. } if !words.contains(&text))
    }
}
