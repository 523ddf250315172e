//! The boundary inside the simulator: a drive or a layer over drives, without a clock.
//!
//! A model does not answer a submission with a completion time: it could not, since an I/O may wait
//! for another that is not there yet (reordering, a full cache, write-back after the last one). It
//! keeps an agenda instead, says when something happens next, and is stepped event by event.

use base::health::Health;
use base::io::Io;
use base::target::{Info, Outcome, Tag};
use base::time::Instant;
use base::workload::Span;
use base::zone::Zoned;

#[cfg(feature = "event-log")]
use crate::event_log::Event;

/// One completion of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Which I/O.
    pub tag: Tag,
    /// When it completed, in the target's time.
    pub at: Instant,
    /// How it ended.
    pub outcome: Outcome,
}

/// What a drive says of its write cache, which decides what a host does about writes that have to be safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteCaching {
    /// None that is volatile, or it is switched off: whatever is acknowledged is safe, and a host sends no flush.
    Through,
    /// A volatile one.
    Back {
        /// A write may be durable by itself (FUA). Where it may not, a host sends a flush behind it.
        durable_writes: bool,
    },
}

impl WriteCaching {
    /// What several drives are together.
    pub fn and(self, other: WriteCaching) -> WriteCaching {
        match (self, other) {
            (WriteCaching::Through, one) | (one, WriteCaching::Through) => one,
            (
                WriteCaching::Back { durable_writes },
                WriteCaching::Back {
                    durable_writes: others,
                },
            ) => WriteCaching::Back {
                durable_writes: durable_writes && others,
            },
        }
    }
}

/// A modelled drive, or a layer over one: it has no clock of its own.
pub trait Model {
    /// What it says of itself.
    fn info(&self) -> Info;

    /// The model beneath a layer: what the layer says nothing of, that one answers.
    fn beneath(&self) -> Option<&dyn Model> {
        None
    }

    /// The same, mutable.
    fn beneath_mut(&mut self) -> Option<&mut dyn Model> {
        None
    }

    /// I/Os that are likely to be started soon: a chance to fetch tables into the cache. Changes no
    /// result.
    fn hint(&mut self, upcoming: &[Io]) {
        if let Some(beneath) = self.beneath_mut() {
            beneath.hint(upcoming);
        }
    }

    /// The stream whose I/Os arrive from now on, as [`base::target::Target::next_from`] says.
    fn next_from(&mut self, stream: u32) {
        if let Some(beneath) = self.beneath_mut() {
            beneath.next_from(stream);
        }
    }

    /// An I/O arrives. `now` never goes back, and is never later than [`Model::next`]. No more than
    /// `info().max_in_flight` are started without a completion.
    fn start(&mut self, now: Instant, tag: Tag, io: &Io);

    /// When something happens if no I/O is submitted; `None` if nothing will.
    fn next(&self) -> Option<Instant>;

    /// Lets that one thing happen; appends what it finished (often nothing).
    ///
    /// Called only where [`Model::next`] is `Some`.
    fn step(&mut self, done: &mut Vec<Finished>);

    /// Lets things happen, none of them after `until`, until one of them finishes an I/O: what
    /// [`Model::next`] and [`Model::step`] do in turns, in one call. Gives the time of the last
    /// thing that happened; `None` if nothing did.
    fn advance(&mut self, until: Instant, done: &mut Vec<Finished>) -> Option<Instant> {
        let mut last = None;
        while done.is_empty()
            && let Some(at) = self.next()
            && at <= until
        {
            self.step(done);
            last = Some(at);
        }
        last
    }

    /// The power fails at a given time: what is in flight is lost, volatile caches are emptied.
    fn power_cut(&mut self, at: Instant);

    /// What the last power cut lost of data whose writes had been completed, in order of address;
    /// nothing if the drive keeps all acknowledged data.
    fn lost(&self) -> Vec<Span> {
        self.beneath().map_or_else(Vec::new, Model::lost)
    }

    /// What of a range a power failure at a given time would lose of data whose writes were completed, in order of
    /// address; what is on its way may be counted, too. A model that loses something says what, or all of the range.
    /// Changes no result.
    fn at_risk(&mut self, at: Instant, span: Span) -> Vec<Span> {
        let beneath = self.beneath_mut();
        beneath.map_or_else(Vec::new, |beneath| beneath.at_risk(at, span))
    }

    /// Whether a flush that is answered was done, and a durable write is on stable storage.
    fn honours_flushes(&self) -> bool {
        self.beneath().is_none_or(Model::honours_flushes)
    }

    /// What it says of its write cache.
    fn write_caching(&self) -> WriteCaching {
        let unsaid = WriteCaching::Back {
            durable_writes: false,
        };
        self.beneath().map_or(unsaid, Model::write_caching)
    }

    /// What the drive says of its health, from its counters; nothing for a layer without a drive
    /// beneath it.
    fn health(&self) -> Option<Health> {
        self.beneath()?.health()
    }

    /// What zones it has, as [`base::target::Target::zoned`] says: of the layers only one that moves no address says so.
    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        None
    }

    /// What has happened inside since the last time; a log is kept from the first time on. Nothing for a layer.
    #[cfg(feature = "event-log")]
    fn happened(&mut self) -> Vec<(Instant, Event)> {
        Vec::new()
    }
}

impl Model for Box<dyn Model> {
    fn info(&self) -> Info {
        (**self).info()
    }
    fn beneath(&self) -> Option<&dyn Model> {
        Some(&**self)
    }
    fn beneath_mut(&mut self) -> Option<&mut dyn Model> {
        Some(&mut **self)
    }
    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        (**self).start(now, tag, io);
    }
    fn next(&self) -> Option<Instant> {
        (**self).next()
    }
    fn step(&mut self, done: &mut Vec<Finished>) {
        (**self).step(done);
    }
    fn advance(&mut self, until: Instant, done: &mut Vec<Finished>) -> Option<Instant> {
        (**self).advance(until, done)
    }
    fn power_cut(&mut self, at: Instant) {
        (**self).power_cut(at);
    }
    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        (**self).zoned()
    }
    #[cfg(feature = "event-log")]
    fn happened(&mut self) -> Vec<(Instant, Event)> {
        (**self).happened()
    }
}
