//! A frontend of the drive: NBD clients, a block device of this computer, a virtual machine's disk.
//!
//! The server's one thread serves all of them. In each turn they pass requests to the drive, receive its completions,
//! and name the file descriptors that the server sleeps on. A new frontend is one file with this trait, attached like
//! the others.

use std::io;

use base::{Bytes, Instant};
use rustix::event::PollFd;

use crate::drive::{Answer, Asked, Asker, Emulated};

/// Bytes of writes that may wait for the drive, of all frontends: while there are more, nothing is taken from any.
const MOST_HELD: Bytes = Bytes::mib(128);

/// A frontend.
pub trait Frontend {
    /// Adds the file descriptors that the server is to sleep on; `takes_more` is false while no request may be taken.
    fn polls<'a>(&'a self, takes_more: bool, polled: &mut Vec<PollFd<'a>>);

    /// Before a sleep: false if a request arrived meanwhile that no file descriptor will report.
    fn may_sleep(&mut self) -> bool {
        true
    }

    /// Hears what came, at `now`; `ready` has an item for each file descriptor, in the order in which they were added.
    /// Gives what should be known.
    ///
    /// # Errors
    /// Errors that end the server. A client's error is not one of them.
    fn hear(&mut self, ready: &[bool], now: Instant) -> io::Result<Option<Trouble>>;

    /// Passes requests to the drive, as far as it accepts more.
    ///
    /// # Errors
    /// As [`Frontend::hear`].
    fn ask(&mut self, asks: &mut Asks<'_>) -> io::Result<()>;

    /// A completion of a request from this frontend.
    ///
    /// # Errors
    /// As [`Frontend::hear`].
    fn reply(&mut self, answer: &Answer, drive: &Emulated) -> io::Result<()>;

    /// Lets replies leave; true where something did.
    ///
    /// # Errors
    /// As [`Frontend::hear`].
    fn send(&mut self, drive: &Emulated) -> io::Result<bool>;
}

/// The drive, as seen by a frontend.
pub struct Asks<'a> {
    drive: &'a mut Emulated,
    frontend: usize,
    now: &'a dyn Fn() -> Instant,
}

impl<'a> Asks<'a> {
    /// Requests of the frontend with this number; `now` returns the drive's time.
    pub fn new(drive: &'a mut Emulated, frontend: usize, now: &'a dyn Fn() -> Instant) -> Asks<'a> {
        Asks {
            drive,
            frontend,
            now,
        }
    }

    /// False while so much data waits to be written that no request may be accepted.
    pub fn takes_more(&self) -> bool {
        takes_more(self.drive)
    }

    /// The drive.
    pub fn drive(&self) -> &Emulated {
        self.drive
    }

    /// Sends a request now. The completion returns the connection's number, which is the frontend's own, and the
    /// cookie.
    pub fn ask(&mut self, connection: u64, cookie: u64, asked: Asked) {
        let asker = Asker {
            frontend: self.frontend,
            connection,
            cookie,
        };
        let now = (self.now)();
        self.drive.ask(now, asker, asked);
    }
}

/// Whether requests may be accepted at all.
pub(crate) fn takes_more(drive: &Emulated) -> bool {
    drive.held() < MOST_HELD
}

/// What does not end the drive, and should be known.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// There are as many as are served.
    #[error("{0} clients are connected, the maximum: others wait until one disconnects")]
    Most(usize),
    /// The system is out of resources.
    #[error("a client waits: {0}")]
    NoRoom(io::Error),
    /// The log has no room.
    #[error(
        "no room for the request log: reads continue, writes and flushes fail (ENOSPC) until there is room; after a million more requests, until the drive is served again"
    )]
    NoLog,
    /// The virtual machine's memory is gone.
    #[error(
        "the virtual machine has truncated its memory file: it is disconnected, the next can connect"
    )]
    NoMemory,
}
