//! A target for tests whose times follow a rule.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::target::{Busy, Done, Outcome, Tag};
use base::{Bytes, Duration, Info, Instant, Io, Target};

/// A target whose I/Os each take what a rule says, with unlimited parallelism: the rule sees the I/O and the idle time
/// before it.
pub(crate) struct Timed<F> {
    info: Info,
    service: F,
    now: Instant,
    idle_since: Instant,
    running: BinaryHeap<Reverse<(Instant, Tag, Instant)>>,
}

impl<F: FnMut(&Io, Duration) -> Duration> Timed<F> {
    pub(crate) fn new(service: F) -> Timed<F> {
        Timed {
            info: Info {
                capacity: Bytes::gib(1),
                block: Bytes::SECTOR,
                max_in_flight: 256,
                writable: true,
            },
            service,
            now: Instant::ZERO,
            idle_since: Instant::ZERO,
            running: BinaryHeap::new(),
        }
    }
}

impl<F: FnMut(&Io, Duration) -> Duration> Target for Timed<F> {
    fn info(&self) -> Info {
        self.info
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        if self.running.len() >= self.info.max_in_flight as usize {
            return Err(Busy);
        }
        let idle = if self.running.is_empty() {
            self.now.since(self.idle_since)
        } else {
            Duration::ZERO
        };
        let end = self.now + (self.service)(io, idle);
        self.running.push(Reverse((end, tag, self.now)));
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        match self.running.peek() {
            Some(&Reverse((at, tag, sent))) if until.is_none_or(|until| at <= until) => {
                self.running.pop();
                self.now = at;
                self.idle_since = at;
                let outcome = Outcome::Complete;
                done.push(Done {
                    tag,
                    sent,
                    at,
                    outcome,
                });
            }
            _ => self.now = self.now.max(until.unwrap_or(self.now)),
        }
    }
}

#[test]
fn it_keeps_the_contract() {
    fixtures::conformance::all(&mut || {
        let mut timed = Timed::new(|_: &Io, _| Duration::from_micros(3));
        timed.info.capacity = Bytes::mib(1);
        Box::new(timed)
    });
}
