//! `drivelab develop bench engine`: the measuring engine's own cost per I/O, compared with fio.
//!
//! The reference is the kernel's cheapest I/O: 4K random reads of a 4 MiB file in the page cache of ext4 or xfs. There
//! is no waiting for a drive, so I/Os per second of processor time show the headroom for a fast drive. Each leg is a
//! separate process and counts all of that process's user and system time (`getrusage`; fio's own `usr_cpu` and
//! `sys_cpu`). The two programs alternate, A B A B, and medians are compared, since the machine's own speed drifts.
//!
//! fio runs with its fastest options for the same work: io_uring, registered buffers and file, submission and
//! completion in batches of the queue depth, latency of each I/O recorded.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use base::io::Op;
use base::record::PhaseRecord;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::target::Target as _;
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};
use results::benchmarks::{
    ENGINE_BENCH_SCHEMA, EngineBench, EngineRow, HostNoise, Jitter, Leg, Side,
};
use stats::median;
use uring::floor::{CpuTime, noop_rate, wake_ups};
use uring::open::{OpenError, Options, RealTarget, open};

use crate::host_noise::noise;

/// Bytes of the file.
const FILE_BYTES: usize = 4 << 20;
/// The size of an I/O.
const IO_BYTES: Bytes = Bytes::kib(4);
/// Duration of the bare-ring measurement at each depth.
const FLOOR_TIME: Duration = Duration::from_secs(1);
/// Queue depth, the least ratio of I/Os a CPU-second to fio's, and the greatest one of user time an
/// I/O: the bars that the project sets itself.
const DEPTHS: [(u32, f64, Option<f64>); 2] = [(32, 1.3, Some(0.25)), (1, 1.25, None)];

/// Why the benchmark did not run.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The file cannot be made.
    #[error("cannot create a 4 MiB file in {}: {source}; name another directory", .directory.display())]
    File {
        /// The folder.
        directory: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// It cannot be opened for measuring.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// I/Os would not go through the ring.
    #[error(
        "{} is not a suitable reference, I/Os would go through {path}: name a directory on ext4 or xfs, on a kernel with io_uring",
        .directory.display()
    )]
    NoYardstick {
        /// The folder.
        directory: PathBuf,
        /// How I/Os would be issued.
        path: String,
    },
    /// No io_uring for the floor.
    #[error("the bare ring cannot be measured: {0}")]
    Floor(std::io::Error),
    /// A leg's process failed.
    #[error("a leg of {program} failed: {what}")]
    Leg {
        program: &'static str,
        /// Its output.
        what: String,
    },
}

/// Runs the benchmark: `pairs` times `seconds` for each program and each of two queue depths.
///
/// The calling program must answer `develop bench engine-leg ARGUMENTS` with the output of [`leg`].
///
/// # Errors
/// See [`BenchError`].
pub fn bench_engine(
    directory: &Path,
    seconds: std::time::Duration,
    pairs: u32,
    say: &mut dyn FnMut(&str),
) -> Result<EngineBench, BenchError> {
    let file = CachedFile::make(directory)?;
    let path = file.path_of_ios(directory)?;
    let fio = fio_version();
    match &fio {
        Some(version) => say(&format!("drivelab and {version}, {pairs} pairs of legs")),
        None => say("fio is not installed (package 'fio'): drivelab alone"),
    }
    let pairs = pairs.max(1);
    let mut rows = Vec::new();
    for (depth, bar_ratio, bar_user_ratio) in DEPTHS {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for pair in 1..=pairs {
            ours.push(our_leg(&file, depth, seconds)?);
            if fio.is_some() {
                theirs.push(fio_leg(&file, depth, seconds)?);
            }
            say(&pair_line(depth, pair, pairs, &ours, &theirs));
        }
        let floor = noop_rate(depth, FLOOR_TIME).map_err(BenchError::Floor)?;
        rows.push(EngineRow {
            noops_per_cpu_second: floor.per_cpu_second(),
            ..row(depth, ours, theirs, (bar_ratio, bar_user_ratio))
        });
    }
    Ok(EngineBench {
        schema: ENGINE_BENCH_SCHEMA,
        directory: directory.to_owned(),
        seconds: seconds.as_secs_f64(),
        pairs,
        path,
        fio,
        rows,
        noise: noise_of(&file, seconds)?,
    })
}

/// What the computer adds to responses by itself, for so long each.
///
/// # Errors
/// See [`BenchError`].
pub fn host_noise(directory: &Path, seconds: std::time::Duration) -> Result<HostNoise, BenchError> {
    noise_of(&CachedFile::make(directory)?, seconds)
}

/// What the computer does by itself: sleeps, then reads of the cached file one at a time.
fn noise_of(file: &CachedFile, seconds: std::time::Duration) -> Result<HostNoise, BenchError> {
    let late = wake_ups(Duration::from_millis(seconds.as_millis() as u64));
    let (reads, busy) = cached_reads(&file.path(), 1, seconds.as_millis() as u64)?;
    let all = &reads.jobs[0].ops[Op::Read as usize].service;
    Ok(noise(&late, all, busy))
}

fn pair_line(depth: u32, pair: u32, pairs: u32, ours: &[Leg], theirs: &[Leg]) -> String {
    let rate = |legs: &[Leg]| legs.last().map_or(0.0, ios_per_cpu_second) / 1e6;
    let mut line = format!(
        "queue depth {depth}, pair {pair} of {pairs}: drivelab {:.3} M I/Os a CPU-second",
        rate(ours)
    );
    if !theirs.is_empty() {
        line.push_str(&format!(", fio {:.3} M", rate(theirs)));
    }
    line
}

fn ios_per_cpu_second(leg: &Leg) -> f64 {
    leg.ios as f64 / (leg.user_s + leg.system_s).max(1e-9)
}

fn nanos_an_io(leg: &Leg, seconds: f64) -> f64 {
    seconds * 1e9 / leg.ios.max(1) as f64
}

fn side(legs: Vec<Leg>) -> Option<Side> {
    let middle = |value: &dyn Fn(&Leg) -> f64| median(&legs.iter().map(value).collect::<Vec<_>>());
    Some(Side {
        ios_per_cpu_second: middle(&ios_per_cpu_second)?,
        user_ns: middle(&|leg| nanos_an_io(leg, leg.user_s))?,
        system_ns: middle(&|leg| nanos_an_io(leg, leg.system_s))?,
        legs,
    })
}

fn row(depth: u32, ours: Vec<Leg>, theirs: Vec<Leg>, bars: (f64, Option<f64>)) -> EngineRow {
    let ours = side(ours).unwrap_or(Side {
        ios_per_cpu_second: 0.0,
        user_ns: 0.0,
        system_ns: 0.0,
        legs: Vec::new(),
    });
    let fio = side(theirs);
    EngineRow {
        depth,
        ratio: fio
            .as_ref()
            .map(|fio| ours.ios_per_cpu_second / fio.ios_per_cpu_second),
        user_ratio: fio.as_ref().map(|fio| ours.user_ns / fio.user_ns),
        ours,
        fio,
        bar_ratio: bars.0,
        bar_user_ratio: bars.1,
        noops_per_cpu_second: 0.0,
    }
}

/// A file in the page cache that is in no directory: nothing can be left behind. Other processes reach it through this
/// one's descriptor.
struct CachedFile {
    file: File,
}

impl CachedFile {
    fn make(directory: &Path) -> Result<CachedFile, BenchError> {
        let made = || {
            let mut file = tempfile::tempfile_in(directory)?;
            // What was just written is in the page cache, and once it is on the disk nothing has to
            // be written back while a leg runs.
            file.write_all(&vec![0x5a; FILE_BYTES])?;
            file.sync_all()?;
            Ok(CachedFile { file })
        };
        made().map_err(|source| BenchError::File {
            directory: directory.to_owned(),
            source,
        })
    }

    fn path(&self) -> PathBuf {
        let (process, descriptor) = (std::process::id(), self.file.as_raw_fd());
        PathBuf::from(format!("/proc/{process}/fd/{descriptor}"))
    }

    /// The I/O path; refuses one that is no suitable reference.
    fn path_of_ios(&self, directory: &Path) -> Result<String, BenchError> {
        let path = open_cached(&self.path(), 1)?.describe().to_owned();
        if !path.starts_with("io_uring, ") {
            return Err(BenchError::NoYardstick {
                directory: directory.to_owned(),
                path,
            });
        }
        Ok(path)
    }
}

fn open_cached(path: &Path, depth: u32) -> Result<RealTarget, OpenError> {
    let options = Options {
        buffered: true,
        depth,
        largest_io: IO_BYTES,
        ..Options::default()
    };
    open(path, &options)
}

/// One leg of ours, in this process: the file, the depth, and the time in milliseconds. Gives the
/// [`Leg`] in JSON.
///
/// # Errors
/// Where an argument is malformed, or the leg fails.
pub fn leg(arguments: &[String]) -> Result<String, BenchError> {
    let failed = |what: String| BenchError::Leg {
        program: "drivelab",
        what,
    };
    let [path, depth, millis] = arguments else {
        return Err(failed("a leg takes FILE DEPTH MILLISECONDS".to_owned()));
    };
    let number = |text: &String| {
        text.parse::<u32>()
            .map_err(|_| failed(format!("'{text}' is not a number")))
    };
    let (depth, millis) = (number(depth)?, number(millis)?);
    let (record, _) = cached_reads(Path::new(path), depth, u64::from(millis))?;
    let cpu = CpuTime::of_this_process();
    let leg = Leg {
        ios: record.ios(),
        user_s: cpu.user.as_secs_f64(),
        system_s: cpu.system.as_secs_f64(),
    };
    Ok(serde_json::to_string(&leg).expect("numbers under names"))
}

/// Reads of a file in the page cache, and how long they took.
fn cached_reads(
    path: &Path,
    depth: u32,
    millis: u64,
) -> Result<(PhaseRecord, Duration), BenchError> {
    let failed = |what: String| BenchError::Leg {
        program: "drivelab",
        what,
    };
    let mut target = open_cached(path, depth)?;
    let span = Span::first(target.info().capacity);
    let job = Job::closed("reads", Op::Read, Order::Random, span, IO_BYTES, depth);
    let stop = Stop::after_time(Duration::from_millis(millis));
    let work = Workload::single(job, stop, 1);
    let record =
        run(&mut target, "leg", &work, &mut Unwatched).map_err(|why| failed(why.to_string()))?;
    if record.errors() > 0 {
        return Err(failed(format!("{} reads failed", record.errors())));
    }
    let took = record.took;
    Ok((record, took))
}

fn our_leg(file: &CachedFile, depth: u32, time: std::time::Duration) -> Result<Leg, BenchError> {
    let failed = |what: String| BenchError::Leg {
        program: "drivelab",
        what,
    };
    let program = std::env::current_exe().map_err(|e| failed(e.to_string()))?;
    let mut command = Command::new(program);
    command
        .args(["develop", "bench", "engine-leg", "--"])
        .arg(file.path())
        .args([depth.to_string(), time.as_millis().to_string()]);
    let output = output(command).map_err(&failed)?;
    serde_json::from_str(output.trim()).map_err(|e| failed(format!("{e} in '{output}'")))
}

fn fio_version() -> Option<String> {
    let output = Command::new("fio").arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

fn fio_leg(file: &CachedFile, depth: u32, time: std::time::Duration) -> Result<Leg, BenchError> {
    // An fio that does not know `nonvectored` yet has one way for all.
    run_fio(file, depth, time, &["--nonvectored=1"]).or_else(|_| run_fio(file, depth, time, &[]))
}

fn run_fio(
    file: &CachedFile,
    depth: u32,
    time: std::time::Duration,
    more: &[&str],
) -> Result<Leg, BenchError> {
    let mut command = Command::new("fio");
    command
        .args(["--name=reads", "--rw=randread", "--bs=4k", "--direct=0"])
        .args(["--ioengine=io_uring", "--fixedbufs=1", "--registerfiles=1"])
        .args(["--norandommap=1", "--randrepeat=1", "--time_based=1"])
        .arg(format!("--filename={}", file.path().display()))
        .arg(format!("--size={FILE_BYTES}"))
        .arg(format!("--runtime={}ms", time.as_millis()))
        .arg(format!("--iodepth={depth}"))
        .arg(format!("--iodepth_batch_submit={depth}"))
        .arg("--iodepth_batch_complete_min=1")
        .arg(format!("--iodepth_batch_complete_max={depth}"))
        .arg("--output-format=json")
        .args(more);
    let failed = |what: String| BenchError::Leg {
        program: "fio",
        what,
    };
    let output = output(command).map_err(&failed)?;
    leg_of_fio(&output).ok_or_else(|| failed(format!("no figures in '{output}'")))
}

/// fio's JSON, before which it may print notes.
fn leg_of_fio(output: &str) -> Option<Leg> {
    let json = &output[output.find('{')?..];
    let report: serde_json::Value = serde_json::from_str(json).ok()?;
    let job = report.get("jobs")?.get(0)?;
    let seconds = job.get("job_runtime")?.as_f64()? / 1e3;
    let share = |name| Some(job.get(name)?.as_f64()? / 100.0);
    Some(Leg {
        ios: job.get("read")?.get("total_ios")?.as_u64()?,
        user_s: share("usr_cpu")? * seconds,
        system_s: share("sys_cpu")? * seconds,
    })
}

/// Runs a program to its end: its output, or how it failed.
fn output(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: {}", output.status, said.trim()))
}

/// The benchmark for people.
pub fn text(bench: &EngineBench) -> String {
    let mut out = String::new();
    // Writing to memory cannot fail.
    let _ = write_bench(&mut out, bench);
    out
}

fn write_bench(f: &mut String, bench: &EngineBench) -> fmt::Result {
    writeln!(
        f,
        "4K random reads of a 4 MiB file in the page cache, {} s a leg, medians of {}",
        bench.seconds, bench.pairs
    )?;
    writeln!(f, "drivelab: {}", bench.path)?;
    writeln!(
        f,
        "{:<12} {:>18} {:>14} {:>14} {:>20}",
        "", "M I/Os/CPU-second", "user ns/I/O", "system ns/I/O", "M no-ops/CPU-second"
    )?;
    for row in &bench.rows {
        write_side(f, &row.ours, &format!("QD{} drivelab", row.depth))?;
        writeln!(f, " {:>20.2}", row.noops_per_cpu_second / 1e6)?;
        if let Some(fio) = &row.fio {
            write_side(f, fio, &format!("QD{} fio", row.depth))?;
            writeln!(f)?;
            write_ratios(f, row)?;
        }
    }
    write_noise(f, &bench.noise)?;
    match &bench.fio {
        Some(version) => writeln!(f, "compared with {version}"),
        None => writeln!(f, "fio is not installed: nothing to compare with"),
    }
}

fn write_noise(f: &mut String, noise: &HostNoise) -> fmt::Result {
    writeln!(
        f,
        "{:<26} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "this computer, us", "median", "p99", "p99.9", "p99.99", "longest"
    )?;
    let mut line = |name: &str, of: &Jitter| {
        writeln!(
            f,
            "{name:<26} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>9.2}",
            of.median_us, of.p99_us, of.p99_9_us, of.p99_99_us, of.longest_us
        )
    };
    line("woken later than asked", &noise.wake_up)?;
    line("a read from memory takes", &noise.completion)
}

fn write_side(f: &mut String, side: &Side, name: &str) -> fmt::Result {
    write!(
        f,
        "{name:<13} {:>17.3} {:>14.1} {:>14.1}",
        side.ios_per_cpu_second / 1e6,
        side.user_ns,
        side.system_ns
    )
}

fn write_ratios(f: &mut String, row: &EngineRow) -> fmt::Result {
    let (Some(ratio), Some(user)) = (row.ratio, row.user_ratio) else {
        return Ok(());
    };
    let met = |yes: bool| if yes { "met" } else { "missed" };
    let (bar, bar_met) = (row.bar_ratio, met(ratio >= row.bar_ratio));
    write!(
        f,
        "QD{:<3} ratio    {ratio:>17.2} {user:>14.2}   bars: at least {bar} x ({bar_met})",
        row.depth
    )?;
    match row.bar_user_ratio {
        Some(bar) => writeln!(f, ", user at most {bar} x ({})", met(user <= bar)),
        None => writeln!(f),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(ios: u64, user_s: f64, system_s: f64) -> Leg {
        Leg {
            ios,
            user_s,
            system_s,
        }
    }

    #[test]
    fn fios_own_report_is_read() {
        let text = r#"note: a line before
            {"fio version": "fio-3.33", "jobs": [{"jobname": "reads", "job_runtime": 10000,
            "usr_cpu": 12.5, "sys_cpu": 50.0, "read": {"total_ios": 8000000}}]}"#;
        assert_eq!(leg_of_fio(text), Some(leg(8_000_000, 1.25, 5.0)));
        assert_eq!(leg_of_fio("{}"), None);
        assert_eq!(leg_of_fio(""), None);
    }

    #[test]
    fn medians_are_compared_and_the_bars_judged() {
        let ours = vec![
            leg(2_000, 0.1, 0.9),
            leg(8_000, 0.5, 1.5),
            leg(3_000, 0.2, 0.8),
        ];
        let theirs = vec![
            leg(2_000, 0.5, 0.5),
            leg(1_000, 0.4, 0.6),
            leg(2_000, 0.6, 0.4),
        ];
        let row = row(32, ours, theirs, (1.3, Some(0.25)));
        let close = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-9);
        // 2,000, 4,000 and 3,000 a CPU-second against 2,000, 1,000 and 2,000.
        assert!(close(row.ratio, 1.5), "{row:?}");
        // 50, 62.5 and 66.7 us against 250, 400 and 300.
        assert!(close(row.user_ratio, 62.5 / 300.0), "{row:?}");
        let bench = EngineBench {
            schema: ENGINE_BENCH_SCHEMA,
            directory: PathBuf::from("here"),
            seconds: 10.0,
            pairs: 3,
            path: "io_uring, buffered".to_owned(),
            fio: Some("fio-3.33".to_owned()),
            rows: vec![row],
            noise: HostNoise::default(),
        };
        let text = super::text(&bench);
        assert!(
            text.contains("at least 1.3 x (met), user at most 0.25 x (met)"),
            "{text}"
        );
    }

    #[test]
    fn without_fio_ours_stand_alone() {
        let row = row(1, vec![leg(1_000, 0.5, 0.5)], Vec::new(), (1.25, None));
        assert_eq!((row.ratio, row.user_ratio, row.fio), (None, None, None));
        assert!((row.ours.ios_per_cpu_second - 1_000.0).abs() < 1e-9);
    }

    #[test]
    fn a_leg_is_told_by_its_arguments_and_gives_its_figures() {
        let file = CachedFile::make(&std::env::temp_dir()).unwrap();
        let path = file.path().display().to_string();
        let arguments = |depth: &str| [path.clone(), depth.to_owned(), "1".to_owned()];
        let text = super::leg(&arguments("4")).unwrap();
        assert!(
            serde_json::from_str::<Leg>(&text).unwrap().ios > 0,
            "{text}"
        );
        let error = super::leg(&arguments("many")).unwrap_err().to_string();
        assert!(error.contains("'many' is not a number"), "{error}");
    }

    #[test]
    fn a_file_in_memory_is_no_yardstick() {
        let place = Path::new("/dev/shm");
        let Ok(file) = CachedFile::make(place) else {
            eprintln!("skipped: a_file_in_memory_is_no_yardstick: /dev/shm takes no files");
            return;
        };
        match file.path_of_ios(place) {
            Err(error @ BenchError::NoYardstick { .. }) => {
                assert!(error.to_string().contains("ext4 or xfs"), "{error}");
            }
            Err(error) => panic!("{error}"),
            // A later kernel may begin such reads without blocking: then it is one.
            Ok(path) => assert!(path.starts_with("io_uring, "), "{path}"),
        }
    }
}
