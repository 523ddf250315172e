//! The computer around a drive: what its processor adds to each I/O, and how many it lets through.
//!
//! One processor submits and completes: each I/O takes it for a while before the drive has the
//! command and again after the drive has finished, first come, first served. So a host limits the
//! I/Os per second as a drive does. When a completion finds the processor asleep, waking it and the
//! waiting task takes a while longer: a queue of one pays that on every I/O, a deep queue keeps the
//! processor awake. More I/Os than the driver lets through wait in the host's own queue: a
//! controller in IDE mode has one command at a time, whatever the program asks for.
//!
//! A driver sends no command that is longer than it can describe: longer I/Os are cut in pieces,
//! each a command of its own with its own processor time, as many at once as the driver lets
//! through. The task wakes when the last of them is there. So one access of 1 MiB is eight commands
//! side by side behind an AHCI driver, and eight in turn in IDE mode.

use std::collections::VecDeque;

use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{Info, Outcome, Tag};
use base::time::{Duration, Instant};

use crate::model::{Finished, Model};
use crate::sheet::quantity::{Count, Microseconds, quantities};
use crate::sheet::table::parameters;

quantities! {
    /// A command's size in KiB.
    pub CommandSize: u32, "KiB" => Bytes = |kib| Bytes::kib(u64::from(kib));
}

parameters! {
    /// What a host adds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub HostTimes from DriverConfig {
        /// Processor time of a command before the drive has it.
        before "before_us": Microseconds in 0.0..=10_000.0;
        /// Processor time of a command after the drive has finished it.
        after "after_us": Microseconds in 0.0..=10_000.0;
        /// Added at the end of an I/O where the processor slept.
        wake "wake_us": Microseconds in 0.0..=10_000.0;
        /// Commands that the driver lets through at once; the drive's own limit may be lower.
        depth "depth": Count("commands") in 1..=4_096;
        /// The longest command.
        largest "largest_kib": CommandSize in 4..=65_536;
        /// I/Os that the host takes at once.
        queue "queue": Count("I/Os") in 1..=4_096;
    }
}

/// What the processor has in hand, ready at a given time.
#[derive(Clone, Copy, Debug)]
enum Work {
    Submit { inner: u32 },
    Complete { outer: u32, outcome: Outcome },
}

/// An I/O of the program on its way, in one command or several.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// What is not sent yet.
    rest: Io,
    /// Commands that the drive has not finished.
    pending: u32,
    /// False where the last command has gone.
    unsent: bool,
    outcome: Outcome,
}

/// A drive behind a host.
#[derive(Debug)]
pub struct Host<M> {
    inner: M,
    times: HostTimes,
    /// The processor's work in order; times never fall, since it does one thing at a time.
    work: VecDeque<(Instant, Work)>,
    cpu_free: Instant,
    /// I/Os of which the driver does not let all through yet.
    waiting: VecDeque<u32>,
    ways: Vec<Way>,
    /// Tags of the drive that are free; the command under each of them, and whose it is.
    free: Vec<u32>,
    commands: Vec<Io>,
    outer_of: Vec<u32>,
    finished: Vec<Finished>,
}

impl<M: Model> Host<M> {
    /// `inner` behind a host.
    pub fn new(inner: M, times: HostTimes) -> Host<M> {
        let depth = times.depth.min(inner.info().max_in_flight).max(1);
        let queue = times.queue.max(depth);
        Host {
            inner,
            times,
            work: VecDeque::with_capacity(queue as usize),
            cpu_free: Instant::ZERO,
            waiting: VecDeque::with_capacity(queue as usize),
            ways: vec![NOWHERE; queue as usize],
            free: (0..depth).rev().collect(),
            commands: vec![Io::flush(); depth as usize],
            outer_of: vec![0; depth as usize],
            finished: Vec::new(),
        }
    }

    /// Sends the next command of an I/O under a free tag of the drive.
    fn submit(&mut self, now: Instant, inner: u32, outer: u32) {
        let way = &mut self.ways[outer as usize];
        self.commands[inner as usize] = way.next_command(self.times.largest);
        self.outer_of[inner as usize] = outer;
        self.cpu_free = now.max(self.cpu_free) + self.times.before;
        self.work.push_back((self.cpu_free, Work::Submit { inner }));
    }

    /// The drive has finished a command: the processor is interrupted.
    fn interrupted(&mut self, finished: Finished) {
        let inner = finished.tag.0;
        let outer = self.outer_of[inner as usize];
        let way = &mut self.ways[outer as usize];
        way.pending -= 1;
        way.note(finished.outcome);
        let complete = way.pending == 0 && !way.unsent;
        let asleep = self.cpu_free < finished.at;
        let wake = if asleep && complete {
            self.times.wake
        } else {
            Duration::ZERO
        };
        self.cpu_free = finished.at.max(self.cpu_free) + wake + self.times.after;
        if complete {
            let outcome = way.outcome;
            let complete = Work::Complete { outer, outcome };
            self.work.push_back((self.cpu_free, complete));
        }
        self.pass_on(finished.at, inner);
    }

    /// The processor is interrupted by all that the drive has finished.
    fn interrupted_by_all(&mut self) {
        while let Some(finished) = self.finished.pop() {
            self.interrupted(finished);
        }
    }

    /// The processor's next work is done.
    fn work_on(&mut self, done: &mut Vec<Finished>) {
        let Some((at, work)) = self.work.pop_front() else {
            return;
        };
        match work {
            Work::Submit { inner } => {
                let io = self.commands[inner as usize];
                self.inner.start(at, Tag(inner), &io);
            }
            Work::Complete { outer, outcome } => done.push(Finished {
                tag: Tag(outer),
                at,
                outcome,
            }),
        }
    }

    /// Gives a tag of the drive that has become free to who waits longest.
    fn pass_on(&mut self, now: Instant, inner: u32) {
        let Some(&next) = self.waiting.front() else {
            self.free.push(inner);
            return;
        };
        self.submit(now, inner, next);
        if !self.ways[next as usize].unsent {
            self.waiting.pop_front();
        }
    }
}

/// No I/O at all.
const NOWHERE: Way = Way {
    rest: Io::flush(),
    pending: 0,
    unsent: false,
    outcome: Outcome::Complete,
};

impl Way {
    fn new(io: &Io) -> Way {
        Way {
            rest: *io,
            unsent: true,
            ..NOWHERE
        }
    }

    /// Cuts the next command off. Only reads and writes carry data, and so have a longest command.
    fn next_command(&mut self, largest: Bytes) -> Io {
        self.pending += 1;
        let whole = !matches!(self.rest.op, Op::Read | Op::Write) || self.rest.len <= largest;
        if whole {
            self.unsent = false;
            return self.rest;
        }
        let command = Io {
            len: largest,
            ..self.rest
        };
        self.rest.offset += largest;
        self.rest.len = self.rest.len - largest;
        command
    }

    /// The first command that goes wrong decides how the I/O ends.
    fn note(&mut self, outcome: Outcome) {
        if self.outcome == Outcome::Complete {
            self.outcome = outcome;
        }
    }
}

impl<M: Model> super::Layer for Host<M> {
    type Inner = M;

    fn inner(&self) -> &M {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut M {
        &mut self.inner
    }

    fn info(&self) -> Info {
        Info {
            max_in_flight: self.ways.len() as u32,
            ..self.inner.info()
        }
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        let outer = tag.0 as usize;
        self.ways[outer] = Way::new(io);
        while self.ways[outer].unsent {
            let Some(inner) = self.free.pop() else {
                self.waiting.push_back(tag.0);
                return;
            };
            self.submit(now, inner, tag.0);
        }
    }

    #[inline]
    fn next(&self) -> Option<Instant> {
        let own = self.work.front().map(|(at, _)| *at);
        match (own, self.inner.next()) {
            (Some(own), Some(inner)) => Some(own.min(inner)),
            (own, inner) => own.or(inner),
        }
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let inner_next = self.inner.next();
        let own = self.work.front();
        // At equal times the drive goes first: its completions are older than what the host does.
        let own = own.filter(|(at, _)| inner_next.is_none_or(|inner| *at < inner));
        if own.is_some() {
            self.work_on(done);
        } else {
            self.inner.step(&mut self.finished);
            self.interrupted_by_all();
        }
    }

    // The usual way to call a drive, and most of its events finish nothing: they are let happen in
    // one call, up to the host's next own work.
    fn advance(&mut self, until: Instant, done: &mut Vec<Finished>) -> Option<Instant> {
        let mut last = None;
        while done.is_empty() {
            let own = self.work.front().map_or(Instant::MAX, |(at, _)| *at);
            if let Some(at) = self.inner.advance(own.min(until), &mut self.finished) {
                last = Some(at);
            }
            if !self.finished.is_empty() {
                self.interrupted_by_all();
            } else if own <= until && own != Instant::MAX {
                self.work_on(done);
                last = Some(own);
            } else {
                break;
            }
        }
        last
    }

    fn power_cut(&mut self, at: Instant) {
        self.work.clear();
        self.waiting.clear();
        self.free = (0..self.outer_of.len() as u32).rev().collect();
        self.cpu_free = at;
        self.inner.power_cut(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::even::Even;
    use proptest::prelude::*;

    fn host(depth: u32) -> Host<Even> {
        let drive = Even::new(Bytes::mib(1), Duration::from_micros(100));
        Host::new(
            drive,
            HostTimes {
                before: Duration::from_micros(2),
                after: Duration::from_micros(3),
                wake: Duration::from_micros(4),
                depth,
                largest: Bytes::kib(128),
                queue: 64,
            },
        )
    }

    /// Starts `n` reads at once; the times at which they are complete.
    fn run(host: &mut Host<Even>, n: u32) -> Vec<u64> {
        for tag in 0..n {
            host.start(
                Instant::ZERO,
                Tag(tag),
                &Io::read(Bytes::ZERO, Bytes::kib(4)),
            );
        }
        let mut done = Vec::new();
        while host.next().is_some() {
            host.step(&mut done);
        }
        done.iter().map(|f| f.at.as_nanos() / 1_000).collect()
    }

    proptest! {
        /// In one call up to a time, or step by step: the same completions at the same times.
        #[test]
        fn advancing_is_stepping(
            starts in prop::collection::vec((0_u64..80, 1_u64..400, any::<bool>()), 1..40),
            depth in 1_u32..8,
        ) {
            let run = |in_steps: bool| {
                let mut host = host(depth);
                let mut seen = Vec::new();
                let mut done = Vec::new();
                let mut now = Instant::ZERO;
                for (tag, (after, kib, write)) in starts.iter().enumerate() {
                    now += Duration::from_micros(*after);
                    loop {
                        if in_steps {
                            while done.is_empty() && host.next().is_some_and(|at| at <= now) {
                                host.step(&mut done);
                            }
                        } else {
                            host.advance(now, &mut done);
                        }
                        if done.is_empty() {
                            break;
                        }
                        seen.append(&mut done);
                    }
                    let (at, len) = (Bytes::kib(8), Bytes::kib(*kib));
                    let io = if *write { Io::write(at, len, 7) } else { Io::read(at, len) };
                    host.start(now, Tag(tag as u32), &io);
                }
                while host.next().is_some() {
                    host.step(&mut seen);
                }
                seen
            };
            prop_assert_eq!(run(true), run(false));
        }
    }

    #[test]
    fn a_lone_io_pays_before_wake_and_after() {
        assert_eq!(run(&mut host(32), 1), [2 + 100 + 4 + 3]);
    }

    #[test]
    fn ios_queue_on_one_processor_which_sleeps_once() {
        // Submitted at 2, 4, 6; done at 102, 104, 106; the first wakes the processor.
        assert_eq!(run(&mut host(32), 3), [109, 112, 115]);
    }

    #[test]
    fn what_the_driver_does_not_let_through_waits_in_the_host() {
        let mut host = host(1);
        let done = run(&mut host, 3);
        assert_eq!(host.inner.most, 1);
        // The next one is submitted by the interrupt: after its completion, before it is asked
        // again.
        assert_eq!(done[0], 109);
        assert_eq!(done[1], 109 + 2 + 100 + 4 + 3);
    }

    /// Starts one write of 300 KiB; the time at which it is complete.
    fn run_long(host: &mut Host<Even>) -> u64 {
        let io = Io::write(Bytes::kib(8), Bytes::kib(300), 7);
        host.start(Instant::ZERO, Tag(0), &io);
        let mut done = Vec::new();
        while host.next().is_some() {
            host.step(&mut done);
        }
        assert_eq!(done.len(), 1);
        done[0].at.as_nanos() / 1_000
    }

    #[test]
    fn a_long_io_is_cut_into_commands_side_by_side() {
        let mut host = host(32);
        // Sent at 2, 4, 6; done at 102, 104, 106; handled by 105, 108, 111, no task woken between.
        assert_eq!(run_long(&mut host), 111);
        let pieces: Vec<(u64, u64)> = (host.inner.started.iter())
            .map(|io| (io.offset.get() / 1_024, io.len.get() / 1_024))
            .collect();
        assert_eq!(pieces, [(8, 128), (136, 128), (264, 44)]);
    }

    #[test]
    fn with_one_command_at_a_time_the_pieces_follow_each_other() {
        let mut host = host(1);
        // Each takes 2 + 100 + 3, and the last wakes the task.
        assert_eq!(run_long(&mut host), 3 * 105 + 4);
        assert_eq!(host.inner.most, 1);
    }

    #[test]
    fn a_trim_and_a_flush_carry_no_data_and_stay_whole() {
        let mut host = host(32);
        let trim = Io {
            op: Op::Trim,
            ..Io::write(Bytes::ZERO, Bytes::mib(1), 0)
        };
        host.start(Instant::ZERO, Tag(0), &trim);
        host.start(Instant::ZERO, Tag(1), &Io::flush());
        let mut done = Vec::new();
        while host.next().is_some() {
            host.step(&mut done);
        }
        assert_eq!(host.inner.started, [trim, Io::flush()]);
    }

    #[test]
    fn a_command_that_fails_fails_its_io() {
        let mut way = Way::new(&Io::read(Bytes::ZERO, Bytes::kib(256)));
        way.note(Outcome::Complete);
        way.note(Outcome::Failed(5));
        way.note(Outcome::Complete);
        assert_eq!(way.outcome, Outcome::Failed(5));
    }
}
