//! Arguments of `drivelab fleet`.

use std::path::PathBuf;

use base::time::Duration;
use clap::Args;

use super::ScaleName;

#[derive(Debug, Args)]
#[command(
    after_help = "HOSTS.toml has a [[host]] for each: ssh = \"root@nas-1\", drives = [serial numbers], targets = [names], \
overwrite = [the same serial numbers, if they may be overwritten; else they are only read]. The connection is the system's ssh with its own \
configuration; keys must work without a password, and host keys must be known. Each run is detached from the connection: after \
Ctrl-C the same command goes on. Hosts need sha256sum, flock, setsid and nohup."
)]
pub(crate) struct FleetArguments {
    /// The plan: its name or file; screen rejects and compares drives
    #[arg(value_name = "PLAN", add = crate::completing::plans())]
    pub(crate) plan: String,
    /// The file of hosts and their drives
    #[arg(long, value_name = "HOSTS.toml")]
    pub(crate) hosts: PathBuf,
    /// Scale of the run [default: the plan's]
    #[arg(long, value_enum)]
    pub(crate) scale: Option<ScaleName>,
    /// Random seed [default: the plan's]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Hosts side by side at most
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) at_once: usize,
    /// The program to copy to the hosts: a static one runs anywhere [default: this one]
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
    /// Time between two questions to a host
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub(crate) every: Duration,
    /// How often a lost connection is tried again, one after another
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(crate) tries: u32,
    /// An option for ssh (repeatable): --ssh-option=-F --ssh-option=FILE
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(crate) ssh_option: Vec<String>,
    /// The page of all batches [default: report.html, or the next free name]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}
