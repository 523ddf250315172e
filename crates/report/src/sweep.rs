//! A sweep: the figures of a method as the drive changes, as a table, as CSV and as a page.
//!
//! One line a point of the grid. On the page each figure has a picture: along the first axis of
//! numbers, a line for each combination of the others. An axis of words (links, states) is drawn in
//! its order. The page needs no scripts.

use maud::{Markup, html};
use results::sweep::{Sweep, SweptAxis, SweptFigure, SweptPoint};

use crate::chart::{self, COLOURS, Drawing, Line, Plot, Reading, Scale, nice_end};
use crate::html::HtmlOptions;
use crate::html::shell::{self, still_page};
use crate::lang::{Lang, Texts};
use crate::number;
use crate::svg::{WIDE, svg};
use crate::text_table::{TextCell, TextTable};

/// The table for a terminal, `columns` wide.
pub fn table(sweep: &Sweep, columns: usize, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let heads = sweep.figures.iter();
    let heads = heads.map(|figure| name(figure, &texts));
    let row = |point: &SweptPoint| {
        let cells = point.figures.iter().zip(&sweep.figures);
        let cells = cells.map(|(value, figure)| TextCell {
            text: value.map_or_else(|| "-".to_owned(), |v| number::value(v, &figure.unit)),
            ..TextCell::default()
        });
        (point.values.join("  "), String::new(), cells.collect())
    };
    let rows = TextTable {
        heads: heads.collect(),
        rows: sweep.points.iter().map(row).collect(),
    };
    let varied: Vec<&str> = sweep.axes.iter().map(|axis| axis.key.as_str()).collect();
    let mut out = format!(
        "{} · {}\n{}\n",
        sweep.method_title,
        sweep.target,
        varied.join("  ")
    );
    out.push_str(&rows.render(columns, false));
    for point in &sweep.points {
        if let Some(why) = &point.why_not {
            out.push_str(&format!("{}: {why}\n", point.values.join("  ")));
        }
    }
    out
}

/// The points as CSV: a column for each axis and each figure, and why a point has none.
///
/// # Errors
/// Never: the writer's buffer is memory; the error is the csv crate's.
pub fn csv(sweep: &Sweep) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let axes = sweep.axes.iter().map(|axis| axis.key.clone());
    let figures = sweep
        .figures
        .iter()
        .map(|figure| format!("{} {}", figure.key, figure.unit));
    let last = std::iter::once("why_not".to_owned());
    writer.write_record(axes.chain(figures).chain(last))?;
    for point in &sweep.points {
        let figures = point.figures.iter();
        let figures = figures.map(|value| value.map_or_else(String::new, |v| v.to_string()));
        let last = std::iter::once(point.why_not.clone().unwrap_or_default());
        writer.write_record(point.values.iter().cloned().chain(figures).chain(last))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A figure with its unit, in words.
fn name(figure: &SweptFigure, texts: &Texts) -> String {
    format!(
        "{}, {}",
        texts.figure(&figure.key),
        texts.unit(&figure.unit)
    )
}

/// The page. Equal sweeps give an equal page.
pub fn html(sweep: &Sweep, options: &HtmlOptions) -> String {
    let texts = Texts::new(options.lang);
    let title = options.title.clone();
    let title =
        title.unwrap_or_else(|| format!("{}: {}", texts.say("sweep-title"), sweep.method_title));
    let main = html! {
        @for figure in 0..sweep.figures.len() { (picture(sweep, figure, &texts)) }
        (shell::section("points", &texts.say("sweep-points"), &points(sweep, &texts)))
    };
    let ledes = [sweep.target.as_str(), &texts.say("sweep-lede")];
    still_page(&texts, &title, &ledes, &main)
}

fn points(sweep: &Sweep, texts: &Texts) -> Markup {
    let axes = sweep.axes.iter().map(|axis| axis.key.clone());
    let figures = sweep.figures.iter().map(|figure| name(figure, texts));
    let heads: Vec<String> = axes.chain(figures).collect();
    let rows = html! { @for point in &sweep.points { (row(sweep, point)) } };
    shell::table(&heads, &rows)
}

fn row(sweep: &Sweep, point: &SweptPoint) -> Markup {
    html! {
        tr {
            @for value in &point.values { th scope="row" { (value) } }
            @if let Some(why) = &point.why_not {
                td colspan=(sweep.figures.len()) { (why) }
            } @else {
                @for (value, figure) in point.figures.iter().zip(&sweep.figures) {
                    td { @if let Some(value) = value { (number::value(*value, &figure.unit)) } }
                }
            }
        }
    }
}

fn picture(sweep: &Sweep, figure: usize, texts: &Texts) -> Markup {
    let name = name(&sweep.figures[figure], texts);
    let along = along(sweep);
    let lines = lines(sweep, figure, along);
    if lines.is_empty() {
        return html! {};
    }
    let named = lines.iter().filter(|line| !line.name.is_empty());
    let keys: Vec<(String, String)> = named
        .map(|line| (line.colour.clone(), line.name.clone()))
        .collect();
    let drawn = svg(&plot(sweep, figure, along, &name, lines, texts), WIDE);
    shell::section(&format!("s{figure}"), &name, &shell::figure(&keys, &drawn))
}

/// The axis that a picture goes along: the first one of numbers, else the first.
fn along(sweep: &Sweep) -> usize {
    let numbers = |axis: &SweptAxis| {
        axis.values.len() > 1 && axis.values.iter().all(|v| v.parse::<f64>().is_ok())
    };
    sweep.axes.iter().position(numbers).unwrap_or(0)
}

/// Where a value lies along its axis: at its number, or at its place in the list.
fn position(values: &[String], value: &str) -> f64 {
    let numbers: Option<Vec<f64>> = values.iter().map(|v| v.parse().ok()).collect();
    let place = values.iter().position(|v| v == value).unwrap_or(0);
    match numbers {
        Some(numbers) => numbers[place],
        None => (place + 1) as f64,
    }
}

/// A line for each combination of the other axes, in the order of the grid.
fn lines(sweep: &Sweep, figure: usize, along: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let Some(varied) = sweep.axes.get(along) else {
        return lines;
    };
    for point in &sweep.points {
        let others = sweep.axes.iter().zip(&point.values).enumerate();
        let others = others.filter(|(axis, _)| *axis != along);
        let name: Vec<String> = others
            .map(|(_, (axis, v))| format!("{} {v}", axis.key))
            .collect();
        let name = name.join(" · ");
        let (x, y) = (
            position(&varied.values, &point.values[along]),
            point.figures[figure],
        );
        if let Some(line) = lines.iter_mut().find(|line| line.name == name) {
            line.x.push(x);
            line.y.push(y);
            continue;
        }
        lines.push(Line {
            colour: format!("drive-{}", lines.len() % COLOURS),
            subject: lines.len(),
            name,
            letter: String::new(),
            x: vec![x],
            y: vec![y],
            band: None,
            drawing: Drawing::Line,
            gb_a_unit: None,
            on_right: false,
        });
    }
    for line in &mut lines {
        in_order(line);
    }
    lines
}

/// A line runs from left to right, also where a list of numbers does not.
fn in_order(line: &mut Line) {
    let mut points: Vec<(f64, Option<f64>)> =
        line.x.iter().copied().zip(line.y.iter().copied()).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    (line.x, line.y) = points.into_iter().unzip();
}

fn plot(
    sweep: &Sweep,
    figure: usize,
    along: usize,
    name: &str,
    lines: Vec<Line>,
    texts: &Texts,
) -> Plot {
    let SweptAxis { key, values } = &sweep.axes[along];
    let places: Vec<f64> = values.iter().map(|value| position(values, value)).collect();
    let low = places.iter().copied().fold(f64::INFINITY, f64::min);
    let high = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let label = if values.iter().all(|v| v.parse::<f64>().is_ok()) {
        key.clone()
    } else {
        let listed: Vec<String> = (values.iter().enumerate())
            .map(|(i, value)| format!("{} {value}", i + 1))
            .collect();
        format!("{key}: {}", listed.join(", "))
    };
    let most = lines.iter().flat_map(|line| line.y.iter().flatten());
    let most = most.copied().fold(0.0, f64::max);
    Plot {
        id: format!("s{figure}-plot"),
        subject: None,
        title: name.to_owned(),
        description: texts.say("sweep-lede"),
        x: chart::Axis {
            label,
            scale: Scale::Linear,
            reading: Reading::Number,
            low,
            high: if high > low { high } else { low + 1.0 },
        },
        y: chart::Axis {
            label: name.to_owned(),
            scale: Scale::Linear,
            reading: Reading::Number,
            low: 0.0,
            high: nice_end(most),
        },
        right: None,
        lines,
        marks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::result::Better;

    fn grid() -> Sweep {
        let point = |values: [&str; 2], figure: Option<f64>| SweptPoint {
            values: values.map(str::to_owned).to_vec(),
            figures: vec![figure],
            why_not: figure.is_none().then(|| "no <such> drive".to_owned()),
        };
        let axis = |key: &str, values: [&str; 2]| SweptAxis {
            key: key.to_owned(),
            values: values.map(str::to_owned).to_vec(),
        };
        Sweep {
            method_title: "A <method>".to_owned(),
            target: "model:a".to_owned(),
            axes: vec![
                axis("link", ["sata-3", "sata-6"]),
                axis("ssd.nand.dies", ["16", "8"]),
            ],
            figures: vec![SweptFigure {
                key: "seq1m-q8t1.read".to_owned(),
                unit: "MB/s".to_owned(),
                better: Better::Higher,
            }],
            points: vec![
                point(["sata-3", "16"], Some(270.25)),
                point(["sata-3", "8"], Some(250.0)),
                point(["sata-6", "16"], Some(540.0)),
                point(["sata-6", "8"], None),
            ],
            ..Sweep::default()
        }
    }

    #[test]
    fn the_table_has_a_line_a_point_and_says_why_one_has_no_figure() {
        let text = table(&grid(), 100, Lang::En);
        assert!(text.contains("link  ssd.nand.dies"), "{text}");
        assert!(
            text.contains("sata-3  16") && text.contains("270"),
            "{text}"
        );
        assert!(text.contains("sata-6  8: no <such> drive"), "{text}");
    }

    #[test]
    fn the_csv_has_a_column_for_each_axis_and_figure() {
        let text = csv(&grid()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "link,ssd.nand.dies,seq1m-q8t1.read MB/s,why_not");
        assert_eq!(lines[1], "sata-3,16,270.25,");
        assert_eq!(lines[4], "sata-6,8,,no <such> drive");
    }

    #[test]
    fn the_page_draws_along_numbers_a_line_for_each_of_the_others() {
        for lang in Lang::ALL {
            let options = HtmlOptions { lang, title: None };
            let page = html(&grid(), &options);
            assert_eq!(page.matches("<svg").count(), 1);
            assert!(page.contains("link sata-3</span>") && page.contains("link sata-6</span>"));
            assert!(page.contains("no &lt;such&gt; drive") && !page.contains("<such>"));
            assert!(!page.contains("NaN") && !page.contains("inf<") && !page.contains("<script"));
        }
        let drawn = lines(&grid(), 0, along(&grid()));
        assert_eq!(drawn[0].x, [8.0, 16.0], "from left to right");
        assert_eq!(drawn[0].y, [Some(250.0), Some(270.25)]);
    }

    #[test]
    fn an_axis_of_words_is_drawn_in_its_order() {
        let mut words = grid();
        words.axes.pop();
        for point in &mut words.points {
            point.values.pop();
        }
        words.points.truncate(3);
        words.points.remove(1);
        let page = html(&words, &HtmlOptions::default());
        assert!(page.contains("link: 1 sata-3, 2 sata-6"));
        assert!(!html(&Sweep::default(), &HtmlOptions::default()).contains("NaN"));
    }
}
