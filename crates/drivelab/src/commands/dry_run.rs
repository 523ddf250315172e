//! `--dry-run`: what a command would take and write, in lines for people or as a document.
//!
//! Both are the same: what would be refused is said and ends the command with its code, after everything else.

use base::message::Message;
use results::forecast::{DryRun, FORECAST_SCHEMA};
use results::plan::PlanForecast;

use crate::output::{Failure, language, print_json, print_lines};

/// Prints a forecast, and then fails where the run would be refused.
pub(crate) fn show(
    json: bool,
    forecast: PlanForecast,
    lines: &[Message],
    would_run: Result<(), Failure>,
) -> Result<(), Failure> {
    if !json {
        print_lines(lines)?;
        return would_run;
    }
    let said = lines.iter().map(|line| report::message(line, language()));
    print_json(&DryRun {
        schema: FORECAST_SCHEMA,
        forecast,
        lines: said.collect(),
        refused: would_run.as_ref().err().map(|why| why.line().to_owned()),
    })?;
    would_run
}
