//! A modelled drive as a block device for other software, in real time.
//!
//! Elsewhere a model's clock jumps from event to event. Here it follows the machine's: a request reaches the model when
//! it arrives, and its reply leaves when the model says that the drive would have completed it ([`paced`]). Written
//! data is really stored ([`image`]). All requests and their times are in a log ([`log`]): a model is a function of
//! them, so the previous drive with its map, its wear and the contents of its SLC cache is restored by replaying the
//! log in virtual time ([`drive`]). And since the log survives a `kill -9`, a kill is a power cut: the acknowledged
//! writes that such a drive would have lost are replaced by their previous contents.
//!
//! Clients use the network block device protocol ([`nbd`]), which QEMU, fio, `qemu-img`, nbdkit's clients and the
//! kernel speak; one thread serves all connections ([`server`]), since a reply that waits for another thread to wake up
//! is late. The same thread serves a block device of this computer if the kernel has ublk ([`ublk`]), and a virtual
//! machine's disk ([`vhost_user`]). QEMU's storage daemon turns the NBD server into a file ([`bridge`]).

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
