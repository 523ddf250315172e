//! A host file measured on this computer: its processor time per I/O, its interruptions, its number of processors. A
//! modelled drive then runs on the reader's own machine: `model:NAME?host=./mine.toml`.
//!
//! Reads of a test file that bypass the page cache take the whole path: block layer, driver, interrupt, wake-up. The
//! processor time of a read at a depth of 32, where nothing sleeps, is split into before and after the drive as for the
//! hosts of the catalogue (46 to 54 of 100); the excess of a lone read is the wake-up. What cannot be measured without
//! a drive in between (sleep states, power saving of links, queues) is taken from a current Linux computer.

use std::io::Write as _;
use std::path::Path;

use base::io::Op;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::target::Target as _;
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};
use results::benchmarks::HostNoise;
use toml_edit::{DocumentMut, Item, Value};
use uring::floor::CpuTime;
use uring::open::{Options, open};

use crate::engine::{BenchError, host_noise};

/// Bytes of the test file.
const FILE_BYTES: usize = 64 << 20;
/// How long each is measured.
const TIME: Duration = Duration::from_secs(2);
/// Of the processor time of an I/O, the part before the drive has it: 2.5 of 5.5 us on AHCI (catalog/hosts).
const BEFORE: f64 = 0.46;
/// The host for everything that is not measured.
const LIKE: &str = "linux-uring";

/// What the processor does for an I/O of 4 KiB, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessorTime {
    /// One read at a time.
    pub lone_us: f64,
    /// 32 in flight.
    pub deep_us: f64,
}

/// Measures this computer, with a test file in a folder, and gives the text of its file.
///
/// # Errors
/// Where no test file can be made there or it cannot be read without the page cache.
pub fn measured(title: &str, directory: &Path) -> Result<String, BenchError> {
    let noise = host_noise(directory, std::time::Duration::from_secs(2))?;
    let time = processor_time(directory)?;
    Ok(text(title, &noise, time))
}

fn processor_time(directory: &Path) -> Result<ProcessorTime, BenchError> {
    let made = || {
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(&vec![0x5a; FILE_BYTES])?;
        file.as_file().sync_all()?;
        Ok(file)
    };
    let file = made().map_err(|source| BenchError::File {
        directory: directory.to_owned(),
        source,
    })?;
    Ok(ProcessorTime {
        lone_us: an_io(file.path(), 1)?,
        deep_us: an_io(file.path(), 32)?,
    })
}

/// Processor time of a read, in microseconds.
fn an_io(path: &Path, depth: u32) -> Result<f64, BenchError> {
    let failed = |what: String| BenchError::Leg {
        program: "drivelab",
        what,
    };
    let block = Bytes::kib(4);
    let options = Options {
        depth,
        largest_io: block,
        ..Options::default()
    };
    let mut target = open(path, &options)?;
    let span = Span::first(target.info().capacity);
    let job = Job::closed("reads", Op::Read, Order::Random, span, block, depth);
    let stop = Stop::after_time(TIME);
    let before = CpuTime::of_this_process();
    let record = run(
        &mut target,
        "reads",
        &Workload::single(job, stop, 1),
        &mut Unwatched,
    )
    .map_err(|why| failed(why.to_string()))?;
    let after = CpuTime::of_this_process();
    if record.ios() == 0 || record.errors() > 0 {
        return Err(failed("the test file could not be read".to_owned()));
    }
    let used = |time: CpuTime| time.user.as_secs_f64() + time.system.as_secs_f64();
    Ok((used(after) - used(before)) * 1e6 / record.ios() as f64)
}

/// The host file: measured values, and those of a current Linux computer for the rest.
fn text(title: &str, noise: &HostNoise, time: ProcessorTime) -> String {
    let like = sim::catalogue::host_text(LIKE).unwrap_or_default();
    // A test keeps the catalogue's own file readable.
    let mut document: DocumentMut = like.parse().unwrap_or_default();
    document["host"]["title"] = toml_edit::value(title);
    put_noise(&mut document, noise);
    put_time(&mut document, time);
    let comment = "# This computer, as `drivelab new NAME --kind host` measured it.";
    let body = document.to_string();
    let body = body.split_once('\n').map_or("", |(_, rest)| rest);
    format!("{comment}\n{body}")
}

/// Puts a measured value, and how it was measured, in the place of the catalogue's.
fn put(document: &mut DocumentMut, section: &str, key: &str, value: impl Into<Value>, why: &str) {
    let place = document
        .get_mut(section)
        .and_then(|table| table.get_mut(key));
    let Some(sourced) = place.and_then(Item::as_inline_table_mut) else {
        return;
    };
    sourced.insert("value", value.into());
    sourced.insert("source", "estimated".into());
    sourced.insert("why", why.into());
}

/// The number of processors, and their interruptions where there were any.
fn put_noise(document: &mut DocumentMut, noise: &HostNoise) {
    let count = i64::try_from(noise.processors).unwrap_or(1);
    let why = "what this system has for a program";
    put(document, "processors", "count", count, why);
    for (name, of) in [("short", &noise.short), ("long", &noise.long)] {
        if of.n > 0 {
            let why = format!(
                "measured on this computer: {} {name} interruptions of reads from its page cache",
                of.n
            );
            let (gap, length) = (rounded(of.gap_s, 6), rounded(of.length_us, 2));
            put(document, "noise", &format!("{name}_gap_s"), gap, &why);
            put(document, "noise", &format!("{name}_us"), length, &why);
        }
    }
}

/// The processor time of an I/O, before and after the drive has it, and that of a wake-up.
fn put_time(document: &mut DocumentMut, time: ProcessorTime) {
    let reads = "reads of 4 KiB of a test file past the page cache, on this computer";
    let deep = format!(
        "46 of 100 of {:.2} us of processor time, 32 in flight: {reads}",
        time.deep_us
    );
    let rest = format!("the rest of {:.2} us: {reads}", time.deep_us);
    let lone = format!(
        "what a lone one takes more, {:.2} us in all: {reads}",
        time.lone_us
    );
    let before = rounded(BEFORE * time.deep_us, 2);
    let after = rounded((1.0 - BEFORE) * time.deep_us, 2);
    let wake = rounded((time.lone_us - time.deep_us).max(0.0), 2);
    for driver in ["ahci", "nvme"] {
        put(document, driver, "before_us", before, &deep);
        put(document, driver, "after_us", after, &rest);
        put(document, driver, "wake_us", wake, &lone);
    }
}

fn rounded(value: f64, places: i32) -> f64 {
    let scale = 10_f64.powi(places);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::benchmarks::Interruption;
    use sim::catalogue::{ModelOptions, open};

    #[test]
    fn a_measured_host_is_one_that_a_modelled_drive_can_stand_on() {
        let noise = HostNoise {
            processors: 3,
            short: Interruption {
                n: 5,
                gap_s: 0.004,
                length_us: 2.5,
            },
            ..HostNoise::default()
        };
        let time = ProcessorTime {
            lone_us: 9.0,
            deep_us: 5.0,
        };
        let text = text("My \"host\"", &noise, time);
        for expected in [
            "value = 3,",
            "before_us = { value = 2.3,",
            "wake_us = { value = 4.0,",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, text).unwrap();
        let options = ModelOptions {
            host: Some(path.to_str().unwrap().to_owned()),
            ..ModelOptions::default()
        };
        for drive in ["samsung-840-evo-120gb", "wd-black-sn770-1tb"] {
            assert!(
                open(drive, &options).is_ok(),
                "{:?}",
                open(drive, &options).err()
            );
        }
    }
}
