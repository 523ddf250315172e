//! A sentence by its key, with its values: in English here, and in every language in reports.
//!
//! The sender (a method, the lab, a plan) chooses the key and provides the values; the wording is stored under the key,
//! one file per language (`assets/messages.*.ftl`). So a wording can be changed without side effects, and no finished
//! sentence is ever parsed. The files are Fluent; these sentences only use placeables: English needs no more than this
//! file to be printed.
//!
//! A stored result keeps the English sentence as of then, with its key. Text without a key (an older result, messages
//! from the machine) is shown unchanged.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Deref;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The English sentences, by key.
pub const ENGLISH: &str = include_str!("../assets/messages.en.ftl");
/// The Japanese sentences, by key.
pub const JAPANESE: &str = include_str!("../assets/messages.ja.ftl");

/// The English sentences.
static SENTENCES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| sentences(ENGLISH).collect());

/// The keys of a file with their sentences; each is one line.
pub fn sentences(file: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(" = "))
}

/// A sentence, with its key where it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The sentence in English, as it appears among the notes, warnings and reasons.
    text: String,
    /// Its key in the texts of each language; empty if there is only the text.
    key: String,
    /// Its values, by the names of its placeholders.
    arguments: BTreeMap<String, Argument>,
    /// A prefix in every language: blanks, a number.
    head: String,
}

/// The value of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "KeyedArgument")]
pub enum Argument {
    /// A name, a number with its unit: the same in every language.
    Text(String),
    /// The name of a phase.
    Phase(String),
    /// The key of a figure.
    Figure(String),
    /// Sentences or parts of one, one after the other, with this between them in English.
    Said {
        /// The text.
        #[serde(with = "keyed")]
        #[schemars(with = "Vec<keyed::Keyed>")]
        parts: Vec<Message>,
        /// Between them.
        between: String,
    },
}

impl Argument {
    /// What is written the same in every language.
    pub fn text(value: impl fmt::Display) -> Argument {
        Argument::Text(value.to_string())
    }

    /// Parts of a sentence, as a list.
    pub fn list(parts: Vec<Message>) -> Argument {
        let between = ", ".to_owned();
        Argument::Said { parts, between }
    }

    /// Statements that may have lists within.
    pub fn clauses(parts: Vec<Message>) -> Argument {
        let between = "; ".to_owned();
        Argument::Said { parts, between }
    }

    fn english(&self) -> String {
        match self {
            Argument::Text(text) | Argument::Phase(text) | Argument::Figure(text) => text.clone(),
            Argument::Said { parts, between } => {
                let parts: Vec<&str> = parts.iter().map(|part| &**part).collect();
                parts.join(between)
            }
        }
    }
}

impl From<Message> for Argument {
    fn from(part: Message) -> Argument {
        Argument::list(vec![part])
    }
}

macro_rules! written_alike {
    ($($of:ty),*) => {
        $(impl From<$of> for Argument {
            fn from(value: $of) -> Argument {
                Argument::text(value)
            }
        })*
    };
}

written_alike!(
    &str,
    String,
    &String,
    u16,
    u32,
    u64,
    usize,
    crate::size::Bytes,
    crate::time::Duration
);

impl Message {
    /// The sentence of this key, with its values.
    pub fn new<const N: usize>(
        key: &'static str,
        arguments: [(&'static str, Argument); N],
    ) -> Message {
        let arguments: BTreeMap<String, Argument> = (arguments.into_iter())
            .map(|(name, argument)| (name.to_owned(), argument))
            .collect();
        debug_assert!(SENTENCES.contains_key(key), "no sentence has the key {key}");
        let sentence = SENTENCES.get(key).copied().unwrap_or(key);
        Message {
            text: filled(sentence, &arguments),
            key: key.to_owned(),
            arguments,
            head: String::new(),
        }
    }

    /// The sentence of this key, which has no placeholders.
    pub fn of(key: &'static str) -> Message {
        Message::new(key, [])
    }

    /// Text that is shown unchanged in every language.
    pub fn as_it_stands(text: impl Into<String>) -> Message {
        Message {
            text: text.into(),
            ..Message::default()
        }
    }

    /// The same as a line that begins with blanks or a number.
    #[must_use]
    pub fn behind(mut self, head: &str) -> Message {
        self.text.insert_str(0, head);
        self.head.insert_str(0, head);
        self
    }

    /// The prefix in every language.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// In English.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The key, where it has one.
    pub fn key(&self) -> Option<&str> {
        (!self.key.is_empty()).then_some(&*self.key)
    }

    /// The values of its placeholders.
    pub fn arguments(&self) -> impl Iterator<Item = (&str, &Argument)> {
        self.arguments.iter().map(|(name, what)| (&**name, what))
    }
}

impl Deref for Message {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

/// The placeholders of a sentence, in order.
pub fn places(sentence: &str) -> impl Iterator<Item = &str> {
    let places = sentence.split("{ $").skip(1);
    places.filter_map(|rest| rest.split_once(" }").map(|(name, _)| name))
}

fn filled(sentence: &str, arguments: &BTreeMap<String, Argument>) -> String {
    let mut pieces = sentence.split("{ $");
    let mut text = pieces.next().unwrap_or("").to_owned();
    for piece in pieces {
        let Some((name, rest)) = piece.split_once(" }") else {
            continue;
        };
        let argument = arguments.get(name).map(Argument::english);
        debug_assert!(argument.is_some(), "nothing stands in {name}: {sentence}");
        text.push_str(&argument.unwrap_or_default());
        text.push_str(rest);
    }
    text
}

/// Stored as its English text; its key is stored elsewhere in the document ([`keyed`]).
impl Serialize for Message {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Message, D::Error> {
        String::deserialize(from).map(Message::as_it_stands)
    }
}

impl JsonSchema for Message {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(of: &mut SchemaGenerator) -> Schema {
        String::json_schema(of)
    }
}

/// Sentences stored with their keys and values.
pub mod keyed {
    use std::collections::BTreeMap;

    use schemars::JsonSchema;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Argument, Message};

    /// A sentence, with its key where it has one.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(remote = "Message")]
    #[schemars(rename = "KeyedSentence")]
    pub struct Keyed {
        /// The sentence in English, as it appears among the notes, warnings and reasons.
        text: String,
        /// Its key in the texts of each language; empty if there is only the text.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        key: String,
        /// Its values, by the names of its placeholders.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        arguments: BTreeMap<String, Argument>,
        #[serde(skip)]
        head: String,
    }

    #[derive(Deserialize)]
    struct Owned(#[serde(with = "Keyed")] Message);

    #[derive(Serialize)]
    struct Borrowed<'a>(#[serde(with = "Keyed")] &'a Message);

    /// Writes them.
    ///
    /// # Errors
    /// The writer's.
    pub fn serialize<S: Serializer>(messages: &[Message], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(messages.iter().map(Borrowed))
    }

    /// Reads them.
    ///
    /// # Errors
    /// The reader's.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Message>, D::Error> {
        let all = Vec::<Owned>::deserialize(from)?;
        Ok(all.into_iter().map(|one| one.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_every_key_once_with_the_same_places() {
        let mut seen = HashMap::new();
        for (key, english) in sentences(ENGLISH) {
            assert!(seen.insert(key, english).is_none(), "twice: {key}");
            assert!(english.is_ascii(), "{key}: {english}");
        }
        let mut japanese = HashMap::new();
        for (key, text) in sentences(JAPANESE) {
            assert!(japanese.insert(key, text).is_none(), "twice: {key}");
            // Of places with marks between them alone nothing is to be translated.
            let has_words = text.split("{ $").any(|piece| {
                let words = piece.split_once(" }").map_or(piece, |(_, rest)| rest);
                words.contains(char::is_lowercase)
            });
            assert!(!has_words || !text.is_ascii(), "{key}: {text}");
            let english = seen
                .get(key)
                .unwrap_or_else(|| panic!("only in Japanese: {key}"));
            let sorted = |text| {
                let mut all: Vec<&str> = places(text).collect();
                all.sort_unstable();
                all
            };
            assert_eq!(sorted(english), sorted(text), "{key}");
        }
        assert_eq!(seen.len(), japanese.len());
    }

    #[test]
    fn every_line_is_a_sentence_with_a_key_and_every_brace_a_place() {
        for file in [ENGLISH, JAPANESE] {
            for line in file
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
            {
                let (key, text) = line.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
                assert!(
                    key.bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                    "{key}"
                );
                assert_eq!(text.trim(), text, "{key}");
                assert_eq!(
                    places(text).count(),
                    text.matches(['{', '}']).count() / 2,
                    "{key}"
                );
            }
        }
    }

    /// The sources of all crates, whose sentences these are.
    fn sources(folder: &std::path::Path, into: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_source = path.extension().is_some_and(|ending| ending == "rs");
            match path.is_dir() {
                true => sources(&path, into),
                false if is_source => into.push_str(&std::fs::read_to_string(&path).unwrap()),
                false => {}
            }
        }
    }

    #[test]
    fn every_sentence_is_said_by_somebody() {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut all = String::new();
        sources(&crates, &mut all);
        // The vocabulary of phases is not said by key, but read.
        let keys = sentences(ENGLISH).map(|(key, _)| key);
        for key in keys.filter(|key| !key.starts_with(crate::phase_name::VOCABULARY)) {
            assert!(all.contains(&format!("\"{key}\"")), "nobody says {key}");
        }
    }

    #[test]
    fn a_sentence_is_stored_with_its_key_and_one_of_before_is_shown_as_it_stands() {
        let said = Message::new("stored-as", [("id", 7_u64.into())]);
        assert_eq!(said, "stored as 7");
        let mut stored = Vec::new();
        let mut to = serde_json::Serializer::new(&mut stored);
        keyed::serialize(std::slice::from_ref(&said), &mut to).unwrap();
        let mut from = serde_json::Deserializer::from_slice(&stored);
        let again = keyed::deserialize(&mut from).unwrap();
        assert_eq!(again, std::slice::from_ref(&said));
        let before: Message = serde_json::from_str(&serde_json::to_string(&said).unwrap()).unwrap();
        assert_eq!((before.key(), &*before), (None, "stored as 7"));
    }
}
