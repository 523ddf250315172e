//! Virtual time: the clock that makes a model a target.
//!
//! The clock stands still while I/Os are submitted and jumps to the next event when the caller
//! waits. One event's completions are handed over at a time, since the next submission changes what
//! follows.

use base::io::Io;
use base::target::{Busy, Done, Info, Outcome, Tag, Target};
use base::time::Instant;
use base::workload::Span;
use base::zone::Zoned;

use crate::model::{Finished, Model};

/// A model with a clock.
#[derive(Debug)]
pub struct Virtual<M> {
    model: M,
    now: Instant,
    sent: Vec<Instant>,
    in_flight: u32,
    most: u32,
    finished: Vec<Finished>,
}

impl<M: Model> Virtual<M> {
    /// The model at time zero.
    pub fn new(model: M) -> Virtual<M> {
        let most = model.info().max_in_flight;
        Virtual {
            model,
            now: Instant::ZERO,
            sent: vec![Instant::ZERO; most as usize],
            in_flight: 0,
            most,
            finished: Vec::new(),
        }
    }

    /// Lets one thing happen, if anything does.
    #[cold]
    fn one_thing(&mut self) {
        if let Some(at) = self.model.next() {
            self.now = self.now.max(at);
            self.model.step(&mut self.finished);
        }
    }

    /// The model itself: to look at its counters, or to cut its power.
    pub fn model(&mut self) -> &mut M {
        &mut self.model
    }
}

impl<M: Model> Target for Virtual<M> {
    fn info(&self) -> Info {
        self.model.info()
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn hint(&mut self, upcoming: &[Io]) {
        self.model.hint(upcoming);
    }

    fn next_from(&mut self, stream: u32) {
        self.model.next_from(stream);
    }

    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        if self.in_flight == self.most {
            return Err(Busy);
        }
        self.in_flight += 1;
        self.sent[tag.0 as usize] = self.now;
        self.model.start(self.now, tag, io);
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        if self.in_flight == 0 && until.is_none() {
            // Background work may continue for ever: nothing waits for it.
            self.one_thing();
        } else {
            let limit = until.unwrap_or(Instant::MAX);
            if let Some(at) = self.model.advance(limit, &mut self.finished) {
                self.now = self.now.max(at);
            }
        }
        if self.finished.is_empty() {
            self.now = self.now.max(until.unwrap_or(self.now));
            return;
        }
        self.in_flight -= self.finished.len() as u32;
        for f in &self.finished {
            let sent = self.sent[f.tag.0 as usize];
            // Nearly all are complete. Copying the enum whole would wait until its parts, written a
            // moment ago, have left the store buffer: a tenth of an I/O's time.
            if f.outcome == Outcome::Complete {
                let (tag, at, outcome) = (f.tag, f.at, Outcome::Complete);
                done.push(Done {
                    tag,
                    sent,
                    at,
                    outcome,
                });
            } else {
                hand_over(f, sent, done);
            }
        }
        self.finished.clear();
    }

    fn health(&self) -> Option<base::health::Health> {
        self.model.health()
    }

    fn next(&self) -> Option<Instant> {
        self.model.next()
    }

    fn power_cut(&mut self) -> bool {
        self.model.power_cut(self.now);
        self.in_flight = 0;
        true
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        self.model.zoned()
    }

    fn lost(&self) -> Vec<Span> {
        self.model.lost()
    }

    fn at_risk(&mut self, span: Span) -> Vec<Span> {
        self.model.at_risk(self.now, span)
    }

    fn honours_flushes(&self) -> bool {
        self.model.honours_flushes()
    }
}

/// Hands over an I/O that did not end as usual: apart, so that the usual outcome is a constant and
/// not a copy.
#[cold]
#[inline(never)]
fn hand_over(f: &Finished, sent: Instant, done: &mut Vec<Done>) {
    done.push(Done {
        tag: f.tag,
        sent,
        at: f.at,
        outcome: f.outcome,
    });
}
