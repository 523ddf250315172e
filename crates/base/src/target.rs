//! The boundary between those who ask and what answers: anything that takes block I/O.
//!
//! A target owns the clock. A ring over a real drive reads the machine's; a modelled drive jumps
//! from event to event. Submission never blocks: a full queue is an answer ([`Busy`]), after which
//! the caller waits for a completion and tries again. A real target hands submissions over in
//! batches, at the next [`Target::wait`]: so it is the target that knows when an I/O was really
//! sent, and [`Done`] carries that moment.

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

/// What every target says of itself.
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

/// What the way to a drive carries each way, in MB/s of data: the slower of its own link and its slot.
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

/// The queue is full: take a completion and try again. An answer, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

/// How an I/O ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of it was done.
    Complete,
    /// Only this many bytes were moved.
    Short(Bytes),
    /// All of it was moved, but a labelled read did not find what was written there.
    Differs(Differs),
    /// The operating system's (or the model's) error number, positive, as in `errno.h`.
    Failed(i32),
    /// The way to the target broke, with this error number: whether the I/O was done is not known, and
    /// nothing more can be sent.
    Broken(i32),
}

impl Outcome {
    /// True where the error says that the device is no longer there (ENXIO, ENODEV, ESHUTDOWN,
    /// ENOMEDIUM; numbers of Linux).
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
/// A layer over another target (faults, a record) says what is beneath it, and answers what it changes itself; all the
/// rest that has an answer here is then that of the target beneath. So a layer forwards nothing by hand, and a new
/// question to targets passes through every layer.
pub trait Target {
    /// What it says of itself.
    fn info(&self) -> Info;

    /// The target that a layer lies over.
    fn beneath(&self) -> Option<&dyn Target> {
        None
    }

    /// The same, to ask for what may change it.
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

    /// Hands over what is queued and waits until something completes or `until` is reached; appends
    /// the completions to `done`. A real target appends all that there are, a modelled one stops at
    /// its next event, since the next submission changes what follows. May return without a
    /// completion. With nothing in flight it returns at `until`, or at once where that is `None`.
    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>);

    /// When something happens next if nothing is submitted, where the target knows: a modelled one does. Whoever
    /// leads a model's clock along another one sleeps until then.
    fn next(&self) -> Option<Instant> {
        self.beneath()?.next()
    }

    /// What a modelled drive says of its health, from its counters. A real one is asked elsewhere,
    /// through smartctl, and answers nothing here.
    fn health(&self) -> Option<Health> {
        self.beneath()?.health()
    }

    /// The power of a modelled drive fails and comes back; what is in flight is never answered. False where
    /// nothing was done: nobody cuts a real drive's.
    fn power_cut(&mut self) -> bool {
        self.beneath_mut()
            .is_some_and(|beneath| beneath.power_cut())
    }

    /// Who knows when the program that measures stood still itself; nobody in virtual time.
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

    /// What of a range a power cut now would lose of data whose writes were acknowledged, in order of address; what is
    /// on its way may be counted, too. Never changes any result. Nobody knows it of a real drive, so there it is all.
    fn at_risk(&mut self, span: Span) -> Vec<Span> {
        match self.beneath_mut() {
            Some(beneath) => beneath.at_risk(span),
            None => vec![span],
        }
    }

    /// Whether a flush that is answered was done, and a durable write that is acknowledged is on stable storage.
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
