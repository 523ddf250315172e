//! Pictures in the page: each with its check boxes, its SVG, and its numbers as a table.

use maud::{Markup, html};

use crate::chart::{Drawing, Line, Plot};
use crate::plots::PlotGroup;
use crate::svg::{Size, svg_with_heading};

use super::Page;
use super::drives::name;

/// A line's table shows no more rows than this; histograms show every bucket that holds anything.
const MOST_ROWS: usize = 17;

/// Pictures that belong together: one as wide as the page, or several side by side.
pub(super) fn group(page: &Page, method: &str, group: &PlotGroup) -> Markup {
    let is_wide = group.plots.iter().all(|plot| plot.subject.is_none()) || group.plots.len() == 1;
    html! {
        div.charts {
            h3 { (group.title) }
            p.explanation { (group.explanation) }
            div class=(if is_wide { "wide" } else { "panels" }) {
                @for plot in &group.plots { (figure(page, method, plot, group.size())) }
            }
        }
    }
}

fn figure(page: &Page, method: &str, plot: &Plot, size: Size) -> Markup {
    let class = plot.subject.map_or(String::new(), |n| format!(" d{n}"));
    html! {
        figure class={ "chart" (class) } data-figure=(plot.id) data-file=(super::downloads::plot_name(method, plot)) {
            @if let Some(subject) = plot.subject {
                figcaption { (name(page, &page.groups.subjects[subject])) }
            }
            (legend(page, plot))
            div class="scroll picture" data-plot=(plot.id) role="group" tabindex="0" aria-label=(plot.title) {
                (svg_with_heading(plot, size))
            }
            p.readout aria-hidden="true" {}
            (table(page, plot))
        }
    }
}

/// A check box for each line.
fn legend(page: &Page, plot: &Plot) -> Markup {
    let class = |line: &Line| match plot.subject {
        None => format!("d{}", line.subject),
        Some(_) => String::new(),
    };
    html! {
        fieldset.legend {
            legend.unseen { (page.say("curves")) }
            @for (n, line) in plot.lines.iter().enumerate() {
                label class=(class(line)) {
                    input type="checkbox" data-line=(n) checked;
                    span class={ "key " (line.colour) (line.drawing.class(n)) } aria-hidden="true" { (line.letter) }
                    " " (line.name)
                }
            }
        }
    }
}

/// The numbers of a picture, for those who do not see it and for those who want to copy them.
fn table(page: &Page, plot: &Plot) -> Markup {
    let is_histogram = plot
        .lines
        .iter()
        .any(|line| line.drawing == Drawing::Histogram);
    let (heads, rows) = if is_histogram {
        histogram_rows(plot)
    } else {
        line_rows(page, plot)
    };
    html! {
        details.numbers {
            summary { (page.say("chart-table")) }
            @if !plot.marks.is_empty() { (marks(page, plot)) }
            div.scroll role="group" tabindex="0" aria-label=(plot.title) {
                table {
                    thead { tr { @for head in heads { th scope="col" { (head) } } } }
                    tbody {
                        @for row in rows {
                            tr {
                                th scope="row" { (row[0]) }
                                @for cell in &row[1..] { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn marks(page: &Page, plot: &Plot) -> Markup {
    html! {
        p { (page.say("marked-points")) }
        ul {
            @for mark in &plot.marks {
                li { (plot.x.label) " " (plot.x.reading.print(mark.x)) ": " (mark.label) }
            }
        }
    }
}

type Rows = (Vec<String>, Vec<Vec<String>>);

/// A row for each bucket that holds anything, a column for each curve; the overlap can be seen from these.
fn histogram_rows(plot: &Plot) -> Rows {
    let curves: Vec<&Line> = plot
        .lines
        .iter()
        .filter(|line| line.colour != crate::plots::OVERLAP)
        .collect();
    let edges = curves.first().map_or(&[][..], |line| &line.x);
    let mut heads = vec![plot.x.label.clone()];
    heads.extend(curves.iter().map(|line| line.name.clone()));
    let row = |i: usize| -> Option<Vec<String>> {
        let counts: Vec<f64> = curves.iter().map(|line| line.y[i].unwrap_or(0.0)).collect();
        if counts.iter().all(|count| *count <= 0.0) {
            return None;
        }
        let mut row = vec![plot.x.reading.print(edges[i])];
        row.extend(
            counts
                .iter()
                .map(|count| crate::number::value(*count, "count")),
        );
        Some(row)
    };
    (heads, (0..edges.len()).filter_map(row).collect())
}

/// A row for each position; each line's point that is nearest to the row's position.
fn line_rows(page: &Page, plot: &Plot) -> Rows {
    let mut heads = vec![plot.x.label.clone()];
    for line in &plot.lines {
        let banded = line.band.is_some();
        let band = if banded {
            format!(" ({})", page.texts.say("band"))
        } else {
            String::new()
        };
        let label = format!("{}{band}", plot.axis_of(line).label);
        heads.push(page.texts.list(&[&line.name, &label]));
    }
    let row = |at: f64| {
        let mut row = vec![plot.x.reading.print(at)];
        row.extend(plot.lines.iter().map(|line| value_at(page, plot, line, at)));
        row
    };
    (heads, positions(plot).into_iter().map(row).collect())
}

/// Where the lines' points are, or, where these are many, some positions over the whole axis.
fn positions(plot: &Plot) -> Vec<f64> {
    let mut all: Vec<f64> = plot.lines.iter().flat_map(|line| line.x.clone()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    if all.len() <= MOST_ROWS {
        return all;
    }
    let part = |row: usize| row as f64 / (MOST_ROWS - 1) as f64;
    (0..MOST_ROWS).map(|row| plot.x.value(part(row))).collect()
}

fn value_at(page: &Page, plot: &Plot, line: &Line, at: f64) -> String {
    let after = line.x.partition_point(|x| *x < at);
    let nearer = |a: usize, b: usize| {
        if at - line.x[a] <= line.x[b] - at {
            a
        } else {
            b
        }
    };
    let index = match (after, line.x.len()) {
        (_, 0) => return page.texts.say("no-value"),
        (0, _) => 0,
        (after, n) if after == n => n - 1,
        (after, _) => nearer(after - 1, after),
    };
    let print = |value: Option<f64>| match value {
        Some(value) => plot.axis_of(line).reading.print(value),
        None => page.texts.say("no-value"),
    };
    let value = print(line.y[index]);
    match &line.band {
        Some((low, high)) => format!("{value} ({}–{})", print(low[index]), print(high[index])),
        None => value,
    }
}
