//! Arguments of `gate`.

use std::path::PathBuf;

use clap::Args;
use stats::repeat::Repeat;

use super::{ConsentArguments, ScaleName};

#[derive(Debug, Args)]
#[command(
    after_help = "A requirement is METHOD.FIGURE, then <=, <, >=, >, = or !=, then a number with its unit:\n\n  \
drivelab gate /dev/sdb --require 'latency-watch.alone.p99 <= 5ms' --require 'full-scan.read.errors = 0'\n\n\
Each method runs once. Exit code 0: all are met; 3: one is not met, or the drive is failing; 4: one is not decided \
(the limit is inside the figure's interval, or there is no value: measure longer or repeat); 1: something failed; \
2: the command or a requirement is invalid."
)]
pub(crate) struct GateArguments {
    /// The target
    #[arg(value_name = "TARGET", add = crate::completing::targets(), required_unless_present = "stored")]
    pub(crate) target: Option<String>,
    /// What a figure must be (repeatable)
    #[arg(long, value_name = "REQUIREMENT")]
    pub(crate) require: Vec<String>,
    /// A file of requirements, one a line; `#` begins a comment
    #[arg(long, value_name = "FILE")]
    pub(crate) requirements: Option<PathBuf>,
    /// Measure nothing: check stored results of one drive, the newest of each method (repeatable)
    #[arg(long, value_name = "RESULT", conflicts_with_all = ["target", "destroy_data", "dry_run"])]
    pub(crate) stored: Vec<String>,
    /// Scale of the runs
    #[arg(long, value_enum, default_value_t = ScaleName::Default)]
    pub(crate) scale: ScaleName,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Repeat N times, or `auto:5%,max=20`: until each median's 95 % interval is within 5 %, 20 times at most [default: 1]
    #[arg(long, value_name = "RULE")]
    pub(crate) repeat: Option<Repeat>,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// Also write JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Print JSON only (versioned schema)
    #[arg(long)]
    pub(crate) json: bool,
}
