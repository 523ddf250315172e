//! The two rings that a process shares with the kernel, and the memory that the kernel writes into:
//! all that is `unsafe` in the workspace.
//!
//! A request is an entry in the submission ring; one system call hands all new entries over and
//! waits for completions, which appear in the completion ring with the request's number. What makes
//! this sound is one rule: **a slot that is in flight belongs to the kernel**. Each slot has its own
//! piece of one anonymous memory map; [`RawRing`] lends the piece out only while nothing is in
//! flight there, accepts no second request for it, and does not unmap anything before the kernel
//! has given every slot back.
//!
//! What makes it fast, each step only where the kernel has it: one task submits and runs its own
//! completions (`SINGLE_ISSUER`, `DEFER_TASKRUN`, Linux 6.1: no interrupts of the task and no
//! atomics between tasks), no indirection array (`NO_SQARRAY`, 6.6), and the ring, the file and the
//! buffers are registered, so that no I/O takes a reference on a file or pins a page.
//!
//! **Nothing outlives the ring.** The kernel tears down a closed ring on a worker, some time later, and a ring that is
//! registered with its thread is not even closed by closing its descriptor. Until then it would hold the file, which
//! may be open exclusively, and keep the buffers' pages pinned. So dropping [`RawRing`] explicitly releases all of it,
//! with calls that return when it is done.

#![allow(unsafe_code)]

use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::slice;

use io_uring::types::{Fd, FsyncFlags};
use io_uring::{IoUring, opcode, squeue};
use memmap2::{Advice, MmapMut};
use rustix::fs::FallocateFlags;
use rustix::io::{Errno, ReadWriteFlags};

mod registration;

/// `IORING_ENTER_GETEVENTS`, `..._EXT_ARG` and `..._REGISTERED_RING`, from `linux/io_uring.h`.
const ENTER_GETEVENTS: u32 = 1;
const ENTER_EXT_ARG: u32 = 1 << 3;
const ENTER_REGISTERED_RING: u32 = 1 << 4;
/// `BLKDISCARD` and `BLOCK_URING_CMD_DISCARD`, from `linux/fs.h` and `linux/blkdev.h`.
const BLKDISCARD: libc::Ioctl = 0x1277;
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;
/// `IOSQE_FIXED_FILE`, from `linux/io_uring.h`.
const FIXED_FILE: u8 = 1;
/// A larger piece of memory cannot be registered (`io_uring_register(2)`).
const MOST_REGISTERED: usize = 1 << 30;
/// Slots are multiples of this; alignment enough for direct I/O on any device.
pub(crate) const PAGE: usize = 4_096;
/// Huge pages are requested from this size on.
const HUGE_PAGE: usize = 2 << 20;

/// How safe a write is when it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// As the device and the cache have it.
    No,
    /// Durable: `RWF_DSYNC`, which is `O_DSYNC` for one write. On a device without a page cache in between the kernel
    /// sends the write with FUA, or a flush after it.
    Data,
    /// All that belongs to the file is: `RWF_SYNC`.
    All,
}

impl Sync {
    /// Of a write, on a target all of whose writes are synchronous, or not.
    #[inline(always)]
    pub(crate) fn of(durable: bool, all: bool) -> Sync {
        match (all, durable) {
            (true, _) => Sync::All,
            (false, true) => Sync::Data,
            (false, false) => Sync::No,
        }
    }

    #[inline(always)]
    pub(crate) fn flags(self) -> ReadWriteFlags {
        match self {
            Sync::No => ReadWriteFlags::empty(),
            Sync::Data => ReadWriteFlags::DSYNC,
            Sync::All => ReadWriteFlags::SYNC,
        }
    }
}

/// The operation of a slot. Reads and writes use the beginning of the slot's buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Request {
    Read { offset: u64, len: u32 },
    Write { offset: u64, len: u32, sync: Sync },
    DataSync,
    PunchHole { offset: u64, len: u64 },
    Discard { offset: u64, len: u64 },
    Nop,
}

/// A completed request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finished {
    pub(crate) slot: u32,
    /// What the system call of its kind would return: a negative error number, or bytes moved.
    pub(crate) result: i32,
    /// It did everything requested.
    pub(crate) complete: bool,
}

/// What this kernel and its limits allowed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traits {
    pub(crate) single_issuer: bool,
    pub(crate) registered_ring: bool,
    pub(crate) registered_file: bool,
    pub(crate) registered_buffers: bool,
}

/// A ring, a file, and a buffer for each slot.
///
/// It holds a pointer and is therefore not `Send`: a ring with a single issuer serves only the
/// thread that made it.
pub(crate) struct RawRing {
    ring: ManuallyDrop<IoUring>,
    file: ManuallyDrop<OwnedFd>,
    memory: ManuallyDrop<MmapMut>,
    layout: Layout,
    /// By slot: it is in the submission ring or with the kernel.
    busy: Vec<bool>,
    /// Entries in the submission ring that the kernel has not taken yet.
    queued: u32,
    /// Entries that the kernel has taken and not given back.
    in_kernel: u32,
    enter_fd: i32,
    enter_flags: u32,
    traits: Traits,
}

/// Where things are: all that an entry is made from.
#[derive(Clone, Copy)]
struct Layout {
    first_byte: NonNull<u8>,
    slots: u32,
    slot_bytes: usize,
    file: RawFd,
    /// The first eight bytes of a read's entry, and of a write's.
    read: u64,
    write: u64,
    /// All ones where buffers are registered and an entry names the slot's, else zeros.
    index_mask: u64,
}

impl Layout {
    fn new(memory: &mut [u8], slots: u32, slot_bytes: usize, file: RawFd) -> Layout {
        let mut layout = Layout {
            first_byte: NonNull::from(memory).cast(),
            slots,
            slot_bytes,
            file,
            read: 0,
            write: 0,
            index_mask: 0,
        };
        layout.adapt(Traits::default());
        layout
    }

    fn adapt(&mut self, traits: Traits) {
        let (read, write) = match traits.registered_buffers {
            true => (opcode::ReadFixed::CODE, opcode::WriteFixed::CODE),
            false => (opcode::Read::CODE, opcode::Write::CODE),
        };
        // An entry begins with opcode (8 bits), flags (8), priority (16) and file (32).
        let (flags, file) = match traits.registered_file {
            true => (FIXED_FILE, 0),
            false => (0, self.file as u32),
        };
        let first = |code: u8| u64::from(code) | u64::from(flags) << 8 | u64::from(file) << 32;
        (self.read, self.write) = (first(read), first(write));
        self.index_mask = if traits.registered_buffers { !0 } else { 0 };
    }

    #[inline]
    fn start_of(&self, slot: u32) -> NonNull<u8> {
        assert!(slot < self.slots, "slot {slot} of {}", self.slots);
        // SAFETY: the memory holds `slots` pieces of `slot_bytes` from `first_byte` on.
        unsafe { self.first_byte.add(slot as usize * self.slot_bytes) }
    }

    /// An entry that moves `len` bytes between the target and the slot's buffer. As the kernel lays
    /// it out (`struct io_uring_sqe`), in words: built field by field it would be put together in
    /// memory twice.
    #[inline(always)]
    fn transfer(&self, first: u64, slot: u32, offset: u64, len: u32, flags: u32) -> squeue::Entry {
        let room = self.slot_bytes;
        assert!(len as usize <= room, "{len} bytes in a slot of {room}");
        let number = u64::from(slot);
        let words: [u64; 8] = [
            first,
            offset,
            self.start_of(slot).as_ptr() as u64,
            u64::from(len) | u64::from(flags) << 32,
            number | u64::from(len) << 32, // our own: the slot, and the result that is success
            number & self.index_mask,
            0,
            0,
        ];
        entry_of(words)
    }

    /// An entry that moves no data; the result that is success is 0.
    #[inline(never)]
    fn without_buffer(&self, request: Request) -> squeue::Entry {
        let file = Fd(self.file);
        match request {
            Request::DataSync => opcode::Fsync::new(file).flags(FsyncFlags::DATASYNC).build(),
            Request::PunchHole { offset, len } => {
                let mode = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                opcode::Fallocate::new(file, len)
                    .offset(offset)
                    .mode(mode.bits() as i32)
                    .build()
            }
            Request::Discard { offset, len } => {
                let mut command = [0_u8; 16];
                command[..8].copy_from_slice(&len.to_ne_bytes());
                opcode::UringCmd16::new(file, BLOCK_URING_CMD_DISCARD)
                    .addr(Some(offset))
                    .cmd(command)
                    .build()
            }
            Request::Nop | Request::Read { .. } | Request::Write { .. } => {
                opcode::Nop::new().build()
            }
        }
    }
}

#[inline(always)]
fn entry_of(words: [u64; 8]) -> squeue::Entry {
    // SAFETY: an entry is `struct io_uring_sqe`: 64 bytes of integers.
    unsafe { std::mem::transmute::<[u64; 8], squeue::Entry>(words) }
}

/// `struct io_uring_getevents_arg` of `linux/io_uring.h`.
#[repr(C)]
struct GetEventsArg {
    sigmask: u64,
    sigmask_size: u32,
    min_wait_micros: u32,
    timeout: u64,
}

impl RawRing {
    /// A ring of `slots` slots over a file, each with a buffer of `slot_bytes`.
    ///
    /// # Errors
    /// The kernel's error if there is no io_uring, or no memory.
    pub(crate) fn new(
        file: OwnedFd,
        slots: u32,
        slot_bytes: usize,
    ) -> Result<RawRing, (OwnedFd, io::Error)> {
        let made = (|| {
            let (ring, single_issuer) = set_up(slots)?;
            Ok((ring, single_issuer, buffers(slots as usize * slot_bytes)?))
        })();
        let (ring, single_issuer, mut memory) = match made {
            Ok(made) => made,
            Err(error) => return Err((file, error)),
        };
        let layout = Layout::new(&mut memory, slots, slot_bytes, file.as_raw_fd());
        let enter_fd = ring.as_raw_fd();
        let mut raw = RawRing {
            ring: ManuallyDrop::new(ring),
            file: ManuallyDrop::new(file),
            memory: ManuallyDrop::new(memory),
            layout,
            busy: vec![false; slots as usize],
            queued: 0,
            in_kernel: 0,
            enter_fd,
            enter_flags: ENTER_GETEVENTS,
            traits: Traits {
                single_issuer,
                ..Traits::default()
            },
        };
        raw.register();
        Ok(raw)
    }

    /// Registers what can be registered; what cannot (an old kernel, a limit on locked memory) is
    /// done without.
    fn register(&mut self) {
        if let Some(index) = registration::register_ring(self.enter_fd) {
            self.enter_fd = index;
            self.enter_flags |= ENTER_REGISTERED_RING;
            self.traits.registered_ring = true;
        }
        let submitter = self.ring.submitter();
        self.traits.registered_file = submitter.register_files(&[self.file.as_raw_fd()]).is_ok();
        let slots: Vec<libc::iovec> = (0..self.layout.slots)
            .map(|slot| libc::iovec {
                iov_base: self.layout.start_of(slot).as_ptr().cast(),
                iov_len: self.layout.slot_bytes,
            })
            .collect();
        // SAFETY: the pieces lie inside `memory`, which is unmapped only after the ring is closed.
        self.traits.registered_buffers = self.layout.slot_bytes <= MOST_REGISTERED
            && unsafe { submitter.register_buffers(&slots) }.is_ok();
        self.layout.adapt(self.traits);
    }

    /// Lets entering the ring fail, or work again, as if the kernel did.
    #[cfg(test)]
    pub(crate) fn spoil(&mut self, spoilt: bool) {
        self.enter_flags = (self.enter_flags & 0xff) | if spoilt { 1 << 31 } else { 0 };
    }

    pub(crate) fn traits(&self) -> Traits {
        self.traits
    }

    pub(crate) fn file(&self) -> &OwnedFd {
        &self.file
    }

    /// The slot's memory.
    ///
    /// # Panics
    /// Where the slot is in flight.
    pub(crate) fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(!self.busy[slot as usize], "slot {slot} is in flight");
        let start = self.layout.start_of(slot);
        // SAFETY: the piece is mapped, initialised (an anonymous map is zeros), not in flight, and
        // borrowed as long as `self` is; no other reference into `memory` exists.
        unsafe { slice::from_raw_parts_mut(start.as_ptr(), self.layout.slot_bytes) }
    }

    /// Puts a request into the submission ring.
    ///
    /// # Panics
    /// Where the slot is in flight, or its buffer is shorter than the transfer.
    #[inline(always)]
    pub(crate) fn push(&mut self, slot: u32, request: Request) {
        match request {
            Request::Read { offset, len } => {
                let entry = self.layout.transfer(self.layout.read, slot, offset, len, 0);
                self.place(slot, entry);
            }
            Request::Write { offset, len, sync } => {
                let flags = sync.flags().bits();
                let entry = self
                    .layout
                    .transfer(self.layout.write, slot, offset, len, flags);
                self.place(slot, entry);
            }
            Request::Nop => {
                let first = u64::from(opcode::Nop::CODE);
                let entry = entry_of([first, 0, 0, 0, u64::from(slot), 0, 0, 0]);
                self.place(slot, entry);
            }
            other => {
                let entry = self.layout.without_buffer(other);
                self.place(slot, entry.user_data(u64::from(slot)));
            }
        }
    }

    #[inline(always)]
    fn place(&mut self, slot: u32, entry: squeue::Entry) {
        let busy = &mut self.busy[slot as usize];
        assert!(!*busy, "slot {slot} is in flight");
        *busy = true;
        self.queued += 1;
        // SAFETY: the entry's buffer is the slot's own and stays mapped and unborrowed until the
        // slot is given back; the file stays open as long as the ring.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        pushed.expect("the ring has an entry for each slot, and the slot was free");
    }

    /// Entries that the kernel has not taken yet.
    pub(crate) fn queued(&self) -> u32 {
        self.queued
    }

    /// Slots that are queued or with the kernel.
    pub(crate) fn busy_slots(&self) -> Vec<u32> {
        let busy = |&slot: &u32| self.busy[slot as usize];
        (0..self.busy.len() as u32).filter(busy).collect()
    }

    /// Hands the queued entries over and waits until at least `want` completions are there, or the
    /// timeout has passed. `Ok` with the number of entries taken; a timeout is no error.
    #[inline]
    pub(crate) fn enter(&mut self, want: u32, timeout_nanos: Option<u64>) -> Result<u32, Errno> {
        let timeout = timeout_nanos.map(|nanos| {
            [
                (nanos / 1_000_000_000) as i64,
                (nanos % 1_000_000_000) as i64,
            ] // `__kernel_timespec`
        });
        let arg = GetEventsArg {
            sigmask: 0,
            sigmask_size: 0,
            min_wait_micros: 0,
            timeout: timeout.as_ref().map_or(0, |t| t.as_ptr() as u64),
        };
        let (flags, arg, size) = match timeout {
            Some(_) => (
                self.enter_flags | ENTER_EXT_ARG,
                (&raw const arg).cast::<libc::c_void>(),
                size_of::<GetEventsArg>(),
            ),
            None => (self.enter_flags, std::ptr::null(), 0),
        };
        // SAFETY: the descriptor is the ring's (or its registered index, as the flag says), the
        // entries were pushed soundly, and `arg` and `timeout` outlive the call, which only reads.
        let taken = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                self.enter_fd,
                self.queued,
                want,
                flags,
                arg,
                size,
            )
        };
        if taken < 0 {
            let error = errno();
            return if error == Errno::TIME {
                Ok(0)
            } else {
                Err(error)
            };
        }
        let taken = (taken as u32).min(self.queued);
        self.queued -= taken;
        self.in_kernel += taken;
        Ok(taken)
    }

    /// True where completions can be reaped.
    #[inline]
    pub(crate) fn has_completions(&mut self) -> bool {
        !self.ring.completion().is_empty()
    }

    /// Takes all completions that are there.
    #[inline]
    pub(crate) fn reap(&mut self, mut each: impl FnMut(Finished)) {
        for entry in self.ring.completion() {
            self.in_kernel -= 1;
            let slot = entry.user_data() as u32;
            let wanted = (entry.user_data() >> 32) as i32;
            self.busy[slot as usize] = false;
            each(Finished {
                slot,
                result: entry.result(),
                complete: entry.result() == wanted,
            });
        }
    }
}

impl Drop for RawRing {
    /// When it returns the kernel has no hold on the file and the buffers any more.
    fn drop(&mut self) {
        let drained = self.drain();
        self.unregister(drained);
        // SAFETY: each is dropped once, here, the ring before what it uses. Where something is still with
        // the kernel, which may write into the buffers, they are left mapped for ever.
        unsafe {
            ManuallyDrop::drop(&mut self.ring);
            ManuallyDrop::drop(&mut self.file);
            if drained {
                ManuallyDrop::drop(&mut self.memory);
            }
        }
    }
}

impl RawRing {
    /// Waits until the kernel has given every slot back; false where it does not.
    fn drain(&mut self) -> bool {
        // What is queued was never handed over.
        self.queued = 0;
        while self.in_kernel > 0 {
            match self.enter(1, None) {
                Ok(_) | Err(Errno::INTR | Errno::AGAIN | Errno::BUSY) => self.reap(|_| {}),
                Err(_) => return false,
            }
        }
        true
    }

    /// Gives back all that was registered; buffers and file only where nothing is in flight, for which the
    /// calls would wait.
    fn unregister(&mut self, drained: bool) {
        let submitter = self.ring.submitter();
        // A failure leaves the rest to the kernel's worker: there is nothing else to be done about it.
        if drained && self.traits.registered_buffers {
            let _ = submitter.unregister_buffers();
        }
        if drained && self.traits.registered_file {
            let _ = submitter.unregister_files();
        }
        if self.traits.registered_ring {
            registration::unregister_ring(self.ring.as_raw_fd(), self.enter_fd);
        }
    }
}

/// The best ring that this kernel makes, and whether it has a single issuer.
fn set_up(slots: u32) -> io::Result<(IoUring, bool)> {
    let entries = slots.next_power_of_two();
    let builder = || IoUring::builder();
    let attempts: [(IoUringBuilder, bool); 4] = [
        (
            builder()
                .setup_single_issuer()
                .setup_defer_taskrun()
                .setup_no_sqarray()
                .clone(),
            true,
        ),
        (
            builder()
                .setup_single_issuer()
                .setup_defer_taskrun()
                .clone(),
            true,
        ),
        (builder().setup_coop_taskrun().clone(), false),
        (builder(), false),
    ];
    let mut last = io::Error::from_raw_os_error(libc::ENOSYS);
    for (mut attempt, single_issuer) in attempts {
        match attempt.dontfork().build(entries) {
            // Waiting with a timeout came with Linux 5.11.
            Ok(ring) if ring.params().is_feature_ext_arg() => return Ok((ring, single_issuer)),
            Ok(_) => return Err(io::Error::from_raw_os_error(libc::ENOSYS)),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

type IoUringBuilder = io_uring::Builder<squeue::Entry, io_uring::cqueue::Entry>;

/// Page-aligned zeros, in huge pages where that is worth it.
pub(crate) fn buffers(bytes: usize) -> io::Result<MmapMut> {
    let mut memory = MmapMut::map_anon(bytes.max(1))?;
    if bytes >= HUGE_PAGE {
        // Advice: where there are no huge pages, small ones do.
        let _ = memory.advise(Advice::HugePage);
    }
    // Touched now, so that no timed I/O meets a page that is not there yet.
    memory.chunks_mut(PAGE).for_each(|page| page[0] = 0);
    Ok(memory)
}

fn errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// Tells a block device that a range is no longer needed, and waits until it has taken note.
///
/// # Errors
/// The kernel's error: EOPNOTSUPP if the device does not support it.
pub(crate) fn discard(device: impl AsFd, offset: u64, len: u64) -> Result<(), Errno> {
    let range = [offset, len];
    // SAFETY: BLKDISCARD reads two 64-bit numbers.
    let result = unsafe { libc::ioctl(device.as_fd().as_raw_fd(), BLKDISCARD, range.as_ptr()) };
    if result == 0 { Ok(()) } else { Err(errno()) }
}

/// User and system time that the whole process has used so far, in nanoseconds.
pub(crate) fn process_cpu_nanos() -> (u64, u64) {
    // SAFETY: `rusage` is plain numbers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills one `rusage`, which outlives the call; RUSAGE_SELF is always known.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let nanos = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1_000;
    (nanos(usage.ru_utime), nanos(usage.ru_stime))
}
