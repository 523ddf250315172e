//! Which modelled drives' responses were compared with those of real ones, and how far they were off.
//!
//! The numbers are in `catalog/compared.toml`; a test of `accuracy` simulates every measured row and compares the file
//! with the result. They apply to the drive as defined by its file: a drive with other values or firmware, in an array,
//! behind a cache or with a file system is a different one that was not compared.
//!
//! The published figures that a drive's model misses by half or more are in `catalog/misses.toml`: a result carries
//! those of its method, so that they are marked wherever it is shown.

use std::collections::BTreeMap;

use results::tails::{KnownMiss, TailErrors, Tails};
use serde::Deserialize;

use crate::grammar::Spec;

/// Their file.
const FILE: &str = include_str!("../../../catalog/compared.toml");
/// The file of the misses.
const MISSES: &str = include_str!("../../../catalog/misses.toml");
/// Options of a name that leave the drive as defined by its file: its history, and its installation.
const SAME_DRIVE: [&str; 2] = ["state", "host"];

/// The unit of times that grow with the data: responses are in milliseconds.
const WHOLE_TIME: &str = "s";

/// A published figure that a drive's model misses.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Miss {
    pub method: String,
    /// The figure's key.
    pub key: String,
    /// The published figure, by its number.
    pub fact: String,
    pub published: f64,
    /// Its unit; empty for a ratio.
    pub unit: String,
    /// What the model gave, run as the publisher did.
    pub model: f64,
}

impl Miss {
    /// How many times too much or too little.
    pub fn factor(&self) -> f64 {
        (self.model / self.published).max(self.published / self.model)
    }
}

/// All misses, by drive.
///
/// # Panics
/// Never: the file is compiled in, and a test reads it.
pub fn misses() -> BTreeMap<String, Vec<Miss>> {
    toml::from_str(MISSES).expect("compiled in, and a test reads it")
}

/// The figures of a method on a target that are known to be missed; none of a drive that is not as its file has it.
/// `as_published`: nothing of the run was shortened or changed, so that the time that all its data take is comparable.
pub fn known_misses(target: &Spec, method: &str, as_published: bool) -> Vec<KnownMiss> {
    let Spec::Model { name, options } = target else {
        return Vec::new();
    };
    if options
        .iter()
        .any(|(key, _)| !SAME_DRIVE.contains(&key.as_str()))
    {
        return Vec::new();
    }
    let of_drive = misses().remove(name).unwrap_or_default();
    let of_method = of_drive.into_iter().filter(|miss| miss.method == method);
    of_method.map(|miss| carried(miss, as_published)).collect()
}

/// A miss as a result carries it: the seconds of a whole method only beside a run of the whole method.
fn carried(miss: Miss, as_published: bool) -> KnownMiss {
    KnownMiss {
        factor: miss.factor(),
        published: (as_published || miss.unit != WHOLE_TIME).then_some(miss.published),
        key: miss.key,
        unit: miss.unit,
    }
}

/// What is known of a catalogue drive's tails, by its name.
///
/// # Panics
/// Never: the file is compiled in, and a test reads it.
pub fn tails_of(drive: &str) -> Tails {
    let mut all = all();
    match all.remove(drive) {
        Some(errors) => Tails::Compared { errors },
        None => Tails::NotCompared,
    }
}

/// All drives that were compared.
fn all() -> BTreeMap<String, Vec<TailErrors>> {
    toml::from_str(FILE).expect("compiled in, and a test reads it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;

    #[test]
    fn each_drive_that_was_compared_is_in_the_catalogue_with_reads_and_writes() {
        let all = all();
        assert!(!all.is_empty());
        for (drive, errors) in &all {
            assert!(sim::catalogue::describe(drive).is_ok(), "{drive}");
            let ops: Vec<Op> = errors.iter().map(|of| of.op).collect();
            assert_eq!(ops, [Op::Read, Op::Write], "{drive}");
            for of in errors {
                assert!(of.longest_factor >= 1.0 && of.p99_percent > 0.0, "{drive}");
            }
        }
    }

    #[test]
    fn a_drive_that_nobody_compared_says_so() {
        assert_eq!(tails_of("toshiba-hg2-128gb"), Tails::NotCompared);
        assert!(matches!(
            tails_of("samsung-860-pro-512gb"),
            Tails::Compared { .. }
        ));
    }

    #[test]
    fn a_figure_that_is_known_to_be_missed_is_carried_by_the_drive_as_its_file_has_it() {
        let of = |target: &str, method: &str| known_misses(&target.parse().unwrap(), method, true);
        let all = misses();
        assert!(!all.is_empty());
        for (drive, of_drive) in &all {
            let model = format!("model:{drive}");
            for miss in of_drive {
                let carried = of(&model, &miss.method);
                let found = carried.iter().find(|it| it.key == miss.key);
                let found = found.unwrap_or_else(|| panic!("{drive}: {}", miss.key));
                assert_eq!(found.published, Some(miss.published), "{drive}");
                assert_eq!(of(&format!("{model}?state=fresh"), &miss.method), carried);
                assert_eq!(of(&format!("fault({model})"), &miss.method), []);
            }
            assert_eq!(of(&model, "no-such-method"), []);
        }
    }

    #[test]
    fn the_seconds_of_a_whole_method_stand_beside_a_whole_run_only() {
        let published = |unit: &str, as_published: bool| {
            let miss = Miss {
                method: "delay-ratio".to_string(),
                key: "copy_s".to_string(),
                fact: "F1".to_string(),
                published: 300.0,
                unit: unit.to_string(),
                model: 150.0,
            };
            carried(miss, as_published).published
        };
        assert_eq!(published(WHOLE_TIME, false), None);
        assert_eq!(published(WHOLE_TIME, true), Some(300.0));
        assert_eq!(published("MiB/s", false), Some(300.0));
    }
}
