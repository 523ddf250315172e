//! The laboratory of real kernels: tries drivelab on fleets of drives that a virtual machine has.
//!
//! What drivelab does to a drive depends on a kernel, on udev's names, on buses and on their failures. So a guest is
//! made of the distribution's own packages and booted by QEMU without KVM; a fleet of drives on all buses, with bad
//! sectors, equal serial numbers, odd block sizes, is attached, unplugged, rewired; and cases, which are data
//! (`fleets/*.toml`), define what must hold. The drives are files here, so that writes can be checked byte by byte.
//!
//! ```text
//! make devices                         every fleet, two at a time
//! make devices ARGS='--only refusals'  what has this in its fleet's or its own name
//! make devices ARGS='--list'           the cases
//! make devices ARGS='--quarter-since origin/main'  a quarter, chosen by what changed
//! make devices ARGS='--patience 4'     on a machine that has other work
//! ```
//!
//! Each case prints one line; the end is `N passed, N failed, N skipped`. If the packages or the programs are not
//! available, every case is skipped, with the reason.
#![allow(clippy::print_stdout, reason = "a command line program")]

mod agent;
mod choice;
mod fleet;
mod guest;
mod images;
mod initramfs;
mod machine;
mod monitor;
mod numbers;
mod perform;
mod served;
mod session;
mod skipped;
mod stick;
mod wire;
mod wiring;
mod without_io_uring;

use std::process::ExitCode;

use anyhow::Result;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match begin(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("devices: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// The first two are for the guest; true where nothing failed.
fn begin(arguments: &[String]) -> Result<bool> {
    match arguments.first().map(String::as_str) {
        Some("agent") => agent::serve().map(|()| true),
        Some("without-io-uring") => {
            without_io_uring::become_program(&arguments[1..]).map(|()| true)
        }
        _ => session::run(&session::Options::read(arguments)?),
    }
}
