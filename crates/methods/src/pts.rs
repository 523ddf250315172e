//! What the methods of SNIA's Performance Test Specification have in common.
//!
//! The specification (SNIA, Solid State Storage Performance Test Specification, Enterprise 1.1, Client
//! 1.2, both in one since 2.0) brings a drive into a known state before it is measured: **purge** (all
//! of it is as if never written), **workload-independent preconditioning** (twice the capacity is
//! written sequentially, 128 KiB an I/O), **workload-dependent preconditioning** (the rounds of the test
//! itself) until it is steady.
//!
//! The purge is a trim of the extent: a secure erase or a format would remove the drive from its host. A refused trim
//! is reported.

use base::{
    Better, Bytes, Duration, Figure, Forecast, Info, Job, Message, Needs, Op, Order, Setting,
    Settings, Span, Stop, Stopped, Takes, Workload,
};
use std::ops::RangeInclusive;

use base::record::Ended;

use crate::areas::{ONE_PASS, access, forecast, in_order};
use crate::figures::withheld;
use crate::run::Run;
use crate::shared_settings::{millis, part, seconds};

pub(crate) mod grid;
pub(crate) mod rounds;
pub(crate) mod steady_state;
pub(crate) mod steps;

/// Omits the round of steady state, and ratios to the steady level, if only a part of the drive was used: unused flash
/// is spare area, and a cache may hold the part, so that such a drive reaches steady state long before it would. The
/// standard requires all of it, twice.
pub(crate) fn withhold_of_part(figures: &mut [Figure], used: Span, on: &Info) {
    // A target's last bytes may be no whole I/O.
    let is_whole = used.len.get() >= on.capacity.get() / 20 * 19;
    for figure in figures.iter_mut().filter(|_| !is_whole) {
        let is_of_the_level = [".round", "steady.extents", ".of-steady"]
            .iter()
            .any(|end| figure.key.ends_with(end));
        if is_of_the_level && figure.value.is_some() {
            let places = [("used", used.len.into()), ("capacity", on.capacity.into())];
            let why = Message::new("why-steady-of-part", places);
            *figure = withheld(figure.clone(), why);
        }
    }
}

/// Who published all of them.
pub(crate) const PUBLISHER: &str =
    "SNIA, Solid State Storage Performance Test Specification (Enterprise 1.1, Client 1.2, 2.0)";

/// What its tests need.
pub(crate) const NEEDS: &[Needs] = &[
    Needs::Flash("the specification purges and conditions flash"),
    Needs::Writing,
];

/// The part of the target that is used: the specification's active range.
pub(crate) const EXTENT: Setting = part(
    "extent",
    "part of the target that is purged, preconditioned and used",
    ["16MiB", "8GiB", "whole"],
);

/// Rounds at most.
pub(crate) const ROUNDS: Setting = Setting::count(
    "rounds",
    "at most this many rounds if the drive does not become steady",
    steady_state::WINDOW as u64..=1_000,
    ["5", "25", "25"],
);

/// Threads.
pub(crate) const THREADS: Setting = Setting::count(
    "threads",
    "streams of I/Os side by side (the operator's choice)",
    1..=64,
    ["2"; 3],
);

/// I/Os in flight of each thread.
pub(crate) const DEPTH: Setting = Setting::count(
    "depth",
    "accesses in flight of each thread (the operator's choice)",
    1..=256,
    ["16"; 3],
);

/// Which lengths of time a stimulus may have.
pub(crate) const LENGTH: RangeInclusive<Duration> = millis(1)..=seconds(86_400);

/// Length of each access pattern.
pub(crate) const TIME: Setting = Setting::time(
    "time",
    "length of each access pattern in a round",
    LENGTH,
    ["10ms", "500ms", "60s"],
);

/// I/Os in flight while the drive is preconditioned.
const PRECONDITION_DEPTH: u32 = 32;

/// The starting point of a test: its area, the possible sizes, and its output so far. Without writing, or if no size is
/// possible, the complete output: that `main`, its main figure (key, unit, direction), has no number, and why.
pub(crate) fn begin(
    sizes: &[Bytes],
    main: (&str, &str, Better),
    run: &mut Run<'_>,
) -> Result<Option<(Span, Vec<Bytes>)>, Stopped> {
    let (key, unit, better) = main;
    if !run.on.writable {
        run.not_writable(key, unit, better)?;
        return Ok(None);
    }
    let span = run.extent(EXTENT.key);
    let (sizes, left_out) = possible(sizes, span.len, &run.on);
    if sizes.is_empty() {
        let why = Message::of("why-part-too-small");
        run.without_number(key, unit, better, why)?;
        return Ok(None);
    }
    run.output.notes.extend(left_out);
    Ok(Some((span, sizes)))
}

/// The same for a test of random writes of 4 KiB alone: its area, the writes, and its output so far. On a target with
/// larger blocks the writes are as large as these, and a warning says so.
pub(crate) fn begin_writes(
    main: (&str, &str, Better),
    run: &mut Run<'_>,
) -> Result<Option<(Span, Job)>, Stopped> {
    let (key, unit, better) = main;
    if !run.on.writable {
        run.not_writable(key, unit, better)?;
        return Ok(None);
    }
    let span = run.extent(EXTENT.key);
    let size = access(Bytes::kib(4), &run.on).min(span.len);
    run.tell_grown(&[Bytes::kib(4)]);
    Ok(Some((span, random(span, size, 0, run.settings))))
}

/// Trims the span; a target that refuses is warned of, once.
pub(crate) fn purge(name: &str, span: Span, run: &mut Run<'_>) -> Result<(), Stopped> {
    let job = in_order("purge", Op::Trim, span, Bytes::mib(64), 1);
    let work = Workload::single(job, ONE_PASS, run.settings.seed);
    let record = run.bench.phase(name, &work)?;
    let refused = record.errors() > 0 || record.ended != Ended::Complete;
    let warning = Message::of("warning-not-purged");
    if refused && !run.output.warnings.contains(&warning) {
        run.output.warnings.push(warning);
    }
    Ok(())
}

/// What a test takes that works on `span` in rounds, all of them: purged and preconditioned once, then
/// rounds of `stimuli` stimuli, each of them `time` long.
pub(crate) fn in_rounds(span: Bytes, stimuli: u64, settings: &Settings, on: &Info) -> Forecast {
    if !on.writable {
        return forecast(span, false, Takes::default());
    }
    let rounds = stimuli.saturating_mul(settings.count(ROUNDS.key));
    let takes = Takes::timed(settings.time("time").saturating_mul(rounds)).and_moving(span * 2);
    forecast(span, true, takes)
}

/// Purges and preconditions; phase names are prefixed with `name`, if given.
pub(crate) fn condition(name: &str, span: Span, run: &mut Run<'_>) -> Result<(), Stopped> {
    let phase = |what: &str| format!("{name} {what}").trim_start().to_owned();
    purge(&phase("purge"), span, run)?;
    let block = Bytes::kib(128).max(run.on.block);
    let job = in_order("precondition", Op::Write, span, block, PRECONDITION_DEPTH);
    let work = Workload::single(job, Stop::after_passes(2), run.settings.seed);
    run.bench.phase(&phase("precondition"), &work)?;
    Ok(())
}

/// Random I/Os of one size for a time, with a percentage of reads.
pub(crate) fn random(span: Span, size: Bytes, read_percent: u8, settings: &Settings) -> Job {
    let of = |key: &str| u32::try_from(settings.count(key)).unwrap_or(1);
    let mut job = Job::closed("access", Op::Read, Order::Random, span, size, of(DEPTH.key));
    job.accesses[0].read_percent = read_percent;
    job.streams = of(THREADS.key);
    job
}

/// The same, one I/O at a time.
pub(crate) fn one_at_a_time(span: Span, size: Bytes, read_percent: u8) -> Job {
    let mut job = Job::closed("access", Op::Read, Order::Random, span, size, 1);
    job.accesses[0].read_percent = read_percent;
    job
}

/// A job for a time.
pub(crate) fn timed(job: Job, time: Duration, seed: u64) -> Workload {
    let stop = Stop::after_time(time);
    Workload::single(job, stop, seed)
}

/// The sizes that the target's blocks and the extent allow, and a note about the others.
fn possible(sizes: &[Bytes], extent: Bytes, on: &Info) -> (Vec<Bytes>, Option<Message>) {
    let fits = |size: &Bytes| size.is_multiple_of(on.block) && *size <= extent;
    let (there, left_out): (Vec<Bytes>, Vec<Bytes>) = sizes.iter().partition(|size| fits(size));
    let names: Vec<String> = left_out.iter().map(ToString::to_string).collect();
    let note = (!left_out.is_empty()).then(|| {
        Message::new(
            "note-sizes-left-out",
            [
                ("sizes", names.join(", ").into()),
                ("block", on.block.into()),
                ("span", extent.into()),
            ],
        )
    });
    (there, note)
}
