//! Where a process has no descriptor left, nothing is opened by its name instead.
//!
//! The limit is the whole process's, so this binary has one test.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::fs::File;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use uring::open::{OpenError, Options, share};

#[test]
fn without_a_descriptor_left_a_drive_that_is_open_is_not_opened_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive");
    std::fs::write(&path, vec![1; 1 << 20]).unwrap();
    let file = File::open(&path).unwrap();
    // Now the name leads to another one, and the last descriptors are taken.
    std::fs::write(folder.path().join("other"), vec![2; 1 << 20]).unwrap();
    std::fs::rename(folder.path().join("other"), &path).unwrap();
    let few = Rlimit {
        current: Some(64),
        ..getrlimit(Resource::Nofile)
    };
    setrlimit(Resource::Nofile, few).unwrap();
    let mut taken = Vec::new();
    while let Ok(more) = file.try_clone() {
        taken.push(more);
    }
    let buffered = Options {
        buffered: true,
        ..Options::default()
    };
    let opened = share(&file, &path, &buffered).map(|target| target.describe().to_owned());
    assert!(
        matches!(
            opened,
            Err(OpenError::Failed {
                errno: Errno::MFILE,
                ..
            })
        ),
        "{opened:?}"
    );
    drop(taken);
    assert!(share(&file, &path, &buffered).is_ok());
}
