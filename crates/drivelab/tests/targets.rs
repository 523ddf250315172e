//! Every method on every kind of target, and what protects the user's own data.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;
mod loop_device;

use command::{Ended, Place};
use fixtures::skip::skip;
use loop_device::LoopDevice;

/// Drives on which every method also meets faults.
const FAULTED: [&str; 2] = ["samsung-840-evo-750gb", "hgst-deskstar-nas-hdn724030-3tb"];
const OWN: usize = 16 << 20;

fn arguments<'a>(method: &'a str, target: &'a str, settings: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", method, target, "--scale", "quick"];
    for setting in settings {
        arguments.extend(["--set", setting]);
    }
    arguments
}

/// Runs every method on a target, with the settings of its card's shortest run; `look` sees the outcome of each that is
/// not refused because of its card's requirements.
fn every_method(place: &Place, target: &str, more: &[&str], look: impl Fn(&str, Ended)) {
    let listing = place.json(&["methods", "--json"]);
    let model = target.starts_with("null:") || target.contains("model:");
    let drives = place.json(&["drives", "--kind", "hdd", "--json"])["drives"].clone();
    let is_disk = |name: &str| target.contains(&format!("model:{name}"));
    let disk = (drives.as_array().unwrap().iter()).any(|d| is_disk(d["slug"].as_str().unwrap()));
    let bare = target.split('?').next().unwrap_or(target);
    let only_read = !model && more.is_empty() && !place.path(bare).is_dir();
    for method in listing["methods"].as_array().unwrap() {
        if method["models_only"].as_bool().unwrap() && !model {
            continue;
        }
        let name = method["id"].as_str().unwrap();
        let shortest = method["shortest"].as_array().unwrap().iter();
        let settings: Vec<&str> = shortest.map(|pair| pair.as_str().unwrap()).collect();
        let mut arguments = arguments(name, target, &settings);
        arguments.extend(more);
        let needs = |what: &str| method["needs"].as_array().unwrap().contains(&what.into());
        if needs("zones") {
            // No drive that is walked here has any.
            place.fails(&arguments, 2, &["needs a zoned drive"]);
        } else if disk && needs("flash") {
            place.fails(&arguments, 2, &["does not apply to hard disks"]);
        } else if only_read && needs("writing") {
            place.fails(&arguments, 2, &["--destroy-data"]);
        } else {
            look(name, place.run(&arguments));
        }
    }
}

fn succeeded(method: &str, ended: Ended) {
    assert_eq!(ended.code, Some(0), "{method}: {ended:?}");
    has_figures(method, &ended);
}

fn has_figures(method: &str, ended: &Ended) {
    assert!(ended.stderr.contains("stored as"), "{method}: {ended:?}");
    assert!(
        ["MB/s", "MiB/s", "IOPS", " s ", " us ", " GB ", " × ", "n/a"]
            .iter()
            .any(|figure| ended.stdout.contains(figure)),
        "{method}: {ended:?}"
    );
}

#[test]
fn every_method_runs_on_a_directory_and_leaves_nothing_in_it() {
    let Some(place) =
        Place::on_disk_or_skip("every_method_runs_on_a_directory_and_leaves_nothing_in_it")
    else {
        return;
    };
    place.directory("dir");
    every_method(&place, "./dir", &[], |method, ended| {
        succeeded(method, ended);
        assert_eq!(place.names_in("dir"), [""; 0], "{method}");
    });
}

#[test]
fn every_method_only_reads_a_file_of_the_users() {
    let Some(place) = Place::on_disk_or_skip("every_method_only_reads_a_file_of_the_users") else {
        return;
    };
    let own = place.file("own.img", OWN);
    let before = (
        std::fs::read(&own).unwrap(),
        std::fs::metadata(&own).unwrap().modified().unwrap(),
    );
    every_method(&place, "./own.img", &[], |method, ended| {
        succeeded(method, ended);
        let after = (
            std::fs::read(&own).unwrap(),
            std::fs::metadata(&own).unwrap().modified().unwrap(),
        );
        assert!(before == after, "{method} wrote");
    });
}

#[test]
fn a_file_of_the_users_is_written_only_with_both_words_of_consent() {
    let Some(place) =
        Place::on_disk_or_skip("a_file_of_the_users_is_written_only_with_both_words_of_consent")
    else {
        return;
    };
    let own = place.file("own.img", OWN);
    let before = std::fs::read(&own).unwrap();
    let writing = ["run", "full-scan", "./own.img", "--set", "ops=write"];
    let refused = |more: &[&str], says: &[&str]| {
        let arguments: Vec<&str> = writing.iter().chain(more).copied().collect();
        place.fails(&arguments, 2, says);
        assert!(std::fs::read(&own).unwrap() == before, "{more:?} wrote");
    };
    refused(
        &[],
        &[
            "would overwrite",
            "--destroy-data",
            "--confirm",
            "./own.img",
        ],
    );
    refused(&["--destroy-data"], &["--confirm", "./own.img"]);
    refused(
        &["--destroy-data", "--confirm", "own"],
        &["'own' does not confirm"],
    );
    refused(
        &["--destroy-data", "--confirm", ""],
        &["'' does not confirm"],
    );
    assert!(place.stored().is_empty());
    let mut consented = writing.to_vec();
    consented.extend(["--destroy-data", "--confirm", "./own.img"]);
    place.ok(&consented);
    let after = std::fs::read(&own).unwrap();
    assert_eq!(after.len(), OWN);
    let same = before
        .chunks(4096)
        .zip(after.chunks(4096))
        .filter(|(a, b)| a == b)
        .count();
    assert_eq!(same, 0, "every block was to be written");
}

#[test]
fn a_method_that_wears_a_drive_out_is_refused_on_a_real_one_with_any_consent() {
    let place = Place::new();
    place.file("own.img", OWN);
    let arguments = [
        "run",
        "wear-out",
        "./own.img",
        "--destroy-data",
        "--confirm",
        "./own.img",
    ];
    place.fails(&arguments, 2, &["never run on a real one", "model:"]);
    assert!(place.stored().is_empty());
}

#[test]
fn every_method_writes_to_a_file_of_the_users_with_consent() {
    let Some(place) =
        Place::on_disk_or_skip("every_method_writes_to_a_file_of_the_users_with_consent")
    else {
        return;
    };
    let own = place.file("own.img", OWN);
    let consent = ["--destroy-data", "--confirm", "./own.img"];
    every_method(&place, "./own.img", &consent, |method, ended| {
        succeeded(method, ended);
        assert_eq!(
            std::fs::metadata(&own).unwrap().len() as usize,
            OWN,
            "{method}"
        );
    });
}

#[test]
fn every_method_runs_on_null_and_on_every_modelled_drive() {
    let place = Place::new();
    let drives = place.json(&["drives", "--json"])["drives"].clone();
    // Of those that are known by their data sheet alone, their own tests open each.
    let known = drives.as_array().unwrap().iter();
    let known = known.filter(|drive| drive["known_by"] != "data sheet");
    let targets: Vec<&str> = known.map(|drive| drive["slug"].as_str().unwrap()).collect();
    // One process after the other would leave a processor idle.
    let (one, other) = targets.split_at(targets.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| every_method_on_drives(one));
        every_method(&place, "null:", &[], succeeded);
        every_method_on_drives(other);
    });
}

fn every_method_on_drives(drives: &[&str]) {
    let place = Place::new();
    for drive in drives {
        let target = format!("model:{drive}");
        every_method(&place, &target, &[], succeeded);
        // Faults lie over a target, whatever it is: one flash drive and one disk are enough.
        if FAULTED.contains(drive) {
            let faulted = format!("fault({target})?errors=20000");
            every_method(&place, &faulted, &[], fails_in_part);
        }
    }
}

/// A drive whose I/Os fail is failing, also where it fails all of a phase; methods that wear a drive out lose
/// data on purpose.
fn fails_in_part(method: &str, ended: Ended) {
    assert!(ended.stdout.contains("I/Os failed"), "{method}: {ended:?}");
    let fails = [("This drive is failing", 3), ("since all of its", 1)];
    let said = fails.iter().find(|(words, _)| ended.stderr.contains(words));
    let code = said.map_or(0, |(_, code)| *code);
    assert_eq!(ended.code, Some(code), "{method}: {ended:?}");
    let on_purpose = ["wear-out", "retention"].contains(&method);
    assert!(code > 0 || on_purpose, "{method}: {ended:?}");
    has_figures(method, &ended);
}

#[test]
fn a_modelled_drive_takes_its_options() {
    let place = Place::new();
    let figures = |target: &str| {
        let mut arguments = arguments("latency-watch", target, &["time=100ms", "size=8MiB"]);
        arguments.push("--json");
        place.json(&arguments)
    };
    let plain = figures("model:samsung-840-evo-750gb");
    let offset = figures("model:samsung-840-evo-750gb?partition_offset=31.5KiB");
    assert_ne!(
        plain["figures"], offset["figures"],
        "misaligned accesses take longer"
    );
    let state = plain["target"]["state"].as_str().unwrap();
    assert!(!state.is_empty() && plain["target"]["kind"] == "model");
}

#[test]
fn memory_has_no_direct_io_and_is_measured_through_the_page_cache_on_request() {
    let test = "memory_has_no_direct_io_and_is_measured_through_the_page_cache_on_request";
    let Ok(shm) = tempfile::tempdir_in("/dev/shm") else {
        return skip(test, "there is no /dev/shm to write to");
    };
    let shm = shm.path().to_str().unwrap();
    let place = Place::new();
    let direct = place.run(&arguments("full-scan", shm, &["extent=1MiB"]));
    match direct.code {
        // From Linux 6.6 on tmpfs takes the flag, and ignores it.
        Some(0) => eprintln!("this kernel's tmpfs takes direct I/O"),
        _ => {
            assert_eq!(direct.code, Some(1));
            direct.is_one_line(&["no direct I/O", "tmpfs", "buffered=yes"]);
            assert!(place.stored().is_empty());
        }
    }
    every_method(
        &place,
        &format!("{shm}?buffered=yes"),
        &[],
        |method, ended| {
            assert!(
                ended.stdout.contains("page cache"),
                "{method} does not warn: {ended:?}"
            );
            succeeded(method, ended);
        },
    );
    assert_eq!(command::names_in(shm.as_ref()), [""; 0]);
}

#[test]
fn a_loop_device_is_only_read_without_consent() {
    let Some(device) = LoopDevice::attach_or_skip("a_loop_device_is_only_read_without_consent", 16)
    else {
        return;
    };
    let place = Place::new();
    let before = device.content();
    every_method(&place, device.node(), &[], |method, ended| {
        succeeded(method, ended);
        assert!(device.content() == before, "{method} wrote");
    });
}

/// A machine on which a device's users cannot be determined has only this reason.
fn cannot_tell(ended: &Ended) -> bool {
    ended
        .stderr
        .contains("cannot determine who else has it open")
}

#[test]
fn a_loop_device_is_written_only_where_its_backing_file_is_named() {
    let test = "a_loop_device_is_written_only_where_its_backing_file_is_named";
    let Some(device) = LoopDevice::attach_or_skip(test, 16) else {
        return;
    };
    let place = Place::new();
    let before = device.content();
    let mut writing = arguments("full-scan", device.node(), &["ops=write"]);
    place.fails(&writing, 2, &["would overwrite", device.backing()]);
    writing.push("--destroy-data");
    place.fails(&writing, 2, &["would be overwritten", device.backing()]);
    let unconfirmed = [&writing[..], &["--confirm", "wrong"]].concat();
    let refused = place.run(&unconfirmed);
    refused.is_one_line(&["is not overwritten"]);
    let wrong_name = refused.stderr.contains("'wrong' does not confirm");
    assert!(wrong_name || cannot_tell(&refused), "{refused:?}");
    assert!(place.stored().is_empty());
    assert!(device.content() == before, "a refused run wrote");
    let consented = [&writing[..], &["--confirm", device.backing()]].concat();
    let ended = place.run(&consented);
    if cannot_tell(&ended) {
        eprintln!("{test}: refused, since this machine does not show who holds it open");
        assert_eq!(ended.code, Some(2));
        ended.is_one_line(&[]);
        assert!(device.content() == before, "a refused run wrote");
    } else {
        eprintln!("{test}: written");
        succeeded("full-scan", ended);
        assert!(device.content() != before);
    }
}

#[test]
fn a_mounted_loop_device_is_not_written() {
    let test = "a_mounted_loop_device_is_not_written";
    let Some(mounted) = loop_device::Mounted::new_or_skip(test, &["ext4"], 16) else {
        return;
    };
    let (node, backing) = mounted.device();
    let place = Place::new();
    let ended = place.run(&[
        "run",
        "full-scan",
        node,
        "--destroy-data",
        "--confirm",
        backing,
    ]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert_eq!(ended.stdout, "");
    assert!(
        ended.stderr.contains("mounted") && ended.stderr.contains(mounted.text()),
        "{ended:?}"
    );
}

#[test]
fn a_dry_run_says_what_would_be_written_and_writes_nothing() {
    let place = Place::new();
    let own = place.file("own.img", OWN);
    place.directory("dir");
    let before = (
        std::fs::read(&own).unwrap(),
        std::fs::metadata(&own).unwrap().modified().unwrap(),
    );
    let dry = |arguments: &[&str]| {
        let arguments = [arguments, &["--dry-run"]].concat();
        let ended = place.ok(&arguments);
        assert_eq!(ended.stderr, "", "{arguments:?}");
        ended.stdout
    };
    let scan = ["run", "full-scan", "./own.img"];
    assert!(dry(&scan).contains("writes nothing"));
    let consented = dry(&[&scan[..], &["--destroy-data", "--confirm", "./own.img"]].concat());
    assert!(
        consented.contains("writes bytes 0 to 16777216 (16 MiB)"),
        "{consented}"
    );
    assert!(
        consented.contains("16777216 bytes may be overwritten"),
        "{consented}"
    );
    let part = dry(&["run", "full-scan", "./dir", "--set", "extent=3MiB"]);
    assert!(part.contains("writes bytes 0 to 3145728 (3 MiB)"), "{part}");
    let reads_alone = dry(&[
        "run",
        "full-scan",
        "./dir",
        "--set",
        "ops=read",
        "--scale",
        "quick",
    ]);
    assert!(
        reads_alone.contains("test file"),
        "even reads need a written file: {reads_alone}"
    );
    let review = dry(&["review", "./dir", "--scale", "quick"]);
    assert!(
        review.contains("crystaldiskmark on ./dir") && review.contains("quick-scan"),
        "{review}"
    );
    let after = (
        std::fs::read(&own).unwrap(),
        std::fs::metadata(&own).unwrap().modified().unwrap(),
    );
    assert!(before == after, "a dry run wrote");
    assert_eq!(place.names_in("dir"), [""; 0]);
    assert_eq!(
        place.names_in(""),
        ["dir", "own.img"],
        "not even a store is made"
    );
}

#[test]
fn a_test_file_of_no_whole_number_of_mib_is_rounded_up_for_every_step() {
    let place = Place::new();
    place.directory("dir");
    let review = place.ok(&["review", "./dir?size=300MB", "--dry-run"]);
    assert!(review.stdout.contains("full-scan on ./dir"), "{review:?}");
}

#[test]
fn a_dry_run_of_what_would_be_refused_says_why_and_ends_so() {
    let place = Place::new();
    place.file("own.img", OWN);
    place.directory("dir");
    let plan = "targets = ['./own.img']\n\
        [[step]]\nmethod = 'full-scan'\nset = { ops = 'read-write' }\n";
    std::fs::write(place.path("own.toml"), plan).unwrap();
    let before = std::fs::metadata(place.path("own.img")).unwrap().modified();
    let refused = |arguments: &str, ranges: &str, says: &str| {
        let arguments: Vec<&str> = arguments.split(' ').chain(["--dry-run"]).collect();
        let ended = place.run(&arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {ended:?}");
        assert!(ended.stdout.contains(ranges), "{arguments:?}: {ended:?}");
        assert!(
            ended.stderr.contains("would be refused: ") && ended.stderr.contains(says),
            "{arguments:?}: {ended:?}"
        );
    };
    let range = "writes bytes 0 to 16777216";
    let scan = "run full-scan ./own.img --destroy-data";
    refused(scan, range, "add --confirm with its path, ./own.img");
    let wrong = format!("{scan} --confirm ./other.img");
    refused(&wrong, range, "./other.img");
    refused("run full-scan ./nowhere", "", "nowhere");
    let needs = "run full-scan ./dir?size=1000TB";
    refused(needs, "in a new test file", "has no room");
    refused("review ./dir?size=1000TB", "full-scan", "has no room");
    let asked = "run own.toml --destroy-data";
    refused(asked, "full-scan on ./own.img", "add --confirm with");
    refused("run own.toml", "", "--destroy-data");
    let taken = "record full-scan null: --set extent=1MiB -o own.img";
    refused(taken, "full-scan on null:", "own.img");
    refused("rescue ./own.img ./no/where.img", "", "./no: there is no");
    refused(
        "rescue ./own.img ./own.toml --destroy-data",
        "writes bytes",
        "add --confirm with",
    );
    let after = std::fs::metadata(place.path("own.img")).unwrap().modified();
    assert_eq!(before.unwrap(), after.unwrap());
    assert_eq!(place.names_in(""), ["dir", "own.img", "own.toml"]);
}

#[test]
fn a_dry_run_on_a_mounted_device_names_the_mount_and_ends_as_the_run_would() {
    const TEST: &str = "a_dry_run_on_a_mounted_device_names_the_mount_and_ends_as_the_run_would";
    let place = Place::new();
    let Some(mounted) = loop_device::Mounted::new_or_skip(TEST, &["ext4", "vfat"], 32) else {
        return;
    };
    let (device, backing) = mounted.device();
    let scan = ["run", "full-scan", device, "--dry-run"];
    let arguments = [&scan[..], &["--destroy-data", "--confirm", backing]].concat();
    let ended = place.run(&arguments);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stdout.contains("writes bytes 0 to"), "{ended:?}");
    assert!(
        ended.stderr.contains("mounted") && ended.stderr.contains(mounted.text()),
        "{ended:?}"
    );
    // What is only read may be in use.
    place.ok(&scan);
    mounted.remount("ro");
    let in_it = format!("{}?size=1MiB", mounted.text());
    let ended = place.run(&["run", "full-scan", &in_it, "--dry-run"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("read-only"), "{ended:?}");
}
