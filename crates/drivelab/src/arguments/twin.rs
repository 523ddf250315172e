//! Arguments of `twin`.

use std::path::PathBuf;

use clap::Args;

use super::JobsArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "`drivelab review DEVICE`, then `drivelab twin plan-1 -o mine.toml`: the file is a drive like any other, \
`model:./mine.toml`. Every third workload is held back from the fit; how far the twin is off on these is printed. What the \
results cannot tell stays as drives of the kind have it, and is listed. Results that contradict each other are refused."
)]
pub(crate) struct TwinArguments {
    /// Results of one drive: 12, 9-12, last, last:3, all, plan-2, tag:WORD or a name
    #[arg(value_name = "RESULT", required = true, add = crate::completing::results())]
    pub(crate) results: Vec<String>,
    /// The drive file to write; never over one that exists
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The drive's name for people [default: what it calls itself]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Its kind; `drivelab new` lists the kinds [default: the one that is nearest]
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// The modelled host that stands for the computer of the results, or a file of `drivelab new NAME --kind host`
    #[arg(long)]
    pub(crate) host: Option<String>,
    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}
