//! All stored results in one page: to filter, to sort, to look at, and to set two side by side.
//!
//! The page holds every result's figures with their conditions, and nothing else of it: texts that
//! recur (keys, units, conditions) stand in it once and are named by number, so that a figure takes
//! some thirty bytes and hundreds of results make a page of a few MB. Charts, settings and environment
//! are in it for the newest results alone, as inert templates that are shown when they are asked for;
//! of the others the page names the command that makes their report.
//!
//! Nothing is fetched: the page's policy forbids every request. The script sets texts as text alone.

use base::result::Better;
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
    /// `finished`, `running`, `interrupted`, `went away` or `failed`.
    pub state: String,
    /// The method's name.
    pub method: String,
    /// The method's title, in English and in Japanese; its name where there is no result.
    pub method_titles: [String; 2],
    /// The target as it was named.
    pub target: String,
    /// The drive, for people.
    pub drive: String,
    /// `real` or `model`; empty where there is no result.
    pub kind: String,
    /// The scale; empty where there is no result.
    pub scale: String,
    /// The method's version.
    pub version: u32,
    /// True where it may stand beside published figures.
    pub stands_beside_published: bool,
    /// How many warnings it carries.
    pub warnings: usize,
    /// The figures.
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
            drive: if target.title.is_empty() {
                target.name.clone()
            } else {
                target.title.clone()
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
            drive: target.to_owned(),
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
const WORDS: [&str; 27] = [
    "browser-show",
    "browser-shown",
    "browser-compare",
    "browser-choose-two",
    "browser-other-methods",
    "browser-difference",
    "browser-same",
    "browser-first",
    "browser-second",
    "browser-conditions-differ",
    "browser-only-figures",
    "browser-details",
    "browser-all",
    "browser-headline",
    "better-higher",
    "better-lower",
    "better-none",
    "no-value",
    "figure",
    "unit",
    "value",
    "statistic",
    "conditions",
    "scale-shortened",
    "scale-original",
    "condition-method-version",
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
        .chain(["span", "data", "alignment", "state", "scale"].map(|what| {
            let key = format!("condition-{what}");
            (key.clone(), texts.say(&key).into())
        }))
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
            (shell::data("drivelab-results", &data(entries, &texts).to_string()))
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

/// The list as a document: `strings`, `names` (of figures' keys, for people), and `results`.
///
/// A figure is `[key, value, unit, better, statistic, n, span, data, alignment, state, scale]`, texts by
/// their numbers, `better` 1 for higher, -1 for lower, 0 for neither.
fn data(entries: &[Entry], texts: &Texts) -> Value {
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
                strings.number(&texts.statistic(figure.statistic.as_str())),
                figure.n,
                strings.number(&by.span),
                strings.number(&by.data),
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
            "drive": entry.drive,
            "kind": entry.kind,
            "scale": entry.scale,
            "version": entry.version,
            "original": entry.stands_beside_published,
            "warnings": entry.warnings,
            "figures": figures,
        }));
    }
    json!({"strings": strings.all, "names": names, "results": results})
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
}
