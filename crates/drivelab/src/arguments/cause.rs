//! Arguments of `cause`.

use clap::Args;

use super::{JobsArguments, ScaleName};

#[derive(Debug, Args)]
#[command(
    after_help = "A and B are modelled drives: other drives, another state or partition_offset of one drive, changed values. The values that \
differ are grouped by mechanism; the figure is run for A with every set of groups as in B, and each group's share is its Shapley value. \
A and B may also be stored results: of a real drive the measured figure is taken, and the model of that drive. \
With --measured-a and --measured-b the shares are only told if the models have these figures within 10 %. Results are not stored; docs/explaining.md says more."
)]
pub(crate) struct CauseArguments {
    /// The first modelled drive, or a stored result
    #[arg(add = crate::completing::targets())]
    pub(crate) a: String,
    /// The second modelled drive, or a stored result
    #[arg(add = crate::completing::targets())]
    pub(crate) b: String,
    /// The method that gives the figure
    #[arg(long, add = crate::completing::methods())]
    pub(crate) method: String,
    /// The figure: a key of the method's results, or of a chart, such as 'transfer/read @ last'
    #[arg(long, value_name = "KEY")]
    pub(crate) figure: String,
    /// A setting of the method (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Scale of the runs
    #[arg(long, value_enum, default_value_t = ScaleName::Default)]
    pub(crate) scale: ScaleName,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The figure measured on the real A, in its unit
    #[arg(long, value_name = "VALUE")]
    pub(crate) measured_a: Option<f64>,
    /// The figure measured on the real B, in its unit
    #[arg(long, value_name = "VALUE")]
    pub(crate) measured_b: Option<f64>,
    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}
