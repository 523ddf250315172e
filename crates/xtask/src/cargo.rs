//! The cargo that the chores call.

use std::path::Path;
use std::process::Command;

/// The cargo that runs us, else the one on the path.
pub(crate) fn cargo(root: &Path) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root);
    command
}
