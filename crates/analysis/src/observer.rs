//! Reservations: influences between a drive and its figures, reported before any verdict.
//!
//! A busy computer, a program that was stopped, a compressing file system, a cache in host memory, a slot slower than
//! the drive: each makes figures that are true of what was measured but not of the drive. A **reservation** reports
//! this and what to do. Some make figures worse than the drive: shortfalls are then not held against the drive
//! ([`is_worsened`]), and the verdict is provisional. Others make them better, or just different; those are reported.
//!
//! Each is looked for in one result, since a review takes an hour and a computer may be busy for a part of it. Modelled
//! drives have none: their time is not the computer's. Adding one is a file in `observer/` and a line in
//! `RESERVATIONS`; its words are `reservation-ID` and `reservation-ID-do` in the texts of the reports.

use base::surroundings::LayerKind;
use base::{Bytes, Figure, PhaseRecord};
use results::{Quantity, RunResult, Statement};

mod busy_host;
mod compressing_file_system;
mod degraded_array;
mod layer_beneath;
mod own_pauses;
mod slow_link;
mod virtual_disk;

/// All of them, in the order in which they are reported.
pub const RESERVATIONS: &[&Kind] = &[
    &busy_host::KIND,
    &own_pauses::KIND,
    &slow_link::KIND,
    &degraded_array::KIND,
    &virtual_disk::KIND,
    &compressing_file_system::KIND,
    &layer_beneath::KIND,
];

/// An influence between a drive and its figures.
#[derive(Debug)]
pub struct Kind {
    /// Its name in the texts and in documents: `busy-host`.
    pub id: &'static str,
    /// What it makes worse than the drive is.
    pub worsens: &'static [Figures],
    /// Whether it was so while a result was measured.
    pub holds: fn(&RunResult) -> bool,
    /// What was seen in the results for which it holds.
    pub says: fn(&[&RunResult]) -> Statement,
    /// What to do: the name of a sentence.
    pub does: &'static str,
}

/// A kind of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figures {
    /// Times of single accesses, and how often they are long.
    ResponseTimes,
    /// Bytes or accesses a second, of accesses so small that each is over in less than a late wake-up: no more than
    /// the inverse of a response time.
    SmallRates,
    /// Bytes or accesses a second, of large accesses.
    Rates,
}

/// The largest I/O size whose rate depends on latency: a disk takes half a millisecond for it, flash less.
const SMALL: Bytes = Bytes::kib(64);

impl Figures {
    /// The kind of a figure of a result; nothing for a count of errors or a ratio.
    pub fn of(figure: &Figure, result: &RunResult) -> Option<Figures> {
        match figure.unit.as_str() {
            "ns" | "us" | "ms" | "s" | "per min" => Some(Figures::ResponseTimes),
            "MB/s" | "MiB/s" | "IOPS" if is_of_small(figure, result) => Some(Figures::SmallRates),
            "MB/s" | "MiB/s" | "IOPS" => Some(Figures::Rates),
            _ => None,
        }
    }
}

/// Whether all that a figure is of are small accesses, or those of a trace or a script, where one waits for another.
fn is_of_small(figure: &Figure, result: &RunResult) -> bool {
    let own = |phase: &&PhaseRecord| figure.phases.contains(&phase.name);
    let mut phases = result.phases.iter().filter(own).peekable();
    let small = |phase: &PhaseRecord| {
        let waits = phase.script.is_some() || phase.traced.is_some();
        let mut accesses = phase.workload.jobs.iter().flat_map(|job| &job.accesses);
        waits || accesses.all(|access| access.size <= SMALL)
    };
    phases.peek().is_some() && phases.all(small)
}

/// What stood between a drive and some of its results.
#[derive(Debug)]
pub struct Reservation {
    pub of: &'static Kind,
    /// What was seen.
    pub says: Statement,
    /// What to do.
    pub does: Statement,
    /// In how many of the results.
    pub results: usize,
}

/// The reservations about these results of one drive.
pub fn reservations(results: &[&RunResult]) -> Vec<Reservation> {
    let of = |kind: &&'static Kind| {
        let held = results
            .iter()
            .copied()
            .filter(|result| (kind.holds)(result));
        let held: Vec<&RunResult> = held.collect();
        (!held.is_empty()).then(|| Reservation {
            of: kind,
            says: (kind.says)(&held),
            does: Statement::new(kind.does),
            results: held.len(),
        })
    };
    RESERVATIONS.iter().filter_map(of).collect()
}

/// Whether a result's figures of a kind may be worse than the drive is.
pub fn is_worsened(figures: Figures, result: &RunResult) -> bool {
    RESERVATIONS
        .iter()
        .any(|kind| kind.worsens.contains(&figures) && (kind.holds)(result))
}

/// Whether there is a layer of one of these kinds below a result's target.
pub(crate) fn has_layer(result: &RunResult, kinds: &[LayerKind]) -> bool {
    let mut layers = result.target.beneath.iter();
    layers.any(|layer| kinds.contains(&layer.kind))
}

/// A sentence with the names of those layers, each once.
fn naming_layers(key: &'static str, results: &[&RunResult], kinds: &[LayerKind]) -> Statement {
    let all = results.iter().flat_map(|result| &result.target.beneath);
    let of_kinds = all.filter(|layer| kinds.contains(&layer.kind));
    let mut names: Vec<&str> = of_kinds.map(|layer| layer.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    Statement::new(key).with("layers", Quantity::name(names.join(", ")))
}

#[cfg(test)]
mod tests;
