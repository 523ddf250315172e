//! A real target, open: it gets an engine for each phase, as deep and with buffers as large as the
//! phase needs.

use std::fs::File;
use std::path::PathBuf;

use base::fault::{Faults, Faulty};
use base::size::Bytes;
use base::target::{Info, Target};
use base::workload::Workload;
use base::zone::{Management, Zone, ZoneLimits, Zoned};
use inspect::{ClaimedDevice, Presence, Root};
use uring::open::{IsLost, MOST_DEPTH, OpenError, Options, RealTarget};
use uring::testfile::TestFile;

/// A real target: a device, a file of the user's, or a test file.
pub struct RealDrive {
    pub(crate) held: Held,
    /// What messages call it.
    pub(crate) path: PathBuf,
    pub(crate) engine: Options,
    pub(crate) faults: Option<Faults>,
    /// Of a zoned device.
    pub(crate) zones: Option<ZoneLimits>,
}

/// The handle that keeps it open.
pub(crate) enum Held {
    /// A device or file that is only read, or a user's own file that may be written.
    File(File),
    /// A device that is ours alone.
    Claimed(Box<ClaimedDevice>),
    Test(TestFile),
}

/// Most memory that a phase's buffers take.
const MOST_BUFFERS: Bytes = Bytes::gib(1);
/// I/Os that an open loop may have in flight on a real target.
const OPEN_DEPTH: u32 = 256;

/// The zones of a zoned device; queried only if it has any.
impl Zoned for RealDrive {
    fn limits(&self) -> ZoneLimits {
        self.zones.unwrap_or(ZoneLimits {
            management: Management::HostManaged,
            zones: 0,
            zone_length: Bytes::ZERO,
            max_open: None,
            max_active: None,
            max_append: None,
        })
    }

    fn report(&mut self, from: Bytes, most: usize) -> Result<Vec<Zone>, i32> {
        uring::zones::report(self.file(), from, most)
    }
}

impl RealDrive {
    /// Whether it has zones.
    pub fn is_zoned(&self) -> bool {
        self.zones.is_some()
    }

    /// The handle that keeps it open.
    pub fn file(&self) -> &File {
        match &self.held {
            Held::File(file) => file,
            Held::Claimed(device) => device.file(),
            Held::Test(file) => file.file(),
        }
    }

    /// Whether the page cache is between us and the drive.
    pub fn is_buffered(&self) -> bool {
        self.engine.buffered
    }

    /// The engine for one phase.
    ///
    /// # Errors
    /// If the target cannot be opened in the requested way.
    pub fn target_for(&self, work: &Workload) -> Result<Box<dyn Target>, OpenError> {
        let target = self.opened(&self.options_for(work))?;
        Ok(match &self.faults {
            None => Box::new(target),
            Some(faults) => Box::new(Faulty::new(target, faults.clone())),
        })
    }

    fn opened(&self, options: &Options) -> Result<RealTarget, OpenError> {
        let file = self.file();
        let presence = Presence::of(&Root::new("/"), file);
        let is_lost = presence
            .map(|presence| -> IsLost { Box::new(move |device| presence.lost(device).is_some()) });
        Ok(uring::open::share(file, &self.path, options)?.watched_by(is_lost))
    }

    fn options_for(&self, work: &Workload) -> Options {
        let depth = work.jobs.iter().fold(0_u32, |sum, job| {
            sum.saturating_add(if job.depth() == u32::MAX {
                OPEN_DEPTH
            } else {
                job.depth()
            })
        });
        let largest = work
            .jobs
            .iter()
            .map(|job| job.largest())
            .max()
            // A phase of flushes alone moves nothing.
            .filter(|largest| !largest.is_zero())
            .unwrap_or(Bytes::kib(4));
        let affordable = MOST_BUFFERS.get() / largest.get().max(1);
        let depth = depth
            .clamp(1, MOST_DEPTH)
            .min(u32::try_from(affordable.max(1)).unwrap_or(u32::MAX));
        Options {
            depth,
            largest_io: largest,
            ..self.engine.clone()
        }
    }

    /// Its properties, and how I/Os are issued, in words.
    pub(crate) fn describe(&self) -> Result<(Info, String), OpenError> {
        let target = self.opened(&self.engine)?;
        let info = Info {
            max_in_flight: MOST_DEPTH,
            ..target.info()
        };
        Ok((info, target.describe().to_owned()))
    }
}
