//! The arguments of `drivelab explain`: those of a run of its method.

use std::path::PathBuf;

use clap::Args;

use super::{ConsentArguments, RunArguments, ScaleName};

#[derive(Debug, Args)]
#[command(
    after_help = "The same as `drivelab run explain TARGET`. Without --destroy-data nothing is written on a device; with it, questions that must write a part of it are asked, too, and with --set writes=whole those that must write all of it (SLC cache). `drivelab methods explain` says more."
)]
pub(crate) struct ExplainArguments {
    /// The target; several give one result each, and a comparison
    #[arg(value_name = "TARGET", required = true, add = crate::completing::targets())]
    pub(crate) targets: Vec<String>,
    /// A setting of the method (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Scale of the run [default: default]
    #[arg(long, value_enum)]
    pub(crate) scale: Option<ScaleName>,
    /// Random seed [default: 1]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// Also write an HTML report
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}

impl ExplainArguments {
    /// The run that it is.
    pub(crate) fn into_run(self) -> RunArguments {
        RunArguments {
            what: "explain".to_owned(),
            targets: self.targets,
            set: self.set,
            scale: self.scale,
            seed: self.seed,
            repeat: None,
            consent: self.consent,
            html: self.html,
            json: self.json,
            explain: true,
            no_store: false,
            metrics: None,
            junit: None,
        }
    }
}
