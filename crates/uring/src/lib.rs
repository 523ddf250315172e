//! Real targets: files and block devices of a Linux machine, for measuring and serving.
//!
//! Measuring: [`open`] determines how a target can be accessed and returns a [`base::target::Target`], over io_uring
//! ([`ring`]) or over plain system calls ([`psync`]); [`floor`] measures the overhead of the path. All `unsafe` of the
//! workspace is in small files below them. [`testfile`] creates test files that leave nothing behind. Device identity
//! and write permission are not handled here but in the crate above, `inspect`. [`ublk`] is the reverse: a block device
//! served by our own program.

pub mod clock;
mod fill;
pub mod floor;
mod medium;
pub mod open;
mod own_time;
pub mod psync;
mod raw;
mod raw_loop;
mod raw_mapping;
mod raw_shared;
mod raw_ublk;
mod raw_zones;
pub mod ring;
pub mod testfile;
pub mod ublk;
pub mod zones;

pub use raw_loop::file_behind as file_behind_loop;
pub use raw_mapping::mapping_status;
pub use raw_shared::Guarded;
