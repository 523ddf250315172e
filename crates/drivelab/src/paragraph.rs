//! Text for a terminal: paragraphs that are broken at spaces, names that are cut, columns that line up.
//!
//! A terminal wraps long lines in mid-word and without indentation, so text for people is wrapped here, at the
//! terminal's width, or at 80 columns without one (a pager, a file). Japanese has no spaces: it is broken between any
//! two characters, but not before closing punctuation, and a character of it takes two columns.

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
    let mut blank = "";
    let mut is_at_start = true;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for piece in pieces(&text) {
        let word = piece.trim_end();
        if !is_at_start && width + blank.len() + length(word) > columns {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            width = indent;
        } else {
            out.push_str(blank);
            width += blank.len();
        }
        out.push_str(word);
        width += length(word);
        blank = &piece[word.len()..];
        is_at_start = false;
    }
    let _ = writeln!(out);
    out
}

/// A line that may be too long: its prefix (blanks, a number) stays, and continuation lines are indented to its text.
pub(crate) fn with_its_indent(line: &str, columns: usize) -> String {
    if length(line) <= columns {
        return format!("{line}\n");
    }
    let text = line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
    let head = &line[..line.len() - text.len()];
    // A number with one blank behind it is the first word of the text.
    let is_head = head.ends_with("  ") || head.trim().is_empty();
    let (head, text) = if is_head { (head, text) } else { ("", line) };
    hanging(head, text, length(head).max(2), columns)
}

/// Units between which a line may be broken: a Latin word with its space, a character with closing punctuation after
/// it.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let closes = "、。，）)」]ー".contains(c);
        let breaks = match before {
            None => false,
            Some('\n') => true,
            Some(_) if c == '\n' => true,
            Some(_) if closes || c == ' ' => false,
            Some('(' | '「' | '[' | '`') => false,
            Some(last) => last == ' ' || is_wide(c) || is_wide(last),
        };
        if breaks {
            cuts.push(at);
        }
        before = Some(c);
    }
    cuts.push(text.len());
    cuts.windows(2)
        .map(|pair| &text[pair[0]..pair[1]])
        .filter(|piece| !piece.is_empty())
        .collect()
}

/// A name in at most `width` columns: the end of a path is more informative than its beginning.
pub(crate) fn cut(name: &str, width: usize) -> String {
    if length(name) <= width {
        return name.to_owned();
    }
    let room = width.saturating_sub(1);
    let fitting = |letters: &mut dyn Iterator<Item = char>| -> Vec<char> {
        let mut taken = 0;
        letters
            .take_while(|&c| {
                taken += columns_of(c);
                taken <= room
            })
            .collect()
    };
    let is_path = name.starts_with(['.', '/']);
    if is_path {
        let tail: String = fitting(&mut name.chars().rev()).into_iter().rev().collect();
        return format!("…{tail}");
    }
    let head: String = fitting(&mut name.chars()).into_iter().collect();
    format!("{head}…")
}

/// A name, and blanks up to `width`.
pub(crate) fn padded(name: &str, width: usize) -> String {
    format!("{name}{}", " ".repeat(width.saturating_sub(length(name))))
}

/// How many columns of a terminal a text takes.
pub(crate) fn length(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(c: char) -> usize {
    1 + usize::from(is_wide(c))
}

/// Whether a letter takes two columns: those of Chinese, Japanese and Korean, from the radicals on, and the wide forms.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115F}' | '\u{2E80}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FF60}' | '\u{20000}'..='\u{3FFFD}')
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
    fn a_numbered_line_is_broken_below_its_text_and_never_in_a_word() {
        let line = " 12  full-scan on model:a-drive-of-a-long-name: about 11 h, writes 3.00 TB";
        let broken = with_its_indent(line, 48);
        let lines: Vec<&str> = broken.lines().collect();
        assert_eq!(lines[0], " 12  full-scan on model:a-drive-of-a-long-name:");
        assert_eq!(lines[1], "     about 11 h, writes 3.00 TB");
        assert_eq!(with_its_indent("  short", 48), "  short\n");
        let number = "90 bytes are written in a very long line of words without end";
        assert!(with_its_indent(number, 40).starts_with("90 bytes"));
    }

    #[test]
    fn japanese_is_broken_between_letters_and_never_before_what_closes() {
        let text = "4 KiB のランダム読み込みを、QD32 で 1 GiB から行う (範囲は倍々)。";
        for columns in [40, 41, 42, 43, 57, 80] {
            let broken = paragraph(text, 4, columns);
            for line in broken.lines() {
                assert!(length(line) <= columns + 2, "{columns}: {line}");
                assert!(!line.trim_start().starts_with(['、', '。', ')']), "{line}");
            }
            let bare = |text: &str| -> String { text.split_whitespace().collect() };
            assert_eq!(bare(&broken), bare(text));
        }
        assert_eq!(length("速度 MB/s"), 9);
        assert_eq!(length(&cut("転送速度の推移", 9)), 9);
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
