//! `drivelab develop bench emulate`: what serving a modelled drive costs, and how late its replies leave.
//!
//! The figures are accompanied by two floors. Drives that only wait show the overhead and the limits of the transport,
//! read through our server and through nbdkit's memory plugin by the same client, alternately. And a thread that only
//! sleeps shows this machine's wake-up delay: no reply can leave before its process is awake.
//!
//! Our server's data are bytes in a file, nbdkit's are zeros of memory that was never written: what that spares is
//! nbdkit's gain. The modelled drives are read where nothing was written, as by a benchmark on a new drive.

use std::fmt::{self, Write as _};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base::record::Latencies;
use base::time::{Duration as Span, Instant};
use emulate::floor::{self, Floor, Load};
use results::benchmarks::{EMULATE_BENCH_SCHEMA, EmulateBench, LateRow};
use stats::median;
use uring::clock::Clock;

use crate::error::BenchmarkError;

/// Legs of each kind.
const LEGS: u32 = 3;
/// Drives whose replies are timed, which take 80 us, 90 us and 15 ms a short read; how many of these, and of long ones.
const DRIVES: [(&str, u64, u64); 3] = [
    (
        "model:samsung-840-evo-250gb?state=full-in-order",
        20_000,
        10_000,
    ),
    (
        "model:solidigm-670p-1tb?state=full-in-order",
        20_000,
        30_000,
    ),
    ("model:wd-red-wd30efrx-3tb", 300, 3_000),
];
/// Bytes of nbdkit's memory, all of which are read.
const MEMORY: u64 = 16 << 20;
/// How often a thread is put to sleep, and for how long.
const SLEEPS: u32 = 5_000;
const SLEEP: Span = Span::from_micros(100);

/// Runs the benchmark; takes half a minute with legs of two seconds.
///
/// # Errors
/// No sockets, no threads; nbdkit's absence is none.
pub fn bench_emulate(
    leg: Duration,
    say: &mut dyn FnMut(&str),
) -> Result<EmulateBench, BenchmarkError> {
    let failed = |error: io::Error| BenchmarkError::Failed(error.to_string());
    let third = Span::from_nanos(leg.as_nanos() as u64 / 3);
    let (mut ours, mut theirs, mut theirs_long) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1..=LEGS {
        say(&format!("the way itself, leg {number} of {LEGS}"));
        ours.push(floor::measured(third).map_err(failed)?);
        theirs.extend(nbdkit(Load::SHORT, third).map_err(failed)?);
        theirs_long.extend(nbdkit(Load::LONG, third).map_err(failed)?);
    }
    say("sleeping");
    let timer = woken_up();
    let mut late = Vec::new();
    for (drive, short, long) in DRIVES {
        for (load, reads) in [(Load::ALONE, short), (Load::LONG, long)] {
            say(&format!("{drive}: {reads} reads of {}", load.block));
            late.push(late_row(drive, load, reads).map_err(failed)?);
        }
    }
    let of = |figure: fn(&Floor) -> f64| {
        let figures: Vec<f64> = ours.iter().map(figure).collect();
        median(&figures).unwrap_or(f64::NAN)
    };
    let long = Load::LONG.block.get() as f64;
    Ok(EmulateBench {
        schema: EMULATE_BENCH_SCHEMA,
        legs: LEGS,
        read_us: of(|leg| us(Some(leg.latency))),
        reads_per_second: of(|leg| leg.iops),
        nbdkit_reads_per_second: median(&theirs),
        long_bytes_per_second: of(|leg| leg.bytes_per_second),
        nbdkit_long_bytes_per_second: median(&theirs_long).map(|rate| rate * long),
        timer_p50_us: us(timer.percentile(50.0)),
        timer_p99_us: us(timer.percentile(99.0)),
        late,
    })
}

fn late_row(drive: &str, load: Load, reads: u64) -> io::Result<LateRow> {
    let lateness = floor::lateness_of(drive, load, reads)?;
    Ok(LateRow {
        drive: drive.to_owned(),
        read_bytes: load.block.get(),
        in_flight: load.in_flight,
        replies: lateness.count(),
        p50_us: us(lateness.percentile(50.0)),
        p99_us: us(lateness.percentile(99.0)),
    })
}

fn us(time: Option<Span>) -> f64 {
    time.map_or(f64::NAN, Span::as_micros_f64)
}

/// A server that is ended when the leg is over.
struct Nbdkit(Child);

impl Drop for Nbdkit {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Reads a second of nbdkit's memory plugin; nothing where there is no nbdkit.
fn nbdkit(load: Load, time: Span) -> io::Result<Option<f64>> {
    let place = tempfile::tempdir()?;
    let socket = place.path().join("socket");
    let mut command = Command::new("nbdkit");
    command.args(["--foreground", "--unix"]).arg(&socket);
    command.args(["memory", &MEMORY.to_string()]);
    let server = match command.stderr(Stdio::null()).spawn() {
        Ok(child) => Nbdkit(child),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let rate = floor::rate(connected(&socket)?, load, time)?;
    drop(server);
    Ok(Some(rate))
}

fn connected(socket: &Path) -> io::Result<UnixStream> {
    let clock = Clock::starting_now();
    let patience = Instant::ZERO + Span::from_secs(5);
    loop {
        match UnixStream::connect(socket) {
            Ok(stream) => return Ok(stream),
            Err(error) if clock.now() > patience => return Err(error),
            Err(_) => clock.sleep_until(clock.now() + Span::from_millis(5)),
        }
    }
}

/// Wake-up delay of a sleeping thread.
fn woken_up() -> Latencies {
    let clock = Clock::starting_now();
    let mut late = Latencies::default();
    for _ in 0..SLEEPS {
        let until = clock.now() + SLEEP;
        clock.sleep_until(until);
        late.keep(clock.now().since(until));
    }
    late
}

/// The benchmark for people.
pub fn text(bench: &EmulateBench) -> String {
    let mut out = String::new();
    // Writing to memory cannot fail.
    let _ = write(&mut out, bench);
    out
}

fn write(f: &mut String, bench: &EmulateBench) -> fmt::Result {
    writeln!(
        f,
        "one in flight: a 4 KiB read takes {:.1} us longer than its drive (of 100 us)",
        bench.read_us
    )?;
    let (short, long) = (bench.reads_per_second, bench.long_bytes_per_second / 1e6);
    let theirs = bench.nbdkit_reads_per_second;
    let theirs_long = bench.nbdkit_long_bytes_per_second.map(|rate| rate / 1e6);
    for (what, unit, ours, theirs) in [
        ("4 KiB reads, 32 in flight", "a second", short, theirs),
        ("128 KiB reads, 8 in flight", "MB/s", long, theirs_long),
    ] {
        write!(f, "a drive that answers at once, {what}: {ours:.0} {unit}")?;
        match theirs {
            Some(theirs) => writeln!(
                f,
                "; nbdkit's memory plugin: {theirs:.0}; ours is {:.2} of it",
                ours / theirs
            )?,
            None => writeln!(f, "; nbdkit is missing: nothing to stand beside")?,
        }
    }
    writeln!(
        f,
        "a sleeping thread wakes up late by {:.1} us (p50), {:.1} us (p99)",
        bench.timer_p50_us, bench.timer_p99_us
    )?;
    for row in &bench.late {
        writeln!(
            f,
            "{}, {} KiB, {} in flight: {} replies late by {:.1} us (p50), {:.1} us (p99)",
            row.drive,
            row.read_bytes >> 10,
            row.in_flight,
            row.replies,
            row.p50_us,
            row.p99_us
        )?;
    }
    Ok(())
}
