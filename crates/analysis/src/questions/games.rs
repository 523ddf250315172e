//! Which of these two is better for games? Loading time, and whether a frame waits under load.

use base::time::Duration;
use results::{Quantity, Standing, Statement};

use super::{Asked, Question, Reply, Step, Verdict, undecided};
use crate::observer::Figures;
use crate::uses::{Found, verdicts};

pub(super) const QUESTION: Question = Question {
    id: "games",
    steps: &[
        Step::once("crystaldiskmark", &[]),
        Step::once("application-traces", &[]),
        Step::once("latency-watch", &[]),
    ],
    drives: (2, 2),
    rests_on: &[Figures::Rates],
    reply,
    ..Question::PLAIN
};

/// Differences below a tenth in loading time are not noticeable.
const FELT: f64 = 0.1;

/// What a drive is worth for games.
struct Worth {
    standing: Standing,
    /// Seconds for a game of 2 GB.
    loads: Option<f64>,
    says: Statement,
}

fn worth(drive: &Asked) -> Option<Worth> {
    let verdicts = verdicts(&drive.results);
    let games = verdicts
        .iter()
        .find(|verdict| verdict.of.id == "game-load")?;
    let of_trace = games.checks.iter().find(|c| c.rule.id == "game-trace")?;
    let loads = match of_trace.found {
        Found::Value { value, .. } if value > 0.0 => Some(2_000.0 / value),
        _ => None,
    };
    let title = Quantity::Name(drive.title());
    let says = match loads {
        Some(seconds) => Statement::new("question-games-loads")
            .with("drive", title)
            .with("time", Quantity::Time(Duration::from_secs_f64(seconds))),
        None => Statement::new("question-games-not-measured").with("drive", title),
    };
    Some(Worth {
        standing: games.standing,
        loads,
        says,
    })
}

fn reply(drives: &[Asked]) -> Reply {
    let better = |drive: &Asked, key| {
        let says = Statement::new(key).with("drive", Quantity::Name(drive.title()));
        Reply::new(Verdict::Told, vec![says])
    };
    let fails = [&drives[0], &drives[1]].map(|drive| !drive.failing().is_empty());
    match fails {
        [true, true] => return undecided("question-games-both-failing"),
        [false, true] => return better(&drives[0], "question-games-other-failing"),
        [true, false] => return better(&drives[1], "question-games-other-failing"),
        [false, false] => {}
    }
    let worths: Vec<Option<Worth>> = drives.iter().map(worth).collect();
    let [Some(one), Some(other)] = &worths[..] else {
        return undecided("question-no-result");
    };
    let because = [one.says.clone(), other.says.clone()];
    let reply = match (
        one.standing == Standing::Unfit,
        other.standing == Standing::Unfit,
    ) {
        (false, true) => better(&drives[0], "question-games-other-unfit"),
        (true, false) => better(&drives[1], "question-games-other-unfit"),
        _ => match (one.loads, other.loads) {
            (Some(a), Some(b)) if (a - b).abs() <= FELT * a.min(b) => {
                Reply::new(Verdict::Told, vec![Statement::new("question-games-alike")])
            }
            (Some(a), Some(b)) if a < b => better(&drives[0], "question-games-faster"),
            (Some(_), Some(_)) => better(&drives[1], "question-games-faster"),
            _ => undecided("question-no-result"),
        },
    };
    let unverified = verdicts_unverified(drives);
    reply.because(because).because(unverified)
}

fn verdicts_unverified(drives: &[Asked]) -> Option<Statement> {
    let of = |drive: &Asked| {
        let all = verdicts(&drive.results);
        all.iter().any(|v| v.of.id == "game-load" && v.unverified())
    };
    let any = drives.iter().any(of);
    any.then(|| Statement::new("answer-unverified"))
}
