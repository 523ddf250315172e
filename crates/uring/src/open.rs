//! Opening a real target: a file or a block device, with the fastest valid I/O path of this machine.
//!
//! Direct I/O is the default, since the page cache would measure the computer's memory. If a file does not support
//! direct I/O, that is an error with advice, never a silent fallback. How the I/Os are issued is chosen here and named
//! in the result ([`RealTarget::describe`]):
//!
//! 1. io_uring, wherever the kernel has it and can begin an I/O on this target without blocking;
//! 2. plain calls in the caller's thread (*psync inline*) where the data are in memory and the
//!    kernel cannot begin an I/O without blocking (tmpfs, zram: io_uring would hand every access to
//!    a worker thread), and at depth 1 without io_uring;
//! 3. plain calls in a pool of threads (*psync*) in all other cases.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use base::io::Io;
use base::record::Observer;
use base::size::Bytes;
use base::target::{Busy, Done, Info, Tag, Target};
use base::time::Instant;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::medium::{Medium, Unfit};
use crate::own_time::OwnTime;
use crate::psync::PsyncTarget;
use crate::ring::{Plan, RingTarget};

mod choice;
mod error;
mod guard;

pub use error::OpenError;

use guard::Guard;
pub use guard::IsLost;

use choice::{Choice, Reason, choose, describe_plain, describe_ring, plain, why_no_ring};

/// I/Os in flight at most; a ring of Linux holds no more entries than 32,768, and no drive has use
/// for as many.
pub const MOST_DEPTH: u32 = 4_096;
/// Buffers for all I/Os in flight together at most.
pub const MOST_MEMORY: Bytes = Bytes::gib(4);

/// How a target is to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Through the page cache instead of direct.
    pub buffered: bool,
    /// Whether writes wait for stable storage.
    pub sync: Sync,
    /// Writes are refused.
    pub read_only: bool,
    /// The unit of offsets and lengths, where it is to be another one than the target's own; a
    /// multiple of that.
    pub block: Option<Bytes>,
    /// Most I/Os in flight, 1 to [`MOST_DEPTH`].
    pub depth: u32,
    /// The largest read or write; longer ones fail with EINVAL. 1 byte to 1 GiB.
    pub largest_io: Bytes,
    /// How I/Os are issued.
    pub engine: Engine,
}

impl Default for Options {
    /// Direct, read only, 64 I/Os of at most 1 MiB in flight, the engine chosen.
    fn default() -> Options {
        Options {
            buffered: false,
            sync: Sync::None,
            read_only: true,
            block: None,
            depth: 64,
            largest_io: Bytes::mib(1),
            engine: Engine::Auto,
        }
    }
}

/// When a write is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// When the drive (or, buffered, the kernel) has taken it.
    #[default]
    None,
    /// When it is on stable storage: `O_SYNC`.
    OSync,
}

/// How I/Os are issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The faster path.
    #[default]
    Auto,
    /// io_uring or nothing.
    Uring,
    /// Plain system calls.
    Psync,
}

/// A file or a block device, open.
pub struct RealTarget {
    way: Way,
    guard: Guard,
    description: String,
    own_time: Option<OwnTime>,
}

enum Way {
    Ring(Box<RingTarget>),
    Psync(PsyncTarget),
}

/// Opens a file or a block device by its path. A file is not created.
///
/// # Errors
/// See [`OpenError`].
pub fn open(path: &Path, options: &Options) -> Result<RealTarget, OpenError> {
    let (access, purpose) = match options.read_only {
        true => (OFlags::RDONLY, "reading"),
        false => (OFlags::RDWR, "writing"),
    };
    // Non-blocking only for the opening itself: a pipe without a reader would wait for one.
    let flags = access | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| OpenError::Open {
        path: path.to_owned(),
        purpose,
        errno,
    })?;
    adopt(file, path, options)
}

/// Takes over a file or a block device that is already open: a nameless test file, or a device that
/// was opened exclusively. `path` is what messages call it.
///
/// # Errors
/// See [`OpenError`].
pub fn adopt(file: OwnedFd, path: &Path, options: &Options) -> Result<RealTarget, OpenError> {
    check(path, options)?;
    let unfit = |unfit| match unfit {
        Unfit::NotStorage(what) => OpenError::NotStorage {
            path: path.to_owned(),
            what,
        },
        Unfit::NoDirectIo { kind } => OpenError::NoDirectIo {
            path: path.to_owned(),
            kind,
        },
        Unfit::Failed { call, errno } => OpenError::Failed {
            path: path.to_owned(),
            call,
            errno,
        },
    };
    // Buffered first: this tells a directory, and the file system's name, before O_DIRECT fails.
    set_direct(&file, false).map_err(|errno| {
        unfit(Unfit::Failed {
            call: "fcntl",
            errno,
        })
    })?;
    let mut medium = Medium::of(&file, false).map_err(unfit)?;
    if !options.buffered {
        set_direct(&file, true).map_err(|_| {
            unfit(Unfit::NoDirectIo {
                kind: medium.kind.clone(),
            })
        })?;
        medium = Medium::of(&file, true).map_err(unfit)?;
    }
    let info = info(path, &medium, options)?;
    let plan = Plan {
        info,
        largest_io: options.largest_io.round_up(info.block),
        sync: options.sync == Sync::OSync,
        device: medium.device,
    };
    let (way, description) = start(file, path, &medium, &plan, options)?;
    let clock = match &way {
        Way::Ring(ring) => ring.clock(),
        Way::Psync(psync) => psync.clock(),
    };
    Ok(RealTarget {
        way,
        guard: Guard::new(None),
        description,
        own_time: OwnTime::from_now(clock),
    })
}

/// As [`adopt`], for a file that stays open with its owner. It is never reopened by name: the name may refer to another
/// drive by now, which was not checked.
///
/// # Errors
/// See [`OpenError`]; also where the process has no descriptor left.
pub fn share(file: impl AsFd, path: &Path, options: &Options) -> Result<RealTarget, OpenError> {
    let file = rustix::io::fcntl_dupfd_cloexec(file, 0).map_err(|errno| OpenError::Failed {
        path: path.to_owned(),
        call: "another descriptor",
        errno,
    })?;
    adopt(file, path, options)
}

fn check(path: &Path, options: &Options) -> Result<(), OpenError> {
    let refuse = |what: String| {
        Err(OpenError::Option {
            path: path.to_owned(),
            what,
        })
    };
    if options.depth == 0 || options.depth > MOST_DEPTH {
        return refuse(format!(
            "{} I/Os in flight (1 to {MOST_DEPTH})",
            options.depth
        ));
    }
    if options.largest_io.is_zero() || options.largest_io > Bytes::gib(1) {
        return refuse(format!(
            "I/Os of up to {} (at most 1 GiB)",
            options.largest_io
        ));
    }
    let memory = options.largest_io * u64::from(options.depth);
    if memory > MOST_MEMORY {
        return refuse(format!(
            "{} I/Os of {} in flight need {memory} of memory (at most {MOST_MEMORY})",
            options.depth, options.largest_io
        ));
    }
    Ok(())
}

fn set_direct(file: &OwnedFd, direct: bool) -> Result<(), Errno> {
    let mut flags = rustix::fs::fcntl_getfl(file)?;
    flags.remove(OFlags::NONBLOCK);
    flags.set(OFlags::DIRECT, direct);
    // Reading is not to make the file system write access times; only a file's owner may ask that.
    rustix::fs::fcntl_setfl(file, flags | OFlags::NOATIME)
        .or_else(|_| rustix::fs::fcntl_setfl(file, flags))
}

fn info(path: &Path, medium: &Medium, options: &Options) -> Result<Info, OpenError> {
    let block = options.block.unwrap_or(medium.block);
    if block.is_zero() || !block.is_multiple_of(medium.block) {
        return Err(OpenError::Option {
            path: path.to_owned(),
            what: format!("a block of {block} (a multiple of {})", medium.block),
        });
    }
    if medium.size < block {
        return Err(OpenError::TooSmall {
            path: path.to_owned(),
            size: medium.size,
            block,
        });
    }
    Ok(Info {
        capacity: medium.size.round_down(block),
        block,
        max_in_flight: options.depth,
        writable: !options.read_only,
    })
}

fn start(
    file: OwnedFd,
    path: &Path,
    medium: &Medium,
    plan: &Plan,
    options: &Options,
) -> Result<(Way, String), OpenError> {
    let choice = choose(medium, options);
    if choice != Choice::Ring {
        return start_plain(file, path, medium, plan, options, choice, "");
    }
    match RingTarget::new(file, plan) {
        Ok(ring) => {
            let description = describe_ring(ring.traits(), medium, options);
            Ok((Way::Ring(Box::new(ring)), description))
        }
        Err((file, error)) => {
            let why = why_no_ring(&error);
            if options.engine == Engine::Uring {
                return Err(OpenError::NoRing {
                    path: path.to_owned(),
                    why,
                });
            }
            let choice = plain(medium, options, Reason::NoRing);
            start_plain(file, path, medium, plan, options, choice, &why)
        }
    }
}

fn start_plain(
    file: OwnedFd,
    path: &Path,
    medium: &Medium,
    plan: &Plan,
    options: &Options,
    choice: Choice,
    why: &str,
) -> Result<(Way, String), OpenError> {
    let inline = matches!(choice, Choice::Inline(_));
    let psync = PsyncTarget::new(file, plan, inline).map_err(|source| OpenError::Prepare {
        path: path.to_owned(),
        depth: options.depth,
        largest_io: options.largest_io,
        source,
    })?;
    let description = describe_plain(choice, why, medium, options);
    Ok((Way::Psync(psync), description))
}

impl RealTarget {
    /// How I/Os are issued, in words that go into a result: `io_uring, direct, registered buffers
    /// and file, single issuer`, or `psync inline (tmpfs has no non-blocking path), buffered`.
    pub fn describe(&self) -> &str {
        &self.description
    }

    /// From here on, after failures `is_lost` is asked whether the device is still there; if not, further I/Os fail
    /// with ENODEV.
    #[must_use]
    pub fn watched_by(self, is_lost: Option<IsLost>) -> RealTarget {
        RealTarget {
            guard: Guard::new(is_lost),
            ..self
        }
    }
}

impl Target for RealTarget {
    fn info(&self) -> Info {
        match &self.way {
            Way::Ring(ring) => ring.info(),
            Way::Psync(psync) => psync.info(),
        }
    }

    fn now(&self) -> Instant {
        match &self.way {
            Way::Ring(ring) => ring.now(),
            Way::Psync(psync) => psync.now(),
        }
    }

    #[inline(always)]
    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        match &mut self.way {
            Way::Ring(ring) => ring.submit(tag, io),
            Way::Psync(psync) => psync.submit(tag, io),
        }
    }

    #[inline(always)]
    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let first = done.len();
        match &mut self.way {
            Way::Ring(ring) => ring.wait(until, done),
            Way::Psync(psync) => psync.wait(until, done),
        }
        if self.guard.is_concerned(&done[first..]) {
            let device = match &self.way {
                Way::Ring(ring) => ring.file(),
                Way::Psync(psync) => psync.file(),
            };
            self.guard.look_at(&mut done[first..], device.as_fd());
        }
    }

    fn observer(&self) -> Option<&dyn Observer> {
        self.own_time.as_ref().map(|own| own as &dyn Observer)
    }
}

#[cfg(test)]
mod tests;
