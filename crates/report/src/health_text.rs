//! A drive's health for the terminal: the verdict with its reasons, then each reported value.

use base::health::Told;

use crate::lang::{Lang, Texts};

/// A drive's health in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthText {
    /// `health: good`.
    pub condition: String,
    /// Why, and what can be done.
    pub reasons: Vec<String>,
    /// The name of each thing that is known of the drive, and what it is.
    pub rows: Vec<(String, String)>,
}

/// What a drive told, and what is known of it `beside` that, in this language.
pub fn health_text(told: &Told, beside: &[(&str, String)], lang: Lang) -> HealthText {
    let texts = Texts::new(lang);
    let word = texts.say(&format!("health-word-{}", told.condition));
    let name_of = |name: &str| texts.say(&format!("health-row-{}", name.replace(' ', "-")));
    HealthText {
        condition: texts.with("health-told", &[("condition", &word)]),
        reasons: (told.reasons.iter().map(|why| texts.message(why)))
            .chain(told.remedy.iter().map(|remedy| texts.message(remedy)))
            .collect(),
        rows: (told
            .rows
            .iter()
            .map(|(name, value)| (name_of(name), texts.message(value))))
        .chain(
            beside
                .iter()
                .map(|(name, value)| (name_of(name), texts.fact_value(value))),
        )
        .collect(),
    }
}
