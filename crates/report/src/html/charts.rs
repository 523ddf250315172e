//! Pictures in the page: each with its check boxes, its SVG, and its numbers as a table.

use crate::chart::{Line, Plot};
use crate::plots::PlotGroup;
use crate::svg::{PANEL, WIDE, svg_with_heading};

use super::Page;
use crate::escape::escape;

/// A line's table shows no more rows than this; histograms show every bucket that holds anything.
const MOST_ROWS: usize = 17;

/// Pictures that belong together: one as wide as the page, or several side by side.
pub(super) fn group(page: &Page, method: &str, group: &PlotGroup) -> String {
    let figures: String = group
        .plots
        .iter()
        .map(|plot| figure(page, method, plot))
        .collect();
    let class = if group.plots.iter().all(|plot| plot.subject.is_none()) {
        "wide"
    } else {
        "panels"
    };
    format!(
        "<div class=\"charts\"><h3>{}</h3><p class=\"explanation\">{}</p>\
         <div class=\"{class}\">{figures}</div></div>",
        escape(&group.title),
        escape(&group.explanation)
    )
}

fn figure(page: &Page, method: &str, plot: &Plot) -> String {
    let (size, class, caption) = match plot.subject {
        None => (WIDE, String::new(), String::new()),
        Some(subject) => {
            let subject = &page.groups.subjects[subject];
            let caption = super::drives::name(page, subject);
            (
                PANEL,
                format!(" d{}", subject.index),
                format!("<figcaption>{caption}</figcaption>"),
            )
        }
    };
    format!(
        "<figure class=\"chart{class}\" data-figure=\"{id}\" data-file=\"{file}\">{caption}{legend}\
         <div class=\"scroll picture\" data-plot=\"{id}\" role=\"region\" tabindex=\"0\" aria-label=\"{title}\">{svg}</div>\
         <p class=\"readout\" aria-hidden=\"true\"></p>{table}</figure>",
        id = escape(&plot.id),
        title = escape(&plot.title),
        legend = legend(page, plot),
        file = escape(&super::downloads::plot_name(method, plot)),
        svg = svg_with_heading(plot, size),
        table = table(page, plot),
    )
}

/// A check box for each line.
fn legend(page: &Page, plot: &Plot) -> String {
    let boxes: String = plot
        .lines
        .iter()
        .enumerate()
        .map(|(n, line)| {
            let class = if plot.subject.is_none() {
                format!("d{}", line.subject)
            } else {
                String::new()
            };
            format!(
                "<label class=\"{class}\"><input type=\"checkbox\" data-line=\"{n}\" checked>\
                 <span class=\"key {colour}\" aria-hidden=\"true\">{letter}</span> {name}</label>",
                colour = line.colour,
                letter = escape(&line.letter),
                name = escape(&line.name),
            )
        })
        .collect();
    format!(
        "<fieldset class=\"legend\"><legend class=\"unseen\">{}</legend>{boxes}</fieldset>",
        page.say("curves")
    )
}

/// The numbers of a picture, for those who do not see it and for those who want to copy them.
fn table(page: &Page, plot: &Plot) -> String {
    let is_histogram = plot.lines.iter().any(|line| line.is_histogram);
    let (heads, rows) = if is_histogram {
        histogram_rows(plot)
    } else {
        line_rows(page, plot)
    };
    let heads: String = heads
        .iter()
        .map(|head| format!("<th scope=\"col\">{}</th>", escape(head)))
        .collect();
    let rows: String = rows
        .iter()
        .map(|row| {
            let cells: String = row[1..]
                .iter()
                .map(|cell| format!("<td>{}</td>", escape(cell)))
                .collect();
            format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", escape(&row[0]))
        })
        .collect();
    format!(
        "<details class=\"numbers\"><summary>{}</summary>{}<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\
         <table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div></details>",
        page.say("chart-table"),
        marks(page, plot),
        escape(&plot.title),
    )
}

fn marks(page: &Page, plot: &Plot) -> String {
    if plot.marks.is_empty() {
        return String::new();
    }
    let items: String = plot
        .marks
        .iter()
        .map(|mark| {
            let at = format!("{} {}", plot.x.label, plot.x.reading.print(mark.x));
            format!("<li>{}: {}</li>", escape(&at), escape(&mark.label))
        })
        .collect();
    format!("<p>{}</p><ul>{items}</ul>", page.say("marked-points"))
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
        heads.push(format!("{}, {}{band}", line.name, plot.y.label));
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
        Some(value) => plot.y.reading.print(value),
        None => page.texts.say("no-value"),
    };
    let value = print(line.y[index]);
    match &line.band {
        Some((low, high)) => format!("{value} ({}–{})", print(low[index]), print(high[index])),
        None => value,
    }
}
