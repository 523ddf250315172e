//! The command line: arguments in, one function of the lab a command, progress and exit codes out.
//!
//! Exit codes: 0 done, 1 failed, 2 asked for something that cannot be, 130 interrupted.

mod arguments;
mod commands;
mod output;
mod progress_line;
mod signals;

use std::process::ExitCode;

use arguments::{Arguments, Command, DevelopCommand};
use commands::Session;
use output::Failure;

fn main() -> ExitCode {
    let arguments = match Arguments::of_the_process() {
        Ok(arguments) => arguments,
        Err(error) => return output::usage(&error),
    };
    let session = Session::new(&arguments);
    let dry = arguments.command.is_dry_run();
    let outcome = match arguments.command {
        Command::Review(review) => commands::review::review(&session, review),
        Command::Run(run) => commands::run::run(&session, run, None),
        Command::Record(record) => commands::run::record(&session, record),
        Command::Rescue(rescue) => commands::rescue::rescue(&session, rescue),
        Command::Resume(resume) => commands::run::resume(&session, resume),
        Command::Methods(json) => commands::list::methods(json.json),
        Command::Plans(plans) => commands::plan::plans(&plans),
        Command::Drives(json) => commands::list::drives(json.json),
        Command::Show(show) => commands::list::show(&show),
        Command::Health(health) => commands::health::health(&health),
        Command::Results(json) => commands::results::list(&session, json.json),
        Command::Report(report) => commands::results::report(&session, &report),
        Command::Compare(compare) => commands::results::compare(&session, &compare),
        Command::Sweep(sweep) => commands::sweep::sweep(&session, sweep),
        Command::Develop(tool) | Command::Tool(tool) => develop(&session, tool),
        Command::Completions { shell } => commands::manual::completions(shell),
        Command::Man => commands::manual::man_page(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if dry => output::failure(&error.of_a_dry_run()),
        Err(error) => output::failure(&error),
    }
}

fn develop(session: &Session, tool: DevelopCommand) -> Result<(), Failure> {
    match tool {
        DevelopCommand::Validate(validate) => commands::validate::validate(session, &validate),
        DevelopCommand::Reproduce(reproduce) => commands::reproduce::reproduce(session, &reproduce),
        DevelopCommand::Calibrate(calibrate) => commands::calibrate::calibrate(session, &calibrate),
        DevelopCommand::Bench(bench) => commands::bench::bench(session, bench),
    }
}
