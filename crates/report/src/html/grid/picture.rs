//! The grid as a picture of its own, for a forum: the drive's name, when and with what it was measured, its
//! owner's note, and the numbers in MB/s.

use analysis::group::Subject;
use analysis::key;
use maud::{Markup, html};
use results::RunResult;

use super::{Layout, bar_width, grid_value};
use crate::lang::Texts;
use crate::xml::without_control_characters;

const MARGIN: f64 = 16.0;
/// The head: the drive, how it was measured, the comment.
const HEAD: f64 = 84.0;
const TEST_WIDTH: f64 = 92.0;
const CELL_WIDTH: f64 = 230.0;
const ROW: f64 = 58.0;
/// Letters that the head has room for.
const LETTERS: usize = 74;

const STYLE: &str = ".paper{fill:#fff}text{font:13px system-ui,sans-serif;fill:#565d69}\
    .drive{font-size:17px;font-weight:600;fill:#17191d}.comment{fill:#17191d}\
    .test{fill:#17191d}.name{font-weight:700;fill:#fff;text-anchor:middle}\
    .cell{fill:#f4f6f8}.value{font-size:24px;font-weight:700;fill:#17191d;text-anchor:end}\
    .head{text-anchor:end}.bar-read{fill:#e58a1f}.bar-write{fill:#2f7fd1}.bar-other{fill:#7d4aa3}";

/// The grid of one drive as a file; nothing where its figures are of another kind.
pub(crate) fn file(
    subject: &Subject,
    result: &RunResult,
    layout: &Layout,
    texts: &Texts,
) -> Option<String> {
    if !layout.is_grid() {
        return None;
    }
    let columns = layout.columns.len() as f64;
    let width = 2.0 * MARGIN + TEST_WIDTH + columns * CELL_WIDTH;
    let height = HEAD + 26.0 + layout.tests.len() as f64 * ROW + MARGIN;
    let element = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) role="img" {
            title { (subject.title) }
            style { (STYLE) }
            rect.paper width=(width) height=(height) {}
            (head(subject, result, texts))
            @for (at, column) in layout.columns.iter().enumerate() {
                text.head x=(end_of(at) - 12.0) y=(HEAD + 16.0) { (texts.figure(column)) " [MB/s]" }
            }
            @for (at, test) in layout.tests.iter().enumerate() { (row(result, layout, at, test, texts)) }
        }
    };
    Some(without_control_characters(element.into_string()) + "\n")
}

/// Where a column ends.
fn end_of(column: usize) -> f64 {
    MARGIN + TEST_WIDTH + (column as f64 + 1.0) * CELL_WIDTH
}

fn head(subject: &Subject, result: &RunResult, texts: &Texts) -> Markup {
    let of_model = || texts.say("kind-model-long");
    let when = results::date(result.began_unix_ms).filter(|_| subject.is_real());
    let method = texts.title([&result.method_title, &result.method_title_ja]);
    // Who sees the picture alone must know that it does not stand beside others' figures.
    let shortened = match result.stands_beside_published {
        true => String::new(),
        false => texts.say("scale-shortened"),
    };
    let how = [
        when.unwrap_or_else(of_model),
        method.to_owned(),
        shortened,
        texts.drive_state(&result.target.state),
        format!("drivelab {}", result.environment.drivelab),
    ];
    let how: Vec<String> = how.into_iter().filter(|part| !part.is_empty()).collect();
    html! {
        text.drive x=(MARGIN) y="30" { (short(&subject.title, LETTERS - 20)) }
        text x=(MARGIN) y="52" { (short(&how.join(" · "), LETTERS)) }
        @if let Some(label) = &result.label {
            text.comment x=(MARGIN) y="73" { (short(label, LETTERS)) }
        }
    }
}

/// A text that ends with an ellipsis where there is no room for more.
fn short(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn row(result: &RunResult, layout: &Layout, at: usize, test: &str, texts: &Texts) -> Markup {
    let top = HEAD + 26.0 + at as f64 * ROW;
    let name = texts.figure(test);
    let (first, rest) = name.split_once(' ').unwrap_or((&name, ""));
    let middle = MARGIN + TEST_WIDTH / 2.0;
    html! {
        rect.test x=(MARGIN) y=(top) width=(TEST_WIDTH - 4.0) height=(ROW - 4.0) rx="3" {}
        text.name x=(middle - 2.0) y=(top + if rest.is_empty() { 32.0 } else { 23.0 }) { (first) }
        @if !rest.is_empty() { text.name x=(middle - 2.0) y=(top + 42.0) { (rest) } }
        @for (column, name) in layout.columns.iter().enumerate() {
            (cell(result, layout, &format!("{test}.{name}"), end_of(column), top))
        }
    }
}

fn cell(result: &RunResult, layout: &Layout, key: &str, end: f64, top: f64) -> Markup {
    let figure = result.figures.iter().find(|figure| figure.key == key);
    let value = figure.and_then(|figure| figure.value);
    let op = key::direction(key).map_or("other", base::io::Op::name);
    let left = end - CELL_WIDTH;
    let room = CELL_WIDTH - 4.0;
    html! {
        rect.cell x=(left) y=(top) width=(room) height=(ROW - 4.0) {}
        @if let Some(value) = value {
            @let length = room * bar_width(value, layout.most[0]) / 100.0;
            rect class={ "bar-" (op) } x=(left) y=(top + ROW - 9.0) width=(format!("{length:.1}")) height="5" {}
            text.value x=(end - 14.0) y=(top + 35.0) { (grid_value(value, "MB/s")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use analysis::group::Groups;
    use fixtures::results as sample;

    use super::*;
    use crate::lang::Lang;

    fn drawn(change: fn(&mut RunResult)) -> Option<String> {
        let mut results = sample::review();
        results.truncate(1);
        change(&mut results[0]);
        let groups = Groups::new(&results);
        let section = &groups.sections[0];
        let layout = Layout::of(section);
        file(
            &groups.subjects[0],
            &results[0],
            &layout,
            &Texts::new(Lang::En),
        )
    }

    #[test]
    fn the_picture_has_the_name_the_date_and_the_comment() {
        let with_grid = |result: &mut RunResult| {
            let one = result.figures[0].clone();
            let named = |key: &str, value: f64, unit: &str| base::result::Figure {
                key: key.to_owned(),
                value: Some(value),
                unit: unit.to_owned(),
                ..one.clone()
            };
            result.figures = vec![
                named("seq1m-q8t1.read", 3_500.0, "MB/s"),
                named("seq1m-q8t1.read.iops", 3_338.0, "IOPS"),
                named("rnd4k-q1t1.read", 58.5, "MB/s"),
                named("rnd4k-q1t1.read.iops", 14_282.0, "IOPS"),
            ];
            result.label = Some("after <TRIM> & a night".to_owned());
        };
        let picture = drawn(with_grid).unwrap();
        for said in [
            "Example NVMe",
            "2026",
            "after &lt;TRIM&gt; &amp; a night",
            "3,500.00",
            "58.50",
        ] {
            assert!(picture.contains(said), "{said}: {picture}");
        }
        assert!(drawn(|result| result.figures.clear()).is_none());
    }

    #[test]
    fn a_long_name_ends_with_an_ellipsis() {
        assert_eq!(short("長い名前", 2), "長い…");
        assert_eq!(short("short", 5), "short");
    }
}
