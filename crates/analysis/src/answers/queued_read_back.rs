//! Whether data that were written with a deep queue are read back as fast as others.

use results::{Quantity, RunResult, Statement};

use super::figures::{mb_s, rate};

/// What is left where the drive is as fast: a tenth less may be chance.
const SAME: f64 = 0.9;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let queued = mb_s(result, "queued.read-back")?;
    let in_order = mb_s(result, "in-order.read-back").filter(|rate| *rate > 0.0)?;
    let key = match mb_s(result, "qd1.read-back") {
        _ if queued >= SAME * in_order => "answer-queued-read-back-same",
        // The order hurts, and the queue does not hurt more.
        Some(single) if queued >= SAME * single => "answer-queued-read-back-order",
        _ => "answer-queued-read-back-queue",
    };
    let said = Statement::new(key)
        .with("queued", rate(result, "queued.read-back")?)
        .with("in-order", rate(result, "in-order.read-back")?)
        .with("share", Quantity::Percent(queued / in_order * 100.0));
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn key(queued: f64, single: f64) -> &'static str {
        let figures = [
            ("in-order.read-back", 100.0, "MB/s"),
            ("qd1.read-back", single, "MB/s"),
            ("queued.read-back", queued, "MB/s"),
        ];
        answer(&measured("queued-read-back", &figures)).unwrap()[0].key
    }

    #[test]
    fn the_order_and_the_queue_are_told_apart() {
        assert_eq!(key(90.0, 90.0), "answer-queued-read-back-same");
        assert_eq!(key(60.0, 61.0), "answer-queued-read-back-order");
        assert_eq!(key(40.0, 61.0), "answer-queued-read-back-queue");
    }
}
