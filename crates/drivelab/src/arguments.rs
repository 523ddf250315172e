//! The arguments: one definition, from which help, completions and the man page are made.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use stats::repeat::Repeat;

mod cause;
mod develop;
mod diskspd;
mod emulate;
mod explain;
mod fio;
mod fleet;
mod gate;
mod how;
mod menu;
mod stored;
mod twin;
mod window;

pub(crate) use cause::CauseArguments;
pub(crate) use develop::{
    BenchCommand, DevelopCommand, FindingsArguments, FitArguments, InferArguments,
    ReproduceArguments,
};
pub(crate) use diskspd::DiskSpdArguments;
pub(crate) use emulate::EmulateArguments;
pub(crate) use explain::ExplainArguments;
pub(crate) use fio::{FioArguments, FioForm};
pub(crate) use fleet::FleetArguments;
pub(crate) use gate::GateArguments;
pub(crate) use how::HowArguments;

pub(crate) use menu::MenuArguments;
pub(crate) use stored::{
    CompareArguments, CsvTable, DeleteArguments, ImportArguments, LabelArguments, MergeArguments,
    PastedTable, ReportArguments, ResultsArguments,
};
pub(crate) use twin::TwinArguments;
pub(crate) use window::WindowArguments;

/// A laboratory for storage drives: measures them as reviewers do, and compares them with models.
#[derive(Debug, Parser)]
#[command(
    name = "drivelab",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
#[command(
    after_help = "A TARGET is a device, a file, a directory (for a temporary test file), a modelled drive such as \
model:samsung-840-evo-750gb, or null:. Options follow a question mark: ./dir?size=1GiB&buffered=yes. \
Devices are only read unless --destroy-data is given; see `drivelab run --help`.\n\n\
User settings are in ~/.config/drivelab/config.toml (XDG_CONFIG_HOME): language, store, neighbours, author. DRIVELAB_STORE sets the results database, like --store."
)]
pub(crate) struct Arguments {
    /// Results database [default: DRIVELAB_STORE, else in the user's data folder]
    #[arg(long, global = true, value_name = "FILE", display_order = 800)]
    pub(crate) store: Option<PathBuf>,
    /// Language of reports, summaries, forecasts and progress [default: from LC_ALL or LANG, else English]
    #[arg(long, global = true, value_enum, display_order = 801)]
    pub(crate) lang: Option<Language>,
    /// How to show progress on standard error
    #[arg(long, global = true, value_enum, default_value_t = ProgressForm::Auto, display_order = 802)]
    pub(crate) progress: ProgressForm,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Languages of summaries and reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// English
    En,
    /// Japanese
    Ja,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressForm {
    /// One updating line if standard error is a terminal
    Auto,
    /// One line of JSON per update (drivelab.progress/2)
    Json,
    /// No progress, messages only
    None,
}

/// The scale of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleName {
    /// Seconds: a smoke test with rough figures
    Quick,
    /// Minutes; figures are marked as shortened
    Default,
    /// The original's own counts and times, comparable with published figures
    Full,
}

impl From<ScaleName> for base::method::Scale {
    fn from(name: ScaleName) -> base::method::Scale {
        match name {
            ScaleName::Quick => base::method::Scale::Quick,
            ScaleName::Default => base::method::Scale::Default,
            ScaleName::Full => base::method::Scale::Full,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Open a page in the browser: drives, runs as they measure, results
    Window(WindowArguments),
    /// Review a drive: several methods, two modelled drives for comparison, one report
    Review(ReviewArguments),
    /// Answer a common question about a drive; without one, list the questions
    Ask(AskArguments),
    /// Check a drive against requirements, with an exit code for scripts
    Gate(GateArguments),
    /// Run a method on a target, or a plan
    Run(RunArguments),
    /// Infer what is inside a drive from the timings of single I/Os
    Explain(ExplainArguments),
    /// Run a method and record all of its I/Os as a trace (for the method `replay`)
    Record(RecordArguments),
    /// Run a job file of fio on a modelled or real target
    Fio(FioArguments),
    /// Run DiskSpd's options or an XML profile of DiskSpd on a modelled or real target
    #[command(name = "diskspd")]
    DiskSpd(DiskSpdArguments),
    /// Copy a failing drive: good areas first, bad ones last, with a map of what is lost
    Rescue(RescueArguments),
    /// Resume an interrupted run, plan or review
    Resume(ResumeArguments),
    /// List the methods, or explain one with its settings
    Methods(MethodsArguments),
    /// List the built-in plans, or print one
    Plans(PlansArguments),
    /// List the modelled drives: type, link, capacity, year
    Drives(DrivesArguments),
    /// Show a modelled drive: every parameter with its source
    Show(ShowArguments),
    /// Create a file for a drive that is not modelled yet, to be filled in from its data sheet
    New(NewArguments),
    /// Fit a drive file to the ratings of its data sheet
    Calibrate(CalibrateArguments),
    /// Make a drive file from stored results of one drive: its twin
    Twin(TwinArguments),
    /// Predict figures of modelled drives with an interval, from a table of questions
    Predict(PredictArguments),
    /// Serve a modelled drive as a block device (NBD), in real time
    Emulate(EmulateArguments),
    /// Show a drive's health: temperature, hours, bytes written, wear, errors (exit code 3 if failing, 4 if suspect)
    Health(HealthArguments),
    /// List the devices of this machine: model, serial number, capacity, link, who uses them
    Devices(Json),
    /// List the stored results
    Results(ResultsArguments),
    /// Name, tag or annotate stored results
    Label(LabelArguments),
    /// Delete stored results
    Delete(DeleteArguments),
    /// Run a plan on the drives of many hosts over ssh, and find the odd drive of each model and firmware
    Fleet(FleetArguments),
    /// Merge the stores of several machines into one
    Merge(MergeArguments),
    /// Store results of other tools beside your own: CrystalDiskMark, fio and others
    Import(ImportArguments),
    /// Report stored results: terminal, HTML, CSV, SVG
    Report(ReportArguments),
    /// Compare stored results, with confidence intervals
    Compare(CompareArguments),
    /// Find which differences between two modelled drives make a difference in a figure
    Cause(CauseArguments),
    /// Run a method on a modelled drive over a grid of parameters
    Sweep(SweepArguments),
    /// Tools for those who build drivelab: accuracy of the models, benchmarks
    #[command(subcommand, hide = true)]
    Develop(DevelopCommand),
    /// List the JSON schemas of what commands print with `--json`, or print one
    Schema {
        /// The schema, such as drivelab.result/2, or `result` for short
        name: Option<String>,
    },
    /// Print a shell completion script that knows methods, drives, plans and results
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the man page, or write one per command
    Man {
        /// Write drivelab.1, drivelab-run.1 and so on into this folder
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

impl Command {
    /// Whether it is a dry run.
    pub(crate) fn is_dry_run(&self) -> bool {
        let consent = match self {
            Command::Review(review) => &review.consent,
            Command::Run(run) => &run.how.consent,
            Command::Explain(explain) => &explain.how.consent,
            Command::Ask(ask) => &ask.consent,
            Command::Gate(gate) => &gate.consent,
            Command::Record(record) => &record.run.how.consent,
            Command::Rescue(rescue) => &rescue.consent,
            Command::Fio(fio) => &fio.consent,
            Command::DiskSpd(diskspd) => &diskspd.consent,
            Command::Resume(resume) => &resume.consent,
            _ => return false,
        };
        consent.dry_run
    }
}

#[derive(Debug, Args)]
pub(crate) struct CalibrateArguments {
    /// The drive file, with the ratings of the data sheet under `[rated]`
    pub(crate) file: String,
    /// Write nothing; fail if the file has other values
    #[arg(long)]
    pub(crate) check: bool,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MethodsArguments {
    /// Explain this method: what it measures, on which targets, its settings at each scale
    #[arg(value_name = "METHOD", add = crate::completing::methods())]
    pub(crate) name: Option<String>,
    /// Print JSON only (versioned schema)
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DrivesArguments {
    /// Only drives whose names contain these words
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// Only drives of this kind
    #[arg(long, value_enum)]
    pub(crate) kind: Option<DriveKind>,
    /// Only drives with this interface
    #[arg(long, value_enum)]
    pub(crate) link: Option<DriveLink>,
    /// Only drives of this maker
    #[arg(long, value_name = "NAME")]
    pub(crate) maker: Option<String>,
    /// Print JSON only (versioned schema)
    #[arg(long)]
    pub(crate) json: bool,
}

/// Kinds of modelled drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriveKind {
    /// Flash
    Ssd,
    /// Hard disks
    Hdd,
}

/// Interfaces of modelled drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriveLink {
    /// Serial ATA
    Sata,
    /// NVMe on PCI Express
    Nvme,
    /// Parallel ATA
    Pata,
    /// USB
    Usb,
}

#[derive(Debug, Args)]
pub(crate) struct Json {
    /// Print JSON only (versioned schema)
    #[arg(long)]
    pub(crate) json: bool,
}

/// What may be overwritten.
#[derive(Debug, Args)]
pub(crate) struct ConsentArguments {
    /// Allow overwriting a device or an existing file: its contents are lost
    #[arg(long)]
    pub(crate) destroy_data: bool,
    /// Confirm which drive: its serial number (or WWN, by-id name, a loop device's backing file, a file's path); prompted for if missing; in a plan once per drive
    #[arg(long, value_name = "NAME", requires = "destroy_data")]
    pub(crate) confirm: Vec<String>,
    /// Print every address range that would be written and whatever would stop the run (exit code 2); write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewArguments {
    /// The target; by default a temporary test file in the current directory
    #[arg(default_value = ".", add = crate::completing::targets())]
    pub(crate) target: String,
    /// Scale of the run
    #[arg(long, value_enum, default_value_t = ScaleName::Default)]
    pub(crate) scale: ScaleName,
    /// Compare with this target instead of the two modelled drives (repeatable)
    #[arg(long, value_name = "TARGET", add = crate::completing::targets())]
    pub(crate) beside: Vec<String>,
    /// Also rank the drive among all modelled drives of its class: runs CrystalDiskMark on each of them, after printing
    /// how long it takes
    #[arg(long)]
    pub(crate) class: bool,
    /// The report's file [default: report.html, or the next free name]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write no HTML report
    #[arg(long, conflicts_with = "html")]
    pub(crate) no_html: bool,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AskArguments {
    /// The question: shingled, cache, database ...
    pub(crate) question: Option<String>,
    /// The drives in question
    #[arg(add = crate::completing::targets())]
    pub(crate) targets: Vec<String>,
    /// Scale of the runs
    #[arg(long, value_enum, default_value_t = ScaleName::Default)]
    pub(crate) scale: ScaleName,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// Print the questions, or with --dry-run the forecast, as JSON only
    #[arg(long)]
    pub(crate) json: bool,
}

/// One method on one target.
#[derive(Debug, Args)]
pub(crate) struct MethodArguments {
    /// The method; `drivelab methods` lists them
    #[arg(add = crate::completing::methods())]
    pub(crate) method: String,
    /// The target
    #[arg(add = crate::completing::targets())]
    pub(crate) target: String,
    /// A setting of the method (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Scale of the run
    #[arg(long, value_enum, default_value_t = ScaleName::Default)]
    pub(crate) scale: ScaleName,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// How many threads work at once.
#[derive(Debug, Default, Args)]
pub(crate) struct JobsArguments {
    /// Number of threads [default: all processors]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

impl JobsArguments {
    /// Number of threads: as requested, or the number of processors.
    pub(crate) fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(all).get()
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "A PLAN is one listed by `drivelab plans`, or a file ending in .toml. --scale, --seed, --repeat and targets override the plan's own. \
A plan gives one report; `drivelab resume` continues it after an interruption, a kill or a reboot. \
`drivelab methods METHOD` explains a method with all its settings."
)]
pub(crate) struct RunArguments {
    /// The method (`drivelab methods` lists them), or a plan
    #[arg(value_name = "METHOD|PLAN", add = crate::completing::methods_and_plans())]
    pub(crate) what: String,
    /// The target; several give one result each, and a comparison
    #[arg(value_name = "TARGET", add = crate::completing::targets())]
    pub(crate) targets: Vec<String>,
    #[command(flatten)]
    pub(crate) how: HowArguments,
    /// Repeat N times, or `auto:5%,max=20`: until each median's 95 % interval is within 5 %, 20 times at most [default: 1]
    #[arg(long, value_name = "RULE")]
    pub(crate) repeat: Option<Repeat>,
    /// Whether JSON is what was found of the inside, and not the result.
    #[arg(skip)]
    pub(crate) explain: bool,
    /// Also write the verdicts as JUnit XML, of a plan that judges a batch (screen)
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PlansArguments {
    /// Print this plan's file, as a template for your own
    #[arg(value_name = "PLAN", add = crate::completing::plans())]
    pub(crate) name: Option<String>,
    /// Print JSON only (versioned schema)
    #[arg(long, conflicts_with = "name")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The source is never written. Run the same command again to continue an interrupted rescue from its map. \
DEST is a new file, or a device or file that may be overwritten with --destroy-data; a modelled source \
needs a modelled destination."
)]
pub(crate) struct RescueArguments {
    /// The failing drive or file
    pub(crate) source: String,
    /// The destination
    #[arg(value_name = "DEST")]
    pub(crate) destination: String,
    /// Map of what was copied and what is lost [default: DEST.map]
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Read size as long as there are no errors
    #[arg(long, value_name = "SIZE", default_value = "1MiB")]
    pub(crate) block: base::size::Bytes,
    /// How often to retry bad sectors
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) retries: u32,
    /// Continue from a map that this rescue did not create, such as GNU ddrescue's, after checking it
    #[arg(long)]
    pub(crate) adopt: bool,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// Print JSON only (versioned schema)
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// The trace file, which must not exist yet
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Trace format: blkparse has completions and nanoseconds, msr completions, the others submissions only
    #[arg(long, value_name = "FORMAT", default_value = "blkparse", value_parser = ["blkparse", "fio-v2", "fio-v3", "msr", "mqsim", "disksim"])]
    pub(crate) format: String,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The target is a modelled drive, with or without layers. KEY is a parameter of the drive (`drivelab show DRIVE` lists them: ssd.nand.dies), an option of the \
target (state, host, link, or a layer's own), or a setting of the method. VALUES are a list (8,16,32; separated by semicolons if \
values contain commas) or a range: FROM..TO:STEP, FROM..TO*FACTOR. Results are not stored."
)]
pub(crate) struct SweepArguments {
    #[command(flatten)]
    pub(crate) method: MethodArguments,
    /// What to vary (repeatable: a grid)
    #[arg(long, value_name = "KEY=VALUES", required = true)]
    pub(crate) vary: Vec<String>,
    /// A figure to show (repeatable) [default: the method's main figures]
    #[arg(long, value_name = "KEY")]
    pub(crate) figure: Vec<String>,
    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
    /// Run the points on the workers of a Dask scheduler (tcp://HOST:PORT), by the Python package drivelab[fleet]
    #[arg(long, value_name = "ADDRESS", conflicts_with = "jobs")]
    pub(crate) scheduler: Option<String>,
    /// Also write a page with a plot per figure
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print the points as CSV
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// A run's number or name, a plan or review (plan-2), or `last`
    #[arg(default_value = "last", add = crate::completing::results())]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The drive; `drivelab drives` lists them
    #[arg(add = crate::completing::drives())]
    pub(crate) drive: String,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "QUESTIONS.csv has the columns id,drive,host,test,op,conditions,metric; docs/predicting.md lists the values that are understood. Answers are id,low,value,high,why and two baselines; the interval is meant to contain the true value four times in five."
)]
pub(crate) struct PredictArguments {
    /// The questions, CSV
    #[arg(value_name = "QUESTIONS.csv")]
    pub(crate) questions: PathBuf,
    /// A folder with files of drives, NAME.toml; other names are the catalogue's
    #[arg(long, value_name = "FOLDER")]
    pub(crate) drives: Option<PathBuf>,
    /// Write the answers into this file [default: print them]
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) csv: Option<PathBuf>,
    /// Monte Carlo samples of a drive's unknown parameters
    #[arg(long, default_value_t = 64)]
    pub(crate) drawings: usize,
    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Without a name the kinds are listed. The file says only what differs from its kind: put in what the data sheet \
rates, then `drivelab calibrate FILE`. `model:FILE` is a target like any other."
)]
pub(crate) struct NewArguments {
    /// The drive's name, or the path of its file
    #[arg(requires = "kind")]
    pub(crate) name: Option<String>,
    /// What kind of drive it is; `drivelab new` lists the kinds
    #[arg(long, requires = "name")]
    pub(crate) kind: Option<String>,
    /// Its name for people [default: as the file is named]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Bytes that can be addressed: 1TB, 960197124096
    #[arg(long, default_value = "1000204886016")]
    pub(crate) capacity: base::size::Bytes,
    /// How it is attached: sata-6, pcie4x4 [default: as most of its kind]
    #[arg(long)]
    pub(crate) link: Option<lab::new_drive::Interface>,
}

#[derive(Debug, Args)]
pub(crate) struct HealthArguments {
    /// A device, or a file or directory on one, or a modelled drive
    #[arg(add = crate::completing::targets())]
    pub(crate) target: String,
    /// Device type for smartctl's -d if it cannot detect it: sat, sntjmicron, sntasmedia, sntrealtek ...
    #[arg(long, value_name = "TYPE")]
    pub(crate) device_type: Option<String>,
    /// Also write OpenMetrics, for node_exporter's textfile collector
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
    /// Print JSON only (versioned schema)
    #[arg(long)]
    pub(crate) json: bool,
}
