//! Results side by side, as `drivelab compare` sets them, with the reasons where there is no ratio.

use pyo3::prelude::*;
use report::terminal::TerminalOptions;

use crate::documents::json;
use crate::errors::{Failure, raise};
use crate::run_result::{RunResult, together};

/// The comparison on `drivelab.comparison/1`, as text in this many columns, and why nothing can be compared.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    of: Vec<PyRef<'_, RunResult>>,
    columns: usize,
) -> PyResult<(String, String, Option<String>)> {
    let results = together(&of);
    let comparison = analysis::compare::compare(&results);
    let refusal = analysis::compare::refusal(&comparison);
    if let (true, Some(why)) = (results.len() < 2, &refusal) {
        return Err(Failure::invalid(why).raised(py));
    }
    let options = TerminalOptions {
        columns,
        ..TerminalOptions::default()
    };
    let text = report::compare::text(&results, &options);
    Ok((raise(py, json(&comparison))?, text, refusal))
}
