//! Runs: a request from Python's arguments, its forecast, and the run itself.

use std::path::PathBuf;

use base::bench::Stopped;
use base::exit::Exit;
use base::method::Scale;
use lab::running::{Prepared, Request, prepare};
use plans::sweep::SweepRequest;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use stats::repeat::Repeat;
use targets::Consent;

use crate::documents::json;
use crate::errors::{Failure, raise};
use crate::run_result::RunResult;
use crate::worker::{Ended, with_signals};

/// What Python asks for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    method: String,
    target: String,
    scale: String,
    seed: u64,
    repeat: String,
    set: Vec<String>,
    destroy_data: bool,
    confirm: Option<String>,
    command: Vec<String>,
}

/// A scale by its name.
pub(crate) fn scale_named(name: &str) -> Result<Scale, Failure> {
    let found = Scale::ALL.into_iter().find(|scale| scale.name() == name);
    found.ok_or_else(|| {
        let all = Scale::ALL.map(Scale::name).join(", ");
        Failure::invalid(format!("'{name}' is not a scale: they are {all}"))
    })
}

/// Now, in milliseconds of the Unix epoch.
#[allow(
    clippy::disallowed_methods,
    reason = "an edge of the program, as the command line is: from here time is passed in"
)]
pub(crate) fn now_unix_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

impl Asked {
    fn prepared(self) -> Result<Prepared<'static>, Failure> {
        let request = Request {
            scale: scale_named(&self.scale)?,
            repeat: self.repeat.parse::<Repeat>().map_err(Failure::invalid)?,
            method: self.method,
            target: self.target,
            seed: self.seed,
            set: self.set,
            consent: Consent {
                destroy_data: self.destroy_data,
                confirm: self.confirm,
            },
            command: self.command,
            now_unix_ms,
        };
        Ok(prepare(request)?)
    }
}

/// Where it would overwrite the user's data, what would be lost, and the reasons against it.
fn refused(prepared: &Prepared<'_>) -> Result<(), Failure> {
    prepared.would_run().map_err(|error| {
        let mut reasons = error.reasons();
        let lost = prepared.resolved.would_be_lost();
        reasons.extend(lost.iter().map(|what| format!("would be lost: {what}")));
        Failure::from(error).because(reasons)
    })
}

/// What a run would take, as JSON.
#[derive(serde::Serialize)]
struct Forecast {
    /// At most, idle time included; virtual time on a modelled drive.
    seconds: f64,
    /// Where that is an estimate: the rate assumed, in MB/s.
    assumed_mb_s: Option<f64>,
    /// About how long a processor takes to simulate it; only of a modelled drive.
    processor_seconds: Option<f64>,
    bytes_read: u64,
    bytes_written: u64,
    /// First byte and length of every range that is written.
    written: Vec<(u64, u64)>,
    /// The same in words, as a dry run of the command line prints it.
    lines: Vec<String>,
    /// Why the run would be refused.
    refused: Option<String>,
}

/// What a run would take.
#[pyfunction]
pub(crate) fn forecast(py: Python<'_>, asked: Asked) -> PyResult<String> {
    let prepared = raise(py, asked.prepared())?;
    let how_long = prepared.how_long();
    let in_file = prepared.in_test_file();
    let of = in_file.as_ref().map_or(&prepared.forecast, |(_, of)| of);
    let is_a_model = prepared.resolved.is_a_model();
    let lines = prepared.dry_run();
    let forecast = Forecast {
        seconds: how_long.seconds,
        assumed_mb_s: how_long.assumed_mb_s,
        processor_seconds: is_a_model.then_some(how_long.simulated_seconds),
        bytes_read: how_long.read.get(),
        bytes_written: how_long.written.get(),
        written: of
            .written
            .iter()
            .map(|span| (span.start.get(), span.len.get()))
            .collect(),
        lines: lines
            .iter()
            .map(|line| report::message(line, report::Lang::En))
            .collect(),
        refused: prepared.would_run().err().map(|error| error.to_string()),
    };
    raise(py, json(&forecast))
}

/// Runs a method, and stores its result where a store is given.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    asked: Asked,
    store: Option<PathBuf>,
    callback: Option<Py<PyAny>>,
) -> PyResult<RunResult> {
    let ended = with_signals(py, callback.as_ref(), move |mut teller, interrupt| {
        let destroys = asked.destroy_data;
        let prepared = asked.prepared()?;
        if destroys && prepared.resolved.is_the_users_own() {
            refused(&prepared)?;
        }
        let store = store.map(|path| lab::open_store(&path)).transpose()?;
        let ran = prepared.run(store.as_ref(), &mut teller, interrupt);
        let rested = store.as_ref().map_or(Ok(()), lab::rest);
        Ok(ran.and_then(|result| rested.map(|()| result))?)
    });
    outcome(py, ended)
}

/// The result, or what Python raises instead.
fn outcome(
    py: Python<'_>,
    ended: Ended<Result<results::RunResult, Failure>>,
) -> PyResult<RunResult> {
    let Some(by) = ended.stopped_by else {
        return Ok(RunResult::new(raise(py, ended.outcome)?));
    };
    let failure = match ended.outcome {
        // It came to its end before it could be stopped.
        Ok(result) => interrupted().with(Some(result)),
        Err(failure) => failure,
    };
    Err(stop(py, by, failure))
}

/// That Ctrl-C has ended it.
pub(crate) fn interrupted() -> Failure {
    Failure::new(Exit::Interrupted, Stopped::Interrupted)
}

/// What a sweep is asked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct AskedSweep {
    method: String,
    target: String,
    vary: Vec<String>,
    figures: Vec<String>,
    set: Vec<String>,
    scale: String,
    seed: u64,
    jobs: Option<usize>,
}

/// Runs a method over a grid; gives the outcome on `drivelab.sweep/1`.
#[pyfunction]
pub(crate) fn sweep(
    py: Python<'_>,
    asked: AskedSweep,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let request = SweepRequest {
        scale: raise(py, scale_named(&asked.scale))?,
        method: asked.method,
        target: asked.target,
        vary: asked.vary,
        figures: asked.figures,
        set: asked.set,
        seed: asked.seed,
        jobs: asked.jobs.unwrap_or_else(processors).max(1),
    };
    let ended = with_signals(py, callback.as_ref(), |teller, interrupt| {
        let told = |done: usize, of: usize| teller.parts(done, of);
        plans::sweep::sweep(&request, interrupt, &told)
    });
    let swept = match (ended.outcome, ended.stopped_by) {
        (_, Some(by)) => return Err(stop(py, by, interrupted())),
        (outcome, None) => raise(py, outcome)?,
    };
    raise(py, json(&swept))
}

/// What is raised after an exception of Python's has stopped the work: of Ctrl-C, an interrupt with what was measured.
pub(crate) fn stop(py: Python<'_>, by: PyErr, failure: Failure) -> PyErr {
    if by.is_instance_of::<PyKeyboardInterrupt>(py) {
        failure.of_an_interrupt().raised(py)
    } else {
        by
    }
}
