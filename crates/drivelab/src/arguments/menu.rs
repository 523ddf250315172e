//! Arguments of `drivelab window --menu`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct MenuArguments {
    /// Show a menu on this terminal instead of a page
    #[arg(long, conflicts_with_all = ["listen", "no_open"])]
    pub(crate) menu: bool,
    /// Show the menu on this terminal, too
    #[arg(long, value_name = "TERMINAL", requires = "menu")]
    pub(crate) menu_at: Vec<PathBuf>,
    /// Store the reports of the menu's runs in this folder
    #[arg(long, value_name = "FOLDER", requires = "menu", default_value = ".")]
    pub(crate) menu_reports: PathBuf,
    /// A folder with the programs `network` and `off` of the machine that the menu is for
    #[arg(long, value_name = "FOLDER", requires = "menu")]
    pub(crate) menu_helpers: Option<PathBuf>,
}
