//! The names of both ends in a map, by which a rescue recognises its map.
//!
//! A drive is identified by what it reports, such as its serial number. The kernel's name is not suitable: a drive that
//! was detached may get another one, and its old name may belong to another drive, to which nothing in the map applies.
//! A file is identified by its path as typed. Maps of earlier versions have other names for the same ends; they are
//! also recognised.

use targets::{Consent, ResolvedTarget, resolve};

use crate::RescueRequest;

/// The names of both ends: first those that are written, then those that were written once.
pub(super) struct Names {
    sources: Vec<String>,
    destinations: Vec<String>,
}

impl Names {
    /// The names of a request's ends; its destination is `a_device`, or a file or model.
    pub(super) fn of(source: &ResolvedTarget, request: &RescueRequest, a_device: bool) -> Names {
        let typed = || Some(request.destination.clone());
        let resolved = || resolve(&request.destination, &Consent::default(), 0).ok();
        let drive = a_device.then(resolved).flatten();
        let which = source.which().or_else(|| Some(request.source.clone()));
        let drive = drive.and_then(|drive| drive.which());
        Names {
            sources: [which, source.which_by_path()]
                .into_iter()
                .flatten()
                .collect(),
            destinations: [drive, typed()].into_iter().flatten().collect(),
        }
    }

    /// Which drive or file the source is.
    pub(super) fn source(&self) -> &str {
        &self.sources[0]
    }

    /// What the source is, or was, called in maps.
    pub(super) fn sources(&self) -> &[String] {
        &self.sources
    }

    /// What is written into the map.
    pub(super) fn remarks(&self) -> Vec<String> {
        vec![
            format!("source: {}", self.sources[0]),
            format!("destination: {}", self.destinations[0]),
        ]
    }

    /// Whether a map with that name belongs to the same ends.
    pub(super) fn are_in(&self, said: &[String]) -> bool {
        let has = |end: &str, names: &[String]| {
            let mut remarks = names.iter().map(|name| format!("{end}: {name}"));
            remarks.any(|remark| said.contains(&remark))
        };
        has("source", &self.sources) && has("destination", &self.destinations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_known_by_its_own_name_and_another_one_of_its_path_is_not() {
        let names = |drive: &str| Names {
            sources: vec!["serial number S, 64 MiB".to_owned()],
            destinations: vec![drive.to_owned(), "/dev/sdb".to_owned()],
        };
        let said = names("serial number A, 64 MiB").remarks();
        assert!(names("serial number A, 64 MiB").are_in(&said));
        assert!(!names("serial number B, 64 MiB").are_in(&said));
        // As it was written once.
        let once = ["source: serial number S, 64 MiB", "destination: /dev/sdb"];
        assert!(names("serial number A, 64 MiB").are_in(&once.map(str::to_owned)));
        assert!(
            !names("serial number A, 64 MiB")
                .are_in(&once[..1].iter().map(|&s| s.to_owned()).collect::<Vec<_>>())
        );
    }
}
