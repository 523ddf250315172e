//! The arguments: one definition, from which help, completions and the man page are made.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use stats::repeat::Repeat;

/// A laboratory for storage drives: measure one as reviewers do, beside modelled ones.
#[derive(Debug, Parser)]
#[command(
    name = "drivelab",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
#[command(
    after_help = "A TARGET is a device, a file, a directory (a test file is made in it and removed), \
a modelled drive such as model:samsung-840-evo-750gb, or null:. Options follow a question mark: \
./dir?size=1GiB&buffered=yes. Reading is the default on a device; `drivelab run --help` says how to allow writing."
)]
pub(crate) struct Arguments {
    /// Where results are kept [default: the user's data folder]
    #[arg(long, global = true, value_name = "FILE", display_order = 800)]
    pub(crate) store: Option<PathBuf>,
    /// Language of summaries and reports
    #[arg(long, global = true, value_enum, default_value_t = Language::En, display_order = 801)]
    pub(crate) lang: Language,
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

/// How long a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleName {
    /// Seconds: does it work, roughly how fast
    Quick,
    /// A review within about two minutes; marked as shortened
    Default,
    /// The original's own counts and times; alone stands beside published figures
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
    /// Review a drive: the first methods on it and on two modelled drives, with a report
    Review(ReviewArguments),
    /// Run one method on one target, or a plan
    Run(RunArguments),
    /// Run one method on one target, and write a trace of all its I/Os, which `replay` reads
    Record(RecordArguments),
    /// Copy a failing drive off: good areas first, bad ones last, and a map of what is lost
    Rescue(RescueArguments),
    /// Go on with an interrupted run or plan
    Resume(ResumeArguments),
    /// List the methods
    Methods(Json),
    /// List the plans that come with drivelab, or print one
    Plans(PlansArguments),
    /// List the modelled drives
    Drives(Json),
    /// Show a modelled drive: every parameter with its source
    Show(ShowArguments),
    /// Ask a drive how it is: temperature, hours, bytes written, wear, errors
    Health(HealthArguments),
    /// List the stored results
    Results(Json),
    /// Make a report of stored results
    Report(ReportArguments),
    /// Set stored results side by side
    Compare(CompareArguments),
    /// Vary a modelled drive over a grid, and run a method on each point
    Sweep(SweepArguments),
    /// Replay traces that were measured on real disks on the disk model, and compare
    Validate(ValidateArguments),
    /// Set the modelled drives beside what was published of the real ones
    Reproduce(ReproduceArguments),
    /// Fit the free parameters of a modelled drive's family to the figures that may be fitted to
    Calibrate(CalibrateArguments),
    /// Measure drivelab itself
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man,
}

impl Command {
    /// True where nothing is to be done, but told.
    pub(crate) fn is_dry_run(&self) -> bool {
        let consent = match self {
            Command::Review(review) => &review.consent,
            Command::Run(run) => &run.consent,
            Command::Record(record) => &record.run.consent,
            Command::Rescue(rescue) => &rescue.consent,
            Command::Resume(resume) => &resume.consent,
            _ => return false,
        };
        consent.dry_run
    }
}

#[derive(Debug, Args)]
pub(crate) struct Json {
    /// JSON alone, on a versioned schema
    #[arg(long)]
    pub(crate) json: bool,
}

/// What may be overwritten.
#[derive(Debug, Args)]
pub(crate) struct ConsentArguments {
    /// Allow writing to a device or to a file of yours: what is on it is lost
    #[arg(long)]
    pub(crate) destroy_data: bool,
    /// The drive's serial number (else WWN or by-id name; for a loop device its backing file, for a file its path); asked for where it is not given; for a plan once for each drive that it overwrites
    #[arg(long, value_name = "NAME", requires = "destroy_data")]
    pub(crate) confirm: Vec<String>,
    /// Print every address range that would be written, and what would refuse the run (exit code 2); write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewArguments {
    /// What to review; the default is a test file in the current directory, removed afterwards
    #[arg(default_value = ".")]
    pub(crate) target: String,
    /// How long
    #[arg(long, value_enum, default_value_t = ScaleName::Default)]
    pub(crate) scale: ScaleName,
    /// A target to set beside it, in place of the two modelled drives; may be given several times
    #[arg(long, value_name = "TARGET")]
    pub(crate) beside: Vec<String>,
    /// Where the report goes
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(crate) html: PathBuf,
    /// Seeds everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// JSON alone on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// One method on one target.
#[derive(Debug, Args)]
pub(crate) struct MethodArguments {
    /// The method; `drivelab methods` lists them
    pub(crate) method: String,
    /// The target
    pub(crate) target: String,
    /// A setting of the method; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// How long
    #[arg(long, value_enum, default_value_t = ScaleName::Default)]
    pub(crate) scale: ScaleName,
    /// Seeds everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// How much runs at once.
#[derive(Debug, Args)]
pub(crate) struct JobsArguments {
    /// Threads; all processors where it is not given
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

impl JobsArguments {
    /// Threads: as asked for, or as many as there are processors.
    pub(crate) fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(all).get()
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "A PLAN is one that `drivelab plans` lists, or a file that ends in .toml. --scale, --seed and --repeat take the place of what \
it says, targets that of its own. Its results are one report; `drivelab resume` goes on with it after an interruption, a kill or a reboot."
)]
pub(crate) struct RunArguments {
    /// The method (`drivelab methods` lists them), or a plan
    #[arg(value_name = "METHOD|PLAN")]
    pub(crate) what: String,
    /// The target; of a plan any number
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// A setting of the method; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// How long [default: default]
    #[arg(long, value_enum)]
    pub(crate) scale: Option<ScaleName>,
    /// Seeds everything random [default: 1]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Run it so often, or as auto:5%,max=20: until every median's interval is that narrow, 20 runs at most [default: 1]
    #[arg(long, value_name = "RULE")]
    pub(crate) repeat: Option<Repeat>,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// Also write a report; of a plan it is always written [default: report.html]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// JSON alone on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not store the result
    #[arg(long)]
    pub(crate) no_store: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlansArguments {
    /// Print this plan's file: to be changed, and run under a name of your own
    #[arg(value_name = "PLAN")]
    pub(crate) name: Option<String>,
    /// JSON alone, on a versioned schema
    #[arg(long, conflicts_with = "name")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The source is never written. The same command goes on where an interrupted one ended, as the map says. \
DEST is a file that is made, or a device or file that --destroy-data allows to be overwritten; a modelled source \
goes to a modelled destination."
)]
pub(crate) struct RescueArguments {
    /// The drive or file that is copied off
    pub(crate) source: String,
    /// Where it goes
    #[arg(value_name = "DEST")]
    pub(crate) destination: String,
    /// The map of what has arrived and what is lost [default: DEST.map]
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Read at once while all goes well
    #[arg(long, value_name = "SIZE", default_value = "1MiB")]
    pub(crate) block: base::size::Bytes,
    /// How often bad sectors are tried again
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) retries: u32,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// JSON alone, on a versioned schema
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// The trace; the file must not be there yet
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Its format: blkparse has completions and nanoseconds, msr completions, the others sends alone
    #[arg(long, value_name = "FORMAT", default_value = "blkparse", value_parser = ["blkparse", "fio-v2", "fio-v3", "msr", "mqsim", "disksim"])]
    pub(crate) format: String,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The target is a modelled drive, with layers or without. KEY is a number of the drive's file (`drivelab show DRIVE` lists them: ssd.nand.dies), an option of the \
target (state, host, link, a layer's own) or a setting of the method. VALUES are a list (8,16,32; with semicolons where a \
value has commas) or a range: FROM..TO:STEP, FROM..TO*FACTOR. Results are not stored."
)]
pub(crate) struct SweepArguments {
    #[command(flatten)]
    pub(crate) method: MethodArguments,
    /// What is varied; several make a grid
    #[arg(long, value_name = "KEY=VALUES", required = true)]
    pub(crate) vary: Vec<String>,
    /// A figure that is wanted; may be given several times [default: the method's main ones]
    #[arg(long, value_name = "KEY")]
    pub(crate) figure: Vec<String>,
    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
    /// Also write a page with a plot of each figure
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print the points as CSV
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// JSON alone
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// The run's number, a plan (plan-2), or `last`
    #[arg(default_value = "last")]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// JSON alone on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The drive; `drivelab drives` lists them
    pub(crate) drive: String,
    /// JSON alone
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HealthArguments {
    /// A device, or a file or directory on one, or a modelled drive
    pub(crate) target: String,
    /// What smartctl's option -d takes, where it cannot find out by itself: sat, sntjmicron, sntasmedia, sntrealtek ...
    #[arg(long, value_name = "TYPE")]
    pub(crate) device_type: Option<String>,
    /// JSON alone, on a versioned schema
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Numbers of results, plans (plan-2), or `last`
    #[arg(required_unless_present = "open")]
    pub(crate) results: Vec<String>,
    /// Write a self-contained HTML report here
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a review here: the comparison, a page for each drive, the tables as CSV, the pictures as SVG
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Write every picture as an SVG file here
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    /// Print for which use each drive is fit, with the figures that say so
    #[arg(long)]
    pub(crate) uses: bool,
    /// Print the figures as CSV, a line each; or the verdict table, a column a drive
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "figures",
        conflicts_with_all = ["json", "uses"]
    )]
    pub(crate) csv: Option<CsvTable>,
    /// Print the phases as CSV in the columns of Iometer's results file
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub(crate) iometer_csv: bool,
    /// JSON alone
    #[arg(long)]
    pub(crate) json: bool,
    /// Open the report in the browser; without numbers, a page over all stored results
    #[arg(long, conflicts_with_all = ["json", "uses", "csv", "iometer_csv"])]
    pub(crate) open: bool,
    /// How many of the newest results `--open` without numbers shows in full
    #[arg(long, value_name = "NUMBER", default_value_t = 12, requires = "open")]
    pub(crate) newest: usize,
}

/// Which table as CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CsvTable {
    /// All figures, a line each, with their conditions
    Figures,
    /// The verdict table: figures in lines, drives in columns
    Verdict,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Numbers of results, or `last`
    #[arg(required = true)]
    pub(crate) results: Vec<String>,
    /// JSON alone
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ValidateArguments {
    /// A directory with a NAME.toml (the disk's parameters) and a NAME.csv.gz (the trace) for each disk
    pub(crate) directory: PathBuf,
    /// Also write the distributions of response times as a page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// JSON alone
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReproduceArguments {
    /// Only figures for which this drive is run; `drivelab drives` lists them
    #[arg(long, value_name = "DRIVE")]
    pub(crate) drive: Option<String>,
    /// Only figures of the document whose name begins so
    #[arg(long, value_name = "NAME")]
    pub(crate) seed_doc: Option<String>,
    /// Only figures in this role
    #[arg(long, value_parser = ["calibrate", "predict", "range"])]
    pub(crate) role: Option<String>,
    /// Only this figure, by its name (F141); may be given several times
    #[arg(long, value_name = "FIGURE")]
    pub(crate) row: Vec<String>,
    /// Change every drive that has it, as in a target's name: `ssd.map_cache=off` takes a mechanism
    /// away; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) change: Vec<String>,
    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
    /// Seeds everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Also write the comparison as a page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// CSV alone
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// JSON alone
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CalibrateArguments {
    /// The drive; `drivelab drives` lists them
    #[arg(required_unless_present = "all")]
    pub(crate) drive: Option<String>,
    /// Every family that has free parameters, one after the other
    #[arg(long, conflicts_with_all = ["drive", "json"])]
    pub(crate) all: bool,
    /// Write nothing; fail where the files have other values
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
    /// Seeds everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// JSON alone
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// The engine beside fio, and the bare ring's rate
    Engine {
        /// A directory on ext4 or xfs for the 4 MiB file
        #[arg(default_value = ".")]
        directory: PathBuf,
        /// Seconds a leg
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// Pairs of legs
        #[arg(long, default_value_t = 5)]
        pairs: u32,
        /// JSON alone
        #[arg(long)]
        json: bool,
    },
    /// The modelled drives: I/Os simulated a second on one core
    Model {
        /// JSON alone
        #[arg(long)]
        json: bool,
    },
    /// Each mechanism of the modelled drives taken away: which published figure needs it
    Mechanisms {
        #[command(flatten)]
        jobs: JobsArguments,
        /// JSON alone
        #[arg(long)]
        json: bool,
    },
    /// Whether the program lasts: memory over simulated days, and kills that lose nothing
    Endurance {
        /// A directory on a disk, for stores and a file of 16 MiB
        #[arg(default_value = ".")]
        directory: PathBuf,
        /// Simulated hours of each method
        #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=24))]
        hours: u32,
        /// Kills
        #[arg(long, default_value_t = 1_000)]
        kills: u32,
        /// Seeds the moments of the kills
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// JSON alone
        #[arg(long)]
        json: bool,
    },
    /// One leg of the engine benchmark, in a process of its own
    #[command(hide = true)]
    EngineLeg {
        /// What the benchmark passes on
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}
