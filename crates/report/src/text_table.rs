//! A table for a terminal: numbers aligned, as wide as the terminal allows.
//!
//! Widths are those of a terminal's cells, where a Japanese character takes two. A drive's name is
//! broken over several lines; if the drives still do not fit side by side, the table continues
//! below with the rest of them.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Space between columns.
const GAP: usize = 2;
/// No column is squeezed below this.
const NARROWEST: usize = 9;
/// The last word of a head (`[modelled]`) stays in one piece, if it is no wider than this.
const LAST_WORD: usize = 10;
/// A name is given no more than this without need.
const NAME_WIDTH: usize = 24;

/// A table with names at the left.
#[derive(Debug, Default)]
pub(crate) struct TextTable {
    /// Heads of the columns.
    pub(crate) heads: Vec<String>,
    /// The rows: name, unit, a cell for each column.
    pub(crate) rows: Vec<(String, String, Vec<TextCell>)>,
}

/// One cell.
#[derive(Debug, Default)]
pub(crate) struct TextCell {
    pub(crate) text: String,
    /// A mark behind the number, which does not push it out of its column.
    pub(crate) mark: String,
    /// The style of both, where colours are wanted.
    pub(crate) style: Style,
}

impl TextTable {
    /// The table in at most `columns` terminal columns, as far as its names and numbers allow.
    pub(crate) fn render(&self, columns: usize, colour: bool) -> String {
        let names = self.rows.iter().map(|row| row.0.width()).max().unwrap_or(0);
        let units = self.rows.iter().map(|row| row.1.width()).max().unwrap_or(0);
        let left = Left {
            name: names.min((columns / 2).max(NARROWEST)),
            unit: units,
        };
        let room = columns.saturating_sub(left.name + GAP + left.unit);
        let shapes: Vec<Shape> = (0..self.heads.len()).map(|i| self.shape(i)).collect();
        let mut out = String::new();
        let mut first = 0;
        while first < shapes.len() {
            let fitting = fitting(&shapes[first..], room);
            let part = first..first + fitting;
            if first > 0 {
                out.push('\n');
            }
            let widths = widen(&shapes[part.clone()], room);
            self.render_part(part, &widths, &left, colour, &mut out);
            first += fitting;
        }
        out
    }

    fn shape(&self, column: usize) -> Shape {
        let cells = || self.rows.iter().filter_map(move |row| row.2.get(column));
        let number = cells().map(|cell| cell.text.width()).max().unwrap_or(0);
        let mark = cells().map(|cell| cell.mark.width()).max().unwrap_or(0);
        let head = &self.heads[column];
        let last = head.rsplit(' ').next().unwrap_or(head).width();
        let least = (number + mark).max(NARROWEST).max(last.min(LAST_WORD));
        Shape {
            mark,
            least,
            wanted: least.max(head.width().min(NAME_WIDTH)),
        }
    }

    fn render_part(
        &self,
        part: std::ops::Range<usize>,
        widths: &[Width],
        left: &Left,
        colour: bool,
        out: &mut String,
    ) {
        let heads: Vec<Vec<String>> = self.heads[part.clone()]
            .iter()
            .zip(widths)
            .map(|(head, width)| wrap(head, width.all))
            .collect();
        let lines = heads.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..lines {
            let mut text = " ".repeat(left.name + GAP + left.unit);
            for (head, width) in heads.iter().zip(widths) {
                // Names stand at the bottom of their head, above the numbers.
                let at = (line + head.len()).checked_sub(lines);
                let word = at.and_then(|at| head.get(at)).map_or("", String::as_str);
                text.push_str(&at_right(word, GAP + width.all));
            }
            let _ = writeln!(out, "{}", text.trim_end());
        }
        for (name, unit, cells) in &self.rows {
            let mut text = at_left(&cut(name, left.name, "…"), left.name + GAP);
            text.push_str(&at_left(unit, left.unit));
            for (cell, width) in cells[part.clone()].iter().zip(widths) {
                text.push_str(&" ".repeat(GAP));
                push_cell(&mut text, cell, width, colour);
            }
            let _ = writeln!(out, "{}", text.trim_end());
        }
    }
}

/// Widths of the text left of the numbers.
struct Left {
    name: usize,
    unit: usize,
}

/// What a column needs.
struct Shape {
    mark: usize,
    least: usize,
    wanted: usize,
}

/// What a column gets.
struct Width {
    all: usize,
    mark: usize,
}

/// How many of the columns fit, at least one.
fn fitting(shapes: &[Shape], room: usize) -> usize {
    let mut used = 0;
    let fits = |shape: &&Shape| {
        used += GAP + shape.least;
        used <= room
    };
    shapes.iter().take_while(fits).count().max(1)
}

/// Gives the rest of the room to the columns that want more, evenly.
fn widen(shapes: &[Shape], room: usize) -> Vec<Width> {
    let used: usize = shapes.iter().map(|shape| GAP + shape.least).sum();
    let share = room.saturating_sub(used) / shapes.len().max(1);
    let width = |shape: &Shape| Width {
        all: shape.wanted.min(shape.least + share),
        mark: shape.mark,
    };
    shapes.iter().map(width).collect()
}

fn push_cell(text: &mut String, cell: &TextCell, width: &Width, colour: bool) {
    let number = cell.text.width();
    let blank = width.all.saturating_sub(width.mark + number);
    text.push_str(&" ".repeat(blank));
    let content = format!("{}{}", cell.text, cell.mark);
    if colour && cell.style != Style::new() {
        let _ = write!(
            text,
            "{}{content}{}",
            cell.style.render(),
            cell.style.render_reset()
        );
    } else {
        text.push_str(&content);
    }
    let mark_blank = width.mark.saturating_sub(cell.mark.width());
    text.push_str(&" ".repeat(mark_blank));
}

/// A word with blanks behind it.
pub(crate) fn at_left(word: &str, width: usize) -> String {
    format!("{word}{}", " ".repeat(width.saturating_sub(word.width())))
}

/// A word with blanks in front of it.
pub(crate) fn at_right(word: &str, width: usize) -> String {
    format!("{}{word}", " ".repeat(width.saturating_sub(word.width())))
}

/// A text of at most `width`: the end of a wider one is cut off, and `mark` put there.
pub(crate) fn cut(text: &str, width: usize, mark: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if short.width() + c.width().unwrap_or(0) > width.saturating_sub(mark.width()) {
            break;
        }
        short.push(c);
    }
    short + mark
}

/// A text as lines of at most `columns`: the first behind `head`, the others indented to it.
pub(crate) fn hanging(head: &str, text: &str, columns: usize) -> String {
    let indent = head.width();
    let mut out = String::new();
    for (at, line) in wrap(text, columns.saturating_sub(indent))
        .iter()
        .enumerate()
    {
        let head = if at == 0 { head } else { "" };
        let _ = writeln!(out, "{head:indent$}{line}");
    }
    out
}

/// The same, all lines indented alike, with room for 20 letters at least.
pub(crate) fn indented(indent: usize, text: &str, columns: usize) -> String {
    hanging(&" ".repeat(indent), text, columns.max(indent + 20))
}

/// Where the name of a target may be broken, behind the letter.
const SEAMS: [char; 8] = ['?', '&', '(', ',', '=', '/', ':', '+'];

/// Breaks a text into lines of at most `width`, at spaces where there are any; what is longer than a line at the seams of
/// a target's name, and within a word only where that has none.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or(0, |line| line.width());
        // A Japanese sentence has no spaces and may be broken anywhere; a short word is kept whole.
        let is_long = word.width() > width / 2;
        let is_mark = word.starts_with('[') && word.ends_with(']') && word.width() <= width;
        let breaks_anywhere = is_long && !is_mark && word.chars().any(|c| c.width() == Some(2));
        if line > 0 && line + 1 + word.width() > width && !breaks_anywhere {
            lines.push(String::new());
        } else if line > 0 {
            push(&mut lines, ' ', width);
        }
        let pieces = match breaks_anywhere {
            true => pieces_of_sentence(word),
            false => word.split_inclusive(SEAMS).collect(),
        };
        for piece in pieces {
            let line = lines.last().map_or(0, |line| line.width());
            let fits = line + piece.width() <= width || piece.width() > width;
            if line > 0 && !fits {
                lines.push(String::new());
            }
            piece.chars().for_each(|c| push(&mut lines, c, width));
        }
    }
    let kept = |line: &mut String| line.truncate(line.trim_end().len());
    lines.iter_mut().for_each(kept);
    lines
}

/// What no line begins with.
const CLOSING: &str = "。、，．・ー…！？）」』】〉》)],.;:!?%";
/// What no line ends with.
const OPENING: &str = "（「『【〈《([";

/// The parts of a Japanese sentence between which a line may end: not within a word of another script (a command that is
/// broken cannot be copied), nor before what closes, nor behind what opens.
fn pieces_of_sentence(text: &str) -> Vec<&str> {
    let is_wide = |c: char| c.width() == Some(2);
    let mut pieces = Vec::new();
    let (mut from, mut before) = (0, None);
    for (at, c) in text.char_indices() {
        let ends = before.is_some_and(|before: char| {
            let in_word = !is_wide(before) && !is_wide(c) && !SEAMS.contains(&before);
            !in_word && !CLOSING.contains(c) && !OPENING.contains(before)
        });
        if ends {
            pieces.push(&text[from..at]);
            from = at;
        }
        before = Some(c);
    }
    pieces.push(&text[from..]);
    pieces
}

fn push(lines: &mut Vec<String>, c: char, width: usize) {
    let line = lines.last().map_or(0, |line| line.width());
    if line + c.width().unwrap_or(0) > width {
        lines.push(String::new());
    }
    if let Some(line) = lines.last_mut() {
        line.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(drives: usize) -> TextTable {
        let cell = |text: &str, mark: &str| TextCell {
            text: text.to_owned(),
            mark: mark.to_owned(),
            style: Style::new(),
        };
        TextTable {
            heads: (0..drives).map(|i| format!("サンプル drive {i}")).collect(),
            rows: vec![
                (
                    "読み込み".to_owned(),
                    "MB/s".to_owned(),
                    (0..drives).map(|_| cell("3,480", " +")).collect(),
                ),
                (
                    "worst".to_owned(),
                    "ms".to_owned(),
                    (0..drives).map(|_| cell("9.70", "")).collect(),
                ),
            ],
        }
    }

    #[test]
    fn double_width_characters_stay_in_their_columns() {
        insta::assert_snapshot!(table(2).render(60, false), @r#"
                        サンプル drive 0  サンプル drive 1
        読み込み  MB/s           3,480 +           3,480 +
        worst     ms              9.70              9.70
        "#);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_drives_go_on_below() {
        for columns in [30, 40, 60, 80, 120] {
            let text = table(5).render(columns, false);
            let widest = text.lines().map(UnicodeWidthStr::width).max().unwrap();
            assert!(widest <= columns, "{columns}:\n{text}");
            assert_eq!(text.matches("3,480").count(), 5);
        }
    }

    #[test]
    fn the_mark_of_a_modelled_drive_is_not_broken() {
        let mut narrow = table(3);
        for head in &mut narrow.heads {
            *head = "A drive [modelled]".to_owned();
        }
        let text = narrow.render(48, false);
        assert_eq!(text.matches("[modelled]").count(), 3, "{text}");
    }

    #[test]
    fn a_word_wider_than_its_line_is_broken() {
        assert_eq!(wrap("Samsung 840", 5), ["Samsu", "ng", "840"]);
        assert_eq!(wrap("応答時間の分布", 6), ["応答時", "間の分", "布"]);
        assert_eq!(wrap("監視する。遅い", 8), ["監視す", "る。遅い"]);
        assert_eq!(
            wrap("続ける (run --scale full)。システムには", 23),
            ["続ける (run --scale", "full)。システムには"]
        );
        assert_eq!(
            wrap("fault(model:a)?bad=1GiB+64KiB&slow=100GiB+64MiB", 12),
            [
                "fault(model:",
                "a)?bad=1GiB+",
                "64KiB&slow=",
                "100GiB+64MiB"
            ]
        );
    }
}
