//! A controller that does one thing at a time: a read waits until no program is under way on any die.
//!
//! The controllers of 2008 and 2009 had one core that waited for the flash, and no way to let a read pass by. Writes
//! behind writes are fast, since programs on several dies overlap, and so are reads behind reads. Where the two take
//! turns, each read waits for the programs of the write before it, and no data of a write are taken while one waits: the
//! stutter of a copy within such a drive (`read_policy = "drain"`). Collection goes on meanwhile, as a write may wait for
//! the room that it makes.

use std::collections::VecDeque;

use base::time::Instant;

use crate::ssd::drive::Drive;

/// Programs under way, and the reads that wait for their end.
#[derive(Debug, Default)]
pub(in crate::ssd) struct Drain {
    programs: u32,
    reads: VecDeque<u32>,
}

impl Drain {
    /// A group is sent to its die.
    pub(in crate::ssd) fn begins(&mut self) {
        self.programs += 1;
    }

    /// The power has failed.
    pub(in crate::ssd) fn power_cut(&mut self) {
        *self = Drain::default();
    }
}

impl Drive {
    /// A read has passed the controller: whether it has to wait for programs.
    pub(in crate::ssd) fn waits_for_programs(&mut self, tag: u32) -> bool {
        let Some(drain) = &mut self.mechanisms.drain else {
            return false;
        };
        if drain.programs > 0 {
            drain.reads.push_back(tag);
        }
        drain.programs > 0
    }

    /// Whether a read waits, so that no data of a write are taken.
    #[inline]
    pub(in crate::ssd) fn is_draining(&self) -> bool {
        let drain = self.mechanisms.drain.as_ref();
        drain.is_some_and(|drain| !drain.reads.is_empty())
    }

    /// A program has ended: reads that waited for the last one go on.
    pub(in crate::ssd) fn drained(&mut self, at: Instant) {
        let Some(drain) = &mut self.mechanisms.drain else {
            return;
        };
        drain.programs -= 1;
        if drain.programs > 0 {
            return;
        }
        for tag in std::mem::take(&mut drain.reads) {
            self.ask_all(at, tag);
        }
    }
}
