//! Standard output and the last line on standard error.
//!
//! Standard output carries the requested output and nothing else; messages go to standard error. A reader that closes
//! the pipe (`| head`) is not an error. Output may contain names and text from drives and files: anything that would
//! control the terminal is escaped here, at the last moment, so that it cannot be forgotten anywhere
//! ([`base::printable`]).

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

use crate::paragraph;
use base::exit::Exit;
use base::message::Message;
use base::printable::{printable_coloured, printable_json, printable_lines};
use report::Lang;

/// The language of forecasts, questions and progress; errors and lists are English.
static LANGUAGE: OnceLock<Lang> = OnceLock::new();

/// From here on they are in this language.
pub(crate) fn speak(language: Lang) {
    // Who spoke first stays: a process has one language.
    let _ = LANGUAGE.set(language);
}

/// The language of this process.
pub(crate) fn language() -> Lang {
    LANGUAGE.get().copied().unwrap_or_default()
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A lower crate provides the reason, and the exit code.
    Said {
        line: String,
        /// What the command ends with.
        exit: Exit,
    },
    /// Asked for something that cannot be.
    Usage(String),
    Failed(String),
    /// The reader of our output went away.
    ClosedPipe,
}

macro_rules! said {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::Said {
                    line: error.to_string(),
                    exit: error.exit(),
                }
            }
        })*
    };
}

said!(
    targets::TargetError,
    lab::LabError,
    plans::error::PlanError,
    rescue::error::RescueError,
    fleet::FleetError,
    accuracy::error::AccuracyError,
    benchmarks::error::BenchmarkError
);

/// A failure that has no exit code of its own.
pub(crate) fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(error.to_string())
}

impl Failure {
    /// What it says.
    pub(crate) fn line(&self) -> &str {
        match self {
            Failure::Said { line, .. } | Failure::Usage(line) | Failure::Failed(line) => line,
            Failure::ClosedPipe => "the reader of the output went away",
        }
    }

    /// What the drive's figures mean for a gate: it is rejected, or must be checked.
    pub(crate) fn of_the_drive(exit: Exit, line: String) -> Failure {
        Failure::Said { line, exit }
    }

    /// The same of a dry run: what stops it would refuse the run.
    pub(crate) fn of_a_dry_run(self) -> Failure {
        match self {
            Failure::Said { line, .. } => Failure::Usage(format!("would be refused: {line}")),
            other => other,
        }
    }
}

/// Prints to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write_out(&printable_coloured(text))
}

/// Prints messages of the program (a forecast, a dry run), in the language of the process.
pub(crate) fn print_lines(lines: &[Message]) -> Result<(), Failure> {
    print(&in_columns(lines))
}

/// The same on standard error: announcements before a run.
pub(crate) fn announce(lines: &[Message]) {
    let _ = write!(io::stderr(), "{}", printable_lines(&in_columns(lines)));
}

/// Lines in the language of the process; on a terminal broken between words where they are too long for it.
fn in_columns(lines: &[Message]) -> String {
    let said = lines.iter().map(|line| report::message(line, language()));
    let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let broken = said.map(|line| match width {
        Some(width) => paragraph::with_its_indent(&line, width),
        None => line + "\n",
    });
    broken.collect()
}

/// Prints a text that is JSON to standard output, and a newline.
pub(crate) fn print_json_text(text: &str) -> Result<(), Failure> {
    write_out(&format!("{}\n", printable_json(text.trim_end())))
}

fn write_out(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                Failure::ClosedPipe
            } else {
                Failure::Failed(format!("standard output: {error}"))
            }
        })
}

/// Prints a JSON document and a newline.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(failed)?;
    print_json_text(&text)
}

/// Prints a value as JSON, or as the text that is made of it.
pub(crate) fn print_as<T: serde::Serialize>(
    value: &T,
    json: bool,
    text: impl FnOnce(&T) -> String,
) -> Result<(), Failure> {
    match json {
        true => print_json(value),
        false => print(&text(value)),
    }
}

/// Prints a message in English on standard error; a closed terminal is ignored.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", printable_lines(line));
}

/// Prints progress, results and prompts in the language of the process on standard error.
pub(crate) fn tell(said: &Message) {
    say(&report::message(said, language()));
}

/// True where standard output is a terminal that may be coloured.
pub(crate) fn coloured() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Columns of the terminal; 100 where there is none.
pub(crate) fn columns() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0))
}

/// Columns for paragraphs: the terminal's, and 80 where there is none.
pub(crate) fn text_columns() -> usize {
    terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0))
}

/// One clear line in English, and the exit code.
pub(crate) fn failure(failure: &Failure) -> ExitCode {
    match failure {
        Failure::Said { line, .. } | Failure::Usage(line) | Failure::Failed(line) => {
            say(&format!("drivelab: {line}"))
        }
        Failure::ClosedPipe => {}
    }
    failure_code(failure)
}

pub(crate) fn failure_code(failure: &Failure) -> ExitCode {
    let exit = match failure {
        Failure::Said { exit, .. } => *exit,
        Failure::Usage(_) => Exit::Invalid,
        Failure::Failed(_) => Exit::Failed,
        Failure::ClosedPipe => return ExitCode::SUCCESS,
    };
    ExitCode::from(exit.code())
}
