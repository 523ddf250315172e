//! `drivelab gate`: requirements held against a drive's figures, for scripts and continuous integration.

use ::results::RunResult;
use analysis::gate::Requirement;
use base::Bytes;
use plans::error::PlanError;
use plans::gating::{self, Gating};
use plans::prepared::prepare;

use crate::arguments::GateArguments;
use crate::commands::{Session, are_sound, can_report, consent, plan, results, stored_as, write};
use crate::output::{Failure, announce, print, print_json, tell, text_columns};

/// More than anybody writes.
const LONGEST_FILE: Bytes = Bytes::mib(1);

/// Measures what the requirements name, and holds them against it.
pub(crate) fn gate(session: &Session, arguments: GateArguments) -> Result<(), Failure> {
    let asked = asked(&arguments)?;
    let requirements = gating::requirements(&asked)?;
    can_report(arguments.junit.as_deref())?;
    let results = match &arguments.target {
        None => results::stored(session, &arguments.stored)?,
        Some(target) => match measure(session, &arguments, target, &requirements)? {
            Some(results) => results,
            None => return Ok(()),
        },
    };
    let target = results.first().map_or("", |result| &result.target.name);
    if results.iter().any(|result| result.target.name != target) {
        return Err(Failure::Usage(
            "the results are of several targets: a gate is of one".to_owned(),
        ));
    }
    let gate = analysis::gate::gate(target, &requirements, &results).map_err(PlanError::from)?;
    if let Some(path) = &arguments.junit {
        write(path, &report::junit::of_gate(&gate, session.lang))?;
    }
    match arguments.json {
        true => print_json(&gate)?,
        false => print(&report::gate::text(&gate, text_columns(), session.lang))?,
    }
    are_sound(session, &results)?;
    analysis::gate::is_met(&gate, requirements.len())
        .map_err(|open| Failure::of_the_drive(open.exit(), open.to_string()))
}

/// The requirements of the command line, and those of the file.
fn asked(arguments: &GateArguments) -> Result<Vec<String>, Failure> {
    let mut asked = arguments.require.clone();
    if let Some(path) = &arguments.requirements {
        let text = base::whole_file::text(path, LONGEST_FILE)
            .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().trim());
        asked.extend(lines.filter(|line| !line.is_empty()).map(str::to_owned));
    }
    Ok(asked)
}

/// Runs the methods as a plan; nothing of a dry run.
fn measure(
    session: &Session,
    arguments: &GateArguments,
    target: &str,
    requirements: &[Requirement],
) -> Result<Option<Vec<RunResult>>, Failure> {
    let how = Gating {
        scale: arguments.scale.into(),
        seed: arguments.seed,
        repeat: arguments.repeat.unwrap_or_default(),
    };
    let context = session.context(vec![consent(&arguments.consent, target)?]);
    let prepared = prepare(gating::plan(requirements, target, how)?, context, None)?;
    if arguments.consent.dry_run {
        plan::show_forecast(prepared, arguments.json)?;
        return Ok(None);
    }
    let store = session.open_store()?;
    announce(&plans::forecast::before_it_starts(&prepared.forecast));
    let outcome = plan::begin(session, &store, prepared)?;
    tell(&stored_as(format_args!("plan-{}", outcome.id)));
    plan::has_all_results(&outcome)?;
    Ok(Some(outcome.results))
}
