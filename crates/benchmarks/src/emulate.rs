//! `drivelab bench emulate`: what serving a modelled drive costs, and how late its replies leave.
//!
//! Two floors stand beside the figures. A drive that answers at once shows what the way itself takes, read through our
//! server and through nbdkit's memory plugin by the same client, in turns. And a thread that only sleeps shows how
//! late this machine wakes anybody up: no reply can leave earlier than its process is awake.

use std::fmt::{self, Write as _};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base::record::Latencies;
use base::time::{Duration as Span, Instant};
use emulate::floor::{self, Floor};
use results::benchmarks::{EMULATE_BENCH_SCHEMA, EmulateBench, LateRow};
use stats::median;
use uring::clock::Clock;

use crate::error::BenchmarkError;

/// Legs of each kind.
const LEGS: u32 = 3;
/// Drives whose replies are timed: 80 us, 90 us and 15 ms a read.
const DRIVES: [(&str, u64); 3] = [
    ("model:samsung-840-evo-250gb?state=full-in-order", 20_000),
    ("model:solidigm-670p-1tb?state=full-in-order", 20_000),
    ("model:wd-red-wd30efrx-3tb", 300),
];
/// Bytes of nbdkit's memory, all of which are read.
const MEMORY: u64 = 64 << 20;
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
    let half = Span::from_nanos(leg.as_nanos() as u64 / 2);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for number in 1..=LEGS {
        say(&format!("the way itself, leg {number} of {LEGS}"));
        ours.push(floor::measured(half).map_err(failed)?);
        theirs.extend(nbdkit(half).map_err(failed)?);
    }
    say("sleeping");
    let timer = woken_up();
    let mut late = Vec::new();
    for (drive, reads) in DRIVES {
        say(&format!("{drive}: {reads} reads"));
        let lateness = floor::lateness_of(drive, reads).map_err(failed)?;
        late.push(LateRow {
            drive: drive.to_owned(),
            replies: lateness.count(),
            p50_us: us(lateness.percentile(50.0)),
            p99_us: us(lateness.percentile(99.0)),
        });
    }
    let reads_us: Vec<f64> = ours.iter().map(|leg| us(Some(leg.latency))).collect();
    let rates = |legs: &[Floor]| {
        let rates: Vec<f64> = legs.iter().map(|leg| leg.iops).collect();
        median(&rates)
    };
    Ok(EmulateBench {
        schema: EMULATE_BENCH_SCHEMA,
        legs: LEGS,
        read_us: median(&reads_us).unwrap_or(f64::NAN),
        reads_per_second: rates(&ours).unwrap_or(f64::NAN),
        nbdkit_reads_per_second: rates(&theirs),
        timer_p50_us: us(timer.percentile(50.0)),
        timer_p99_us: us(timer.percentile(99.0)),
        late,
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

/// A leg over nbdkit's memory plugin; nothing where there is no nbdkit.
fn nbdkit(half: Span) -> io::Result<Option<Floor>> {
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
    let floor = floor::read_from(connected(&socket)?, half, MEMORY)?;
    drop(server);
    Ok(Some(floor))
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

/// How much later than asked a sleeping thread wakes up.
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
        "a drive that answers at once: {:.1} us a 4 KiB read, {:.0} a second with 32 in flight",
        bench.read_us, bench.reads_per_second
    )?;
    match bench.nbdkit_reads_per_second {
        Some(theirs) => writeln!(
            f,
            "nbdkit's memory plugin: {theirs:.0} a second; ours is {:.2} of it",
            bench.reads_per_second / theirs
        )?,
        None => writeln!(f, "nbdkit is missing: nothing to stand beside")?,
    }
    writeln!(
        f,
        "a sleeping thread wakes up late by {:.1} us (p50), {:.1} us (p99)",
        bench.timer_p50_us, bench.timer_p99_us
    )?;
    for row in &bench.late {
        writeln!(
            f,
            "{}: {} replies late by {:.1} us (p50), {:.1} us (p99)",
            row.drive, row.replies, row.p50_us, row.p99_us
        )?;
    }
    Ok(())
}
