//! A kept drive whose directory is damaged, or has no room.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;
#[path = "../../store/tests/small_disk/mod.rs"]
mod small_disk;

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use command::{Place, UnderWay};
use fixtures::skip::skip;
use small_disk::{SmallDisk, fill};

const DRIVE: &str = "model:samsung-840-evo-250gb";

fn served(place: &Place, folder: &Path) -> UnderWay {
    let keep = folder.to_str().unwrap();
    let mut server =
        place.start(place.command(&["emulate", DRIVE, "--nbd", "unix:socket", "--keep", keep]));
    server.wait_for("nbd+unix:");
    server
}

fn switched_off(server: UnderWay) -> String {
    server.signal("INT");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.stderr
}

/// The output of qemu-io for these commands.
fn asked(place: &Place, commands: &[&str]) -> String {
    let mut client = Command::new("qemu-io");
    client.args(["-f", "raw"]);
    for command in commands {
        client.args(["-c", command]);
    }
    let uri = format!("nbd+unix:///?socket={}", place.path("socket").display());
    let output = client.arg(uri).output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// True, with a message, if qemu-io is missing.
fn lacks_qemu_io(test: &str) -> bool {
    let lacks = Command::new("qemu-io").arg("--version").output().is_err();
    if lacks {
        skip(test, "qemu-io (qemu-utils) is missing");
    }
    lacks
}

#[test]
fn a_drive_without_room_is_read_and_is_written_again_once_there_is_some() {
    let test = "a_drive_without_room_is_read_and_is_written_again_once_there_is_some";
    if lacks_qemu_io(test) {
        return;
    }
    let Some(disk) = SmallDisk::for_test(test) else {
        return;
    };
    let (place, folder) = (Place::new(), disk.path().join("drive"));
    let (reads, writes) = ("read -P 7 0 64k", "write -P 7 0 64k");
    let wrote = |said: &str| said.contains("wrote 65536/65536");
    let server = served(&place, &folder);
    assert!(wrote(&asked(&place, &[writes, "flush"])));
    let ballast = disk.path().join("ballast");
    fill(&ballast);
    // More than there is room for in the log.
    let said = asked(&place, &[reads; 3_000]);
    assert_eq!(said.matches("read 65536/65536").count(), 3_000, "{said}");
    let said = asked(&place, &["write -P 9 0 64k", reads]);
    assert!(said.contains("No space left on device"), "{said}");
    disk.remove(&ballast);
    let said = asked(&place, &[reads, writes, reads]);
    assert!(wrote(&said) && !said.contains("fail"), "{said}");
    fill(&ballast);
    let said = asked(&place, &[reads; 3_000]);
    assert!(!said.contains("fail"), "{said}");
    let told = switched_off(server);
    assert!(told.contains("no room for the request log"), "{told}");
    // It is had back on the full disk, too.
    let server = served(&place, &folder);
    let said = asked(&place, &[reads]);
    assert!(said.contains("read 65536/65536"), "{said}");
    let told = switched_off(server);
    assert!(told.contains("it was switched off"), "{told}");
}

#[test]
fn the_data_of_a_damaged_folder_are_got_out() {
    let test = "the_data_of_a_damaged_folder_are_got_out";
    if lacks_qemu_io(test) {
        return;
    }
    let place = Place::new();
    let folder = place.path("drive");
    let server = served(&place, &folder);
    asked(&place, &["write -P 7 1M 64k", "flush"]);
    switched_off(server);
    let log = std::fs::File::options()
        .write(true)
        .open(folder.join("log"));
    log.unwrap().write_all_at(&[0xFF], 40).unwrap();
    let keep = ["emulate", DRIVE, "--nbd", "unix:socket", "--keep", "drive"];
    place.fails(&keep, 1, &["record 2", "--salvage"]);
    let salvage = ["emulate", "--salvage", "drive", "out"];
    let said = place.ok(&salvage).stderr;
    assert!(said.contains("damaged: log: record 2"), "{said}");
    let mut found = [0; 64 << 10];
    let out = std::fs::File::open(place.path("out")).unwrap();
    out.read_exact_at(&mut found, 1 << 20).unwrap();
    assert!(found.iter().all(|byte| *byte == 7));
    place.fails(&salvage, 1, &["cannot write out"]);
    place.fails(
        &["emulate", "--salvage", "nowhere", "new"],
        1,
        &["no readable data"],
    );
    assert!(!place.path("new").exists());
}
