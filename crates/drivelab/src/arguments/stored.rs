//! Arguments of the commands on stored results.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ResultsArguments {
    /// Only these: 12, 9-12, last, last:3, all, plan-2, tag:WORD or a name
    #[arg(value_name = "RESULT", add = crate::completing::results())]
    pub(crate) results: Vec<String>,
    /// Print JSON only (versioned schema)
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A name belongs to one result and can be used wherever a number can; tag:WORD means all results with that tag."
)]
pub(crate) struct LabelArguments {
    /// Results: 12, 9-12, last, last:3, all, plan-2, tag:WORD or a name
    #[arg(value_name = "RESULT", required = true, add = crate::completing::results())]
    pub(crate) results: Vec<String>,
    /// Name the result (one result only); '' removes the name
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Add a tag (repeatable)
    #[arg(long, value_name = "WORD")]
    pub(crate) tag: Vec<String>,
    /// Remove a tag (repeatable)
    #[arg(long, value_name = "WORD")]
    pub(crate) untag: Vec<String>,
    /// Set a note; '' removes it
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteArguments {
    /// Results: 12, 9-12, last, last:3, all, plan-2 (with its runs), tag:WORD or a name
    #[arg(value_name = "RESULT", required = true, add = crate::completing::results())]
    pub(crate) results: Vec<String>,
    /// Do not ask for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Runs and plans get new numbers; nothing is copied twice, however often a store is merged. Interrupted \
runs keep what they measured, and can be resumed where their drive is."
)]
pub(crate) struct MergeArguments {
    /// The stores to copy from
    #[arg(value_name = "STORE", required = true)]
    pub(crate) stores: Vec<PathBuf>,
    /// The store to copy into; created if missing
    #[arg(long, value_name = "STORE")]
    pub(crate) into: PathBuf,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The kind of a file is told by its content. What a file does not state (the state of the drive, how full it is) \
stays not stated, and `compare` gives no ratio where conditions are not known to be the same. The same file is stored once."
)]
pub(crate) struct ImportArguments {
    /// Files that other tools wrote
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print the results as JSON only, and store nothing
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Results: 12, 9-12, last, last:3, all, plan-2, tag:WORD or a name
    #[arg(add = crate::completing::results())]
    #[arg(required_unless_present = "open")]
    pub(crate) results: Vec<String>,
    /// Write a self-contained HTML report
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a folder: the comparison, a page per drive, tables as CSV, charts as SVG
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Write every chart as an SVG file
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    /// Print which uses each drive is fit for, with the figures behind it
    #[arg(long)]
    pub(crate) uses: bool,
    /// Print what is inside each drive, from results of `explain`
    #[arg(long, conflicts_with = "uses")]
    pub(crate) explain: bool,
    /// Print CSV: `figures` (one per line), `verdict` (one column per drive) or `histograms` (response times)
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "figures",
        conflicts_with_all = ["json", "uses"]
    )]
    pub(crate) csv: Option<CsvTable>,
    /// Print the verdict table for pasting into a document
    #[arg(long, value_name = "FORM", conflicts_with_all = ["json", "uses", "csv"])]
    pub(crate) table: Option<PastedTable>,
    /// Print the phases as CSV in the columns of Iometer's results file
    #[arg(long, conflicts_with_all = ["json", "csv", "table"])]
    pub(crate) iometer_csv: bool,
    /// Print results of crystaldiskmark as the text that CrystalDiskMark 8 copies
    #[arg(long, conflicts_with_all = ["json", "uses", "csv", "table", "iometer_csv"])]
    pub(crate) crystaldiskmark_text: bool,
    /// Write the response times of one result as an HdrHistogram log (V2, a tag per phase and operation)
    #[arg(long, value_name = "FILE")]
    pub(crate) hdr_log: Option<PathBuf>,
    /// Write the figures and response times as OpenMetrics, for node_exporter's textfile collector
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
    /// Open the report in the browser (without numbers: a page of all stored results)
    #[arg(long, conflicts_with_all = ["json", "uses", "csv", "table", "iometer_csv", "crystaldiskmark_text"])]
    pub(crate) open: bool,
    /// Number of newest results that this page shows in full
    #[arg(long, value_name = "NUMBER", default_value_t = 12, requires = "open")]
    pub(crate) newest: usize,
}

/// A table to print as CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CsvTable {
    /// All figures, one per line, with their conditions
    Figures,
    /// The verdict table: figures in rows, drives in columns
    Verdict,
    /// Response times: one bucket per line
    Histograms,
}

/// The form of a table to paste.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PastedTable {
    /// GitHub-flavoured Markdown
    Markdown,
    /// An HTML table without styles
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Results: 12, 9-12, last, last:3, all, plan-2, tag:WORD or a name
    #[arg(add = crate::completing::results())]
    #[arg(required = true)]
    pub(crate) results: Vec<String>,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}
