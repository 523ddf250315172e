//! The name that a person types before a drive is overwritten, and whether it identifies the drive.
//!
//! Any of a drive's true names is accepted, in any common spelling. But a name that another attached drive also has
//! does not identify it: the serial number of two namespaces of one controller, or of two disks from a careless maker.
//! It is refused, and a unique name is requested; if there is none, the drive is never written. A partition is
//! confirmed by its own name, not by its drive's, and a drive not by a partition's: a user who types the drive's name
//! for `sda2` means one of the two, and it is unclear which.

use super::drive_id::{DriveId, core, tells_apart};
use super::identity::Identity;
use super::sysfs::{DeviceNumber, Node, Root};

/// Whether a drive's names match what was typed, if anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// It is a name of this drive alone.
    Given,
    /// It is none of its names.
    Wrong {
        /// A name that would do.
        telling: String,
    },
    /// It is its name, but not its alone.
    Shared {
        /// Those that have it, too, in words.
        with: Vec<String>,
        /// A name that would do.
        telling: String,
    },
    /// Every name that it has, others have, too.
    Indistinct {
        /// Those others, in words.
        with: Vec<String>,
    },
    /// It has no unique name.
    Nameless,
}

/// How `typed` matches the identified device: see [`Confirmation`].
pub fn confirmation(root: &Root, identity: &Identity, typed: &str) -> Confirmation {
    let Some(drive) = &identity.drive else {
        return Confirmation::Nameless;
    };
    let typed = bare(typed);
    let names = names_of(&drive.id);
    if names.is_empty() {
        return Confirmation::Nameless;
    }
    let others = others(root, drive.number);
    let Some(telling) = telling_of(&names, &others) else {
        let with = names.iter().flat_map(|name| having(&others, &name.text));
        return Confirmation::Indistinct { with: once(with) };
    };
    if !is_called(&drive.id, typed) {
        return Confirmation::Wrong { telling };
    }
    let with = once(having(&others, typed));
    if with.is_empty() {
        Confirmation::Given
    } else {
        Confirmation::Shared { with, telling }
    }
}

/// What must be typed before the device may be overwritten: its serial number if no other attached device has it, else
/// its world-wide name, else a name in `/dev/disk/by-id`; for a loop device the path of its backing file; for a
/// partition one of these with `-part` and its number. `None`, and writing is refused, for a device without a unique
/// name, and for files and directories, which are never overwritten through this function.
pub fn confirm_token(root: &Root, identity: &Identity) -> Option<String> {
    let drive = identity.drive.as_ref()?;
    telling_of(&names_of(&drive.id), &others(root, drive.number))
}

/// One of a device's names, in one spelling.
struct Name {
    text: String,
    /// True where capital letters mean the same: hexadecimal digits.
    any_case: bool,
}

/// Another attached device.
struct Other {
    id: DriveId,
    words: String,
}

/// Every other device, but for those that this one is made of: a multipath drive has its paths' names.
fn others(root: &Root, this: DeviceNumber) -> Vec<Other> {
    let mut beneath = vec![this];
    let mut below: Vec<Node> = Node::by_number(root, this).into_iter().collect();
    while let Some(node) = below.pop() {
        let next = node.linked("slaves").unwrap_or_default();
        let new = next
            .into_iter()
            .filter(|node| !beneath.contains(&node.number));
        let new: Vec<Node> = new.collect();
        beneath.extend(new.iter().map(|node| node.number));
        below.extend(new);
    }
    let all = Node::all(root).unwrap_or_default();
    all.iter()
        .filter(|node| !beneath.contains(&node.number))
        .map(|node| {
            let id = DriveId::read(root, node);
            let words = format!("{} ({id})", node.name.replace('!', "/"));
            Other { id, words }
        })
        .collect()
}

/// The others that have this name, in words.
fn having<'a>(others: &'a [Other], name: &'a str) -> impl Iterator<Item = String> + 'a {
    let have = others
        .iter()
        .filter(move |other| is_called(&other.id, name));
    have.map(|other| other.words.clone())
}

fn once(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut once: Vec<String> = lines.collect();
    once.sort();
    once.dedup();
    once
}

fn telling_of(names: &[Name], others: &[Other]) -> Option<String> {
    let is_alone = |name: &&Name| having(others, &name.text).next().is_none();
    names.iter().find(is_alone).map(|name| name.text.clone())
}

/// What was typed, without its directory.
fn bare(typed: &str) -> &str {
    let typed = typed.trim();
    ["/dev/disk/by-id/", "/dev/disk/by-partuuid/"]
        .iter()
        .find_map(|folder| typed.strip_prefix(folder))
        .unwrap_or(typed)
}

fn is_called(id: &DriveId, typed: &str) -> bool {
    let is_it =
        |name: &Name| name.text == typed || name.any_case && name.text.eq_ignore_ascii_case(typed);
    names_of(id).iter().any(is_it)
}

/// Every name of the device in every spelling, the preferred ones first.
fn names_of(id: &DriveId) -> Vec<Name> {
    let exact = |text: &String| Name {
        text: text.clone(),
        any_case: false,
    };
    let whole = names_of_the_drive(id);
    let Some(part) = &id.partition else {
        return whole
            .into_iter()
            .chain(id.by_id.iter().map(exact))
            .collect();
    };
    let of_it = whole.into_iter().map(|name| Name {
        text: format!("{}-part{}", name.text, part.number),
        ..name
    });
    let in_the_table = part.uuid.iter().flat_map(|uuid| {
        [format!("PARTUUID={uuid}"), uuid.clone()].map(|text| Name {
            text,
            any_case: true,
        })
    });
    of_it
        .chain(id.by_id.iter().map(exact))
        .chain(in_the_table)
        .collect()
}

/// The names of the whole drive, but for those in `/dev/disk/by-id`.
fn names_of_the_drive(id: &DriveId) -> Vec<Name> {
    let exact = |text: &String| Name {
        text: text.clone(),
        any_case: false,
    };
    if let Some(file) = &id.file {
        return vec![exact(file)];
    }
    let mut names: Vec<Name> = Vec::new();
    names.extend(
        id.serial
            .iter()
            .filter(|serial| tells_apart(serial))
            .map(exact),
    );
    names.extend(id.wwn.iter().flat_map(|wwn| spellings(wwn)));
    names.extend(
        id.uuid
            .iter()
            .flat_map(|uuid| spellings(&format!("uuid.{uuid}"))),
    );
    for digits in [&id.nguid, &id.eui].into_iter().flatten() {
        names.extend(spellings(&format!("eui.{digits}")));
    }
    names
}

/// A world-wide name as the kernel, udev and people write it, the kernel's first.
fn spellings(wwn: &str) -> Vec<Name> {
    let digits = core(wwn);
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex && tells_apart(&digits) {
        let also = [
            format!("naa.{digits}"),
            format!("eui.{digits}"),
            format!("nguid.{digits}"),
            format!("0x{digits}"),
            format!("wwn-0x{digits}"),
            format!("nvme-eui.{digits}"),
            format!("scsi-3{digits}"),
            digits,
        ];
        let names = std::iter::once(wwn.to_owned()).chain(also);
        return names
            .map(|text| Name {
                text,
                any_case: true,
            })
            .collect();
    }
    // `uuid.` and `nvme.` are of hexadecimal digits and dashes; `t10.` has the maker's letters in it.
    let bare = ["uuid.", "nvme."]
        .iter()
        .find_map(|prefix| wwn.strip_prefix(prefix));
    match bare {
        Some(digits) if tells_apart(digits) => [wwn, &format!("nvme-{wwn}"), digits]
            .map(|text| Name {
                text: text.to_owned(),
                any_case: true,
            })
            .into(),
        None if !is_hex && tells_apart(wwn) => vec![Name {
            text: wwn.to_owned(),
            any_case: false,
        }],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
