//! The drive as a block device of this computer, through ublk: serving its queue, start and stop.
//!
//! The server's one thread serves the queue together with its NBD clients ([`Attached`]): no second process, no
//! protocol in between, and data is copied once, between the kernel and the drive's data. Operations that need the
//! queue served while they wait run in another thread ([`BlockDevice`]): the start, in which the kernel looks for
//! partitions, and the stop, before which it flushes its file system.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use base::{Bytes, Instant};
use rustix::event::{PollFd, PollFlags};
use uring::ublk::{Device, Operation, Queue, Request, Shape, UblkError};

use crate::drive::{Answer, Asked, EIO, Emulated};
use crate::frontend::{Asks, Frontend, Trouble};
use crate::nbd::Export;

/// Error numbers of Linux.
const EPERM: i32 = 1;
const EOPNOTSUPP: i32 = 95;

/// Why there is no block device, or no longer one.
#[derive(Debug, thiserror::Error)]
pub enum BlockDeviceError {
    /// It is not available.
    #[error("{0}; --fuse FILE works without ublk")]
    None(UblkError),
    /// It did not end as it should.
    #[error("{0}")]
    End(UblkError),
    /// No thread for it.
    #[error("no thread for the block device: {0}")]
    Thread(io::Error),
    /// Somebody else did that.
    #[error("the block device was removed by another program")]
    TakenAway,
}

/// Whether there can be one: checked before a drive is built for it.
///
/// # Errors
/// [`BlockDeviceError::None`]: why not.
pub fn is_to_be_had() -> Result<(), BlockDeviceError> {
    uring::ublk::is_to_be_had().map_err(BlockDeviceError::None)
}

/// The device, as those see it who start and end it.
pub struct BlockDevice {
    thread: JoinHandle<(Device, Result<(), UblkError>)>,
    /// Dropped to end it.
    goes_on: Option<Sender<()>>,
    is_gone: Arc<AtomicBool>,
}

impl BlockDevice {
    /// Creates a device for the export; the second value is for the server of this thread, and with its first turn the
    /// device appears, which is reported.
    ///
    /// # Errors
    /// [`BlockDeviceError`].
    pub fn begin(
        export: &Export,
        appeared: impl FnOnce(&Path) + Send + 'static,
    ) -> Result<(BlockDevice, Attached), BlockDeviceError> {
        let shape = Shape {
            capacity: export.capacity,
            block: export.block,
            preferred: export.preferred,
            read_only: export.read_only,
            rotational: export.rotational,
        };
        let (device, queue) = Device::add(&shape).map_err(BlockDeviceError::None)?;
        let (goes_on, ends) = channel();
        let is_gone = Arc::new(AtomicBool::new(false));
        let thread = Builder::new()
            .name("ublk".to_owned())
            .spawn(move || live(device, appeared, &ends))
            .map_err(BlockDeviceError::Thread)?;
        let attached = Attached {
            lengths: vec![Bytes::ZERO; usize::from(u16::MAX) + 1],
            queue,
            has_answers: false,
            export: export.clone(),
            is_gone: Arc::clone(&is_gone),
        };
        let device = BlockDevice {
            thread,
            goes_on: Some(goes_on),
            is_gone,
        };
        Ok((device, attached))
    }

    /// Tells it to go away, while it is served: what others hold of it is written first.
    pub fn end(&mut self) {
        self.goes_on = None;
    }

    /// Whether no further request can arrive.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished() || self.is_gone.load(Ordering::Acquire)
    }

    /// Removes its remains, when its queue is gone.
    ///
    /// # Errors
    /// What went wrong with it, from its start on.
    pub fn remove(mut self) -> Result<(), BlockDeviceError> {
        let was_told_to_end = self.goes_on.take().is_none();
        let Ok((device, lived)) = self.thread.join() else {
            let panicked = io::Error::other("it stopped");
            return Err(BlockDeviceError::Thread(panicked));
        };
        let deleted = device.delete();
        match lived {
            Err(error) => Err(BlockDeviceError::End(error)),
            // It has its own number no longer.
            Ok(()) if !was_told_to_end && self.is_gone.load(Ordering::Acquire) => {
                Err(BlockDeviceError::TakenAway)
            }
            Ok(()) => deleted.map_err(BlockDeviceError::End),
        }
    }
}

/// The device from its start to its stop.
fn live(
    device: Device,
    appeared: impl FnOnce(&Path),
    ends: &Receiver<()>,
) -> (Device, Result<(), UblkError>) {
    if let Err(error) = device.start() {
        return (device, Err(error));
    }
    appeared(&device.path());
    // Nothing is ever sent: it returns when the other side is dropped.
    let _ = ends.recv();
    let stopped = device.stop();
    (device, stopped)
}

/// The device, as the server has it.
pub struct Attached {
    queue: Queue,
    /// Answers wait to be handed over, which is a system call.
    has_answers: bool,
    export: Export,
    /// The request with each tag.
    lengths: Vec<Bytes>,
    is_gone: Arc<AtomicBool>,
}

impl Attached {
    /// The next request: its tag, and the command for the drive. Unsupported requests are completed with an error.
    ///
    /// # Errors
    /// The kernel's error, after which nothing can be served.
    fn take(&mut self) -> io::Result<Option<(u16, Asked)>> {
        while let Some(request) = self.queue.take()? {
            match self.asked(&request) {
                Ok(asked) => {
                    self.lengths[usize::from(request.tag)] = request.span.len;
                    return Ok(Some((request.tag, asked)));
                }
                Err(error) => {
                    self.queue.answer(request.tag, Err(error))?;
                    self.queue.send()?;
                }
            }
        }
        if self.queue.is_over() {
            self.is_gone.store(true, Ordering::Release);
        }
        Ok(None)
    }

    fn asked(&self, request: &Request) -> Result<Asked, i32> {
        let (span, export) = (request.span, &self.export);
        if span.end() > export.capacity || !span.len.is_multiple_of(export.block) {
            return Err(EIO);
        }
        let asked = match request.operation.ok_or(EOPNOTSUPP)? {
            Operation::Read => Asked::Read(span),
            Operation::Flush => Asked::Flush,
            _ if export.read_only => return Err(EPERM),
            Operation::Discard => Asked::Trim(span),
            Operation::Zero {
                may_forget,
                durable,
            } => Asked::Zero {
                span,
                may_forget,
                durable,
            },
            // One that was given up meanwhile has no data any more.
            Operation::Write { durable } => Asked::Write {
                offset: span.start,
                bytes: self.queue.data(request).map_err(|_| EIO)?,
                durable,
            },
        };
        Ok(asked)
    }
}

impl Frontend for Attached {
    fn polls<'a>(&'a self, takes_more: bool, polled: &mut Vec<PollFd<'a>>) {
        if takes_more {
            polled.push(PollFd::new(&self.queue, PollFlags::IN));
        }
    }

    fn hear(&mut self, _: &[bool], _: Instant) -> io::Result<Option<Trouble>> {
        Ok(None)
    }

    fn ask(&mut self, asks: &mut Asks<'_>) -> io::Result<()> {
        while asks.takes_more()
            && let Some((tag, asked)) = self.take()?
        {
            asks.ask(0, u64::from(tag), asked);
        }
        Ok(())
    }

    fn reply(&mut self, answer: &Answer, drive: &Emulated) -> io::Result<()> {
        let tag = answer.asker.cookie as u16;
        let done = self.lengths[usize::from(tag)];
        let result = match answer.read {
            _ if answer.error != 0 => Err(answer.error),
            None => Ok(done),
            Some(span) => {
                let mut data = vec![0; span.len.get() as usize];
                let image = drive.image();
                let read = match image.is_hole(span) {
                    Ok(true) => Ok(()),
                    _ => image.read(span.start, &mut data),
                };
                read.and_then(|()| self.queue.give(tag, &data))
                    .map(|()| done)
                    .map_err(|_| EIO)
            }
        };
        self.has_answers = true;
        self.queue.answer(tag, result)
    }

    fn send(&mut self, _: &Emulated) -> io::Result<bool> {
        // With an answer, the server has sent something itself.
        if std::mem::take(&mut self.has_answers) {
            self.queue.send()?;
        }
        Ok(false)
    }
}
