//! What each drive's result of a method answers, in words: the sentence that stands before the method's numbers.

use analysis::answers::answer;
use analysis::group::{Section, Subject};
use results::RunResult;

use crate::lang::Texts;

/// What a result answers, all its sentences one behind the other; nothing where its method has no answer.
pub(crate) fn of(result: &RunResult, texts: &Texts) -> Option<String> {
    let said = answer(result);
    (!said.is_empty()).then(|| texts.state_all(&said))
}

/// The answers of a section, each with its drive.
pub(crate) fn of_section<'s, 'a>(
    section: &Section,
    subjects: &'s [Subject<'a>],
    texts: &Texts,
) -> Vec<(&'s Subject<'a>, String)> {
    let said = |(subject, result): &(usize, &RunResult)| {
        let answer = of(result, texts)?;
        Some((&subjects[*subject], answer))
    };
    section.results.iter().filter_map(said).collect()
}

/// The first sentence of what a result answers, as the summary on the terminal and the page begin with it.
pub fn first_sentence(result: &RunResult, lang: crate::Lang) -> Option<String> {
    let said = answer(result);
    said.first().map(|first| Texts::new(lang).state(first))
}
