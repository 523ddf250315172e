//! What a plan's questions for causes were answered, each below its question.
//!
//! The answers come last, as a review's conclusions do: on a terminal after the figures; on a page behind the plan's own
//! tables, with the conclusion as a paragraph, and the shares that it was drawn from below it.

use std::fmt::Write as _;

use maud::{Markup, html};
use results::cause::Cause;
use results::plan::PlanOutcome;

use super::{Telling, text};
use crate::html::{HtmlOptions, Part, shell};
use crate::lang::{Lang, Texts, ask_of_plan};
use crate::text_table::hanging;

/// The answers for a terminal `columns` wide; nothing where nothing is asked.
pub fn answers(outcome: &PlanOutcome, columns: usize, lang: Lang) -> String {
    let mut out = String::new();
    for (at, asked) in outcome.causes.iter().enumerate() {
        out.push('\n');
        let ask = ask_of_plan(&outcome.name, at + 1, asked.ask.as_deref(), lang);
        if let Some(ask) = ask {
            out.push_str(&hanging("", &ask, columns));
        }
        match (&asked.cause, &asked.why) {
            (Some(cause), _) => out.push_str(&text(cause, columns, lang)),
            (None, why) => {
                let why = why.as_deref().unwrap_or_default();
                let why = Texts::new(lang).with("answer-untold-because", &[("why", why)]);
                let _ = writeln!(out, "{why}");
            }
        }
    }
    out
}

/// A page's front with the answers behind it; as it is where nothing is asked.
pub fn behind(front: Option<Part>, outcome: &PlanOutcome, options: &HtmlOptions) -> Option<Part> {
    if outcome.causes.is_empty() {
        return front;
    }
    let texts = Texts::new(options.lang);
    let content = html! {
        p.explanation { (texts.say("cause-lede")) }
        @for (at, asked) in outcome.causes.iter().enumerate() {
            @if let Some(ask) = ask_of_plan(&outcome.name, at + 1, asked.ask.as_deref(), options.lang) {
                h3 { (ask) }
            }
            @if let Some(cause) = &asked.cause { (answer(cause, options.lang)) }
            @if let Some(why) = &asked.why {
                p { (texts.with("answer-untold-because", &[("why", why)])) }
            }
        }
    };
    let section = shell::section("causes", &texts.say("cause-title"), &content);
    Some(Part(
        html! { @if let Some(front) = front { (front.0) } (section) },
    ))
}

fn answer(cause: &Cause, lang: Lang) -> Markup {
    let telling = Telling {
        cause,
        texts: Texts::new(lang),
    };
    let table = telling.table();
    let part = telling.texts.say("cause-part");
    let heads: Vec<String> = std::iter::once(part).chain(table.heads).collect();
    let rows = html! {
        @for (name, unit, cells) in &table.rows {
            tr {
                th scope="row" { (name) @if !unit.is_empty() { ", " (unit) } }
                @for cell in cells { td { (cell.text) } }
            }
        }
    };
    html! {
        p { (telling.conclusion()) }
        @if !cause.groups.is_empty() {
            (shell::table(&heads, &rows))
            ul { @for group in &cause.groups { li { (telling.changes(group)) } } }
        }
        @for note in telling.notes() { p { small { (note) } } }
    }
}
