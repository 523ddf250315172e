//! Runs a program on a kernel that refuses io_uring, whatever the kernel's version is.
//!
//! From 6.6 on `kernel.io_uring_disabled` switches it off, and many containers do so by a system-call filter: io_uring's
//! calls then fail with EPERM. Such a filter is put on here before the program begins, so that every kernel serves.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, bail};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

/// `io_uring_setup`, `io_uring_enter`, `io_uring_register`: the same numbers on every architecture.
const CALLS: [i64; 3] = [425, 426, 427];
const EPERM: u32 = 1;

/// Executes the program; returns only on failure.
pub(crate) fn become_program(arguments: &[String]) -> Result<()> {
    let Some((program, rest)) = arguments.split_first() else {
        bail!("which program is to run without io_uring?");
    };
    let architecture: TargetArch = std::env::consts::ARCH
        .try_into()
        .context("no system-call filter for this processor")?;
    let filter = SeccompFilter::new(
        CALLS
            .iter()
            .map(|call| (*call, Vec::new()))
            .collect::<BTreeMap<_, _>>(),
        SeccompAction::Allow,
        SeccompAction::Errno(EPERM),
        architecture,
    )?;
    let filter: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&filter)?;
    Err(Command::new(program).args(rest).exec())
        .with_context(|| format!("{program} does not start"))
}
