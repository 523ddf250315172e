//! The drives: a card for each, and the bar of check boxes that shows and hides drives.
//!
//! Real and modelled drives must be told apart at a glance, in words and not by colour alone: a real
//! one has a filled badge and a solid frame, a modelled one an open badge and a dashed frame.

use analysis::group::Subject;
use maud::{Markup, html};

use super::Page;
use crate::chart::COLOURS;

/// Sticks to the top while the page is read.
pub(super) fn bar(page: &Page) -> Markup {
    let subjects = &page.groups.subjects;
    html! {
        form.bar.single[subjects.len() < 2] aria-label=(page.say("show-drives")) {
            fieldset {
                legend { (page.say("show-drives")) }
                @for drive in by_drive(subjects) {
                    span.states {
                        @for (at, subject) in drive.iter().enumerate() {
                            label {
                                input type="checkbox" id={ "show-" (subject.index) } checked;
                                @if at == 0 { (name(page, subject)) } @else { (state(subject)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The subjects of each drive: the states of a drive are together.
fn by_drive<'a>(subjects: &'a [Subject<'a>]) -> Vec<Vec<&'a Subject<'a>>> {
    let mut drives: Vec<Vec<&Subject>> = Vec::new();
    for subject in subjects {
        let of = |subject: &Subject<'a>| (subject.drive.clone(), subject.specimen().to_owned());
        match drives.iter_mut().find(|drive| of(drive[0]) == of(subject)) {
            Some(drive) => drive.push(subject),
            None => drives.push(vec![subject]),
        }
    }
    drives
}

/// A drive in another state than the one before it: its letter, and what differs.
fn state(subject: &Subject) -> Markup {
    html! { (letter(subject)) " " span.drive-title { (subject.variant()) } }
}

/// The number of drives, and of columns if one of them has several states.
pub(super) fn count(page: &Page) -> String {
    let (columns, drives) = (
        page.groups.subjects.len(),
        by_drive(&page.groups.subjects).len(),
    );
    let texts = [
        ("drives", drives.to_string()),
        ("states", columns.to_string()),
    ];
    let texts = texts.each_ref().map(|(key, value)| (*key, value.as_str()));
    match columns == drives {
        true => drives.to_string(),
        false => page.with("drives-in-states", &texts),
    }
}

/// A drive's letter in its colour, its title, and whether it is real.
pub(super) fn name(page: &Page, subject: &Subject) -> Markup {
    html! {
        (letter(subject)) " " span.drive-title { (subject.title) } " " (badge(page, subject, false))
    }
}

/// A drive's letter in its colour.
pub(super) fn letter(subject: &Subject) -> Markup {
    html! {
        span class={ "key drive-" (subject.index % COLOURS) } aria-hidden="true" { (subject.letter()) }
    }
}

/// The drives of the letters, for a table whose columns are too narrow for names.
pub(super) fn letters(page: &Page) -> Markup {
    html! {
        ul.letters aria-hidden="true" {
            @for subject in &page.groups.subjects { li class={ "d" (subject.index) } { (letter(subject)) " " (subject.title) } }
        }
    }
}

/// The heads of columns, one a drive.
pub(super) fn heads(page: &Page) -> Markup {
    html! {
        @for subject in &page.groups.subjects {
            th scope="col" class={ "d" (subject.index) } { (name(page, subject)) }
        }
    }
}

fn badge(page: &Page, subject: &Subject, long: bool) -> Markup {
    let by_sheet = subject.target.is_known_by_data_sheet();
    let (class, key) = match (subject.is_real(), long) {
        (_, false) if subject.target.is_imported() => ("real", "kind-imported"),
        (_, true) if subject.target.is_imported() => ("real", "kind-imported-long"),
        (true, false) => ("real", "kind-real"),
        (true, true) => ("real", "kind-real-long"),
        (false, false) => ("model", "kind-model"),
        (false, true) => ("model", "kind-model-long"),
    };
    html! {
        span class={ "badge " (class) } { (page.say(key)) }
        @if by_sheet {
            " " span class="badge sheet" title=(page.say("known-by-sheet")) {
                (page.say(if long { "known-by-sheet-long" } else { "known-by-sheet-short" }))
            }
        }
    }
}

/// The parts of the host's description that are shown on a card; each result has all of it.
const HOST: [&str; 4] = ["cpu", "memory", "kernel", "system"];

/// A card for each drive.
pub(super) fn cards(page: &Page) -> Markup {
    html! {
        // Their names are above every table; the rest is looked up.
        details.fold open[page.groups.subjects.len() == 1] {
            summary { h2 #drives-h { (page.say("drives")) } }
            section aria-labelledby="drives-h" {
                div.cards {
                    @for subject in &page.groups.subjects { (card(page, subject)) }
                }
            }
        }
    }
}

fn card(page: &Page, subject: &Subject) -> Markup {
    let target = subject.target;
    let mut facts: Vec<Fact> = Vec::new();
    if let Some(info) = &target.info {
        facts.push(fact(page.say("capacity"), &info.capacity.to_string()));
    }
    let identity = target.identity.iter();
    let said = |value: &str| page.texts.fact_value(value);
    facts.extend(identity.map(|(key, value)| fact(page.texts.fact(key), &said(value))));
    if let Some(link) = target.link {
        let rates = [
            ("link read", link.read_mb_s),
            ("link write", link.write_mb_s),
        ];
        let rates = rates.map(|(key, rate)| fact(page.texts.fact(key), &format!("{rate:.1} MB/s")));
        facts.extend(rates);
    }
    facts.push((page.say("named"), code(&target.name)));
    let state = page.texts.drive_state(&target.state);
    facts.push(fact(page.say("state-before"), &state));
    let path = page.texts.message(&target.path);
    facts.push(fact(page.say("issued"), &path));
    if let Some(result) = subject.results.first() {
        let of_host = |key: &&str| result.environment.host.get(*key);
        let host: Vec<&str> = HOST
            .iter()
            .filter_map(of_host)
            .map(String::as_str)
            .collect();
        if !host.is_empty() {
            facts.push(fact(page.say("host"), &host.join(", ")));
        }
    }
    let shortened = subject.results.iter().any(|r| !r.stands_beside_published);
    let scale = subject.results.first().map_or("", |r| r.scale.name());
    let standing = page.say(if shortened {
        "scale-shortened"
    } else {
        "scale-original"
    });
    let scale = match page.texts.lang() {
        crate::lang::Lang::En => format!("{scale} ({standing})"),
        crate::lang::Lang::Ja => standing,
    };
    facts.push(fact(page.say("scale"), &scale));
    let class = if subject.is_real() { "real" } else { "model" };
    html! {
        article class={ "card " (class) " d" (subject.index) } {
            h3 { (letter(subject)) " " (subject.title) }
            p { (badge(page, subject, true)) }
            (definitions(&facts))
        }
    }
}

/// A name and its value.
pub(super) type Fact = (String, Markup);

/// A name and a plain value.
pub(super) fn fact(name: String, value: &str) -> Fact {
    (name, html! { (value) })
}

/// A list of names and values.
pub(super) fn definitions(facts: &[Fact]) -> Markup {
    html! {
        dl {
            @for (name, value) in facts { div { dt { (name) } dd { (value) } } }
        }
    }
}

/// A text as it is typed.
pub(super) fn code(text: &str) -> Markup {
    html! { code { (text) } }
}
