//! The command line: arguments in, one function of the lab a command, progress and exit codes out.
//!
//! Exit codes: 0 done, 1 failed, 2 invalid request, 3 a drive is failing or rejected, 4 a drive must be checked, 130
//! interrupted.

mod arguments;
mod commands;
mod completing;
mod config;
mod output;
mod paragraph;
mod progress_line;
mod progress_since;
mod signals;
mod usage;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command, DevelopCommand};
use commands::Session;
use output::Failure;

fn main() -> ExitCode {
    clap_complete::CompleteEnv::with_factory(Arguments::command)
        .var(completing::VARIABLE)
        .complete();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage::usage(&error),
    };
    if let Err(error) = signals::outlive_limits() {
        return output::failure(&error);
    }
    let session = match Session::new(&arguments) {
        Ok(session) => session,
        Err(error) => return output::failure(&error),
    };
    output::speak(session.lang);
    let dry = arguments.command.is_dry_run();
    let code = match run(&session, arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if dry => output::failure(&error.of_a_dry_run()),
        Err(error) => output::failure(&error),
    };
    signals::name_limits();
    code
}

fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Window(window) => commands::window::window(session, &window),
        Command::Ask(ask) => commands::ask::ask(session, ask),
        Command::Review(review) => commands::review::review(session, review),
        Command::Gate(gate) => commands::gate::gate(session, gate),
        Command::Run(run) => commands::run::run(session, run, None),
        Command::Explain(explain) => commands::run::run(session, explain.into_run()?, None),
        Command::Record(record) => commands::run::record(session, record),
        Command::Fio(fio) => commands::fio::fio(session, &fio),
        Command::DiskSpd(diskspd) => commands::diskspd::diskspd(session, &diskspd),
        Command::Rescue(rescue) => commands::rescue::rescue(session, rescue),
        Command::Resume(resume) => commands::run::resume(session, resume),
        Command::Methods(methods) => commands::methods::methods(&methods),
        Command::Plans(plans) => commands::plan::plans(&plans),
        Command::Drives(drives) => commands::drives::drives(&drives),
        Command::Show(show) => commands::drives::show(&show),
        Command::New(new) => commands::new::new(&new),
        Command::Emulate(emulate) => commands::emulate::run(session, &emulate),
        Command::Predict(predict) => commands::predict::run(session, &predict),
        Command::Health(health) => commands::health::health(&health),
        Command::Devices(json) => commands::devices::devices(json.json),
        Command::Results(results) => commands::results::list(session, &results),
        Command::Label(label) => commands::labels::label(session, &label),
        Command::Delete(delete) => commands::labels::delete(session, &delete),
        Command::Fleet(fleet) => commands::fleet::fleet(session, &fleet),
        Command::Merge(merge) => commands::merge::merge(&merge),
        Command::Import(import) => commands::import::import(session, &import),
        Command::Report(report) => commands::results::report(session, &report),
        Command::Compare(compare) => commands::results::compare(session, &compare),
        Command::Cause(cause) => commands::cause::cause(session, cause),
        Command::Sweep(sweep) => commands::sweep::sweep(session, sweep),
        Command::Calibrate(calibrate) => commands::calibrate::calibrate(session, &calibrate),
        Command::Twin(twin) => commands::twin::twin(session, &twin),
        Command::Develop(tool) => develop(session, tool),
        Command::Schema { name } => commands::schema::schema(name.as_deref()),
        Command::Completions { shell } => {
            completing::script(shell).and_then(|script| output::print(&script))
        }
        Command::Man { folder } => commands::manual::man(folder.as_deref()),
    }
}

fn develop(session: &Session, tool: DevelopCommand) -> Result<(), Failure> {
    match tool {
        DevelopCommand::Findings(findings) => commands::findings::findings(session, &findings),
        DevelopCommand::Reproduce(reproduce) => commands::reproduce::reproduce(session, &reproduce),
        DevelopCommand::Fit(fit) => commands::fit::fit(session, &fit),
        DevelopCommand::Bench(bench) => commands::bench::bench(session, bench),
    }
}
