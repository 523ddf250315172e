//! What a host does to have data safe: when it sends a flush, and which wait for one together.
//!
//! A drive that reports no volatile cache gets no flush, and no write that is durable by itself: what it has acknowledged
//! is safe. A drive that reports one but has no durable writes (FUA; the kernel does not use it on SATA) gets a flush
//! behind such a write.
//!
//! Linux has one flush under way for each drive. Those that come meanwhile wait and are sent as one when it has ended,
//! and a flush behind a durable write waits while the data of other such writes are under way, so that it covers them,
//! too.
//!
//! Source: the kernel's block/blk-flush.c, which describes the rules (its first comment, C1 and C2).

use base::io::{Io, Op};

use crate::model::WriteCaching;

/// What a host does about an I/O that has to be safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handling {
    /// It is sent as it is.
    Sent,
    /// There is nothing to do: it is complete.
    Nothing,
    /// It waits for the next flush.
    NextFlush,
    /// It is sent as a plain write, and a flush behind it.
    FlushBehind,
}

/// The flushes of one drive.
#[derive(Debug)]
pub(super) struct Durability {
    caching: WriteCaching,
    /// One flush at a time, for all that wait.
    merges: bool,
    /// The I/O in whose name a flush is under way, and those that share it.
    running: Option<u32>,
    sharing: Vec<u32>,
    /// I/Os that wait for the next flush.
    waiting: Vec<u32>,
    /// Writes under way that have a flush behind them.
    data: u32,
}

impl Durability {
    pub(super) fn new(caching: WriteCaching, merges: bool) -> Durability {
        Durability {
            caching,
            merges,
            running: None,
            sharing: Vec::new(),
            waiting: Vec::new(),
            data: 0,
        }
    }

    /// What is to be done about an I/O, which is changed to what the drive gets.
    pub(super) fn handle(&mut self, io: &mut Io) -> Handling {
        let durable = std::mem::take(&mut io.durable) && io.op == Op::Write;
        match (io.op, self.caching) {
            (Op::Flush, WriteCaching::Through) => Handling::Nothing,
            (Op::Flush, _) if self.merges => Handling::NextFlush,
            (Op::Write, WriteCaching::Back { durable_writes }) if durable => {
                io.durable = durable_writes;
                if durable_writes {
                    return Handling::Sent;
                }
                self.data += 1;
                Handling::FlushBehind
            }
            _ => Handling::Sent,
        }
    }

    /// The data of a write that has a flush behind it are with the drive, or it failed; says whether that flush waits
    /// for others.
    pub(super) fn data_ended(&mut self) -> bool {
        self.data -= 1;
        self.merges
    }

    /// An I/O waits for the next flush.
    pub(super) fn wait(&mut self, outer: u32) {
        self.waiting.push(outer);
    }

    /// The I/O in whose name a flush is to be sent now, if one is.
    pub(super) fn next(&mut self) -> Option<u32> {
        if self.running.is_some() || self.data > 0 || self.waiting.is_empty() {
            return None;
        }
        std::mem::swap(&mut self.sharing, &mut self.waiting);
        self.running = Some(self.sharing.remove(0));
        self.running
    }

    /// An I/O is complete: where it was the flush under way, gives those that share its outcome.
    pub(super) fn ended(&mut self, outer: u32) -> Option<Vec<u32>> {
        self.running.take_if(|running| *running == outer)?;
        Some(std::mem::take(&mut self.sharing))
    }

    /// The power is gone.
    pub(super) fn power_cut(&mut self) {
        *self = Durability::new(self.caching, self.merges);
    }
}
