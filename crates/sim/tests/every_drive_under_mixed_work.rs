//! Every drive of the catalogue in every state under mixed work (`any_drive/mixed.rs`), while the
//! checks of debug builds look on: a drive answers every I/O, and its books are in order at the end.
//!
//! Every day each drive is in a third of the states, each state of a third of the drives, some hundred
//! I/Os each, on drives cut down to a few dozen blocks a plane, so that they are soon written over. `cargo test -p sim --test every_drive_under_mixed_work
//! -- --ignored` runs whole drives, `MIXED_IOS` I/Os for each state (a million where nothing is
//! said), and those alone whose names contain `MIXED_DRIVES`.

use std::panic::AssertUnwindSafe;

use sim::catalogue::{self, CatalogueError, DRIVES, ModelOptions};
use sim::model::Model;

use small::{cut_down, prefix};

#[path = "any_drive/mixed.rs"]
mod mixed;
#[path = "any_drive/small.rs"]
mod small;

const STATES: [&str; 13] = [
    "fresh",
    "50%-in-order",
    "full-in-order",
    "full-in-order,trimmed",
    "full-in-order,idle=0s",
    "full-in-order,age=400d",
    "full-in-order,wear=99.9%",
    "steady-random",
    "steady-random,trimmed",
    "steady-random,idle=0s",
    "steady-random:60%,idle=3s",
    "steady-random,wear=99%",
    "steady-random,wear=100%",
];

/// Blocks a plane that cut-down drives are tried with: the first that makes a drive counts.
const FEW: [u32; 4] = [24, 48, 96, 400];

/// What came of a drive in a state.
#[derive(Debug, PartialEq)]
enum Came {
    /// It answered everything.
    Answered,
    /// There is no such drive, or no such state of it.
    Refused,
}

/// Opens a drive and works on it.
fn works(slug: &str, options: &ModelOptions, ios: u64) -> Result<Came, String> {
    let run = std::panic::catch_unwind(AssertUnwindSafe(|| {
        // A solid-state drive without layers tells whether its books are in order.
        match catalogue::open_ssd(slug, options) {
            Ok(mut drive) => {
                mixed::run(&mut drive, ios, options.seed)?;
                drive.audit().map(|()| Came::Answered)
            }
            Err(CatalogueError::Unknown { .. }) => any_other(slug, options, ios),
            Err(_) => Ok(Came::Refused),
        }
    }));
    let came = run.unwrap_or_else(|_| Err("it panics".to_owned()));
    came.map_err(|what| format!("{slug} {options:?}, {ios} I/Os: {what}"))
}

/// A drive that is no page-mapped one.
fn any_other(slug: &str, options: &ModelOptions, ios: u64) -> Result<Came, String> {
    match catalogue::open(slug, options) {
        Ok(mut opened) => {
            let model: &mut dyn Model = &mut *opened.model;
            mixed::run(model, ios, options.seed).map(|()| Came::Answered)
        }
        Err(_) => Ok(Came::Refused),
    }
}

/// The drives whose turn it is: every `of`-th, from the `from`-th on. All of them are tried, and what
/// broke is told together.
fn share(from: usize, of: usize, ios: u64) {
    let mut broken = Vec::new();
    for (at, entry) in DRIVES.iter().enumerate().skip(from).step_by(of) {
        let mut answered = 0;
        for (nth, state) in STATES.iter().enumerate() {
            if !(at + nth).is_multiple_of(3) {
                continue;
            }
            let seed = (at * STATES.len() + nth) as u64;
            match cut_down_works(entry.slug, state, ios, seed) {
                Ok(came) => answered += u32::from(came == Came::Answered),
                Err(what) => broken.push(what),
            }
        }
        assert!(answered >= 1, "{}: {answered} states", entry.slug);
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

fn cut_down_works(slug: &str, state: &str, ios: u64, seed: u64) -> Result<Came, String> {
    let sheet = catalogue::describe(slug).map_err(|error| error.to_string())?;
    let options = |overrides| ModelOptions {
        state: state.parse().expect("the states are written here"),
        overrides,
        seed,
        ..ModelOptions::default()
    };
    if prefix(&sheet) != "ssd." {
        return works(slug, &options(Vec::new()), ios);
    }
    for blocks in FEW {
        let cut = options(cut_down(&sheet, blocks, 0.9));
        match works(slug, &cut, ios)? {
            Came::Answered => return Ok(Came::Answered),
            Came::Refused => {}
        }
    }
    Ok(Came::Refused)
}

/// I/Os for each drive and state, every day.
const A_DAY: u64 = 500;

#[test]
fn every_second_drive_answers_all_mixed_work_in_every_state() {
    share(0, 2, A_DAY);
}

#[test]
fn the_other_drives_answer_all_mixed_work_in_every_state() {
    share(1, 2, A_DAY);
}

#[test]
#[ignore = "hours: whole drives, a million I/Os for each state"]
fn whole_drives_answer_a_million_mixed_ios_in_every_state() {
    let asked = |name: &str| std::env::var(name).ok();
    let ios = asked("MIXED_IOS").and_then(|ios| ios.parse().ok());
    let drives = asked("MIXED_DRIVES").unwrap_or_default();
    let mut broken = Vec::new();
    for (at, entry) in DRIVES.iter().enumerate() {
        if !entry.slug.contains(&drives) {
            continue;
        }
        for (nth, state) in STATES.iter().enumerate() {
            let options = ModelOptions {
                state: state.parse().expect("the states are written here"),
                seed: (at * STATES.len() + nth) as u64,
                ..ModelOptions::default()
            };
            let came = works(entry.slug, &options, ios.unwrap_or(1_000_000));
            eprintln!("{} {state}: {came:?}", entry.slug);
            broken.extend(came.err());
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
