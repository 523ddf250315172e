//! The names of phases, read part by part.
//!
//! Methods name their phases in English, scripts look for these names, and stored results keep them. So a name is never
//! translated as a whole: it is a sequence of parts, and a part is a form of the vocabulary (`run 3`, `flush after
//! NAME`) or a word of the method's own (`seq1m-q8t1`), the same word as in the keys of its figures. The vocabulary
//! stands among the messages ([`crate::message`]), and the English text of a form is its grammar: `n` takes a number,
//! `word` one word, `name` the rest of the name, which is a name again. At each place the longest form that fits is taken.

use std::sync::LazyLock;

use crate::message::{ENGLISH, sentences};

/// What the keys of the vocabulary begin with.
pub const VOCABULARY: &str = "phase-name-";

/// A part of a phase's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A form of the vocabulary.
    Form {
        /// Its key among the messages.
        key: &'static str,
        /// What stands in its placeholders, by their names: a number in `n`, in others a name.
        places: Vec<(&'static str, &'a str)>,
    },
    /// A word of the method's own.
    Word(&'a str),
}

/// A form of the vocabulary.
struct Form {
    key: &'static str,
    /// Literal text, and after each piece but the last the name of a placeholder.
    pieces: Vec<(&'static str, Option<&'static str>)>,
}

/// The vocabulary, the longest form first.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let vocabulary = sentences(ENGLISH).filter(|(key, _)| key.starts_with(VOCABULARY));
    let form = |(key, text)| Form {
        key,
        pieces: pieces(text),
    };
    let mut forms: Vec<Form> = vocabulary.map(form).collect();
    // What stands in a place is not the form's own length.
    let length = |form: &Form| form.pieces.iter().map(|(literal, _)| literal.len()).sum();
    forms.sort_by_key(|form| std::cmp::Reverse::<usize>(length(form)));
    forms
});

fn pieces(mut text: &str) -> Vec<(&str, Option<&str>)> {
    let mut pieces = Vec::new();
    while let Some((literal, rest)) = text.split_once("{ $") {
        let (place, rest) = rest.split_once(" }").unwrap_or((rest, ""));
        pieces.push((literal, Some(place)));
        text = rest;
    }
    pieces.push((text, None));
    pieces
}

impl Form {
    /// The form where the text begins with it, and what stands behind it.
    fn at<'a>(&self, text: &'a str) -> Option<(Part<'a>, &'a str)> {
        let (mut rest, mut places) = (text, Vec::new());
        for (literal, place) in &self.pieces {
            rest = rest.strip_prefix(literal)?;
            let Some(place) = *place else { continue };
            let end = match place {
                "name" => rest.len(),
                _ => rest.find([' ', ':']).unwrap_or(rest.len()),
            };
            let (taken, behind) = rest.split_at(end);
            let is_number = taken.starts_with(|c: char| c.is_ascii_digit());
            if taken.is_empty() || (place == "n" && !is_number) {
                return None;
            }
            places.push((place, taken));
            rest = behind;
        }
        let ends = rest.is_empty() || rest.starts_with(' ');
        let key = self.key;
        ends.then_some((Part::Form { key, places }, rest))
    }
}

/// The parts of a phase's name, in order.
pub fn parts(name: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = name.trim_start();
    while !rest.is_empty() {
        let form = FORMS.iter().find_map(|form| form.at(rest));
        let (part, behind) = form.unwrap_or_else(|| {
            let (word, behind) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
            (Part::Word(word), behind)
        });
        parts.push(part);
        rest = behind.trim_start();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The English text of a form with something in its placeholders.
    fn example(form: &Form) -> String {
        let piece = |(literal, place): &(&str, Option<&str>)| {
            let what = place.map_or("", |place| if place == "n" { "7" } else { "x" });
            format!("{literal}{what}")
        };
        form.pieces.iter().map(piece).collect()
    }

    #[test]
    fn no_form_hides_another() {
        for form in FORMS.iter() {
            let name = example(form);
            let read = parts(&name);
            let is_itself = matches!(&read[..], [Part::Form { key, .. }] if *key == form.key);
            assert!(is_itself, "{name}: {read:?}");
        }
    }

    #[test]
    fn only_a_place_for_a_name_takes_more_than_a_word_and_only_at_the_end() {
        for form in FORMS.iter() {
            for (at, (_, place)) in form.pieces.iter().enumerate() {
                let is_last = at + 2 == form.pieces.len() && form.pieces[at + 1].0.is_empty();
                let fits = place.is_none_or(|p| ["n", "word"].contains(&p) || is_last);
                assert!(fits, "{}", form.key);
            }
        }
    }

    #[test]
    fn a_name_is_forms_with_words_of_the_methods_own_between_them() {
        let form = |key, places| Part::Form { key, places };
        let word = Part::Word;
        assert_eq!(
            parts("seq1m-q8t1 read run 0 (discarded)"),
            [
                word("seq1m-q8t1"),
                word("read"),
                form("phase-name-run-discarded", vec![("n", "0")]),
            ]
        );
        assert_eq!(
            parts("flush after write run 2"),
            [form(
                "phase-name-flush-after",
                vec![("name", "write run 2")]
            )]
        );
        assert_eq!(parts("run away"), [word("run"), word("away")]);
        assert_eq!(parts("  "), []);
    }
}
