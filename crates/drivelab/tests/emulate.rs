//! A modelled drive as a block device, as clients that are not ours see it.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::path::Path;
use std::process::Command;

use command::{Place, UnderWay};
use fixtures::skip::{root, skip};

const ZONED: &str = "model:wd-ultrastar-dc-zn540-1tb";
const DRIVE: &str = "model:samsung-840-evo-250gb";

/// The drive, kept in the directory `drive`, once clients can connect.
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

/// Runs a client that must succeed, and returns its output.
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
        &["not being served"],
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
        &["not a modelled drive", "drivelab drives"],
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
    place.fails(&["emulate", ZONED], 1, &["NBD has no zone commands"]);
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
        &["belongs to", "another folder"],
    );
}

/// The output of qemu-io for these commands on a new drive, and the drive's own submission and completion times in
/// seconds, in completion order.
fn asked(target: &str, commands: &[&str]) -> (String, Vec<(f64, f64)>) {
    let place = Place::new();
    let mut server =
        place.start(place.command(&["emulate", target, "--nbd", "unix:socket", "--keep", "drive"]));
    server.wait_for("nbd+unix:");
    let mut client = Command::new("qemu-io");
    client.args(["-f", "raw"]);
    for command in commands {
        client.args(["-c", command]);
    }
    let output = client.arg(uri(&place)).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    server.signal("INT");
    assert_eq!(server.end().code, Some(0));
    let trace = place.ok(&["emulate", "--trace", "drive", "--answers"]);
    let mut sent = std::collections::BTreeMap::new();
    let mut answered = Vec::new();
    for line in trace.stdout.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at: f64 = words[3].parse().unwrap();
        let which = words[6..words.len().min(10)].join(" ");
        match (words[5], words[6]) {
            (_, "FN") => {}
            ("D", _) => assert!(sent.insert(which, at).is_none(), "{line}"),
            _ => answered.push((sent.remove(&which).unwrap(), at)),
        }
    }
    (String::from_utf8_lossy(&said).into_owned(), answered)
}

/// True, with a message, if qemu-io is missing.
fn lacks_qemu_io(test: &str) -> bool {
    let lacks = !is_there("qemu-io");
    if lacks {
        skip(test, "qemu-io (qemu-utils) is missing");
    }
    lacks
}

#[test]
fn a_client_reads_an_unreadable_address_again_once_it_has_written_it() {
    if lacks_qemu_io("a_client_reads_an_unreadable_address_again_once_it_has_written_it") {
        return;
    }
    let target = format!("fault({DRIVE})?unreadable=1MiB+8KiB");
    let commands = [
        "read 1M 4k",
        "read 0 4k",
        "write 1M 4k",
        "read 1M 4k",
        "read 1028k 4k",
    ];
    let (said, _) = asked(&target, &commands);
    assert_eq!(
        said.matches("read failed: Input/output error").count(),
        2,
        "{said}"
    );
    assert_eq!(said.matches("read 4096/4096").count(), 2, "{said}");
    assert_eq!(said.matches("wrote 4096/4096").count(), 1, "{said}");
}

#[test]
fn a_client_waits_longer_for_a_slow_region() {
    if lacks_qemu_io("a_client_waits_longer_for_a_slow_region") {
        return;
    }
    let target = format!("fault({DRIVE})?slow=1MiB+64KiB&slow_by=80ms");
    let (said, answered) = asked(&target, &["write 0 4k", "write 1M 4k", "write 2M 4k"]);
    let took: Vec<f64> = answered.iter().map(|(sent, at)| at - sent).collect();
    assert!(took[0] < 0.08 && took[2] < 0.08, "{took:?} {said}");
    assert!(took[1] >= 0.08, "{took:?} {said}");
}

#[test]
fn a_drive_that_stutters_answers_no_client_meanwhile() {
    if lacks_qemu_io("a_drive_that_stutters_answers_no_client_meanwhile") {
        return;
    }
    let target = format!("fault({DRIVE})?stutter=150ms&stutter_every=300ms");
    let places: Vec<String> = (0..40).map(|i| format!("write {}k 4k", 4 * i)).collect();
    let mut commands = Vec::new();
    for place in &places {
        commands.extend([place.as_str(), "sleep 20"]);
    }
    let (said, answered) = asked(&target, &commands);
    assert_eq!(said.matches("wrote 4096/4096").count(), 40, "{said}");
    let into = |at: f64| at % 0.3;
    let stalled = answered
        .iter()
        .filter(|(_, at)| *at >= 0.3 && into(*at) < 0.15 - 1e-6);
    assert_eq!(stalled.count(), 0, "{answered:?}");
    assert!(
        answered.iter().any(|(sent, at)| at - sent > 0.05),
        "{answered:?}"
    );
}

#[test]
fn a_drive_that_turns_read_only_or_disappears_tells_its_clients() {
    if lacks_qemu_io("a_drive_that_turns_read_only_or_disappears_tells_its_clients") {
        return;
    }
    let commands = ["write 0 4k", "read 0 4k", "write 8k 4k", "read 0 4k"];
    let (said, _) = asked(&format!("fault({DRIVE})?read_only_after=2"), &commands);
    assert_eq!(said.matches("wrote 4096/4096").count(), 1, "{said}");
    assert_eq!(
        said.matches("write failed: Operation not permitted")
            .count(),
        1,
        "{said}"
    );
    assert_eq!(said.matches("read 4096/4096").count(), 2, "{said}");
    let (said, _) = asked(&format!("fault({DRIVE})?gone_after=3"), &commands);
    assert_eq!(
        said.matches("failed: Cannot send after transport endpoint shutdown")
            .count(),
        1,
        "{said}"
    );
    let (said, _) = asked(
        &format!("fault({DRIVE})?gone_after=1ns"),
        &["sleep 1", "read 0 4k"],
    );
    assert!(
        said.contains("read failed: Cannot send after transport"),
        "{said}"
    );
}

/// The drive's own time for this many reads of 64 KiB, far from each other, in seconds.
fn reads_take(target: &str, reads: u64) -> f64 {
    let commands: Vec<String> = (0..reads)
        .map(|i| format!("read {}k 64k", 64 * 97 * i))
        .collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let (said, answered) = asked(target, &commands);
    assert_eq!(
        said.matches("read 65536/65536").count() as u64,
        reads,
        "{said}"
    );
    answered.iter().map(|(sent, at)| at - sent).sum()
}

#[test]
fn a_client_meets_old_data_and_those_of_a_drive_that_ages_faster() {
    if lacks_qemu_io("a_client_meets_old_data_and_those_of_a_drive_that_ages_faster") {
        return;
    }
    let state = |age: &str| reads_take(&format!("{DRIVE}?state=50%25-in-order{age}"), 40);
    let (young, old, aged) = (state(""), state(",age=365d"), state(",age=876h&ageing=10"));
    assert!(old > 2.0 * young, "{young} {old}");
    assert!((aged / old - 1.0).abs() < 0.02, "{aged} {old}");
}

#[test]
fn a_hot_drive_is_slower_for_a_client_and_a_worn_out_one_refuses_its_writes() {
    if lacks_qemu_io("a_hot_drive_is_slower_for_a_client_and_a_worn_out_one_refuses_its_writes") {
        return;
    }
    // All at once: a hot drive lets commands in one after another, here so slowly that no transport hides it.
    let commands = [
        "aio_read 0 1M",
        "aio_read 1M 1M",
        "aio_read 2M 1M",
        "aio_read 3M 1M",
        "aio_flush",
    ];
    let reading = |state: &str| {
        let target = format!(
            "model:wd-black-sn770-1tb?ssd.thermal.throttled_mb_s=2&state=50%25-in-order{state}"
        );
        let (said, answered) = asked(&target, &commands);
        assert_eq!(said.matches("read 1048576/1048576").count(), 4, "{said}");
        answered
    };
    let (cool, hot) = (reading(""), reading(",temperature=103C"));
    assert!(cool.iter().all(|(sent, at)| at - sent < 0.1), "{cool:?}");
    assert!(hot[3].1 - hot[0].0 > 1.5, "{hot:?}");
    let worn = format!("{DRIVE}?state=fresh,wear=100%25");
    let (said, _) = asked(&worn, &["write 0 4k", "read 0 4k"]);
    assert!(
        said.contains("write failed: Operation not permitted"),
        "{said}"
    );
    assert!(said.contains("read 4096/4096"), "{said}");
}

/// What the recipe found of a load on drives whose power fails, a document each, and its exit code; or why it cannot be
/// tried on this machine.
fn power_cuts(load: &str, more: &[&str]) -> Result<(Option<i32>, Vec<serde_json::Value>), String> {
    let place = Place::new();
    let recipe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes/power_cuts.py");
    let output = Command::new("python3")
        .arg("-B")
        .arg(recipe)
        .args(["--drivelab", env!("CARGO_BIN_EXE_drivelab")])
        .args(["--drive", DRIVE, "--load", load])
        .args(["--folder", place.path("").to_str().unwrap()])
        .args(more)
        .output()
        .unwrap();
    let code = output.status.code();
    if code == Some(2) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let found = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    Ok((code, found.map(Result::unwrap).collect()))
}

/// True, with a message, if a file system cannot be created and mounted on an emulated drive.
fn cannot_mount(test: &str, maker: &str) -> bool {
    let can = root()
        && Path::new("/dev/fuse").exists()
        && ["nbdfuse", "python3", maker].into_iter().all(is_there);
    if !can {
        skip(
            test,
            &format!("it needs root, /dev/fuse, nbdfuse (libnbd-bin), python3 and {maker}"),
        );
    }
    !can
}

#[test]
fn a_database_keeps_what_it_acknowledged_and_a_drive_that_lies_about_flushes_is_caught() {
    let test =
        "a_database_keeps_what_it_acknowledged_and_a_drive_that_lies_about_flushes_is_caught";
    if cannot_mount(test, "mkfs.ext4") {
        return;
    }
    let (code, found) = match power_cuts("sqlite-wal", &["--cuts", "4"]) {
        Ok(found) => found,
        Err(why) => return skip(test, &why),
    };
    let [honest, liar] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((code, &honest["power_cuts"]), (Some(0), &4.into()));
    assert!(honest["acknowledged"].as_u64() > Some(20), "{honest}");
    assert!(honest["lost"].as_array().unwrap().is_empty(), "{honest}");
    assert!(!liar["lost"].as_array().unwrap().is_empty(), "{liar}");
}

#[test]
fn blocks_have_no_version_older_than_the_newest_durable_one_after_power_cuts() {
    let test = "blocks_have_no_version_older_than_the_newest_durable_one_after_power_cuts";
    if !is_there("python3") {
        return skip(test, "it needs python3");
    }
    let (code, found) = power_cuts("blocks", &["--cuts", "4"]).unwrap();
    assert_eq!(code, Some(0), "{found:?}");
}

/// Power cuts while files are written to a file system on the drive, and the verdict of its own checker.
fn files_outlive_power_cuts(test: &str, file_system: &str) {
    if cannot_mount(test, &format!("mkfs.{file_system}")) {
        return;
    }
    let settings = ["--cuts", "4", "--lying-cuts", "0", "--file-system"];
    let (code, found) = match power_cuts("files", &[&settings[..], &[file_system]].concat()) {
        Ok(found) => found,
        // A kernel without this file system, for one.
        Err(why) => return skip(test, &why),
    };
    assert_eq!((code, found.len()), (Some(0), 1), "{found:?}");
    assert_eq!(found[0]["power_cuts"], 4);
    assert!(found[0]["acknowledged"].as_u64() > Some(4), "{found:?}");
}

#[test]
fn files_on_ext4_whose_fsync_returned_are_whole_after_power_cuts() {
    files_outlive_power_cuts(
        "files_on_ext4_whose_fsync_returned_are_whole_after_power_cuts",
        "ext4",
    );
}

#[test]
fn files_on_xfs_whose_fsync_returned_are_whole_after_power_cuts() {
    files_outlive_power_cuts(
        "files_on_xfs_whose_fsync_returned_are_whole_after_power_cuts",
        "xfs",
    );
}

#[test]
fn files_on_btrfs_whose_fsync_returned_are_whole_after_power_cuts() {
    files_outlive_power_cuts(
        "files_on_btrfs_whose_fsync_returned_are_whole_after_power_cuts",
        "btrfs",
    );
}
