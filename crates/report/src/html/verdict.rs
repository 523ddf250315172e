//! The verdict table of the page: all methods' figures, drives as columns.

use base::result::Better;
use maud::{Markup, html};
use results::tails::TailMark;

use crate::number;
use crate::pairs::{Shown, paired};
use crate::terminal::{Notes, held_by, why};
use analysis::blind::{Blind, blind};
use analysis::group::Section;
use analysis::held::Held;
use analysis::verdict::{Cell, Rank, Reference, Row, Table};

use super::Page;
use super::drives::heads;

/// Up to this many drives leave room for the longest name of a figure on one line.
const FEW: usize = 4;
/// With more drives than this, a column is as narrow as its numbers: its head is the drive's letter, and ranks stand above
/// the numbers.
const SEVERAL: usize = 6;

/// The table, in a container of its own that scrolls where the table is wider than the page.
pub(super) fn table(page: &Page) -> Markup {
    let mut notes = Notes::default();
    let sections = page.groups.sections.iter().enumerate();
    let bodies: Vec<Markup> = sections
        .map(|(at, section)| body(page, at, section, &mut notes))
        .collect();
    html! {
        section #verdict aria-labelledby="verdict-h" tabindex="-1" {
            h2 #verdict-h { (page.say(page.table_name())) }
            @let lone = page.groups.subjects.len() == 1;
            p { (page.say(if lone { "verdict-explained-alone" } else { "verdict-explained" })) }
            @if page.groups.subjects.len() > SEVERAL { (super::drives::letters(page)) }
            div.scroll role="group" aria-labelledby="verdict-h" tabindex="0" {
                table class=(width_class(page.groups.subjects.len())) {
                    thead { tr {
                        th scope="col" { (page.say("figure")) }
                        (heads(page))
                    } }
                    @for body in bodies { (body) }
                }
            }
            @if let Some(line) = crate::tails::line(&page.groups.subjects, &page.texts) {
                p.standing { (line) " " (page.say("terminal-tails")) }
            }
            @let shown = page.groups.subjects.iter().flat_map(|subject| &subject.results);
            @if shown.into_iter().any(|result| !result.target.known_misses.is_empty()) {
                p.standing { (page.say("terminal-misses")) }
            }
            (note_list(&notes))
            (blind_list(page))
        }
    }
}

/// The width of the columns of a table of so many drives.
fn width_class(drives: usize) -> &'static str {
    if drives > SEVERAL {
        "verdict many"
    } else if drives > FEW {
        "verdict"
    } else {
        "verdict few"
    }
}

/// Figures with the same value for all drives although others tell them apart.
fn blind_list(page: &Page) -> Markup {
    let say = |section: &Section, one: &Blind| {
        page.with(
            "blind-figure",
            &[
                ("method", page.texts.title(section.titles)),
                ("figure", &page.texts.figure(one.key)),
                ("percent", &format!("{:.1}", one.percent)),
                ("other", &page.texts.figure(one.seen_by)),
                ("times", &number::value(one.times, "")),
            ],
        )
    };
    let of_section = |section: &Section| -> Vec<String> {
        let table = Table::new(section, Reference::Majority);
        blind(&table).iter().map(|one| say(section, one)).collect()
    };
    let items: Vec<String> = page.groups.sections.iter().flat_map(of_section).collect();
    html! {
        @if !items.is_empty() {
            div class="notes blind" role="note" {
                p { strong { (page.say("blind")) } }
                ul { @for item in items { li { (item) } } }
            }
        }
    }
}

fn note_list(notes: &Notes) -> Markup {
    html! {
        @if !notes.all().is_empty() {
            ol.footnotes {
                @for (n, note) in (1..).zip(notes.all()) { li id={ "note-" (n) } { (note) } }
            }
        }
    }
}

fn body(page: &Page, at: usize, section: &Section, notes: &mut Notes) -> Markup {
    let table = Table::new(section, Reference::Majority);
    let results = &section.results;
    let shortened = results.iter().any(|(_, r)| !r.stands_beside_published);
    html! {
        tbody {
            tr.group {
                th scope="rowgroup" colspan=(page.groups.subjects.len() + 1) {
                    a href={ "#m" (at) } { (page.texts.title(section.titles)) }
                    @if shortened { " " span.badge.shortened { (page.say("scale-shortened")) } }
                }
            }
            @for shown in paired(table.main_rows()) { (row(page, &table, shown, notes)) }
        }
    }
}

fn row(page: &Page, table: &Table, shown: Shown, notes: &mut Notes) -> Markup {
    let row = shown.first;
    let arrow = match row.better {
        Better::Higher => "↑",
        Better::Lower => "↓",
        Better::None => "",
    };
    let better = page.texts.better(row.better);
    let place = |subject: usize| table.columns.iter().position(|c| *c == subject);
    html! {
        tr {
            th scope="row" {
                span.of { (shown.name(&page.texts)) } " "
                span.unit {
                    @if let Some(of) = of_several(page, row) { small { (of) } " " }
                    (page.texts.unit(row.unit)) " "
                    span.arrow aria-hidden="true" title=(better) { (arrow) }
                    span.unseen { (better) }
                }
            }
            @for subject in &page.groups.subjects {
                (cell(page, subject.index, place(subject.index).map(|place| (shown, place)), notes))
            }
        }
    }
}

/// Which of several runs a row has, where all its drives have the same: the best of five is another figure than their
/// median.
fn of_several(page: &Page, row: &Row) -> Option<String> {
    let statistics = row.cells.iter().filter_map(|cell| match cell {
        Cell::Value { figure, .. } | Cell::Apart(figure, _) => Some(&figure.statistic),
        Cell::Absent | Cell::WhyNot(_) => None,
    });
    let statistic = super::answer::of_all(statistics)?;
    statistic.runs()?;
    Some(page.texts.statistic(statistic))
}

fn cell(page: &Page, subject: usize, shown: Option<(Shown, usize)>, notes: &mut Notes) -> Markup {
    let worth = shown.and_then(|(shown, place)| shown.first.tails[place]);
    let held = shown.and_then(|(shown, place)| shown.first.held[place]);
    let cell = shown.map(|(shown, place)| &shown.first.cells[place]);
    let value = |figure: &base::result::Figure| {
        let other = shown.and_then(|(shown, place)| shown.other_end(place));
        html! {
            (number::value(figure.value.unwrap_or(f64::NAN), &figure.unit))
            // In a narrow column a range may continue on the next line.
            @if let Some(other) = other { "-" wbr; (other) }
        }
    };
    let (class, content) = match cell {
        None | Some(Cell::Absent) => ("absent", html! {}),
        Some(cell @ Cell::WhyNot(_)) => (
            "missing",
            html! { (page.say("no-value")) (note(page, cell, notes)) },
        ),
        Some(cell @ Cell::Apart(figure, _)) => (
            "apart",
            html! { (value(figure)) (tail(page, worth)) (note(page, cell, notes)) },
        ),
        Some(Cell::Value { figure, .. }) => {
            let rank = shown.map_or(Rank::Plain, |(shown, place)| shown.rank(place));
            let word = match rank {
                Rank::Best => "best",
                Rank::Worst => "worst",
                Rank::Plain => "",
            };
            let ranked = html! {
                @if !word.is_empty() { " " span.rank { (page.say(word)) } }
                (value(figure))
                (tail(page, worth))
                (held_note(page, held, notes))
            };
            (word, ranked)
        }
    };
    let classes = format!("d{subject} {class}");
    html! { td class=(classes.trim_end()) { (content) } }
}

/// The sign of a modelled drive's tail, and in words what it says.
pub(super) fn tail(page: &Page, mark: Option<TailMark>) -> Markup {
    html! {
        @if let Some(mark) = mark {
            @let words = crate::tails::sentence(mark, &page.texts);
            " " abbr.tail title=(words) { (crate::tails::sign(mark, &page.texts)) }
        }
    }
}

/// The number of what holds a value that is not the drive's.
fn held_note(page: &Page, held: Option<Held>, notes: &mut Notes) -> Markup {
    let n = held.map(|held| notes.number(held_by(held, &page.texts)));
    html! { @if let Some(n) = n { sup { a href={ "#note-" (n) } { (n) } } } }
}

fn note(page: &Page, cell: &Cell, notes: &mut Notes) -> Markup {
    let n = notes.number(why(cell, &page.texts));
    html! { sup { a href={ "#note-" (n) } { (n) } } }
}
