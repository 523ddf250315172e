//! The arguments of whatever runs a method: its settings, what may be written, and where the result goes.

use std::path::PathBuf;

use clap::Args;

use super::{ConsentArguments, ScaleName};

/// How a method is run, and where its result goes.
#[derive(Debug, Args)]
pub(crate) struct HowArguments {
    /// A setting of the method (repeatable); `drivelab methods METHOD` lists them
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
    /// Also write an HTML report (a plan always does: report.html, or the next free name)
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write no HTML report, where one is written unasked
    #[arg(long, conflicts_with = "html")]
    pub(crate) no_html: bool,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not store the result
    #[arg(long)]
    pub(crate) no_store: bool,
    /// Also write figures, response times and health as OpenMetrics, for node_exporter's textfile collector
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
}
