//! Small writes that are programmed before they are acknowledged.
//!
//! A drive without much write buffer, or with firmware that trusts no volatile memory, programs a
//! small write at once: the unit that it falls into is filled up with padding, sent to its die, and
//! the write is acknowledged when no more than a few programs are under way. With none allowed, a
//! lone 4 KiB write takes a program's time; with `n` more allowed, a stream of them at a queue of
//! one takes the program's time divided by `n + 1`.
//!
//! Longer commands fill units of their own. Off where there is no section. Source: the write times
//! of the first controllers without DRAM, which are program times.

use std::collections::VecDeque;

use base::time::Instant;

use crate::sheet::quantity::{Count, FractionalKibibytes};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::NONE;

parameters! {
    /// Which writes wait for programs, and for how many.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub WriteThroughRules from WriteThroughConfig ["write_through"] {
        /// The largest command that waits.
        up_to "up_to_kib": FractionalKibibytes in 0.5..=1_024.0;
        /// Programs of the host's data that may still be under way when it is acknowledged.
        programs "programs": Count in 0..=1_024;
    }
}

/// Writes that wait for programs.
#[derive(Debug)]
pub(in crate::ssd) struct WriteThrough {
    rules: WriteThroughRules,
    /// Programs of the host's data under way.
    under_way: u32,
    waiting: VecDeque<u32>,
}

impl WriteThrough {
    pub(in crate::ssd) fn new(rules: WriteThroughRules) -> WriteThrough {
        WriteThrough {
            rules,
            under_way: 0,
            waiting: VecDeque::new(),
        }
    }

    /// The power has failed: nothing waits any more.
    pub(in crate::ssd) fn power_cut(&mut self) {
        *self = WriteThrough::new(self.rules);
    }

    /// A group of the host's data is on its way to its die.
    pub(in crate::ssd) fn sent(&mut self) {
        self.under_way += 1;
    }
}

impl Drive {
    /// All data of a write have their places: it is acknowledged, or waits for programs. A durable one
    /// goes on as a flush, which saves what fills no group yet; capacitors make it safe at once.
    pub(in crate::ssd) fn acknowledge(&mut self, at: Instant, tag: u32) {
        if self.front.requests[tag as usize].durable {
            return self.flush(at, tag);
        }
        let length = self.front.requests[tag as usize].left;
        match &mut self.mechanisms.write_through {
            Some(through) if length <= through.rules.up_to.get() => {
                through.waiting.push_back(tag);
                self.close_unit(at);
                self.acknowledge_waiting(at);
            }
            _ => self.status(at, tag),
        }
    }

    /// A program of the host's data has ended.
    pub(in crate::ssd) fn program_through(&mut self, at: Instant) {
        if let Some(through) = &mut self.mechanisms.write_through {
            through.under_way -= 1;
            self.acknowledge_waiting(at);
        }
    }

    fn acknowledge_waiting(&mut self, at: Instant) {
        while let Some(through) = &mut self.mechanisms.write_through {
            if through.under_way > through.rules.programs {
                return;
            }
            let Some(tag) = through.waiting.pop_front() else {
                return;
            };
            self.status(at, tag);
        }
    }

    /// Fills the unit that the host's data are in up with padding, so that it is programmed.
    fn close_unit(&mut self, at: Instant) {
        let stream = self.ftl.pool.host_stream();
        let unit = self.ftl.layout.geometry().unit_pages();
        let Some(open) = self.ftl.pool.open(stream) else {
            return;
        };
        let written = self.ftl.pool.block(open).written;
        let padding = written.next_multiple_of(unit) - written;
        if padding == 0 {
            return;
        }
        self.write_cache.buffer.take_anyway(u64::from(padding));
        let Some(placed) = self.ftl.place(stream, NONE, padding) else {
            return;
        };
        self.account.padding += u64::from(placed.count);
        if let Some(group) = placed.completed {
            self.send(at, group, stream, placed.slc);
        }
    }
}
