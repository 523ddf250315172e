//! Files of jobs as parts of one target.
//!
//! fio opens a file for each name; here a run has one target, and its files lie on it one behind the other, in the
//! order in which the jobs name them. A single file is the whole target, from its first byte.

use std::path::{Path, PathBuf};

use base::size::Bytes;

use crate::error::FioError;
use crate::job::Job;
use crate::script::Script;
use crate::units::Amount;

/// A part of the target that one copy of a job works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub len: u64,
}

/// What a copy of a job works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the job.
    pub job: usize,
    /// Number of the copy, from 0.
    pub copy: u32,
    /// A region of each of its files.
    pub regions: Vec<Region>,
    /// Bytes to move, once; all regions together where nothing else is said.
    pub bytes: u64,
    /// What it does, where a log says it.
    pub script: Option<Script>,
}

fn names(job: &Job, copy: u32) -> Vec<String> {
    let under = |name: &String| match (&job.directory, name.starts_with('/')) {
        (Some(directory), false) => format!("{directory}/{name}"),
        _ => name.clone(),
    };
    if !job.files.is_empty() {
        return job.files.iter().map(under).collect();
    }
    let own = |n| format!("{}.{copy}.{n}", job.name);
    (0..job.file_count).map(|n| under(&own(n))).collect()
}

/// The target that jobs name themselves: a device or file that is there, or the directory in which a file would be
/// made.
///
/// # Errors
/// Where they name several.
pub fn target_of(jobs: &[Job]) -> Result<String, FioError> {
    let mut targets: Vec<String> = Vec::new();
    for name in jobs.iter().flat_map(|job| names(job, 0)) {
        let path = Path::new(&name);
        let target = match path.exists() || path.starts_with("/dev") {
            true => path.to_owned(),
            false => match path.parent() {
                Some(parent) if parent != Path::new("") => parent.to_owned(),
                _ => PathBuf::from("."),
            },
        };
        let target = target.display().to_string();
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    match &targets[..] {
        [one] if one.contains('/') || one == "." => Ok(one.clone()),
        [one] => Ok(format!("./{one}")),
        several => Err(FioError::Target(format!(
            "the jobs work on {}: a run has one target; name it by --target, and their files lie on it one behind the other",
            several.join(", ")
        ))),
    }
}

/// Lays the files of all jobs out on a target of `capacity` bytes; `is_empty` where it is only made for them.
///
/// # Errors
/// Sizes that are missing, or do not fit.
pub fn layout(
    jobs: &[Job],
    capacity: Bytes,
    is_empty: bool,
) -> Result<(Vec<Place>, u64), FioError> {
    let mut files: Vec<(String, u64)> = Vec::new();
    for job in jobs {
        for copy in 0..job.copies {
            for name in names(job, copy) {
                let needs = extent(job, copy)?;
                match files.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, bytes)) => *bytes = (*bytes).max(needs),
                    None => files.push((name, needs)),
                }
            }
        }
    }
    let single = files.len() == 1;
    let whole = capacity.get();
    let mut at = 0_u64;
    let mut starts = Vec::new();
    for (name, bytes) in &files {
        starts.push((name.clone(), at));
        if *bytes == 0 && (is_empty || !single) {
            return Err(FioError::Target(format!(
                "the file {name} has no size: give size=... in bytes"
            )));
        }
        at = at.saturating_add(bytes.next_multiple_of(1 << 20));
    }
    let extent = at.max(1);
    if extent > whole && !single {
        return Err(FioError::Target(format!(
            "the files of all jobs take {}, and the target has {capacity}",
            Bytes::new(extent)
        )));
    }
    let mut places = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        for copy in 0..job.copies {
            let of_file = |name: String| {
                starts
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map_or(0, |(_, at)| *at)
            };
            let bases: Vec<u64> = names(job, copy).into_iter().map(of_file).collect();
            let room = if single && !is_empty { whole } else { u64::MAX };
            places.push(place(job, number, copy, &bases, room)?);
        }
    }
    Ok((places, extent))
}

/// Bytes of each file that a copy needs; 0 where that depends on the target.
fn extent(job: &Job, copy: u32) -> Result<u64, FioError> {
    let count = names(job, copy).len() as u64;
    let bytes = |amount: Amount| match amount {
        Amount::Bytes(bytes) => bytes,
        Amount::Percent(_) => 0,
    };
    let size = job.size.map_or(0, bytes) / count.max(1);
    let size = job.file_size.unwrap_or(size);
    if size == 0 {
        return Ok(0);
    }
    let further = bytes(job.offset_increment).saturating_mul(u64::from(copy));
    size.checked_add(bytes(job.offset))
        .and_then(|end| end.checked_add(further))
        .ok_or_else(|| FioError::job(&job.name, "size and offset are too large"))
}

fn place(job: &Job, number: usize, copy: u32, bases: &[u64], room: u64) -> Result<Place, FioError> {
    let share = |amount: Amount| match amount {
        Amount::Bytes(bytes) => Ok(bytes),
        Amount::Percent(_) if room == u64::MAX => Err(FioError::job(
            &job.name,
            "a share in per cent is of a target with one file that is there: give bytes",
        )),
        Amount::Percent(percent) => Ok((u128::from(room) * u128::from(percent) / 100) as u64),
    };
    let further = share(job.offset_increment)?.saturating_mul(u64::from(copy));
    let offset = share(job.offset)?.saturating_add(further);
    let align = match job.offset_align {
        0 => job.least(),
        align => align,
    };
    let offset = match job.offset {
        Amount::Percent(_) => offset - offset % align,
        Amount::Bytes(_) => offset,
    };
    let left = room.saturating_sub(offset);
    let each = match (job.size.map(share).transpose()?, job.file_size) {
        (Some(size), _) => size / bases.len().max(1) as u64,
        (None, Some(size)) => size,
        (None, None) => left,
    };
    let len = each.min(left).min(job.file_size.unwrap_or(u64::MAX));
    if len < job.largest() {
        return Err(FioError::job(
            &job.name,
            format!(
                "its region has {} and an I/O {}: the size or the offset does not fit",
                Bytes::new(len),
                Bytes::new(job.largest())
            ),
        ));
    }
    let regions: Vec<Region> = bases
        .iter()
        .map(|base| Region {
            start: base + offset,
            len,
        })
        .collect();
    let all = len.saturating_mul(regions.len() as u64);
    Ok(Place {
        job: number,
        copy,
        bytes: job.io_size.map(share).transpose()?.unwrap_or(all),
        script: None,
        regions,
    })
}
