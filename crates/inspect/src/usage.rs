//! Whether a device may be overwritten: every reason against it is found and named.
//!
//! The search goes upwards from the device (and from its partitions) over everything above it; a mount, a swap area or
//! an open file anywhere there is a use of the device. What is inactive but would be destroyed, such as a member of an
//! array that is not assembled, is detected by content. What cannot be determined counts as a reason.

use std::collections::BTreeSet;
use std::path::Path;

use super::content;
use super::file_usage::users_of;
use super::identity::{FileId, Identity, Kind};
use super::link::{self, Transport};
use super::loops;
use super::mounts::{self, Mount};
use super::names::Names;
use super::processes::{self, Process, Scan};
use super::refusal::{Membership, Refusal};
use super::signature::Signature;
use super::stack::{Reached, Relation, Stack};
use super::sysfs::{DeviceNumber, Node, Root, mapping_kind};

/// Every reason for which the identified target may not be overwritten; empty where there is none.
pub fn refusals(root: &Root, identity: &Identity) -> Vec<Refusal> {
    let Some(drive) = &identity.drive else {
        return vec![Refusal::NotADevice];
    };
    let cannot_tell = |what: &str, why: String| {
        vec![Refusal::CannotTell {
            what: what.into(),
            why,
        }]
    };
    let Some(node) = Node::by_number(root, drive.number) else {
        return cannot_tell(
            "what it is",
            format!("device {} is gone from /sys", drive.number),
        );
    };
    let stack = match Stack::read(root) {
        Ok(stack) => stack,
        Err(error) => return cannot_tell("what is on it", error.to_string()),
    };
    let reached = stack.reached_from(node.number);
    let scan = processes::scan(root, &reached.iter().map(|one| one.number).collect());

    let mut reasons = of_the_device(root, identity, drive.read_only, drive.capacity.is_zero());
    reasons.extend(mounted(root, &stack, &reached, &scan));
    reasons.extend(swapped_to(root, &stack, &reached));
    reasons.extend(claimed(&stack, &reached));
    reasons.extend(members_by_content(root, &node, &identity.path, &reasons));
    reasons.extend(other_way_to(root, &stack, &node));
    let file = loops::file_behind(root, &node.parent().unwrap_or_else(|| node.clone()));
    reasons.extend(file.into_iter().flat_map(|file| users_of(root, file)));
    reasons.extend(held_open(&reached, scan));
    reasons
}

fn of_the_device(root: &Root, identity: &Identity, read_only: bool, empty: bool) -> Vec<Refusal> {
    let mut reasons = Vec::new();
    if read_only {
        reasons.push(Refusal::ReadOnly);
    }
    if empty {
        reasons.push(Refusal::NoMedium);
    }
    if let Kind::Loop { backing_file, .. } = &identity.kind
        && root.number_of(backing_file).is_some()
    {
        reasons.push(Refusal::WindowOn {
            device: backing_file.clone(),
        });
    }
    reasons
}

fn mounted(root: &Root, stack: &Stack, reached: &[Reached], scan: &Scan) -> Vec<Refusal> {
    let mut reasons = Vec::new();
    let mut seen = BTreeSet::new();
    for mount in &stack.mounts {
        if let Some(on) = first_reached(root, stack, reached, mount) {
            seen.insert(on.number);
            reasons.push(mounted_at(on, mount, None));
        }
    }
    for (mount, process) in &scan.elsewhere {
        if let Some(on) = first_reached(root, stack, reached, mount)
            && seen.insert(on.number)
        {
            reasons.push(mounted_at(on, mount, Some(process)));
        }
    }
    reasons
}

/// The first of the reached devices below the mounted file system.
fn first_reached<'a>(
    root: &Root,
    stack: &Stack,
    reached: &'a [Reached],
    mount: &Mount,
) -> Option<&'a Reached> {
    let devices = mounts::devices_of(root, mount, &stack.pools);
    reached.iter().find(|one| devices.contains(&one.number))
}

fn mounted_at(on: &Reached, mount: &Mount, by: Option<&Process>) -> Refusal {
    let (chain, at) = (on.chain.clone(), mount.point.clone());
    // The first process lives in the running system itself; a container's `/` is not the system's.
    let of_the_system = by.is_none_or(|process| process.pid == 1);
    if of_the_system && is_system(&at) {
        return Refusal::CarriesSystem { chain, at };
    }
    let seen_by = by.map(|process| format!("process {} ({})", process.pid, process.name));
    Refusal::Mounted { chain, at, seen_by }
}

/// True for the mount points that the running system needs to continue or to boot.
fn is_system(point: &Path) -> bool {
    point == Path::new("/")
        || ["/boot", "/efi", "/usr"]
            .iter()
            .any(|part| point.starts_with(part))
}

fn swapped_to(root: &Root, stack: &Stack, reached: &[Reached]) -> Vec<Refusal> {
    let swaps = match mounts::swaps(root) {
        Ok(swaps) => swaps,
        Err(error) => {
            let what = "whether the system swaps to it".into();
            return vec![Refusal::CannotTell {
                what,
                why: format!("/proc/swaps: {error}"),
            }];
        }
    };
    let mut reasons = Vec::new();
    for swap in swaps {
        let on = stack.under_path(root, &swap.path);
        if let Some(one) = reached.iter().find(|one| on.contains(&one.number)) {
            let file = swap.is_file.then(|| swap.path.clone());
            reasons.push(Refusal::Swap {
                chain: one.chain.clone(),
                file,
            });
        }
    }
    reasons
}

/// Arrays, volumes and windows directly above the device or a part of it; what is above those is lost with them.
fn claimed(stack: &Stack, reached: &[Reached]) -> Vec<Refusal> {
    let mut reasons = Vec::new();
    for one in reached {
        let chain = one.chain.clone();
        match one.by {
            Some(Relation::Holder) if one.on_own => {
                let of = stack.node(one.number).map_or(Membership::Other, membership);
                reasons.push(Refusal::Member {
                    chain,
                    of,
                    content: None,
                });
            }
            Some(Relation::Backed) if one.on_own => reasons.push(Refusal::Backs { chain }),
            _ => {}
        }
        let in_pool =
            |devices: &BTreeSet<DeviceNumber>| devices.len() > 1 && devices.contains(&one.number);
        if one.own && stack.pools.iter().any(|pool| in_pool(&pool.devices)) {
            reasons.push(Refusal::Member {
                chain: one.chain.clone(),
                of: Membership::Btrfs,
                content: None,
            });
        }
    }
    reasons
}

fn membership(holder: &Node) -> Membership {
    if let Some(uuid) = holder.attribute("dm/uuid") {
        return match mapping_kind(&uuid) {
            "LVM volume" => Membership::Lvm,
            "encrypted volume" => Membership::Encrypted,
            "multipath drive" => Membership::Multipath,
            "RAID set" => Membership::Raid,
            _ => Membership::DeviceMapper,
        };
    }
    match holder
        .name
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_')
    {
        "md" | "md_d" => Membership::Raid,
        "bcache" => Membership::Cache,
        "dm-" => Membership::DeviceMapper,
        _ => Membership::Other,
    }
}

/// Memberships detected only by content; known ones are not repeated.
fn members_by_content(root: &Root, node: &Node, path: &Path, known: &[Refusal]) -> Vec<Refusal> {
    let mut holdings = content::read(root, node, path, true);
    if let (Ok(own), Some(parent)) = (&mut holdings, node.parent()) {
        match content::read(root, &parent, &parent.path(), false) {
            Ok(whole) => own.extend(whole),
            Err(error) => holdings = Err(error),
        }
    }
    let holdings = match holdings {
        Ok(holdings) => holdings,
        Err(error) => {
            return vec![Refusal::CannotTell {
                what: "what it holds".into(),
                why: format!("reading it failed ({error})"),
            }];
        }
    };
    let mut reasons: Vec<Refusal> = Vec::new();
    for holding in holdings {
        for signature in holding.signatures {
            let Signature::Member { of, .. } = &signature else {
                continue;
            };
            let is_told =
                |reason: &Refusal| matches!(reason, Refusal::Member { of: told, .. } if told == of);
            if !known.iter().chain(&reasons).any(is_told) {
                let content = Some(signature.to_string());
                reasons.push(Refusal::Member {
                    chain: holding.chain.clone(),
                    of: of.clone(),
                    content,
                });
            }
        }
    }
    reasons
}

/// Other devices that show the same content: the same drive through another cable or controller,
/// the same file through another loop device.
fn other_way_to(root: &Root, stack: &Stack, node: &Node) -> Vec<Refusal> {
    let whole = node.parent().unwrap_or_else(|| node.clone());
    let Some((content, shared)) = content_of(root, &whole) else {
        return Vec::new();
    };
    // The paths that one multipath device joins are refused as its members, and to it the advice leads.
    let joined = multipaths_above(&whole);
    stack
        .nodes()
        .filter(|other| other.number != whole.number && !other.is_partition())
        .filter(|other| content_of(root, other).is_some_and(|(of, _)| of == content))
        .filter(|other| joined.is_disjoint(&multipaths_above(other)))
        .map(|other| Refusal::SameDriveAs {
            device: other.name.clone(),
            shared: shared.clone(),
        })
        .collect()
}

/// The multipath devices that lead to this drive.
fn multipaths_above(drive: &Node) -> BTreeSet<DeviceNumber> {
    let holders = drive.linked("holders").unwrap_or_default();
    holders
        .iter()
        .filter(|holder| membership(holder) == Membership::Multipath)
        .map(|holder| holder.number)
        .collect()
}

/// What no second device would have unless it showed the same bytes.
#[derive(PartialEq)]
enum ContentOf {
    File(FileId),
    Named(String),
}

/// The same, and its name for people.
fn content_of(root: &Root, drive: &Node) -> Option<(ContentOf, String)> {
    // A multipath device bears the name of the drive that it leads to: it is no other way to it.
    if link::transport(root, drive) == Transport::Stacked {
        return None;
    }
    if let Some(path) = drive.attribute("loop/backing_file") {
        let content = match loops::file_behind(root, drive) {
            Some(file) => ContentOf::File(file),
            None => ContentOf::Named(path.clone()),
        };
        return Some((content, path));
    }
    let wwn = Names::read(root, drive).wwn?;
    Some((ContentOf::Named(wwn.clone()), wwn))
}

fn held_open(reached: &[Reached], scan: Scan) -> Vec<Refusal> {
    let mut reasons: Vec<Refusal> = Vec::new();
    for (number, process) in scan.open {
        if let Some(one) = reached.iter().find(|one| one.number == number) {
            let chain = one.chain.clone();
            reasons.push(Refusal::HeldOpen {
                chain,
                pid: process.pid,
                name: process.name,
            });
        }
    }
    if let Some(why) = scan.incomplete {
        reasons.push(Refusal::CannotTell {
            what: "who else has it open".into(),
            why,
        });
    }
    reasons
}

#[cfg(test)]
mod tests;
