//! A modelled drive as a block device for other software, in real time.
//!
//! Elsewhere a model's clock jumps from event to event. Here it follows the machine's: a request reaches the model
//! at the moment at which it came in, and its reply leaves when the model says that the drive would have answered
//! ([`paced`]). What is written is really stored ([`image`]). What the drive was asked, and when, stands in a log
//! ([`log`]): a model is a function of that, so the drive of yesterday, its map, its wear, what is in its SLC cache,
//! is had back by playing the log in virtual time ([`drive`]). And since the log survives a `kill -9`, that is a
//! power cut: what such a drive would have lost of what it had acknowledged is put back to what stood there before.
//!
//! The way out is the network block device protocol ([`nbd`]), which QEMU, fio, `qemu-img`, nbdkit's clients and
//! the kernel speak; one thread serves all its connections ([`server`]), since a reply that waits for another
//! thread to wake up is late. The same thread serves a block device of this computer where the kernel has ublk
//! ([`ublk`]), and a virtual machine's disk ([`vhost_user`]). A file is made of the NBD server by QEMU's storage daemon
//! ([`bridge`]).

pub mod bridge;
pub mod condense;
pub mod drive;
pub mod floor;
pub mod frontend;
pub mod image;
pub mod kept;
pub mod lateness;
pub mod log;
pub mod nbd;
pub mod offer;
pub mod paced;
pub mod salvage;
pub mod server;
pub mod trace;
pub mod transport;
pub mod ublk;
pub mod versions;
pub mod vhost_user;
mod virtio;
