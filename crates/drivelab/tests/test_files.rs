//! A test file is removed afterwards, however the run ends.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;
mod loop_device;

use std::path::Path;

use command::{Place, UnderWay, names_in, wait_until};
use loop_device::Mounted;
use serde_json::Value;

/// A scan of 16 MiB in I/Os of 4 KiB, each delayed: half a minute, unless it is ended.
const SLOW: &str = "?delays=1000000&delay=5ms";

fn slow(folder: &str) -> String {
    format!("fault({folder}?size=16MiB){SLOW}")
}

/// A slow run that has begun to measure in its test file.
fn under_way(place: &Place, folder: &str) -> UnderWay {
    let target = slow(folder);
    let mut run = place.start(place.command(&["run", "full-scan", &target, "--set", "block=4KiB"]));
    run.wait_for("test file of 16 MiB");
    place.wait_for_a_run(&mut run);
    run
}

#[test]
fn nothing_is_left_after_a_run_that_succeeds_and_after_one_that_fails() {
    let test = "nothing_is_left_after_a_run_that_succeeds_and_after_one_that_fails";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    place.directory("dir");
    let said = place.ok(&["run", "full-scan", "./dir?size=4MiB"]).stderr;
    assert!(
        said.contains("test file of 4 MiB in ./dir") && said.contains("remains free"),
        "{said}"
    );
    assert_eq!(place.names_in("dir"), [""; 0]);
    let gone = place.run(&["run", "full-scan", "fault(./dir?size=4MiB)?gone_after=50"]);
    assert_eq!(gone.code, Some(1), "{gone:?}");
    assert_eq!(place.names_in("dir"), [""; 0]);
    let errors = place.run(&["run", "full-scan", "fault(./dir?size=4MiB)?errors=1000000"]);
    assert_eq!(errors.code, Some(3), "{errors:?}");
    assert!(errors.stdout.contains("I/Os failed"), "{errors:?}");
    assert!(errors.stderr.contains("measured nothing"), "{errors:?}");
    assert_eq!(place.names_in("dir"), [""; 0]);
}

#[test]
fn the_blocks_of_a_test_file_are_written_before_they_are_read() {
    let test = "the_blocks_of_a_test_file_are_written_before_they_are_read";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    place.directory("dir");
    for (method, setting) in [
        ("full-scan", "ops=read"),
        ("full-scan", "ops=read-write"),
        ("quick-scan", "dwell=10ms"),
        ("crystaldiskmark", "time=10ms"),
        ("crystaldiskmark-classic", "ops=read"),
        ("latency-watch", "load=reads"),
    ] {
        let mut arguments = vec!["run", method, "./dir", "--set", setting, "--json"];
        arguments.extend(["--scale", "quick"]);
        if method == "full-scan" {
            arguments.extend(["--set", "extent=4MiB"]);
        }
        let result = place.json(&arguments);
        let first = &result["phases"][0];
        let written = &first["jobs"][0]["ops"][1]["bytes"];
        let size = &result["target"]["info"]["capacity"];
        assert_eq!(written, size, "{method}, {setting}: {}", first["name"]);
        assert_eq!(first["ended"], "complete");
    }
}

#[test]
fn a_directory_is_judged_on_the_file_system_that_it_is_on() {
    let test = "a_directory_is_judged_on_the_file_system_that_it_is_on";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    place.directory("dir");
    let mut arguments = vec!["run", "file-system", "./dir?size=4MiB", "--scale", "quick"];
    arguments.extend(["--set", "method=os-boot", "--json"]);
    let result = place.json(&arguments);
    assert_eq!(result["target"]["info"]["capacity"], 4 << 20);
    let figures = result["figures"].as_array().unwrap();
    let boot = figures
        .iter()
        .find(|f| f["key"].as_str().unwrap().ends_with(".boot_s"))
        .unwrap();
    let system = boot["key"].as_str().unwrap().split('.').next().unwrap();
    assert!(boot["value"].as_f64().unwrap() > 0.0, "{boot}");
    let phase = format!("{system}: boot");
    let phases = result["phases"].as_array().unwrap();
    assert!(
        phases.iter().any(|p| p["name"] == phase.as_str()),
        "{phase}"
    );
    let ratio = figures.last().unwrap();
    assert!(ratio["value"].is_null(), "{ratio}");
    let why = ratio["why_not"].as_str().unwrap();
    assert!(why.contains(system), "{why}");
    assert_eq!(place.names_in("dir"), [""; 0]);
}

#[test]
fn a_signal_ends_the_run_with_130_and_nothing_left() {
    let Some(place) = Place::on_disk_or_skip("a_signal_ends_the_run_with_130_and_nothing_left")
    else {
        return;
    };
    place.directory("dir");
    for (count, signal) in ["INT", "TERM", "HUP"].into_iter().enumerate() {
        let target = slow("./dir");
        let mut run =
            place.start(place.command(&["run", "full-scan", &target, "--set", "block=4KiB"]));
        run.wait_for("test file of 16 MiB");
        wait_until("the run is stored", || place.stored().len() > count);
        assert_eq!(place.last_state(), "running");
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, Some(130), "{signal}: {ended:?}");
        assert_eq!(ended.stdout, "");
        assert!(
            ended.stderr.lines().last().unwrap().contains("interrupted"),
            "{ended:?}"
        );
        assert_eq!(place.names_in("dir"), [""; 0], "{signal}");
        assert_eq!(place.last_state(), "interrupted");
    }
}

#[test]
fn a_killed_run_leaves_no_file_where_files_can_be_nameless() {
    let test = "a_killed_run_leaves_no_file_where_files_can_be_nameless";
    let Some(mounted) = Mounted::new_or_skip(test, &["ext4", "xfs"], 320) else {
        return;
    };
    let place = Place::new();
    let ended = under_way(&place, mounted.text()).kill();
    assert_eq!(ended.code, None, "{ended:?}");
    let left: Vec<String> = names_in(mounted.path())
        .into_iter()
        .filter(|name| name != "lost+found")
        .collect();
    assert_eq!(left, [""; 0]);
    assert_eq!(place.last_state(), "interrupted");
}

fn test_files_in(folder: &Path) -> Vec<String> {
    let mut names = names_in(folder);
    names.retain(|name| name.starts_with("drivelab-test-"));
    names
}

#[test]
fn a_named_file_that_a_killed_run_left_is_removed_on_the_next_start() {
    let test = "a_named_file_that_a_killed_run_left_is_removed_on_the_next_start";
    let Some(mounted) = Mounted::new_or_skip(test, &["vfat", "exfat", "ntfs-3g"], 64) else {
        return;
    };
    let place = Place::new();
    under_way(&place, mounted.text()).kill();
    let left = test_files_in(mounted.path());
    assert_eq!(
        left.len(),
        1,
        "such a file system has no nameless files: {left:?}"
    );
    std::fs::write(mounted.path().join("drivelab-test-mine.tmp"), "my own").unwrap();
    let target = format!("{}?size=1MiB", mounted.text());
    let next = place.ok(&["run", "full-scan", &target]);
    assert!(
        next.stderr.contains(&format!(
            "removed {}",
            mounted.path().join(&left[0]).display()
        )),
        "{next:?}"
    );
    assert_eq!(test_files_in(mounted.path()), ["drivelab-test-mine.tmp"]);
    // A run under way has its file locked: a second one beside it leaves it alone.
    let first = under_way(&place, mounted.text());
    let second = place.ok(&["run", "full-scan", &target]);
    assert!(!second.stderr.contains("removed"), "{second:?}");
    assert_eq!(test_files_in(mounted.path()).len(), 2);
    first.signal("TERM");
    first.end();
    assert_eq!(test_files_in(mounted.path()), ["drivelab-test-mine.tmp"]);
}

#[test]
fn an_empty_file_left_before_it_got_its_length_is_removed_and_the_users_own_is_not() {
    let test = "an_empty_file_left_before_it_got_its_length_is_removed_and_the_users_own_is_not";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    let dir = place.directory("dir");
    let make = |name: &str, content: &str| std::fs::write(dir.join(name), content).unwrap();
    make("drivelab-test-4000000-0.tmp", "");
    make(
        "drivelab-test-4000001-0.tmp",
        "something of the user's by this name, without our mark",
    );
    make("drivelab-test-notes.tmp", "");
    let said = place.ok(&["run", "full-scan", "./dir?size=1MiB"]).stderr;
    assert!(
        said.contains("removed ./dir/drivelab-test-4000000-0.tmp"),
        "{said}"
    );
    assert_eq!(said.matches("removed").count(), 1, "{said}");
    assert_eq!(
        names_in(&dir),
        ["drivelab-test-4000001-0.tmp", "drivelab-test-notes.tmp"]
    );
}

#[test]
fn a_test_file_keeps_a_tenth_of_the_disk_free_or_is_not_made() {
    let Some(mounted) = Mounted::new_or_skip(
        "a_test_file_keeps_a_tenth_of_the_disk_free_or_is_not_made",
        &["ext4"],
        64,
    ) else {
        return;
    };
    let place = Place::new();
    let (free, size) = mounted.free_and_size();
    let mib = |bytes: u64| bytes >> 20;
    let too_much = format!("{}?size={}MiB", mounted.text(), mib(free - size / 10) + 1);
    place.fails(
        &["run", "full-scan", &too_much],
        1,
        &["no room", "reserve of", mounted.text()],
    );
    assert!(place.stored().is_empty());
    assert_eq!(mounted.free_and_size().0, free, "nothing was taken");
    let fits = format!("{}?size={}MiB", mounted.text(), mib(free - size / 10) - 1);
    let result: Value = place.json(&["run", "full-scan", &fits, "--json"]);
    assert_eq!(result["ended"], "complete");
    // The kernel takes a ring's files apart after its process has ended.
    wait_until("all is given back", || mounted.free_and_size().0 == free);
}
