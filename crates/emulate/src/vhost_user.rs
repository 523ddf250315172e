//! The drive as a virtual machine's disk: virtio-blk over vhost-user.
//!
//! The machine's program (QEMU, cloud-hypervisor) connects to a socket, passes the guest's memory as files, and the
//! addresses of the *rings* in it, into which the guest's kernel puts its requests, and in which it finds their
//! results. From then on guest and drive communicate only through memory, and wake each other with two event files: a
//! *kick* for a request, a *call* for a completion. While this server is awake it polls the rings, and announces that
//! in them, which saves the guest its kicks.
//!
//! The server's one thread does all of it: it polls the rings in each turn, and processes socket messages between two
//! turns. A message may remove the memory or stop a ring, so it waits until all requests are completed. Requests
//! outstanding when the connection breaks are dropped. A machine that truncates its memory is disconnected; nothing
//! found there meanwhile is sent to the drive ([`uring::Guarded`]).
//!
//! The messages, the rings and the guest's memory are rust-vmm's (`vhost`, `virtio-queue`, `vm-memory`); the module
//! `virtio` interprets the requests. Source: "Vhost-user Protocol" of QEMU's documents.

mod front;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::time::{Duration, Instant};
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::net::{RecvFlags, recv};
use uring::clock::Clock;
use vhost::vhost_user::{BackendReqHandler, Error};

use self::front::{Front, RINGS};
use crate::drive::{Answer, Asked, Emulated};
use crate::frontend::{Asks, Frontend, Trouble};
use crate::nbd::Export;
use crate::transport::{Address, Listener, Stream, Taken};
use crate::virtio::{Status, id_of};

/// Time that a machine's program may stop in the middle of a message, or not read its replies.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes of a message header, the last four of which give the length of the payload; and its maximum.
const HEAD: usize = 12;
const LONGEST_MESSAGE: u64 = 4_096;
const AT_ONCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

/// Tokens of the rings' own event files begin after these.
const LISTENER: u64 = 0;
const CONNECTION: u64 = 1;
const KICK: u64 = 2;

/// The disk, as the server has it.
pub struct VirtualDisk {
    listener: Listener,
    connection: Option<Connection>,
    front: Arc<Mutex<Front>>,
    watched: Arc<OwnedFd>,
    /// Counts connections: a completion may come when its client is gone.
    generation: u16,
    data: Vec<u8>,
    patience: Duration,
}

struct Connection {
    handler: BackendReqHandler<Mutex<Front>>,
    /// The same socket, to be watched.
    socket: UnixStream,
    has_message: bool,
    /// It has closed its end: no more messages will come.
    has_left: bool,
    /// Since when it stops in the middle of a message, or fetches nothing.
    stopped: Option<Clock>,
}

impl Connection {
    /// Whether a message can be processed without blocking: it is complete, and there is room for the reply. (The
    /// library would block for either.)
    fn is_whole(&self) -> io::Result<bool> {
        let mut head = [0; HEAD];
        let peek = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        let there = match recv(&self.socket, &mut head, peek) {
            Ok((_, there)) => there,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(false),
            // What is broken, or closed, is told to whoever reads it.
            Err(_) => return Ok(true),
        };
        if there == 0 || self.has_left {
            return Ok(true);
        }
        let [.., a, b, c, d] = head;
        let follow = u64::from(u32::from_le_bytes([a, b, c, d]));
        let whole = HEAD as u64 + follow;
        let is_there =
            there == HEAD && (follow > LONGEST_MESSAGE || ioctl_fionread(&self.socket)? >= whole);
        let mut room = [PollFd::new(&self.socket, PollFlags::OUT)];
        Ok(is_there && poll(&mut room, Some(&AT_ONCE))? > 0)
    }
}

impl VirtualDisk {
    /// A disk that machines find at a socket in the file system.
    ///
    /// # Errors
    /// Those of the kernel: a socket that is in use, for one.
    pub fn listen(path: &Path, export: &Export) -> io::Result<VirtualDisk> {
        let watched = Arc::new(epoll::create(epoll::CreateFlags::CLOEXEC)?);
        let listener = Listener::listen(&Address::Unix(path.to_owned()))?;
        watch(&watched, listener.as_fd(), LISTENER)?;
        let front = Front::new(export.clone(), id_of(path), Arc::clone(&watched)).map_err(other)?;
        Ok(VirtualDisk {
            listener,
            connection: None,
            front: Arc::new(Mutex::new(front)),
            watched,
            generation: 0,
            data: Vec::new(),
            patience: PATIENCE,
        })
    }

    fn front(&self) -> MutexGuard<'_, Front> {
        // Nobody else has it but the handler of messages, in this very thread.
        self.front.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True where a message waits to be understood.
    fn has_message(&self) -> bool {
        self.connection
            .as_ref()
            .is_some_and(|connection| connection.has_message)
    }

    /// Processes the socket's messages, and notes kicks.
    ///
    /// # Errors
    /// Those of the kernel. A machine that sends nonsense is disconnected, which is not an error.
    fn attend(&mut self) -> io::Result<()> {
        for (event, has_left) in events(&self.watched)? {
            match event {
                LISTENER => self.admit()?,
                CONNECTION => {
                    if let Some(connection) = &mut self.connection {
                        connection.has_message = true;
                        connection.has_left |= has_left;
                    }
                }
                kicked => self.front().quieten((kicked - KICK) as usize),
            }
        }
        if self.has_message() && self.front().open() == 0 {
            self.hear()?;
        }
        Ok(())
    }

    /// Lets a machine in, and no other until it has left: a disk has one, and the next waits.
    fn admit(&mut self) -> io::Result<()> {
        let Taken::Client(Stream::Unix(stream)) = self.listener.take()? else {
            return Ok(());
        };
        // Where there are no files for it, the machine is the one that has to try again.
        let Ok(socket) = stream.try_clone() else {
            return Ok(());
        };
        epoll::delete(&*self.watched, &self.listener)?;
        watch(&self.watched, socket.as_fd(), CONNECTION)?;
        self.connection = Some(Connection {
            handler: BackendReqHandler::from_stream(stream, Arc::clone(&self.front)),
            socket,
            has_message: false,
            has_left: false,
            stopped: None,
        });
        Ok(())
    }

    /// Understands one message, once all of it is there.
    fn hear(&mut self) -> io::Result<()> {
        let Some(connection) = &mut self.connection else {
            return Ok(());
        };
        connection.has_message = false;
        if !connection.is_whole()? {
            let stopped = connection.stopped.get_or_insert_with(Clock::starting_now);
            let so_long = stopped.now().since(Instant::ZERO);
            return match so_long >= self.patience {
                true => self.leave(),
                false => Ok(()),
            };
        }
        connection.stopped = None;
        match connection.handler.handle_request() {
            // What was refused in one message does not end the others.
            Ok(())
            | Err(Error::InvalidParam | Error::InvalidOperation(_) | Error::SocketRetry(_)) => {
                Ok(())
            }
            Err(_) => self.leave(),
        }
    }

    /// Leaves a machine that has cut its memory short; true where it did.
    ///
    /// # Errors
    /// Those of the kernel.
    fn leaves_without_memory(&mut self) -> io::Result<bool> {
        let is_lost = self.front().has_lost_memory();
        if is_lost {
            self.leave()?;
        }
        Ok(is_lost)
    }

    /// The machine is gone: the next may connect.
    fn leave(&mut self) -> io::Result<()> {
        if let Some(connection) = self.connection.take() {
            epoll::delete(&*self.watched, &connection.socket)?;
            watch(&self.watched, self.listener.as_fd(), LISTENER)?;
        }
        self.generation = self.generation.wrapping_add(1);
        self.front().forget();
        Ok(())
    }

    /// The next request: the number for its completion, and the command for the drive. Requests that do not need the
    /// drive are completed at once.
    fn take(&mut self) -> Option<(u64, Asked)> {
        // A message waits until nothing is open.
        if self.connection.is_none() || self.has_message() {
            return None;
        }
        let mut front = self.front();
        let (ring, head, asked) = front.take()?;
        if front.has_lost_memory() {
            return None;
        }
        drop(front);
        let cookie = u64::from(self.generation) << 32 | (ring as u64) << 16 | u64::from(head);
        Some((cookie, asked))
    }
}

impl Frontend for VirtualDisk {
    /// Ready if the socket has a message, or the guest has kicked.
    fn polls<'a>(&'a self, takes_more: bool, polled: &mut Vec<PollFd<'a>>) {
        if takes_more {
            polled.push(PollFd::new(&*self.watched, PollFlags::IN));
        }
    }

    /// The guest is to kick from now on.
    fn may_sleep(&mut self) -> bool {
        self.has_message() || !self.front().wants_to_be_kicked()
    }

    fn hear(&mut self, ready: &[bool], _: Instant) -> io::Result<Option<Trouble>> {
        if self.leaves_without_memory()? {
            return Ok(Some(Trouble::NoMemory));
        }
        if ready.contains(&true) || self.has_message() {
            self.attend()?;
        }
        Ok(None)
    }

    fn ask(&mut self, asks: &mut Asks<'_>) -> io::Result<()> {
        while asks.takes_more()
            && let Some((cookie, asked)) = self.take()
        {
            asks.ask(0, cookie, asked);
        }
        Ok(())
    }

    fn reply(&mut self, answer: &Answer, drive: &Emulated) -> io::Result<()> {
        let cookie = answer.asker.cookie;
        if cookie >> 32 != u64::from(self.generation) {
            return Ok(());
        }
        self.data.clear();
        let mut status = match answer.error {
            0 => Status::Ok,
            _ => Status::Failed,
        };
        if let Some(span) = answer.read {
            self.data.resize(span.len.get() as usize, 0);
            let image = drive.image();
            let read = match image.is_hole(span) {
                Ok(true) => Ok(()),
                _ => image.read(span.start, &mut self.data),
            };
            if read.is_err() {
                status = Status::Failed;
                self.data.clear();
            }
        }
        let data = std::mem::take(&mut self.data);
        let (ring, head) = ((cookie >> 16 & 0xFFFF) as usize, cookie as u16);
        self.front().answer(ring, head, &data, status);
        self.data = data;
        Ok(())
    }

    /// Notifies the guest of completions, if it wants that.
    fn send(&mut self, _: &Emulated) -> io::Result<bool> {
        self.front().call();
        Ok(false)
    }
}

fn watch(watched: &OwnedFd, what: BorrowedFd<'_>, number: u64) -> io::Result<()> {
    let data = epoll::EventData::new_u64(number);
    Ok(epoll::add(watched, what, data, epoll::EventFlags::IN)?)
}

/// What is ready, and whether its other end is closed.
fn events(watched: &OwnedFd) -> io::Result<Vec<(u64, bool)>> {
    let mut events = Vec::with_capacity(RINGS + 2);
    epoll::wait(
        watched,
        rustix::buffer::spare_capacity(&mut events),
        Some(&AT_ONCE),
    )?;
    let events = events.iter().map(|event| {
        // The record is packed: its fields are copied.
        let (data, flags) = (event.data, event.flags);
        (data.u64(), flags.contains(epoll::EventFlags::HUP))
    });
    Ok(events.collect())
}

fn other(error: Error) -> io::Error {
    io::Error::other(error.to_string())
}

#[cfg(test)]
mod tests;
