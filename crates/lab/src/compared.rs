//! Which modelled drives' responses were compared with those of real ones, and how far they were off.
//!
//! The numbers stand in `catalog/compared.toml`; a test of `accuracy` simulates every row that was measured
//! and holds the file to what it finds. They are of the drive as its file has it: a drive with other values
//! or firmware, in an array, behind a cache or under a file system is another one, and was not compared.

use std::collections::BTreeMap;

use results::tails::{TailErrors, Tails};

/// Where they stand.
const FILE: &str = include_str!("../../../catalog/compared.toml");

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
}
