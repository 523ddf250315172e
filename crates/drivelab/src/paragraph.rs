//! Text for a terminal: paragraphs that are broken at spaces, names that are cut, columns that line up.
//!
//! A terminal wraps what is too long in mid-word and takes the indentation away, so what is printed for people is
//! broken here, at the terminal's width, and at 80 columns where there is none (a pager, a file).

use std::fmt::Write as _;

/// The widest that a paragraph gets: longer lines are hard to read.
const WIDEST: usize = 100;
/// The narrowest that a paragraph gets; a narrower terminal wraps.
const NARROWEST: usize = 40;

/// A paragraph: each line begins with `indent` blanks, none is longer than `columns` unless a word is.
pub(crate) fn paragraph(text: &str, indent: usize, columns: usize) -> String {
    hanging(&" ".repeat(indent), text, indent, columns)
}

/// A paragraph whose first line begins with `head`, and the others with `indent` blanks.
pub(crate) fn hanging(head: &str, text: &str, indent: usize, columns: usize) -> String {
    let columns = columns.clamp(NARROWEST, WIDEST);
    let mut out = head.to_owned();
    let mut width = length(head);
    let mut is_at_start = true;
    for word in text.split_whitespace() {
        let blank = usize::from(!is_at_start);
        if !is_at_start && width + blank + length(word) > columns {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            width = indent;
        } else if blank == 1 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length(word);
        is_at_start = false;
    }
    let _ = writeln!(out);
    out
}

/// A name in at most `width` letters: the end of a path tells more than its beginning.
pub(crate) fn cut(name: &str, width: usize) -> String {
    let letters = length(name);
    if letters <= width {
        return name.to_owned();
    }
    let is_path = name.starts_with(['.', '/']);
    if is_path {
        let tail: String = name.chars().skip(letters + 1 - width).collect();
        return format!("…{tail}");
    }
    let head: String = name.chars().take(width.saturating_sub(1)).collect();
    format!("{head}…")
}

/// A name, and blanks up to `width`.
pub(crate) fn padded(name: &str, width: usize) -> String {
    format!("{name}{}", " ".repeat(width.saturating_sub(length(name))))
}

/// How many letters; names and texts of the program are of letters of one column.
pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_broken_at_spaces_and_loses_no_word() {
        let text = "one two three four five six seven eight nine ten eleven twelve";
        for columns in [0, 40, 41, 57, 80, 500] {
            let broken = paragraph(text, 4, columns);
            let longest = broken.lines().map(length).max().unwrap();
            assert!(
                longest <= columns.clamp(NARROWEST, WIDEST),
                "{columns}: {broken}"
            );
            assert!(broken.lines().all(|line| line.starts_with("    ")));
            assert_eq!(
                broken.split_whitespace().collect::<Vec<_>>().join(" "),
                text
            );
        }
        assert_eq!(hanging("key  ", "a b", 5, 80), "key  a b\n");
        assert_eq!(paragraph("", 0, 80), "\n");
    }

    #[test]
    fn a_name_that_is_too_long_keeps_what_tells_it_apart() {
        assert_eq!(cut("./some/long/folder", 8), "…/folder");
        assert_eq!(cut("model:samsung", 8), "model:s…");
        assert_eq!(cut("short", 8), "short");
        assert_eq!(length(&cut("model:samsung", 8)), 8);
        assert_eq!(padded("ab", 4), "ab  ");
    }
}
