//! A modelled drive as a block device, as clients that are not ours see it.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::path::Path;
use std::process::Command;

use command::{Place, UnderWay};
use fixtures::skip::{root, skip};

const ZONED: &str = "model:wd-ultrastar-dc-zn540-1tb";
const DRIVE: &str = "model:samsung-840-evo-250gb";

/// The drive, kept in the place's folder `drive`, once clients can connect.
fn served(place: &Place, more: &[&str]) -> UnderWay {
    let mut arguments = vec!["emulate", DRIVE, "--nbd", "unix:socket", "--keep", "drive"];
    arguments.extend_from_slice(more);
    let mut server = place.start(place.command(&arguments));
    server.wait_for("nbd+unix:");
    server
}

fn uri(place: &Place) -> String {
    format!("nbd+unix:///?socket={}", place.path("socket").display())
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Runs a client that must succeed, and gives what it prints.
fn client(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {text}{errors}"
    );
    text
}

#[test]
fn what_other_programs_copy_to_the_drive_is_there_after_it_was_switched_off() {
    let test = "what_other_programs_copy_to_the_drive_is_there_after_it_was_switched_off";
    if !is_there("nbdcopy") || !is_there("qemu-img") {
        return skip(
            test,
            "nbdcopy (libnbd-bin) or qemu-img (qemu-utils) is missing",
        );
    }
    let place = Place::new();
    let file = place.file("original", 8 << 20);
    let original = file.to_str().unwrap();
    let server = served(&place, &[]);
    let is = client("nbdinfo", &[&uri(&place)]);
    for says in [
        "Samsung 840 EVO 250GB",
        "can_fua: true",
        "is_rotational: false",
    ] {
        assert!(is.contains(says), "{is}");
    }
    client(
        "nbdcopy",
        &["--connections=4", "--flush", original, &uri(&place)],
    );
    server.signal("INT");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.stderr.contains("after the drive's own time"),
        "{ended:?}"
    );
    let server = served(&place, &["--read-only"]);
    let map = client("nbdinfo", &["--map", &uri(&place)]);
    assert!(map.contains("8388608"), "{map}");
    let back = place.path("back");
    client(
        "qemu-img",
        &[
            "dd",
            "-f",
            "raw",
            "-O",
            "raw",
            "bs=1M",
            "count=8",
            &format!("if={}", uri(&place)),
            &format!("of={}", back.display()),
        ],
    );
    assert_eq!(std::fs::read(&back).unwrap(), std::fs::read(&file).unwrap());
    server.signal("INT");
    let ended = server.end();
    assert!(ended.stderr.contains("it was switched off"), "{ended:?}");
}

#[test]
fn a_power_cut_ends_the_server_and_what_was_flushed_is_there() {
    let test = "a_power_cut_ends_the_server_and_what_was_flushed_is_there";
    if !is_there("qemu-io") {
        return skip(test, "qemu-io (qemu-utils) is missing");
    }
    let place = Place::new();
    let server = served(&place, &[]);
    // qemu-io flushes when it leaves.
    client(
        "qemu-io",
        &["-f", "raw", "-c", "write -P 7 64k 128k", &uri(&place)],
    );
    place.ok(&["emulate", "--power-cut", "drive"]);
    assert_eq!(server.end().code, None);
    let server = served(&place, &[]);
    client(
        "qemu-io",
        &[
            "-f",
            "raw",
            "-c",
            "read -P 7 64k 128k",
            "-c",
            "read -P 0 0 64k",
            &uri(&place),
        ],
    );
    server.signal("TERM");
    let ended = server.end();
    assert!(
        ended.stderr.contains("a power cut, which lost 0 B"),
        "{ended:?}"
    );
    place.fails(
        &["emulate", "--power-cut", "drive"],
        1,
        &["nobody serves this drive"],
    );
    let trace = place.ok(&["emulate", "--trace", "drive"]);
    assert!(trace.stdout.starts_with("fio version 3 iolog"), "{trace:?}");
    std::fs::write(place.path("trace.fio"), &trace.stdout).unwrap();
    let replayed = [
        "run",
        "replay",
        DRIVE,
        "--set",
        "trace=trace.fio",
        "--set",
        "timing=as-fast-as-possible",
    ];
    place.ok(&replayed);
}

#[test]
fn what_cannot_be_emulated_is_said_in_a_line() {
    let place = Place::new();
    place.fails(
        &["emulate", "."],
        1,
        &["no modelled drive", "drivelab drives"],
    );
    place.fails(
        &["emulate", "model:samsung-840-evo-250g"],
        1,
        &["samsung-840-evo-250gb"],
    );
    place.fails(
        &["emulate", DRIVE, "--nbd", "unix:no/such/folder"],
        1,
        &["cannot listen at"],
    );
    place.fails(&["emulate", ZONED], 1, &["no client of NBD"]);
    place.file("full", 1);
    place.fails(
        &["emulate", DRIVE, "--keep", "."],
        1,
        &["holds other files"],
    );
    let refused = place.run(&["emulate", DRIVE, "--nbd", "10809"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("tcp:127.0.0.1:PORT"), "{refused:?}");
    let server = served(&place, &[]);
    place.fails(
        &["emulate", DRIVE, "--keep", "drive"],
        1,
        &["serves this drive now"],
    );
    place.fails(&["emulate", DRIVE, "--nbd", "unix:socket"], 1, &["in use"]);
    server.signal("INT");
    assert_eq!(server.end().code, Some(0));
    place.fails(
        &["emulate", "model:wd-red-wd30efrx-3tb", "--keep", "drive"],
        1,
        &["is kept for", "another folder"],
    );
}

/// What the recipe found, and its exit code; or why it cannot be tried on this machine.
fn recipe(place: &Place, more: &[&str]) -> Result<(Option<i32>, serde_json::Value), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes/database_power_cuts.py");
    let output = Command::new("python3")
        .arg(script)
        .args(["--drivelab", env!("CARGO_BIN_EXE_drivelab")])
        .args(["--drive", DRIVE, "--seconds", "0.7"])
        .args(["--folder", place.path("").to_str().unwrap()])
        .args(more)
        .output()
        .unwrap();
    let code = output.status.code();
    if code == Some(2) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok((code, serde_json::from_slice(&output.stdout).unwrap()))
}

#[test]
fn a_database_keeps_what_it_acknowledged_and_a_drive_that_lies_about_flushes_is_caught() {
    let test =
        "a_database_keeps_what_it_acknowledged_and_a_drive_that_lies_about_flushes_is_caught";
    if !root() || !Path::new("/dev/fuse").exists() || !is_there("nbdfuse") || !is_there("mkfs.ext4")
    {
        return skip(
            test,
            "it needs root, /dev/fuse, nbdfuse (libnbd-bin) and mkfs.ext4",
        );
    }
    let place = Place::new();
    let (code, honest) = match recipe(&place, &["--cuts", "4"]) {
        Ok(found) => found,
        Err(why) => return skip(test, &why),
    };
    assert_eq!(
        (code, &honest["recovered"]),
        (Some(0), &4.into()),
        "{honest}"
    );
    assert!(
        honest["acknowledged_commits"].as_u64() > Some(20),
        "{honest}"
    );
    let (code, liar) = recipe(&place, &["--cuts", "30", "--ignore-flushes"]).unwrap();
    assert_eq!(code, Some(1), "{liar}");
    assert!(!liar["lost"].as_array().unwrap().is_empty(), "{liar}");
}
