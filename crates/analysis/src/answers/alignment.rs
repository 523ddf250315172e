//! What a misaligned partition costs small writes.

use base::size::Bytes;
use results::{Quantity, RunResult, Statement, TargetRecord};

use super::figures::{rate, setting, value};

/// Misaligned over aligned in per cent: from here on runs of one drive differ by as much.
const NOTHING: f64 = 95.0;
/// Below this it is given as a factor, since "1.1 times slower" reads badly.
const FACTOR: f64 = 67.0;
/// What every other drive of today divides its medium by at least.
const GRAIN: u64 = 4_096;
/// Bytes of the sectors in which partitions are counted.
const SECTOR: u64 = 512;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    if let Some(start) = misaligned_start(&result.target) {
        let start = Quantity::Length(start);
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

/// If the partition itself starts off a boundary of the drive, neither area is aligned, and their ratio means nothing.
/// A disk with physical sectors of 512 bytes has a boundary at each of them; flash reports 512 whatever its page size
/// is.
pub(crate) fn misaligned_start(target: &TargetRecord) -> Option<Bytes> {
    let fact = |name: &str| target.identity.get(name).map(String::as_str);
    let start: u64 = fact("partition start")?.split(' ').next()?.parse().ok()?;
    let on_the_medium = fact("physical block").or(fact("sectors"));
    let small_sectors = fact("rotational") == Some("yes") && on_the_medium == Some("512 B");
    let is_off = !small_sectors && !start.is_multiple_of(GRAIN);
    is_off.then(|| Bytes::new(start))
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
        // A disk with sectors of 512 bytes has no boundary to miss; flash that says so has.
        let mut fact = |name: &str, value: &str| {
            let fact = (name.to_owned(), value.to_owned());
            result.target.identity.extend([fact]);
            misaligned_start(&result.target).is_some()
        };
        assert!(fact("physical block", "512 B"));
        assert!(fact("rotational", "no"));
        assert!(!fact("rotational", "yes"));
        assert!(fact("physical block", "4096 B"));
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
