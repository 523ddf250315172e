//! `drivelab develop bench endurance`: whether the program itself lasts.
//!
//! Two things that a short run does not show. **Days**: latency-watch and fixed-rate run on a target with faults for a
//! simulated day each, in a separate process with its own store. The memory use of the process is monitored: it must
//! not grow, since everything kept about a phase is bounded. **Kills** (`kills`): scans of a real file are killed at
//! random moments and resumed, a thousand times. What was stored before a kill must still be there after it, and the
//! final result must equal that of an uninterrupted scan.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration as WallDuration;

use base::record::PhaseRecord;
use results::benchmarks::{Day, ENDURANCE_BENCH_SCHEMA, EnduranceBench};
use store::Which;

use crate::error::BenchmarkError;
use base::interrupt::Interrupt;
use lab::LabError;

mod kills;

/// What is watched for days: an I/O of 10 ms, a few failures, and stutters of 300 ms.
const TARGET: &str = "fault(null:?service=10ms)?errors=2&short=1&delays=20&delay=300ms&seed=5";
/// Between two looks at a process.
const LOOK: WallDuration = WallDuration::from_millis(10);
/// Bytes by which a process may grow from the first third of its life to the last one, in which it makes
/// its result: documents of some megabytes, whatever the time.
const MOST_GROWTH: u64 = 32 << 20;

/// How much of it.
#[derive(Clone, Copy, Debug)]
pub struct Endurance<'a> {
    /// Where the stores and the scanned file are made, and removed.
    pub directory: &'a Path,
    /// Simulated hours of each method.
    pub hours: u32,
    pub kills: u32,
    /// Seeds the moments of the kills.
    pub seed: u64,
}

fn is_flat(day: &Day) -> bool {
    day.memory[2] <= day.memory[0] + MOST_GROWTH
}

/// Whether no memory grew and nothing was lost.
pub fn holds(bench: &EnduranceBench) -> bool {
    bench.days.iter().all(is_flat) && bench.kills.lost == 0
}

impl Endurance<'_> {
    /// Runs the benchmark. The calling program is started again and again, as its users start it.
    ///
    /// # Errors
    /// Where the directory cannot be used, or a process ends as it should not.
    pub fn run(
        &self,
        interrupt: &Interrupt,
        say: &mut dyn FnMut(&str),
    ) -> Result<EnduranceBench, BenchmarkError> {
        let hours = format!("{}h", self.hours);
        // Half of it alone, half beside a load.
        let half = format!("{}m", self.hours * 30);
        let watch = [format!("time={half}"), "load-depth=2".to_owned()];
        let rate = [
            format!("time={hours}"),
            "rate=500".to_owned(),
            "extent=64MiB".to_owned(),
        ];
        let mut days = Vec::new();
        for (method, set) in [("latency-watch", &watch[..]), ("fixed-rate", &rate[..])] {
            let day = self.day(method, set, interrupt)?;
            say(&day_line(&day));
            days.push(day);
        }
        let kills = kills::kill_again_and_again(self, interrupt, say)?;
        Ok(EnduranceBench {
            schema: ENDURANCE_BENCH_SCHEMA,
            seed: self.seed,
            days,
            kills,
        })
    }

    fn day(
        &self,
        method: &'static str,
        set: &[String],
        interrupt: &Interrupt,
    ) -> Result<Day, BenchmarkError> {
        let place = Place::make(self.directory)?;
        let mut arguments = vec!["run", method, TARGET];
        for setting in set {
            arguments.extend(["--set", setting]);
        }
        let mut child = place.start(&arguments)?;
        let mut looks = Vec::new();
        while child.is_alive()? {
            LabError::not_interrupted(interrupt)?;
            looks.extend(memory_of(child.child.id()));
            std::thread::sleep(LOOK);
        }
        child.must_have_succeeded()?;
        let store = store::Store::open(&place.store())?;
        let result = lab::running::stored_result(&store, Which::Last)?;
        let phases = &result.phases;
        let time: f64 = phases.iter().map(|phase| phase.took.as_secs_f64()).sum();
        let series = phases.iter().flat_map(|phase| &phase.jobs);
        Ok(Day {
            method,
            hours: time / 3_600.0,
            ios: phases.iter().map(PhaseRecord::ios).sum(),
            failed: phases.iter().map(PhaseRecord::errors).sum(),
            points: series.map(|job| job.series.points.len()).max().unwrap_or(0),
            memory: thirds(&looks),
            store_bytes: place.bytes(),
        })
    }
}

/// The most of each third.
fn thirds(looks: &[u64]) -> [u64; 3] {
    let part = looks.len().div_ceil(3).max(1);
    let mut most = looks.chunks(part).map(|part| part.iter().copied().max());
    [0; 3].map(|_| most.next().flatten().unwrap_or(0))
}

/// Resident bytes of a process that lives (proc(5), `VmRSS`).
fn memory_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}

/// A folder with a store, where drivelab is started.
struct Place {
    folder: tempfile::TempDir,
}

/// A process of drivelab, killed when dropped.
struct Started {
    child: Child,
    said: PathBuf,
}

impl Place {
    fn make(directory: &Path) -> Result<Place, BenchmarkError> {
        let folder = tempfile::Builder::new()
            .prefix(".drivelab-endurance-")
            .tempdir_in(directory)
            .map_err(|source| LabError::File {
                path: directory.to_owned(),
                source,
            })?;
        Ok(Place { folder })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn store(&self) -> PathBuf {
        self.path("store/results.sqlite3")
    }

    /// Bytes of all files of the store.
    fn bytes(&self) -> u64 {
        let entries = std::fs::read_dir(self.path("store"));
        let files = entries.into_iter().flatten().flatten();
        files
            .filter_map(|file| file.metadata().ok())
            .map(|file| file.len())
            .sum()
    }

    fn start(&self, arguments: &[&str]) -> Result<Started, BenchmarkError> {
        let said = self.path("said");
        let start = || {
            let mut command = Command::new(std::env::current_exe()?);
            command
                .arg("--store")
                .arg(self.store())
                .args(arguments)
                .current_dir(self.folder.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(File::create(&said)?);
            command.spawn()
        };
        let child = start().map_err(failed)?;
        Ok(Started { child, said })
    }
}

fn failed(why: std::io::Error) -> BenchmarkError {
    BenchmarkError::Failed(format!("drivelab cannot be started again: {why}"))
}

impl Started {
    fn is_alive(&mut self) -> Result<bool, BenchmarkError> {
        Ok(self.child.try_wait().map_err(failed)?.is_none())
    }

    /// The end of a process that has not been killed: a drive that is made to fail is found failing.
    fn must_have_succeeded(&mut self) -> Result<(), BenchmarkError> {
        let status = self.child.wait().map_err(failed)?;
        let said = std::fs::read_to_string(&self.said).unwrap_or_default();
        if status.success() || said.contains("This drive is failing") {
            return Ok(());
        }
        let last = said.lines().last().unwrap_or_default().to_owned();
        Err(BenchmarkError::Failed(format!(
            "a process ended with {status}: {last}"
        )))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // A process that has ended takes no notice.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn day_line(day: &Day) -> String {
    let [start, middle, end] = day.memory.map(mib);
    format!(
        "{}: {:.1} simulated hours, {} I/Os, {} failed on purpose, series of {} points; memory at most {start:.1} \
         MiB at the start, {middle:.1} in the middle, {end:.1} at the end{}; store {:.2} MiB",
        day.method,
        day.hours,
        day.ios,
        day.failed,
        day.points,
        if is_flat(day) { "" } else { " (it grew)" },
        mib(day.store_bytes)
    )
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The benchmark for people.
pub fn text(bench: &EnduranceBench) -> String {
    let days = bench.days.iter().map(|day| day_line(day) + "\n");
    days.collect::<String>() + &kills::line(&bench.kills) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_of_each_third_is_told() {
        assert_eq!(thirds(&[1, 2, 9, 4, 5, 3, 7]), [9, 5, 7]);
        assert_eq!(thirds(&[5]), [5, 0, 0]);
        assert_eq!(thirds(&[]), [0; 3]);
    }

    #[test]
    fn this_process_takes_memory() {
        assert!(memory_of(std::process::id()).unwrap() > 100_000);
    }
}
