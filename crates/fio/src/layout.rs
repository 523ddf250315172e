//! Files of jobs as parts of one target.
//!
//! fio opens a file for each name; here a run has one target, and its files are laid out on it one after another, in
//! the order in which the jobs name them. A single file is the whole target, from its first byte.
//!
//! A percentage refers to a file: the existing one, or as large as earlier jobs have made it. The offset is rounded up
//! to a block, the size down. For `io_size` it refers to the job's size, not to the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::size::Bytes;

use crate::error::FioError;
use crate::job::Job;
use crate::job::replay::Script;
use crate::units::Amount;

/// A part of the target that one copy of a job works in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// First byte.
    pub start: u64,
    /// Bytes in which I/Os begin.
    pub len: u64,
    /// Where its file begins.
    pub file_start: u64,
    /// Where its file ends: an I/O that begins in the region may reach as far.
    pub file_end: u64,
}

impl Region {
    /// The end of the range that a job's I/Os can reach: blocks that do not divide the region extend beyond it.
    pub fn reach(&self, job: &Job) -> u64 {
        let over = match (job.least() == job.largest(), job.kind.steps.bytes) {
            (true, 0) => self.len.next_multiple_of(job.largest()),
            (true, _) => self.len.saturating_add(job.largest()),
            (false, _) => self.len,
        };
        self.start.saturating_add(over).min(self.file_end)
    }
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
    /// Bytes of a loop: all regions together, or the requested size if that is less.
    pub bytes: u64,
    /// Bytes to move in all, times the loops: `io_size`, or those of a loop.
    pub limit: u64,
    /// Its operations, if a log defines them.
    pub script: Option<Script>,
}

/// Files of all copies of all jobs: each is opened, and has a region.
const MOST_FILES: u64 = 1_000_000;

/// Refuses files that only take memory, before they have names.
fn few_enough(jobs: &[Job]) -> Result<(), FioError> {
    let files = |job: &Job| match job.files.names.len() as u64 {
        0 => u64::from(job.copies) * u64::from(job.files.count),
        named => u64::from(job.copies) * named,
    };
    let all = jobs.iter().map(files).fold(0, u64::saturating_add);
    match all > MOST_FILES {
        true => Err(FioError::Target(format!(
            "the copies of all jobs have {all} files (numjobs times nrfiles), and {MOST_FILES} are the most"
        ))),
        false => Ok(()),
    }
}

fn names(job: &Job, copy: u32) -> Vec<String> {
    let under = |name: &String| match (&job.files.directory, name.starts_with('/')) {
        (Some(directory), false) => format!("{directory}/{name}"),
        _ => name.clone(),
    };
    if !job.files.names.is_empty() {
        return job.files.names.iter().map(under).collect();
    }
    let own = |n| format!("{}.{copy}.{n}", job.name);
    (0..job.files.count).map(|n| under(&own(n))).collect()
}

/// The target that jobs name themselves: a device or file that is there, or the directory in which a file would be
/// made.
///
/// # Errors
/// Where they name several.
pub fn target_of(jobs: &[Job]) -> Result<String, FioError> {
    few_enough(jobs)?;
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

/// A file while the jobs are laid out.
struct File {
    name: String,
    /// Its current size, or as the jobs so far have made it.
    bytes: u64,
}

/// All copies of all jobs, with the job's number.
fn copies(jobs: &[Job]) -> impl Iterator<Item = (usize, &Job, u32)> {
    let all = jobs.iter().enumerate();
    all.flat_map(|(number, job)| (0..job.copies).map(move |copy| (number, job, copy)))
}

/// The names of all files, each once and in order of the jobs, and the numbers of those that each copy works on.
fn named(jobs: &[Job]) -> (Vec<String>, Vec<Vec<usize>>) {
    let mut numbers = BTreeMap::new();
    let mut number = |name: String| {
        let next = numbers.len();
        *numbers.entry(name).or_insert(next)
    };
    let owned = copies(jobs)
        .map(|(_, job, copy)| names(job, copy).into_iter().map(&mut number).collect())
        .collect();
    let mut all: Vec<(String, usize)> = numbers.into_iter().collect();
    all.sort_by_key(|(_, number)| *number);
    (all.into_iter().map(|(name, _)| name).collect(), owned)
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
    few_enough(jobs)?;
    let (all, owned) = named(jobs);
    // A single file is the target; the null engine has no file but what its jobs ask for.
    let is_there = all.len() == 1 && !is_empty && jobs.iter().all(|job| job.engine != "null");
    let whole = capacity.get();
    let bytes = if is_there { whole } else { 0 };
    let mut files: Vec<File> = all.into_iter().map(|name| File { name, bytes }).collect();
    let mut places = Vec::new();
    for ((number, job, copy), own) in copies(jobs).zip(owned) {
        let place = place(job, number, copy, &own, &mut files)?;
        places.push((own, place));
        if is_there {
            files.iter_mut().for_each(|file| file.bytes = whole);
        }
    }
    let (starts, extent) = starts_of(&files);
    if files.len() == 1 && !is_empty {
        // What a target holds of a file that would be longer: its begin.
        places
            .iter_mut()
            .for_each(|(_, place)| within(place, whole));
    } else if extent > whole {
        return Err(FioError::Target(format!(
            "the files of all jobs take {}, and the target has {capacity}",
            Bytes::new(extent)
        )));
    }
    let mut laid = Vec::new();
    for (own, mut place) in places {
        for (region, file) in place.regions.iter_mut().zip(own) {
            region.start += starts[file];
            region.file_start += starts[file];
            region.file_end += starts[file];
        }
        holds_an_io(&jobs[place.job], &place)?;
        laid.push(place);
    }
    Ok((laid, extent))
}

/// Where each file begins, and what all take.
fn starts_of(files: &[File]) -> (Vec<u64>, u64) {
    let mut at = 0_u64;
    let mut starts = Vec::new();
    for file in files {
        starts.push(at);
        at = at.saturating_add(file.bytes.next_multiple_of(1 << 20));
    }
    (starts, at.max(1))
}

/// Anything beyond the end of the target does not exist.
fn within(place: &mut Place, whole: u64) {
    for region in &mut place.regions {
        region.len = region.len.min(whole.saturating_sub(region.start));
        region.file_end = region.file_end.min(whole);
    }
}

fn holds_an_io(job: &Job, place: &Place) -> Result<(), FioError> {
    let fits = |region: &Region| region.start.saturating_add(job.least()) <= region.file_end;
    if place.bytes >= job.least_of_all()
        && place
            .regions
            .iter()
            .any(|region| region.len > 0 && fits(region))
    {
        return Ok(());
    }
    let len = place.regions.iter().map(|region| region.len).max();
    Err(FioError::job(
        &job.name,
        format!(
            "its region has {} and an I/O {}: the size or the offset does not fit",
            Bytes::new(len.unwrap_or(0)),
            Bytes::new(job.least())
        ),
    ))
}

fn share(of: u64, percent: u64) -> u64 {
    (u128::from(of) * u128::from(percent) / 100) as u64
}

/// Number of offset increments between a copy and the first one: fio counts the others from the last.
fn increments(job: &Job, copy: u32) -> u64 {
    u64::from(if copy == 0 { 0 } else { job.copies - copy })
}

/// Where a copy begins in a file of `bytes`.
fn offset(job: &Job, copy: u32, bytes: u64) -> Result<u64, FioError> {
    let amount = |amount: Amount| match amount {
        Amount::Bytes(bytes) => Ok(bytes),
        Amount::Percent(percent) => Ok(share(bytes, percent)),
        Amount::Zones(_) => Err(no_zones(job)),
    };
    let further = amount(job.region.offset_increment)?.checked_mul(increments(job, copy));
    let offset = amount(job.region.offset)?;
    let offset = further.and_then(|further| offset.checked_add(further));
    let is_a_share = |amount: Amount| matches!(amount, Amount::Percent(1..));
    let align = match job.region.offset_align {
        0 => job.least_of_all(),
        align => align,
    };
    match is_a_share(job.region.offset) || is_a_share(job.region.offset_increment) {
        true => offset.and_then(|offset| offset.checked_next_multiple_of(align)),
        false => offset,
    }
    .ok_or_else(|| FioError::job(&job.name, "size and offset are too large"))
}

fn no_zones(job: &Job) -> FioError {
    FioError::job(
        &job.name,
        "a number of zones (4z) is of zonemode=zbd on a drive that has zones, or of zonemode=strided with zonesize=",
    )
}

/// The region of a file with `size` bytes requested, 0 if not specified; the file grows to hold it.
fn region(job: &Job, copy: u32, size: u64, file: &mut File) -> Result<Region, FioError> {
    let start = offset(job, copy, file.bytes)?;
    let ends = job.region.file_size.unwrap_or(file.bytes);
    let mut len = match (job.region.file_size, size) {
        (None, 1..) => size,
        _ if ends > start => ends - start,
        _ if ends == 0 => {
            return Err(FioError::Target(format!(
                "the file {} has no size: give size=... in bytes",
                file.name
            )));
        }
        _ => 0,
    };
    if let Some(Amount::Percent(percent @ ..100)) = job.region.size {
        let of_file = share(start.saturating_add(len), percent).min(len);
        len = of_file - of_file % job.least_of_all();
    }
    let end = start
        .checked_add(len)
        .ok_or_else(|| FioError::job(&job.name, "size and offset are too large"))?;
    file.bytes = file.bytes.max(end);
    Ok(Region {
        start,
        len,
        file_start: 0,
        file_end: file.bytes,
    })
}

fn place(
    job: &Job,
    number: usize,
    copy: u32,
    own: &[usize],
    files: &mut [File],
) -> Result<Place, FioError> {
    let size = match job.region.size {
        Some(Amount::Bytes(size)) => size,
        Some(Amount::Zones(_)) => return Err(no_zones(job)),
        _ => 0,
    };
    let count = own.len().max(1) as u64;
    let each = size / count;
    // What does not divide makes the first files larger, by blocks.
    let larger = (size - each * count) / job.least_of_all();
    let mut regions = Vec::new();
    for (n, file) in (0_u64..).zip(own) {
        let size = each + if n < larger { job.least_of_all() } else { 0 };
        regions.push(region(job, copy, size, &mut files[*file])?);
    }
    let moved = |region: &Region| match job.region.io_size {
        Some(Amount::Percent(percent)) => share(region.len, percent),
        _ => region.len,
    };
    let all = regions.iter().map(moved).fold(0, u64::saturating_add);
    let bytes = if size == 0 { all } else { size.min(all) };
    Ok(Place {
        job: number,
        copy,
        bytes,
        limit: match job.region.io_size {
            Some(Amount::Bytes(limit)) => limit,
            Some(Amount::Zones(_)) => return Err(no_zones(job)),
            _ => bytes,
        },
        script: None,
        regions,
    })
}
