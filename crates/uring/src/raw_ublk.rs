//! ublk's two rings, as defined by the kernel: control commands, and a device's request queue.
//!
//! A command to `/dev/ublk-control` is an entry of 128 bytes, whose second half holds `struct ublksrv_ctrl_cmd`; it is
//! sent, and waited for. A queue is a number of *tags*: for each an entry is pending in the kernel, which completes
//! when a request has that tag; the request is then in a table that the kernel writes and this process maps. The entry
//! that completes the request also fetches the tag's next one.
//!
//! Why this is small and sound: the device is created with `UBLK_F_USER_COPY`, so data is moved by `pread` and `pwrite`
//! on the device's file at an offset derived from the tag, and no queue entry contains an address. The kernel uses none
//! of our memory except the buffer of a command, which is not released before the command is done.
//!
//! Source: `linux/ublk_cmd.h` and `Documentation/block/ublk.rst` of Linux.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use io_uring::types::Fd;
use io_uring::{IoUring, cqueue, opcode, squeue};
use memmap2::{MmapOptions, MmapRaw};
use rustix::ioctl::opcode::{read, read_write};

/// `struct ublksrv_ctrl_cmd`.
#[repr(C)]
struct ControlCommand {
    device: u32,
    queue: u16,
    length: u16,
    address: u64,
    data: u64,
    path_length: u16,
    padding: u16,
    reserved: u32,
}

/// `struct ublksrv_io_cmd`.
#[repr(C)]
struct QueueCommand {
    queue: u16,
    tag: u16,
    result: i32,
    address: u64,
}

const _: () = assert!(size_of::<ControlCommand>() == 32);
const _: () = assert!(size_of::<QueueCommand>() == 16);

/// `UBLK_U_CMD_...`: commands to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    DeviceInfo,
    Add,
    Delete,
    Start,
    Stop,
    SetParameters,
    Features,
    DeleteLater,
}

impl Order {
    fn number(self) -> u32 {
        match self {
            Order::DeviceInfo => read::<ControlCommand>(b'u', 0x02),
            Order::Add => read_write::<ControlCommand>(b'u', 0x04),
            Order::Delete => read_write::<ControlCommand>(b'u', 0x05),
            Order::Start => read_write::<ControlCommand>(b'u', 0x06),
            Order::Stop => read_write::<ControlCommand>(b'u', 0x07),
            Order::SetParameters => read_write::<ControlCommand>(b'u', 0x08),
            Order::Features => read::<ControlCommand>(b'u', 0x13),
            Order::DeleteLater => read::<ControlCommand>(b'u', 0x14),
        }
    }
}

/// `UBLK_U_IO_FETCH_REQ` and `UBLK_U_IO_COMMIT_AND_FETCH_REQ`.
const FETCH: u32 = read_write::<QueueCommand>(b'u', 0x20);
const COMMIT_AND_FETCH: u32 = read_write::<QueueCommand>(b'u', 0x21);
/// The result of an entry when there will be no further request: `UBLK_IO_RES_ABORT`.
const OVER: i32 = -libc::ENODEV;

/// Sends a control command and waits until it is done; `buffer` is what the kernel reads, or writes.
///
/// # Errors
/// The kernel's error.
pub(crate) fn order(
    control: &File,
    order: Order,
    device: u32,
    data: u64,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let command = ControlCommand {
        device,
        queue: u16::MAX, // none
        length: buffer.len() as u16,
        address: if buffer.is_empty() {
            0
        } else {
            buffer.as_mut_ptr() as u64
        },
        data,
        path_length: 0,
        padding: 0,
        reserved: 0,
    };
    // SAFETY: both are 32 bytes of integers without gaps.
    let command = unsafe { std::mem::transmute::<ControlCommand, [u8; 32]>(command) };
    let mut whole = [0; 80];
    whole[..32].copy_from_slice(&command);
    let entry = opcode::UringCmd80::new(Fd(control.as_raw_fd()), order.number())
        .cmd(whole)
        .build();
    let mut ring = IoUring::<squeue::Entry128, cqueue::Entry>::builder()
        .dontfork()
        .build(1)?;
    // SAFETY: the file is open, and the buffer stays where it is until the entry is back: below, each way out of this
    // function before that leaves both ring and buffer for ever.
    let queued = unsafe { ring.submission().push(&entry) };
    queued.map_err(io::Error::other)?;
    loop {
        match ring.submit_and_wait(1) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                std::mem::forget(std::mem::take(buffer));
                std::mem::forget(ring);
                return Err(error);
            }
            _ => {}
        }
        if let Some(done) = ring.completion().next() {
            return result(done.result());
        }
    }
}

fn result(result: i32) -> io::Result<()> {
    match result {
        0.. => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}

/// The request of a tag: `struct ublksrv_io_desc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Description {
    pub(crate) operation_and_flags: u32,
    pub(crate) sectors: u32,
    pub(crate) start_sector: u64,
    /// Of a buffer, which there is none of here.
    pub(crate) address: u64,
}

const _: () = assert!(size_of::<Description>() == 24);

/// A device's one queue.
///
/// The kernel takes its entries from the thread that sent the first ones alone.
pub(crate) struct RawQueue {
    // In this order: the ring is closed before what its entries name.
    ring: IoUring,
    table: MmapRaw,
    device: File,
    depth: u16,
}

impl RawQueue {
    /// The queue of a device whose file (`/dev/ublkcN`) is open.
    ///
    /// # Errors
    /// The kernel's error.
    pub(crate) fn new(device: File, depth: u16) -> io::Result<RawQueue> {
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_coop_taskrun()
            .dontfork()
            .build(u32::from(depth))?;
        let page = rustix::param::page_size();
        let bytes = (usize::from(depth) * size_of::<Description>()).next_multiple_of(page);
        let table = MmapOptions::new().len(bytes).map_raw_read_only(&device)?;
        Ok(RawQueue {
            ring,
            table,
            device,
            depth,
        })
    }

    pub(crate) fn device(&self) -> &File {
        &self.device
    }

    pub(crate) fn depth(&self) -> u16 {
        self.depth
    }

    /// Asks for a tag's first request; sent with [`RawQueue::submit`].
    pub(crate) fn fetch(&mut self, tag: u16) -> io::Result<()> {
        self.push(FETCH, tag, 0)
    }

    /// Completes a tag's request with a number of bytes, or with a negative error number, and fetches the next one.
    pub(crate) fn commit_and_fetch(&mut self, tag: u16, result: i32) -> io::Result<()> {
        self.push(COMMIT_AND_FETCH, tag, result)
    }

    fn push(&mut self, operation: u32, tag: u16, result: i32) -> io::Result<()> {
        let command = QueueCommand {
            queue: 0,
            tag,
            result,
            address: 0, // the data are not here, but behind the device's file
        };
        // SAFETY: both are 16 bytes of integers without gaps.
        let command = unsafe { std::mem::transmute::<QueueCommand, [u8; 16]>(command) };
        let entry = opcode::UringCmd16::new(Fd(self.device.as_raw_fd()), operation)
            .cmd(command)
            .build()
            .user_data(u64::from(tag));
        // SAFETY: the entry holds no address, and its file is open as long as the ring is.
        unsafe { self.ring.submission().push(&entry) }.map_err(io::Error::other)
    }

    /// Hands all new entries over.
    pub(crate) fn submit(&mut self) -> io::Result<()> {
        while !self.ring.submission().is_empty() {
            match self.ring.submit() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(_) => {}
            }
        }
        Ok(())
    }

    /// The next completed tag: with a request (true), or because there will be none.
    ///
    /// # Errors
    /// The kernel refused an entry.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u16, bool)>> {
        let Some(entry) = self.ring.completion().next() else {
            return Ok(None);
        };
        let tag = entry.user_data() as u16;
        match entry.result() {
            OVER => Ok(Some((tag, false))),
            other => result(other).map(|()| Some((tag, true))),
        }
    }

    /// The request of a completed tag.
    ///
    /// # Panics
    /// Where there is no such tag.
    pub(crate) fn description(&self, tag: u16) -> Description {
        assert!(tag < self.depth, "tag {tag} of {}", self.depth);
        let table: *const Description = self.table.as_ptr().cast();
        // SAFETY: the table is mapped, aligned to a page, and holds `depth` of them, which are integers alone. The kernel
        // writes this one only while the tag is with it, and a volatile read asks for no more than the memory being there.
        unsafe { table.add(usize::from(tag)).read_volatile() }
    }
}

impl AsFd for RawQueue {
    /// Readable when a tag has completed.
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the ring's descriptor is open as long as `self` is borrowed.
        unsafe { BorrowedFd::borrow_raw(self.ring.as_raw_fd()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn orders_have_the_numbers_of_the_kernel_s_header() {
        assert_eq!(Order::DeviceInfo.number(), 0x8020_7502);
        assert_eq!(Order::Add.number(), 0xC020_7504);
        assert_eq!(Order::Delete.number(), 0xC020_7505);
        assert_eq!(Order::Start.number(), 0xC020_7506);
        assert_eq!(Order::Stop.number(), 0xC020_7507);
        assert_eq!(Order::SetParameters.number(), 0xC020_7508);
        assert_eq!(Order::Features.number(), 0x8020_7513);
        assert_eq!(Order::DeleteLater.number(), 0x8020_7514);
        assert_eq!(
            (FETCH, COMMIT_AND_FETCH),
            (0xC010_7520_u32, 0xC010_7521_u32)
        );
    }

    #[test]
    fn an_order_to_what_takes_none_is_an_error_and_gives_the_buffer_back() {
        // A file of procfs takes no commands; /dev/null takes all.
        let nothing = File::open("/proc/version").unwrap();
        let mut buffer = vec![7; 8];
        assert!(order(&nothing, Order::Features, u32::MAX, 0, &mut buffer).is_err());
        assert_eq!(buffer, [7; 8]);
    }
}
