//! The backing files of loop devices.
//!
//! Two loop devices on one file have the same content, even if they were given two names of it: so the file is
//! identified by device and inode. The driver reports them; if it may not be queried, and on recorded machines, the
//! path in `/sys` is used.

use std::fs::File;
use std::path::Path;

use super::identity::FileId;
use super::sysfs::{Node, Root};

/// The backing file of a loop device; `None` for any other device, for a loop on a device, and if the file is not
/// accessible.
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
