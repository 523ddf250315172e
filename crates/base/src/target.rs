//! The block-device interface of real and simulated drives.
//!
//! A target owns the clock. A ring over a real drive reads the machine's; a modelled drive jumps from event to event.
//! Submission never blocks: if the queue is full it returns [`Busy`], and the caller reaps a completion and retries. A
//! real target submits in batches, at the next [`Target::wait`]: so only the target knows when an I/O was really
//! submitted, and [`Done`] carries that time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::health::Health;
use crate::io::Io;
use crate::label::Differs;
use crate::pauses::Observer;
use crate::size::Bytes;
use crate::span::Span;
use crate::time::Instant;
use crate::zone::Zoned;

/// Which of the I/Os in flight: a slot number below [`Info::max_in_flight`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(pub u32);

/// The properties of every target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TargetInfo")]
pub struct Info {
    /// Bytes that can be addressed.
    pub capacity: Bytes,
    /// Offsets and lengths are multiples of this.
    pub block: Bytes,
    /// Most I/Os that may be in flight at once; tags stay below it.
    pub max_in_flight: u32,
    /// False where writes are refused.
    pub writable: bool,
}

/// The bandwidth of the path to a drive in each direction, in MB/s of data: the lower of its own link and its slot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkRates {
    /// From the drive.
    pub read_mb_s: f64,
    /// To the drive.
    pub write_mb_s: f64,
}

/// What the processors of a modelled computer let through.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostRates {
    /// I/Os a second that one processor submits and completes: all that a single thread can have, whatever the drive does.
    pub thread_iops: f64,
    /// How many of them serve the threads of a workload.
    pub threads: u32,
}

/// Queue full: reap a completion and retry. Not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

/// How an I/O ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of it was done.
    Complete,
    /// Only this many bytes were moved.
    Short(Bytes),
    /// It was transferred completely, but a labelled read found other data than was written.
    Differs(Differs),
    /// The operating system's (or the model's) error number, positive, as in `errno.h`.
    Failed(i32),
    /// The path to the target failed, with this error number: whether the I/O was done is not known, and nothing more
    /// can be sent.
    Broken(i32),
}

impl Outcome {
    /// True if the error means that the device is gone (ENXIO, ENODEV, ESHUTDOWN, ENOMEDIUM; Linux numbers).
    pub const fn is_gone(self) -> bool {
        matches!(self, Outcome::Failed(6 | 19 | 108 | 123))
    }
}

/// One completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Which I/O.
    pub tag: Tag,
    /// When it was handed to the drive (or to the kernel in front of it).
    pub sent: Instant,
    /// When it was complete.
    pub at: Instant,
    /// How it ended.
    pub outcome: Outcome,
}

/// Anything that takes block I/O.
///
/// A layer over another target (faults, a recorder) returns what is below it, and overrides what it changes; all other
/// methods default to the target below. So a layer forwards nothing by hand, and a new method passes through every
/// layer.
pub trait Target {
    /// Its properties.
    fn info(&self) -> Info;

    /// The target below a layer.
    fn beneath(&self) -> Option<&dyn Target> {
        None
    }

    /// The same, mutable.
    fn beneath_mut(&mut self) -> Option<&mut dyn Target> {
        None
    }

    /// The target's own time.
    fn now(&self) -> Instant;

    /// I/Os that are likely to be submitted soon, in order. A model fetches its tables meanwhile; a
    /// ring has no use for it. Never changes any result.
    fn hint(&mut self, upcoming: &[Io]) {
        if let Some(beneath) = self.beneath_mut() {
            beneath.hint(upcoming);
        }
    }

    /// The stream whose I/Os are submitted from now on, from 0. A modelled computer with several
    /// processors serves each stream on one of them; a real one does so by itself.
    fn next_from(&mut self, stream: u32) {
        if let Some(beneath) = self.beneath_mut() {
            beneath.next_from(stream);
        }
    }

    /// Queues one I/O under a tag that is not in flight.
    ///
    /// # Errors
    /// [`Busy`] where nothing more can be queued before a completion is taken.
    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy>;

    /// Submits what is queued and waits until something completes or `until` is reached; appends the completions to
    /// `done`. A real target appends all that are available, a modelled one stops at its next event, since the next
    /// submission changes what follows. May return without a completion. With nothing in flight it returns at `until`,
    /// or at once if that is `None`.
    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>);

    /// The time of the next event if nothing is submitted, if the target knows it: a modelled one does. Code that
    /// synchronises a model with another clock sleeps until then.
    fn next(&self) -> Option<Instant> {
        self.beneath()?.next()
    }

    /// A modelled drive's health, from its counters. A real one is queried elsewhere, through smartctl, and returns
    /// nothing here.
    fn health(&self) -> Option<Health> {
        self.beneath()?.health()
    }

    /// Cuts and restores the power of a modelled drive; what is in flight never completes. False if nothing was done: a
    /// real drive's power cannot be cut.
    fn power_cut(&mut self) -> bool {
        self.beneath_mut()
            .is_some_and(|beneath| beneath.power_cut())
    }

    /// Reports when the measuring program itself was stopped; nothing in virtual time.
    fn observer(&self) -> Option<&dyn Observer> {
        self.beneath()?.observer()
    }

    /// What zones it has; nothing for a target that is written anywhere.
    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        self.beneath_mut()?.zoned()
    }

    /// What the last power cut lost of data whose writes had been acknowledged, in order of address.
    fn lost(&self) -> Vec<Span> {
        self.beneath().map_or_else(Vec::new, Target::lost)
    }

    /// Which acknowledged writes in a range a power cut now would lose, in order of address; writes in flight may be
    /// included. Never changes any result. Unknown for a real drive, so there it is the whole range.
    fn at_risk(&mut self, span: Span) -> Vec<Span> {
        match self.beneath_mut() {
            Some(beneath) => beneath.at_risk(span),
            None => vec![span],
        }
    }

    /// Whether a completed flush was really done, and an acknowledged durable write is on stable storage.
    fn honours_flushes(&self) -> bool {
        self.beneath().is_none_or(Target::honours_flushes)
    }
}

impl<T: Target + ?Sized> Target for Box<T> {
    fn info(&self) -> Info {
        (**self).info()
    }
    fn now(&self) -> Instant {
        (**self).now()
    }
    fn hint(&mut self, upcoming: &[Io]) {
        (**self).hint(upcoming);
    }
    fn next_from(&mut self, stream: u32) {
        (**self).next_from(stream);
    }
    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        (**self).submit(tag, io)
    }
    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        (**self).wait(until, done);
    }
    fn next(&self) -> Option<Instant> {
        (**self).next()
    }
    fn health(&self) -> Option<Health> {
        (**self).health()
    }
    fn power_cut(&mut self) -> bool {
        (**self).power_cut()
    }
    fn observer(&self) -> Option<&dyn Observer> {
        (**self).observer()
    }
    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        (**self).zoned()
    }

    fn lost(&self) -> Vec<Span> {
        (**self).lost()
    }

    fn at_risk(&mut self, span: Span) -> Vec<Span> {
        (**self).at_risk(span)
    }

    fn honours_flushes(&self) -> bool {
        (**self).honours_flushes()
    }
}
