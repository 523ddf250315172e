//! Arguments of `drivelab fio`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ConsentArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "Without --target the jobs' own filename or directory is the target; a file that does not exist yet is a temporary test file. On a given target the files of all jobs are laid out one after another. docs/fio.md says what works and what differs."
)]
pub(crate) struct FioArguments {
    /// The fio job file
    #[arg(value_name = "JOB.fio")]
    pub(crate) file: PathBuf,
    /// Run on this target: a modelled drive, a device, a file, a directory
    #[arg(long, value_name = "TARGET", add = crate::completing::targets())]
    pub(crate) target: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FioForm::Normal)]
    pub(crate) output_format: FioForm,
    /// Only jobs of this name (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) section: Vec<String>,
    /// Do not store the result
    #[arg(long)]
    pub(crate) no_store: bool,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
}

/// Forms of fio's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FioForm {
    /// For people
    Normal,
    /// JSON
    Json,
    /// JSON with whole histograms
    #[value(name = "json+")]
    JsonPlus,
    /// One line per job (version 3)
    Terse,
}
