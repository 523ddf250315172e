//! A block device of this computer whose other side is a program: ublk (Linux 6.5 or later).
//!
//! `/dev/ublk-control` creates a device by number: its file `/dev/ublkcN`, from which the program fetches requests and
//! to which it returns completions ([`Queue`]), and, once it is started, the block device `/dev/ublkbN` that is visible
//! to everyone. The queue must be served while the device is started, since the kernel reads its partition table, and
//! while it is stopped, since file systems are flushed then. So [`Device::start`] and [`Device::stop`] must run in
//! another thread than the one with the queue.
//!
//! The protocol is small enough to be implemented here (its `unsafe` part is in `raw_ublk.rs`): the library for it,
//! libublk, generates its bindings with libclang at build time and brings an executor, so it could only be an optional
//! feature that few would build; and it keeps a buffer for each request in flight, whereas here data goes directly from
//! the kernel to where it is stored.
//!
//! **If the server dies**, the kernel ends the requests with errors and removes the block device. The number with its
//! file `/dev/ublkcN` remains; those of a killed process of ours are recognised by their mark, and removed when the
//! next device is created.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use base::size::Bytes;
use base::time::Duration;
use base::workload::Span;
use rustix::fs::{FlockOperation, flock};

use crate::clock::Clock;
use crate::raw_ublk::{Description, Order, RawQueue, order};

const CONTROL: &str = "/dev/ublk-control";
const CLASS: &str = "/sys/class/ublk-char";
/// Requests that may be in flight.
const DEPTH: u16 = 128;
/// The longest read or write that the kernel hands over at once.
const LONGEST: Bytes = Bytes::mib(1);
/// The longest discard.
const LONGEST_DISCARD: Bytes = Bytes::gib(1);
/// In a device's information, in a field free for the server: our mark.
const MARK: u64 = u64::from_le_bytes(*b"drivelab");

/// `UBLK_F_USER_COPY`: data are moved by reading and writing the device's file.
const USER_COPY: u64 = 1 << 7;
/// Bytes of `struct ublksrv_ctrl_dev_info`, and where in it are depth, state, longest transfer, number, flags, mark.
const INFO: usize = 64;
const INFO_DEPTH: usize = 2;
const INFO_STATE: usize = 4;
const INFO_LONGEST: usize = 8;
const INFO_NUMBER: usize = 12;
const INFO_FLAGS: usize = 24;
const INFO_MARK: usize = 32;
/// `UBLK_S_DEV_DEAD`.
const DEAD: u8 = 0;

/// What a device is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its length.
    pub capacity: Bytes,
    /// Offsets and lengths are multiples of this: a power of two, a page at most.
    pub block: Bytes,
    /// What it reads and writes best in: a power of two.
    pub preferred: Bytes,
    /// Writes are refused.
    pub read_only: bool,
    /// It is a disk.
    pub rotational: bool,
}

/// A request to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Data, which are given with [`Queue::give`].
    Read,
    /// Data, to be fetched with [`Queue::data`]; durable: on stable storage at completion (FUA).
    Write {
        /// FUA.
        durable: bool,
    },
    /// All that was acknowledged is to be on stable storage.
    Flush,
    /// The range is no longer needed.
    Discard,
    /// The range is to be zeros.
    Zero {
        /// It may be forgotten as in a discard.
        may_forget: bool,
        /// FUA.
        durable: bool,
    },
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its number among those in flight.
    pub tag: u16,
    /// The request; `None` if unknown.
    pub operation: Option<Operation>,
    /// Where; empty for a flush.
    pub span: Span,
}

/// Why there is no device.
#[derive(Debug, thiserror::Error)]
pub enum UblkError {
    /// No driver.
    #[error(
        "this kernel has no ublk, or its module is not loaded ({CONTROL} is not there): modprobe ublk_drv"
    )]
    NotThere,
    #[error("a ublk block device needs root")]
    NoRight,
    /// The driver is too old for the requested feature.
    #[error("this kernel's ublk is too old: Linux 6.5 or later is needed")]
    TooOld,
    /// Something else.
    #[error("ublk: {doing}: {cause}")]
    Failed {
        /// What was tried.
        doing: &'static str,
        /// The kernel's error.
        cause: io::Error,
    },
}

impl UblkError {
    fn at(doing: &'static str) -> impl Fn(io::Error) -> UblkError {
        move |cause| match cause.kind() {
            io::ErrorKind::PermissionDenied => UblkError::NoRight,
            _ => UblkError::Failed { doing, cause },
        }
    }
}

/// A device of this process.
#[derive(Debug)]
pub struct Device {
    number: u32,
}

impl Device {
    /// Creates a device, not visible yet, and its queue, which the calling thread has to serve.
    ///
    /// # Errors
    /// [`UblkError`].
    pub fn add(shape: &Shape) -> Result<(Device, Queue), UblkError> {
        let control = control()?;
        // One at a time: a device that is not open yet is not to be taken for one that was left behind.
        flock(&control, FlockOperation::LockExclusive)
            .map_err(|cause| UblkError::at("waiting for other servers")(cause.into()))?;
        remove_left_behind(&control);
        let mut info = wanted();
        order(&control, Order::Add, u32::MAX, 0, &mut info)
            .map_err(UblkError::at("a device cannot be made"))?;
        let number = number::<4>(&info, INFO_NUMBER).map_or(0, u32::from_ne_bytes);
        let device = Device { number };
        match device.opened(&control, shape) {
            Ok(queue) => Ok((device, queue)),
            Err(error) => {
                // It is nobody's yet; what went wrong is told.
                let _ = device.delete();
                Err(error)
            }
        }
    }

    fn opened(&self, control: &File, shape: &Shape) -> Result<Queue, UblkError> {
        let mut parameters = parameters(shape);
        order(
            control,
            Order::SetParameters,
            self.number,
            0,
            &mut parameters,
        )
        .map_err(UblkError::at("the kernel takes no device of this shape"))?;
        let opened = open_at_last(&server_side(self.number));
        let file = opened.map_err(UblkError::at("the device's file cannot be opened"))?;
        Queue::begun(file).map_err(UblkError::at("the device has no queue"))
    }

    /// Where others find it once it is started.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/ublkb{}", self.number))
    }

    /// Makes it visible. The kernel's reads meanwhile have to be served.
    ///
    /// # Errors
    /// [`UblkError`].
    pub fn start(&self) -> Result<(), UblkError> {
        let process = u64::from(std::process::id());
        order(
            &control()?,
            Order::Start,
            self.number,
            process,
            &mut Vec::new(),
        )
        .map_err(UblkError::at("the device cannot be started"))
    }

    /// Removes it from view: file systems on it are flushed first, which has to be served.
    ///
    /// # Errors
    /// [`UblkError`].
    pub fn stop(&self) -> Result<(), UblkError> {
        order(&control()?, Order::Stop, self.number, 0, &mut Vec::new())
            .map_err(UblkError::at("the device cannot be stopped"))
    }

    /// Releases its number; the queue is gone. If a process still has it open, it disappears on close.
    ///
    /// # Errors
    /// [`UblkError`].
    pub fn delete(self) -> Result<(), UblkError> {
        delete(&control()?, self.number).map_err(UblkError::at("the device cannot be deleted"))
    }
}

/// Whether this process can have a device: a driver, the right, and a kernel that is new enough.
///
/// # Errors
/// [`UblkError`]: why not.
pub fn is_to_be_had() -> Result<(), UblkError> {
    control().map(drop)
}

/// What gives orders, of a driver that is new enough.
fn control() -> Result<File, UblkError> {
    let opened = OpenOptions::new().read(true).write(true).open(CONTROL);
    let control = opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => UblkError::NotThere,
        _ => UblkError::at("it cannot be asked")(error),
    })?;
    let mut features = vec![0; 8];
    match order(&control, Order::Features, u32::MAX, 0, &mut features) {
        Ok(()) if features_of(&features) & USER_COPY != 0 => Ok(control),
        Ok(()) => Err(UblkError::TooOld),
        // No io_uring, or none for this process.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => {
            Err(UblkError::at("io_uring")(error))
        }
        Err(_) => Err(UblkError::TooOld),
    }
}

fn features_of(told: &[u8]) -> u64 {
    number::<8>(told, 0).map_or(0, u64::from_ne_bytes)
}

fn server_side(number: u32) -> PathBuf {
    PathBuf::from(format!("/dev/ublkc{number}"))
}

/// Opens a device's file for its server. For a moment after it was made udev's programs may have it open, and one
/// alone may.
fn open_at_last(file: &Path) -> io::Result<File> {
    let mut tries = 0;
    loop {
        match OpenOptions::new().read(true).write(true).open(file) {
            Err(error)
                if tries < 500
                    && matches!(
                        error.kind(),
                        io::ErrorKind::ResourceBusy | io::ErrorKind::NotFound
                    ) =>
            {
                tries += 1;
                let clock = Clock::starting_now();
                clock.sleep_until(clock.now() + Duration::from_millis(10));
            }
            other => return other,
        }
    }
}

/// Deferred if the kernel supports that (6.7), since waiting for a process that has it open may take forever.
fn delete(control: &File, device: u32) -> io::Result<()> {
    let nothing = &mut Vec::new();
    match order(control, Order::DeleteLater, device, 0, nothing) {
        Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => {
            order(control, Order::Delete, device, 0, nothing)
        }
        done => done,
    }
}

/// Removes the devices of our killed processes: they have our mark, are dead, and are not open.
fn remove_left_behind(control: &File) {
    let Ok(devices) = std::fs::read_dir(CLASS) else {
        return;
    };
    for device in devices.flatten() {
        let name = device.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("ublkc"));
        let Some(number) = number.and_then(|number| number.parse().ok()) else {
            continue;
        };
        let mut info = vec![0; INFO];
        let known = order(control, Order::DeviceInfo, number, 0, &mut info).is_ok();
        if known && is_ours_and_dead(&info) && File::open(server_side(number)).is_ok() {
            // One that cannot be deleted is in nobody's way.
            let _ = delete(control, number);
        }
    }
}

fn is_ours_and_dead(info: &[u8]) -> bool {
    let mark = number::<8>(info, INFO_MARK).map(u64::from_ne_bytes);
    let state = number::<2>(info, INFO_STATE).map(u16::from_ne_bytes);
    mark == Some(MARK) && state == Some(u16::from(DEAD))
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

/// `struct ublksrv_ctrl_dev_info` of a device that is to be made.
fn wanted() -> Vec<u8> {
    let mut info = vec![0; INFO];
    let mut put = |at: usize, bytes: &[u8]| info[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &1_u16.to_ne_bytes()); // queues
    put(INFO_DEPTH, &DEPTH.to_ne_bytes());
    put(INFO_LONGEST, &(LONGEST.get() as u32).to_ne_bytes());
    put(INFO_NUMBER, &u32::MAX.to_ne_bytes()); // any
    put(INFO_FLAGS, &USER_COPY.to_ne_bytes());
    put(INFO_MARK, &MARK.to_ne_bytes());
    info
}

/// `struct ublk_params`: its header, what every device has, and what belongs to discards.
fn parameters(shape: &Shape) -> Vec<u8> {
    const BASIC: u32 = 1;
    const DISCARD: u32 = 1 << 1;
    const READ_ONLY: u32 = 1;
    const ROTATIONAL: u32 = 1 << 1;
    const VOLATILE_CACHE: u32 = 1 << 2;
    const FUA: u32 = 1 << 3;
    let sectors = |bytes: Bytes| bytes.get() / 512;
    let power = |bytes: Bytes| bytes.get().trailing_zeros() as u8;
    let mut attributes = VOLATILE_CACHE | FUA;
    let mut kinds = BASIC;
    if shape.rotational {
        attributes |= ROTATIONAL;
    }
    if shape.read_only {
        attributes |= READ_ONLY;
    } else {
        kinds |= DISCARD;
    }
    let preferred = power(shape.preferred.max(shape.block));
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&60_u32.to_ne_bytes()); // all of it
    bytes.extend_from_slice(&kinds.to_ne_bytes());
    bytes.extend_from_slice(&attributes.to_ne_bytes());
    // Logical and physical block, best and least transfer.
    bytes.extend_from_slice(&[power(shape.block), preferred, preferred, preferred]);
    bytes.extend_from_slice(&(sectors(LONGEST) as u32).to_ne_bytes());
    bytes.extend_from_slice(&0_u32.to_ne_bytes()); // no chunks
    bytes.extend_from_slice(&sectors(shape.capacity).to_ne_bytes());
    bytes.extend_from_slice(&0_u64.to_ne_bytes()); // no boundary
    let longest = sectors(LONGEST_DISCARD) as u32;
    bytes.extend_from_slice(&0_u32.to_ne_bytes()); // alignment of discards
    bytes.extend_from_slice(&(shape.block.get() as u32).to_ne_bytes());
    bytes.extend_from_slice(&longest.to_ne_bytes());
    bytes.extend_from_slice(&longest.to_ne_bytes()); // of zeros
    bytes.extend_from_slice(&1_u16.to_ne_bytes()); // a discard is one range
    bytes.extend_from_slice(&0_u16.to_ne_bytes());
    bytes
}

/// A device's requests, and their completion.
///
/// Its descriptor is readable where there are requests to take. It belongs to the thread that made it.
pub struct Queue {
    raw: RawQueue,
    /// Tags that have ended.
    over: u16,
    _of_one_thread: std::marker::PhantomData<*const ()>,
}

impl Queue {
    fn begun(device: File) -> io::Result<Queue> {
        // Memory that this thread needs must not wait for dirty pages of a file system on its own device. A thread
        // that may not say so goes without.
        let _ = rustix::process::configure_io_flusher_behavior(true);
        let mut raw = RawQueue::new(device, DEPTH)?;
        for tag in 0..DEPTH {
            raw.fetch(tag)?;
        }
        raw.submit()?;
        Ok(Queue {
            raw,
            over: 0,
            _of_one_thread: std::marker::PhantomData,
        })
    }

    /// The next request, if one has come.
    ///
    /// # Errors
    /// The kernel's error, after which nothing can be served.
    pub fn take(&mut self) -> io::Result<Option<Request>> {
        while let Some((tag, is_asked)) = self.raw.next()? {
            if is_asked {
                return Ok(Some(understood(tag, self.raw.description(tag))));
            }
            self.over += 1;
        }
        Ok(None)
    }

    /// Whether the device is gone: there will be no more requests.
    pub fn is_over(&self) -> bool {
        self.over == self.raw.depth()
    }

    /// Fetches the data of a write.
    ///
    /// # Errors
    /// The kernel's error: the request was aborted, for example.
    pub fn data(&self, request: &Request) -> io::Result<Vec<u8>> {
        let mut data = vec![0; request.span.len.get() as usize];
        self.raw
            .device()
            .read_exact_at(&mut data, place(request.tag))?;
        Ok(data)
    }

    /// Gives a read its data.
    ///
    /// # Errors
    /// As [`Queue::data`].
    pub fn give(&self, tag: u16, data: &[u8]) -> io::Result<()> {
        self.raw.device().write_all_at(data, place(tag))
    }

    /// Answers a request: with the bytes that were moved, or with an error number of Linux. It is sent with
    /// [`Queue::send`].
    ///
    /// # Errors
    /// The kernel's error.
    pub fn answer(&mut self, tag: u16, result: Result<Bytes, i32>) -> io::Result<()> {
        let result = match result {
            Ok(bytes) => bytes.get() as i32,
            Err(error) => -error,
        };
        self.raw.commit_and_fetch(tag, result)
    }

    /// Submits the completions.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn send(&mut self) -> io::Result<()> {
        self.raw.submit()
    }
}

impl AsFd for Queue {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.raw.as_fd()
    }
}

/// The offset of a tag's data in the device's file: after `UBLKSRV_IO_BUF_OFFSET`, 32 MiB per tag.
fn place(tag: u16) -> u64 {
    const FIRST: u64 = 0x8000_0000;
    FIRST + (u64::from(tag) << 25)
}

/// A request as the kernel describes it: the operation in the lowest eight bits, flags above.
fn understood(tag: u16, description: Description) -> Request {
    const FUA: u32 = 1 << 13;
    const KEEP_ALLOCATED: u32 = 1 << 15;
    let has = |flag: u32| description.operation_and_flags & flag != 0;
    let operation = match description.operation_and_flags & 0xff {
        0 => Some(Operation::Read),
        1 => Some(Operation::Write { durable: has(FUA) }),
        2 => Some(Operation::Flush),
        3 => Some(Operation::Discard),
        5 => Some(Operation::Zero {
            may_forget: !has(KEEP_ALLOCATED),
            durable: has(FUA),
        }),
        _ => None,
    };
    let bytes = |sectors: u64| Bytes::new(sectors.saturating_mul(512));
    let start = bytes(description.start_sector);
    let span = match operation {
        Some(Operation::Flush) => Span::new(Bytes::ZERO, Bytes::ZERO),
        _ => Span::new(start, bytes(u64::from(description.sectors))),
    };
    Request {
        tag,
        operation,
        span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(operation_and_flags: u32) -> Option<Operation> {
        let description = Description {
            operation_and_flags,
            ..Description::default()
        };
        understood(0, description).operation
    }

    #[test]
    fn requests_are_read_as_the_kernel_writes_them() {
        let description = Description {
            operation_and_flags: 1 | 1 << 13,
            sectors: 8,
            start_sector: 2_048,
            ..Description::default()
        };
        let request = understood(3, description);
        assert_eq!(request.tag, 3);
        assert_eq!(request.operation, Some(Operation::Write { durable: true }));
        assert_eq!(request.span, Span::new(Bytes::mib(1), Bytes::kib(4)));
        let durable = false;
        assert_eq!(asked(0), Some(Operation::Read));
        assert_eq!(asked(1 << 8 | 1), Some(Operation::Write { durable }));
        assert_eq!(asked(2), Some(Operation::Flush));
        assert_eq!(asked(3), Some(Operation::Discard));
        for (flags, may_forget) in [(0, true), (1 << 15, false)] {
            let zero = Operation::Zero {
                may_forget,
                durable,
            };
            assert_eq!(asked(5 | flags), Some(zero));
        }
        assert_eq!(asked(13), None, "an append to a zone");
    }

    #[test]
    fn a_shape_is_told_as_the_kernel_reads_it() {
        let shape = Shape {
            capacity: Bytes::gib(1),
            block: Bytes::SECTOR,
            preferred: Bytes::kib(4),
            read_only: false,
            rotational: true,
        };
        let told = parameters(&shape);
        assert_eq!(told.len(), 60);
        let u32_at = |at| u32::from_ne_bytes(number::<4>(&told, at).unwrap());
        assert_eq!((u32_at(0), u32_at(4), u32_at(8)), (60, 3, 0b1110));
        assert_eq!(told[12..16], [9, 12, 12, 12]);
        assert_eq!(u32_at(16), 2_048);
        assert_eq!(
            number::<8>(&told, 24).map(u64::from_ne_bytes),
            Some(1 << 21)
        );
        assert_eq!((u32_at(44), u32_at(48)), (512, 1 << 21));
        let read_only = Shape {
            read_only: true,
            ..shape
        };
        let told = parameters(&read_only);
        assert_eq!((told[4], told[8]), (1, 0b1111), "and no discards");
    }

    #[test]
    fn a_device_that_was_left_behind_is_told_from_others() {
        let ours = wanted();
        assert_eq!(ours.len(), INFO);
        assert!(is_ours_and_dead(&ours));
        let mut live = ours.clone();
        live[INFO_STATE] = 1;
        let mut theirs = ours.clone();
        theirs[INFO_MARK] = 0;
        assert!(!is_ours_and_dead(&live) && !is_ours_and_dead(&theirs));
        assert!(!is_ours_and_dead(&[]));
    }

    #[test]
    fn where_there_is_no_driver_it_is_said_what_to_do() {
        if Path::new(CONTROL).exists() {
            return fixtures::skip::skip(
                "where_there_is_no_driver_it_is_said_what_to_do",
                "this kernel has ublk",
            );
        }
        let error = control().unwrap_err().to_string();
        assert!(error.ends_with("modprobe ublk_drv"), "{error}");
    }
}
