//! Where a method works, and how that area is written before it is read.
//!
//! A method takes the whole of a target that is smaller than its own default: see
//! [`crate::shared_settings::extent`].

use base::{Bytes, Duration, Forecast, Info, Job, Message, Op, Order, Span, Stop, Takes};

/// What a method will take that works inside `extent` from the start.
pub(crate) fn forecast(extent: Bytes, writes: bool, takes: Takes) -> Forecast {
    Forecast {
        takes,
        reads: None,
        writes: (!writes).then_some(Bytes::ZERO),
        written: writes.then(|| Span::first(extent)).into_iter().collect(),
        reads_as_found: !writes,
        extent,
    }
}

/// The same of a method that moves `bytes` in each direction that it measures.
pub(crate) fn forecast_of(extent: Bytes, bytes: Bytes, ops: &[Op]) -> Forecast {
    let all_if = |op| {
        if ops.contains(&op) {
            bytes
        } else {
            Bytes::ZERO
        }
    };
    let (reads, writes) = (all_if(Op::Read), all_if(Op::Write));
    let takes = Takes::moving(writes).and_reading(reads);
    Forecast {
        reads: Some(reads),
        writes: Some(writes),
        ..forecast(extent, ops.contains(&Op::Write), takes)
    }
}

/// Phases in each direction that is measured, ended by a time.
pub(crate) fn timed_in(ops: &[Op], time: Duration) -> Takes {
    let each = ops.iter().map(|op| match op {
        Op::Read => Takes::reading_for(time),
        _ => Takes::timed(time),
    });
    each.fold(Takes::default(), Takes::and)
}

/// Bytes moved in each direction that is measured.
pub(crate) fn moved_in(ops: &[Op], bytes: Bytes) -> Takes {
    let each = ops.iter().map(|op| match op {
        Op::Read => Takes::default().and_reading(bytes),
        _ => Takes::moving(bytes),
    });
    each.fold(Takes::default(), Takes::and)
}

/// The bytes of an area that is written before it is used, where it is.
pub(crate) fn prepared(area: Bytes, does: bool) -> Bytes {
    if does { area } else { Bytes::ZERO }
}

/// An I/O of `size`, or the target's block size if that is larger: then [`grown`] says so.
pub(crate) fn access(size: Bytes, on: &Info) -> Bytes {
    size.max(on.block)
}

/// What a reader must know where I/Os of some sizes cannot be made, and those that were are larger.
pub(crate) fn grown(sizes: &[Bytes], on: &Info) -> Option<Message> {
    let mut small: Vec<Bytes> = sizes.iter().copied().filter(|s| *s < on.block).collect();
    small.sort_unstable();
    small.dedup();
    let small: Vec<String> = small.iter().map(Bytes::to_string).collect();
    (!small.is_empty()).then(|| {
        let (small, block) = (small.join(", ").into(), on.block.into());
        Message::new("note-grown", [("small", small), ("block", block)])
    })
}

/// Why no I/O of the size in a figure's name is possible in `span`, if none is: such a figure is omitted, since I/Os of
/// another size would appear under its name.
pub(crate) fn impossible(size: Bytes, span: Bytes, on: &Info) -> Option<Message> {
    if !size.is_multiple_of(on.block) {
        let places = [("block", on.block.into()), ("size", size.into())];
        Some(Message::new("why-blocks", places))
    } else if size > span {
        let places = [("span", span.into()), ("size", size.into())];
        Some(Message::new("why-part-in-use", places))
    } else {
        None
    }
}

/// One pass in order over a span.
pub(crate) fn in_order(name: &str, op: Op, span: Span, block: Bytes, depth: u32) -> Job {
    Job::closed(
        name,
        op,
        Order::Sequential,
        span,
        block.min(span.len),
        depth,
    )
}

/// Ends after one pass.
pub(crate) const ONE_PASS: Stop = Stop::after_passes(1);
