//! A drive that serves one command at a time, in order of arrival.
//!
//! Without command queueing nothing overtakes anything, so a command's end follows from the time
//! at which its turn comes: such a drive only says how long a command takes, and the agenda is one
//! time. Commands that a host sends meanwhile wait.

use std::collections::VecDeque;

use base::io::{Io, Op};
use base::target::{Info, Outcome, Tag};
use base::time::Instant;
use base::workload::Span;

use crate::model::{Finished, Model};

/// "Invalid argument", for an I/O outside the drive.
const EINVAL: i32 = 22;

/// What a drive does with its one command.
pub trait Serve {
    /// What it says of itself.
    fn info(&self) -> Info;

    /// Serves a command whose turn comes at `now`; gives the time at which it is complete.
    fn serve(&mut self, now: Instant, io: &Io) -> Instant;

    /// Refuses a command; gives the time at which the host knows.
    fn refuse(&mut self, now: Instant) -> Instant;

    /// The power fails at a given time.
    fn power_cut(&mut self, at: Instant);

    /// What the last power cut lost of acknowledged data, in order of address.
    fn lost(&self) -> Vec<Span> {
        Vec::new()
    }

    /// What of a range a power failure at a given time would lose, as [`Model::at_risk`] says.
    fn at_risk(&self, at: Instant, span: Span) -> Vec<Span> {
        let _ = (at, span);
        Vec::new()
    }
}

/// A drive and the commands that wait for it.
#[derive(Clone, Debug)]
pub struct OneAtATime<S> {
    drive: S,
    waiting: VecDeque<(Tag, Io)>,
    active: Option<Finished>,
}

impl<S: Serve> OneAtATime<S> {
    /// A drive at rest.
    pub fn new(drive: S) -> OneAtATime<S> {
        OneAtATime {
            drive,
            waiting: VecDeque::new(),
            active: None,
        }
    }

    /// The drive itself: to look at.
    pub fn drive(&self) -> &S {
        &self.drive
    }

    fn begin(&mut self, now: Instant, tag: Tag, io: &Io) {
        let capacity = self.drive.info().capacity.get();
        let within = io.offset.get().checked_add(io.len.get());
        let empty = io.len.is_zero() && io.op != Op::Flush;
        self.active = Some(if empty || within.is_none_or(|end| end > capacity) {
            Finished {
                tag,
                at: self.drive.refuse(now),
                outcome: Outcome::Failed(EINVAL),
            }
        } else {
            Finished {
                tag,
                at: self.drive.serve(now, io),
                outcome: Outcome::Complete,
            }
        });
    }
}

impl<S: Serve> Model for OneAtATime<S> {
    fn info(&self) -> Info {
        self.drive.info()
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        if self.active.is_some() {
            self.waiting.push_back((tag, *io));
        } else {
            self.begin(now, tag, io);
        }
    }

    fn next(&self) -> Option<Instant> {
        self.active.map(|finished| finished.at)
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let Some(finished) = self.active.take() else {
            return;
        };
        done.push(finished);
        if let Some((tag, io)) = self.waiting.pop_front() {
            self.begin(finished.at, tag, &io);
        }
    }

    fn power_cut(&mut self, at: Instant) {
        self.waiting.clear();
        self.active = None;
        self.drive.power_cut(at);
    }

    fn lost(&self) -> Vec<Span> {
        self.drive.lost()
    }

    fn at_risk(&mut self, at: Instant, span: Span) -> Vec<Span> {
        self.drive.at_risk(at, span)
    }
}
