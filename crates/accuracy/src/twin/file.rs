//! The file of a twin: a head with the kind, and the values that were fitted, each with its range, its interval and the
//! results that it was fitted to. What the data could not tell is listed as comments.

use std::fmt::Write as _;

use results::twin::{Twin, TwinParameter};
use toml_edit::DocumentMut;

use super::candidate::Candidate;
use crate::error::AccuracyError;
use crate::fit::family::{FittedTo, put};

/// The text of a twin's file.
///
/// # Errors
/// Where a value belongs to no section.
pub(super) fn text(twin: &Twin, candidate: &Candidate) -> Result<String, AccuracyError> {
    let wrong = |what: String| AccuracyError::Calibrate(what);
    let mut document: DocumentMut = candidate.head.parse().map_err(|e| wrong(format!("{e}")))?;
    let facts: Vec<String> = twin
        .results
        .iter()
        .map(|id| format!("result-{id}"))
        .collect();
    for parameter in &twin.parameters {
        let to = FittedTo {
            by: "twin",
            facts: &facts,
            why: &why(parameter),
        };
        put(
            &mut document,
            &parameter.key,
            (parameter.value, parameter.whole),
            parameter.within,
            &to,
        )
        .ok_or_else(|| wrong(format!("{} is no section of values", parameter.key)))?;
    }
    let mut text = heading(twin);
    text.push_str(&document.to_string());
    if !twin.untold.is_empty() {
        text.push_str("\n# What the results cannot tell stays as the kind has it:\n");
    }
    for untold in &twin.untold {
        let [low, high] = untold.within;
        // A string takes what is written to it.
        let _ = writeln!(
            text,
            "# {} = {} ({low} to {high}): {}",
            untold.key, untold.value, untold.why
        );
    }
    Ok(text)
}

fn why(parameter: &TwinParameter) -> String {
    let [low, high] = parameter.interval;
    format!(
        "as measured: 95 % interval {} to {}; its kind has {}",
        results::twin::four(low),
        results::twin::four(high),
        parameter.of_kind
    )
}

fn heading(twin: &Twin) -> String {
    let percent =
        |error: Option<f64>| error.map_or("not measured".to_owned(), |e| format!("{e:.1} %"));
    let ids: Vec<String> = twin.results.iter().map(i64::to_string).collect();
    format!(
        "# {}: a twin, made by `drivelab twin {}` on the host {}.\n\
         # Off on workloads that were held back from the fit: rates {}, medians {}, p99 {} (medians of figures).\n\n",
        twin.title.replace(char::is_control, " "),
        ids.join(" "),
        twin.host,
        percent(twin.held_back.rates_percent),
        percent(twin.held_back.medians_percent),
        percent(twin.held_back.p99_percent),
    )
}
