//! Device identity, users and health, and whether a device may be overwritten.
//!
//! Linux describes block devices in files: `/sys` has one directory per device with its attributes and with links to
//! what is above it (`holders`) and below it (`slaves`), `/proc` has the mounts, the swap areas and every process's
//! open files, udev keeps its knowledge of a drive in `/run/udev/data`, and the first and last kilobytes of the device
//! itself show what file system, partition table or array it belongs to. No single source shows every use, so all are
//! checked. Everything is read below a [`Root`], so that a machine with LVM, RAID or multipath can be recorded and
//! inspected anywhere.
//!
//! * [`attached`]: the drives that there are, and who uses them;
//! * [`identify`]: its identity;
//! * [`beneath`]: the layers between it and its drive;
//! * [`DriveId`]: which drive it is, whatever it is called today;
//! * [`Seen`]: a drive that was seen once, and is found again;
//! * [`confirm_token`], [`confirmation`]: the name to type before it is overwritten;
//! * [`refusals`]: every reason why it must not be;
//! * [`found_on`]: what would be lost;
//! * [`health`]: a drive's health report;
//! * [`Presence`]: whether it is still there;
//! * [`open_for_destruction`]: all of it in the right order, then the exclusive open;
//! * [`open_as_seen`], [`open_file_for_destruction`]: open exactly the file or device that was inspected.

mod attached;
mod beneath;
pub mod busy_host;
mod confirm;
mod content;
mod destroy;
mod drive_id;
mod file_usage;
pub mod health;
mod identity;
mod link;
mod loops;
mod mounts;
mod names;
mod opened;
mod presence;
mod processes;
mod refusal;
mod seen;
pub mod signature;
mod stack;
mod sysfs;
#[cfg(test)]
mod tests {
    pub(crate) mod tree;
}
mod udev;
mod usage;

pub use attached::{Attached, attached};
pub use beneath::beneath;
pub use confirm::{Confirmation, confirm_token, confirmation};
pub use content::found_on;
pub use destroy::{
    ClaimedDevice, DestroyError, confirmed, open_for_destruction, would_open_for_destruction,
};
pub use drive_id::{DriveId, PartitionId};
pub use identity::{Drive, FileId, FileSystem, Identity, Kind, identify};
pub use link::{Link, Transport};
pub use opened::{open_as_seen, open_file_for_destruction};
pub use presence::Presence;
pub use refusal::{Membership, Refusal};
pub use seen::{NotFound, Seen};
pub use sysfs::{DeviceNumber, InspectError, Root};
pub use usage::refusals;
