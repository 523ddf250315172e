//! From which access size on the drive is as fast as it gets, in order.

use base::size::Bytes;
use results::{Quantity, RunResult, Statement};

use super::figures::{between, length, mb_s};

/// What counts as full speed: nine tenths of the most.
const FULL: f64 = 0.9;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let said = match (knee(result, "read"), knee(result, "write")) {
        (Some((size, read)), Some((_, write))) => Statement::new("answer-atto")
            .with("read", Quantity::MegabytesPerSecond(read))
            .with("write", Quantity::MegabytesPerSecond(write))
            .with("size", Quantity::Length(size)),
        (Some((size, read)), None) => Statement::new("answer-atto-read")
            .with("read", Quantity::MegabytesPerSecond(read))
            .with("size", Quantity::Length(size)),
        (None, Some((size, write))) => Statement::new("answer-atto-write")
            .with("write", Quantity::MegabytesPerSecond(write))
            .with("size", Quantity::Length(size)),
        (None, None) => return None,
    };
    Some(vec![said])
}

/// The least size with full speed, and the most that there is.
fn knee(result: &RunResult, op: &str) -> Option<(Bytes, f64)> {
    let end = format!(".{op}");
    let sizes = between(result, "", &end).into_iter().filter_map(|part| {
        let rate = mb_s(result, &format!("{part}{end}"))?;
        Some((length(part)?, rate))
    });
    let rates: Vec<(Bytes, f64)> = sizes.collect();
    let most = rates.iter().map(|(_, rate)| *rate).max_by(f64::total_cmp)?;
    let full = rates.iter().filter(|(_, rate)| *rate >= FULL * most);
    full.map(|(size, _)| (*size, most)).min_by_key(|of| of.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn full_speed_begins_at_nine_tenths_of_the_most() {
        let size = |of_64k: f64| {
            let figures = [
                ("512b.read", 10.0, "MB/s"),
                ("64k.read", of_64k, "MB/s"),
                ("1m.read", 500.0, "MB/s"),
            ];
            let said = answer(&measured("atto", &figures)).unwrap();
            assert_eq!(said[0].key, "answer-atto-read");
            said[0].quantity("size").cloned()
        };
        assert_eq!(size(450.0), Some(Quantity::Length(Bytes::kib(64))));
        assert_eq!(size(449.0), Some(Quantity::Length(Bytes::mib(1))));
    }

    #[test]
    fn a_single_size_is_its_own_full_speed() {
        let said = answer(&measured("atto", &[("4k.write", 0.0, "MB/s")])).unwrap();
        assert_eq!(said[0].key, "answer-atto-write");
    }
}
