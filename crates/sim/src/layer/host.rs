//! The computer around a drive: what its processors add to each I/O, and how many it lets through.
//!
//! A processor submits and completes: each I/O takes it for a while before the drive has the
//! command and again after the drive has finished, first come, first served. So a host limits the
//! I/Os per second as a drive does. When a completion finds the processor asleep, waking it and the
//! waiting task takes a while longer: a queue of one pays that on every I/O, a deep queue keeps the
//! processor awake. More I/Os than the driver lets through wait in the host's own queue: a
//! controller in IDE mode has one command at a time, whatever the program asks for.
//!
//! A computer has several processors. Each stream of a workload, a thread of the program, has one of
//! them, in turns, and what it submits is completed there; so one thread is limited by one processor,
//! and sixteen are not. With NVMe each processor has a queue of its own, as deep as the driver makes
//! it; with AHCI they share the one that the drive has.
//!
//! An interrupt a completion costs much where there are many. A driver may *poll*: the processor looks for
//! completions by itself, and never sleeps. A controller may *coalesce*: with several commands in flight, the first
//! that is done waits a while for others, and one interrupt tells of all of them.
//!
//! A driver sends no command that is longer than it can describe: longer I/Os are cut in pieces,
//! each a command of its own with its own processor time, as many at once as the driver lets
//! through. The task wakes when the last of them is there. So one access of 1 MiB is eight commands
//! side by side behind an AHCI driver, and eight in turn in IDE mode.
//!
//! When the data of the host are safe, and what it sends for that, is in `durability`.
//!
//! How deeply a processor sleeps is in [`idle`], what else it does in [`noise`], and how the way to
//! the drive sleeps in [`link_power`].

use std::collections::VecDeque;

use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{HostRates, Info, Outcome, Tag};
use base::time::{Duration, Instant};

use crate::model::{Finished, Model};
use crate::sheet::quantity::{Count, Flag, Microseconds, quantities};
use crate::sheet::table::parameters;
use durability::{Durability, Handling};
use idle::IdleStates;
use link_power::{Link, LinkPower};
use noise::Noise;
use processor::{Processor, Work};

mod durability;
pub mod idle;
pub mod link_power;
pub mod noise;
mod processor;

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
        /// The same of a write; as of a read where nothing is said.
        after_write "after_write_us": Microseconds in 0.0..=10_000.0, maybe;
        /// Added at the end of an I/O where the processor slept.
        wake "wake_us": Microseconds in 0.0..=10_000.0;
        /// Commands that the driver lets through at once; the drive's own limit may be lower.
        depth "depth": Count("commands") in 1..=4_096;
        /// The longest command.
        largest "largest_kib": CommandSize in 4..=65_536;
        /// I/Os that the host takes at once.
        queue "queue": Count("I/Os") in 1..=4_096;
        /// Each processor has a queue of that depth.
        queue_each "queue_each": Flag, or false;
        /// The processor looks for completions, and never sleeps.
        poll "poll": Flag, or false;
        /// Interrupts are gathered where so many commands are in flight, or more; zero: never.
        coalesce_from "coalesce_from": Count("commands") in 0..=4_096, or 0;
        /// How long the first completion of a gathered interrupt waits for others.
        coalesce "coalesce_us": Microseconds in 0.0..=10_000.0, or Duration::ZERO;
        /// One flush is under way at a time, and those that wait are sent as one.
        merges_flushes "merges_flushes": Flag, or false;
    }
}

parameters! {
    /// The processors of a computer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Processors from ProcessorsConfig ["processors"] {
        /// How many there are.
        count "count": Count in 1..=256;
    }
}

/// A computer, as a drive behind it finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computer {
    /// What its driver adds to each I/O.
    pub times: HostTimes,
    /// Processors that streams are served by in turns; at least 1.
    pub processors: u32,
    /// How deeply they sleep.
    pub idle: IdleStates,
    /// What else they do.
    pub noise: Noise,
    /// How the way to the drive sleeps.
    pub link_power: LinkPower,
    /// Seeds the noise.
    pub seed: u64,
}

impl Computer {
    /// What its processors let through, where they take any time at all.
    pub fn rates(&self) -> Option<HostRates> {
        let of_an_io = self.times.before + self.times.after;
        (!of_an_io.is_zero()).then(|| HostRates {
            thread_iops: 1.0 / of_an_io.as_secs_f64(),
            threads: self.processors.max(1),
        })
    }
}

impl From<HostTimes> for Computer {
    /// One processor that sleeps lightly and does nothing else.
    fn from(times: HostTimes) -> Computer {
        Computer {
            times,
            processors: 1,
            idle: IdleStates::default(),
            noise: Noise::default(),
            link_power: LinkPower::default(),
            seed: 0,
        }
    }
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
    /// The processor that it came from.
    processor: u32,
    outcome: Outcome,
    /// A flush is to follow.
    flush_behind: bool,
}

/// A drive behind a host.
#[derive(Debug)]
pub struct Host<M> {
    inner: M,
    times: HostTimes,
    link: Link,
    durability: Durability,
    processors: Vec<Processor>,
    /// Processors from the first one on that have ever had an I/O.
    in_use: usize,
    /// The processor of the stream that submits now.
    current: u32,
    /// I/Os that the driver holds back in part.
    waiting: VecDeque<u32>,
    ways: Vec<Way>,
    /// Tags of the drive that are free; the command under each of them, and whose it is.
    free: Vec<u32>,
    commands: Vec<Io>,
    outer_of: Vec<u32>,
    finished: Vec<Finished>,
    gathered: Gathered,
}

/// Completions that wait for one interrupt.
#[derive(Debug)]
struct Gathered {
    /// When they are told; the end of time where there are none.
    until: Instant,
    completions: Vec<Finished>,
}

impl Gathered {
    /// None.
    const NONE: Gathered = Gathered {
        until: Instant::MAX,
        completions: Vec::new(),
    };
}

/// In place of a processor's number: the controller's timer of gathered completions.
const TIMER: usize = usize::MAX;

impl<M: Model> Host<M> {
    /// `inner` behind a host.
    pub fn new(inner: M, computer: impl Into<Computer>) -> Host<M> {
        let computer = computer.into();
        let times = computer.times;
        let processors = computer.processors.max(1);
        let queues = if times.queue_each { processors } else { 1 };
        let depth = times.depth.saturating_mul(queues);
        let depth = depth.min(inner.info().max_in_flight).max(1);
        let queue = times.queue.max(depth);
        let processor = |number| Processor::new(&computer, number);
        Host {
            durability: Durability::new(inner.write_caching(), times.merges_flushes),
            inner,
            times,
            link: Link::new(computer.link_power),
            processors: (0..processors).map(processor).collect(),
            in_use: 1,
            current: 0,
            waiting: VecDeque::with_capacity(queue as usize),
            ways: vec![NOWHERE; queue as usize],
            free: (0..depth).rev().collect(),
            commands: vec![Io::flush(); depth as usize],
            outer_of: vec![0; depth as usize],
            finished: Vec::new(),
            gathered: Gathered::NONE,
        }
    }

    /// Sends the next command of an I/O under a free tag of the drive.
    fn submit(&mut self, now: Instant, inner: u32, outer: u32) {
        let way = &mut self.ways[outer as usize];
        self.commands[inner as usize] = way.next_command(self.times.largest);
        self.outer_of[inner as usize] = outer;
        let processor = &mut self.processors[way.processor as usize];
        let at = self.link.takes(processor.works(now, self.times.before));
        processor.work.push_back((at, Work::Submit { inner }));
    }

    /// The drive has finished a command: its processor is interrupted.
    fn interrupted(&mut self, finished: Finished) {
        let at = finished.at;
        self.link.finished(at);
        let inner = finished.tag.0;
        let outer = self.outer_of[inner as usize];
        let way = &mut self.ways[outer as usize];
        way.pending -= 1;
        way.note(finished.outcome);
        let complete = way.pending == 0 && !way.unsent;
        let data_only = complete && way.flush_behind;
        let processor = &mut self.processors[way.processor as usize];
        let wake = if complete && !data_only && !self.times.poll {
            processor.wakes(at, self.times.wake)
        } else {
            Duration::ZERO
        };
        let after = match self.commands[inner as usize].op {
            Op::Write => self.times.after_write.unwrap_or(self.times.after),
            _ => self.times.after,
        };
        let done = processor.works(at, wake + after);
        let outcome = way.outcome;
        if data_only {
            way.flush_behind = false;
            self.data_ended(at, done, outer, outcome);
        } else if complete {
            let complete = Work::Complete { outer, outcome };
            processor.work.push_back((done, complete));
            self.flush_ended(at, outer, outcome);
        }
        self.pass_on(at, inner);
    }

    /// The data of a write that has a flush behind it are with the drive.
    fn data_ended(&mut self, at: Instant, done: Instant, outer: u32, outcome: Outcome) {
        let waits = self.durability.data_ended();
        if outcome != Outcome::Complete {
            let complete = Work::Complete { outer, outcome };
            let processor = self.ways[outer as usize].processor;
            self.processors[processor as usize]
                .work
                .push_back((done, complete));
        } else if waits {
            self.durability.wait(outer);
        } else {
            self.send_flush(at, outer);
        }
        self.next_flush(at);
    }

    /// An I/O is complete: where it was the flush under way, so are those that share it.
    fn flush_ended(&mut self, at: Instant, outer: u32, outcome: Outcome) {
        let Some(sharing) = self.durability.ended(outer) else {
            return;
        };
        for outer in sharing {
            let processor = &mut self.processors[self.ways[outer as usize].processor as usize];
            let wake = match self.times.poll {
                true => Duration::ZERO,
                false => processor.wakes(at, self.times.wake),
            };
            let done = processor.works(at, wake);
            let complete = Work::Complete { outer, outcome };
            processor.work.push_back((done, complete));
        }
        self.next_flush(at);
    }

    /// Sends the flush that all who wait share, where it is time to.
    fn next_flush(&mut self, now: Instant) {
        if let Some(outer) = self.durability.next() {
            self.send_flush(now, outer);
        }
    }

    /// Sends a flush in an I/O's name.
    fn send_flush(&mut self, now: Instant, outer: u32) {
        let way = &mut self.ways[outer as usize];
        (way.rest, way.unsent) = (Io::flush(), true);
        self.send(now, outer);
    }

    /// Sends an I/O's commands, as far as the driver lets them through.
    fn send(&mut self, now: Instant, outer: u32) {
        while self.ways[outer as usize].unsent {
            let Some(inner) = self.free.pop() else {
                self.waiting.push_back(outer);
                return;
            };
            self.submit(now, inner, outer);
        }
    }

    /// The processors are interrupted by all that the drive has finished, at once or when others are there, too.
    fn interrupted_by_all(&mut self) {
        let in_flight = self.commands.len() - self.free.len();
        let from = self.times.coalesce_from as usize;
        let gathers = from > 0 && in_flight >= from || self.gathered.until != Instant::MAX;
        while let Some(finished) = self.finished.pop() {
            if !gathers {
                self.interrupted(finished);
                continue;
            }
            let until = finished.at + self.times.coalesce;
            self.gathered.until = self.gathered.until.min(until);
            self.gathered.completions.push(finished);
        }
    }

    /// One interrupt tells of all that were gathered.
    fn tell_gathered(&mut self) {
        let Gathered { until, completions } = std::mem::replace(&mut self.gathered, Gathered::NONE);
        for finished in completions {
            self.interrupted(Finished {
                at: until,
                ..finished
            });
        }
    }

    /// When a processor or the timer has something to do next, and which: at equal times the first of them.
    #[inline]
    fn own(&self) -> (Instant, usize) {
        let mut first = (self.processors[0].next(), 0);
        for (number, processor) in self.processors[..self.in_use].iter().enumerate().skip(1) {
            let at = processor.next();
            if at < first.0 {
                first = (at, number);
            }
        }
        if self.gathered.until < first.0 {
            first = (self.gathered.until, TIMER);
        }
        first
    }

    /// A processor's next work is done.
    fn work_on(&mut self, number: usize, done: &mut Vec<Finished>) {
        if number == TIMER {
            return self.tell_gathered();
        }
        let processor = &mut self.processors[number];
        let Some((at, work)) = processor.work.pop_front() else {
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

    /// Gives a free tag of the drive to the I/O that has waited longest.
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
    processor: 0,
    outcome: Outcome::Complete,
    flush_behind: false,
};

impl Way {
    fn new(io: &Io, processor: u32) -> Way {
        Way {
            rest: *io,
            unsent: true,
            processor,
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
        self.rest.len -= largest;
        command
    }

    /// The first command that goes wrong decides how the I/O ends.
    fn note(&mut self, outcome: Outcome) {
        if self.outcome == Outcome::Complete {
            self.outcome = outcome;
        }
    }
}

impl<M: Model> Model for Host<M> {
    fn beneath(&self) -> Option<&dyn Model> {
        Some(&self.inner)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Model> {
        Some(&mut self.inner)
    }

    fn zoned(&mut self) -> Option<&mut dyn base::zone::Zoned> {
        self.inner.zoned()
    }

    fn info(&self) -> Info {
        Info {
            max_in_flight: self.ways.len() as u32,
            ..self.inner.info()
        }
    }

    fn next_from(&mut self, stream: u32) {
        self.current = stream % self.processors.len() as u32;
        self.in_use = self.in_use.max(self.current as usize + 1);
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        let mut io = *io;
        let handling = match io.op == Op::Flush || io.durable {
            true => self.durability.handle(&mut io),
            false => Handling::Sent,
        };
        self.ways[tag.0 as usize] = Way {
            flush_behind: handling == Handling::FlushBehind,
            ..Way::new(&io, self.current)
        };
        match handling {
            Handling::Sent | Handling::FlushBehind => self.send(now, tag.0),
            Handling::Nothing => {
                let processor = &mut self.processors[self.current as usize];
                let done = processor.works(now, Duration::ZERO);
                let complete = Work::Complete {
                    outer: tag.0,
                    outcome: Outcome::Complete,
                };
                processor.work.push_back((done, complete));
            }
            Handling::NextFlush => {
                self.durability.wait(tag.0);
                self.next_flush(now);
            }
        }
    }

    #[inline]
    fn next(&self) -> Option<Instant> {
        let (own, _) = self.own();
        let at = self.inner.next().map_or(own, |inner| own.min(inner));
        (at != Instant::MAX).then_some(at)
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let (own, processor) = self.own();
        // At equal times the drive goes first: its completions are older than what the host does.
        if own != Instant::MAX && self.inner.next().is_none_or(|inner| own < inner) {
            self.work_on(processor, done);
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
            let (own, processor) = self.own();
            if let Some(at) = self.inner.advance(own.min(until), &mut self.finished) {
                last = Some(at);
            }
            if !self.finished.is_empty() {
                self.interrupted_by_all();
            } else if own <= until && own != Instant::MAX {
                self.work_on(processor, done);
                last = Some(own);
            } else {
                break;
            }
        }
        last
    }

    fn power_cut(&mut self, at: Instant) {
        for processor in &mut self.processors {
            processor.power_cut(at);
        }
        self.link.power_cut(at);
        self.durability.power_cut();
        self.waiting.clear();
        self.gathered = Gathered::NONE;
        self.free = (0..self.outer_of.len() as u32).rev().collect();
        self.inner.power_cut(at);
    }
}

#[cfg(test)]
mod tests;
