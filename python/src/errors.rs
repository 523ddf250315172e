//! Errors, as one exception class for each exit code of the command line.
//!
//! The classes are Python's own (`drivelab._errors`), so that they can carry what was measured before an interrupt. Each
//! error type of the crates below states its exit code itself; nothing is decided here.

use base::exit::Exit;
use lab::LabError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::run_result::RunResult;

/// What an exception is made of.
pub(crate) struct Failure {
    /// Chooses the class.
    exit: Exit,
    /// What happened, where, what to do.
    line: String,
    /// The reasons, one each, where a drive is refused.
    reasons: Vec<String>,
    /// What was measured all the same.
    measured: Option<Box<results::RunResult>>,
}

impl Failure {
    /// A failure without a result.
    pub(crate) fn new(exit: Exit, line: impl ToString) -> Failure {
        Failure {
            exit,
            line: line.to_string(),
            reasons: Vec::new(),
            measured: None,
        }
    }

    /// Asked for something that cannot be.
    pub(crate) fn invalid(line: impl ToString) -> Failure {
        Failure::new(Exit::Invalid, line)
    }

    /// It failed.
    pub(crate) fn failed(line: impl ToString) -> Failure {
        Failure::new(Exit::Failed, line)
    }

    /// The same with the reasons one by one.
    pub(crate) fn because(mut self, reasons: Vec<String>) -> Failure {
        self.reasons = reasons;
        self
    }

    /// The same with what was measured.
    pub(crate) fn with(mut self, result: Option<results::RunResult>) -> Failure {
        self.measured = result.map(Box::new);
        self
    }

    /// The same as an interrupt, whatever it was that the work ended with after one.
    pub(crate) fn of_an_interrupt(mut self) -> Failure {
        self.exit = Exit::Interrupted;
        self
    }

    /// The exception.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        self.made(py).unwrap_or_else(|error| error)
    }

    fn made(self, py: Python<'_>) -> PyResult<PyErr> {
        let name = match self.exit {
            Exit::Failed => "Failed",
            Exit::Invalid => "Invalid",
            Exit::Rejected => "Rejected",
            Exit::Suspect => "Suspect",
            Exit::Interrupted => "Interrupted",
        };
        let class = py.import("drivelab._errors")?.getattr(name)?;
        let with = PyDict::new(py);
        with.set_item("reasons", self.reasons)?;
        let measured = self.measured.map(|result| RunResult::new(*result));
        with.set_item("measured", measured)?;
        Ok(PyErr::from_value(class.call((self.line,), Some(&with))?))
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Failure {
        let reasons = error.reasons();
        let (exit, line) = (error.exit(), error.to_string());
        Failure::new(exit, line)
            .because(reasons)
            .with(error.into_measured())
    }
}

impl From<targets::TargetError> for Failure {
    fn from(error: targets::TargetError) -> Failure {
        LabError::from(error).into()
    }
}

impl From<plans::error::PlanError> for Failure {
    fn from(error: plans::error::PlanError) -> Failure {
        Failure::new(error.exit(), error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::failed(error)
    }
}

/// Raises what failed.
pub(crate) fn raise<T, E: Into<Failure>>(py: Python<'_>, tried: Result<T, E>) -> PyResult<T> {
    tried.map_err(|error| error.into().raised(py))
}

/// An error of Python's side of the package: a table that cannot be made.
pub(crate) fn internal(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
