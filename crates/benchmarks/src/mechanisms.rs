//! `drivelab develop bench mechanisms`: which published figure needs which mechanism.
//!
//! A model may be right for the wrong reason: a figure that is the same without a mechanism is no evidence for it. So
//! each mechanism of the modelled drives is removed (or set to a value at which it has no effect), a figure that it
//! should affect is run again, and the two errors are compared. A mechanism is *needed* if the error grows by more than
//! the figure's band, or if an order or behaviour no longer holds. The list is data next to the published figures; a
//! mechanism that no figure needs stays in the list and says so.

use serde::Deserialize;

use crate::error::BenchmarkError;
use accuracy::compare::run::{Reproduce, reproduce};
use base::interrupt::Interrupt;
use results::benchmarks::{MECHANISM_BENCH_SCHEMA, Mechanism, MechanismBench, MechanismOutcome};
use results::reproduction::ReproducedFigure;

/// What is taken away, and the figure that is looked at.
const LIST: &str = include_str!("../data/mechanisms.toml");
/// A calibrated figure's band, as a share of the published value.
const CALIBRATED_BAND: f64 = 0.06;
/// A predicted figure's.
const PREDICTED_BAND: f64 = 0.25;

/// The list's file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    mechanism: Vec<Listed>,
}

/// A mechanism of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    name: String,
    /// As `drivelab develop reproduce --change` takes them.
    without: Vec<String>,
    row: String,
}

fn outcome(row: &ReproducedFigure) -> MechanismOutcome {
    MechanismOutcome {
        simulated: row.simulated,
        error: row.error,
        holds: row.holds,
        not_run: row.not_run.clone(),
    }
}

fn in_words(outcome: &MechanismOutcome) -> String {
    match (outcome.error, outcome.holds, &outcome.not_run) {
        (Some(error), ..) => format!("{:.1} % off", 100.0 * error),
        (_, Some(true), _) => "holds".to_owned(),
        (_, Some(false), _) => "does not hold".to_owned(),
        (.., Some(why)) => why.clone(),
        _ => "no figure".to_owned(),
    }
}

/// Runs every figure of the list, with the drives unchanged and with its mechanism removed. `say` is called for each
/// one that is done.
///
/// # Errors
/// A list without figures, a change without effect, or a stop request.
pub fn bench_mechanisms(
    jobs: usize,
    interrupt: &Interrupt,
    say: &mut dyn FnMut(&str),
) -> Result<MechanismBench, BenchmarkError> {
    let listed = list();
    let run = |rows: Vec<String>, changes: &[String]| {
        let asked = Reproduce {
            rows,
            changes: changes.to_vec(),
            claims_as_they_are: true,
            jobs,
            seed: 1,
            ..Reproduce::default()
        };
        reproduce(&asked, interrupt, &|_, _| {})
    };
    let all = run(listed.iter().map(|one| one.row.clone()).collect(), &[])?;
    let mut mechanisms = Vec::new();
    for one in listed {
        let without = run(vec![one.row.clone()], &one.without)?;
        let with = all.rows.iter().find(|row| row.id.to_string() == one.row);
        // Each row was asked for by its name, twice, and is therefore there.
        if let (Some(with), Some(without)) = (with, without.rows.first()) {
            let mechanism = compared(one, with, without);
            say(&line(&mechanism));
            mechanisms.push(mechanism);
        }
    }
    Ok(MechanismBench {
        schema: MECHANISM_BENCH_SCHEMA,
        mechanisms,
    })
}

fn list() -> Vec<Listed> {
    let list: List = toml::from_str(LIST).expect("the list is compiled in, and read by a test");
    list.mechanism
}

fn compared(listed: Listed, with: &ReproducedFigure, without: &ReproducedFigure) -> Mechanism {
    let band = with.error.map(|_| match with.role {
        "calibrate" => CALIBRATED_BAND,
        _ => PREDICTED_BAND,
    });
    let (with_it, taken_away) = (outcome(with), outcome(without));
    let needed = match (with_it.error, taken_away.error) {
        (Some(with), Some(without)) => without - with > band.unwrap_or(PREDICTED_BAND),
        // A figure that cannot be had without the mechanism needs it.
        (Some(_), None) => true,
        _ => with_it.holds == Some(true) && taken_away.holds != Some(true),
    };
    Mechanism {
        name: listed.name,
        without: listed.without,
        row: listed.row,
        published: with.published.clone(),
        with: with_it,
        taken_away,
        band,
        needed,
    }
}

fn line(mechanism: &Mechanism) -> String {
    let mark = if mechanism.needed {
        "needed"
    } else {
        "not needed"
    };
    format!(
        "{:<44} {}  {:<18} {:<18} {mark}  ({})",
        mechanism.name,
        mechanism.row,
        in_words(&mechanism.with),
        in_words(&mechanism.taken_away),
        mechanism.without.join(" ")
    )
}

/// The benchmark for people.
pub fn text(bench: &MechanismBench) -> String {
    let lines = bench.mechanisms.iter().map(|one| line(one) + "\n");
    let needed = bench.mechanisms.iter().filter(|one| one.needed).count();
    let all = bench.mechanisms.len();
    lines.collect::<String>()
        + &format!("{needed} of {all} mechanisms are needed by the figure beside them\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_figures_that_are_run_and_no_mechanism_twice() {
        let listed = list();
        assert!(!listed.is_empty());
        for (at, one) in listed.iter().enumerate() {
            assert!(
                one.row.parse::<results::reproduction::FactId>().is_ok(),
                "{one:?}"
            );
            assert!(!one.without.is_empty(), "{one:?}");
            let again = listed[at + 1..].iter().any(|other| other.name == one.name);
            assert!(!again, "{one:?}");
        }
    }

    #[test]
    fn a_mechanism_is_needed_where_the_error_grows_by_more_than_the_band() {
        let interrupt = Interrupt::new();
        let run = |changes: &[&str]| {
            let asked = Reproduce {
                rows: vec!["F209".to_owned()],
                changes: changes.iter().map(|&change| change.to_owned()).collect(),
                jobs: 1,
                seed: 1,
                ..Reproduce::default()
            };
            reproduce(&asked, &interrupt, &|_, _| {})
                .unwrap()
                .rows
                .remove(0)
        };
        let listed = || Listed {
            name: "gathering small writes".to_owned(),
            without: Vec::new(),
            row: "F209".to_owned(),
        };
        let (as_it_is, less) = (run(&[]), run(&["ssd.sub_unit.gather_kib=8192"]));
        assert!(compared(listed(), &as_it_is, &less).needed);
        assert!(!compared(listed(), &as_it_is, &as_it_is).needed);
    }
}
