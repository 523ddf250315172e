//! What a ring takes from the machine it gives back when it is dropped, and at once.
//!
//! The figures are those of the whole process, so this binary has one test.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use base::io::Io;
use base::size::Bytes;
use base::target::{Outcome, Tag, Target};
use fixtures::loop_device::LoopDevice;
use rustix::fs::OFlags;
use uring::open::{Engine, OpenError, Options, RealTarget, adopt};

/// More than a thread has slots for rings.
const TIMES: usize = 40;

/// What the process holds: open files, and kilobytes of pinned and locked memory.
#[derive(Debug, PartialEq)]
struct Held {
    files: usize,
    pinned: String,
    locked: String,
}

fn held() -> Held {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = |name: &str| {
        let found = status.lines().find(|line| line.starts_with(name));
        found.unwrap().to_owned()
    };
    Held {
        files: std::fs::read_dir("/proc/self/fd").unwrap().count(),
        pinned: line("VmPin"),
        locked: line("VmLck"),
    }
}

/// As a device is claimed for overwriting.
fn claim(node: &Path) -> std::io::Result<File> {
    let flags = OFlags::EXCL | OFlags::DIRECT | OFlags::CLOEXEC;
    OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(flags.bits().cast_signed())
        .open(node)
}

/// One step of a plan: the device is claimed, written and read through a ring, and let go.
fn step(node: &Path) -> Result<String, OpenError> {
    let claimed = claim(node).unwrap();
    let options = Options {
        read_only: false,
        depth: 32,
        largest_io: Bytes::kib(256),
        engine: Engine::Uring,
        ..Options::default()
    };
    let mut target = adopt(claimed.try_clone().unwrap().into(), node, &options)?;
    let described = target.describe().to_owned();
    for round in 0..4 {
        let at = Bytes::kib(256 * round);
        go(&mut target, &Io::write(at, Bytes::kib(256), round));
        go(&mut target, &Io::read(at, Bytes::kib(256)));
    }
    go(&mut target, &Io::flush());
    // One is still with the kernel when the ring ends.
    target
        .submit(Tag(1), &Io::read(Bytes::ZERO, Bytes::kib(256)))
        .unwrap();
    target
        .submit(Tag(2), &Io::read(Bytes::ZERO, Bytes::kib(256)))
        .unwrap();
    target.wait(Some(target.now()), &mut Vec::new());
    Ok(described)
}

fn go(target: &mut RealTarget, io: &Io) {
    target.submit(Tag(0), io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        target.wait(None, &mut done);
    }
    assert_eq!(done[0].outcome, Outcome::Complete, "{io:?}");
}

#[test]
fn a_device_can_be_claimed_again_at_once_and_the_fortieth_ring_finds_what_the_first_found() {
    let test =
        "a_device_can_be_claimed_again_at_once_and_the_fortieth_ring_finds_what_the_first_found";
    let Some(device) = LoopDevice::attach(test, 8) else {
        return;
    };
    let first = match step(&device.node) {
        Err(OpenError::NoRing { why, .. }) => {
            return fixtures::skip::skip(test, &format!("no io_uring: {why}"));
        }
        described => described.unwrap(),
    };
    let after_first = held();
    for number in 2..=TIMES {
        assert_eq!(step(&device.node).unwrap(), first, "ring {number}");
        assert_eq!(held(), after_first, "after ring {number}");
    }
}
