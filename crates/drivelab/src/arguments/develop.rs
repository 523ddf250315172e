//! Arguments of the tools for those who build drivelab.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::JobsArguments;

/// Tools for drivelab's developers: accuracy of the models, benchmarks.
#[derive(Debug, Subcommand)]
pub(crate) enum DevelopCommand {
    /// Compare the modelled drives with published figures of the real ones
    Reproduce(ReproduceArguments),
    /// Review every drive of the catalogue and many faulty ones, and compare the findings with an expert's
    Findings(FindingsArguments),
    /// Fit a family of the catalogue to the published figures reserved for fitting
    Fit(FitArguments),
    /// Benchmark drivelab itself: engine, models, endurance
    #[command(subcommand)]
    Bench(BenchCommand),
}

#[derive(Debug, Args)]
pub(crate) struct FindingsArguments {
    /// Only this target, or targets whose names contain this (repeatable)
    #[arg(long, value_name = "PART")]
    pub(crate) only: Vec<String>,
    /// Only print rows that are wrong
    #[arg(long)]
    pub(crate) wrong: bool,
    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ReproduceArguments {
    /// Only figures measured on this drive; `drivelab drives` lists them
    #[arg(long, value_name = "DRIVE")]
    pub(crate) drive: Option<String>,
    /// Only figures of documents whose name begins with this
    #[arg(long, value_name = "NAME", alias = "seed-doc")]
    pub(crate) document: Option<String>,
    /// Only figures in this role
    #[arg(long, value_parser = ["calibrate", "predict", "range"])]
    pub(crate) role: Option<String>,
    /// Only this figure, by its id such as F141 (repeatable)
    #[arg(long, value_name = "ID", alias = "row")]
    pub(crate) figure: Vec<String>,
    /// Change a parameter on every drive that has it; `ssd.map_cache=off` removes a mechanism
    /// (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) change: Vec<String>,
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
pub(crate) struct FitArguments {
    /// A drive of the family; `drivelab drives` lists them
    #[arg(required_unless_present = "all")]
    pub(crate) drive: Option<String>,
    /// Every family with free parameters
    #[arg(long, conflicts_with_all = ["drive", "json"])]
    pub(crate) all: bool,
    /// Write nothing; fail if the files have other values
    #[arg(long)]
    pub(crate) check: bool,
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
pub(crate) struct InferArguments {
    /// Only this family (repeatable)
    #[arg(long, value_name = "FAMILY")]
    pub(crate) family: Vec<String>,
    /// Drives per family
    #[arg(long, default_value_t = 200)]
    pub(crate) drives: u32,
    /// Random seed of drives, hosts and faults
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) jobs: JobsArguments,
    /// Print JSON only
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// The engine compared with fio and with a bare ring
    Engine {
        /// A directory on ext4 or xfs for the 4 MiB file
        #[arg(default_value = ".")]
        directory: PathBuf,
        /// Seconds per leg
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// Pairs of legs
        #[arg(long, default_value_t = 5)]
        pairs: u32,
        /// Write the noise of this computer as tables for a host file
        #[arg(long, value_name = "FILE")]
        host_file: Option<PathBuf>,
        /// Print JSON only
        #[arg(long)]
        json: bool,
    },
    /// The models: simulated I/Os per second on one core
    Model {
        /// Run the cases alternately in another drivelab, and print how many times as fast this one is
        #[arg(long, value_name = "PROGRAM", conflicts_with = "json")]
        against: Option<PathBuf>,
        /// Rounds of this; ratios are medians of the rounds
        #[arg(long, default_value_t = 3, requires = "against")]
        rounds: u32,
        /// Print JSON only
        #[arg(long)]
        json: bool,
    },
    /// Emulated drives: transport overhead compared with nbdkit, lateness of replies
    Emulate {
        /// Seconds per leg
        #[arg(long, default_value_t = 2)]
        seconds: u64,
        /// Print JSON only
        #[arg(long)]
        json: bool,
    },
    /// Ablation of the models: which published figures need each mechanism
    Mechanisms {
        #[command(flatten)]
        jobs: JobsArguments,
        /// Print JSON only
        #[arg(long)]
        json: bool,
    },
    /// Inference: how often `explain` is right, open, or certain and wrong about drawn drives
    Infer(InferArguments),
    /// Endurance: memory use over simulated days, and kills that must lose nothing
    Endurance {
        /// A directory on a disk, for stores and a file of 16 MiB
        #[arg(default_value = ".")]
        directory: PathBuf,
        /// Simulated hours per method
        #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=24))]
        hours: u32,
        /// Number of kills
        #[arg(long, default_value_t = 1_000)]
        kills: u32,
        /// Random seed of the times of the kills
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Print JSON only
        #[arg(long)]
        json: bool,
    },
    /// One leg of the engine benchmark, in its own process
    #[command(hide = true)]
    EngineLeg {
        /// What the benchmark passes on
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}
