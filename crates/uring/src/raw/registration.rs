//! Registering a ring's own descriptor with its thread, and taking it back.
//!
//! A thread has sixteen slots for registered rings. A registered ring is entered by the slot's number, without taking a
//! reference on its file for each call; it lives, closed or not, until it is unregistered or the thread ends.

use std::os::fd::RawFd;

/// `IORING_REGISTER_RING_FDS` and `IORING_UNREGISTER_RING_FDS`, from `linux/io_uring.h`.
const REGISTER_RING_FDS: libc::c_uint = 20;
const UNREGISTER_RING_FDS: libc::c_uint = 21;

/// `struct io_uring_rsrc_update` of `linux/io_uring.h`.
#[repr(C)]
struct ResourceUpdate {
    offset: u32,
    reserved: u32,
    data: u64,
}

/// Registers the ring's own descriptor with this thread; returns its slot, if the kernel supports that and has one
/// left.
pub(super) fn register_ring(ring: RawFd) -> Option<i32> {
    let mut update = ResourceUpdate {
        offset: u32::MAX, // "choose one"
        reserved: 0,
        data: ring as u64,
    };
    (one(ring, REGISTER_RING_FDS, &mut update) == 1).then_some(update.offset as i32)
}

/// Unregisters the ring.
pub(super) fn unregister_ring(ring: RawFd, place: i32) {
    let mut update = ResourceUpdate {
        offset: place as u32,
        reserved: 0,
        data: 0,
    };
    one(ring, UNREGISTER_RING_FDS, &mut update);
}

fn one(ring: RawFd, what: libc::c_uint, update: &mut ResourceUpdate) -> libc::c_long {
    let update: *mut ResourceUpdate = update;
    // SAFETY: the kernel reads and writes one `update`, which outlives the call.
    unsafe { libc::syscall(libc::SYS_io_uring_register, ring, what, update, 1) }
}
