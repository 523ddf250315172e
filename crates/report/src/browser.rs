//! All stored results in one page: to filter, to sort, to look at, and to set two side by side.
//!
//! The page holds every result's figures with their conditions, and nothing else of it: texts that
//! recur (keys, units, conditions) are in it once and are referred to by number, so that a figure takes
//! some thirty bytes and hundreds of results make a page of a few MB. Charts, settings and environment
//! are in it for the newest results alone, as inert templates that are shown on request; for the
//! others the page names the command that makes their report.
//!
//! Two results are compared as `drivelab compare` does, when the page is made: for pairs of the newest results, whose
//! records are complete. The script compares nothing; for other pairs it shows the values and names the command.
//!
//! Nothing is fetched: the page's policy forbids every request. The script sets texts as text alone.

use base::{Better, Message};
use maud::{Markup, html};
use results::RunResult;
use serde_json::{Value, json};

use crate::html::shell::{self, Allowed, document, script};
use crate::html::{HtmlOptions, detail};
use crate::lang::Texts;

const SCRIPT: &str = include_str!("../assets/browser.js");

/// A result in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number in the store.
    pub id: i64,
    /// When it began, as it is printed.
    pub began: String,
    /// `finished`, `ended early`, `running`, `interrupted`, `went away` or `failed`.
    pub state: String,
    pub method: String,
    /// The method's title, in English and in Japanese; its name where there is no result.
    pub method_titles: [String; 2],
    /// The target as it was named.
    pub target: String,
    /// The drive, for people.
    pub drive: Message,
    /// `real` or `model`; empty where there is no result.
    pub kind: String,
    /// The scale; empty where there is no result.
    pub scale: String,
    pub version: u32,
    /// True where it may stand beside published figures.
    pub stands_beside_published: bool,
    /// How many warnings it carries.
    pub warnings: usize,
    pub figures: Vec<base::result::Figure>,
}

impl Entry {
    /// A run with its result; `began` and `state` are the store's, which knows when a model ran, too.
    pub fn of(result: &RunResult, began: &str, state: &str) -> Entry {
        let target = &result.target;
        Entry {
            id: result.id,
            began: began.to_owned(),
            state: state.to_owned(),
            method: result.method.clone(),
            method_titles: [result.method_title.clone(), result.method_title_ja.clone()],
            target: target.name.clone(),
            drive: match target.title.is_empty() {
                true => Message::as_it_stands(&target.name),
                false => target.title.clone(),
            },
            kind: target.kind.name().to_owned(),
            scale: result.scale.name().to_owned(),
            version: result.method_version,
            stands_beside_published: result.stands_beside_published,
            warnings: result.warnings.len(),
            figures: result.figures.clone(),
        }
    }

    /// A run without a result.
    pub fn without_result(id: i64, began: &str, state: &str, method: &str, target: &str) -> Entry {
        Entry {
            id,
            began: began.to_owned(),
            state: state.to_owned(),
            method: method.to_owned(),
            method_titles: [method.to_owned(), String::new()],
            target: target.to_owned(),
            drive: Message::as_it_stands(target),
            kind: String::new(),
            scale: String::new(),
            version: 0,
            stands_beside_published: false,
            warnings: 0,
            figures: Vec::new(),
        }
    }
}

/// Texts that the script says.
const WORDS: [&str; 22] = [
    "browser-show",
    "browser-shown",
    "browser-compare",
    "browser-choose-two",
    "browser-other-methods",
    "browser-difference",
    "browser-not-compared",
    "browser-first",
    "browser-second",
    "browser-only-figures",
    "browser-details",
    "browser-all",
    "browser-headline",
    "better-higher",
    "better-lower",
    "better-none",
    "no-value",
    "figure",
    "value",
    "statistic",
    "conditions",
    "warnings",
];

/// The page over these results, the newest first; `details` are those that it shows in full.
pub fn page(entries: &[Entry], details: &[RunResult], options: &HtmlOptions) -> String {
    let texts = Texts::new(options.lang);
    let title = options
        .title
        .clone()
        .unwrap_or_else(|| texts.say("browser-title"));
    let words: serde_json::Map<String, Value> = WORDS
        .iter()
        .map(|key| ((*key).to_owned(), texts.say(key).into()))
        .chain(["real", "model"].map(|kind| {
            let key = format!("kind-{kind}");
            (key.clone(), texts.say(&key).into())
        }))
        .collect();
    let counts = [entries.len().to_string(), details.len().to_string()];
    let lede = [("count", counts[0].as_str()), ("details", &counts[1])];
    let body = html! {
        body.browser {
            header.masthead {
                p.kicker { (texts.say("kicker")) }
                h1 { (title) }
                p.lede { (texts.with("browser-lede", &lede)) }
            }
            main #main {
                (filters(&texts))
                p.tally {
                    span #shown role="status" {} " "
                    button #compare type="button" disabled { (texts.say("browser-compare")) }
                }
                section #comparison hidden tabindex="-1" {}
                section #detail hidden tabindex="-1" {}
                (list(&texts))
                noscript { p { (texts.say("browser-noscript")) } }
            }
            @for result in details {
                template id={ "detail-" (result.id) } { (detail(result, options)) }
            }
            (shell::data("drivelab-results", &data(entries, details, &texts).to_string()))
            (shell::data("drivelab-words", &Value::from(words).to_string()))
            (script(SCRIPT))
        }
    };
    document(&texts, &title, Allowed::Scripts, ["", ""], &body)
}

fn filters(texts: &Texts) -> Markup {
    let choice = |id: &str, key: &str| html! { label { (texts.say(key)) select id=(id) {} } };
    let date =
        |id: &str, key: &str| html! { label { (texts.say(key)) input type="date" id=(id); } };
    html! {
        form.filters #filters {
            label.wide { (texts.say("browser-search")) input type="search" id="search" autocomplete="off"; }
            (choice("drive", "drive"))
            (choice("method", "browser-method"))
            (choice("scale", "scale"))
            (choice("kind", "browser-kind"))
            (date("from", "browser-from"))
            (date("to", "browser-to"))
            (choice("figure", "browser-figure"))
            button #reset type="reset" { (texts.say("browser-reset")) }
        }
    }
}

fn list(texts: &Texts) -> Markup {
    let columns = [
        ("browser-number", "id"),
        ("browser-began", "began"),
        ("drive", "drive"),
        ("browser-method", "method"),
        ("scale", "scale"),
        ("browser-figure", "value"),
    ];
    html! {
        div.scroll role="group" tabindex="0" aria-label=(texts.say("browser-title")) {
            table.results {
                thead { tr {
                    th scope="col" { span.unseen { (texts.say("browser-choose")) } }
                    @for (key, name) in columns {
                        th scope="col" data-sort=(name) { button type="button" { (texts.say(key)) } }
                    }
                    th scope="col" {}
                } }
                tbody #results {}
            }
        }
    }
}

/// Texts by number: each once.
#[derive(Default)]
struct Strings {
    all: Vec<String>,
    places: std::collections::BTreeMap<String, usize>,
}

impl Strings {
    fn number(&mut self, text: &str) -> usize {
        if let Some(place) = self.places.get(text) {
            return *place;
        }
        let place = self.all.len();
        self.all.push(text.to_owned());
        self.places.insert(text.to_owned(), place);
        place
    }
}

/// The most pairs that are compared in the page: a newer result with those before it.
const MOST_PAIRS: usize = 100;

/// What `drivelab compare` says of pairs of results, by their numbers, the first run first: `[key, words, better]` with 0
/// or 1 for which of the two is better, and what is said of all.
fn pairs(details: &[RunResult], strings: &mut Strings, texts: &Texts) -> Value {
    let of_two = details.iter().enumerate().flat_map(|(at, newer)| {
        let before = details[at + 1..].iter();
        let alike = before.filter(|older| older.method == newer.method);
        alike.map(move |older| (older, newer))
    });
    let mut pairs = serde_json::Map::new();
    for (one, other) in of_two.take(MOST_PAIRS) {
        let (first, second) = if one.id <= other.id {
            (one, other)
        } else {
            (other, one)
        };
        let pair = crate::compare::pair(first, second, texts);
        let rows = pair.rows.iter().map(|(key, words, better)| {
            json!([strings.number(key), strings.number(words), better])
        });
        let rows: Vec<Value> = rows.collect();
        let said = json!({"rows": rows, "conclusions": pair.conclusions});
        pairs.insert(format!("{}-{}", first.id, second.id), said);
    }
    pairs.into()
}

/// The list as a document: `strings`, `names` (of figures' keys, for people), `results`, and `pairs` that are compared.
///
/// A figure is `[key, value, unit, better, statistic, n, span, data, alignment, state, scale]`, texts by
/// their numbers, `better` 1 for higher, -1 for lower, 0 for neither.
fn data(entries: &[Entry], details: &[RunResult], texts: &Texts) -> Value {
    let mut strings = Strings::default();
    let mut names = serde_json::Map::new();
    let mut results = Vec::new();
    for entry in entries {
        let mut figures = Vec::new();
        for figure in &entry.figures {
            let key = strings.number(&figure.key);
            names
                .entry(key.to_string())
                .or_insert_with(|| texts.figure(&figure.key).into());
            let by = &figure.comparable_by;
            let better = match figure.better {
                Better::Higher => 1,
                Better::Lower => -1,
                Better::None => 0,
            };
            figures.push(json!([
                key,
                figure.value,
                strings.number(&texts.unit(&figure.unit)),
                better,
                strings.number(&texts.statistic(&figure.statistic)),
                figure.n,
                strings.number(&texts.message(&by.span)),
                strings.number(&texts.message(&by.data)),
                strings.number(&by.alignment),
                strings.number(&by.state),
                strings.number(&by.scale),
            ]));
        }
        results.push(json!({
            "id": entry.id,
            "began": entry.began,
            "run": entry.state,
            "method": entry.method,
            "title": texts.title(entry.method_titles.each_ref().map(String::as_str)),
            "target": entry.target,
            "drive": texts.message(&entry.drive),
            "kind": entry.kind,
            "scale": entry.scale,
            "version": entry.version,
            "original": entry.stands_beside_published,
            "warnings": entry.warnings,
            "figures": figures,
        }));
    }
    let pairs = pairs(details, &mut strings, texts);
    json!({"strings": strings.all, "names": names, "results": results, "pairs": pairs})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
    use fixtures::results as sample;

    fn entries() -> Vec<Entry> {
        let results = sample::review();
        results
            .iter()
            .map(|r| Entry::of(r, "2026-03-01T12:34:00Z", "finished"))
            .collect()
    }

    #[test]
    fn a_figure_takes_few_bytes_and_texts_stand_once() {
        let mut many = Vec::new();
        for n in 0..300 {
            many.extend(entries().into_iter().take(3).map(|mut e| {
                e.id += n * 100;
                e
            }));
        }
        let page = page(&many, &[], &HtmlOptions::default());
        let figures: usize = many.iter().map(|e| e.figures.len()).sum();
        assert!(figures > 40_000);
        assert!(
            page.len() / figures < 60,
            "{} bytes a figure",
            page.len() / figures
        );
    }

    #[test]
    fn a_run_without_a_result_is_listed_too() {
        let entry =
            Entry::without_result(7, "2026-03-01T12:34:00Z", "interrupted", "full-scan", "./");
        let page = page(&[entry], &[], &HtmlOptions::default());
        assert!(page.contains("\"run\":\"interrupted\""));
    }

    #[test]
    fn the_newest_results_are_in_the_page_in_full_as_templates() {
        let results = sample::review();
        for lang in Lang::ALL {
            let options = HtmlOptions { lang, title: None };
            let page = page(&entries(), &results[..2], &options);
            assert_eq!(page.matches("<template id=\"detail-").count(), 2);
            assert!(page.contains("<svg class=\"plot\""));
        }
    }

    /// A result whose first figure was repeated, so many times as large.
    fn repeated(mut result: RunResult, id: i64, factor: f64) -> RunResult {
        result.id = id;
        result.figures.truncate(1);
        let values = [99.0, 101.0, 100.0, 98.0, 102.0, 100.5].map(|v| v * factor);
        result.figures[0].value = Some(100.0 * factor);
        let key = result.figures[0].key.clone();
        result.repeats = Some(results::Repeats {
            values: [(key, values.to_vec())].into(),
            ..results::Repeats::default()
        });
        result
    }

    #[test]
    fn the_page_says_of_each_pair_what_the_comparison_says_and_names_no_winner_of_single_runs() {
        let mut results = sample::review();
        let real = results[0].clone();
        // A second run of the real drive, and two sets of repeats of it, the newest first.
        let second = RunResult {
            id: 20,
            ..real.clone()
        };
        results.extend([
            second,
            repeated(real.clone(), 21, 1.0),
            repeated(real, 22, 1.2),
        ]);
        results.reverse();
        let texts = Texts::new(Lang::En);
        let mut strings = Strings::default();
        let pairs = pairs(&results, &mut strings, &texts);
        let options = crate::terminal::TerminalOptions {
            columns: 10_000,
            ..crate::terminal::TerminalOptions::default()
        };
        let (mut compared, mut winners) = (0, Vec::new());
        for (name, pair) in pairs.as_object().unwrap() {
            let (first, second) = name.split_once('-').unwrap();
            let of = |id: &str| {
                let id: i64 = id.parse().unwrap();
                results.iter().find(|r| r.id == id).unwrap().clone()
            };
            let said = crate::compare::text(&[of(first), of(second)], &options);
            for row in pair["rows"].as_array().unwrap() {
                let words = &strings.all[row[1].as_u64().unwrap() as usize];
                let none = *words == texts.say("effect-no-difference");
                assert!(none || said.contains(words), "{name}: {words}");
                if !row[2].is_null() && !winners.contains(name) {
                    winners.push(name.clone());
                }
            }
            for words in pair["conclusions"].as_array().unwrap() {
                assert!(said.contains(words.as_str().unwrap()), "{name}: {words}");
            }
            compared += 1;
        }
        assert_eq!(compared, 15 + 9);
        assert!(winners.contains(&"21-22".to_owned()), "{winners:?}");
        let single = |name: &&String| name.as_str() == "1-20" || name.ends_with("-20");
        assert_eq!(winners.iter().find(single), None);
    }
}
