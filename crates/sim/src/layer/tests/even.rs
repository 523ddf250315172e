//! A drive for the tests of layers: every I/O takes the same time, any number at once. It notes
//! what it was given, and loses at a power cut what it was told to lose.

use std::collections::VecDeque;

use base::io::Io;
use base::size::Bytes;
use base::target::{Info, Outcome, Tag};
use base::time::{Duration, Instant};
use base::workload::Span;

use crate::model::{Finished, Model, WriteCaching};

pub(crate) struct Even {
    pub(crate) capacity: Bytes,
    pub(crate) takes: Duration,
    pub(crate) under_way: VecDeque<(Instant, Tag)>,
    /// Most that were under way at once.
    pub(crate) most: usize,
    pub(crate) started: Vec<Io>,
    pub(crate) hinted: Vec<Io>,
    /// What a power cut loses.
    pub(crate) volatile: Vec<Span>,
    /// How every I/O ends.
    pub(crate) outcome: Outcome,
    /// What it says of its write cache.
    pub(crate) caching: WriteCaching,
}

impl Even {
    pub(crate) fn new(capacity: Bytes, takes: Duration) -> Even {
        Even {
            capacity,
            takes,
            under_way: VecDeque::new(),
            most: 0,
            started: Vec::new(),
            hinted: Vec::new(),
            volatile: Vec::new(),
            outcome: Outcome::Complete,
            caching: WriteCaching::Back {
                durable_writes: false,
            },
        }
    }
}

impl Model for Even {
    fn info(&self) -> Info {
        Info {
            capacity: self.capacity,
            block: Bytes::SECTOR,
            max_in_flight: 32,
            writable: true,
        }
    }
    fn hint(&mut self, upcoming: &[Io]) {
        self.hinted.extend(upcoming);
    }
    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        assert!(self.under_way.len() < 32, "more than it said it takes");
        self.started.push(*io);
        self.under_way.push_back((now + self.takes, tag));
        self.most = self.most.max(self.under_way.len());
    }
    fn next(&self) -> Option<Instant> {
        self.under_way.front().map(|(at, _)| *at)
    }
    fn step(&mut self, done: &mut Vec<Finished>) {
        let Some((at, tag)) = self.under_way.pop_front() else {
            panic!("stepped with nothing to do");
        };
        let outcome = self.outcome;
        done.push(Finished { tag, at, outcome });
    }
    fn power_cut(&mut self, _: Instant) {
        self.under_way.clear();
    }
    fn write_caching(&self) -> WriteCaching {
        self.caching
    }
    fn lost(&self) -> Vec<Span> {
        self.volatile.clone()
    }
    fn at_risk(&mut self, _: Instant, span: Span) -> Vec<Span> {
        let all = self.volatile.iter();
        all.filter_map(|part| part.within(span)).collect()
    }
}

/// Steps a model until nothing is left to do.
pub(crate) fn drain(model: &mut dyn Model) -> Vec<Finished> {
    let mut done = Vec::new();
    while model.next().is_some() {
        model.step(&mut done);
    }
    done
}
