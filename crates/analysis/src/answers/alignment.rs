//! What a misaligned partition costs small writes.

use base::size::Bytes;
use results::RunResult;
use results::statement::{Quantity, Statement};

use super::figures::{rate, setting, value};

/// Misaligned over aligned in per cent: from here on runs of one drive differ by as much.
const NOTHING: f64 = 95.0;
/// Below this it is told as a factor, since "1.1 times slower" is no way to say it.
const FACTOR: f64 = 67.0;
/// Bytes of the sectors in which partitions are counted.
const SECTOR: u64 = 512;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    if let Some(start) = misaligned_start(result) {
        let start = Quantity::Length(Bytes::new(start));
        return Some(vec![
            Statement::new("answer-alignment-partition").with("start", start),
        ]);
    }
    let ratio = value(result, "ratio.write").filter(|ratio| *ratio > 0.0)?;
    let said = if ratio >= NOTHING {
        Statement::new("answer-alignment-nothing")
    } else if ratio > FACTOR {
        Statement::new("answer-alignment-some").with("lost", Quantity::Percent(100.0 - ratio))
    } else {
        Statement::new("answer-alignment-slower").with("factor", Quantity::Factor(100.0 / ratio))
    };
    let offset: u64 = setting(result, "offset")?;
    Some(vec![
        said.with("sectors", Quantity::Count(offset / SECTOR))
            .with("misaligned", rate(result, "misaligned.write")?)
            .with("aligned", rate(result, "aligned.write")?),
    ])
}

/// Where the partition itself starts off a boundary: then neither area is aligned, and their ratio says nothing.
fn misaligned_start(result: &RunResult) -> Option<u64> {
    let start = result.target.identity.get("partition start")?;
    let start: u64 = start.split(' ').next()?.parse().ok()?;
    (!start.is_multiple_of(4_096)).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn key(ratio: f64) -> Option<&'static str> {
        let figures = [
            ("aligned.write", 100.0, "MB/s"),
            ("misaligned.write", ratio, "MB/s"),
            ("ratio.write", ratio, "%"),
        ];
        let mut result = measured("alignment", &figures);
        let offset = ("offset".to_owned(), "32256".to_owned());
        result.settings.values.extend([offset]);
        answer(&result).map(|said| said[0].key)
    }

    #[test]
    fn in_a_misaligned_partition_no_area_is_aligned() {
        let mut result = measured("alignment", &[("ratio.write", 101.0, "%")]);
        let start = ("partition start".to_owned(), "32256 B".to_owned());
        result.target.identity.extend([start]);
        let said = answer(&result).unwrap();
        assert_eq!(said[0].key, "answer-alignment-partition");
    }

    #[test]
    fn what_it_costs_is_nothing_a_part_or_a_factor() {
        assert_eq!(key(103.0), Some("answer-alignment-nothing"));
        assert_eq!(key(95.0), Some("answer-alignment-nothing"));
        assert_eq!(key(94.9), Some("answer-alignment-some"));
        assert_eq!(key(67.0), Some("answer-alignment-slower"));
        assert_eq!(key(0.0), None);
    }
}
