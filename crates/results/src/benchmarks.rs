//! drivelab measuring itself: the engine, the models, their mechanisms, endurance.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema of the models' benchmark.
pub const MODEL_BENCH_SCHEMA: &str = "drivelab.bench-model/1";
/// The schema of the mechanisms' benchmark.
pub const MECHANISM_BENCH_SCHEMA: &str = "drivelab.bench-mechanisms/1";
/// The schema of the engine's benchmark.
pub const ENGINE_BENCH_SCHEMA: &str = "drivelab.bench-engine/1";
/// The schema of the endurance benchmark.
pub const ENDURANCE_BENCH_SCHEMA: &str = "drivelab.bench-endurance/1";

/// The schema of the benchmark of `explain`.
pub const INFERENCE_BENCH_SCHEMA: &str = "drivelab.bench-infer/1";

/// The schema of the benchmark of emulated drives.
pub const EMULATE_BENCH_SCHEMA: &str = "drivelab.bench-emulate/2";

/// What serving a modelled drive costs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EmulateBench {
    /// The schema.
    pub schema: &'static str,
    /// Legs of each kind; medians are of these.
    pub legs: u32,
    /// What a 4 KiB read of a drive that takes 100 us takes longer than that, one in flight, in us, at half of the reads.
    pub read_us: f64,
    /// 4 KiB reads per second of a drive with zero latency, 32 in flight.
    pub reads_per_second: f64,
    /// The same of nbdkit's memory plugin on this machine; nothing where nbdkit is missing.
    pub nbdkit_reads_per_second: Option<f64>,
    /// 128 KiB reads of a drive with zero latency, 8 in flight, in bytes per second.
    pub long_bytes_per_second: f64,
    /// The same of nbdkit's memory plugin.
    pub nbdkit_long_bytes_per_second: Option<f64>,
    /// Wake-up delay of a thread that sleeps for 100 us, in us: the median.
    pub timer_p50_us: f64,
    /// The same, 99 of 100.
    pub timer_p99_us: f64,
    /// How late the replies of modelled drives left.
    pub late: Vec<LateRow>,
}

/// How late the replies of one drive left.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LateRow {
    /// The drive.
    pub drive: String,
    /// Bytes of each read: 4 KiB are all over the drive, longer ones in order.
    pub read_bytes: u64,
    /// Reads in flight.
    pub in_flight: u32,
    /// Replies.
    pub replies: u64,
    /// The median delay of replies after the drive's own time, in us.
    pub p50_us: f64,
    /// 99 of 100 of them.
    pub p99_us: f64,
}

/// How fast models are simulated.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelBench {
    /// The schema.
    pub schema: &'static str,
    /// A row a workload.
    pub rows: Vec<ModelRow>,
}

/// One workload on one drive.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelRow {
    /// What was simulated.
    pub name: String,
    /// I/Os a leg.
    pub ios: u64,
    /// I/Os a CPU second, as the lab runs them (through the two traits): median of the legs.
    pub per_cpu_second: f64,
    /// The same with the drive inlined into the loop.
    pub inlined_per_cpu_second: f64,
    /// What the two traits cost an I/O, in nanoseconds: median of the pairs' differences.
    pub traits_ns: f64,
    /// The bar that the project sets itself for the first figure, where there is one.
    pub bar_per_cpu_second: Option<f64>,
    /// How many times as long ten times the I/Os take: median of the legs over that of the short ones.
    pub times_for_ten: f64,
    /// Bytes of the tables of a solid-state drive, as the last leg left it.
    pub table_bytes: Option<u64>,
    /// The same for each mapped page of 4 KiB.
    pub table_bytes_a_page: Option<f64>,
}

/// What each mechanism of the models is good for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MechanismBench {
    /// The schema.
    pub schema: &'static str,
    /// A mechanism a row, in the list's order.
    pub mechanisms: Vec<Mechanism>,
}

/// One mechanism, and a figure with and without it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mechanism {
    /// What it is called.
    pub name: String,
    /// How it was removed.
    pub without: Vec<String>,
    /// The figure's id.
    pub row: String,
    /// What was published, as printed.
    pub published: String,
    /// The figure with the mechanism.
    pub with: MechanismOutcome,
    /// And without.
    pub taken_away: MechanismOutcome,
    /// By how much the error may grow before the mechanism counts as needed; none for a claim.
    pub band: Option<f64>,
    /// Whether the figure needs the mechanism.
    pub needed: bool,
}

/// One figure, run once.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MechanismOutcome {
    /// The simulated figure; none for a claim.
    pub simulated: Option<f64>,
    /// Its error, as a share of the published value.
    pub error: Option<f64>,
    /// For a claim: whether it holds.
    pub holds: Option<bool>,
    /// Why there is no result.
    pub not_run: Option<String>,
}

/// How often `explain` is right about drives whose inside is known.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InferenceBench {
    /// The schema.
    pub schema: &'static str,
    /// What drew drives, hosts and faults.
    pub seed: u64,
    /// Counts by question, of all drives, of each family and of each kind of noise.
    pub scores: Vec<InferenceScore>,
    /// Each drive with its answers.
    pub drives: Vec<InferenceDrive>,
}

/// A drawn drive.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InferenceDrive {
    /// The family that it was drawn from.
    pub family: &'static str,
    /// What was between it and drivelab.
    pub noise: &'static str,
    /// The target, as any command takes it.
    pub target: String,
    /// What was asked and is known.
    pub answers: Vec<InferenceAnswer>,
}

/// An answer held against what is so.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InferenceAnswer {
    /// The question.
    pub question: &'static str,
    /// What is so.
    pub is: String,
    /// What was said.
    pub said: String,
    /// Whether the interval holds what is so; none where there is no interval.
    pub held: Option<bool>,
    /// Between which what is so lies; none for what is no number.
    pub true_between: Option<[f64; 2]>,
    /// The interval of what was said; none where there is none.
    pub said_between: Option<[f64; 2]>,
    /// `right`; `bounded`: off, but within its interval; `open`: nothing was claimed; `wrong`: certain, and not so.
    pub outcome: &'static str,
}

/// How often each came of a question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InferenceScore {
    /// The question.
    pub question: &'static str,
    /// `all`, a family or a kind of noise.
    pub of: &'static str,
    /// How often it was asked.
    pub asked: u32,
    /// Right.
    pub right: u32,
    /// Off, but within its interval.
    pub bounded: u32,
    /// Nothing was claimed.
    pub open: u32,
    /// Certain, and not so.
    pub wrong: u32,
    /// Answers with an interval.
    pub with_interval: u32,
    /// Intervals that hold what is so.
    pub held: u32,
}

impl InferenceScore {
    /// Nothing yet.
    pub const fn new(of: &'static str, question: &'static str) -> InferenceScore {
        InferenceScore {
            question,
            of,
            asked: 0,
            right: 0,
            bounded: 0,
            open: 0,
            wrong: 0,
            with_interval: 0,
            held: 0,
        }
    }

    /// One more answer.
    pub fn count(&mut self, answer: &InferenceAnswer) {
        self.asked += 1;
        *match answer.outcome {
            "right" => &mut self.right,
            "bounded" => &mut self.bounded,
            "open" => &mut self.open,
            _ => &mut self.wrong,
        } += 1;
        self.with_interval += u32::from(answer.held.is_some());
        self.held += u32::from(answer.held == Some(true));
    }
}

/// The engine compared with fio, in CPU time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EngineBench {
    /// The schema.
    pub schema: &'static str,
    /// Where the file was.
    pub directory: PathBuf,
    /// Seconds a leg.
    pub seconds: f64,
    /// Pairs of legs.
    pub pairs: u32,
    /// How our I/Os were issued.
    pub path: String,
    /// fio's version, where it is installed.
    pub fio: Option<String>,
    /// A row a queue depth.
    pub rows: Vec<EngineRow>,
    /// What the computer adds to responses by itself.
    pub noise: HostNoise,
}

/// What a computer adds to responses by itself, measured where no drive can be the cause.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct HostNoise {
    /// Processors that the system has for a program.
    pub processors: u64,
    /// How late a thread that sleeps for a millisecond is woken.
    pub wake_up: Jitter,
    /// What reads of a file in the page cache take, one at a time.
    pub completion: Jitter,
    /// What such reads took beyond their median, where that is less than 20 us: `short_gap_s` and `short_us` of a host's
    /// file.
    pub short: Interruption,
    /// The same from 20 us on: `long_gap_s` and `long_us`.
    pub long: Interruption,
}

/// A distribution of times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Jitter {
    /// Samples.
    pub n: u64,
    /// Their median, in microseconds.
    pub median_us: f64,
    /// The 99th percentile, in microseconds.
    pub p99_us: f64,
    /// The 99.9th percentile, in microseconds.
    pub p99_9_us: f64,
    /// The 99.99th percentile, in microseconds.
    pub p99_99_us: f64,
    /// The longest, in microseconds.
    pub longest_us: f64,
}

/// Interruptions of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Interruption {
    /// How many were seen.
    pub n: u64,
    /// Mean time between two, in seconds; 0 where there were none.
    pub gap_s: f64,
    /// Mean length, in microseconds.
    pub length_us: f64,
}

/// One queue depth.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EngineRow {
    /// I/Os in flight.
    pub depth: u32,
    /// drivelab's engine, run loop and recorder.
    pub ours: Side,
    /// fio, where it is installed.
    pub fio: Option<Side>,
    /// I/Os a CPU-second, ours over fio's.
    pub ratio: Option<f64>,
    /// User time an I/O, ours over fio's.
    pub user_ratio: Option<f64>,
    /// The bar for [`EngineRow::ratio`]: at least this.
    pub bar_ratio: f64,
    /// The bar for [`EngineRow::user_ratio`]: at most this.
    pub bar_user_ratio: Option<f64>,
    /// No-ops a CPU-second through a bare ring at this depth: the floor.
    pub noops_per_cpu_second: f64,
}

/// One program at one queue depth: medians of its legs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "EngineSide")]
pub struct Side {
    /// I/Os a second of user and system time together.
    pub ios_per_cpu_second: f64,
    /// User time an I/O, in nanoseconds.
    pub user_ns: f64,
    /// System time an I/O, in nanoseconds.
    pub system_ns: f64,
    /// The legs, in order.
    pub legs: Vec<Leg>,
}

/// One leg: what a process did, and its cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EngineLeg")]
pub struct Leg {
    /// I/Os completed.
    pub ios: u64,
    /// User time of the whole process, in seconds.
    pub user_s: f64,
    /// System time of the whole process, in seconds.
    pub system_s: f64,
}

/// Hours of simulated watching, and many kills.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EnduranceBench {
    /// The schema.
    pub schema: &'static str,
    /// Seed of the kills' moments.
    pub seed: u64,
    /// The days, one a method.
    pub days: Vec<Day>,
    /// Number of kills of a run, and what remained.
    pub kills: Kills,
}

/// A method that watched for hours.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "EnduranceDay")]
pub struct Day {
    /// The id of the method that was timed.
    pub method: &'static str,
    /// Simulated hours.
    pub hours: f64,
    /// I/Os that were completed.
    pub ios: u64,
    /// I/Os that failed, on purpose.
    pub failed: u64,
    /// Points of the longest time series.
    pub points: usize,
    /// Most memory of the process in the first third of its life, the second and the last, in bytes.
    pub memory: [u64; 3],
    /// Bytes of the store when all was done.
    pub store_bytes: u64,
}

/// What came of the kills.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Kills {
    /// Kills that a process did not outlive.
    pub kills: u32,
    /// Runs that came to their end, all the same.
    pub runs: u32,
    /// Their phases.
    pub phases: u64,
    /// Phases that were lost, changed, repeated or went backwards.
    pub lost: u64,
    /// Bytes of the store when all was done.
    pub store_bytes: u64,
}
