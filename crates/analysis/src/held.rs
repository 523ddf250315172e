//! Which figures the drive's link holds: rates within 5 % of what the link carries.
//!
//! Where a drive is faster than the slot that it is in, the slot is measured. What a link carries stands
//! in the target's record. A rate above what the link carries does not
//! come over it, but out of a cache in the host's memory.

use base::io::Op;
use base::result::Figure;
use base::target::LinkRates;
use results::TargetRecord;

use crate::key;

/// A rate is held by the link from this share of what it carries on, up to as much above.
const WITHIN: f64 = 0.05;

/// True for a rate of reading or writing that the link holds.
pub fn is_held(figure: &Figure, target: &TargetRecord) -> bool {
    let unit = match figure.unit.as_str() {
        "MB/s" => 1.0,
        "MiB/s" => 1.048_576,
        _ => return false,
    };
    let carries = |link: LinkRates| match key::direction(&figure.key) {
        Some(Op::Read) => Some(link.read_mb_s),
        Some(Op::Write) => Some(link.write_mb_s),
        _ => None,
    };
    let known = figure.value.zip(target.link.and_then(carries));
    let share = known.map(|(value, carries)| value * unit / carries);
    share.is_some_and(|share| (share - 1.0).abs() <= WITHIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    #[test]
    fn a_rate_near_what_the_link_carries_in_its_direction_is_held_by_it() {
        let result = &sample::review()[0];
        let mut target = result.target.clone();
        target.link = Some(LinkRates {
            read_mb_s: 558.0,
            write_mb_s: 31.0,
        });
        let held = |key: &str, unit: &str, value: f64| {
            let figure = Figure {
                key: key.to_owned(),
                unit: unit.to_owned(),
                value: Some(value),
                ..result.figures[0].clone()
            };
            is_held(&figure, &target)
        };
        assert!(held("seq1m-q8t1.read", "MB/s", 540.0));
        assert!(held("seq1m-q8t1.read", "MiB/s", 520.0));
        assert!(held("seq.write", "MB/s", 30.0));
        assert!(!held("seq1m-q8t1.read", "MB/s", 500.0));
        // Out of the host's memory.
        assert!(!held("seq1m-q8t1.read", "MB/s", 3_000.0));
        assert!(!held("seq.write", "MB/s", 540.0));
        assert!(!held("rnd4k.read", "IOPS", 558.0));
    }
}
