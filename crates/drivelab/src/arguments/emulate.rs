//! Arguments of `drivelab emulate`.

use std::path::PathBuf;

use ::emulate::transport::Address;
use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "A client connects as to any NBD server: qemu-img, nbdcopy, fio's nbd engine, QEMU (-drive file=nbd:unix:PATH), \
nbd-client. Errors, slow regions, stutter, read-only and disappearance are faults over the drive, \
fault(model:DRIVE)?errors=1000; age, wear and temperature are its state, model:DRIVE?state=steady-random; \
with ageing=1000 it ages a thousand times faster."
)]
pub(crate) struct EmulateArguments {
    /// The drive: model:DRIVE, with layers and options
    #[arg(
        value_name = "MODEL",
        required_unless_present_any = ["power_cut", "trace", "salvage", "condense"],
        add = crate::completing::targets()
    )]
    pub(crate) target: Option<String>,
    /// Where clients connect: unix:PATH or tcp:127.0.0.1:PORT [default: unix:drivelab.sock]
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "unix:drivelab.sock",
        hide_default_value = true
    )]
    pub(crate) nbd: Address,
    /// Also as this file (FUSE), by qemu-storage-daemon: to be opened, mounted, or put under a loop device
    #[arg(long, value_name = "FILE")]
    pub(crate) fuse: Option<PathBuf>,
    /// Also as a virtual machine's virtio disk (vhost-user) at this socket
    #[arg(long, value_name = "SOCKET")]
    pub(crate) vhost_user: Option<PathBuf>,
    /// Also as a block device of this computer, /dev/ublkbN (root; Linux 6.5 or later with ublk)
    #[arg(long)]
    pub(crate) ublk: bool,
    /// Keep the drive in this folder: its data and all that it has been through [default: forget it]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) keep: Option<PathBuf>,
    /// Answer flushes at once, without asking the drive: as drives do that lie
    #[arg(long)]
    pub(crate) ignore_flushes: bool,
    /// Refuse writes
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Cut the power of the drive that is kept in this folder, as kill -9 of its process does
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["target", "keep", "fuse", "vhost_user", "ublk", "ignore_flushes", "read_only", "seed"]
    )]
    pub(crate) power_cut: Option<PathBuf>,
    /// Print what the drive that is kept in this folder was asked, as fio's iolog: for the method `replay`
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["target", "keep", "fuse", "vhost_user", "ublk", "ignore_flushes", "read_only", "seed", "power_cut"]
    )]
    pub(crate) trace: Option<PathBuf>,
    /// Copy what can be read of the data in a damaged folder into a new file, and say what is wrong with the folder
    #[arg(
        long,
        num_args = 2,
        value_names = ["FOLDER", "OUT"],
        conflicts_with_all = ["target", "keep", "fuse", "vhost_user", "ublk", "ignore_flushes", "read_only", "seed", "power_cut", "trace"]
    )]
    pub(crate) salvage: Vec<PathBuf>,
    /// Shorten the log of the drive that is kept in this folder to what its data follow from: it starts sooner, and is less
    /// worn than it was
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["target", "keep", "fuse", "vhost_user", "ublk", "ignore_flushes", "read_only", "seed", "power_cut", "trace", "salvage"]
    )]
    pub(crate) condense: Option<PathBuf>,
    /// With --trace: the answers, too, as text of blkparse
    #[arg(long, requires = "trace")]
    pub(crate) answers: bool,
}
