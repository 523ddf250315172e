//! What people ask of a drive, in their own words, and how it is answered.
//!
//! Nobody wants a table who asks "is it shingled". A question has a few steps, the shortest that answer it honestly, and
//! a function from their results to a reply: yes, no, undecided or a figure, with the reasons and with what would make it
//! surer. It draws on the findings and answers that a review has, so that a drive is told the same thing whoever asks.
//! A drive that fails is told to fail before anything else, and what was measured on it answers nothing; what a busy
//! computer had its hand in is undecided.
//!
//! Adding one is a file in `questions/` and a line in [`QUESTIONS`]; its words are `question-ID` (the question) and the
//! sentences that it states, in the texts of the reports.

use results::statement::{Quantity, Statement};
use results::{FILE_SYSTEM, RunResult};

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

/// Something that people ask.
#[derive(Debug)]
pub struct Question {
    /// Its name on the command line and in the texts: `shingled`.
    pub id: &'static str,
    /// What is run on each drive.
    pub steps: &'static [Step],
    /// How many drives it is about: the least and the most.
    pub drives: (usize, usize),
    /// Whether one drive stands beside what the same question measured of it before.
    pub beside_earlier: bool,
    /// Whether its answer is which drives fail, and names them.
    pub judges_failing: bool,
    /// The figures that its answer is made of, which a busy computer may spoil.
    pub rests_on: &'static [Figures],
    /// Answers it.
    pub reply: fn(&[Asked]) -> Reply,
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

/// A drive that it is asked of.
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
    fn title(&self) -> String {
        let first = self.results.first();
        first.map_or_else(|| self.target.to_owned(), |r| r.target.title.clone())
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

    /// What a method answered.
    fn answer(&self, method: &str) -> Vec<Statement> {
        self.of(method).map(answers::answer).unwrap_or_default()
    }
}

/// How a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Yes,
    No,
    /// It cannot be told.
    Undecided,
    /// By what follows.
    Told,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct Reply {
    /// What comes before any answer: a drive that fails.
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
    /// The answer, and before it which of the drives fail and what stood between them and their figures.
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

    /// What was in the way of the figures is said, and an answer that they may have spoilt is open.
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

/// Yes where a finding is there, and what it says; undecided where other causes fit, too.
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
