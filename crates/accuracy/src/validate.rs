//! `drivelab validate`: the disk model beside real disks.
//!
//! Each disk of a directory is modelled from parameters that were extracted from it, a trace of requests
//! is replayed on the model, and the response times are set beside those that were measured on the disk.
//! The loop is closed: one request at a time, the next one as long after the *simulated* end of this one
//! as it was after the real end. The drive works on between two requests (the rest of a write, reading
//! ahead). No value is fitted to a trace.
//!
//! A file that cannot be used takes nothing from the others: it is reported beside them.

use std::path::Path;

use crate::disks::MeasuredDisk;
use crate::trace::Measured;
use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{Outcome, Tag};
use base::time::{Duration, Instant};
use results::validation::{VALIDATION_SCHEMA, ValidatedDisk, Validation};
use sim::hdd::drive::Hdd;
use sim::hdd::extracted::file::DiskFile;
use sim::hdd::parameters::Parameters;
use sim::model::{Finished, Model};

use crate::error::AccuracyError;

/// Replays the trace of every disk of a directory; of a disk whose files make no sense it says why, with
/// file, line and key. All files are read before the first replay.
///
/// # Errors
/// Where the directory holds no disk, or none that can be used.
pub fn validate(directory: &Path) -> Result<Validation, AccuracyError> {
    let mut prepared = Vec::new();
    let mut refused = Vec::new();
    let mut left = crate::trace::MOST_REQUESTS;
    for found in crate::disks::find(directory)? {
        match found
            .map_err(AccuracyError::from)
            .and_then(|disk| prepare(disk, left))
        {
            Ok(disk) => {
                left -= disk.trace.len();
                prepared.push(disk);
            }
            Err(why) => refused.push(why),
        }
    }
    let mut disks = Vec::with_capacity(prepared.len());
    for disk in prepared {
        match compare(disk) {
            Ok(validated) => disks.push(validated),
            Err(why) => refused.push(why),
        }
    }
    if disks.is_empty() && !refused.is_empty() {
        return Err(refused.swap_remove(0));
    }
    Ok(Validation {
        schema: VALIDATION_SCHEMA,
        disks,
        unusable: refused.iter().map(ToString::to_string).collect(),
    })
}

/// A disk with everything read.
struct Prepared {
    disk: MeasuredDisk,
    parameters: Parameters,
    trace: Vec<Measured>,
}

/// Reads a disk's files; its trace may have `most` requests.
fn prepare(disk: MeasuredDisk, most: usize) -> Result<Prepared, AccuracyError> {
    let file = disk.parameters.display().to_string();
    let parameters = DiskFile::read(&disk.text, &file)?.parameters()?;
    let trace = crate::trace::read(&disk.trace, most)?;
    let outside = |request: &Measured| request.block + request.blocks > parameters.blocks;
    if let Some(request) = trace.iter().position(outside) {
        return Err(AccuracyError::Replay {
            path: disk.trace,
            request: request + 1,
            why: format!("ends behind the {} blocks of the disk", parameters.blocks),
        });
    }
    Ok(Prepared {
        disk,
        parameters,
        trace,
    })
}

fn compare(prepared: Prepared) -> Result<ValidatedDisk, AccuracyError> {
    let Prepared {
        disk,
        parameters,
        trace,
    } = prepared;
    let mut requests = 0;
    let validation = crate::validation::validate(&disk.name, &trace, |trace| {
        let mut drive = Hdd::new(parameters);
        replay(&mut drive, trace, &mut requests)
    });
    match validation {
        Ok(Some(validated)) => Ok(ValidatedDisk {
            disksim_demerit_ms: disk.disksim_rms_ms,
            ..validated
        }),
        Ok(None) | Err(NotServed) => Err(AccuracyError::Replay {
            path: disk.trace,
            request: requests,
            why: "is not served by the modelled disk".to_owned(),
        }),
    }
}

/// The drive did not serve a request.
struct NotServed;

/// Replays a trace; gives each response in milliseconds. `served` counts along.
fn replay(drive: &mut Hdd, trace: &[Measured], served: &mut usize) -> Result<Vec<f64>, NotServed> {
    let mut now = Instant::ZERO;
    let mut done: Vec<Finished> = Vec::new();
    let mut responses = Vec::with_capacity(trace.len());
    for request in trace {
        *served += 1;
        drive.start(now, Tag(0), &io_of(request));
        while done.is_empty() && drive.next().is_some() {
            drive.step(&mut done);
        }
        let end = match done.pop() {
            Some(finished) if finished.outcome == Outcome::Complete => finished.at,
            _ => return Err(NotServed),
        };
        responses.push(end.since(now).as_nanos() as f64 / 1e6);
        let think = Duration::from_nanos((request.think_ms * 1e6 + 0.5) as u64);
        now = end.saturating_add(think);
    }
    Ok(responses)
}

fn io_of(request: &Measured) -> Io {
    let bytes = |blocks: u64| Bytes::new(blocks * Bytes::SECTOR.get());
    let (offset, len) = (bytes(request.block), bytes(request.blocks));
    match request.op {
        Op::Write => Io::write(offset, len, 0),
        _ => Io::read(offset, len),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("data/disks")
    }

    #[test]
    fn the_model_comes_as_near_to_six_real_disks_as_their_parameters_allow() {
        let report = validate(&data()).unwrap();
        // What a model that reads the same files reaches (ms), and two per cent.
        let bars = [
            ("hp-c3323a", 0.289),
            ("ibm-18es-dnes-309170w", 0.136),
            ("quantum-atlas-10k", 0.159),
            ("quantum-atlas-iii", 0.378),
            ("seagate-barracuda-4lp-st32171w", 0.348),
            ("seagate-cheetah-9lp-st39102lw", 0.107),
        ];
        assert_eq!(report.disks.len(), bars.len());
        for (disk, (name, bar)) in report.disks.iter().zip(bars) {
            assert_eq!(disk.name, name);
            let demerit = disk.all.demerit_ms;
            assert!(demerit <= 1.02 * bar, "{name}: {demerit} above {bar}");
            assert_eq!(disk.classes.len(), 4);
        }
    }

    #[test]
    fn the_zones_hold_as_many_blocks_as_the_files_say() {
        for disk in crate::disks::find(&data()).unwrap() {
            let disk = disk.unwrap();
            let file = DiskFile::read(&disk.text, &disk.name).unwrap();
            let held = file.parameters().unwrap().blocks;
            assert_eq!(Some(held), file.layout_block_count, "{}", disk.name);
        }
    }

    #[test]
    fn a_file_that_makes_no_sense_takes_nothing_from_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let name = "quantum-atlas-iii";
        for ending in ["toml", "csv.gz"] {
            let file = format!("{name}.{ending}");
            std::fs::copy(data().join(&file), folder.path().join(&file)).unwrap();
        }
        let text = std::fs::read_to_string(data().join("hp-c3323a.toml")).unwrap();
        std::fs::write(folder.path().join("a.toml"), "name = \"without a trace\"\n").unwrap();
        std::fs::write(folder.path().join("z.toml"), format!("unknown = 1\n{text}")).unwrap();
        std::fs::write(
            folder.path().join("z.csv"),
            "op,lba_512,blocks,response_us,think_us\n",
        )
        .unwrap();
        let report = validate(folder.path()).unwrap();
        let names: Vec<&str> = report.disks.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, [name]);
        assert_eq!(report.unusable.len(), 2, "{:?}", report.unusable);
        assert!(
            report.unusable[0].contains("a.toml: no trace"),
            "{:?}",
            report.unusable
        );
        assert!(
            report.unusable[1].contains("z.toml:1: unknown"),
            "{:?}",
            report.unusable
        );
    }

    #[test]
    fn a_request_behind_the_end_is_named_before_anything_is_replayed() {
        let folder = tempfile::tempdir().unwrap();
        let from = data().join("hp-c3323a.toml");
        std::fs::copy(from, folder.path().join("hp.toml")).unwrap();
        let trace = "op,lba_512,blocks,response_us,think_us\nR,0,1,1000,0\nR,2056008,1,1000,0\n";
        std::fs::write(folder.path().join("hp.csv"), trace).unwrap();
        let error = validate(folder.path()).unwrap_err();
        assert_eq!(error.exit(), base::exit::Exit::Invalid);
        let line = error.to_string();
        let expected = "hp.csv: request 2 ends behind the 2056008 blocks of the disk";
        assert!(line.ends_with(expected), "{line}");
    }
}
