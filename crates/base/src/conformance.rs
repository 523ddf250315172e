//! The contract of every target, as cases that run on any of them, real or modelled.
//!
//! Each case gets a factory of fresh targets and panics if the contract of [`crate::target`] is violated, naming what
//! it saw. The targets have at least [`LEAST_CAPACITY`] and accept at least one I/O at a time; only reads are sent,
//! unless the target is writable.
#![allow(
    clippy::missing_panics_doc,
    reason = "a panic is a case's way of saying that the contract is broken"
)]

use crate::io::{Io, Op};
use crate::rng::Rng;
use crate::size::Bytes;
use crate::target::{Done, Outcome, Tag, Target};
use crate::time::{Duration, Instant};

/// Minimum capacity of the targets.
pub const LEAST_CAPACITY: Bytes = Bytes::mib(1);

/// Makes a fresh target with nothing in flight.
pub type Make<'a> = &'a mut dyn FnMut() -> Box<dyn Target>;

/// Every case, on one kind of target.
pub fn all(make: Make<'_>) {
    every_io_comes_back_once_with_stamps_in_order(make);
    a_full_queue_is_an_answer_and_a_completion_makes_room(make);
    with_nothing_in_flight_waiting_ends_at_its_time(make);
    waiting_without_an_end_for_nothing_returns_at_once(make);
    a_time_that_has_passed_does_not_wait(make);
    a_flush_completes_after_what_was_written(make);
    a_target_may_be_dropped_with_ios_in_flight(make);
}

/// Each submitted tag completes once, and is sent after it was submitted, complete after it was
/// sent, and seen after it was complete.
pub fn every_io_comes_back_once_with_stamps_in_order(make: Make<'_>) {
    let mut target = make();
    let depth = target.info().max_in_flight.min(200);
    let mut submitted = vec![None; depth as usize];
    let mut free: Vec<u32> = (0..depth).collect();
    let mut places = Places::on(target.as_ref());
    let mut done = Vec::new();
    let (mut sent, mut finished, total) = (0, 0, u64::from(depth) * 10);
    while finished < total {
        while sent < total
            && let Some(tag) = free.pop()
        {
            submitted[tag as usize] = Some(target.now());
            let io = places.next();
            let taken = target.submit(Tag(tag), &io);
            assert_eq!(taken, Ok(()), "{} of {depth} in flight", free.len());
            sent += 1;
        }
        target.wait(None, &mut done);
        for d in done.drain(..) {
            check_done(target.as_ref(), &d, submitted[d.tag.0 as usize].take());
            free.push(d.tag.0);
            finished += 1;
        }
    }
    target.wait(None, &mut done);
    assert!(done.is_empty(), "more came back than was sent: {done:?}");
}

fn check_done(target: &dyn Target, done: &Done, submitted: Option<Instant>) {
    let now = target.now();
    let Some(submitted) = submitted else {
        panic!("{done:?} came back, but is not in flight");
    };
    assert!(
        submitted <= done.sent && done.sent <= done.at && done.at <= now,
        "submitted {submitted:?}, {done:?}, now {now:?}"
    );
    assert_eq!(done.outcome, Outcome::Complete, "{done:?}");
}

/// One I/O more than fits is refused; after a completion there is room again.
pub fn a_full_queue_is_an_answer_and_a_completion_makes_room(make: Make<'_>) {
    let mut target = make();
    let depth = target.info().max_in_flight;
    let mut places = Places::on(target.as_ref());
    for tag in 0..depth {
        let io = places.next();
        assert_eq!(target.submit(Tag(tag), &io), Ok(()), "{tag} of {depth}");
    }
    let io = places.next();
    assert!(
        target.submit(Tag(0), &io).is_err(),
        "took {depth} and one more"
    );
    let mut done = Vec::new();
    while done.is_empty() {
        target.wait(None, &mut done);
    }
    let free = done[0].tag;
    assert_eq!(target.submit(free, &io), Ok(()), "after {done:?}");
    drain(target.as_mut(), depth as usize + 1 - done.len());
}

/// With nothing in flight a wait does not return early.
pub fn with_nothing_in_flight_waiting_ends_at_its_time(make: Make<'_>) {
    let mut target = make();
    let mut done = Vec::new();
    for micros in [0, 1, 700, 3_000] {
        let until = target.now() + Duration::from_micros(micros);
        target.wait(Some(until), &mut done);
        assert!(
            target.now() >= until,
            "{:?} is before {until:?}",
            target.now()
        );
        assert!(done.is_empty());
    }
}

/// With nothing in flight and no time to wait for there is nothing to wait for.
pub fn waiting_without_an_end_for_nothing_returns_at_once(make: Make<'_>) {
    let mut done = Vec::new();
    make().wait(None, &mut done);
    assert!(done.is_empty());
}

/// A wait until a time in the past returns, and the I/O in flight still completes later.
pub fn a_time_that_has_passed_does_not_wait(make: Make<'_>) {
    let mut target = make();
    let io = Places::on(target.as_ref()).next();
    let past = target.now();
    assert_eq!(target.submit(Tag(0), &io), Ok(()));
    let mut done = Vec::new();
    target.wait(Some(past), &mut done);
    let left = 1 - done.len();
    drain(target.as_mut(), left);
}

/// Where writing is allowed: writes, then a flush, all of them complete.
pub fn a_flush_completes_after_what_was_written(make: Make<'_>) {
    let mut target = make();
    if !target.info().writable {
        return;
    }
    let block = target.info().block;
    for stamp in 0..5 {
        let io = Io::write(block * stamp, block, stamp);
        assert_eq!(target.submit(Tag(0), &io), Ok(()));
        drain(target.as_mut(), 1);
    }
    assert_eq!(target.submit(Tag(0), &Io::flush()), Ok(()));
    drain(target.as_mut(), 1);
}

/// Dropping a target with a full queue, handed over or not, is allowed.
pub fn a_target_may_be_dropped_with_ios_in_flight(make: Make<'_>) {
    for handed_over in [false, true] {
        let mut target = make();
        let mut places = Places::on(target.as_ref());
        for tag in 0..target.info().max_in_flight {
            let io = places.next();
            assert_eq!(target.submit(Tag(tag), &io), Ok(()));
        }
        if handed_over {
            let now = target.now();
            target.wait(Some(now), &mut Vec::new());
        }
        drop(target);
    }
}

fn drain(target: &mut dyn Target, mut left: usize) {
    let mut done = Vec::new();
    while left > 0 {
        target.wait(None, &mut done);
        left -= done.len();
        for d in done.drain(..) {
            assert_eq!(d.outcome, Outcome::Complete, "{d:?}");
        }
    }
    target.wait(None, &mut done);
    assert!(done.is_empty(), "more came back than was sent: {done:?}");
}

/// Reads (and writes, where they are allowed) of one to eight blocks anywhere.
struct Places {
    rng: Rng,
    block: Bytes,
    blocks: u64,
    writable: bool,
}

impl Places {
    fn on(target: &dyn Target) -> Places {
        let info = target.info();
        assert!(info.capacity >= LEAST_CAPACITY, "{}", info.capacity);
        Places {
            rng: Rng::new(0xc0f0),
            block: info.block,
            blocks: info.capacity.get() / info.block.get(),
            writable: info.writable,
        }
    }

    fn next(&mut self) -> Io {
        let len = 1 + self.rng.below(8);
        let offset = self.block * self.rng.below(self.blocks - len + 1);
        let write = self.writable && self.rng.below(2) == 0;
        Io {
            op: if write { Op::Write } else { Op::Read },
            ..Io::write(offset, self.block * len, self.rng.next_u64())
        }
    }
}
