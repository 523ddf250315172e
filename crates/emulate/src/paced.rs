//! A target of virtual time whose clock is led by another one.
//!
//! The clock of a modelled drive does not advance while I/Os are submitted, and jumps during a wait. Its driver sets
//! the time ([`Paced::advance`]): everything that the drive would have done until then happens, and what arrives
//! afterwards arrives at that time. How often it is advanced changes no result, so that a log of arrivals replays to
//! the same nanosecond.
//!
//! A client may have more in flight than the drive's queue holds. The excess waits here, in order, and is submitted
//! when a slot becomes free, as in a kernel's queue.

use std::collections::VecDeque;

use base::target::{Done, Outcome, Tag};
use base::{Info, Instant, Io, Span, Target};

/// The request's number, assigned by the submitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// A completed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub ticket: Ticket,
    /// When the drive completed it.
    pub at: Instant,
    /// The result.
    pub outcome: Outcome,
}

/// A target of virtual time that follows another clock.
pub struct Paced {
    target: Box<dyn Target>,
    /// By tag: the request in flight.
    in_flight: Vec<Option<Ticket>>,
    free: Vec<Tag>,
    waiting: VecDeque<(Ticket, Io)>,
    done: Vec<Done>,
}

impl Paced {
    /// The target, with nothing in flight.
    pub fn new(target: Box<dyn Target>) -> Paced {
        let most = target.info().max_in_flight;
        Paced {
            target,
            in_flight: vec![None; most as usize],
            free: (0..most).rev().map(Tag).collect(),
            waiting: VecDeque::new(),
            done: Vec::new(),
        }
    }

    /// The drive's properties.
    pub fn info(&self) -> Info {
        self.target.info()
    }

    /// The drive's clock: where it was led to.
    pub fn now(&self) -> Instant {
        self.target.now()
    }

    /// Outstanding requests.
    pub fn open(&self) -> usize {
        self.in_flight.len() - self.free.len() + self.waiting.len()
    }

    /// A request arrives, now.
    pub fn submit(&mut self, ticket: Ticket, io: &Io) {
        match self.free.pop() {
            Some(tag) if self.waiting.is_empty() => self.hand_over(tag, ticket, io),
            place => {
                self.free.extend(place);
                self.waiting.push_back((ticket, *io));
            }
        }
    }

    fn hand_over(&mut self, tag: Tag, ticket: Ticket, io: &Io) {
        if self.target.submit(tag, io).is_ok() {
            self.in_flight[tag.0 as usize] = Some(ticket);
        } else {
            // A target may take fewer at times than it has tags for.
            self.free.push(tag);
            self.waiting.push_front((ticket, *io));
        }
    }

    /// Advances to `now`: everything that the drive does until then happens; appends its completions, in order. A time
    /// in the past changes nothing.
    pub fn advance(&mut self, now: Instant, ended: &mut Vec<Ended>) {
        while self.target.now() < now || self.is_due(now) {
            self.target.wait(Some(now), &mut self.done);
            for done in std::mem::take(&mut self.done) {
                if let Some(ticket) = self.in_flight[done.tag.0 as usize].take() {
                    self.free.push(done.tag);
                    ended.push(Ended {
                        ticket,
                        at: done.at,
                        outcome: done.outcome,
                    });
                }
            }
            self.fill();
        }
    }

    /// True while something in flight still ends at this very moment.
    fn is_due(&self, now: Instant) -> bool {
        self.open() > 0 && self.target.next().is_some_and(|next| next <= now)
    }

    /// Waiting requests take the slots that have become free.
    fn fill(&mut self) {
        while let Some((ticket, io)) = self.waiting.pop_front() {
            let before = self.waiting.len();
            match self.free.pop() {
                Some(tag) => self.hand_over(tag, ticket, &io),
                None => self.waiting.push_front((ticket, io)),
            }
            if self.waiting.len() > before {
                return;
            }
        }
    }

    /// The time of the drive's next event, as long as a request is outstanding; background work while idle can be
    /// caught up with later.
    pub fn next(&self) -> Option<Instant> {
        (self.open() > 0).then(|| self.target.next()).flatten()
    }

    /// What a power cut now would lose in a range, as [`Target::at_risk`] says.
    pub fn at_risk(&mut self, span: Span) -> Vec<Span> {
        self.target.at_risk(span)
    }

    /// Whether its flushes and durable writes can be trusted.
    pub fn honours_flushes(&self) -> bool {
        self.target.honours_flushes()
    }

    /// Cuts and restores the power now. Requests in flight never complete. Returns the acknowledged data that was lost,
    /// in order of address.
    pub fn power_cut(&mut self) -> Vec<Span> {
        self.waiting.clear();
        self.free = (0..self.in_flight.len() as u32).rev().map(Tag).collect();
        self.in_flight.fill(None);
        self.target.power_cut();
        self.target.lost()
    }
}
