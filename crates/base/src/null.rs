//! A target without a drive: the meter's floor.
//!
//! Every I/O takes exactly the configured time (zero by default), in virtual time and with unlimited parallelism. It
//! measures the overhead of the run loop itself, and tests of the loop know every latency to the nanosecond.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::io::Io;
use crate::size::Bytes;
use crate::target::{Busy, Done, Info, Outcome, Tag, Target};
use crate::time::{Duration, Instant};

/// A target whose I/Os take a fixed time.
#[derive(Debug)]
pub struct Null {
    info: Info,
    service: Duration,
    lanes: Option<Vec<Instant>>,
    now: Instant,
    running: BinaryHeap<Reverse<(Instant, Tag, Instant)>>,
}

impl Null {
    /// A target of `capacity` with 512-byte blocks; I/Os take `service`, however many there are.
    pub fn new(capacity: Bytes, service: Duration) -> Null {
        let info = Info {
            capacity,
            block: Bytes::SECTOR,
            max_in_flight: 4_096,
            writable: true,
        };
        Null {
            info,
            service,
            lanes: None,
            now: Instant::ZERO,
            running: BinaryHeap::new(),
        }
    }

    /// Only `servers` I/Os are served at a time, in order; the others wait.
    #[must_use]
    pub fn with_servers(mut self, servers: usize) -> Null {
        self.lanes = Some(vec![Instant::ZERO; servers.max(1)]);
        self
    }

    /// Offsets and lengths are multiples of `block`.
    ///
    /// # Panics
    /// Where `block` is zero.
    #[must_use]
    pub fn with_block(mut self, block: Bytes) -> Null {
        assert!(!block.is_zero(), "a block has at least one byte");
        self.info.block = block;
        self
    }

    /// Takes no more than `depth` I/Os at once.
    #[must_use]
    pub fn with_depth(mut self, depth: u32) -> Null {
        self.info.max_in_flight = depth.max(1);
        self
    }
}

impl Target for Null {
    fn info(&self) -> Info {
        self.info
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn submit(&mut self, tag: Tag, _: &Io) -> Result<(), Busy> {
        if self.running.len() >= self.info.max_in_flight as usize {
            return Err(Busy);
        }
        let start = match self.lanes.as_mut().and_then(|lanes| lanes.iter_mut().min()) {
            None => self.now,
            Some(free) => {
                let start = (*free).max(self.now);
                *free = start + self.service;
                start
            }
        };
        self.running
            .push(Reverse((start + self.service, tag, self.now)));
        Ok(())
    }

    fn next(&self) -> Option<Instant> {
        self.running.peek().map(|Reverse((at, _, _))| *at)
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        match self.running.peek() {
            Some(&Reverse((at, tag, sent))) if until.is_none_or(|u| at <= u) => {
                self.running.pop();
                self.now = self.now.max(at);
                done.push(Done {
                    tag,
                    sent,
                    at,
                    outcome: Outcome::Complete,
                });
            }
            _ => self.now = self.now.max(until.unwrap_or(self.now)),
        }
    }
}
