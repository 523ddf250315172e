//! Which of these drives do I reject? The batch is screened, each drive compared with the others.

use base::health::Condition;
use base::time::Duration;
use results::screening::{Acceptance, Limits, Screened};
use results::{Quantity, Statement};

use super::{Asked, Question, Reply, Step, Verdict};
use crate::screening::{Candidate, ODD, screen};

pub(super) const QUESTION: Question = Question {
    id: "reject",
    steps: &[
        Step::once("quick-scan", &["ops=read"]),
        Step::once("full-scan", &["ops=read"]),
        Step::once("latency-watch", &["op=read", "load=none"]),
    ],
    drives: (1, 64),
    judges_failing: true,
    reply,
    ..Question::PLAIN
};

/// So many drives are named, each with its first reason.
const MOST_NAMED: usize = 5;

fn reply(drives: &[Asked]) -> Reply {
    let batch: Vec<Candidate> = drives.iter().map(candidate).collect();
    let screening = screen(&limits(), &batch);
    let with = |verdict| {
        let all = screening.drives.iter();
        all.filter(move |drive| drive.verdict == verdict)
    };
    let says = Statement::new("question-reject-counts")
        .with("drives", Quantity::Count(drives.len() as u64))
        .with(
            "rejected",
            Quantity::Count(with(Acceptance::Reject).count() as u64),
        )
        .with(
            "look",
            Quantity::Count(with(Acceptance::Look).count() as u64),
        );
    let named = with(Acceptance::Reject).chain(with(Acceptance::Look));
    let mut named: Vec<Statement> = named.take(MOST_NAMED).map(reason).collect();
    let is_sound = named.is_empty();
    if screening.models > 1 {
        let models = Quantity::Count(screening.models as u64);
        named.push(Statement::new("question-reject-models").with("models", models));
    }
    if drives.iter().all(Asked::is_read_whole) {
        return Reply::new(Verdict::Told, vec![says]).because(named);
    }
    // What nobody read is not accepted.
    let part = Statement::new("question-reject-part");
    let verdict = match is_sound {
        true => Verdict::Undecided,
        false => Verdict::Told,
    };
    let all: Vec<&str> = drives.iter().map(|drive| drive.target).collect();
    let mut reply = Reply::new(verdict, vec![says])
        .because(named)
        .because([part]);
    let targets = Quantity::name(all.join(" "));
    let surer = Statement::new("question-reject-surer").with("targets", targets);
    reply.surer.push(surer);
    reply
}

/// A buyer's limits for new drives: as in the plan `screen`.
pub fn limits() -> Limits {
    Limits {
        response_max: Some(Duration::from_secs(3)),
        response_p99: Some(Duration::from_millis(200)),
        curve_below_percent: Some(20.0),
        errors: Some(0),
        condition: Some(Condition::Unknown),
        reallocated: Some(0),
        pending: Some(0),
        uncorrectable: Some(0),
        temperature_celsius: Some(60),
        odd: ODD,
        ..Limits::default()
    }
}

fn candidate<'a>(drive: &Asked<'a>) -> Candidate<'a> {
    Candidate {
        target: drive.target,
        title: None,
        steps: drive.steps,
        results: drive.results.clone(),
    }
}

/// `reject model:...: 2 I/Os failed`.
fn reason(drive: &Screened) -> Statement {
    let key = match drive.verdict {
        Acceptance::Reject => "question-reject-rejected",
        Acceptance::Look | Acceptance::Accept => "question-reject-look",
    };
    let first = drive.reasons.first().map(|reason| reason.says.clone());
    Statement::new(key)
        .with("target", Quantity::name(drive.target.clone()))
        .with("why", Quantity::Said(first.into_iter().collect()))
}
