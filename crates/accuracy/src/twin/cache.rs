//! The size of a cache of one bit a cell, straight from a fill.
//!
//! Where the rate of `slc-fill` fell, the cache was full. A fill is too long for a search among others, and no other
//! workload that is cut reaches the end of a cache. So it has a search of its own, before that: the candidate is filled
//! from the same state, not much further than the drive's rate fell, until its own falls at the same place. The dynamic
//! share is moved first, and the fixed size where no share brings it there. The place is found by the rule of the method.

use base::interrupt::Interrupt;
use base::record::PhaseRecord;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::workload::Workload;
use sim::catalogue::free::{OpenValue, open_values};
use sim::catalogue::{ModelOptions, open};
use sim::virtual_time::Virtual;
use toml_edit::DocumentMut;

use super::candidate::{Candidate, write};
use super::fitting::FittedValue;
use super::measured::{Fill, Measured};
use crate::error::AccuracyError;
use crate::fit::family::{FittedTo, put};

/// What decides over the size, in the order in which it is moved.
const KEYS: [&str; 2] = ["ssd.slc.dynamic_share", "ssd.slc.size_gb"];
/// A size is met within this share: what the place of a fall is known to.
const MET: f64 = 0.01;
/// Trials of a value between its ends, at most: halving a range comes to 1 in 256 of it.
const TRIALS: usize = 8;
/// A fill goes on for so much of the size, and a level's length, beyond it: what falls later is larger.
const BEYOND: f64 = 0.25;

/// Sets the candidate's cache to the size that a fill of the drive showed, in its file; what was set. `options` name the
/// host and the seed.
///
/// # Errors
/// Where the candidate's file cannot be written.
pub(super) fn sized(
    candidate: &mut Candidate,
    measured: &Measured,
    options: &ModelOptions,
    interrupt: &Interrupt,
) -> Result<Option<FittedValue>, AccuracyError> {
    let Some(fill) = &measured.fill else {
        return Ok(None);
    };
    let open = open_values(&candidate.path)?;
    for key in KEYS {
        let Some(value) = open.iter().find(|value| value.key == key) else {
            continue;
        };
        let mut off = |x: f64| {
            if interrupt.wanted() {
                return 0.0;
            }
            let options = ModelOptions {
                state: fill.state,
                overrides: vec![(key.to_owned(), x.to_string())],
                ..options.clone()
            };
            // Nothing fell as far as it was filled: the cache is larger than the drive's.
            let size = falls_at(&options, candidate, fill, measured.capacity);
            size.map_or(1.0, |size| size / fill.cache.get() as f64 - 1.0)
        };
        let Some(found) = met(value.within, &mut off) else {
            continue;
        };
        let fitted = FittedValue {
            interval: around(value, found),
            open: value.clone(),
            value: found,
        };
        set(candidate, &fitted, fill.result)?;
        return Ok(Some(fitted));
    }
    Ok(None)
}

/// The value at which the size is met, by halving: a size grows with either value.
fn met([mut low, mut high]: [f64; 2], off: &mut dyn FnMut(f64) -> f64) -> Option<f64> {
    if off(low) > MET || off(high) < -MET {
        return None;
    }
    for _ in 0..TRIALS {
        let x = f64::midpoint(low, high);
        let now = off(x);
        if now.abs() <= MET {
            return Some(x);
        }
        match now > 0.0 {
            true => high = x,
            false => low = x,
        }
    }
    Some(f64::midpoint(low, high))
}

/// What is known of a value by a size within [`MET`], where all of it follows from the value.
fn around(value: &OpenValue, found: f64) -> [f64; 2] {
    let [low, high] = value.within;
    let half = 2.0 * MET * found.max(MET * (high - low));
    [(found - half).max(low), (found + half).min(high)]
}

fn set(candidate: &mut Candidate, fitted: &FittedValue, result: i64) -> Result<(), AccuracyError> {
    let wrong = |why: String| AccuracyError::Calibrate(why);
    let mut document: DocumentMut = candidate.head.parse().map_err(|e| wrong(format!("{e}")))?;
    let to = FittedTo {
        by: "twin",
        facts: &[format!("result-{result}")],
        why: "a fill of the drive fell where the cache ends",
    };
    let open = &fitted.open;
    put(
        &mut document,
        &open.key,
        (fitted.value, open.whole),
        open.within,
        &to,
    )
    .ok_or_else(|| wrong(format!("{} is no section of values", open.key)))?;
    candidate.head = document.to_string();
    write(&candidate.path, &candidate.head)
}

/// Where the rate of the same fill falls on the candidate, in bytes; nothing where it does not as far as it is filled.
fn falls_at(
    options: &ModelOptions,
    candidate: &Candidate,
    fill: &Fill,
    capacity: Bytes,
) -> Option<f64> {
    let opened = open(&candidate.path, options).ok()?;
    let mut drive = Virtual::new(opened.model);
    let work = no_further(fill, capacity);
    let record: PhaseRecord = run(&mut drive, "fill", &work, &mut Unwatched).ok()?;
    methods::fallen_at(&record, capacity).map(|at| at.get() as f64)
}

/// The fill, ended where a cache of the drive's size is full and what follows has lasted; in bins as wide as before.
fn no_further(fill: &Fill, capacity: Bytes) -> Workload {
    let mut work = fill.work.clone();
    let whole = work.jobs[0].span.len.get();
    let level = (capacity.get() / 256).max(128 * whole / u64::from(work.keep.bins.unwrap_or(1)));
    let wanted = fill.cache.get() as f64 * (1.0 + BEYOND);
    let bytes = (wanted as u64 + level).min(whole);
    let largest = work.jobs[0].largest();
    work.jobs[0].span.len = Bytes::new(bytes).round_down(largest);
    let bins = work.keep.bins.map(u64::from);
    work.keep.bins = bins.map(|bins| (bins * bytes / whole).max(1) as u32);
    work
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_between_those_of_the_ends_is_met_and_no_other() {
        let mut off = |x: f64| 10.0 * x / 3.0 - 1.0;
        let found = met([0.02, 0.5], &mut off).unwrap();
        assert!((found - 0.3).abs() < 0.004, "{found}");
        assert_eq!(met([0.4, 0.5], &mut off), None);
        assert_eq!(met([0.02, 0.2], &mut off), None);
    }
}
