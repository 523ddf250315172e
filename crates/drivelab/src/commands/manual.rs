//! Completions and the man page, from the same definitions as the help.

use clap::{Command, CommandFactory};

use crate::arguments::Arguments;
use crate::output::{Failure, print};

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut visible(), "drivelab", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// The command without what is hidden: the generator for bash offers hidden subcommands, too.
fn visible() -> Command {
    Arguments::command().mut_subcommand("bench", |bench| {
        let kept: Vec<Command> = bench
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .cloned()
            .collect();
        Command::new("bench")
            .about(bench.get_about().cloned().unwrap_or_default())
            .subcommands(kept)
    })
}

/// Prints the man page.
pub(crate) fn man_page() -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command())
        .render(&mut page)
        .map_err(|e| Failure::Failed(format!("the man page: {e}")))?;
    print(&String::from_utf8_lossy(&page))
}
