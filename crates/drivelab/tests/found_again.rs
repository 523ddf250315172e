//! A run or a plan is resumed on the drive that it was begun on, under whatever name that has now.
//!
//! The drives are loop devices, which are identified by their backing file: one with the same file and another number
//! is the same drive after a reboot.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;
mod loop_device;

use std::os::unix::fs::symlink;
use std::path::Path;

use command::Place;
use loop_device::LoopDevice;

/// A scan of 16 MiB that takes seconds, and can be interrupted.
fn slow(target: &str) -> String {
    format!("fault({target})?delays=1000000&delay=10ms")
}

fn interrupt(place: &Place, arguments: &[&str], says: &str) {
    let mut run = place.start(place.command(arguments));
    if says.is_empty() {
        place.wait_for_a_run(&mut run);
    } else {
        run.wait_for(says);
        place.wait_for_a_run(&mut run);
    }
    run.signal("INT");
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:?}");
}

fn device_of(place: &Place, run: &str) -> String {
    let result = place.json(&["report", run, "--json"]);
    let identity = &result["results"][0]["target"]["identity"];
    format!("/dev/{}", identity["device"].as_str().unwrap())
}

#[test]
fn a_plan_and_a_run_go_on_with_their_drive_under_another_name() {
    let test = "a_plan_and_a_run_go_on_with_their_drive_under_another_name";
    let Some(mut device) = LoopDevice::attach_or_skip(test, 16) else {
        return;
    };
    // A store each, so that waiting for a run is waiting for this one.
    let (place, alone) = (Place::new(), Place::new());
    let plan = format!(
        "targets = ['{}']\n[[step]]\nmethod = 'full-scan'\n\
         set = {{ ops = 'read', extent = '16MiB' }}\n",
        slow(device.node())
    );
    std::fs::write(place.path("own.toml"), plan).unwrap();
    interrupt(&place, &["run", "own.toml"], "1 of 1: full-scan");
    interrupt(
        &alone,
        &[
            "run",
            "full-scan",
            &slow(device.node()),
            "--set",
            "ops=read",
        ],
        "",
    );
    let before = device.node().to_owned();
    device.show_elsewhere();
    assert_ne!(device.node(), before);
    let resumed = place.ok(&["resume", "plan-1"]);
    let said = format!("is now {}", slow(device.node()));
    assert!(resumed.stderr.contains(&said), "{resumed:?}");
    assert_eq!(device_of(&place, "1"), device.node());
    let forecast = alone.json(&["resume", "1", "--dry-run", "--json"]);
    assert_eq!(forecast["schema"], "drivelab.forecast/1");
    let resumed = alone.ok(&["resume", "1"]);
    assert!(resumed.stderr.contains(&said), "{resumed:?}");
    assert_eq!(device_of(&alone, "1"), device.node());
}

#[test]
fn a_drive_that_is_missing_is_named_and_nothing_else_is_measured() {
    let test = "a_drive_that_is_missing_is_named_and_nothing_else_is_measured";
    let Some(mut device) = LoopDevice::attach_or_skip(test, 16) else {
        return;
    };
    let place = Place::new();
    let plan = format!(
        "targets = ['{}']\n[[step]]\nmethod = 'full-scan'\n\
         set = {{ ops = 'read', extent = '16MiB' }}\n",
        slow(device.node())
    );
    std::fs::write(place.path("own.toml"), plan).unwrap();
    interrupt(&place, &["run", "own.toml"], "1 of 1: full-scan");
    let backing = device.backing().to_owned();
    let missing = ["cannot be resumed", &backing, "is missing"];
    device.detach();
    place.fails(&["resume", "plan-1"], 1, &missing);
    assert_eq!(place.last_state(), "interrupted");
}

#[test]
fn a_link_that_leads_to_the_same_drive_is_taken_whatever_the_kernel_calls_it() {
    let test = "a_link_that_leads_to_the_same_drive_is_taken_whatever_the_kernel_calls_it";
    let Some(mut device) = LoopDevice::attach_or_skip(test, 16) else {
        return;
    };
    let place = Place::new();
    let link = place.path("by-id");
    symlink(device.node(), &link).unwrap();
    let target = slow(link.to_str().unwrap());
    interrupt(
        &place,
        &["run", "full-scan", &target, "--set", "ops=read"],
        "",
    );
    device.show_elsewhere();
    std::fs::remove_file(&link).unwrap();
    symlink(Path::new(device.node()), &link).unwrap();
    let resumed = place.ok(&["resume", "1"]);
    assert!(!resumed.stderr.contains(" now"), "{resumed:?}");
    assert_eq!(device_of(&place, "1"), device.node());
}
