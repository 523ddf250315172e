//! A modelled drive as a block device of this computer, by ublk.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use command::{Place, UnderWay, wait_until};
use fixtures::skip::{root, skip};

const CONTROL: &str = "/dev/ublk-control";
const EMULATE: [&str; 5] = [
    "emulate",
    "model:samsung-840-evo-250gb",
    "--nbd",
    "unix:socket",
    "--ublk",
];

/// The drive, kept in the directory `drive`, and the path of its block device.
fn served(place: &Place) -> (UnderWay, PathBuf) {
    let arguments = [&EMULATE[..], &["--keep", "drive"]].concat();
    let mut server = place.start(place.command(&arguments));
    let words = "also as a block device: ";
    server.wait_for(words);
    let said = server.said();
    let line = said.lines().find_map(|line| line.split_once(words));
    let device = PathBuf::from(line.unwrap().1.trim());
    (server, device)
}

#[test]
fn where_there_is_no_ublk_it_is_said_what_to_do_instead() {
    let test = "where_there_is_no_ublk_it_is_said_what_to_do_instead";
    if Path::new(CONTROL).exists() {
        return skip(test, "this kernel has ublk");
    }
    let place = Place::new();
    place.fails(&EMULATE, 1, &["modprobe ublk_drv", "--fuse FILE"]);
}

#[test]
fn what_is_written_to_the_block_device_is_there_after_a_restart() {
    let test = "what_is_written_to_the_block_device_is_there_after_a_restart";
    if !root() || !Path::new(CONTROL).exists() {
        return skip(
            test,
            "it needs root and ublk (modprobe ublk_drv, Linux 6.5 or later)",
        );
    }
    let place = Place::new();
    let (server, path) = served(&place);
    let device = OpenOptions::new().write(true).open(&path).unwrap();
    // No whole sectors: the kernel reads what is beside them.
    device.write_all_at(&[7; 5_000], 1_000).unwrap();
    device.sync_all().unwrap();
    // What the page cache holds of it is written when the device is taken away.
    device.write_all_at(&[9; 512], 1 << 20).unwrap();
    drop(device);
    server.signal("INT");
    assert_eq!(server.end().code, Some(0));
    wait_until("the device goes", || !path.exists());
    let (server, path) = served(&place);
    let device = OpenOptions::new().read(true).open(&path).unwrap();
    let mut back = vec![0; 7_000];
    device.read_exact_at(&mut back, 0).unwrap();
    let around = back[..1_000].iter().chain(&back[6_000..]);
    assert!(around.copied().all(|byte| byte == 0));
    assert!(back[1_000..6_000].iter().all(|byte| *byte == 7));
    device.read_exact_at(&mut back[..512], 1 << 20).unwrap();
    assert!(back[..512].iter().all(|byte| *byte == 9));
    drop(device);
    server.signal("INT");
    assert_eq!(server.end().code, Some(0));
}
