//! Zone commands in parallel with a ring.
//!
//! A zone command is a system call that blocks for as long as the drive takes, some milliseconds for the reset of a
//! full flash zone. In the thread that serves the ring, completions of other I/Os would be seen late by that much. So
//! commands go to a separate thread, which takes their times; the ring polls it on every return, and returns often
//! while a command is active.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use base::size::Bytes;
use base::target::{Done, Outcome, Tag};
use base::time::Duration;
use base::zone::{Zone, Zoning};
use rustix::io::Errno;

use crate::clock::Clock;
use crate::raw_zones;

/// How often it is looked for commands that are over.
pub(crate) const LOOK: Duration = Duration::from_micros(200);

/// The zones of an open block device, from the one that contains a byte on, at most `most`.
///
/// # Errors
/// The kernel's error number.
pub fn report(device: &File, from: Bytes, most: usize) -> Result<Vec<Zone>, i32> {
    raw_zones::report(device, from, most).map_err(Errno::raw_os_error)
}

/// One command, done now: how it ends. An ordinary file has no zones.
pub(crate) fn perform(device: &OwnedFd, what: Zoning, start: Bytes) -> Result<(), Errno> {
    let length = raw_zones::zone_length(device).ok_or(Errno::OPNOTSUPP)?;
    raw_zones::command(device, what, start, length)
}

/// A thread for the commands of one target.
pub(crate) struct ZoneThread {
    /// Taken when it is to end.
    commands: Option<Sender<(Tag, Zoning, Bytes)>>,
    finished: Receiver<Done>,
    thread: Option<JoinHandle<()>>,
    under_way: u32,
}

impl ZoneThread {
    /// # Errors
    /// No descriptor or no thread left.
    pub(crate) fn new(device: &OwnedFd, clock: Clock) -> io::Result<ZoneThread> {
        let device = device.try_clone()?;
        let (commands, taken) = channel::<(Tag, Zoning, Bytes)>();
        let (finish, finished) = channel();
        let thread = std::thread::Builder::new().spawn(move || {
            for (tag, what, start) in taken {
                let sent = clock.now();
                let outcome = match perform(&device, what, start) {
                    Ok(()) => Outcome::Complete,
                    Err(errno) => Outcome::Failed(errno.raw_os_error()),
                };
                let at = clock.now();
                let done = Done {
                    tag,
                    sent,
                    at,
                    outcome,
                };
                if finish.send(done).is_err() {
                    return;
                }
            }
        })?;
        Ok(ZoneThread {
            commands: Some(commands),
            finished,
            thread: Some(thread),
            under_way: 0,
        })
    }

    /// Submits a command; false if the thread is gone.
    pub(crate) fn send(&mut self, tag: Tag, what: Zoning, start: Bytes) -> bool {
        let commands = self.commands.as_ref();
        let sent = commands.is_some_and(|to| to.send((tag, what, start)).is_ok());
        self.under_way += u32::from(sent);
        sent
    }

    /// Whether a command is active.
    pub(crate) fn is_busy(&self) -> bool {
        self.under_way > 0
    }

    /// Commands that are over since the last look.
    pub(crate) fn take(&mut self, done: &mut Vec<Done>) -> u32 {
        let before = done.len();
        done.extend(self.finished.try_iter());
        let taken = (done.len() - before) as u32;
        self.under_way -= taken;
        taken
    }
}

impl Drop for ZoneThread {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // It ends with its command; a panic of it was shown already.
            let _ = thread.join();
        }
    }
}
