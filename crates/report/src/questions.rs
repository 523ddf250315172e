//! Questions that people ask, and their replies, in at most a dozen lines.

use analysis::questions::{QUESTIONS, Question, Reply, Verdict};
use results::Statement;
use results::forecast::{QUESTIONS_SCHEMA, QuestionListing, Questions};

use crate::lang::{Lang, Texts};
use crate::terminal::TerminalOptions;
use crate::text_table::wrap;

/// At most this many reasons and next steps are given: more would be another table.
const MOST_REASONS: usize = 5;
const MOST_SURER: usize = 1;
/// The most lines of an answer.
const MOST_LINES: usize = 12;

/// The question in words.
fn asked(question: &Question, texts: &Texts) -> String {
    texts.say(&format!("question-{}", question.id))
}

fn word(verdict: Verdict, texts: &Texts) -> String {
    match verdict {
        Verdict::Yes => texts.say("question-yes"),
        Verdict::No => texts.say("question-no"),
        Verdict::Undecided => texts.say("question-undecided"),
        Verdict::Told => String::new(),
    }
}

/// The answer, its reasons, and what would make it surer: at most 12 lines.
pub fn text(question: &Question, reply: &Reply, options: &TerminalOptions) -> String {
    let texts = Texts::new(options.lang);
    let says = texts.state_all(&reply.says);
    let first = match word(reply.verdict, &texts) {
        word if word.is_empty() => says,
        word => [word, says].join(&texts.say("sentence-separator")),
    };
    let columns = options.columns.min(100);
    let mut lines = vec![asked(question, &texts)];
    let warned = reply.warns.iter().map(|warning| texts.state(warning));
    lines.extend(warned.flat_map(|warning| wrap(&warning, columns)));
    lines.extend(wrap(&first, columns));
    let surer = listed(&reply.surer, MOST_SURER, "+", columns, &texts);
    let room = MOST_LINES.saturating_sub(lines.len() + surer.len());
    let mut because = Vec::new();
    for reason in reply.because.iter().take(MOST_REASONS) {
        let more = listed(std::slice::from_ref(reason), 1, "-", columns, &texts);
        // A reason that does not fit whole is left out.
        if because.len() + more.len() <= room {
            because.extend(more);
        }
    }
    lines.extend(because);
    lines.extend(surer);
    lines.truncate(MOST_LINES);
    lines.join("\n") + "\n"
}

/// Statements as an indented list.
fn listed(
    all: &[Statement],
    most: usize,
    mark: &str,
    columns: usize,
    texts: &Texts,
) -> Vec<String> {
    let of = |one: &Statement| {
        let lines = wrap(&texts.state(one), columns.saturating_sub(4));
        let mark = |(at, line): (usize, String)| match at {
            0 => format!("  {mark} {line}"),
            _ => format!("    {line}"),
        };
        lines.into_iter().enumerate().map(mark).collect::<Vec<_>>()
    };
    all.iter().take(most).flat_map(of).collect()
}

/// All questions, a line each.
pub fn list(lang: Lang) -> String {
    let texts = Texts::new(lang);
    let widest = QUESTIONS.iter().map(|q| q.id.len()).max().unwrap_or(0);
    let line = |question: &&Question| {
        let asked = asked(question, &texts);
        format!("{:widest$}  {asked}\n", question.id)
    };
    QUESTIONS.iter().map(line).collect()
}

/// All questions, as a document.
pub fn listing(lang: Lang) -> Questions {
    let texts = Texts::new(lang);
    let one = |question: &&Question| QuestionListing {
        id: question.id,
        asks: asked(question, &texts),
        least_drives: question.drives.0,
        most_drives: question.drives.1,
    };
    Questions {
        schema: QUESTIONS_SCHEMA,
        questions: QUESTIONS.iter().map(one).collect(),
    }
}

/// A page: each question with its command and with what it runs; `docs/questions.md` is this in English.
pub fn page(lang: Lang) -> String {
    let texts = Texts::new(lang);
    let mut page = texts.say("questions-page");
    for question in QUESTIONS {
        let steps = question.steps.iter().map(|step| {
            let set = step.set.join(" ");
            format!("`{}`", [step.method, &set].join(" ").trim())
        });
        let steps: Vec<String> = steps.collect();
        let drives = match question.drives {
            (_, 1) => "DRIVE".to_owned(),
            (2, 2) => "DRIVE DRIVE".to_owned(),
            (1, 2) => "DRIVE [DRIVE]".to_owned(),
            _ => "DRIVE DRIVE ...".to_owned(),
        };
        let row = format!(
            "| {} | `drivelab ask {} {drives}` | {} |",
            asked(question, &texts),
            question.id,
            steps.join(", ")
        );
        page.push('\n');
        page.push_str(&row);
    }
    page + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_questions_is_what_the_questions_are() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/questions.md");
        let there = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            there == page(Lang::En),
            "docs/questions.md is old: run `cargo run -p report --example questions > docs/questions.md`"
        );
    }

    #[test]
    fn an_answer_has_at_most_a_dozen_lines() {
        let long = Statement::new("question-rebuild-read");
        let reply = Reply {
            warns: vec![long.clone(); 2],
            verdict: Verdict::Yes,
            says: vec![long.clone(); 3],
            because: vec![long.clone(); 30],
            surer: vec![long; 3],
        };
        for lang in Lang::ALL {
            let options = TerminalOptions {
                lang,
                ..TerminalOptions::default()
            };
            let text = text(QUESTIONS[0], &reply, &options);
            assert!((3..=MOST_LINES).contains(&text.lines().count()), "{text}");
        }
    }
}
