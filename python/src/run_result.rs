//! A result, as Python holds it: its document as JSON, its tables, its pictures, its page.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use report::terminal::TerminalOptions;
use report::{HtmlOptions, Lang};

use crate::documents::json;
use crate::errors::{Failure, raise};
use crate::frame::Frame;
use crate::tables;

/// One method on one target, once.
#[pyclass(frozen, module = "drivelab._drivelab")]
pub(crate) struct RunResult {
    pub(crate) result: Arc<results::RunResult>,
}

impl RunResult {
    /// Takes a result over.
    pub(crate) fn new(result: results::RunResult) -> RunResult {
        RunResult {
            result: Arc::new(result),
        }
    }

    fn alone(&self) -> &[results::RunResult] {
        std::slice::from_ref(&self.result)
    }
}

/// Clones of several results, for what takes them side by side.
pub(crate) fn together(of: &[PyRef<'_, RunResult>]) -> Vec<results::RunResult> {
    of.iter().map(|one| (*one.result).clone()).collect()
}

#[pymethods]
impl RunResult {
    /// The whole document, on `drivelab.result/2`.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        raise(py, report::json::result(&self.result))
    }

    /// The document without its phases, which are long.
    fn head(&self, py: Python<'_>) -> PyResult<String> {
        let mut head = (*self.result).clone();
        head.phases = Vec::new();
        head.charts = Vec::new();
        raise(py, report::json::result(&head))
    }

    /// The summary of the command line, in this many columns.
    fn summary(&self, columns: usize) -> String {
        let options = TerminalOptions {
            columns,
            ..TerminalOptions::default()
        };
        report::terminal::summary(self.alone(), &options)
    }

    /// The verdict table as a fragment of HTML.
    fn table_html(&self) -> String {
        report::main_table::fragment(self.alone(), Lang::En)
    }

    /// The pictures of the report: names and SVG.
    fn pictures(&self) -> Vec<(String, String)> {
        let files = report::pictures(self.alone(), &HtmlOptions::default());
        files
            .into_iter()
            .map(|file| (file.path, file.content))
            .collect()
    }

    /// Raises what the command line would exit with: nothing was measured, or the drive is failing.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(line) = lab::running::nothing_measured(&self.result) {
            return Err(Failure::failed(line).raised(py));
        }
        match report::findings::failing(self.alone(), Lang::En) {
            failing if failing.is_empty() => Ok(()),
            failing => {
                let line = failing.join("\n");
                let rejected = Failure::new(base::exit::Exit::Rejected, line).because(failing);
                Err(rejected.raised(py))
            }
        }
    }

    /// Holds requirements against it, as `drivelab gate` does; gives the outcome on `drivelab.gate/1`.
    fn require(&self, py: Python<'_>, asked: Vec<String>) -> PyResult<String> {
        let requirements = raise(py, plans::gating::requirements(&asked))?;
        let gate = analysis::gate::gate(&self.result.target.name, &requirements, self.alone());
        let gate = raise(py, gate.map_err(plans::error::PlanError::from))?;
        if let Err(open) = analysis::gate::is_met(&gate, requirements.len()) {
            let options = (100, Lang::En);
            let text = report::gate::text(&gate, options.0, options.1);
            let reasons = text.lines().map(str::to_owned).collect();
            return Err(Failure::new(open.exit(), open).because(reasons).raised(py));
        }
        raise(py, json(&gate))
    }

    /// A table by its name.
    fn table(&self, name: &str) -> PyResult<Frame> {
        tables::table(name, &self.result)
    }
}

/// Writes the report of results; never over a file that is not one of ours.
#[pyfunction]
pub(crate) fn write_report(
    py: Python<'_>,
    of: Vec<PyRef<'_, RunResult>>,
    path: PathBuf,
    title: Option<String>,
    japanese: bool,
) -> PyResult<()> {
    let lang = if japanese { Lang::Ja } else { Lang::En };
    let page = report::html(&together(&of), &HtmlOptions { lang, title });
    let written = lab::check_report_place(&path).and_then(|()| lab::replace_report(&path, &page));
    raise(py, written)
}
