//! `drivelab develop bench`: drivelab measures itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use accuracy::inference::{Inference, bench_inference};
use benchmarks::endurance::Endurance;

use super::Session;
use crate::arguments::{BenchCommand, InferArguments};
use crate::output::{Failure, failed, print, print_as, say};

/// Benchmarks the engine or the models, or runs the ablation study of the models' mechanisms.
pub(crate) fn bench(session: &Session, command: BenchCommand) -> Result<(), Failure> {
    match command {
        BenchCommand::Engine {
            directory,
            seconds,
            pairs,
            host_file,
            json,
        } => engine(&directory, seconds, pairs, host_file, json),
        BenchCommand::Model {
            against: Some(program),
            rounds,
            ..
        } => {
            let all = benchmarks::against::bench_against(&program, rounds, &mut |line| say(line))?;
            print(&benchmarks::against::text(all))
        }
        BenchCommand::Model { json, .. } => {
            let bench = benchmarks::model::bench_model(&mut |line| say(line))?;
            print_as(&bench, json, benchmarks::model::text)
        }
        BenchCommand::Emulate { seconds, json } => {
            let leg = Duration::from_secs(seconds);
            let bench = benchmarks::emulate::bench_emulate(leg, &mut |line| say(line))?;
            print_as(&bench, json, benchmarks::emulate::text)
        }
        BenchCommand::Mechanisms { jobs, json } => {
            crate::signals::watch(&session.interrupt)?;
            let bench = benchmarks::mechanisms::bench_mechanisms(
                jobs.threads(),
                &session.interrupt,
                &mut |line| say(line),
            )?;
            print_as(&bench, json, benchmarks::mechanisms::text)
        }
        BenchCommand::Infer(asked) => infer(session, asked),
        BenchCommand::Endurance {
            directory,
            hours,
            kills,
            seed,
            json,
        } => {
            let directory = &directory;
            let of = Endurance {
                directory,
                hours,
                kills,
                seed,
            };
            endurance(session, &of, json)
        }
        BenchCommand::EngineLeg { arguments } => {
            print(&benchmarks::engine::leg(&arguments).map_err(failed)?)
        }
    }
}

/// Asks drawn drives, and counts what is right, open and wrong.
fn infer(session: &Session, asked: InferArguments) -> Result<(), Failure> {
    crate::signals::watch(&session.interrupt)?;
    let done = |done: usize, all: usize| {
        if done.is_multiple_of(50) || done == all {
            say(&format!("{done} of {all} drives"));
        }
    };
    let of = Inference {
        families: asked.family,
        drives: asked.drives,
        jobs: asked.jobs.threads(),
        seed: asked.seed,
    };
    let bench = bench_inference(&of, &session.interrupt, &done)?;
    print_as(&bench, asked.json, accuracy::inference::text)
}

/// Benchmarks the engine; the noise of this computer is also written to a host file if one is requested.
fn engine(
    directory: &Path,
    seconds: u64,
    pairs: u32,
    host_file: Option<PathBuf>,
    json: bool,
) -> Result<(), Failure> {
    let time = Duration::from_secs(seconds);
    let bench = benchmarks::engine::bench_engine(directory, time, pairs, &mut |line| say(line));
    let bench = bench.map_err(failed)?;
    if let Some(path) = host_file {
        let text = benchmarks::host_noise::host_file(&bench.noise);
        super::write(&path, &text)?;
        say(&format!("written: {}", path.display()));
    }
    print_as(&bench, json, benchmarks::engine::text)
}

fn endurance(session: &Session, endurance: &Endurance<'_>, json: bool) -> Result<(), Failure> {
    crate::signals::watch(&session.interrupt)?;
    let bench = endurance.run(&session.interrupt, &mut |line| say(line))?;
    print_as(&bench, json, benchmarks::endurance::text)?;
    if benchmarks::endurance::holds(&bench) {
        Ok(())
    } else {
        let why = "memory grew, or phases were lost: see above";
        Err(Failure::Failed(why.to_owned()))
    }
}
