//! Ctrl-C and SIGTERM: the first asks the run to stop, drain and keep what it has; the second one
//! ends the process at once.

use lab::progress::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::output::Failure;

/// Lets the signals set the interrupt.
pub(crate) fn watch(interrupt: &Interrupt) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::Failed(format!("cannot watch signals: {error}"));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the second signal finds the flag set, and ends the process.
        flag::register_conditional_shutdown(signal, 130, interrupt.flag()).map_err(failed)?;
        flag::register(signal, interrupt.flag()).map_err(failed)?;
    }
    Ok(())
}
