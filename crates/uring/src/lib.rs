//! Real targets: files and block devices of a Linux machine, measured and kept safe.
//!
//! Measuring: [`open`] finds out how a target can be accessed and gives a
//! [`base::target::Target`], over io_uring ([`ring`]) or over plain system calls ([`psync`]);
//! [`floor`] says what the way there costs. All `unsafe` of the workspace is in small files beneath
//! them. [`testfile`] makes files to measure on that leave nothing behind. What a device is, and whether it
//! may be overwritten, is not known here: that is the room above, `inspect`. [`ublk`] is the other way round: a block
//! device whose I/O a program of ours answers.

pub mod clock;
mod fill;
pub mod floor;
mod medium;
pub mod open;
mod own_time;
pub mod psync;
mod raw;
mod raw_loop;
mod raw_shared;
mod raw_ublk;
mod raw_zones;
pub mod ring;
pub mod testfile;
pub mod ublk;
pub mod zones;

pub use raw_loop::file_behind as file_behind_loop;
pub use raw_shared::Guarded;
