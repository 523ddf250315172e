//! Scores that cannot detect a fault: figures that are the same for all drives, while the drives differ.
//!
//! A score can be limited by something other than the drive: by its own maximum (the Windows index gave 7.9 to a drive
//! whose partition was aligned and to one whose was not), by the link, or by counting the best run only, which hides a
//! stutter in the others. Such a figure is found by comparison: its values are within 2 % of each other, while a more
//! sensitive figure of the same measurement (its tail, its longest response) is at least twice as large on one drive as
//! on another.

use base::result::Better;

use crate::key::refines;
use crate::verdict::{Cell, Row, Table};

/// Values this close to each other count as equal.
const SAME: f64 = 0.02;
/// A figure that differs by this much has seen something.
const SEEN: f64 = 2.0;

/// A figure that is the same for all drives, and one that is not.
#[derive(Debug, PartialEq)]
pub struct Blind<'a> {
    /// The figure that sees nothing.
    pub key: &'a str,
    /// The greatest difference between its values, in per cent of the greatest.
    pub percent: f64,
    /// The more sensitive figure.
    pub seen_by: &'a str,
    /// How many times its least value the greatest is.
    pub times: f64,
}

/// The blind figures of a method's table, each with the figure that differs most.
pub fn blind<'a>(table: &Table<'a>) -> Vec<Blind<'a>> {
    let judged = |row: &&Row| row.better != Better::None;
    table
        .rows
        .iter()
        .filter(judged)
        .filter_map(|row| {
            let (least, most) = extremes(row)?;
            let apart = (most - least) / most;
            let behind = table
                .rows
                .iter()
                .filter(|other| refines(other.key, row.key));
            let (times, seen_by) = behind
                .filter_map(|other| {
                    let (least, most) = extremes(other)?;
                    Some((most / least, other.key))
                })
                .max_by(|a, b| a.0.total_cmp(&b.0))?;
            (apart <= SAME && times >= SEEN).then_some(Blind {
                key: row.key,
                percent: apart * 100.0,
                seen_by,
                times,
            })
        })
        .collect()
}

/// Least and greatest of a row's comparable values, where there are two and all are above zero.
fn extremes(row: &Row) -> Option<(f64, f64)> {
    let values: Vec<f64> = row
        .cells
        .iter()
        .filter_map(Cell::comparable_value)
        .collect();
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    (values.len() > 1 && least > 0.0).then_some((least, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Groups;
    use crate::verdict::Reference;
    use fixtures::results as sample;

    fn found(rates: [f64; 2], worst: [f64; 2]) -> Vec<String> {
        let mut results = sample::review();
        results.truncate(2);
        for (i, result) in results.iter_mut().enumerate() {
            result.figures = vec![
                sample::figure("seq.read", Some(rates[i]), "MB/s"),
                sample::figure("seq.read.worst", Some(worst[i]), "ms"),
            ];
        }
        let groups = Groups::new(&results);
        let table = Table::new(&groups.sections[0], Reference::Majority);
        let said = |b: &Blind| format!("{} {}", b.key, b.seen_by);
        blind(&table).iter().map(said).collect()
    }

    #[test]
    fn equal_rates_with_unequal_tails_are_blind() {
        assert_eq!(
            found([540.0, 541.0], [2.0, 200.0]),
            ["seq.read seq.read.worst"]
        );
    }

    #[test]
    fn a_rate_that_differs_or_a_tail_that_does_not_is_no_finding() {
        assert_eq!(found([540.0, 300.0], [2.0, 200.0]), [""; 0]);
        assert_eq!(found([540.0, 541.0], [2.0, 3.0]), [""; 0]);
        assert_eq!(found([540.0, 541.0], [0.0, 3.0]), [""; 0]);
    }
}
