//! The languages of a report, and its texts.
//!
//! A text is a message in a Fluent file (`assets/text/*.ftl`), found by its key; both languages have
//! the same keys, which a test walks. What methods, the lab and plans say (notes, warnings, reasons, forecasts) has keys,
//! too, and its words in both languages stand in [`base::message`]. Names of phases and states, which are stored in
//! English, are read by their parsers and said part by part ([`names`]). No sentence is looked up by its English wording.

use base::result::Better;
use base::statistic::Statistic;
use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use results::RunResult;
use unic_langid::LanguageIdentifier;

use analysis::key;

mod message;
mod names;
mod spaces;

pub(crate) use message::ask_of_plan;
pub use message::{message, plan_title};
pub use names::phase;

const ENGLISH: &str = include_str!("../assets/text/en.ftl");
const JAPANESE: &str = include_str!("../assets/text/ja.ftl");

/// A language that reports are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

impl Lang {
    /// All languages.
    pub const ALL: [Lang; 2] = [Lang::En, Lang::Ja];

    /// The language tag (BCP 47), as in `<html lang>` and on the command line.
    pub const fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Ja => "ja",
        }
    }

    /// The language with this tag.
    pub fn from_tag(tag: &str) -> Option<Lang> {
        Lang::ALL.into_iter().find(|lang| lang.tag() == tag)
    }

    const fn source(self) -> &'static str {
        match self {
            Lang::En => ENGLISH,
            Lang::Ja => JAPANESE,
        }
    }
}

/// The texts of one language.
pub struct Texts {
    lang: Lang,
    bundle: FluentBundle<FluentResource>,
    /// Whether nothing that is spoken of has tracks: its places are then its start and its end.
    trackless: bool,
}

/// Parts of a figure's name that speak of tracks.
const OF_TRACKS: [&str; 2] = ["outermost", "innermost"];

/// Parts of a figure's name that end with a number, by what stands before it, and their texts.
const NUMBERED: [(&str, &str); 3] = [
    ("use-", "part-use-n"),
    ("rest-", "part-rest-n"),
    ("writers", "part-writers-n"),
];

impl Texts {
    /// Reads the language's texts.
    pub(crate) fn new(lang: Lang) -> Texts {
        let mut texts = Texts::of_source(lang, lang.source());
        // What others say is in English already where they say it.
        if lang == Lang::Ja {
            let said = FluentResource::try_new(base::message::JAPANESE.to_owned());
            let said = said.unwrap_or_else(|(good, _)| good);
            texts.bundle.add_resource_overriding(said);
        }
        texts
    }

    /// Reads the texts of a Fluent file in this language, and no others: for what shows results beside reports.
    pub fn of_source(lang: Lang, source: &str) -> Texts {
        let id: LanguageIdentifier = lang.tag().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new(vec![id]);
        // Marks around every argument show where one begins and ends in Japanese; they are taken out again, since they
        // would end up in tables and attributes.
        bundle.set_use_isolating(lang == Lang::Ja);
        // What cannot be read is left out; a test reads both files without errors.
        let resource = FluentResource::try_new(source.to_owned()).unwrap_or_else(|(good, _)| good);
        bundle.add_resource_overriding(resource);
        Texts {
            lang,
            bundle,
            trackless: false,
        }
    }

    /// The texts of a report of these results.
    pub(crate) fn of(lang: Lang, results: &[RunResult]) -> Texts {
        let all_trackless = results.iter().all(|result| result.target.has_no_tracks());
        Texts {
            trackless: all_trackless && !results.is_empty(),
            ..Texts::new(lang)
        }
    }

    /// The language.
    pub(crate) fn lang(&self) -> Lang {
        self.lang
    }

    /// The text of `key`; the key itself where there is none.
    pub fn say(&self, key: &str) -> String {
        self.with(key, &[])
    }

    /// The text of `key` with its arguments filled in.
    pub fn with(&self, key: &str, arguments: &[(&str, &str)]) -> String {
        self.find(key, arguments).unwrap_or_else(|| key.to_owned())
    }

    /// The text of `key`, if the language has one.
    pub(crate) fn find(&self, key: &str, arguments: &[(&str, &str)]) -> Option<String> {
        let arguments = arguments.iter();
        self.filled(
            key,
            arguments.map(|(name, what)| ((*name).to_owned(), (*what).into())),
        )
    }

    /// The text of `key` with arguments that may be numbers, which a plural is chosen by; nothing where the language
    /// has no such text.
    pub(crate) fn filled<'a>(
        &self,
        key: &str,
        arguments: impl IntoIterator<Item = (String, FluentValue<'a>)>,
    ) -> Option<String> {
        self.said_of(key, None, arguments)
    }

    /// What the text of `key` says; with a name, what else it says under that: what it means, what would settle it.
    pub(crate) fn said_of<'a>(
        &self,
        key: &str,
        name: Option<&str>,
        arguments: impl IntoIterator<Item = (String, FluentValue<'a>)>,
    ) -> Option<String> {
        let message = self.bundle.get_message(key)?;
        let pattern = match name {
            None => message.value()?,
            Some(name) => message.get_attribute(name)?.value(),
        };
        let arguments: FluentArgs = arguments.into_iter().collect();
        let mut errors = Vec::new();
        let text = self
            .bundle
            .format_pattern(pattern, Some(&arguments), &mut errors);
        Some(match self.lang {
            Lang::En => text.into_owned(),
            Lang::Ja => spaces::spaced(&text),
        })
    }

    /// Things one after the other, as a list.
    pub(crate) fn list<S: AsRef<str>>(&self, parts: &[S]) -> String {
        self.joined(parts, "list-separator")
    }

    /// Statements one after the other, which may have lists within.
    pub(crate) fn clauses<S: AsRef<str>>(&self, parts: &[S]) -> String {
        self.joined(parts, "clause-separator")
    }

    fn joined<S: AsRef<str>>(&self, parts: &[S], separator: &str) -> String {
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        parts.join(&self.say(separator))
    }

    /// How much of the original's counts and times a run took.
    pub(crate) fn scale(&self, scale: base::method::Scale) -> String {
        self.recorded_scale(scale.name())
    }

    /// A figure's name for people, from its dotted key: known parts are translated, the name of a
    /// test is set as its publisher writes it (`seq1m-q8t1.read`: "SEQ1M Q8T1 read").
    ///
    /// Where a name's parts mean something else together (`after` a boot, and not after a drop), the whole has a text.
    pub(crate) fn figure(&self, key: &str) -> String {
        if let Some(whole) = self.find(&format!("part-{}", key.replace('.', "-")), &[]) {
            return whole;
        }
        let parts: Vec<String> = key::parts(key)
            .iter()
            .map(|part| self.figure_part(part))
            .collect();
        parts.join(" ")
    }

    fn figure_part(&self, part: &str) -> String {
        if self.trackless && OF_TRACKS.contains(&part) {
            return self.say(&format!("part-{part}-trackless"));
        }
        // A message's name has no dots.
        if let Some(text) = self.find(&format!("part-{part}"), &[]) {
            return text;
        }
        for (start, key) in NUMBERED {
            let n = part.strip_prefix(start);
            if let Some(n) = n.filter(|n| n.starts_with(|c: char| c.is_ascii_digit())) {
                return self.with(key, &[("n", n)]);
            }
        }
        if key::is_percentile(part) {
            return part.to_owned();
        }
        if let Some(size) = binary_size(part) {
            return size;
        }
        if is_test(part) {
            return part.to_uppercase().replace('-', " ");
        }
        let words = part.replace(['-', '_'], " ");
        // A chart's key has the name of its phase.
        match words.split(' ').count() {
            0..=2 => words,
            _ => self.phase(&words),
        }
    }

    /// The title of a result's method in the report's language; the English one if the result has no
    /// other.
    pub(crate) fn method<'a>(&self, result: &'a RunResult) -> &'a str {
        self.title([&result.method_title, &result.method_title_ja])
    }

    /// The one of a method's two titles that is in the report's language, or the English one.
    pub(crate) fn title<'a>(&self, [english, japanese]: [&'a str; 2]) -> &'a str {
        match self.lang {
            Lang::Ja if !japanese.is_empty() => japanese,
            Lang::En | Lang::Ja => english,
        }
    }

    /// The name of a fact about a drive or a host (`firmware`, `cpu threads`).
    pub(crate) fn fact(&self, name: &str) -> String {
        let said = match name.strip_prefix("member ") {
            Some(n) => self.find("fact-member", &[("n", n)]),
            None => self.find(&format!("fact-{}", name.replace(' ', "-")), &[]),
        };
        said.unwrap_or_else(|| name.to_owned())
    }

    /// The text in the report's language, or the English one.
    pub(crate) fn pick<'a>(&self, text: &'a base::chart::Text) -> &'a str {
        self.title([&text.en, &text.ja])
    }

    /// A unit as it is printed on paper: `us` is an ASCII stand-in for the micro sign.
    pub(crate) fn unit(&self, unit: &str) -> String {
        match unit {
            "us" => "µs".to_owned(),
            "count" => self.say("unit-count"),
            "per min" => self.say("unit-per-min"),
            "of 100" => self.say("unit-of-100"),
            "drivelab points" => self.say("unit-drivelab-points"),
            "points" => self.say("unit-points"),
            "ratio" => self.say("unit-ratio"),
            other => other.to_owned(),
        }
    }

    /// How a figure was made of its samples; the best, the median and the mean of one run are that run.
    pub(crate) fn statistic(&self, statistic: &Statistic) -> String {
        match statistic.runs() {
            Some(1) => self.say("statistic-of-one"),
            _ => self.message(statistic.message()),
        }
    }

    /// Which of two values of a row is the better one, in words.
    pub(crate) fn better(&self, better: Better) -> String {
        self.say(match better {
            Better::Higher => "better-higher",
            Better::Lower => "better-lower",
            Better::None => "better-none",
        })
    }
}

/// `256mib` as it is written elsewhere: `256 MiB`.
fn binary_size(part: &str) -> Option<String> {
    let units = [
        ("kib", "KiB"),
        ("mib", "MiB"),
        ("gib", "GiB"),
        ("tib", "TiB"),
    ];
    units.iter().find_map(|(ending, unit)| {
        let number = part.strip_suffix(ending)?;
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| format!("{number} {unit}"))
    })
}

/// `seq1m-q8t1`, `rnd4k-q32t16`, `4k-qd32`, `512k`: letters of a published test's name.
fn is_test(part: &str) -> bool {
    ["seq", "rnd", "qd"]
        .iter()
        .any(|name| part.starts_with(name))
        || part.starts_with(|c: char| c.is_ascii_digit())
}

/// The keys of a language's texts, in the order of its file.
#[cfg(test)]
pub(crate) fn keys(lang: Lang) -> Vec<&'static str> {
    let is_message = |line: &&str| line.starts_with(|c: char| c.is_ascii_lowercase());
    lang.source()
        .lines()
        .filter(is_message)
        .filter_map(|line| line.split_once(" =").map(|(key, _)| key))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_are_read_without_errors() {
        for lang in Lang::ALL {
            let read = FluentResource::try_new(lang.source().to_owned());
            assert!(
                read.is_ok(),
                "{}: {:?}",
                lang.tag(),
                read.err().map(|e| e.1)
            );
        }
    }

    #[test]
    fn both_languages_have_the_same_keys_and_none_twice() {
        let mut english = keys(Lang::En);
        let mut japanese = keys(Lang::Ja);
        english.sort_unstable();
        japanese.sort_unstable();
        assert_eq!(english, japanese);
        english.dedup();
        assert_eq!(english.len(), japanese.len());
    }

    #[test]
    fn both_languages_use_the_same_arguments() {
        // A message goes on in indented lines; `NAME-count` chooses a plural, which Japanese does not have.
        let arguments = |lang: Lang, key: &str| {
            let start = format!("{key} =");
            let mut lines = lang.source().lines();
            let first = lines.find(|line| line.starts_with(&start)).unwrap();
            let more = lines.take_while(|line| line.starts_with(' '));
            let message: Vec<&str> = std::iter::once(first).chain(more).collect();
            let message = message.join(" ");
            let named = message.split("{ $").skip(1);
            let mut found: Vec<&str> = named
                .filter_map(|rest| rest.split([' ', '}']).next())
                .filter(|name| !name.ends_with("-count"))
                .collect();
            found.sort_unstable();
            found.dedup();
            found.join(" ")
        };
        for key in keys(Lang::En) {
            assert_eq!(arguments(Lang::En, key), arguments(Lang::Ja, key), "{key}");
        }
    }

    #[test]
    fn every_key_that_the_code_asks_for_is_there_and_every_text_is_asked_for() {
        let sources = crate::sources();
        for lang in Lang::ALL {
            let texts = Texts::new(lang);
            for (file, source) in &sources {
                for asked in asked_for(source) {
                    assert!(texts.find(&asked, &[]).is_some(), "{file} asks for {asked}");
                }
            }
        }
        let all: String = sources.iter().map(|(_, source)| source.as_str()).collect();
        for key in keys(Lang::En) {
            let made = [
                "part-",
                "condition-",
                "fact-",
                "use-",
                "rule-",
                "measure-",
                "health-",
                "plan-title-",
                "plan-ask-",
                "answer-",
                "finding-",
                "reservation-",
                "question-",
                "acceptance-",
                "method-",
                "unchecked-",
                "cause-part-",
                "explain-part-",
            ]
            .iter()
            .any(|prefix| key.starts_with(prefix));
            assert!(
                made || all.contains(&format!("\"{key}\"")),
                "nobody asks for {key}"
            );
        }
    }

    /// The keys in `say("...")` and `with("...")`.
    fn asked_for(source: &str) -> Vec<String> {
        let source = source.split_whitespace().collect::<Vec<_>>().join("");
        [".say(\"", ".with(\""]
            .iter()
            .flat_map(|call| source.split(call).skip(1))
            .filter_map(|rest| rest.split('"').next())
            .filter(|key| key.starts_with(|c: char| c.is_ascii_lowercase()))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn a_word_may_have_another_sense_beside_others() {
        let japanese = Texts::new(Lang::Ja);
        let bandwidth = japanese.figure("system.start.bandwidth");
        assert_eq!(bandwidth.split(' ').nth(1), Some("アプリ起動"));
        assert_eq!(japanese.figure("read.start"), "読み込み 始端");
    }

    #[test]
    fn a_figure_is_named_for_people() {
        let english = Texts::new(Lang::En);
        assert_eq!(english.figure("seq1m-q8t1.read"), "SEQ1M Q8T1 read");
        assert_eq!(english.figure("write.p99.9"), "write p99.9");
        assert_eq!(english.figure("range.256mib"), "range 256 MiB");
        assert_eq!(english.figure("use-25.worst"), "after 25 % use worst");
        let idle = english.figure("rest-10min.first.median");
        assert_eq!(idle, "after a rest of 10min: first median");
        let commit = english.figure("unflushed.writers16.p99.9");
        assert_eq!(commit, "not flushed, writers: 16, p99.9");
        assert_eq!(english.figure("after.rate"), "after the drop rate");
        assert_eq!(
            english.figure("after.written"),
            "after the desktop, written"
        );
        assert_eq!(english.figure("iso_s"), "ISO folder, time");
        assert_eq!(english.statistic(&"best of 5".into()), "best of 5");
        assert_eq!(english.statistic(&"p99.9".into()), "p99.9");
        let japanese = Texts::new(Lang::Ja);
        assert_eq!(japanese.figure("rnd4k-q32t1.write"), "RND4K Q32T1 書き込み");
        assert_eq!(japanese.statistic(&"best of 5".into()), "5 回中の最良");
        assert_eq!(
            japanese.statistic(&"median of repeats of: best of 5".into()),
            "繰り返しの中央値: 5 回中の最良"
        );
        assert_eq!(japanese.statistic(&"median of 1".into()), "1 回の測定値");
    }
}
