//! Points: runs on modelled drives as lines, made on any machine, and collected in one store.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lab::point::Point;
use pyo3::prelude::*;

use crate::errors::{Failure, raise};
use crate::running::{interrupted, now_unix_ms, scale_named, stop};
use crate::worker::with_signals;

/// The line of a point. Its words are checked by [`check_points`].
#[pyfunction]
pub(crate) fn point_line(
    py: Python<'_>,
    method: &str,
    target: &str,
    scale: &str,
    seed: u64,
    set: Vec<String>,
) -> PyResult<String> {
    let scale = raise(py, scale_named(scale))?;
    Ok(Point::new(method, target, scale, seed, set).line())
}

/// Checks the words of all points; where `elsewhere`, also that none names a file.
#[pyfunction]
pub(crate) fn check_points(py: Python<'_>, lines: Vec<String>, elsewhere: bool) -> PyResult<()> {
    let check = |line: &String| -> Result<(), Failure> {
        let point = Point::read(line)?;
        point.check()?;
        if elsewhere {
            point.check_it_names_no_file()?;
        }
        Ok(())
    };
    let checked = py.detach(|| lines.iter().try_for_each(check));
    raise(py, checked)
}

/// Makes a point; gives the document of its result, the same bytes wherever it is made. `callback` is asked about ten
/// times a second whether to go on: it raises where not.
#[pyfunction]
pub(crate) fn make_point(
    py: Python<'_>,
    line: &str,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let point = raise(py, Point::read(line))?;
    let ended = with_signals(py, callback.as_ref(), |mut teller, interrupt| {
        let result = point.run(&mut teller, interrupt)?;
        report::json::result(&result).map_err(Failure::failed)
    });
    match ended.stopped_by {
        Some(by) => Err(stop(py, by, interrupted())),
        None => raise(py, ended.outcome),
    }
}

/// The points that a store has: the run's number by the line. One whose storing was cut off (a full disk, a kill) is
/// deleted: it has nothing, and is made again.
#[pyfunction]
pub(crate) fn stored_points(py: Python<'_>, store: PathBuf) -> PyResult<BTreeMap<String, i64>> {
    let stored = || -> Result<BTreeMap<String, i64>, Failure> {
        let store = lab::open_store_to_read(&store)?;
        lab::point::delete_cut_off(&store)?;
        let points = lab::point::stored_points(&store)?.into_iter();
        Ok(points.map(|(line, run)| (line, run.0)).collect())
    };
    raise(py, stored())
}

/// Stores results of points, each its line and its document; gives their numbers.
#[pyfunction]
pub(crate) fn store_points(
    py: Python<'_>,
    store: PathBuf,
    made: Vec<(String, String)>,
) -> PyResult<Vec<i64>> {
    let stored = || -> Result<Vec<i64>, Failure> {
        let store = lab::open_store(&store)?;
        let keep = |(line, document): &(String, String)| -> Result<i64, Failure> {
            let mut result = serde_json::from_str::<results::RunResult>(document)
                .map_err(|why| Failure::invalid(format!("no result: {why}")))?;
            result.restore_messages();
            let point = Point::read(line)?;
            Ok(lab::point::store_point(&store, &point, result, now_unix_ms())?.id)
        };
        let numbers = made.iter().map(keep).collect::<Result<_, _>>();
        lab::rest(&store)?;
        numbers
    };
    raise(py, py.detach(stored))
}
