//! A delay: every I/O comes back later by a fixed time, as over a network or a slow bus.
//!
//! The drive works as without it, and any number of I/Os are delayed side by side, so a queue hides
//! a delay and a lone access does not. Parameters: the time added to a read, to a write, and to a
//! trim or flush (as to a write).

use std::collections::BTreeMap;

use base::io::{Io, Op};
use base::target::{Info, Tag};
use base::time::{Duration, Instant};

use crate::model::{Finished, Model};

/// A model whose I/Os come back later.
#[derive(Debug)]
pub struct Delay<M> {
    inner: M,
    read: Duration,
    write: Duration,
    /// By tag: what is added to the I/O in flight.
    added: Vec<Duration>,
    /// Finished by the drive, by the time at which they come back; equal ones in order.
    held: BTreeMap<(Instant, u64), Finished>,
    count: u64,
    finished: Vec<Finished>,
}

impl<M: Model> Delay<M> {
    /// `inner`, with times added.
    pub fn new(inner: M, read: Duration, write: Duration) -> Delay<M> {
        let depth = inner.info().max_in_flight as usize;
        Delay {
            inner,
            read,
            write,
            added: vec![Duration::ZERO; depth],
            held: BTreeMap::new(),
            count: 0,
            finished: Vec::new(),
        }
    }

    fn first_held(&self) -> Option<Instant> {
        self.held.first_key_value().map(|((at, _), _)| *at)
    }
}

impl<M: Model> Model for Delay<M> {
    fn beneath(&self) -> Option<&dyn Model> {
        Some(&self.inner)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Model> {
        Some(&mut self.inner)
    }

    fn info(&self) -> Info {
        self.inner.info()
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        self.added[tag.0 as usize] = if io.op == Op::Read {
            self.read
        } else {
            self.write
        };
        self.inner.start(now, tag, io);
    }

    fn next(&self) -> Option<Instant> {
        let both = [self.inner.next(), self.first_held()];
        both.into_iter().flatten().min()
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let held = self.first_held();
        let inner = self.inner.next();
        if held.is_some_and(|held| inner.is_none_or(|inner| held < inner)) {
            done.extend(self.held.pop_first().map(|(_, finished)| finished));
            return;
        }
        self.inner.step(&mut self.finished);
        for finished in self.finished.drain(..) {
            let at = finished.at + self.added[finished.tag.0 as usize];
            let later = Finished { at, ..finished };
            self.held.insert((at, self.count), later);
            self.count += 1;
        }
    }

    fn power_cut(&mut self, at: Instant) {
        self.held.clear();
        self.inner.power_cut(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::tests::even::{Even, drain};
    use base::size::Bytes;

    fn times(read_us: u64, write_us: u64) -> Vec<(u32, u64)> {
        let us = Duration::from_micros;
        let mut delay = Delay::new(Even::new(Bytes::mib(1), us(100)), us(read_us), us(write_us));
        let four = Bytes::kib(4);
        delay.start(Instant::ZERO, Tag(0), &Io::read(Bytes::ZERO, four));
        delay.start(Instant::ZERO, Tag(1), &Io::write(Bytes::ZERO, four, 1));
        delay.start(Instant::ZERO, Tag(2), &Io::read(Bytes::ZERO, four));
        let done = drain(&mut delay);
        let us = |f: &Finished| (f.tag.0, f.at.as_nanos() / 1_000);
        done.iter().map(us).collect()
    }

    #[test]
    fn reads_and_writes_come_back_later_side_by_side() {
        assert_eq!(times(0, 0), [(0, 100), (1, 100), (2, 100)]);
        assert_eq!(times(50, 10), [(1, 110), (0, 150), (2, 150)]);
    }
}
