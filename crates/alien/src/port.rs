//! The host's side of every drive: queue, command processing and link.
//!
//! A command goes through the front end, which works on one at a time, in order of arrival. A write's data then cross
//! the link before the medium sees the command; a read's data cross it when the medium has the first of them, and the
//! read is complete when the last ones are there and across. The link has one direction at a time (SATA) or both at once
//! (PCI Express); it goes to whoever is ready first, not to whoever was sent first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{Busy, Done, Info, Outcome, Tag};
use base::time::Instant;

use crate::description::Link;

/// "Invalid argument", for what no drive can do.
const EINVAL: i32 = 22;

/// When a medium has the first byte of an answer, and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) first: Instant,
    pub(crate) last: Instant,
}

impl Served {
    pub(crate) fn at(at: Instant) -> Served {
        Served {
            first: at,
            last: at,
        }
    }
}

/// What is behind the port.
pub(crate) trait Medium {
    /// Takes a command, of a write with its data; answers at once where the times are known already.
    fn take(&mut self, now: Instant, tag: Tag, io: &Io) -> Option<Served>;

    /// When it does something by itself.
    fn next(&self) -> Option<Instant> {
        None
    }

    /// Does it, and answers commands that waited for it.
    fn step(&mut self, _answers: &mut Vec<(Tag, Served)>) {}

    fn die_of(&self, _offset: Bytes) -> Option<u32> {
        None
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// The front end is done with it.
    Decoded,
    /// All that the medium needs is there.
    Taken,
    /// The first data of a read are ready for the link; the last ones will be at a later time.
    Ready(Instant),
    Refused,
    Complete,
}

#[derive(Clone, Copy, Debug)]
struct InFlight {
    io: Io,
    sent: Instant,
}

/// The queue, the front end and the link.
#[derive(Debug)]
pub(crate) struct Port {
    link: Link,
    info: Info,
    now: Instant,
    front_free: Instant,
    to_drive_free: Instant,
    to_host_free: Instant,
    slots: Vec<Option<InFlight>>,
    in_flight: u32,
    /// Events, at equal times in the order in which they were made.
    events: BinaryHeap<Reverse<(Instant, u64, Tag, Stage)>>,
    made: u64,
    answers: Vec<(Tag, Served)>,
}

impl Port {
    pub(crate) fn new(link: Link, info: Info) -> Port {
        Port {
            link,
            info,
            now: Instant::ZERO,
            front_free: Instant::ZERO,
            to_drive_free: Instant::ZERO,
            to_host_free: Instant::ZERO,
            slots: vec![None; info.max_in_flight as usize],
            in_flight: 0,
            events: BinaryHeap::new(),
            made: 0,
            answers: Vec::new(),
        }
    }

    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    pub(crate) fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        if self.in_flight == self.info.max_in_flight {
            return Err(Busy);
        }
        self.in_flight += 1;
        self.slots[tag.0 as usize] = Some(InFlight {
            io: *io,
            sent: self.now,
        });
        self.front_free = self.front_free.max(self.now) + self.link.command;
        let end = io.offset.saturating_add(io.len);
        let empty = io.len.is_zero() && io.op != Op::Flush;
        let refused = empty || io.zone.is_some() || end > self.info.capacity;
        let stage = if refused {
            Stage::Refused
        } else {
            Stage::Decoded
        };
        self.plan(self.front_free, tag, stage);
        Ok(())
    }

    pub(crate) fn next(&self, medium: &dyn Medium) -> Option<Instant> {
        let own = self.events.peek().map(|Reverse((at, ..))| *at);
        own.into_iter().chain(medium.next()).min()
    }

    pub(crate) fn wait(
        &mut self,
        medium: &mut dyn Medium,
        until: Option<Instant>,
        done: &mut Vec<Done>,
    ) {
        let had = done.len();
        // Work in the background may last for hours: without an end nothing waits for it.
        while self.in_flight > 0 || until.is_some() {
            let Some(at) = self.next(medium) else { break };
            if until.is_some_and(|until| at > until) {
                break;
            }
            self.now = self.now.max(at);
            self.one_event(medium, at, done);
            if done.len() > had {
                return;
            }
        }
        self.now = self.now.max(until.unwrap_or(self.now));
    }

    fn plan(&mut self, at: Instant, tag: Tag, stage: Stage) {
        self.made += 1;
        self.events.push(Reverse((at, self.made, tag, stage)));
    }

    fn one_event(&mut self, medium: &mut dyn Medium, at: Instant, done: &mut Vec<Done>) {
        // At equal times the host's commands come first: they may change what the medium does.
        let own = self.events.peek().is_some_and(|event| event.0.0 == at);
        if own && let Some(Reverse((at, _, tag, stage))) = self.events.pop() {
            self.advance(medium, at, tag, stage, done);
            return;
        }
        let mut answers = std::mem::take(&mut self.answers);
        medium.step(&mut answers);
        for (tag, served) in answers.drain(..) {
            self.answer(tag, served);
        }
        self.answers = answers;
    }

    fn advance(
        &mut self,
        medium: &mut dyn Medium,
        at: Instant,
        tag: Tag,
        stage: Stage,
        done: &mut Vec<Done>,
    ) {
        let Some(InFlight { io, sent }) = self.slots[tag.0 as usize] else {
            return;
        };
        match stage {
            Stage::Decoded => {
                let there = if io.op == Op::Write {
                    self.carry(at, &io)
                } else {
                    at
                };
                self.plan(there, tag, Stage::Taken);
            }
            Stage::Taken => {
                if let Some(served) = medium.take(at, tag, &io) {
                    self.answer(tag, served);
                }
            }
            Stage::Ready(last) => {
                let end = self.carry(at, &io).max(last);
                self.plan(end, tag, Stage::Complete);
            }
            Stage::Refused | Stage::Complete => {
                self.slots[tag.0 as usize] = None;
                self.in_flight -= 1;
                let outcome = match stage {
                    Stage::Refused => Outcome::Failed(EINVAL),
                    _ => Outcome::Complete,
                };
                done.push(Done {
                    tag,
                    sent,
                    at,
                    outcome,
                });
            }
        }
    }

    fn answer(&mut self, tag: Tag, served: Served) {
        let reads = self.slots[tag.0 as usize].is_some_and(|slot| slot.io.op == Op::Read);
        let first = served.first.max(self.now);
        let last = served.last.max(first);
        if reads {
            self.plan(first, tag, Stage::Ready(last));
        } else {
            self.plan(last, tag, Stage::Complete);
        }
    }

    /// Data cross the link from `at` on, at the earliest; gives when they are across.
    fn carry(&mut self, at: Instant, io: &Io) -> Instant {
        let mut free = match io.op {
            Op::Write => self.to_drive_free,
            _ => self.to_host_free,
        };
        if !self.link.both_ways {
            free = self.to_drive_free.max(self.to_host_free);
        }
        let end = at.max(free) + self.link.rate.time_for(io.len);
        match io.op {
            Op::Write => self.to_drive_free = end,
            _ => self.to_host_free = end,
        }
        end
    }
}
