//! Signals: those that request a stop, and those that would silently end the program.
//!
//! Ctrl-C, SIGTERM, a closed terminal (SIGHUP) and the shell's limit of processor time (SIGXCPU) ask the run to stop,
//! drain and store what it has; a second one of the first three ends the process at once. If the program was started
//! with SIGHUP ignored (`nohup`), it should outlive its terminal: it stays ignored. SIGINT does not, since scripts
//! start servers in the background, where shells ignore it, and end them with it.
//!
//! A write beyond the shell's file size limit (`ulimit -f`) raises SIGXFSZ, which silently ends a process unless it is
//! caught. If caught, the write fails like any other (EFBIG), and the limit is named in that error. SIGPIPE is ignored
//! by the language's runtime: a closed pipe shows as an error of the write.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use base::interrupt::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::flag;

use crate::output::{Failure, say};

/// Set where a write reached the file size limit.
static FILE_SIZE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Set where the limit of processor time was reached.
static PROCESSOR_TIME: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From here on, a write beyond the file size limit fails and ends nothing.
pub(crate) fn outlive_limits() -> Result<(), Failure> {
    flag::register(SIGXFSZ, Arc::clone(&FILE_SIZE)).map_err(failed)?;
    Ok(())
}

/// Names the limits of the shell that were reached: the errors that follow from them do not.
pub(crate) fn name_limits() {
    if FILE_SIZE.load(Ordering::Relaxed) {
        say(
            "drivelab: the shell's file size limit (ulimit -f) ended a write: raise it (ulimit -f unlimited), and run the command again",
        );
    }
    if PROCESSOR_TIME.load(Ordering::Relaxed) {
        say("drivelab: the shell's limit of processor time (ulimit -t) is reached");
    }
}

/// Lets the signals set the interrupt.
pub(crate) fn watch(interrupt: &Interrupt) -> Result<(), Failure> {
    let outlives_terminal = ignored() & (1 << (SIGHUP - 1)) != 0;
    let heard = |signal: &i32| *signal != SIGHUP || !outlives_terminal;
    for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(heard) {
        // In this order: the second signal finds the flag set, and ends the process.
        flag::register_conditional_shutdown(signal, 130, interrupt.flag()).map_err(failed)?;
        flag::register(signal, interrupt.flag()).map_err(failed)?;
    }
    // The system repeats this one each second, and kills at the hard limit.
    flag::register(SIGXCPU, Arc::clone(&PROCESSOR_TIME)).map_err(failed)?;
    flag::register(SIGXCPU, interrupt.flag()).map_err(failed)?;
    Ok(())
}

fn failed(error: std::io::Error) -> Failure {
    Failure::Failed(format!("cannot watch signals: {error}"))
}

/// The signals that are ignored, a bit each, the first for signal 1; none where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
