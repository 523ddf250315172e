//! Common questions about a drive, and how they are answered.
//!
//! To "is it shingled" nobody wants a table. A question has a few steps, the shortest that answer it honestly, and a
//! function from their results to an answer: yes, no, undecided or a figure, with the reasons and with what would make
//! it more certain. It uses the findings and answers of a review, so that the conclusions are consistent. That a drive
//! is failing is reported before anything else, and its measurements answer nothing; results affected by a busy
//! computer are undecided.
//!
//! Adding one is a file in `questions/` and a line in [`QUESTIONS`]; its words are `question-ID` (the question) and the
//! sentences that it states, in the texts of the reports.

use base::message::Message;
use results::{FILE_SYSTEM, Quantity, RunResult, Statement};

use crate::answers;
use crate::findings::{Found, Severity, Sureness, findings};
use crate::observer::{Figures, is_worsened, reservations};

mod cache;
mod database;
mod fake;
mod firmware;
mod games;
mod link;
mod rebuild;
pub mod reject;
mod shingled;

/// All questions, in the order in which they are listed.
pub const QUESTIONS: &[&Question] = &[
    &shingled::QUESTION,
    &cache::QUESTION,
    &database::QUESTION,
    &games::QUESTION,
    &rebuild::QUESTION,
    &reject::QUESTION,
    &fake::QUESTION,
    &firmware::QUESTION,
    &link::QUESTION,
];

/// A common question.
#[derive(Debug)]
pub struct Question {
    /// Its name on the command line and in the texts: `shingled`.
    pub id: &'static str,
    /// What is run on each drive.
    pub steps: &'static [Step],
    /// How many drives it is about: the least and the most.
    pub drives: (usize, usize),
    /// Whether a drive is compared with an earlier result of the same question.
    pub beside_earlier: bool,
    /// Whether its answer names the failing drives.
    pub judges_failing: bool,
    /// The figures that its answer uses, which a busy computer may affect.
    pub rests_on: &'static [Figures],
    /// Answers it.
    pub reply: fn(&[Asked]) -> Reply,
}

impl Question {
    /// What most questions share: they are about one drive as it is, and no computer affects their figures.
    const PLAIN: Question = Question {
        id: "",
        steps: &[],
        drives: (1, 1),
        beside_earlier: false,
        judges_failing: false,
        rests_on: &[],
        reply: |_| undecided("question-no-result"),
    };
}

/// A method that a question runs.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The method's name.
    pub method: &'static str,
    /// Settings, each as `key=value`.
    pub set: &'static [&'static str],
    /// How often.
    pub times: u32,
}

impl Step {
    const fn once(method: &'static str, set: &'static [&'static str]) -> Step {
        Step {
            method,
            set,
            times: 1,
        }
    }
}

/// A drive in question.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The target's name.
    pub target: &'a str,
    /// How many results there should be.
    pub steps: usize,
    /// Those that there are.
    pub results: Vec<&'a RunResult>,
}

impl<'a> Asked<'a> {
    fn title(&self) -> Message {
        let first = self.results.first();
        first.map_or_else(
            || Message::as_it_stands(self.target),
            |r| r.target.title.clone(),
        )
    }

    fn of(&self, method: &str) -> Option<&'a RunResult> {
        self.results.iter().copied().find(|r| r.method == method)
    }

    /// A figure of a method.
    fn value(&self, method: &str, key: &str) -> Option<f64> {
        let figures = &self.of(method)?.figures;
        figures.iter().find(|figure| figure.key == key)?.value
    }

    fn findings(&self) -> Vec<Found<'a>> {
        findings(&self.results)
    }

    /// That it fails, and how.
    fn failing(&self) -> Vec<Found<'a>> {
        let all = self.findings().into_iter();
        all.filter(|found| found.of.severity == Severity::Failing)
            .collect()
    }

    /// Whether it is a file on a drive, and not the drive.
    fn is_a_file(&self) -> bool {
        let of = |r: &&RunResult| r.target.identity.contains_key(FILE_SYSTEM);
        self.results.first().is_some_and(of)
    }

    /// Whether all of its surface was read.
    fn is_read_whole(&self) -> bool {
        let scan = self.of("full-scan");
        scan.is_some_and(|scan| scan.figures.iter().any(|figure| figure.comparable_by.whole))
    }

    /// A method's answer.
    fn answer(&self, method: &str) -> Vec<Statement> {
        self.of(method).map(answers::answer).unwrap_or_default()
    }
}

/// How a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Yes,
    No,
    /// No answer.
    Undecided,
    /// By what follows.
    Told,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Printed before any answer: a failing drive.
    pub warns: Vec<Statement>,
    /// In a word.
    pub verdict: Verdict,
    /// In a sentence or two.
    pub says: Vec<Statement>,
    pub because: Vec<Statement>,
    /// What would make it surer.
    pub surer: Vec<Statement>,
}

impl Reply {
    fn new(verdict: Verdict, says: Vec<Statement>) -> Reply {
        Reply {
            warns: Vec::new(),
            verdict,
            says,
            because: Vec::new(),
            surer: Vec::new(),
        }
    }

    fn because(mut self, reasons: impl IntoIterator<Item = Statement>) -> Reply {
        self.because.extend(reasons);
        self
    }

    fn surer(mut self, command: &'static str, drive: &Asked) -> Reply {
        let target = Quantity::Word(drive.target.to_owned());
        self.surer
            .push(Statement::new(command).with("target", target));
        self
    }
}

impl Question {
    /// The answer, preceded by failing drives and reservations.
    pub fn answer(&self, drives: &[Asked]) -> Reply {
        let mut reply = (self.reply)(drives);
        let several = drives.len() > 1;
        for drive in drives.iter().filter(|_| !self.judges_failing) {
            let failing = drive.failing();
            let told = |found: &&Found| !reply.says.contains(&found.says);
            let new: Vec<Statement> = failing
                .iter()
                .filter(told)
                .map(|f| f.says.clone())
                .collect();
            reply.warns.extend(match (several, new.is_empty()) {
                (_, true) => Vec::new(),
                (false, _) => new,
                (true, _) => vec![
                    Statement::new("question-of-drive")
                        .with("drive", Quantity::Name(drive.title()))
                        .with("says", Quantity::Said(new)),
                ],
            });
        }
        let is_a_finding = reply.verdict == Verdict::Yes;
        if !reply.warns.is_empty() && !several && !is_a_finding {
            reply.verdict = Verdict::Undecided;
            reply.says = vec![Statement::new("question-failing")];
            reply.because.clear();
            reply.surer.clear();
        }
        self.reserve(&mut reply, drives);
        reply
    }

    /// Influences on the figures are reported, and an answer that they may have changed is undecided.
    fn reserve(&self, reply: &mut Reply, drives: &[Asked]) {
        let results = || {
            drives
                .iter()
                .flat_map(|drive| drive.results.iter().copied())
        };
        let spoilt = |figures: &Figures| results().any(|result| is_worsened(*figures, result));
        if self.rests_on.iter().any(spoilt) && !matches!(reply.verdict, Verdict::Undecided) {
            reply.verdict = Verdict::Undecided;
            reply.says.insert(0, Statement::new("question-disturbed"));
        }
        let reserved = drives.iter().flat_map(|drive| reservations(&drive.results));
        reply.because.extend(reserved.map(|one| one.says));
    }
}

/// Yes if there is a finding, with its text; undecided if other causes are possible.
fn of_finding(drive: &Asked, id: &str) -> Option<Reply> {
    let found = drive
        .findings()
        .into_iter()
        .find(|found| found.of.id == id)?;
    let verdict = match found.sure {
        Sureness::Possible => Verdict::Undecided,
        Sureness::Seen | Sureness::Likely => Verdict::Yes,
    };
    Some(Reply::new(verdict, vec![found.says]))
}

fn undecided(key: &'static str) -> Reply {
    Reply::new(Verdict::Undecided, vec![Statement::new(key)])
}
