//! A twin of one drive: a drive's file made from what was measured on it.
//!
//! A result keeps the workload of each of its phases, so a phase can be run again on a model (`replay`). The kind is
//! the one that the capacity, the link and the figures admit and that comes nearest after a coarse fit (`kinds`), as it is or
//! in a way that its drives may differ in (`variants`); dies,
//! channels and heads follow from the capacity as for any drive of the kind, unless `explain` found them (`structure`).
//! Every value that the kind leaves open is moved through its range once, to see which figures follow from it (`told`): a
//! figure is given to the value that moves it most, and a value is searched by the figures that are its own (the size of a
//! cache of one bit a cell before all, by where a fill fell: `cache`), by the same search as a fit to published figures
//! ([`crate::fit`]). A value that no figure follows from, or whose interval is as wide as its range, stays as the kind has
//! it and is listed.
//!
//! Every third workload is held back: no search sees its figures, which is a matter of types (`measured::ToFit`). How far
//! the twin is off on them is what it is worth.

use base::interrupt::Interrupt;
use lab::LabError;
use results::RunResult;
use results::twin::{TWIN_SCHEMA, Twin, TwinError, TwinFigure, TwinParameter, TwinUntold};
use sim::catalogue::ModelOptions;

use crate::error::AccuracyError;

mod at_length;
mod cache;
mod candidate;
mod contradiction;
mod file;
mod fitting;
mod interval;
mod kinds;
pub mod measured;
mod replay;
pub mod structure;
mod told;
mod variants;

use candidate::Candidate;
use fitting::Found;
use measured::{Measured, Statistic};
use replay::Bench;

/// What a twin is made from, beside the results.
#[derive(Clone, Debug, Default)]
pub struct MakeTwin {
    /// The drive's name for people; what it calls itself where nothing is given.
    pub title: Option<String>,
    /// Its kind; the one that comes nearest where nothing is given.
    pub kind: Option<String>,
    /// The modelled host that stands for the computer of the measurement.
    pub host: Option<String>,
    /// Threads.
    pub jobs: usize,
    /// Draws what is random in the twin.
    pub seed: u64,
}

/// A twin, and the text of its file.
#[derive(Clone, Debug)]
pub struct Made {
    /// How it was made, and how near it is.
    pub twin: Twin,
    /// Its file.
    pub text: String,
}

/// Makes the twin of the drive that gave these results. Nothing is written. `done` is called with what is being done.
///
/// # Errors
/// If the results are of several drives or contradict each other, if nothing of them can be run again, no kind of drives
/// fits, or a stop is requested.
pub fn twin_of(
    results: &[RunResult],
    asked: &MakeTwin,
    interrupt: &Interrupt,
    done: &(dyn Fn(&str) + Sync),
) -> Result<Made, AccuracyError> {
    contradiction::refuse(results)?;
    make(&Measured::of(results)?, asked, interrupt, done)
}

/// Makes the twin of a drive from its measured workloads.
///
/// # Errors
/// As [`twin_of`].
pub fn make(
    measured: &Measured,
    asked: &MakeTwin,
    interrupt: &Interrupt,
    done: &(dyn Fn(&str) + Sync),
) -> Result<Made, AccuracyError> {
    let folder = tempfile::tempdir().map_err(|source| LabError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let bench = |drive: &Candidate| Bench::new(measured, drive, asked, interrupt);
    let stopped = |error: AccuracyError| match LabError::not_interrupted(interrupt) {
        Err(stopped) => stopped.into(),
        Ok(()) => error,
    };
    let candidate = kinds::nearest(measured, asked, folder.path(), &bench, done);
    let (mut candidate, mut known) = candidate.map_err(stopped)?;
    done(&candidate.kind);
    let options = ModelOptions {
        host: Some(known.host().to_owned()),
        seed: asked.seed,
        ..ModelOptions::default()
    };
    let cache = cache::sized(&mut candidate, measured, &options, interrupt)?;
    if cache.is_some() {
        known = bench(&candidate);
    }
    let bench = known;
    let mut found = fitting::fitted(&bench, &candidate, measured).map_err(stopped)?;
    found.fitted.extend(cache);
    LabError::not_interrupted(interrupt)?;
    let simulated = at_length::at_length(measured, &bench, &mut found).map_err(stopped)?;
    LabError::not_interrupted(interrupt)?;
    let twin = document(measured, &candidate, &bench, found, &simulated);
    let text = file::text(&twin, &candidate)?;
    Ok(Made { twin, text })
}

/// Everything that is said of the twin.
fn document(
    measured: &Measured,
    candidate: &Candidate,
    bench: &Bench<'_>,
    found: Found,
    simulated: &[f64],
) -> Twin {
    let figures: Vec<TwinFigure> = (measured.figures.iter().zip(simulated))
        .map(|(figure, simulated)| TwinFigure {
            result: measured.workloads[figure.workload].result,
            workload: measured.workloads[figure.workload].label.clone(),
            op: figure.op,
            statistic: figure.what.name().to_owned(),
            unit: figure.what.unit().to_owned(),
            held_back: measured.workloads[figure.workload].held_back,
            measured: figure.measured,
            simulated: *simulated,
            error: simulated / figure.measured - 1.0,
        })
        .collect();
    let off = |held_back: bool| TwinError {
        rates_percent: median_off(&figures, held_back, Statistic::Rate),
        medians_percent: median_off(&figures, held_back, Statistic::Median),
        p99_percent: median_off(&figures, held_back, Statistic::P99),
    };
    let fitted = found.fitted.iter().map(|fitted| TwinParameter {
        key: fitted.open.key.clone(),
        value: fitted.value,
        interval: fitted.interval,
        within: fitted.open.within,
        of_kind: fitted.open.value,
        whole: fitted.open.whole,
    });
    let untold = found.untold.iter().map(|untold| TwinUntold {
        key: untold.open.key.clone(),
        value: untold.open.value,
        within: untold.open.within,
        why: untold.why.to_owned(),
    });
    Twin {
        schema: TWIN_SCHEMA,
        title: candidate.title.clone(),
        kind: candidate.kind.clone(),
        capacity_bytes: measured.capacity.get(),
        interface: candidate.interface.to_string(),
        host: bench.host().to_owned(),
        results: measured.results(),
        parameters: fitted.collect(),
        untold: untold.collect(),
        structure: candidate.structure.clone(),
        fit: off(false),
        held_back: off(true),
        figures,
        left_out: measured.left_out.clone(),
        runs: bench.runs(),
    }
}

/// The median error of a statistic, in per cent; nothing where there is no such figure.
fn median_off(figures: &[TwinFigure], held_back: bool, what: Statistic) -> Option<f64> {
    let of =
        |figure: &&TwinFigure| figure.held_back == held_back && figure.statistic == what.name();
    let mut off: Vec<f64> = (figures.iter().filter(of))
        .map(|figure| 100.0 * figure.error.abs())
        .collect();
    off.sort_by(f64::total_cmp);
    let (low, high) = (off.len().checked_sub(1)? / 2, off.len() / 2);
    Some(f64::midpoint(off[low], off[high]))
}

#[cfg(test)]
mod tests;
