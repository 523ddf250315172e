//! Completions and the man page, from the same definitions as the help.

use clap::{Arg, Command};

use crate::arguments::Arguments;
use crate::output::{Failure, print};

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        shell,
        &mut visible(&Arguments::definition()),
        "drivelab",
        &mut script,
    );
    print(&String::from_utf8_lossy(&script))
}

/// A command without what is hidden: the generator for bash offers hidden subcommands, too.
fn visible(command: &Command) -> Command {
    let mut all: Vec<&Command> = command.get_subcommands().collect();
    if all
        .iter()
        .all(|sub| !sub.is_hide_set() && !sub.has_subcommands())
    {
        return command.clone();
    }
    all.retain(|sub| !sub.is_hide_set());
    let kept: Vec<Command> = all.into_iter().map(visible).collect();
    let arguments: Vec<Arg> = command.get_arguments().cloned().collect();
    Command::new(command.get_name().to_owned())
        .about(command.get_about().cloned().unwrap_or_default())
        .args(arguments)
        .subcommands(kept)
}

/// Prints the man page.
pub(crate) fn man_page() -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::definition())
        .render(&mut page)
        .map_err(|e| Failure::Failed(format!("the man page: {e}")))?;
    print(&String::from_utf8_lossy(&page))
}
