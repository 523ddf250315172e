//! The backing file of a loop device, as the kernel knows it: `LOOP_GET_STATUS64` (loop(4)).
//!
//! `/sys` shows the path under which the file was attached, which may refer to something else by now, or be one of
//! several links to it. The driver reports the file's device and inode.

#![allow(unsafe_code)]

use std::fs::File;

use rustix::ioctl::{Getter, ioctl};

/// `LOOP_GET_STATUS64` of `linux/loop.h`.
const LOOP_GET_STATUS64: rustix::ioctl::Opcode = 0x4C05;

/// `struct loop_info64` of `linux/loop.h`: 232 bytes.
#[repr(C)]
struct LoopInfo64 {
    device: u64,
    inode: u64,
    /// Device number of the backing device, offset, size limit.
    numbers: [u64; 3],
    /// Number, encryption (twice), flags.
    settings: [u32; 4],
    /// Two names of 64 bytes and a key of 32.
    names: [u8; 160],
    /// Unused.
    init: [u64; 2],
}

const _: () = assert!(size_of::<LoopInfo64>() == 232);

/// Device and inode of the backing file of an open loop device; `None` if it is not one, or is detached.
pub fn file_behind(device: &File) -> Option<(u64, u64)> {
    // SAFETY: the driver fills in a `loop_info64`, and `LoopInfo64` has its size and its layout: integers
    // alone, of which every value is valid.
    let request = unsafe { Getter::<LOOP_GET_STATUS64, LoopInfo64>::new() };
    // SAFETY: the number is that of a request which writes that structure and nothing else; a driver that
    // does not know it answers ENOTTY (or EINVAL) and writes nothing, and then nothing is read.
    let told = unsafe { ioctl(device, request) }.ok()?;
    Some((told.device, told.inode))
}
