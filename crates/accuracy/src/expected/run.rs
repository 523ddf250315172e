//! The reviews behind the table: the usual runs on such a drive, and some cheap probes.
//!
//! Runs are not chosen by the expectation: every row has a review as `drivelab review` runs it, and probes for what a
//! review leaves out. Additional runs of a target (a whole scan for one bad area) add to it.

use std::collections::BTreeSet;

use analysis::findings::findings;
use base::interrupt::Interrupt;
use base::method::Scale;
use base::side_by_side::side_by_side;
use lab::LabError;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use results::RunResult;
use targets::Consent;

use super::score::{Given, Judged, Score};
use super::{Row, rows};
use crate::error::AccuracyError;

/// Methods that are not in a review and take seconds.
const PROBES: [&str; 5] = [
    "verify",
    "capacity",
    "retention",
    "idle-latency",
    "as-ssd-compression",
];

/// What is to be judged.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Rows whose target has one of these as its name, or contains it if it is no target's name; all by default.
    pub only: Vec<String>,
    /// How long the review takes.
    pub scale: Scale,
    /// Threads.
    pub jobs: usize,
    /// Seeds everything random.
    pub seed: u64,
}

/// One method on the target of a row.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    method: String,
    scale: Scale,
    set: Vec<String>,
}

/// Runs what the rows need, and judges them. `done` is called with the number of finished rows and the total.
///
/// # Errors
/// If no row is selected, the table is invalid, or a stop is requested.
pub fn judge(
    asked: &Asked,
    interrupt: &Interrupt,
    done: &(dyn Fn(usize, usize) + Sync),
) -> Result<Score, AccuracyError> {
    let mut rows = rows()?;
    choose(&mut rows, &asked.only)?;
    let work = |row: &Row| one(row, asked, interrupt);
    let judged = side_by_side(&rows, asked.jobs, work, done);
    LabError::not_interrupted(interrupt)?;
    let rows = judged.into_iter().collect::<Result<_, _>>()?;
    Ok(Score { rows })
}

/// Keeps the selected rows.
fn choose(rows: &mut Vec<Row>, only: &[String]) -> Result<(), AccuracyError> {
    if only.is_empty() {
        return Ok(());
    }
    let mut chosen = BTreeSet::new();
    for part in only {
        let is_a_name = rows.iter().any(|row| row.target == *part);
        let has = |row: &Row| match is_a_name {
            true => row.target == *part,
            false => row.target.contains(part.as_str()),
        };
        let each = rows.iter().filter(|row| has(row));
        let named: Vec<String> = each.map(|row| row.target.clone()).collect();
        if named.is_empty() {
            let why = format!("no target has '{part}' in its name");
            return Err(AccuracyError::Expected(why));
        }
        chosen.extend(named);
    }
    rows.retain(|row| chosen.contains(&row.target));
    Ok(())
}

fn one(row: &Row, asked: &Asked, interrupt: &Interrupt) -> Result<Judged, AccuracyError> {
    let (mut results, mut without) = (Vec::new(), Vec::new());
    for step in steps(row, asked)? {
        match run(row, &step, asked.seed, interrupt) {
            Ok(result) => results.extend(result),
            Err(error) => without.push(format!("{}: {error}", step.method)),
        }
    }
    let all: Vec<&RunResult> = results.iter().collect();
    let given: Vec<Given> = findings(&all)
        .iter()
        .map(|found| Given {
            id: found.of.id,
            severity: found.of.severity,
            says: found.says.clone(),
        })
        .collect();
    Ok(Judged::of(row, &given, without))
}

/// The runs on a target: a review, the probes, and the row's additional ones.
fn steps(row: &Row, asked: &Asked) -> Result<Vec<Step>, AccuracyError> {
    let nobody = Consent::default();
    let review = plans::review::plan(&row.target, &nobody, &[], &[], asked.scale, asked.seed)
        .map_err(|error| AccuracyError::Expected(format!("{}: {error}", row.target)))?;
    let mut steps: Vec<Step> = review
        .steps
        .into_iter()
        .map(|step| Step {
            method: step.method,
            scale: step.scale,
            set: step.set,
        })
        .collect();
    let plain = |method: &str, scale| Step {
        method: method.to_owned(),
        scale,
        set: Vec::new(),
    };
    steps.extend(PROBES.iter().map(|probe| plain(probe, Scale::Quick)));
    for method in &row.methods {
        let named = plain(method, Scale::Default);
        if !steps.contains(&named) {
            steps.push(named);
        }
    }
    Ok(steps)
}

/// Runs a step; nothing where the method means nothing on the target.
fn run(
    row: &Row,
    step: &Step,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<Option<RunResult>, LabError> {
    let request = Request {
        set: step.set.clone(),
        ..Request::new(&step.method, &row.target, step.scale, seed)
    };
    match prepare(request) {
        Err(
            LabError::MeansNothing { .. }
            | LabError::NotZoned { .. }
            | LabError::ZonesInOrder { .. },
        ) => Ok(None),
        prepared => match prepared?.run(None, &mut Silent, interrupt) {
            Err(LabError::Early { result, .. }) => Ok(Some(*result)),
            ran => Ok(Some(ran?)),
        },
    }
}
