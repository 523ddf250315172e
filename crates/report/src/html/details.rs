//! How everything was made: notes and warnings in the open, the rest to be unfolded.

use base::{Figure, Message};
use maud::{Markup, html};
use results::RunResult;

use crate::number;
use crate::uses::quoted;
use analysis::group::Section;
use analysis::tails::tail_mark;

use super::Page;
use super::drives::{Fact, code, definitions, fact, letter, name};

/// Notes and warnings of a method's results, each once, with the drives that they are about.
pub(super) fn remarks(page: &Page, section: &Section) -> Markup {
    let warnings = gather(section, |result| &result.warnings);
    let notes = gather(section, |result| &result.notes);
    let all = section.results.len();
    html! {
        @for (key, remarks) in [("warnings", warnings), ("notes", notes)] {
            @if !remarks.is_empty() {
                div class=(key) role="note" {
                    p { strong { (page.say(key)) } }
                    ul {
                        @for (text, of) in &remarks {
                            li {
                                @if of.len() < all {
                                    @for subject in of { (letter(&page.groups.subjects[*subject])) }
                                    " "
                                }
                                (page.texts.message(text))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn gather(section: &Section, of: fn(&RunResult) -> &Vec<Message>) -> Vec<(Message, Vec<usize>)> {
    let mut gathered: Vec<(Message, Vec<usize>)> = Vec::new();
    for (subject, result) in &section.results {
        for text in of(result) {
            match gathered.iter_mut().find(|(known, _)| known == text) {
                Some((_, whose)) => whose.push(*subject),
                None => gathered.push((text.clone(), vec![*subject])),
            }
        }
    }
    gathered
}

/// All figures of a section with how each was made: a head for each figure, with what is the same of all drives, and
/// a row for each drive.
pub(super) fn figures(page: &Page, section: &Section) -> Markup {
    let keys = analysis::verdict::Table::new(section, analysis::verdict::Reference::Majority);
    let summary = page.say("all-figures");
    html! {
        details.all-figures {
            summary { (summary) }
            div.scroll role="group" tabindex="0" aria-label=(summary) {
                table.figures {
                    thead { tr {
                        @for key in ["drive", "value", "samples", "interval", "conditions"] {
                            th scope="col" { (page.say(key)) }
                        }
                    } }
                    @for row in &keys.rows { (figure_rows(page, section, row.key)) }
                }
            }
        }
    }
}

fn figure_rows(page: &Page, section: &Section, key: &str) -> Markup {
    let found: Vec<(usize, &RunResult, &Figure)> = section
        .results
        .iter()
        .filter_map(|(subject, result)| {
            let figure = result.figures.iter().find(|f| f.key == key)?;
            Some((*subject, *result, figure))
        })
        .collect();
    let told: Vec<String> = found.iter().map(|(_, _, f)| made_by(page, f)).collect();
    let are_alike = told.windows(2).all(|pair| pair[0] == pair[1]);
    let common = told.first().filter(|_| are_alike);
    let ran: Vec<Markup> = found.iter().map(|(_, r, f)| phases(page, r, f)).collect();
    let ran_alike = ran.windows(2).all(|pair| pair[0].0 == pair[1].0);
    let own = |at: usize| {
        html! {
            @if !ran_alike { (ran[at]) " " }
            @if !are_alike { small { (told[at]) } }
        }
    };
    html! {
        tbody {
            tr {
                th scope="rowgroup" colspan="5" {
                    (page.texts.figure(key)) " " code { (key) }
                    " " small {
                        @if let Some(common) = common { (common) (page.say("clause-separator")) }
                        @if let Some(ran) = ran.first().filter(|_| ran_alike) { (ran) }
                    }
                }
            }
            @for (at, (subject, result, figure)) in found.iter().enumerate() {
                (figure_row(page, *subject, result, figure, &own(at)))
            }
        }
    }
}

/// The statistic of a figure and the conditions that it was measured under.
fn made_by(page: &Page, figure: &Figure) -> String {
    let by = &figure.comparable_by;
    let mut said = vec![
        page.texts.statistic(&figure.statistic),
        page.texts.message(&by.span),
        page.texts.message(&by.data),
        by.alignment.clone(),
        page.texts.drive_state(&by.state),
        page.texts.recorded_scale(&by.scale),
    ];
    said.retain(|condition| !condition.is_empty());
    page.texts.clauses(&said)
}

fn figure_row(
    page: &Page,
    subject: usize,
    result: &RunResult,
    figure: &Figure,
    own: &Markup,
) -> Markup {
    let value = match figure.value {
        Some(value) => format!(
            "{} {}",
            number::value(value, &figure.unit),
            page.texts.unit(&figure.unit)
        ),
        None => format!(
            "{} ({})",
            page.say("no-value"),
            figure
                .why_not
                .as_ref()
                .map_or_else(String::new, |why| page.texts.message(why))
        ),
    };
    let interval = figure.interval.map_or(String::new(), |interval| {
        let low = number::value(interval.low, &figure.unit);
        let high = number::value(interval.high, &figure.unit);
        let percent = interval.confidence_percent.to_string();
        page.with(
            "interval-text",
            &[("low", &low), ("high", &high), ("percent", &percent)],
        )
    });
    html! {
        tr class={ "d" (subject) } {
            td { (letter(&page.groups.subjects[subject])) }
            td.number { (value) (super::verdict::tail(page, tail_mark(figure, &result.target))) }
            td.number { (number::with_commas(&figure.n.to_string())) }
            td { (interval) }
            td { (own) }
        }
    }
}

/// The phases of a figure, and links to the workloads that they ran.
fn phases(page: &Page, result: &RunResult, figure: &Figure) -> Markup {
    let named = match figure.phases.as_slice() {
        [] => return html! {},
        [one] => page.texts.phase(one),
        [first, .., last] => page.with(
            "phases-many",
            &[
                ("first", &page.texts.phase(first)),
                ("last", &page.texts.phase(last)),
                ("count", &figure.phases.len().to_string()),
            ],
        ),
    };
    html! {
        (named)
        @for n in page.workloads.of_phases(result, &figure.phases) {
            " " a href={ "#w" (n) } { "W" (n) }
        }
    }
}

/// Command line, settings and environment of each result of a section.
pub(super) fn how(page: &Page, section: &Section) -> Markup {
    html! {
        details.how {
            summary { (page.say("how")) }
            @for (subject, result) in &section.results { (how_one(page, *subject, result)) }
        }
    }
}

fn how_one(page: &Page, subject: usize, result: &RunResult) -> Markup {
    let settings: Vec<Fact> = result
        .settings
        .values
        .iter()
        .map(|(key, value)| {
            let given = result.settings.given.contains(key);
            let value = html! {
                (code(value))
                @if given { " " em { "(" (page.say("given")) ")" } }
            };
            (key.clone(), value)
        })
        .chain([(
            page.texts.fact("seed"),
            code(&result.settings.seed.to_string()),
        )])
        .collect();
    let mut environment = vec![fact("drivelab".to_owned(), &result.environment.drivelab)];
    let host = result.environment.host.iter();
    environment.extend(host.map(|(key, value)| fact(page.texts.fact(key), value)));
    let path = page.texts.message(&result.target.path);
    environment.push(fact(page.say("issued"), &path));
    let state = page.texts.drive_state(&result.target.state);
    environment.push(fact(page.say("state-before"), &state));
    let command = result.environment.command.iter().map(|word| quoted(word));
    let command: Vec<String> = command.collect();
    html! {
        div class={ "d" (subject) " made-by" } {
            h4 { (name(page, &page.groups.subjects[subject])) }
            p { (page.say("command")) ": " (code(&command.join(" "))) }
            div.columns {
                div { h5 { (page.say("settings")) } (definitions(&settings)) }
                div { h5 { (page.say("environment")) } (definitions(&environment)) }
                div { h5 { (page.say("workloads")) } (workload_links(page, result)) }
            }
        }
    }
}

fn workload_links(page: &Page, result: &RunResult) -> Markup {
    html! {
        ul {
            @for (n, first_phase, count) in page.workloads.counted(result) {
                li {
                    a href={ "#w" (n) } { "W" (n) } ": "
                    (page.with("workload-phases", &[("name", &page.texts.phase(&first_phase)), ("count", &count.to_string())]))
                }
            }
        }
    }
}

/// Every workload of the page once, in words and exactly.
pub(super) fn workloads(page: &Page) -> Markup {
    let all = page.workloads.all();
    let head = page.say("workloads");
    html! {
        details.fold {
            summary { h2 #work-h { (head) " (W1–W" (all.len()) ")" } }
            section.workloads aria-labelledby="work-h" {
                ul {
                    @for (n, kind) in (1..).zip(all) {
                        li id={ "w" (n) } {
                            span.w { "W" (n) } " "
                            (crate::words::workload(&kind.example, &kind.span_words(&page.texts), &page.texts))
                            details { summary { "JSON" } pre { (kind.json()) } }
                        }
                    }
                }
            }
        }
    }
}
