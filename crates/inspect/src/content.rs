//! What a device and its partitions hold, read from the device itself.
//!
//! Partitions are read through their drive, at the offsets that the kernel gives them, so that one open file shows all.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use base::size::Bytes;

use super::identity::Identity;
use super::signature::{self, Content, Signature};
use super::sysfs::{DeviceNumber, InspectError, Node, Root, entries};

/// What one device or partition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Holding {
    /// The kernel's names from the inspected device to this: `sda`, `sda1`.
    pub(crate) chain: Vec<String>,
    /// All that was found, perhaps nothing.
    pub(crate) signatures: Vec<Signature>,
}

/// What would be lost by overwriting the device: a line a find, such as `sda: GPT with 3
/// partitions`, `sda1: ext4 file system 'data'`. Empty where nothing is known to be there, and for
/// files and directories.
///
/// # Errors
/// If the device cannot be read: then its content is unknown.
pub fn found_on(root: &Root, identity: &Identity) -> Result<Vec<String>, InspectError> {
    let Some(drive) = &identity.drive else {
        return Ok(Vec::new());
    };
    let unread = |error| InspectError::from_io("read", &identity.path, error);
    let node = Node::by_number(root, drive.number)
        .ok_or_else(|| unread(io::ErrorKind::NotFound.into()))?;
    let holdings = read(root, &node, &identity.path, true).map_err(unread)?;
    let line = |holding: &Holding, signature: &Signature| {
        format!(
            "{}: {signature}",
            holding.chain.last().map_or("", String::as_str)
        )
    };
    Ok(holdings
        .iter()
        .flat_map(|holding| {
            holding
                .signatures
                .iter()
                .map(move |signature| line(holding, signature))
        })
        .collect())
}

/// The content of the device at `path`, and its partitions if requested.
///
/// # Errors
/// Where it cannot be opened or read, or where another device is now at the path.
pub(crate) fn read(
    root: &Root,
    node: &Node,
    path: &Path,
    with_partitions: bool,
) -> io::Result<Vec<Holding>> {
    let mut content = Content::whole(open(root, node.number, path)?)?;
    let name = node.name.replace('!', "/");
    let mut holdings = vec![Holding {
        chain: vec![name.clone()],
        signatures: signature::probe(&mut content)?,
    }];
    for partition in if with_partitions {
        partitions(node)?
    } else {
        Vec::new()
    } {
        let start = Bytes::SECTOR
            .get()
            .saturating_mul(partition.number_attribute("start").unwrap_or(0));
        let mut part = content.part(start, partition.capacity().get());
        let chain = vec![name.clone(), partition.name.replace('!', "/")];
        holdings.push(Holding {
            chain,
            signatures: signature::probe(&mut part)?,
        });
    }
    Ok(holdings)
}

/// Opens the device for reading, and makes sure that it is that one.
fn open(root: &Root, number: DeviceNumber, path: &Path) -> io::Result<File> {
    let file = File::open(root.at(path))?;
    let found = file.metadata()?;
    let is_it =
        found.file_type().is_block_device() && DeviceNumber::from_raw(found.rdev()) == number;
    if root.is_live() && !is_it {
        return Err(io::Error::other("another device is there now"));
    }
    Ok(file)
}

/// The partitions of a drive, in order of name.
fn partitions(node: &Node) -> io::Result<Vec<Node>> {
    let mut found = Vec::new();
    for folder in entries(&node.folder)? {
        // Links lead out of the drive's folder; a partition lies in it.
        if fs::symlink_metadata(&folder)?.is_dir()
            && fs::exists(folder.join("partition"))?
            && let Some(partition) = Node::in_folder(&folder)
        {
            found.push(partition);
        }
    }
    Ok(found)
}
