//! How fast a steady drive reads and writes in order, in large accesses.

use results::{RunResult, Statement};

use super::figures::rate;
use super::steady::in_its_state;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    ["seq1m", "seq128k"].into_iter().find_map(|cell| {
        let said = Statement::new("answer-pts-throughput")
            .with("read", rate(result, &format!("{cell}.read"))?)
            .with("write", rate(result, &format!("{cell}.write"))?);
        Some(in_its_state(result, &format!("{cell}."), said))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn each_size_of_access_has_its_own_state() {
        let figures = [
            ("seq128k.read", 3_000.0, "MB/s"),
            ("seq128k.write", 900.0, "MB/s"),
            ("seq128k.steady.round", 5.0, "count"),
            ("seq1m.read", 3_000.0, "MB/s"),
            ("seq1m.write", 900.0, "MB/s"),
        ];
        let key = |n| answer(&measured("pts-throughput", &figures[..n])).unwrap()[0].key;
        assert_eq!(key(3), "answer-pts-steady");
        assert_ne!(key(5), "answer-pts-steady");
    }
}
