//! Output of the argument parser: help, the version, and usage errors.

use std::io::{self, Write};
use std::process::ExitCode;

use base::printable::printable_lines;

use crate::output::{self, Failure};

/// Prints clap's output: help and version are not errors.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let to_stdout = !error.use_stderr();
    let said = error.render().to_string();
    let printed = if to_stdout {
        output::print(&said)
    } else {
        Err(Failure::ClosedPipe)
    };
    if to_stdout {
        return match printed {
            Err(failure @ Failure::Failed(_)) => output::failure_code(&failure),
            _ => ExitCode::SUCCESS,
        };
    }
    let _ = write!(io::stderr(), "{}", printable_lines(&said));
    ExitCode::from(2)
}
