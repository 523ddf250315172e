//! A drive that was seen once, and is to be found again: after a reboot, or when it was plugged in elsewhere.
//!
//! The name that was typed may now refer to another drive (`/dev/sdb`), or to the same one under another kernel name
//! (`/dev/disk/by-id/...`). So the drive's identity is compared, never the path. Two indistinguishable drives are
//! treated as ambiguous: neither is accepted, unless the machine has not rebooted since, and the device was not
//! removed: the kernel counts arrivals (`diskseq`, since Linux 5.15), and each boot has an id.

use std::path::{Path, PathBuf};

use base::size::Bytes;
use serde::{Deserialize, Serialize};

use super::drive_id::DriveId;
use super::identity::{Identity, Kind, identify};
use super::sysfs::{DeviceNumber, Node, Root, first_line};

/// A target's identity when it was inspected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its path, with all links followed.
    pub path: PathBuf,
    /// Its length.
    pub bytes: Bytes,
    /// Of a device: which drive it is.
    pub drive: Option<DriveId>,
    /// Of a device: the number of its arrival, and the boot in which that was.
    pub arrival: Option<(u64, String)>,
}

/// Why something that was seen is not found again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// No attached drive is that one.
    #[error(
        "{was} is missing: no attached drive matches (attach it, or check whether `lsblk` shows it){}",
        instead(now)
    )]
    Missing {
        was: String,
        /// What has its name now, where that is there.
        now: Option<String>,
    },
    /// More than one may be it.
    #[error("{was} is ambiguous: {} match (detach the others)", among.join(" and "))]
    Several {
        was: String,
        /// The devices that may be it.
        among: Vec<String>,
    },
    /// A file is not what it was.
    #[error("{was} is now {now}")]
    AnotherFile { was: String, now: String },
}

fn instead(now: &Option<String>) -> String {
    now.as_ref().map_or_else(String::new, |now| {
        format!("; its name is that of {now} now")
    })
}

impl Seen {
    /// The identity of the target; `None` for a directory, and for what is gone.
    pub fn now(root: &Root, identity: &Identity) -> Option<Seen> {
        let path = root.real(&identity.path).ok()?;
        match (&identity.kind, &identity.drive) {
            (Kind::Directory, _) => None,
            (Kind::RegularFile { bytes, .. }, _) => Some(Seen {
                path,
                bytes: *bytes,
                drive: None,
                arrival: None,
            }),
            (_, Some(drive)) => Some(Seen {
                path,
                bytes: drive.capacity,
                drive: Some(drive.id.clone()),
                arrival: drive.arrival.zip(boot(root)),
            }),
            _ => None,
        }
    }

    /// In words: what a person would look for.
    pub fn words(&self) -> String {
        let path = self.path.display();
        match &self.drive {
            None => format!("{path}, {}", self.bytes),
            Some(drive) if drive.is_nameless() => format!("{path}, {drive}"),
            Some(drive) => drive.to_string(),
        }
    }

    /// Its current path: `named`, the user's name, if it still refers to it, else the kernel's.
    ///
    /// # Errors
    /// [`NotFound`]: it is missing, ambiguous, or a file that has changed.
    pub fn find(&self, root: &Root, named: &Path) -> Result<PathBuf, NotFound> {
        let there = identify(root, named).ok();
        let now = there.as_ref().and_then(|there| Seen::now(root, there));
        let Some(drive) = &self.drive else {
            return self.same_file(now).map(|()| named.to_owned());
        };
        if now
            .as_ref()
            .is_some_and(|now| self.is_the_same_arrival(now))
        {
            return Ok(named.to_owned());
        }
        let candidates = self.candidates(root, drive);
        let its_number = there.and_then(|there| Some(there.drive?.number));
        match &candidates[..] {
            [only] if Some(only.number) == its_number => Ok(named.to_owned()),
            // Without a name of its own, its place is all that there is to know it by.
            [_] if drive.is_nameless() => Err(self.missing(now)),
            [only] => Ok(only.path()),
            [] => Err(self.missing(now)),
            several => Err(NotFound::Several {
                was: self.words(),
                among: several
                    .iter()
                    .map(|node| node.path().display().to_string())
                    .collect(),
            }),
        }
    }

    fn same_file(&self, now: Option<Seen>) -> Result<(), NotFound> {
        match now {
            Some(now) if now == *self => Ok(()),
            now => Err(NotFound::AnotherFile {
                was: self.words(),
                now: now.map_or_else(|| "gone".to_owned(), |now| now.words()),
            }),
        }
    }

    fn missing(&self, now: Option<Seen>) -> NotFound {
        NotFound::Missing {
            was: self.words(),
            now: now.map(|now| now.words()),
        }
    }

    fn is_the_same_arrival(&self, now: &Seen) -> bool {
        self.arrival.is_some()
            && self.arrival == now.arrival
            && self
                .drive
                .as_ref()
                .zip(now.drive.as_ref())
                .is_some_and(|(a, b)| a.is(b))
    }

    /// Every attached device that may be it.
    fn candidates(&self, root: &Root, drive: &DriveId) -> Vec<Node> {
        let all = Node::all(root).unwrap_or_default();
        let found = all
            .into_iter()
            .filter(|node| DriveId::read(root, node).is(drive));
        let found: Vec<Node> = found.collect();
        if drive.is_nameless() {
            return found;
        }
        // A multipath drive has its paths' names; what was on the paths' drive is on it.
        let beneath: Vec<DeviceNumber> = found
            .iter()
            .flat_map(|node| node.linked("slaves").unwrap_or_default())
            .map(|node| node.number)
            .collect();
        found
            .into_iter()
            .filter(|node| !beneath.contains(&node.number))
            .collect()
    }
}

fn boot(root: &Root) -> Option<String> {
    first_line(&root.at("/proc/sys/kernel/random/boot_id"))
}

#[cfg(test)]
mod tests;
