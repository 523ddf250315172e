//! The files behind loop devices.
//!
//! Two loop devices on one file show one content, also where they were given two names of it: so the file
//! is known by device and inode. The driver tells them; where it may not be asked, and on recorded
//! machines, the path in `/sys` is looked at.

use std::fs::File;
use std::path::Path;

use super::identity::FileId;
use super::sysfs::{Node, Root};

/// The file behind a loop device; nothing for any other device, for a loop on a device, and where the file
/// is out of reach.
pub(crate) fn file_behind(root: &Root, node: &Node) -> Option<FileId> {
    let path = node.attribute("loop/backing_file")?;
    if root.is_live()
        && let Ok(device) = File::open(node.path())
        && let Some((device, inode)) = uring::file_behind_loop(&device)
    {
        return Some(FileId { device, inode });
    }
    if root.number_of(&path).is_some() {
        return None;
    }
    FileId::at(&root.at(Path::new(&path)))
}
