//! What benchmarks of a few cells have in common: how fast in order, and how many small reads one at a time.
//!
//! The small read at queue depth 1 is what program starts consist of, and large sequential I/Os are what a copy
//! consists of; the other cells are in the table.

use results::{Quantity, RunResult, Statement};

use super::figures::rate;
use crate::held::{Held, held};

/// The cells used for a benchmark's answer.
pub(super) struct Cells<'a> {
    /// Names of the cell in order, the first that the run has counts.
    pub(super) in_order: &'a [&'a str],
    /// Small reads per second at queue depth 1, also in megabytes.
    pub(super) small: Option<f64>,
}

/// Bytes of a small read.
pub(super) const SMALL: f64 = 4_096.0;

/// The sentence of the cells that there are.
pub(super) fn answer(result: &RunResult, cells: &Cells) -> Option<Vec<Statement>> {
    let of = |direction: &str| {
        let keys = cells.in_order.iter();
        keys.map(|cell| format!("{cell}.{direction}"))
            .find_map(|key| Some((rate(result, &key)?, key)))
    };
    let (read, written) = (of("read").map(|(read, _)| read), of("write"));
    let is_cached = |(_, key): &(Quantity, String)| is_cached(result, key);
    let cached = written.as_ref().is_some_and(is_cached);
    let write = written.map(|(write, _)| write);
    let key = match (&read, &write, cells.small) {
        (Some(_), Some(_), Some(_)) => "answer-rates-both-small",
        (Some(_), Some(_), None) => "answer-rates-both",
        (Some(_), None, Some(_)) => "answer-rates-read-small",
        (Some(_), None, None) => "answer-rates-read",
        (None, Some(_), _) => "answer-rates-write",
        (None, None, Some(_)) => "answer-rates-small",
        (None, None, None) => return None,
    };
    let mut said = Statement::new(key);
    if let Some(read) = read {
        said = said.with("read", read);
    }
    if let Some(write) = write {
        said = said.with("write", write);
    }
    if let Some(small) = cells.small {
        said = said.with("small", Quantity::PerSecond(small)).with(
            "small-rate",
            Quantity::MegabytesPerSecond(small * SMALL / 1e6),
        );
    }
    let mut all = vec![said];
    if cached {
        all.push(Statement::new("answer-rates-write-cached"));
    }
    Some(all)
}

/// True where a disk wrote into its cache: this rate is not that of its media.
fn is_cached(result: &RunResult, key: &str) -> bool {
    let figure = result.figures.iter().find(|figure| figure.key == key);
    figure.is_some_and(|figure| held(figure, result) == Some(Held::ByWriteCache))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn key(figures: &[(&str, f64, &str)], small: Option<f64>) -> Option<&'static str> {
        let cells = Cells {
            in_order: &["seq1", "seq2"],
            small,
        };
        answer(&measured("any", figures), &cells).map(|said| said[0].key)
    }

    #[test]
    fn what_was_not_measured_is_not_told() {
        let read = ("seq2.read", 500.0, "MB/s");
        let write = ("seq1.write", 400.0, "MB/s");
        let small = Some(16_000.0);
        assert_eq!(key(&[read, write], small), Some("answer-rates-both-small"));
        assert_eq!(key(&[read, write], None), Some("answer-rates-both"));
        assert_eq!(key(&[read], small), Some("answer-rates-read-small"));
        assert_eq!(key(&[read], None), Some("answer-rates-read"));
        assert_eq!(key(&[write], None), Some("answer-rates-write"));
        assert_eq!(key(&[], small), Some("answer-rates-small"));
        assert_eq!(key(&[], None), None);
    }
}
