//! `drivelab develop bench`: drivelab measures itself.

use std::time::Duration;

use super::Session;
use crate::arguments::BenchCommand;
use crate::output::{Failure, print, print_json, say};

/// Benchmarks the engine or the models, or runs the ablation study of the models' mechanisms.
pub(crate) fn bench(session: &Session, command: BenchCommand) -> Result<(), Failure> {
    match command {
        BenchCommand::Engine {
            directory,
            seconds,
            pairs,
            host_file,
            json,
        } => {
            let failed = |e: benchmarks::engine::BenchError| Failure::Failed(e.to_string());
            let bench = benchmarks::engine::bench_engine(
                &directory,
                Duration::from_secs(seconds),
                pairs,
                &mut |line| say(line),
            )
            .map_err(failed)?;
            if let Some(path) = host_file {
                let text = benchmarks::host_noise::host_file(&bench.noise);
                let written = lab::whole_file::write_whole(&path, text.as_bytes());
                written.map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))?;
                say(&format!("written: {}", path.display()));
            }
            if json {
                print_json(&bench)
            } else {
                print(&benchmarks::engine::text(&bench))
            }
        }
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
            if json {
                print_json(&bench)
            } else {
                print(&benchmarks::model::text(&bench))
            }
        }
        BenchCommand::Emulate { seconds, json } => {
            let leg = Duration::from_secs(seconds);
            let bench = benchmarks::emulate::bench_emulate(leg, &mut |line| say(line))?;
            if json {
                print_json(&bench)
            } else {
                print(&benchmarks::emulate::text(&bench))
            }
        }
        BenchCommand::Mechanisms { jobs, json } => {
            crate::signals::watch(&session.interrupt)?;
            let bench = benchmarks::mechanisms::bench_mechanisms(
                jobs.threads(),
                &session.interrupt,
                &mut |line| say(line),
            )?;
            if json {
                print_json(&bench)
            } else {
                print(&benchmarks::mechanisms::text(&bench))
            }
        }
        BenchCommand::Endurance {
            directory,
            hours,
            kills,
            seed,
            json,
        } => {
            crate::signals::watch(&session.interrupt)?;
            let endurance = benchmarks::endurance::Endurance {
                directory: &directory,
                hours,
                kills,
                seed,
            };
            let bench = endurance.run(&session.interrupt, &mut |line| say(line))?;
            if json {
                print_json(&bench)?;
            } else {
                print(&benchmarks::endurance::text(&bench))?;
            }
            if benchmarks::endurance::holds(&bench) {
                Ok(())
            } else {
                let why = "memory grew, or phases were lost: see above";
                Err(Failure::Failed(why.to_owned()))
            }
        }
        BenchCommand::EngineLeg { arguments } => {
            let text =
                benchmarks::engine::leg(&arguments).map_err(|e| Failure::Failed(e.to_string()))?;
            print(&text)
        }
    }
}
