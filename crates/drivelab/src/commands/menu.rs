//! `drivelab window --menu`: the same on a terminal, for a computer that has no browser.

use std::path::PathBuf;

use window::menu::{self, Options};
use window::program::Program;
use window::runs::Runs;

use crate::arguments::MenuArguments;
use crate::commands::{Session, now_unix_ms};
use crate::output::Failure;
use crate::signals;

/// Shows the menu until Ctrl-C; what then becomes of the runs is for the caller to say.
pub(crate) fn show(
    session: &Session,
    arguments: &MenuArguments,
    program: Program,
    runs: &Runs,
) -> Result<(), Failure> {
    signals::watch(&session.interrupt)?;
    let here = PathBuf::from("/dev/tty");
    let others = arguments.menu_at.iter().cloned();
    let options = Options {
        program,
        lang: session.lang,
        terminals: std::iter::once(here).chain(others).collect(),
        reports: arguments.menu_reports.clone(),
        helpers: arguments.menu_helpers.clone(),
        now_unix_ms,
    };
    let shown = menu::show(options, runs, || session.interrupt.wanted());
    shown.map_err(|why| Failure::Failed(format!("no terminal can be opened: {why}")))
}
