//! Drives that work unlike drivelab's own models, for tests of what infers a drive's inside from its timings.
//!
//! An estimator that is only tried on the models of its own author may have learnt their habits in place of the
//! mechanisms. The drives here come from a list of other mechanisms that real drives have or could have: hashed
//! striping, parity dies, random replacement in the map cache, compressed maps, writes that go where a die is free,
//! power credits, a media cache on a conventional disk. Each is built from a plain [`Description`], which is its truth:
//! [`Alien::truth`] shows it. Hundreds are drawn from seeds ([`Alien::draw`]).
//!
//! They share nothing with `sim` and are simpler: one walk a request, a die is a time at which it is free, time is
//! virtual. There are no contents (a read gives no data, a labelled read is never compared), no power cuts, no health.
//! Only tests depend on this crate.

mod description;
mod disk;
mod draw;
mod port;
mod ssd;

use base::io::Io;
use base::size::Bytes;
use base::target::{Busy, Done, Info, Tag, Target};
use base::time::Instant;

pub use description::*;
pub use draw::Family;
use port::{Medium, Port};

/// A drive, as a target in virtual time.
pub struct Alien {
    truth: Description,
    info: Info,
    port: Port,
    medium: Box<dyn Medium>,
}

impl Alien {
    /// The drive of a description; an SSD that is `filled` was written once from its beginning to its end.
    ///
    /// # Panics
    /// Where the description makes no sense: dies of a hash that are not a power of two, more than 64 dies, no room.
    pub fn new(truth: Description) -> Alien {
        let (capacity, medium): (Bytes, Box<dyn Medium>) = match &truth.inside {
            Inside::Ssd(ssd) => (ssd.capacity, Box::new(ssd::Ssd::new(ssd, truth.seed))),
            Inside::Disk(disk) => (disk.capacity, Box::new(disk::Disk::new(disk))),
        };
        let info = Info {
            capacity,
            block: Bytes::SECTOR,
            max_in_flight: truth.link.queue.max(1),
            writable: true,
        };
        Alien {
            port: Port::new(truth.link, info),
            truth,
            info,
            medium,
        }
    }

    /// A description of a family, every parameter drawn by the seed from the ranges that stand in `draw.rs`.
    pub fn draw(family: Family, seed: u64) -> Description {
        draw::description(family, seed)
    }

    /// All there is to be found out.
    pub fn truth(&self) -> &Description {
        &self.truth
    }

    /// The die that has the data at an offset now; nothing for a disk, and for what was never written or was trimmed.
    pub fn die_of(&self, offset: Bytes) -> Option<u32> {
        self.medium.die_of(offset)
    }
}

impl Target for Alien {
    fn info(&self) -> Info {
        self.info
    }

    fn now(&self) -> Instant {
        self.port.now()
    }

    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        self.port.submit(tag, io)
    }

    fn next(&self) -> Option<Instant> {
        self.port.next(self.medium.as_ref())
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        self.port.wait(self.medium.as_mut(), until, done);
    }
}
