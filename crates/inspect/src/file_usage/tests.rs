//! Who uses a file, on recorded machines.

use std::path::PathBuf;

use super::*;
use crate::tests::tree::Tree;

const IMAGE: &str = "/home/me/disk.img";

/// A machine with an image that has two names.
fn machine() -> (Tree, FileId) {
    let tree = Tree::new();
    tree.file("home/me/disk.img", [7; 4096]);
    tree.file("home/me/other.img", [7; 4096]);
    std::fs::hard_link(tree.at("home/me/disk.img"), tree.at("home/me/link.img")).unwrap();
    let file = FileId::at(&tree.at("home/me/disk.img")).unwrap();
    (tree, file)
}

fn lines(tree: &Tree, file: FileId) -> Vec<String> {
    let reasons = file_refusals(&tree.root(), file);
    reasons.iter().map(ToString::to_string).collect()
}

fn with_loop(tree: &Tree, name: &str, number: &str, file: &str) {
    tree.device(&format!("virtual/block/{name}"), number, 8);
    tree.attribute(&format!("virtual/block/{name}"), "loop/backing_file", file);
}

#[test]
fn a_file_that_nobody_uses_is_free() {
    let (tree, file) = machine();
    with_loop(&tree, "loop1", "7:1", "/home/me/other.img");
    assert_eq!(lines(&tree, file), Vec::<String>::new());
}

#[test]
fn the_image_behind_a_loop_device_is_refused_by_any_of_its_names() {
    let (tree, file) = machine();
    with_loop(&tree, "loop3", "7:3", "/home/me/link.img");
    assert_eq!(
        lines(&tree, file),
        ["in use as a device: /dev/loop3 shows it; detach it first (losetup -d /dev/loop3)"]
    );
}

#[test]
fn a_swap_file_is_refused() {
    let (tree, file) = machine();
    let swaps = format!("Filename\tType\tSize\tUsed\tPriority\n{IMAGE}  file  4  0  -2\n");
    tree.file("proc/swaps", swaps);
    let told = lines(&tree, file);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("swaps to it"), "{told:?}");
}

#[test]
fn a_file_that_a_process_has_open_for_writing_is_refused_and_one_that_is_read_is_not() {
    let (tree, file) = machine();
    tree.process(40, "qemu-system-x86", &["/home/me/link.img"]);
    tree.file(
        "proc/40/fdinfo/0",
        "pos:\t0\nflags:\t0100000\nmnt_id:\t28\n",
    );
    assert_eq!(lines(&tree, file), Vec::<String>::new());
    tree.file(
        "proc/40/fdinfo/0",
        "pos:\t0\nflags:\t0140002\nmnt_id:\t28\n",
    );
    assert_eq!(
        lines(&tree, file),
        ["open for writing: process 40 (qemu-system-x86) has it; end it"]
    );
}

#[test]
fn a_locked_file_is_refused() {
    let (tree, file) = machine();
    tree.process(40, "sqlite3", &[]);
    let (major, minor) = (
        rustix::fs::major(file.device),
        rustix::fs::minor(file.device),
    );
    let place = format!("{major:02x}:{minor:02x}:{}", file.inode);
    let other = format!("{major:02x}:{minor:02x}:1");
    tree.file(
        "proc/locks",
        format!(
            "1: POSIX  ADVISORY  WRITE 40 {place} 0 EOF\n\
             1: -> POSIX  ADVISORY  WRITE 41 {place} 0 EOF\n\
             2: FLOCK  ADVISORY  WRITE 40 {other} 0 EOF\n\
             3: OFDLCK ADVISORY  READ -1 {place} 0 EOF\n"
        ),
    );
    assert_eq!(
        lines(&tree, file),
        [
            "locked: by process 40 (sqlite3); end it",
            "locked: by a process that the kernel does not name; end it"
        ]
    );
}

#[test]
fn two_loop_devices_on_two_names_of_one_file_are_one_content() {
    use crate::{identify, refusals};
    let (tree, _) = machine();
    with_loop(&tree, "loop1", "7:1", IMAGE);
    with_loop(&tree, "loop2", "7:2", "/home/me/link.img");
    with_loop(&tree, "loop3", "7:3", "/home/me/other.img");
    let of = |path: &str| refusals(&tree.root(), &identify(&tree.root(), path).unwrap());
    let told: Vec<PathBuf> = of("/dev/loop1")
        .into_iter()
        .map(|reason| match reason {
            Refusal::SameDriveAs { device, .. } => PathBuf::from(device),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(told, [PathBuf::from("loop2")]);
    assert_eq!(of("/dev/loop3"), []);
    tree.process(40, "qemu", &["/home/me/other.img"]);
    tree.file("proc/40/fdinfo/0", "flags:\t02\n");
    let told = of("/dev/loop3");
    assert!(
        matches!(&told[..], [Refusal::OpenForWriting { pid: 40, .. }]),
        "the file behind it is written past it: {told:?}"
    );
}
