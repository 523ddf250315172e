//! The verdict table of the page: all methods' figures, drives as columns.

use base::result::Better;

use crate::number;
use crate::terminal::{Notes, why};
use analysis::blind::{Blind, blind};
use analysis::group::Section;
use analysis::verdict::{Cell, Rank, Reference, Row, Table};

use super::Page;
use super::drives::name;
use crate::escape::escape;

/// The table, in a container of its own that scrolls where the table is wider than the page.
pub(super) fn table(page: &Page) -> String {
    let heads: String = page
        .groups
        .subjects
        .iter()
        .map(|s| {
            format!(
                "<th scope=\"col\" class=\"d{}\">{}</th>",
                s.index,
                name(page, s)
            )
        })
        .collect();
    let mut notes = Notes::default();
    let bodies: String = page
        .groups
        .sections
        .iter()
        .enumerate()
        .map(|(at, section)| body(page, at, section, &mut notes))
        .collect();
    format!(
        "<section id=\"verdict\" aria-labelledby=\"verdict-h\" tabindex=\"-1\">\
         <h2 id=\"verdict-h\">{verdict}</h2><p>{explained}</p>\
         <div class=\"scroll\" role=\"region\" aria-labelledby=\"verdict-h\" tabindex=\"0\">\
         <table class=\"verdict\"><thead><tr><th scope=\"col\">{figure}</th>\
         <th scope=\"col\">{unit}</th>{heads}</tr></thead>{bodies}</table></div>{notes}{blind}</section>\n",
        verdict = page.say("verdict"),
        explained = page.say("verdict-explained"),
        figure = page.say("figure"),
        unit = page.say("unit"),
        notes = note_list(&notes),
        blind = blind_list(page),
    )
}

/// Figures that say the same of all drives although something else tells them apart.
fn blind_list(page: &Page) -> String {
    let items: String = page
        .groups
        .sections
        .iter()
        .flat_map(|section| {
            let table = Table::new(section, Reference::Majority);
            let found = blind(&table);
            let say = |one: &Blind| {
                let text = page.with(
                    "blind-figure",
                    &[
                        ("method", page.texts.title(section.titles)),
                        ("figure", &page.texts.figure(one.key)),
                        ("percent", &format!("{:.1}", one.percent)),
                        ("other", &page.texts.figure(one.seen_by)),
                        ("times", &number::value(one.times, "")),
                    ],
                );
                format!("<li>{text}</li>")
            };
            found.iter().map(say).collect::<Vec<String>>()
        })
        .collect();
    if items.is_empty() {
        return String::new();
    }
    format!(
        "<div class=\"notes blind\" role=\"note\"><p><strong>{}</strong></p><ul>{items}</ul></div>",
        page.say("blind")
    )
}

fn note_list(notes: &Notes) -> String {
    if notes.all().is_empty() {
        return String::new();
    }
    let items: String = notes
        .all()
        .iter()
        .enumerate()
        .map(|(i, note)| format!("<li id=\"note-{}\">{}</li>", i + 1, escape(note)))
        .collect();
    format!("<ol class=\"footnotes\">{items}</ol>")
}

fn body(page: &Page, at: usize, section: &Section, notes: &mut Notes) -> String {
    let table = Table::new(section, Reference::Majority);
    let rows: String = table
        .main_rows()
        .map(|row| self::row(page, &table, row, notes))
        .collect();
    let shortened = section
        .results
        .iter()
        .any(|(_, r)| !r.stands_beside_published);
    let mark = if shortened {
        format!(
            " <span class=\"badge shortened\">{}</span>",
            page.say("scale-shortened")
        )
    } else {
        String::new()
    };
    format!(
        "<tbody><tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\">\
         <a href=\"#m{at}\">{}</a>{mark}</th></tr>{rows}</tbody>",
        page.groups.subjects.len() + 2,
        escape(page.texts.title(section.titles))
    )
}

fn row(page: &Page, table: &Table, row: &Row, notes: &mut Notes) -> String {
    let arrow = match row.better {
        Better::Higher => "↑",
        Better::Lower => "↓",
        Better::None => "",
    };
    let cells: String = page
        .groups
        .subjects
        .iter()
        .map(|subject| {
            let place = table.columns.iter().position(|c| *c == subject.index);
            match place {
                Some(place) => cell(page, subject.index, &row.cells[place], notes),
                None => format!("<td class=\"d{} absent\"></td>", subject.index),
            }
        })
        .collect();
    format!(
        "<tr><th scope=\"row\">{name}</th><td class=\"unit\">{unit} \
         <span class=\"arrow\" aria-hidden=\"true\" title=\"{better}\">{arrow}</span>\
         <span class=\"unseen\">{better}</span></td>{cells}</tr>",
        name = escape(&page.texts.figure(row.key)),
        unit = escape(&page.texts.unit(row.unit)),
        better = escape(&page.texts.better(row.better)),
    )
}

fn cell(page: &Page, subject: usize, cell: &Cell, notes: &mut Notes) -> String {
    let value = |figure: &base::result::Figure| {
        escape(&number::value(
            figure.value.unwrap_or(f64::NAN),
            &figure.unit,
        ))
    };
    let mut note = |cell: &Cell| {
        let n = notes.number(why(cell, &page.texts));
        format!("<sup><a href=\"#note-{n}\">{n}</a></sup>")
    };
    match cell {
        Cell::Absent => format!("<td class=\"d{subject} absent\"></td>"),
        Cell::WhyNot(_) => format!(
            "<td class=\"d{subject} missing\">{}{}</td>",
            page.say("no-value"),
            note(cell)
        ),
        Cell::Apart(figure, _) => format!(
            "<td class=\"d{subject} apart\">{}{}</td>",
            value(figure),
            note(cell)
        ),
        Cell::Value { figure, rank, .. } => {
            let (class, word) = match rank {
                Rank::Best => (" best", Some("best")),
                Rank::Worst => (" worst", Some("worst")),
                Rank::Plain => ("", None),
            };
            let word = word.map_or(String::new(), |word| {
                format!(" <span class=\"rank\">{}</span>", page.say(word))
            });
            format!(
                "<td class=\"d{subject}{class}\">{word}{}</td>",
                value(figure)
            )
        }
    }
}
