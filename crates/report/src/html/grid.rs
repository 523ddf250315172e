//! The grid that readers of reviews know: tests as rows, read and write as columns, big numbers, a
//! bar behind each, and a switch for the unit.
//!
//! It is made for every method whose figures come as `TEST.read` and `TEST.write` in MB/s with an
//! `.iops` beside; the switch is a row of radio buttons that the style sheet looks at, so that it
//! works without scripts.

use base::result::Figure;
use maud::{Markup, html};
use results::RunResult;

use crate::number;
use analysis::group::{Section, Subject};
use analysis::key;

use super::drives::name;
use super::{Page, downloads};

pub(crate) mod picture;

/// Units of the switch: the suffix of the figure's key, and the unit.
const UNITS: [(&str, &str); 3] = [("", "MB/s"), (".iops", "IOPS"), (".latency", "us")];

/// The section's grids; empty where its figures are of another kind.
pub(super) fn grid(page: &Page, section: &Section, at: usize) -> Markup {
    let layout = Layout::of(section);
    if !layout.is_grid() {
        return html! {};
    }
    html! {
        div.grids {
            h3 { (page.say("grid")) }
            p.explanation { (page.say("grid-explained")) }
            @for (n, (suffix, unit)) in UNITS.iter().enumerate() {
                @if layout.has(section, suffix) { (switch(page, at, n, unit)) }
            }
            div.grid-cards {
                @for (subject, result) in &section.results {
                    (card(page, &page.groups.subjects[*subject], result, &layout))
                }
            }
        }
    }
}

fn switch(page: &Page, at: usize, n: usize, unit: &str) -> Markup {
    let id = format!("unit-{at}-{n}");
    html! {
        input type="radio" class={ "unit-" (n) } name={ "unit-" (at) } id=(id) checked[n == 0];
        label for=(id) { (page.texts.unit(unit)) }
    }
}

/// Rows and columns of the grid, and the greatest value of each unit for the bars.
pub(crate) struct Layout {
    tests: Vec<String>,
    columns: Vec<String>,
    most: [f64; UNITS.len()],
}

impl Layout {
    /// Of a method's figures.
    pub(crate) fn of(section: &Section) -> Layout {
        let mut layout = Layout {
            tests: Vec::new(),
            columns: Vec::new(),
            most: [0.0; UNITS.len()],
        };
        let figures = || section.results.iter().flat_map(|(_, r)| &r.figures);
        for figure in figures() {
            let parts = key::parts(&figure.key);
            let [test, column] = parts.as_slice() else {
                continue;
            };
            let iops = format!("{}.iops", figure.key);
            if figure.unit == "MB/s" && figures().any(|other| other.key == iops) {
                push_new(&mut layout.tests, test);
                push_new(&mut layout.columns, column);
            }
        }
        for (n, (suffix, _)) in UNITS.iter().enumerate() {
            let values = layout.keys(suffix).into_iter().flat_map(|key| {
                let of_key = move |figure: &&Figure| figure.key == key;
                figures()
                    .filter(of_key)
                    .filter_map(|figure| figure.value)
                    .collect::<Vec<_>>()
            });
            layout.most[n] = values.fold(0.0, f64::max);
        }
        layout
    }

    /// Whether there is more than one test, of that kind.
    fn is_grid(&self) -> bool {
        self.tests.len() > 1
    }

    fn keys(&self, suffix: &str) -> Vec<String> {
        let of_test = |test: &String| -> Vec<String> {
            self.columns
                .iter()
                .map(|column| format!("{test}.{column}{suffix}"))
                .collect()
        };
        self.tests.iter().flat_map(of_test).collect()
    }

    fn has(&self, section: &Section, suffix: &str) -> bool {
        let keys = self.keys(suffix);
        section
            .results
            .iter()
            .any(|(_, r)| r.figures.iter().any(|f| keys.contains(&f.key)))
    }
}

fn push_new(list: &mut Vec<String>, item: &str) {
    if !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

fn card(page: &Page, subject: &Subject, result: &RunResult, layout: &Layout) -> Markup {
    html! {
        div class={ "grid-card d" (subject.index) } {
            table.grid {
                caption { (name(page, subject)) }
                thead { tr {
                    th scope="col" { (page.say("test")) }
                    @for column in &layout.columns { (head(page, column)) }
                } }
                tbody {
                    @for test in &layout.tests {
                        tr {
                            (test_name(&page.texts.figure(test)))
                            @for column in &layout.columns {
                                (cell(page, result, &format!("{test}.{column}"), layout))
                            }
                        }
                    }
                }
            }
            @if let Some(svg) = picture::file(subject, result, layout, &page.texts) {
                (downloads::picture(page, &format!("{} {}", result.method, subject.title), &svg))
            }
        }
    }
}

fn head(page: &Page, column: &str) -> Markup {
    html! {
        th scope="col" {
            (page.texts.figure(column)) " "
            small {
                @for (n, (_, unit)) in UNITS.iter().enumerate() {
                    span class={ "u" (n) } { "[" (page.texts.unit(unit)) "]" }
                }
            }
        }
    }
}

/// The first word over the others, as the originals write it.
fn test_name(name: &str) -> Markup {
    html! {
        th scope="row" {
            @match name.split_once(' ') {
                Some((first, rest)) => { (first) br; (rest) },
                None => { (name) },
            }
        }
    }
}

fn cell(page: &Page, result: &RunResult, key: &str, layout: &Layout) -> Markup {
    let value = |suffix: &str| {
        let key = format!("{key}{suffix}");
        let figure = result.figures.iter().find(|figure| figure.key == key)?;
        Some((figure, figure.value?))
    };
    let op = key::direction(key).map_or("other", base::io::Op::name);
    html! {
        td {
            @for (n, (suffix, _)) in UNITS.iter().enumerate() {
                span class={ "u" (n) } {
                    @if let Some((figure, value)) = value(suffix) {
                        i class={ "bar-" (op) } style={ "width:" (format!("{:.1}", bar_width(value, layout.most[n]))) "%" } {}
                        b { (grid_value(value, &figure.unit)) }
                    } @else {
                        (page.say("no-value"))
                    }
                }
            }
        }
    }
}

/// The original prints two decimals of MB/s and us, and whole IOPS above a hundred.
fn grid_value(value: f64, unit: &str) -> String {
    match unit {
        "IOPS" => number::value(value, unit),
        _ => number::with_commas(&format!("{value:.2}")),
    }
}

/// A bar's length in per cent: by the logarithm over four decades, since the drives of a review and
/// the cells of a grid are far apart.
fn bar_width(value: f64, most: f64) -> f64 {
    if value <= 0.0 || most <= 0.0 {
        return 0.0;
    }
    (100.0 + 25.0 * libm::log10(value / most)).clamp(1.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_loses_a_quarter_a_decade() {
        assert!((bar_width(1_000.0, 1_000.0) - 100.0).abs() < 1e-9);
        assert!((bar_width(10.0, 1_000.0) - 50.0).abs() < 1e-9);
        assert!((bar_width(0.0, 1_000.0)).abs() < 1e-9);
    }
}
