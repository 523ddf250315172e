//! Whether the drive is slower in the minutes after it was switched on cold.

use results::{Quantity, RunResult, Statement};

use super::figures::value;

/// The share of the warm rate from which on a cold drive counts as equally fast: short scans of one drive differ by a
/// tenth between the first and later ones.
const SAME: f64 = 0.8;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let read = value(result, "read.cold-to-warm");
    let write = value(result, "write.cold-to-warm");
    let least = [read, write].into_iter().flatten().min_by(f64::total_cmp)?;
    let share = |ratio: f64| Quantity::Percent(ratio * 100.0);
    let said = match (read, write) {
        _ if least >= SAME => Statement::new("answer-cold-start-same").with("share", share(least)),
        (Some(read), Some(write)) => Statement::new("answer-cold-start-slower")
            .with("read", share(read))
            .with("write", share(write)),
        (Some(read), None) => {
            Statement::new("answer-cold-start-slower-reads").with("read", share(read))
        }
        (None, _) => Statement::new("answer-cold-start-slower-writes").with("write", share(least)),
    };
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn the_slower_direction_decides() {
        let read = |ratio| ("read.cold-to-warm", ratio, "x");
        let write = |ratio| ("write.cold-to-warm", ratio, "x");
        let key = |figures: &[(&str, f64, &str)]| {
            answer(&measured("cold-start", figures)).map(|said| said[0].key)
        };
        assert_eq!(
            key(&[read(1.0), write(0.8)]),
            Some("answer-cold-start-same")
        );
        assert_eq!(
            key(&[read(1.0), write(0.79)]),
            Some("answer-cold-start-slower")
        );
        assert_eq!(key(&[read(0.5)]), Some("answer-cold-start-slower-reads"));
        assert_eq!(key(&[write(0.5)]), Some("answer-cold-start-slower-writes"));
        assert_eq!(key(&[]), None);
    }
}
