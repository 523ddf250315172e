//! Arguments of `drivelab diskspd`.

use clap::Args;

use super::ConsentArguments;

#[derive(Debug, Args)]
#[command(
    // `-h` is DiskSpd's: no caching.
    disable_help_flag = true,
    override_usage = "drivelab diskspd [OPTIONS] [DISKSPD'S OPTIONS] TARGET",
    after_help = "drivelab's own options come first and have two dashes; then DiskSpd's: drivelab diskspd -b4K -d10 -o32 -r -w30 -L \
model:samsung-840-evo-750gb. -X<file> runs an XML profile; --target names a target instead of those of the profile. \
docs/diskspd.md says what works and what differs."
)]
pub(crate) struct DiskSpdArguments {
    /// Print help
    #[arg(long, action = clap::ArgAction::HelpLong)]
    help: Option<bool>,
    /// Run on this target: a modelled drive, a device, a file
    #[arg(long, value_name = "TARGET", add = crate::completing::targets())]
    pub(crate) target: Option<String>,
    /// Do not store the result
    #[arg(long)]
    pub(crate) no_store: bool,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// DiskSpd's options, then the target
    #[arg(
        value_name = "DISKSPD'S OPTIONS",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required = true
    )]
    pub(crate) words: Vec<String>,
}
