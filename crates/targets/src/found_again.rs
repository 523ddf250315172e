//! The stored identity of a run's target, used to find the same drive or file when the run is resumed.
//!
//! A target's name is only how a user called it. So its identity ([`Seen`]) is stored with the name, and a resumed run
//! or plan gets the target's current name.

use std::path::{Path, PathBuf};

use inspect::{NotFound, Root, Seen};
use serde::{Deserialize, Serialize};

use crate::grammar::Spec;
use crate::resolved::{Found, ResolvedTarget};

/// What a run was on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum On {
    /// As it is stored.
    Seen(Box<Seen>),
    /// As it was stored once: path, serial number and capacity in words.
    Words(String),
}

impl ResolvedTarget {
    /// Which drive or file it is; nothing for a model or a test file of ours.
    pub fn seen(&self) -> Option<Seen> {
        match &self.found {
            Found::Existing { identity, .. } => Seen::now(&Root::new("/"), identity),
            _ => None,
        }
    }

    /// The same in words.
    pub fn which(&self) -> Option<String> {
        self.seen().map(|seen| seen.words())
    }

    /// The same in the words in which it was stored once: its real path, its serial number, its size.
    pub fn which_by_path(&self) -> Option<String> {
        let Found::Existing { identity, .. } = &self.found else {
            return None;
        };
        let path = std::fs::canonicalize(&identity.path).ok()?;
        let capacity = self.provisional.capacity;
        let serial = identity.drive.as_ref().and_then(|d| d.id.serial.as_ref());
        let serial = serial.map_or_else(String::new, |serial| format!(", serial number {serial}"));
        Some(format!("{}{serial}, {capacity}", path.display()))
    }

    /// Whether it is the run's target; otherwise what it is, in words.
    pub fn is_still(&self, on: &On) -> Result<(), String> {
        let is = match (on, &self.found) {
            (On::Seen(seen), Found::Existing { identity, .. }) => seen
                .find(&Root::new("/"), &identity.path)
                .is_ok_and(|path| path == identity.path),
            (On::Words(was), _) => self.which_by_path().as_ref() == Some(was),
            _ => false,
        };
        let words = || self.which().unwrap_or_else(|| "something else".to_owned());
        if is { Ok(()) } else { Err(words()) }
    }
}

impl On {
    /// What it was, in words.
    pub fn words(&self) -> String {
        match self {
            On::Seen(seen) => seen.words(),
            On::Words(words) => words.clone(),
        }
    }
}

/// The current name of a target: `name` if that still refers to it.
pub fn name_now(name: &str, seen: &Seen) -> Result<String, NotFound> {
    let Ok(spec) = name.parse::<Spec>() else {
        return Ok(name.to_owned());
    };
    let Some(path) = path_of(&spec).map(Path::to_owned) else {
        return Ok(name.to_owned());
    };
    let found = seen.find(&Root::new("/"), &path)?;
    if found == path {
        return Ok(name.to_owned());
    }
    Ok(with_path(spec, &found).to_string())
}

/// The path of a target, below its layers.
pub fn path_of(spec: &Spec) -> Option<&Path> {
    match spec {
        Spec::Path { path, .. } => Some(path),
        Spec::Layer { members, .. } => path_of(members.first()?),
        Spec::Model { .. } | Spec::Null { .. } => None,
    }
}

/// The same target at another path.
fn with_path(spec: Spec, now: &Path) -> Spec {
    match spec {
        Spec::Path { options, .. } => Spec::Path {
            path: PathBuf::from(now),
            options,
        },
        Spec::Layer {
            name,
            mut members,
            options,
        } => {
            if !members.is_empty() {
                let first = members.remove(0);
                members.insert(0, with_path(first, now));
            }
            Spec::Layer {
                name,
                members,
                options,
            }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_keeps_its_layers_and_options_at_another_path() {
        let at = |name: &str| with_path(name.parse().unwrap(), Path::new("/dev/sdc")).to_string();
        assert_eq!(at("/dev/sdb?span=1GiB"), "/dev/sdc?span=1GiB");
        assert_eq!(at("fault(/dev/sdb)?errors=10"), "fault(/dev/sdc)?errors=10");
        assert_eq!(at("null:"), "null:");
    }

    #[test]
    fn what_older_versions_stored_reads_as_words() {
        let on: On = serde_json::from_str("\"/dev/sdb, serial number 7, 1 TB\"").unwrap();
        assert_eq!(on, On::Words("/dev/sdb, serial number 7, 1 TB".to_owned()));
        let seen = Seen {
            path: "/home/me/a.img".into(),
            bytes: base::size::Bytes::mib(1),
            drive: None,
            arrival: None,
        };
        let text = serde_json::to_string(&On::Seen(Box::new(seen.clone()))).unwrap();
        let on: On = serde_json::from_str(&text).unwrap();
        assert_eq!(on, On::Seen(Box::new(seen)));
    }
}
