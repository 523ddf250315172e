//! A document's tables for a page.

use maud::{Markup, html};
use results::plan::PlanOutcome;
use results::reproduction::ReproducedFigure;

use super::{DocumentTable, claims, is_shortened, lacking, names, off, ours, role, tables, theirs};
use crate::html::{HtmlOptions, Part, shell};
use crate::lang::Texts;
use crate::reproduction;

/// The tables of the plan's document, for the head of its page. Names of drives are the
/// document's, and those of tests where the language has none for them.
pub fn html(outcome: &PlanOutcome, options: &HtmlOptions) -> Part {
    let texts = Texts::new(options.lang);
    let rows = &outcome.published;
    let lacking = lacking(rows);
    let shortened = is_shortened(outcome);
    let content = html! {
        p.explanation { (texts.say("published-lede")) }
        @if shortened { p.standing { (texts.say("published-shortened")) } }
        @for table in &tables(rows, &texts) {
            h3 lang=[foreign(&table.title)] { (table.title) }
            (table_of(table, shortened, &texts))
        }
        @if claims(rows).next().is_some() {
            h3 { (texts.say("published-claims")) }
            (claims_of(rows, shortened, &texts))
        }
        @if !lacking.is_empty() {
            h3 { (texts.say("published-lacking")) }
            ul { @for (ids, reason) in &lacking { li lang="en" { (ids) ": " (reason) } } }
        }
    };
    let section = shell::section("published", &texts.say("published-title"), &content);
    Part(html! { (section) (reproduction::plane(rows, &texts)) })
}

/// English, where a name stands as the document has it.
fn foreign(text: &str) -> Option<&'static str> {
    text.is_ascii().then_some("en")
}

/// The longer of drives and measures goes down.
fn table_of(table: &DocumentTable<'_>, shortened: bool, texts: &Texts) -> Markup {
    let drives_go_down = table.drives.len() > table.measures.len();
    let measures = table.measures.iter().map(|measure| &measure.name);
    let (down, across): (Vec<&String>, Vec<&String>) = if drives_go_down {
        (table.drives.iter().collect(), measures.collect())
    } else {
        (measures.collect(), table.drives.iter().collect())
    };
    let corner = texts.say(if drives_go_down {
        "published-drive"
    } else {
        "figure"
    });
    let heads: Vec<String> = std::iter::once(corner)
        .chain(across.iter().map(|head| (*head).clone()))
        .collect();
    let rows = html! {
        @for (at, head) in down.iter().enumerate() {
            tr {
                th scope="row" lang=[foreign(head)] { (head) }
                @for column in 0..across.len() {
                    @let (drive, measure) = if drives_go_down { (at, column) } else { (column, at) };
                    (cell_of(table, (drive, measure), shortened, texts))
                }
            }
        }
    };
    shell::table(&heads, &rows)
}

fn cell_of(
    table: &DocumentTable<'_>,
    (drive, measure): (usize, usize),
    shortened: bool,
    texts: &Texts,
) -> Markup {
    let cell = table.cell(drive, measure);
    let measure = &table.measures[measure];
    if cell.is_empty() {
        return html! { td {} };
    }
    let published = texts.with("published-value", &[("value", &theirs(&cell, measure))]);
    html! {
        td {
            (ours(&cell, measure))
            br;
            small {
                (published)
                @if let Some(off) = off(&cell, texts) { " (" (off) ")" }
                br;
                (names(&cell, shortened, texts))
            }
            @for why in cell.iter().filter_map(|row| row.not_run.as_ref()).take(1) {
                br;
                small lang="en" { (why) }
            }
        }
    }
}

fn claims_of(rows: &[ReproducedFigure], shortened: bool, texts: &Texts) -> Markup {
    let heads = ["figure", "reproduce-published", "reproduce-simulated"].map(|key| texts.say(key));
    let rows = html! {
        @for row in claims(rows) {
            tr {
                @let what = reproduction::what(row, texts);
                @let published = texts.title([&row.published, &row.japanese.published]);
                th scope="row" lang=[foreign(&what)] {
                    (reproduction::drive(row)) ": " (what)
                    br;
                    small { (texts.list(&[row.id.to_string(), role(row, shortened, texts)])) }
                }
                td lang=[foreign(published)] { (published) @if !row.unit.is_empty() { " " (texts.unit(&row.unit)) } }
                td {
                    (reproduction::claim(row, texts))
                    @if let Some(why) = &row.not_run { ": " span lang="en" { (why) } }
                    @let shows = reproduction::shows(row);
                    @if !shows.is_empty() { br; small lang="en" { (shows) } }
                }
            }
        }
    };
    shell::table(&heads, &rows)
}
