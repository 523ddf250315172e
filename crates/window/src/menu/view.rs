//! What a terminal shows: a title, lines of text, and numbered choices, cut to its size.
//!
//! The narrowest screen that is planned for is 50 columns of 18 rows, large type on 800 by 600 points. Text is wrapped
//! between words; what does not fit above the choices is left out from its end, and of many choices those around the
//! selected one are shown.

use super::choice::Action;

/// A screen before it has a size.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct View {
    pub(super) title: String,
    pub(super) body: Vec<String>,
    pub(super) choices: Vec<(String, Action)>,
    /// What the keys do, in the last line.
    pub(super) keys: String,
}

impl View {
    /// The position of the choice with that number: the last one is 0, the way back.
    pub(super) fn position(&self, number: usize) -> Option<usize> {
        let last = self.choices.len().checked_sub(1)?;
        match number {
            0 => Some(last),
            _ if number <= last => Some(number - 1),
            _ => None,
        }
    }

    fn number(&self, position: usize) -> usize {
        match position + 1 == self.choices.len() {
            true => 0,
            false => position + 1,
        }
    }

    /// Lines for a terminal of that size.
    pub(super) fn lines(&self, (columns, rows): (usize, usize), selected: usize) -> Vec<String> {
        // One column is kept free: a full line would move some terminals on.
        let columns = columns.max(20) - 1;
        let mut lines = vec![format!("\x1b[1m{}\x1b[0m", cut(&self.title, columns))];
        lines.push(String::new());
        let room = rows.max(10) - 4;
        let for_choices = self
            .choices
            .len()
            .min((room / 2).max(room.saturating_sub(self.body.len() + 1)));
        let body = self.body.iter().flat_map(|line| wrap(line, columns));
        lines.extend(body.take(room.saturating_sub(for_choices + 1)));
        lines.push(String::new());
        let first = (selected + 1).saturating_sub(for_choices);
        let choices = self.choices.iter().enumerate();
        for (position, (words, _)) in choices.skip(first).take(for_choices) {
            let line = cut(
                &format!("{:>2}  {words}", self.number(position)),
                columns - 3,
            );
            lines.push(match position == selected {
                true => format!("\x1b[7m>{line} \x1b[0m"),
                false => format!(" {line}"),
            });
        }
        lines.push(String::new());
        lines.push(cut(&self.keys, columns));
        lines
    }
}

/// The beginning of a line.
fn cut(line: &str, columns: usize) -> String {
    line.chars().take(columns).collect()
}

/// A line in pieces, the later ones indented.
fn wrap(line: &str, columns: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for word in line.split(' ') {
        let length = pieces.last().map_or(0, |piece| piece.chars().count());
        if length > 0 && length + 1 + word.chars().count() > columns {
            pieces.push(format!("  {word}"));
        } else if let Some(piece) = pieces.last_mut() {
            if !piece.is_empty() {
                piece.push(' ');
            }
            piece.push_str(word);
        }
    }
    pieces.iter().map(|piece| cut(piece, columns)).collect()
}

/// A bar of that many columns.
pub(super) fn bar(fraction: f64, columns: usize) -> String {
    let full = (fraction.clamp(0.0, 1.0) * columns as f64).round() as usize;
    format!("[{}{}]", "#".repeat(full), "-".repeat(columns - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(choices: usize, body: usize) -> View {
        View {
            title: "Drives".to_owned(),
            body: vec!["some words that say what is here and why it is so".to_owned(); body],
            choices: vec![("a drive".to_owned(), Action::Back); choices],
            keys: "keys".to_owned(),
        }
    }

    #[test]
    fn a_screen_never_has_more_rows_or_columns_than_the_terminal() {
        for (choices, body) in [(1, 0), (3, 40), (40, 40), (40, 0)] {
            for selected in [0, choices - 1] {
                let lines = view(choices, body).lines((50, 18), selected);
                assert!(lines.len() <= 18, "{choices} {body}: {}", lines.len());
                assert!(
                    lines.iter().any(|line| line.contains('>')),
                    "{choices} {body}"
                );
                let widest = lines.iter().map(|line| {
                    line.replace("\x1b[7m", "")
                        .replace("\x1b[0m", "")
                        .replace("\x1b[1m", "")
                });
                assert!(widest.map(|line| line.chars().count()).max() <= Some(50));
            }
        }
    }

    #[test]
    fn the_last_choice_is_zero() {
        let view = view(3, 0);
        assert_eq!(
            [0, 1, 2, 3].map(|number| view.position(number)),
            [Some(2), Some(0), Some(1), None]
        );
    }

    #[test]
    fn a_bar_is_full_at_one() {
        assert_eq!(
            [0.0, 0.5, 1.0, 7.0].map(|part| bar(part, 4)),
            ["[----]", "[##--]", "[####]", "[####]"]
        );
    }
}
