//! Arguments of `drivelab emulate`.

use std::path::PathBuf;

use ::emulate::transport::Address;
use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "Clients connect as to any NBD server: qemu-img, nbdcopy, fio's nbd engine, QEMU (-drive file=nbd:unix:PATH), \
nbd-client. Errors, slow regions, stutter, read-only and disappearance are faults injected over the drive, \
fault(model:DRIVE)?errors=1000; age, wear and temperature are part of its state, model:DRIVE?state=steady-random; \
ageing=1000 makes it age a thousand times faster."
)]
pub(crate) struct EmulateArguments {
    /// The drive: model:DRIVE, with layers and options
    #[arg(
        value_name = "MODEL",
        required_unless_present_any = ["power_cut", "trace", "salvage", "condense"],
        add = crate::completing::targets()
    )]
    pub(crate) target: Option<String>,
    /// NBD address to listen on: unix:PATH or tcp:127.0.0.1:PORT [default: unix:drivelab.sock]
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "unix:drivelab.sock",
        hide_default_value = true
    )]
    pub(crate) nbd: Address,
    /// Also export the drive as this file (FUSE, through qemu-storage-daemon): open it, mount it, or attach a loop
    /// device
    #[arg(long, value_name = "FILE")]
    pub(crate) fuse: Option<PathBuf>,
    /// Also serve a virtual machine's virtio disk (vhost-user) on this socket
    #[arg(long, value_name = "SOCKET")]
    pub(crate) vhost_user: Option<PathBuf>,
    /// Also create a block device on this machine, /dev/ublkbN (root; Linux 6.5 or later with ublk)
    #[arg(long)]
    pub(crate) ublk: bool,
    /// Persist the drive's data and history in this folder [default: discard on exit]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) keep: Option<PathBuf>,
    /// Acknowledge FLUSH immediately without committing, as lying drives do
    #[arg(long)]
    pub(crate) ignore_flushes: bool,
    /// Refuse writes
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Cut the power of the drive kept in this folder, as kill -9 of its process does
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["target", "keep", "fuse", "vhost_user", "ublk", "ignore_flushes", "read_only", "seed"]
    )]
    pub(crate) power_cut: Option<PathBuf>,
    /// Export the request log of the drive kept in this folder as a fio iolog (for the method `replay`)
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["target", "keep", "fuse", "vhost_user", "ublk", "ignore_flushes", "read_only", "seed", "power_cut"]
    )]
    pub(crate) trace: Option<PathBuf>,
    /// Copy all readable data from a damaged folder into a new file, and report the damage
    #[arg(
        long,
        num_args = 2,
        value_names = ["FOLDER", "OUT"],
        conflicts_with_all = ["target", "keep", "fuse", "vhost_user", "ublk", "ignore_flushes", "read_only", "seed", "power_cut", "trace"]
    )]
    pub(crate) salvage: Vec<PathBuf>,
    /// Shorten the log of the drive kept in this folder to the writes and trims that still matter: it starts faster,
    /// but is less worn than before
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["target", "keep", "fuse", "vhost_user", "ublk", "ignore_flushes", "read_only", "seed", "power_cut", "trace", "salvage"]
    )]
    pub(crate) condense: Option<PathBuf>,
    /// With --trace: include completions, as blkparse text
    #[arg(long, requires = "trace")]
    pub(crate) answers: bool,
}
