//! The answer of each drive's result of a method, in words: the sentence before the method's numbers.

use analysis::answers::answer;
use analysis::group::{Section, Subject};
use results::RunResult;

use crate::lang::Texts;

/// Beyond so many, the sentences of an answer are findings of their own, and stand under each other.
const ONE_BEHIND_THE_OTHER: usize = 4;

/// What a result answers: its sentences one behind the other, or, where they are many, by themselves; none where its method
/// has no answer.
pub(crate) fn of(result: &RunResult, texts: &Texts) -> Vec<String> {
    let said = answer(result);
    match said.len() {
        0 => Vec::new(),
        1..=ONE_BEHIND_THE_OTHER => vec![texts.state_all(&said)],
        _ => said.iter().map(|one| texts.state(one)).collect(),
    }
}

/// The answers of a section, each with its drive, which may have several.
pub(crate) fn of_section<'s, 'a>(
    section: &Section,
    subjects: &'s [Subject<'a>],
    texts: &Texts,
) -> Vec<(&'s Subject<'a>, String)> {
    let said = |(subject, result): &(usize, &RunResult)| {
        let subject = &subjects[*subject];
        of(result, texts)
            .into_iter()
            .map(move |answer| (subject, answer))
    };
    section.results.iter().flat_map(said).collect()
}

/// The first sentence of what a result answers, as the summary on the terminal and the page begin with it.
pub fn first_sentence(result: &RunResult, lang: crate::Lang) -> Option<String> {
    let said = answer(result);
    said.first().map(|first| Texts::new(lang).state(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
    use std::path::Path;

    /// What the sources of the answers name in quotes with `answer-` in front.
    fn chosen() -> Vec<String> {
        let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/src");
        let mut files = vec![room.join("answers.rs")];
        for folder in ["answers", "answers/inside"] {
            let folder = std::fs::read_dir(room.join(folder)).unwrap();
            let paths = folder.map(|entry| entry.unwrap().path());
            files.extend(paths.filter(|path| path.is_file() && !path.ends_with("tests.rs")));
        }
        let mut keys: Vec<String> = Vec::new();
        for file in files {
            let source = std::fs::read_to_string(file).unwrap();
            let named = source.split("\"answer-").skip(1);
            keys.extend(
                named.filter_map(|rest| Some(format!("answer-{}", rest.split('"').next()?))),
            );
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    #[test]
    fn every_sentence_that_an_answer_chooses_is_in_the_texts() {
        let keys = chosen();
        assert!(keys.len() > 100, "only {} were found", keys.len());
        for lang in Lang::ALL {
            let texts = Texts::new(lang);
            for key in &keys {
                assert!(texts.find(key, &[]).is_some(), "{}: {key}", lang.tag());
            }
        }
    }

    #[test]
    fn every_sentence_of_a_method_is_chosen_by_its_answer() {
        let chosen = chosen();
        for key in crate::lang::keys(Lang::En) {
            let of_method = analysis::answers::answered().any(|method| {
                let prefix = format!("answer-{method}-");
                key.starts_with(&prefix)
            });
            assert!(
                !of_method || chosen.iter().any(|known| known == key),
                "{key}"
            );
        }
    }

    #[test]
    fn a_page_of_one_method_begins_with_its_answer_and_a_review_has_it_in_the_section() {
        let review = fixtures::results::review();
        let texts = Texts::new(Lang::En);
        let said = of(&review[0], &texts).concat();
        let options = crate::HtmlOptions::default();
        let place = |page: &str, what: &str| page.find(what).unwrap();
        let alone = crate::html(&review[..1], &options);
        assert!(place(&alone, &said) < place(&alone, "class=\"chips\""));
        let all = crate::html(&review, &options);
        assert!(place(&all, &said) > place(&all, "class=\"method\""));
    }
}
