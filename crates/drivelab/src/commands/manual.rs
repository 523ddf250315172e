//! The man pages, from the same definitions as the help: one of the program, and one a command.

use std::path::Path;

use clap::{Command, CommandFactory};

use crate::arguments::Arguments;
use crate::output::{Failure, print, say};

/// Prints the program's page, or writes all pages into a folder.
pub(crate) fn man(folder: Option<&Path>) -> Result<(), Failure> {
    let mut program = Arguments::command();
    program.build();
    let Some(folder) = folder else {
        return print(&page(&program, "drivelab")?);
    };
    let failed =
        |path: &Path, e: std::io::Error| Failure::Failed(format!("{}: {e}", path.display()));
    std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    let mut pages = Vec::new();
    collect(&program, "drivelab", &mut pages)?;
    for (name, text) in &pages {
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, text).map_err(|e| failed(&path, e))?;
    }
    say(&format!("{} pages in {}", pages.len(), folder.display()));
    Ok(())
}

/// A command's page and those of its subcommands; hidden ones have none.
fn collect(
    command: &Command,
    name: &str,
    pages: &mut Vec<(String, String)>,
) -> Result<(), Failure> {
    pages.push((name.to_owned(), page(command, name)?));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        collect(sub, &format!("{name}-{}", sub.get_name()), pages)?;
    }
    Ok(())
}

fn page(command: &Command, name: &str) -> Result<String, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .title(name)
        .render(&mut page)
        .map_err(|e| Failure::Failed(format!("the man page {name}: {e}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
