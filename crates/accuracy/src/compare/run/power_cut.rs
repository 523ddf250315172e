//! The power fails a moment after a write was acknowledged: how much acknowledged data is lost?
//!
//! No method can do this on a real drive, so the model itself is queried. A drive without protection may lose the
//! contents of its own buffer, and a cache in the host's memory everything that it holds back. 64 MiB are written, 1
//! MiB at a time, and the power fails when the last one is acknowledged.

use std::collections::BTreeMap;

use crate::metric::{Measured, Outcome};
use base::io::Io;
use base::size::Bytes;
use base::target::{Outcome as IoOutcome, Tag};
use base::time::Instant;
use sim::model::Model;

/// Bytes of a write.
const PIECE: Bytes = Bytes::mib(1);
/// Writes.
const PIECES: u64 = 64;

/// Writes, cuts the power, and queries the loss: `lost`, in MiB.
pub(super) fn run(mut model: Box<dyn Model>) -> Result<Outcome, String> {
    let mut now = Instant::ZERO;
    let mut done = Vec::new();
    for piece in 0..PIECES {
        model.start(now, Tag(0), &Io::write(PIECE * piece, PIECE, piece));
        while done.is_empty() && model.next().is_some() {
            model.step(&mut done);
        }
        match done.pop() {
            Some(finished) if finished.outcome == IoOutcome::Complete => now = finished.at,
            _ => return Err(format!("write {piece} is not served")),
        }
    }
    model.power_cut(now);
    let lost: u64 = model.lost().iter().map(|span| span.len.get()).sum();
    let measured = Measured {
        value: Some(lost as f64 / Bytes::mib(1).get() as f64),
        unit: "MiB".to_owned(),
        why_not: None,
    };
    Ok(Outcome {
        figures: BTreeMap::from([("lost".to_owned(), measured)]),
        charts: Vec::new(),
    })
}
