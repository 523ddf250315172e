//! Progress of a phase: two files next to the store, overwritten alternately.
//!
//! Such a document is large (a megabyte after some hours), a new one is written every second during a phase, and only
//! the newest is ever read. As rows of the database they would all stay in the write-ahead log until no run is active:
//! ninety gigabytes a day, possibly on the drive under test. Here they take the space of two, and the kernel writes
//! back only the versions that exist when it does so.
//!
//! Each file contains a magic number, a sequence number, a length, a checksum and the document, and is overwritten in
//! place by every second document. So a kill during a write leaves the other file intact, and the intact one with the
//! higher number is read. Nothing is flushed: the checksum shows what survived a loss of power.
//!
//! The files are deleted when the run has its result; [`sweep`] removes what a kill in between leaves.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::{RunId, StoredPhase, owner_only};

/// What a file begins with.
const MARK: &[u8; 8] = b"drvlpart";
/// Bytes before the document: mark, sequence number, length, checksum, and lengths of the two parts that
/// come before the record.
const HEAD: usize = 8 + 8 + 8 + 4 + 4 + 4;
/// Longest document that is read back: far above any, so that a strange file does not fill the memory.
const MOST_BYTES: u64 = 1 << 30;

/// The two files of one run.
#[derive(Debug)]
pub(crate) struct ProgressFiles {
    paths: [PathBuf; 2],
    open: [Option<File>; 2],
    /// Number of the newest document written; it is in the file of its parity.
    sequence: u64,
}

impl ProgressFiles {
    /// The files of a run, which may be there or not.
    pub(crate) fn of(store: &Path, run: RunId) -> ProgressFiles {
        let paths = paths(store, run);
        let newest = newest_of(&paths);
        ProgressFiles {
            paths,
            open: [None, None],
            sequence: newest.map_or(0, |(sequence, _)| sequence),
        }
    }

    /// Writes a document in place of the one before the last.
    ///
    /// # Errors
    /// The system's error; the last document is kept.
    pub(crate) fn write(&mut self, phase: &str, workload: &str, record: &str) -> io::Result<()> {
        let sequence = self.sequence + 1;
        let turn = usize::from(sequence % 2 == 1);
        let file = match &mut self.open[turn] {
            Some(file) => file,
            none => none.insert(open(&self.paths[turn])?),
        };
        file.write_all_at(&content(sequence, [phase, workload, record]), 0)?;
        self.sequence = sequence;
        Ok(())
    }
}

/// The newest document of a run that is whole.
pub(crate) fn newest(store: &Path, run: RunId) -> Option<StoredPhase> {
    newest_of(&paths(store, run)).map(|(_, phase)| phase)
}

/// Takes the files of a run away.
pub(crate) fn remove(store: &Path, run: RunId) {
    for path in paths(store, run) {
        // Mostly there is none.
        let _ = std::fs::remove_file(path);
    }
}

fn paths(store: &Path, run: RunId) -> [PathBuf; 2] {
    [0, 1].map(|number| {
        let mut path = store.as_os_str().to_owned();
        path.push(format!("-run-{run}.{number}"));
        PathBuf::from(path)
    })
}

/// Takes away the files of runs that are not `wanted` any more.
pub(crate) fn sweep(store: &Path, wanted: impl Fn(RunId) -> bool) {
    let (Some(folder), Some(name)) = (owner_only::folder_of(store), store.file_name()) else {
        return;
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let run = (found.as_encoded_bytes())
            .strip_prefix(name.as_encoded_bytes())
            .and_then(|rest| std::str::from_utf8(rest).ok()?.strip_prefix("-run-"))
            .and_then(|rest| rest.strip_suffix(".0").or(rest.strip_suffix(".1")))
            .and_then(|number| number.parse().ok());
        if run.is_some_and(|run| !wanted(RunId(run))) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A regular file owned by us, never one behind a link.
fn open(path: &Path) -> io::Result<File> {
    let careful = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(careful.bits().cast_signed())
        .open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || !owner_only::is_ours(path, found.uid()) {
        return Err(io::Error::other("a file of somebody else's is in the way"));
    }
    // Whatever the umask is; it fails on file systems without modes.
    let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
    owner_only::hand_over(path);
    Ok(file)
}

fn content(sequence: u64, parts: [&str; 3]) -> Vec<u8> {
    let [phase, workload, record] = parts.map(str::as_bytes);
    let length = phase.len() + workload.len() + record.len();
    let mut content = Vec::with_capacity(HEAD + length);
    content.extend_from_slice(MARK);
    content.extend_from_slice(&sequence.to_le_bytes());
    content.extend_from_slice(&(length as u64).to_le_bytes());
    content.extend_from_slice(&[0; 4]);
    for part in [phase, workload] {
        content.extend_from_slice(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
    }
    for part in [phase, workload, record] {
        content.extend_from_slice(part);
    }
    let sum = checksum(&content).to_le_bytes();
    content[24..28].copy_from_slice(&sum);
    content
}

/// Of all but the mark and the checksum itself.
fn checksum(content: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&content[8..24]);
    sum.update(&content[28..]);
    sum.finalize()
}

fn newest_of(paths: &[PathBuf; 2]) -> Option<(u64, StoredPhase)> {
    let documents = paths.iter().filter_map(|path| read(path));
    documents.max_by_key(|(sequence, _)| *sequence)
}

/// The document of a file, where there is one and it is whole.
fn read(path: &Path) -> Option<(u64, StoredPhase)> {
    let found = std::fs::symlink_metadata(path).ok()?;
    if !found.is_file() || found.len() > MOST_BYTES {
        return None;
    }
    let content = std::fs::read(path).ok()?;
    let number = |at: usize| {
        Some(u64::from_le_bytes(
            content.get(at..at + 8)?.try_into().ok()?,
        ))
    };
    let small = |at: usize| {
        Some(u32::from_le_bytes(
            content.get(at..at + 4)?.try_into().ok()?,
        ))
    };
    let (sequence, length) = (number(8)?, usize::try_from(number(16)?).ok()?);
    let (sum, of_phase, of_workload) = (small(24)?, small(28)? as usize, small(32)? as usize);
    // The file may be longer: an earlier document was.
    let whole = content.get(..HEAD.checked_add(length)?)?;
    if !whole.starts_with(MARK) || checksum(whole) != sum {
        return None;
    }
    let (phase, rest) = whole[HEAD..].split_at_checked(of_phase)?;
    let (workload, record) = rest.split_at_checked(of_workload)?;
    let text = |part: &[u8]| String::from_utf8(part.to_vec()).ok();
    let phase = StoredPhase {
        name: text(phase)?,
        workload: text(workload)?,
        record: text(record)?,
        done: false,
    };
    Some((sequence, phase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("results.sqlite3");
        (dir, store)
    }

    fn record_of(store: &Path) -> Option<String> {
        newest(store, RunId(1)).map(|phase| phase.record)
    }

    #[test]
    fn the_newest_of_many_is_read_and_two_take_room() {
        let (dir, store) = place();
        let mut files = ProgressFiles::of(&store, RunId(1));
        assert_eq!(newest(&store, RunId(1)), None);
        for number in 0..1_000_usize {
            let record = number.to_string().repeat(1 + 4_000 * (number % 7) / 6);
            files.write("scan", "{}", &record).unwrap();
            let found = newest(&store, RunId(1)).unwrap();
            assert_eq!((&*found.name, &*found.workload), ("scan", "{}"));
            assert!(found.record == record && !found.done);
        }
        let entries = std::fs::read_dir(dir.path()).unwrap();
        let bytes: u64 = entries.map(|e| e.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes <= 2 * (12_100 + HEAD as u64), "{bytes}");
        // Another process goes on behind it.
        let mut again = ProgressFiles::of(&store, RunId(1));
        again.write("scan", "{}", "next").unwrap();
        assert_eq!(record_of(&store).as_deref(), Some("next"));
        remove(&store, RunId(1));
        assert_eq!(newest(&store, RunId(1)), None);
    }

    #[test]
    fn a_document_that_is_torn_anywhere_gives_way_to_the_one_before() {
        let (_dir, store) = place();
        let mut files = ProgressFiles::of(&store, RunId(1));
        for record in ["one", "two", "three"] {
            files.write("scan", r#"{"depth":1}"#, record).unwrap();
        }
        let newest = files.paths[1].clone();
        let whole = std::fs::read(&newest).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&newest, &whole[..cut]).unwrap();
            assert_eq!(record_of(&store).as_deref(), Some("two"), "cut at {cut}");
            let mut flipped = whole.clone();
            flipped[cut] ^= 0x20;
            std::fs::write(&newest, &flipped).unwrap();
            assert_eq!(record_of(&store).as_deref(), Some("two"), "wrong at {cut}");
        }
        // Written over the torn one, not over the whole one.
        let mut again = ProgressFiles::of(&store, RunId(1));
        again.write("scan", "{}", "four").unwrap();
        std::fs::remove_file(&newest).unwrap();
        assert_eq!(record_of(&store).as_deref(), Some("two"));
    }

    #[test]
    fn a_planted_link_is_not_followed() {
        let (dir, store) = place();
        let victim = dir.path().join("victim");
        std::fs::write(&victim, "somebody's").unwrap();
        let mut files = ProgressFiles::of(&store, RunId(1));
        std::os::unix::fs::symlink(&victim, &files.paths[1]).unwrap();
        assert!(files.write("scan", "{}", "one").is_err());
        assert_eq!(std::fs::read(&victim).unwrap(), b"somebody's");
    }

    #[test]
    fn only_files_of_runs_that_are_not_wanted_are_swept() {
        let (dir, store) = place();
        for run in [1, 12] {
            let mut files = ProgressFiles::of(&store, RunId(run));
            files.write("scan", "{}", "1").unwrap();
            files.write("scan", "{}", "2").unwrap();
        }
        for other in [
            "results.sqlite3-run-x.0",
            "results.sqlite3-run-1.2",
            "other-run-1.0",
        ] {
            std::fs::write(dir.path().join(other), "").unwrap();
        }
        sweep(&store, |run| run == RunId(12));
        let entries = std::fs::read_dir(dir.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(
            names,
            [
                "other-run-1.0",
                "results.sqlite3-run-1.2",
                "results.sqlite3-run-12.0",
                "results.sqlite3-run-12.1",
                "results.sqlite3-run-x.0"
            ]
        );
    }
}
