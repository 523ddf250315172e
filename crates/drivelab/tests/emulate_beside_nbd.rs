//! A modelled drive as a file, by QEMU's storage daemon, and as a virtual machine's disk.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Command;

use command::{Place, UnderWay};
use fixtures::skip::{root, skip};

const DRIVE: &str = "model:samsung-840-evo-250gb";

/// The drive, kept in the directory `drive`, with another frontend, once its location is printed.
fn served(place: &Place, way: &[&str]) -> UnderWay {
    let mut arguments = vec!["emulate", DRIVE, "--nbd", "unix:socket", "--keep", "drive"];
    arguments.extend_from_slice(way);
    let mut server = place.start(place.command(&arguments));
    server.wait_for("also as");
    server
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn a_drive_is_also_a_file_that_other_programs_open_and_what_they_wrote_is_kept() {
    let test = "a_drive_is_also_a_file_that_other_programs_open_and_what_they_wrote_is_kept";
    if !root() || !Path::new("/dev/fuse").exists() || !is_there("qemu-storage-daemon") {
        return skip(
            test,
            "it needs root, /dev/fuse and qemu-storage-daemon (qemu-system-common)",
        );
    }
    let place = Place::new();
    let file = place.path("disk");
    let as_file = |place: &Place| {
        let server = served(place, &["--fuse", "disk"]);
        // The file is there at once, and as large as the drive when the daemon has come.
        let is_drive =
            || std::fs::metadata(&file).is_ok_and(|found| found.len() == 250_059_350_016);
        for _ in 0..200 {
            if is_drive() {
                return server;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("no drive at {}", file.display());
    };
    let server = as_file(&place);
    let mut opened = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
    // No whole sectors.
    opened.seek(SeekFrom::Start(1_000)).unwrap();
    opened.write_all(&[7; 5_000]).unwrap();
    drop(opened);
    server.signal("INT");
    assert_eq!(server.end().code, Some(0));
    assert!(!file.exists(), "it was made, and goes");
    let server = as_file(&place);
    let mut back = vec![0; 7_000];
    File::open(&file).unwrap().read_exact(&mut back).unwrap();
    assert!(
        back[..1_000]
            .iter()
            .chain(&back[6_000..])
            .all(|byte| *byte == 0)
    );
    assert!(back[1_000..6_000].iter().all(|byte| *byte == 7));
    server.signal("INT");
    assert_eq!(server.end().code, Some(0));
}

/// The drive as the file `disk`, once it is as large as it.
fn as_a_file(place: &Place) -> UnderWay {
    let server = served(place, &["--fuse", "disk"]);
    let file = place.path("disk");
    for _ in 0..200 {
        if std::fs::metadata(&file).is_ok_and(|found| found.len() == 250_059_350_016) {
            return server;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("no drive at {}", file.display());
}

fn lacks_fuse(test: &str) -> bool {
    let has = root() && Path::new("/dev/fuse").exists() && is_there("qemu-storage-daemon");
    if !has {
        skip(
            test,
            "it needs root, /dev/fuse and qemu-storage-daemon (qemu-system-common)",
        );
    }
    !has
}

#[test]
fn after_a_power_cut_the_same_command_makes_the_file_again() {
    if lacks_fuse("after_a_power_cut_the_same_command_makes_the_file_again") {
        return;
    }
    let place = Place::new();
    for _ in 0..3 {
        let server = as_a_file(&place);
        server.signal("KILL");
        assert_eq!(server.end().code, None);
    }
    let server = as_a_file(&place);
    server.signal("INT");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn what_the_system_holds_for_a_loop_device_over_the_file_is_written_before_the_end() {
    let test = "what_the_system_holds_for_a_loop_device_over_the_file_is_written_before_the_end";
    if lacks_fuse(test) {
        return;
    }
    let place = Place::new();
    let server = as_a_file(&place);
    let attached = Command::new("losetup")
        .args(["--find", "--show"])
        .arg(place.path("disk"))
        .output()
        .unwrap();
    if !attached.status.success() {
        server.signal("INT");
        server.end();
        return skip(test, "no loop device is to be had");
    }
    let device = String::from_utf8(attached.stdout)
        .unwrap()
        .trim()
        .to_owned();
    let mut opened = std::fs::OpenOptions::new()
        .write(true)
        .open(&device)
        .unwrap();
    opened.write_all(&[9; 65_536]).unwrap();
    server.signal("INT");
    let ended = server.end();
    drop(opened);
    let _ = Command::new("losetup").args(["--detach", &device]).status();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended
            .stderr
            .contains(&format!("{device} over the drive's file")),
        "{ended:?}"
    );
    let server = as_a_file(&place);
    let mut back = vec![0; 65_536];
    let mut file = File::open(place.path("disk")).unwrap();
    file.read_exact(&mut back).unwrap();
    assert!(back.iter().all(|byte| *byte == 9));
    drop(file);
    server.signal("INT");
    assert_eq!(server.end().code, Some(0));
}

/// A boot sector that writes a letter to the first serial port and stops.
const BOOT_SECTOR: [u8; 8] = [0xba, 0xf8, 0x03, 0xb0, b'D', 0xee, 0xfa, 0xf4];

#[test]
fn a_virtual_machine_starts_from_a_drive_over_vhost_user() {
    let test = "a_virtual_machine_starts_from_a_drive_over_vhost_user";
    if !["qemu-system-x86_64", "nbdcopy"].into_iter().all(is_there) {
        return skip(
            test,
            "it needs qemu-system-x86_64 (qemu-system-x86) and nbdcopy (libnbd-bin)",
        );
    }
    let place = Place::new();
    let server = served(&place, &["--vhost-user", "vm"]);
    let mut sector = vec![0; 512];
    sector[..BOOT_SECTOR.len()].copy_from_slice(&BOOT_SECTOR);
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    let boot = place.path("boot");
    std::fs::write(&boot, &sector).unwrap();
    let socket = place.path("socket");
    let copied = Command::new("nbdcopy")
        .args(["--flush", boot.to_str().unwrap()])
        .arg(format!("nbd+unix:///?socket={}", socket.display()))
        .status();
    assert!(copied.unwrap().success());
    let serial = place.path("serial");
    let mut machine = Command::new("qemu-system-x86_64")
        .args(["-machine", "q35,accel=tcg,memory-backend=m", "-m", "64"])
        .args(["-object", "memory-backend-memfd,id=m,size=64M,share=on"])
        .args(["-display", "none", "-nodefaults", "-no-user-config"])
        .arg("-serial")
        .arg(format!("file:{}", serial.display()))
        .arg("-chardev")
        .arg(format!("socket,id=c,path={}", place.path("vm").display()))
        .args(["-device", "vhost-user-blk-pci,chardev=c,bootindex=0"])
        .spawn()
        .unwrap();
    let said = || std::fs::read(&serial).unwrap_or_default();
    let started = (0..1_200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        said().contains(&b'D')
    });
    machine.kill().unwrap();
    machine.wait().unwrap();
    server.signal("INT");
    assert_eq!(server.end().code, Some(0));
    assert!(started, "{}", String::from_utf8_lossy(&said()));
}

#[test]
fn a_file_that_is_no_place_for_a_drive_is_left_alone() {
    let place = Place::new();
    let file = place.file("letters", 100);
    let before = std::fs::read(&file).unwrap();
    let ran = place.run(&[
        "emulate",
        DRIVE,
        "--nbd",
        "unix:socket",
        "--fuse",
        "letters",
    ]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("is not an empty file"), "{ran:?}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}
