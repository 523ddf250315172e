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
    of_method
        .map(|miss| KnownMiss {
            factor: miss.factor(),
            published: (as_published || miss.unit != WHOLE_TIME).then_some(miss.published),
            key: miss.key,
            unit: miss.unit,
        })
        .collect()
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
        let of = |target: &str, method: &str| known_misses(&target.parse().unwrap(), method, false);
        let keys =
            |misses: Vec<KnownMiss>| misses.into_iter().map(|miss| miss.key).collect::<Vec<_>>();
        let drive = "model:ocz-core-v2-30gb";
        assert_eq!(keys(of(drive, "delay-ratio")), ["copy_s", "delay_ratio"]);
        let seen: Vec<_> = of(drive, "delay-ratio")
            .iter()
            .map(|miss| miss.published)
            .collect();
        assert_eq!(
            seen,
            [None, Some(3.69)],
            "seconds are of 4 GiB, and a short run has less"
        );
        let whole = known_misses(&drive.parse().unwrap(), "delay-ratio", true);
        assert_eq!(whole[0].published, Some(293.67));
        assert_eq!(of(&format!("{drive}?state=fresh"), "delay-ratio").len(), 2);
        assert_eq!(of(drive, "full-scan"), []);
        assert_eq!(of(&format!("fault({drive})"), "delay-ratio"), []);
        let disk = "model:hgst-deskstar-nas-hdn724030-3tb";
        assert_eq!(
            keys(of(disk, "quick-scan")),
            ["read.response.max", "write.response.max"]
        );
    }
}
