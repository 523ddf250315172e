//! Where a method works, and how that area is written before it is read.
//!
//! A method takes the whole of a target that is smaller than its own default: see
//! [`crate::shared_settings::extent`].

use base::bench::{Bench, Stopped};
use base::io::{Fill, Io, Op};
use base::message::Message;
use base::method::{Forecast, Takes};
use base::result::{Better, Comparable, MethodOutput};
use base::script::Script;
use base::size::Bytes;
use base::target::Info;
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};

use crate::figures::figure;

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

/// Flushes what a phase has left in the drive's cache, in a separate phase: otherwise it is written back during the
/// next one, whose figure would then include both.
pub(crate) fn flushed_after(bench: &mut dyn Bench, phase: &str) -> Result<(), Stopped> {
    let name = format!("flush after {phase}");
    let mut script = Script::new(&name, 1);
    script.io(Io::flush(), Duration::ZERO, &[]);
    bench.script(&name, &script)?;
    Ok(())
}

/// Trims a span, 64 MiB at a time.
pub(crate) fn trim(bench: &mut dyn Bench, span: Span, seed: u64) -> Result<(), Stopped> {
    let job = in_order("trim", Op::Trim, span, Bytes::mib(64), 1);
    bench.phase("trim", &Workload::single(job, ONE_PASS, seed))?;
    Ok(())
}

/// The output of a writing method on a read-only target: its main figure without a number.
pub(crate) fn not_writable(key: &str, unit: &str, better: Better) -> MethodOutput {
    without_number(key, unit, better, Message::of("why-not-writable"))
}

/// A output of one figure that has no number, and why.
pub(crate) fn without_number(key: &str, unit: &str, better: Better, why: Message) -> MethodOutput {
    let mut figure = figure(key, unit, better, &Comparable::default(), &[]);
    figure.why_not = Some(why);
    figure.statistic = "none".into();
    MethodOutput {
        figures: vec![figure],
        ..MethodOutput::default()
    }
}
