//! The computer around a drive: what its processor adds to each I/O, and how many it lets through.
//!
//! One processor submits and completes: each I/O takes it for a while before the drive has the
//! command and again after the drive has finished, first come, first served. So a host limits the
//! I/Os a second as a drive does. When a completion finds the processor asleep, waking it and the
//! waiting task takes a while longer: a queue of one pays that on every I/O, a deep queue keeps the
//! processor awake. More I/Os than the driver lets through wait in the host's own queue.

use std::collections::VecDeque;

use base::io::Io;
use base::target::{Info, Outcome, Tag};
use base::time::{Duration, Instant};

use crate::model::{Finished, Model};

/// What a host adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostTimes {
    /// Processor time of an I/O before the drive has it.
    pub before: Duration,
    /// Processor time of an I/O after the drive has finished it.
    pub after: Duration,
    /// Added where the processor slept.
    pub wake: Duration,
    /// I/Os that the driver lets through at once; the drive's own limit may be lower.
    pub depth: u32,
    /// I/Os that the host takes at once.
    pub queue: u32,
}

/// What the processor has in hand, ready at a moment.
#[derive(Clone, Copy, Debug)]
enum Work {
    Submit { inner: u32 },
    Complete { outer: u32, outcome: Outcome },
}

/// A drive behind a host.
#[derive(Debug)]
pub struct Host<M> {
    inner: M,
    times: HostTimes,
    /// The processor's work in order; moments never fall, since it does one thing at a time.
    work: VecDeque<(Instant, Work)>,
    cpu_free: Instant,
    /// I/Os that the driver does not let through yet.
    waiting: VecDeque<u32>,
    ios: Vec<Io>,
    /// Tags of the drive that are free, and the host's tag behind each of them.
    free: Vec<u32>,
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
            ios: vec![Io::flush(); queue as usize],
            free: (0..depth).rev().collect(),
            outer_of: vec![0; depth as usize],
            finished: Vec::new(),
        }
    }

    fn submit(&mut self, now: Instant, inner: u32, outer: u32) {
        self.outer_of[inner as usize] = outer;
        self.cpu_free = now.max(self.cpu_free) + self.times.before;
        self.work.push_back((self.cpu_free, Work::Submit { inner }));
    }

    /// The drive has finished an I/O: the processor is interrupted.
    fn interrupted(&mut self, finished: Finished) {
        let asleep = self.cpu_free < finished.at;
        let wake = if asleep {
            self.times.wake
        } else {
            Duration::ZERO
        };
        self.cpu_free = finished.at.max(self.cpu_free) + wake + self.times.after;
        let inner = finished.tag.0;
        let outer = self.outer_of[inner as usize];
        let complete = Work::Complete {
            outer,
            outcome: finished.outcome,
        };
        self.work.push_back((self.cpu_free, complete));
        match self.waiting.pop_front() {
            Some(next) => self.submit(finished.at, inner, next),
            None => self.free.push(inner),
        }
    }
}

impl<M: Model> Model for Host<M> {
    fn info(&self) -> Info {
        Info {
            max_in_flight: self.ios.len() as u32,
            ..self.inner.info()
        }
    }

    fn hint(&mut self, upcoming: &[Io]) {
        self.inner.hint(upcoming);
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        self.ios[tag.0 as usize] = *io;
        match self.free.pop() {
            Some(inner) => self.submit(now, inner, tag.0),
            None => self.waiting.push_back(tag.0),
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
        let own = self.work.front().copied();
        // At equal times the drive goes first: its completions are older than what the host does.
        let own = own.filter(|(at, _)| inner_next.is_none_or(|inner| *at < inner));
        let Some((at, work)) = own else {
            self.inner.step(&mut self.finished);
            while let Some(finished) = self.finished.pop() {
                self.interrupted(finished);
            }
            return;
        };
        self.work.pop_front();
        match work {
            Work::Submit { inner } => {
                let io = self.ios[self.outer_of[inner as usize] as usize];
                self.inner.start(at, Tag(inner), &io);
            }
            Work::Complete { outer, outcome } => done.push(Finished {
                tag: Tag(outer),
                at,
                outcome,
            }),
        }
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
    use base::size::Bytes;

    /// A drive that takes the same time for each I/O, any number at once.
    struct Even {
        takes: Duration,
        under_way: VecDeque<(Instant, Tag)>,
        most: usize,
    }

    impl Model for Even {
        fn info(&self) -> Info {
            Info {
                capacity: Bytes::mib(1),
                block: Bytes::SECTOR,
                max_in_flight: 32,
                writable: true,
            }
        }
        fn start(&mut self, now: Instant, tag: Tag, _: &Io) {
            self.under_way.push_back((now + self.takes, tag));
            self.most = self.most.max(self.under_way.len());
        }
        fn next(&self) -> Option<Instant> {
            self.under_way.front().map(|(at, _)| *at)
        }
        fn step(&mut self, done: &mut Vec<Finished>) {
            if let Some((at, tag)) = self.under_way.pop_front() {
                done.push(Finished {
                    tag,
                    at,
                    outcome: Outcome::Complete,
                });
            }
        }
        fn power_cut(&mut self, _: Instant) {
            self.under_way.clear();
        }
    }

    fn host(depth: u32) -> Host<Even> {
        let drive = Even {
            takes: Duration::from_micros(100),
            under_way: VecDeque::new(),
            most: 0,
        };
        Host::new(
            drive,
            HostTimes {
                before: Duration::from_micros(2),
                after: Duration::from_micros(3),
                wake: Duration::from_micros(4),
                depth,
                queue: 64,
            },
        )
    }

    /// Starts `n` reads at once; the moments at which they are complete.
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
        // The next one is submitted by the interrupt: after its completion, before it is asked again.
        assert_eq!(done[0], 109);
        assert_eq!(done[1], 109 + 2 + 100 + 4 + 3);
    }
}
