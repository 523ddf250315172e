//! How long a steady drive takes over a small read, and over a small write.

use results::{Quantity, RunResult, Statement};

use super::figures::{time, told_time};
use super::steady::in_its_state;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let mean = |key: &str| time(result, key).map(Quantity::Time);
    let said = Statement::new("answer-pts-latency")
        .with("read", mean("rnd4k-r100.mean")?)
        .with("write", mean("rnd4k-r0.mean")?)
        .with("longest", told_time(result, "rnd4k-r0.worst")?);
    Some(in_its_state(result, "", said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn both_directions_are_needed() {
        let figures = [
            ("rnd4k-r100.mean", 80.0, "us"),
            ("rnd4k-r0.mean", 20.0, "us"),
            ("rnd4k-r0.worst", 9_000.0, "us"),
        ];
        assert!(answer(&measured("pts-latency", &figures)).is_some());
        assert_eq!(answer(&measured("pts-latency", &figures[..1])), None);
    }
}
