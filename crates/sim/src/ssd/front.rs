//! The front end: what a command passes between the host and the translation layer.
//!
//! A command comes over the link ([`crate::interface::link`]), takes the [`controller`]'s time, and
//! is a read (`read`, helped by [`read_ahead`]), a write (`write` into the [`buffer`]), a trim or a
//! `flush`. [`map_cache`] says which part of the map is at hand, [`thermal`] when a hot drive
//! slows down, `volatile` what a power cut would take. `commands` is where each command begins and ends.

use std::collections::VecDeque;

use base::target::{Outcome, Tag};
use base::time::{Duration, Instant};

use super::parameters::Parameters;
use crate::interface::link::Link;
use crate::model::Finished;
use crate::ssd::scatter::dispatch::Dispatch;
use buffer::Buffer;
use commands::Request;
use completions::Completions;
use controller::Controller;
use flush::Flushes;
use operation_shortage::OperationShortage;
use volatile::Volatile;
use write::DataPhase;

use super::flash::layout::PAGE;

pub mod buffer;
pub(super) mod commands;
mod completions;
pub mod controller;
pub(super) mod drain;
pub mod flush;
pub mod map_cache;
mod operation_shortage;
mod read;
pub mod read_ahead;
pub mod thermal;
pub(super) mod volatile;
mod write;

/// The link, the controller and the commands in flight.
#[derive(Debug)]
pub(super) struct Front {
    pub(super) link: Link,
    pub(super) controller: Controller,
    /// A write never asks the flash earlier than a read that came before it.
    keeps_order: bool,
    /// The host's commands, by tag.
    pub(super) requests: Vec<Request>,
    pub(super) in_flight: u32,
    /// Commands whose completion is on the link, in order: the link serves them so.
    completions: Completions,
    /// The first of them, or the timer.
    next_due: Instant,
    /// Reads that found no free operation for their next page.
    stalled_reads: VecDeque<u32>,
    shortage: OperationShortage,
    /// When the last command was complete.
    pub(super) last_active: Instant,
    /// The host is idle after so long without a command.
    pub(super) idle_after: Duration,
    /// There is something to do when the host is idle.
    pub(super) idle_work: bool,
    /// When to find out whether the host is idle; [`Instant::MAX`] if that is not needed.
    pub(super) timer: Instant,
}

/// Written data on their way to the flash, and what makes them safe.
#[derive(Debug)]
pub(super) struct WriteCache {
    pub(super) buffer: Buffer,
    /// Bytes of a write that are asked for at once.
    piece: u64,
    pub(super) data_phase: DataPhase,
    pub(super) flushes: Flushes,
    pub(super) volatile: Volatile,
}

impl Front {
    /// No command in flight.
    pub(super) fn new(p: &Parameters, seed: u64) -> Front {
        let dispatch = (p.scatter.dispatch).map(|rules| Dispatch::new(rules, seed));
        let controller = Controller::new(p.controller, dispatch);
        Front {
            link: Link::new(p.link),
            keeps_order: controller.keeps_order(),
            controller,
            requests: vec![Request::NONE; p.queue as usize],
            in_flight: 0,
            completions: Completions::default(),
            next_due: Instant::MAX,
            stalled_reads: VecDeque::new(),
            shortage: OperationShortage::default(),
            last_active: Instant::ZERO,
            idle_after: p.idle_after,
            idle_work: false,
            timer: Instant::MAX,
        }
    }

    /// The power has failed: no command is in flight, link and controller are idle.
    pub(super) fn power_cut(&mut self, at: Instant, p: &Parameters) {
        self.link = Link::new(p.link);
        self.controller.power_cut();
        self.in_flight = 0;
        self.completions = Completions::default();
        self.stalled_reads.clear();
        self.shortage = OperationShortage::default();
        self.last_active = at;
        self.timer = Instant::MAX;
        self.next_due = Instant::MAX;
    }

    /// The first completion on the link, or the timer; [`Instant::MAX`] where there is neither.
    #[inline(always)]
    pub(super) fn next_due(&self) -> Instant {
        self.next_due
    }

    /// A command's completion is on the link until a given time.
    #[inline]
    pub(super) fn completes(&mut self, end: Instant, tag: u32) {
        self.completions.push(end, tag);
        self.next_due = self.next_due.min(end);
    }

    /// The tag of the command that is complete at [`Front::next_due`]; `None` if that is the timer.
    #[inline(always)]
    pub(super) fn take_completion(&mut self) -> Option<u32> {
        (self.completions.next() == self.next_due).then(|| self.completions.take())
    }

    /// Finds out what is due next.
    #[inline]
    pub(super) fn look_ahead(&mut self) {
        self.next_due = self.completions.next().min(self.timer);
    }

    /// A command is complete.
    #[inline]
    pub(super) fn finish(&mut self, at: Instant, tag: u32, done: &mut Vec<Finished>) {
        self.in_flight -= 1;
        self.last_active = at;
        debug_assert!(
            self.requests[tag as usize].is_whole(),
            "all bytes of a command have moved when it ends"
        );
        let outcome = match self.requests[tag as usize].error {
            0 => Outcome::Complete,
            error => Outcome::Failed(error),
        };
        done.push(Finished {
            tag: Tag(tag),
            at,
            outcome,
        });
        if self.idle_work {
            self.arm(at);
        }
    }

    /// Sets when to find out whether the host is idle.
    pub(super) fn set_timer(&mut self, at: Instant) {
        self.timer = at;
        self.next_due = self.next_due.min(at);
    }

    /// The same, where it is not set yet.
    pub(super) fn arm(&mut self, now: Instant) {
        if self.timer == Instant::MAX {
            self.set_timer(now + self.idle_after);
        }
    }

    /// Whether the host has been silent long enough for the drive's own work.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        self.in_flight == 0 && now >= self.last_active + self.idle_after
    }
}

impl WriteCache {
    /// Empty, of the size that the parameters say.
    pub(super) fn new(p: &Parameters) -> WriteCache {
        WriteCache {
            buffer: Buffer::new(p.buffer.get() / PAGE),
            piece: write::PIECE.min(p.piece()),
            data_phase: DataPhase::default(),
            flushes: Flushes::default(),
            volatile: Volatile::new(),
        }
    }

    /// The power has failed. What that lost has been noted in `volatile` before.
    pub(super) fn power_cut(&mut self) {
        self.buffer.clear();
        self.data_phase = DataPhase::default();
        self.flushes = Flushes::default();
    }
}
