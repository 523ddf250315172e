//! A test file on a file system of the modelled host: `file_system=` after the whole target.
//!
//! The file system is above everything else, as in a computer: above driver, cache and array. So the option belongs to
//! the outermost target (`rapid(model:A)?file_system=ntfs`), and inside a layer's brackets it is refused. `none`, or
//! nothing, is the bare drive.

use base::message::{Argument, Message};
use results::tails::Tails;
use sim::catalogue::hosts;
use sim::layer::file_system::FileSystem;

use crate::error::TargetError;
use crate::grammar::{FILE_SYSTEM, Spec};
use crate::layers;
use crate::making::Making;
use crate::options::option_error;
use crate::stack::Stack;
/// The bare drive.
const NONE: &str = "none";

/// A target without its file system, and the file system.
pub(crate) fn apart(spec: &Spec) -> (Spec, Option<String>) {
    let mut spec = spec.clone();
    let mut named = None;
    if let Spec::Model { options, .. } | Spec::Layer { options, .. } = &mut spec {
        let at = options.iter().position(|(key, _)| key == FILE_SYSTEM);
        named = at.map(|at| options.remove(at).1);
    }
    (spec, named.filter(|name| name != NONE))
}

/// The modelled drive, array or layer of a name, with the test file on it that the name requests.
///
/// # Errors
/// As [`layers::stack`], and where the host does not have the file system, or it does not fit.
pub(crate) fn stack(target: &str, spec: &Spec, making: &Making) -> Result<Stack, TargetError> {
    let (under, named) = apart(spec);
    let under = layers::stack(target, &under, making)?;
    let Some(name) = named else {
        return Ok(under);
    };
    let layout = hosts::layout(&under.host, &name, under.model.info().capacity)?;
    let path = Message::new(
        "path-file",
        [
            ("path", under.path.into()),
            ("system", Argument::text(layout.name)),
            ("cluster", Argument::text(layout.cluster)),
        ],
    );
    let file = FileSystem::new(under.model, layout);
    let file = file.map_err(|why| option_error(target, why.to_string()))?;
    Ok(Stack {
        model: Box::new(file),
        path,
        tails: Tails::NotCompared,
        ..under
    })
}

/// The file systems of a modelled host.
pub(crate) fn of_host(host: &str) -> Vec<String> {
    let names = hosts::file_systems(host).unwrap_or_default();
    names.into_iter().map(str::to_owned).collect()
}

/// The same target with a test file on another file system; the target itself where it can have
/// none.
pub fn placed_on(spec: &Spec, file_system: &str) -> Spec {
    let mut spec = spec.clone();
    match &mut spec {
        // Faults stand over everything.
        Spec::Layer { name, members, .. } if name == "fault" => {
            for member in members {
                *member = placed_on(member, file_system);
            }
        }
        Spec::Model { options, .. } | Spec::Layer { options, .. } => {
            options.retain(|(key, _)| key != FILE_SYSTEM);
            options.push((FILE_SYSTEM.to_owned(), file_system.to_owned()));
        }
        Spec::Path { .. } | Spec::Null { .. } => {}
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::size::Bytes;

    fn said(target: &str) -> Result<Stack, String> {
        let spec: Spec = target.parse().unwrap();
        stack(target, &spec, &Making::outline(1)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_target_becomes_a_file_that_is_smaller_than_the_drive_and_says_on_what() {
        let bare = said("model:ocz-core-v2-30gb?host=windows-xp-2009").unwrap();
        let all = bare.model.info();
        for (name, title) in [("fat32", "FAT32"), ("ntfs", "NTFS")] {
            let target = format!("model:ocz-core-v2-30gb?host=windows-xp-2009&file_system={name}");
            let file = said(&target).unwrap();
            assert!(file.path.contains(title), "{}", file.path);
            let info = file.model.info();
            assert!(info.capacity < all.capacity && info.block == all.block);
            let most = (title == "FAT32").then_some(Bytes::gib(4));
            assert!(most.is_none_or(|most| info.capacity < most));
        }
        let none = said("model:ocz-core-v2-30gb?file_system=none").unwrap();
        assert_eq!(
            none.model.info(),
            said("model:ocz-core-v2-30gb").unwrap().model.info()
        );
    }

    #[test]
    fn a_file_system_that_the_host_does_not_have_is_refused_with_those_that_it_has() {
        let refused = |target: &str| said(target).err().unwrap();
        let no_ntfs = refused("model:ocz-core-v2-30gb?file_system=ntfs");
        assert!(
            no_ntfs.contains("fat32, exfat, ext4, xfs") && no_ntfs.contains("host="),
            "{no_ntfs}"
        );
        let none = refused("model:ocz-core-v2-30gb?host=none&file_system=ntfs");
        assert!(none.contains("the host none has none"), "{none}");
    }

    #[test]
    fn the_file_system_stands_over_caches_and_arrays_and_not_inside_them() {
        let drive = "model:ocz-core-v2-30gb?host=windows-xp-2009";
        for over in [
            format!("rapid({drive})?file_system=ntfs"),
            format!("raid0({drive},{drive})?stripe=64KiB&file_system=fat32"),
        ] {
            let file = said(&over).unwrap();
            assert!(file.path.contains("test file on"), "{}", file.path);
        }
        let refused = said(&format!("rapid({drive}&file_system=ntfs)"))
            .err()
            .unwrap();
        assert!(refused.contains("after the last bracket"), "{refused}");
    }

    #[test]
    fn another_file_system_takes_the_place_of_the_one_that_was_named() {
        let placed = |target: &str| {
            let spec: Spec = target.parse().unwrap();
            placed_on(&spec, "ntfs").to_string()
        };
        assert_eq!(
            placed("model:a?file_system=fat32&seed=2"),
            "model:a?seed=2&file_system=ntfs"
        );
        assert_eq!(
            placed("fault(rapid(model:a))?seed=2"),
            "fault(rapid(model:a)?file_system=ntfs)?seed=2"
        );
    }
}
