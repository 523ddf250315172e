//! Where a method works, and how that area is written before it is read.
//!
//! A method takes the whole of a target that is smaller than its own default: so its area is a
//! setting of the kind "a size, or whole", cut to the target.

use base::bench::{Bench, Stopped};
use base::io::{Fill, Op};
use base::method::Settings;
use base::result::{Better, Figure};
use base::size::Bytes;
use base::target::Info;
use base::workload::{Job, Order, Span, Stop, Workload};

use crate::figures::{conditions, figure};

/// The size that a setting gives, cut to the target and to whole blocks.
pub(crate) fn extent(settings: &Settings, key: &str, on: &Info) -> Bytes {
    settings
        .size_or_whole(key, on.capacity)
        .min(on.capacity)
        .round_down(on.block)
}

/// An access of `size`, or the target's block where that is larger.
pub(crate) fn access(size: Bytes, on: &Info) -> Bytes {
    size.max(on.block)
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
pub(crate) const ONE_PASS: Stop = Stop {
    bytes: None,
    ios: None,
    passes: Some(1),
    time: None,
    look: base::workload::Look::Always,
};

/// Writes a span once, in order, 1 MiB at a time, so that no read finds blocks that were never
/// written.
pub(crate) fn write_in_order(
    bench: &mut dyn Bench,
    name: &str,
    span: Span,
    fill: Fill,
    seed: u64,
) -> Result<(), Stopped> {
    let mut job = in_order(name, Op::Write, span, Bytes::mib(1), 4);
    job.fill = fill;
    let mut work = Workload::single(job, ONE_PASS, seed);
    work.flush_at_end = true;
    bench.phase(name, &work)?;
    Ok(())
}

/// A figure without a number, since the target may not be written.
pub(crate) fn not_writable(key: &str, unit: &str, better: Better) -> Figure {
    let nothing = Workload::single(
        in_order("", Op::Write, Span::first(Bytes::SECTOR), Bytes::SECTOR, 1),
        ONE_PASS,
        0,
    );
    let mut figure = figure(key, unit, better, &conditions(&nothing), &[]);
    figure.comparable_by = Default::default();
    figure.why_not = Some("the target may not be written".to_owned());
    figure.statistic = "none".to_owned();
    figure
}
