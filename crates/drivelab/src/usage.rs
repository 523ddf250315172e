//! What the definition of the arguments says by itself: help, the version, and what is wrong with an argument.

use std::io::{self, Write};
use std::process::ExitCode;

use base::printable::printable_lines;

use crate::arguments::{Arguments, Language};
use crate::japanese;
use crate::output::{self, Failure};

/// What clap says of the arguments: help and version are no errors.
pub(crate) fn usage(error: &clap::Error, language: Language) -> ExitCode {
    let to_stdout = !error.use_stderr();
    let said = match language {
        Language::En => error.render().to_string(),
        Language::Ja => {
            let help = to_stdout.then(Arguments::japanese_help).flatten();
            japanese::of_clap(help.as_ref().unwrap_or(error))
        }
    };
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
