//! Replaying a log of I/Os as a job: read completely, then sent at its times.
//!
//! The times are those of the log, scaled by a factor; an I/O that is due before the queue has room is late, as in fio.
//! Any trace format of drivelab can be read, including fio's own.

use std::io::{BufRead, BufReader};
use std::sync::Arc;

use base::{Bytes, Duration, Io, Op, splitmix64};

use crate::error::FioError;
use crate::job::Job;
use crate::job::replay::{Replay, Script};
use crate::units::Amount;

/// Maximum number of I/Os in a log (256 MiB).
const MOST_IOS: usize = 2 << 20;

/// Reads a log.
///
/// # Errors
/// A malformed line, or too many I/Os.
pub fn read(from: impl BufRead, replay: &Replay) -> Result<Script, String> {
    let (reader, _) = traces::Reader::new(from, None).map_err(|why| why.to_string())?;
    let mut script = Vec::new();
    for traced in reader {
        let traced = traced.map_err(|why| why.to_string())?;
        let io = traced.io;
        if replay.skipped.contains(&io.op) {
            continue;
        }
        if script.len() >= MOST_IOS {
            return Err(format!("it has more than {MOST_IOS} I/Os"));
        }
        let offset = io.offset.get() / replay.scale;
        let offset = offset - offset % replay.align;
        let nanos = u128::from(traced.sent.at.as_nanos()) * 100 / u128::from(replay.speed_percent);
        let due = match replay.no_stall {
            true => Duration::ZERO,
            false => Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX / 2)),
        };
        let stamp = if io.op == Op::Write {
            splitmix64(script.len() as u64)
        } else {
            0
        };
        let offset = Bytes::new(offset);
        script.push((
            due,
            Io {
                offset,
                stamp,
                ..io
            },
        ));
    }
    match script.is_empty() {
        true => Err("it has no I/Os".to_owned()),
        false => Ok(Arc::new(script)),
    }
}

/// Jobs with their logs read: each gets the size of its logs, and writes if they do. The requirements of such a job are
/// known from here on, so this comes before the check of what may be overwritten.
///
/// # Errors
/// Logs that cannot be read.
pub fn with_logs(mut jobs: Vec<Job>) -> Result<Vec<Job>, FioError> {
    for job in &mut jobs {
        let Some(replay) = job.replay.as_mut().filter(|replay| !replay.is_read()) else {
            continue;
        };
        for path in &replay.files {
            let failed = |why: &dyn std::fmt::Display| {
                FioError::job(&job.name, format!("read_iolog: {path}: {why}"))
            };
            let file = std::fs::File::open(path).map_err(|why| failed(&why))?;
            let script = read(BufReader::new(file), replay).map_err(|why| failed(&why))?;
            replay.scripts.push(script);
        }
        fit(job);
    }
    Ok(jobs)
}

/// A job does what its logs do.
fn fit(job: &mut Job) {
    let scripts = job
        .replay
        .as_ref()
        .map_or(&[][..], |replay| &replay.scripts);
    let all = || {
        scripts
            .iter()
            .flat_map(|script| script.iter())
            .map(|(_, io)| io)
    };
    let end = all().map(|io| io.end().get()).max().unwrap_or(0);
    let largest = all().map(|io| io.len.get()).max().unwrap_or(0).max(512);
    let writes = all()
        .find(|io| matches!(io.op, Op::Write | Op::Trim))
        .map(|io| io.op);
    let reads = all().any(|io| io.op == Op::Read);
    job.kind.does = match (reads, writes) {
        (false, Some(op)) => (op, None),
        (_, write) => (Op::Read, write),
    };
    job.sizes = std::array::from_fn(|_| vec![(512, 1), (largest, 1)]);
    job.region.size = job
        .region
        .size
        .or(Some(Amount::Bytes(end.max(largest).next_multiple_of(4096))));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay() -> Replay {
        Replay {
            files: Vec::new(),
            no_stall: false,
            speed_percent: 50,
            scale: 2,
            align: 4096,
            skipped: vec![Op::Flush],
            scripts: Vec::new(),
        }
    }

    #[test]
    fn times_and_places_are_scaled_and_some_left_out() {
        let text = "fio version 3 iolog\n0 a add\n0 a open\n10 a read 16384 4096\n20 a sync 0 0\n30 a write 10240 512\n";
        let script = read(text.as_bytes(), &replay()).unwrap();
        let seen: Vec<_> = script
            .iter()
            .map(|(at, io)| (at.as_nanos(), io.op, io.offset.get()))
            .collect();
        assert_eq!(seen, [(20_000, Op::Read, 8192), (60_000, Op::Write, 4096)]);
    }

    #[test]
    fn a_log_without_io_is_refused() {
        let text = "fio version 3 iolog\n0 a add\n";
        assert_eq!(
            read(text.as_bytes(), &replay()),
            Err("it has no I/Os".to_owned())
        );
        assert!(read("what is this\n".as_bytes(), &replay()).is_err());
    }
}
