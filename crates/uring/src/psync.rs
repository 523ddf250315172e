//! A real target through plain system calls: if io_uring is not available, or would be slower.
//!
//! `pread` and `pwrite` block, so each I/O in flight needs its own thread. There are two variants:
//!
//! * **inline**: the caller's thread does the I/Os one after another in [`Target::wait`]. Right at
//!   depth 1, and where the data are in memory: there an I/O is a copy, and handing it to a thread
//!   takes longer than the copy.
//! * **a pool** of up to [`MOST_THREADS`] threads with a queue. An I/O is *sent* when it enters that queue, as with a
//!   ring's: waiting for a thread counts as service time, since it delays the drive. Its completion is time-stamped by
//!   its own thread.
//!
//! Buffers travel with the I/Os, so that nothing is shared but the file.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use base::io::{Io, Op};
use base::label;
use base::size::Bytes;
use base::target::{Busy, Done, Info, Outcome, Tag, Target};
use base::time::Instant;
use memmap2::MmapMut;
use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use crate::clock::Clock;
use crate::fill::Filler;
use crate::raw;
use crate::ring::Plan;
use crate::zones;

/// Threads of a pool at most; deeper queues wait for one of them.
pub const MOST_THREADS: u32 = 64;

/// A file or block device accessed by plain system calls.
pub struct PsyncTarget {
    way: Way,
    clock: Clock,
    info: Info,
    largest_io: Bytes,
    /// By tag; empty while in flight in the pool.
    buffers: Vec<Option<MmapMut>>,
    pending: VecDeque<(u32, Io)>,
    in_flight: u32,
    filler: Filler,
}

enum Way {
    Inline(File),
    Pool(Pool),
}

/// The open file, with what every call on it needs to know.
struct File {
    fd: OwnedFd,
    sync: bool,
    device: bool,
}

impl PsyncTarget {
    /// # Errors
    /// Where there is no memory for the buffers, or no thread can be started.
    pub(crate) fn new(fd: OwnedFd, plan: &Plan, inline: bool) -> io::Result<PsyncTarget> {
        let depth = plan.info.max_in_flight;
        let slot_bytes = plan.largest_io.round_up(Bytes::new(raw::PAGE as u64)).get() as usize;
        let file = File {
            fd,
            sync: plan.sync,
            device: plan.device,
        };
        let clock = Clock::starting_now();
        let way = if inline {
            Way::Inline(file)
        } else {
            Way::Pool(Pool::new(file, depth.min(MOST_THREADS), clock)?)
        };
        let buffers = (0..depth).map(|_| raw::buffers(slot_bytes).map(Some));
        Ok(PsyncTarget {
            way,
            clock,
            info: plan.info,
            largest_io: plan.largest_io,
            buffers: buffers.collect::<io::Result<_>>()?,
            pending: VecDeque::with_capacity(depth as usize),
            in_flight: 0,
            filler: Filler::new(depth),
        })
    }

    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// What is open.
    pub(crate) fn file(&self) -> &OwnedFd {
        match &self.way {
            Way::Inline(file) => &file.fd,
            Way::Pool(pool) => &pool.file.fd,
        }
    }

    /// Does the queued I/Os one after another, until all are done or the time has come.
    fn do_inline(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let Way::Inline(file) = &self.way else { return };
        let mut now = self.clock.now();
        while let Some((tag, io)) = self.pending.pop_front() {
            let buffer = self.buffers[tag as usize]
                .as_deref_mut()
                .unwrap_or_default();
            let sent = now;
            let outcome = file.perform(&io, buffer);
            now = self.clock.now();
            let outcome = checked(&io, buffer, outcome);
            self.in_flight -= 1;
            done.push(Done {
                tag: Tag(tag),
                sent,
                at: now,
                outcome,
            });
            if until.is_some_and(|until| now >= until) {
                return;
            }
        }
    }

    fn do_in_pool(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let Way::Pool(pool) = &self.way else { return };
        if !self.pending.is_empty() {
            let sent = self.clock.now();
            let buffers = &mut self.buffers;
            pool.hand_over(self.pending.drain(..).map(|(tag, io)| Task {
                tag,
                io,
                sent,
                buffer: buffers[tag as usize].take(),
            }));
        }
        let mut next = pool.wait(until, self.clock);
        while let Some((task, at, outcome)) = next {
            let buffer = task.buffer.as_deref().unwrap_or_default();
            let outcome = checked(&task.io, buffer, outcome);
            self.buffers[task.tag as usize] = task.buffer;
            self.in_flight -= 1;
            done.push(Done {
                tag: Tag(task.tag),
                sent: task.sent,
                at,
                outcome,
            });
            next = pool.finished.try_recv().ok();
        }
    }
}

/// The outcome of an I/O, including the check of a labelled read.
fn checked(io: &Io, buffer: &[u8], outcome: Outcome) -> Outcome {
    let (Outcome::Complete, Op::Read, Some(generation)) = (outcome, io.op, io.generation()) else {
        return outcome;
    };
    let differs = label::check(&buffer[..io.len.get() as usize], io.offset, generation);
    differs.map_or(Outcome::Complete, Outcome::Differs)
}

impl Target for PsyncTarget {
    fn info(&self) -> Info {
        self.info
    }

    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        if self.in_flight == self.info.max_in_flight {
            return Err(Busy);
        }
        if io.len <= self.largest_io
            && let Some(buffer) = &mut self.buffers[tag.0 as usize]
        {
            match io.op {
                Op::Write => self
                    .filler
                    .fill(tag.0, &mut buffer[..io.len.get() as usize], io),
                _ => self.filler.forget(tag.0),
            }
        }
        self.pending.push_back((tag.0, *io));
        self.in_flight += 1;
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        match &self.way {
            _ if self.in_flight == 0 => {
                if let Some(until) = until {
                    self.clock.sleep_until(until);
                }
            }
            Way::Inline(_) => self.do_inline(until, done),
            Way::Pool(_) => self.do_in_pool(until, done),
        }
    }
}

impl File {
    fn perform(&self, io: &Io, buffer: &mut [u8]) -> Outcome {
        loop {
            match self.call(io, buffer) {
                Ok(moved) if moved == io.len.get() => return Outcome::Complete,
                Ok(moved) => return Outcome::Short(Bytes::new(moved)),
                Err(Errno::INTR) => {}
                Err(errno) => return Outcome::Failed(errno.raw_os_error()),
            }
        }
    }

    /// One system call; gives the bytes that it moved.
    fn call(&self, io: &Io, buffer: &mut [u8]) -> Result<u64, Errno> {
        let (offset, len) = (io.offset.get(), io.len.get());
        if let Some(what) = io.zone {
            return zones::perform(&self.fd, what, io.offset).map(|()| len);
        }
        match io.op {
            Op::Read | Op::Write if len > buffer.len() as u64 => Err(Errno::INVAL),
            Op::Read => {
                rustix::io::pread(&self.fd, &mut buffer[..len as usize], offset).map(|n| n as u64)
            }
            Op::Write => {
                let bytes = IoSlice::new(&buffer[..len as usize]);
                let flags = raw::Sync::of(io.durable, self.sync).flags();
                rustix::io::pwritev2(&self.fd, &[bytes], offset, flags).map(|n| n as u64)
            }
            Op::Flush => rustix::fs::fdatasync(&self.fd).map(|()| len),
            Op::Trim if self.device => raw::discard(&self.fd, offset, len).map(|()| len),
            Op::Trim => {
                let mode = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                rustix::fs::fallocate(&self.fd, mode, offset, len).map(|()| len)
            }
        }
    }
}

/// Threads that take I/Os from one queue.
struct Pool {
    file: Arc<File>,
    queue: Arc<Queue>,
    finished: Receiver<(Task, Instant, Outcome)>,
    threads: Vec<JoinHandle<()>>,
}

/// An I/O in flight, with its buffer.
struct Task {
    tag: u32,
    io: Io,
    sent: Instant,
    buffer: Option<MmapMut>,
}

#[derive(Default)]
struct Queue {
    tasks: Mutex<Tasks>,
    arrived: Condvar,
}

#[derive(Default)]
struct Tasks {
    waiting: VecDeque<Task>,
    closed: bool,
}

impl Pool {
    fn new(file: File, threads: u32, clock: Clock) -> io::Result<Pool> {
        let (finish, finished) = mpsc::channel();
        let mut pool = Pool {
            file: Arc::new(file),
            queue: Arc::default(),
            finished,
            threads: Vec::new(),
        };
        for _ in 0..threads {
            let (queue, file) = (Arc::clone(&pool.queue), Arc::clone(&pool.file));
            let finish = finish.clone();
            let thread = std::thread::Builder::new().name("psync".to_owned());
            pool.threads
                .push(thread.spawn(move || serve(&queue, &file, &finish, clock))?);
        }
        Ok(pool)
    }

    fn hand_over(&self, tasks: impl Iterator<Item = Task>) {
        let mut queue = self.queue.lock();
        for task in tasks {
            queue.waiting.push_back(task);
            self.queue.arrived.notify_one();
        }
    }

    /// The next completion, if there is one before `until`.
    fn wait(&self, until: Option<Instant>, clock: Clock) -> Option<(Task, Instant, Outcome)> {
        let Some(until) = until else {
            return self.finished.recv().ok();
        };
        let left = until.since(clock.now());
        let left = std::time::Duration::from_nanos(left.as_nanos());
        self.finished.recv_timeout(left).ok()
    }
}

impl Drop for Pool {
    /// I/Os not started yet are dropped; started ones are waited for.
    fn drop(&mut self) {
        let mut tasks = self.queue.lock();
        tasks.closed = true;
        tasks.waiting.clear();
        drop(tasks);
        self.queue.arrived.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing to give back.
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Tasks> {
        // The queue is whole between any two statements, also where a thread has panicked.
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Task> {
        let mut tasks = self.lock();
        loop {
            if tasks.closed {
                return None;
            }
            if let Some(task) = tasks.waiting.pop_front() {
                return Some(task);
            }
            tasks = self
                .arrived
                .wait(tasks)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// One thread's life.
fn serve(queue: &Queue, file: &File, finish: &Sender<(Task, Instant, Outcome)>, clock: Clock) {
    while let Some(mut task) = queue.next() {
        let buffer = task.buffer.as_deref_mut().unwrap_or_default();
        let outcome = file.perform(&task.io, buffer);
        let at = clock.now();
        if finish.send((task, at, outcome)).is_err() {
            return;
        }
    }
}
