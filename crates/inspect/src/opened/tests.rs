//! Replacements between inspection and open.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use super::super::identity::identify;
use super::*;

fn root() -> Root {
    Root::new("/")
}

/// A file that was inspected.
fn looked_at(folder: &Path) -> (PathBuf, Identity) {
    let path = folder.join("own.img");
    fs::write(&path, [7; 4096]).unwrap();
    let identity = identify(&root(), &path).unwrap();
    (path, identity)
}

/// Opens a file that no other process has open. A child of a concurrent test has all of this process's files open until
/// it executes its program, so a refusal is retried.
fn opened(identity: &Identity) -> File {
    for _ in 0..100 {
        match open_file_for_destruction(&root(), identity) {
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(10)),
            Ok(file) => return file,
        }
    }
    open_file_for_destruction(&root(), identity).unwrap()
}

fn refused(identity: &Identity) -> [String; 2] {
    [
        open_as_seen(&root(), identity, false)
            .unwrap_err()
            .to_string(),
        open_file_for_destruction(&root(), identity)
            .unwrap_err()
            .to_string(),
    ]
}

#[test]
fn what_was_looked_at_is_opened_and_can_wait() {
    let folder = tempfile::tempdir().unwrap();
    let (path, identity) = looked_at(folder.path());
    let file = open_file_for_destruction(&root(), &identity).unwrap();
    let flags = rustix::fs::fcntl_getfl(&file).unwrap();
    assert!(!flags.contains(OFlags::NONBLOCK));
    assert_eq!(fs::read(path).unwrap(), [7; 4096], "nothing is cut off");
    let read = open_as_seen(&root(), &identity, false).unwrap();
    assert!(std::io::Write::write(&mut &read, b"x").is_err());
}

#[test]
fn a_file_swapped_for_a_link_another_file_or_a_pipe_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (path, identity) = looked_at(folder.path());
    let other = folder.path().join("other.img");
    fs::write(&other, [1; 4096]).unwrap();
    let swapped = "its name now belongs to another file or device";
    fs::rename(&path, folder.path().join("away")).unwrap();
    symlink(&other, &path).unwrap();
    for told in refused(&identity) {
        assert!(told.contains(swapped), "{told}");
    }
    fs::remove_file(&path).unwrap();
    fs::rename(&other, &path).unwrap();
    for told in refused(&identity) {
        assert!(told.contains(swapped), "{told}");
    }
    assert_eq!(fs::read(&path).unwrap(), [1; 4096]);
    fs::remove_file(&path).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
    for told in refused(&identity) {
        assert!(told.contains(swapped), "{told}");
    }
}

#[test]
fn a_link_that_was_followed_when_it_was_looked_at_is_no_swap() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = looked_at(folder.path());
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    let identity = identify(&root(), &link).unwrap();
    drop(opened(&identity));
    let other = folder.path().join("other.img");
    fs::write(&other, [1; 4096]).unwrap();
    fs::remove_file(&link).unwrap();
    symlink(&other, &link).unwrap();
    let file = opened(&identity);
    assert_eq!(
        FileId::of(&file.metadata().unwrap()),
        FileId::at(&path).unwrap()
    );
}

#[test]
fn a_file_is_refused_while_another_process_writes_to_it() {
    let test = "a_file_is_refused_while_another_process_writes_to_it";
    let folder = tempfile::tempdir().unwrap();
    let (path, identity) = looked_at(folder.path());
    let file = fs::File::options().write(true).open(&path).unwrap();
    let child = Command::new("cat")
        .stdin(std::process::Stdio::piped())
        .stdout(file)
        .spawn();
    let Ok(mut child) = child else {
        fixtures::skip::skip(test, "needs cat");
        return;
    };
    let told = open_file_for_destruction(&root(), &identity)
        .unwrap_err()
        .to_string();
    assert!(
        told.contains(&format!("process {} (cat) has it", child.id())),
        "{told}"
    );
    let _ = child.kill();
    let _ = child.wait();
    drop(opened(&identity));
}

#[test]
fn the_image_of_a_loop_device_is_refused_by_a_hard_link_to_it() {
    let test = "the_image_of_a_loop_device_is_refused_by_a_hard_link_to_it";
    let Some(device) = fixtures::loop_device::LoopDevice::attach(test, 8) else {
        return;
    };
    let link = device.file.path().with_extension("link");
    fs::hard_link(device.file.path(), &link).unwrap();
    let identity = identify(&root(), &link).unwrap();
    let told = open_file_for_destruction(&root(), &identity)
        .unwrap_err()
        .to_string();
    fs::remove_file(&link).unwrap();
    assert!(
        told.contains(&format!("{} shows it", device.node.display())),
        "{told}"
    );
}

#[test]
fn a_file_that_is_marked_as_immutable_is_said_to_be_and_root_is_not_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (path, identity) = looked_at(folder.path());
    let file = File::open(&path).unwrap();
    let mark = |flags| rustix::fs::ioctl_setflags(&file, flags);
    if let Err(why) = mark(rustix::fs::IFlags::IMMUTABLE) {
        let test = "a_file_that_is_marked_as_immutable_is_said_to_be_and_root_is_not_asked_for";
        return fixtures::skip::skip(test, &format!("a file cannot be marked here: {why}"));
    }
    let refused = open_file_for_destruction(&root(), &identity);
    let read = open_as_seen(&root(), &identity, false);
    mark(rustix::fs::IFlags::empty()).unwrap();
    let why = refused.unwrap_err().to_string();
    assert!(
        why.contains("immutable") && !why.contains("run as root"),
        "{why}"
    );
    assert!(read.is_ok(), "{read:?}");
}
