//! A killed scan resumes where it stopped, whenever that was.
//!
//! That the second process starts at the exact address is shown by seeded chance: the fault layer of a process draws
//! its errors from the beginning, so the errors after the address must be those of a fresh process, moved there.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::time::Duration;

use command::{Place, wait_until};
use serde_json::Value;

const MIB: u64 = 1 << 20;
const BLOCK: u64 = 64 << 10;
const SIZE: u64 = 64 * MIB;
/// Of a million I/Os 20,000 fail, and each is held back by 2 ms: a pass takes more than 2 s.
const TARGET: &str = "fault(./own.img)?errors=20000&seed=11&delays=1000000&delay=2ms";
const SCAN: &[&str] = &["run", "full-scan", TARGET];

/// Offsets of the errors of a phase, all of which are kept.
fn errors(phase: &Value) -> Vec<u64> {
    let errors = &phase["jobs"][0]["errors"];
    let offsets: Vec<u64> = errors["first"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["offset"].as_u64().unwrap())
        .collect();
    assert_eq!(errors["count"].as_u64().unwrap() as usize, offsets.len());
    offsets
}

/// Reads that succeeded and that failed, all phases of that name.
fn ios(phase: &Value, op: usize) -> u64 {
    phase["jobs"][0]["ops"][op]["ios"].as_u64().unwrap() + errors(phase).len() as u64
}

/// What the store has of the last run's phases: name, whether done, record.
fn stored_phases(place: &Place) -> Vec<(String, bool, Value)> {
    let store = lab::open_store(&place.store()).unwrap();
    let Some(run) = store.list().unwrap().into_iter().next() else {
        return Vec::new();
    };
    let phases = store.phases(run.id).unwrap();
    phases
        .into_iter()
        .map(|phase| {
            (
                phase.name,
                phase.done,
                serde_json::from_str(&phase.record).unwrap(),
            )
        })
        .collect()
}

#[test]
fn a_scan_killed_at_any_moment_goes_on_at_its_address() {
    let Some(place) = Place::on_disk_or_skip("a_scan_killed_at_any_moment_goes_on_at_its_address")
    else {
        return;
    };
    place.file("own.img", SIZE as usize);
    let whole = place.finds_it_failing(&[
        "run",
        "full-scan",
        "fault(./own.img)?errors=20000&seed=11&delays=1000000&delay=1ns",
        "--json",
        "--no-store",
    ]);
    let whole = whole.json();
    let fresh = errors(&whole["phases"][0]);
    assert!(fresh.len() > 10, "{fresh:?}");
    // Side by side: each in a folder of its own, on the same file.
    let in_the_middle = std::thread::scope(|scope| {
        let killed = [0, 400, 1_100, 1_500].map(|wait| {
            let (own, fresh) = (place.path("own.img"), &fresh);
            scope.spawn(move || {
                let place = Place::new();
                std::fs::hard_link(own, place.path("own.img")).unwrap();
                kill_and_resume(&place, Duration::from_millis(wait), fresh)
            })
        });
        killed
            .map(|thread| u32::from(thread.join().unwrap()))
            .iter()
            .sum::<u32>()
    });
    assert!(in_the_middle >= 1, "no kill came in the middle of the scan");
}

/// Kills a scan this long after it was stored, resumes it, and returns whether that was in the middle. `fresh` are the
/// offsets of the errors of a whole scan.
fn kill_and_resume(place: &Place, wait: Duration, fresh: &[u64]) -> bool {
    let mut run = place.start(place.command(SCAN));
    place.wait_for_a_run(&mut run);
    // Any moment will do: nothing below depends on which one it is.
    std::thread::sleep(wait);
    assert_eq!(run.kill().code, None, "it ended before it was killed");
    assert_eq!(place.last_state(), "interrupted");
    let part = stored_phases(place).pop();
    let resumed = place.finds_it_failing(&["resume", "1", "--json"]);
    assert!(resumed.stderr.contains("resuming run 1"), "{resumed:?}");
    let result = resumed.json();
    assert_eq!(result["id"], 1);
    assert_eq!(place.last_state(), "finished");
    let phases = result["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 1);
    assert_eq!(phases[0]["ended"], "complete");
    assert_eq!(ios(&phases[0], 0), SIZE / BLOCK, "every block once");
    let Some((_, _, part)) = part else {
        assert_eq!(
            errors(&phases[0]),
            fresh,
            "nothing was stored: all from the beginning"
        );
        return false;
    };
    let at = part["done_below"].as_u64().unwrap();
    assert_eq!(
        at,
        ios(&part, 0) * BLOCK,
        "what is stored is what lies below the address"
    );
    let mut expected: Vec<u64> = fresh
        .iter()
        .copied()
        .filter(|offset| *offset < at)
        .collect();
    assert_eq!(errors(&part), expected);
    expected.extend(
        fresh
            .iter()
            .map(|offset| offset + at)
            .filter(|offset| *offset < SIZE),
    );
    assert_eq!(
        errors(&phases[0]),
        expected,
        "killed after {wait:?}, at {at}"
    );
    at > 0 && at < SIZE
}

#[test]
fn a_phase_that_was_done_is_not_measured_again() {
    let Some(place) = Place::on_disk_or_skip("a_phase_that_was_done_is_not_measured_again") else {
        return;
    };
    place.file("own.img", (8 * MIB) as usize);
    let target = "fault(./own.img)?delays=1000000&delay=6ms";
    let consent = ["--destroy-data", "--confirm", "./own.img"];
    let scan = [&["run", "full-scan", target][..], &consent].concat();
    let run = place.start(place.command(&scan));
    wait_until("the first phase is done", || {
        let phases = stored_phases(&place);
        phases.iter().any(|(name, _, _)| name == "write")
    });
    run.kill();
    let before = stored_phases(&place);
    let names: Vec<(&str, bool)> = before
        .iter()
        .map(|(name, done, _)| (name.as_str(), *done))
        .collect();
    assert_eq!(names, [("read", true), ("write", false)]);
    place.fails(&["resume"], 2, &["would overwrite data", "--destroy-data"]);
    assert_eq!(
        place.last_state(),
        "interrupted",
        "a refused resume changes nothing"
    );
    let result = place.json(&[&["resume", "--json"][..], &consent].concat());
    let phases = result["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 2);
    assert_eq!(
        phases[0], before[0].2,
        "the read phase is the stored one, to the nanosecond"
    );
    assert_eq!(ios(&phases[1], 1), 8 * MIB / BLOCK);
    assert_eq!(result["figures"].as_array().unwrap().len(), 20);
}

#[test]
fn an_interrupted_scan_says_how_it_goes_on_and_does() {
    let Some(place) = Place::on_disk_or_skip("an_interrupted_scan_says_how_it_goes_on_and_does")
    else {
        return;
    };
    place.file("own.img", SIZE as usize);
    let mut run = place.start(place.command(SCAN));
    place.wait_for_a_run(&mut run);
    place.fails(&["resume", "1"], 1, &["is running in process"]);
    run.signal("INT");
    let ended = run.end();
    assert_eq!(ended.code, Some(130));
    ended.is_one_line(&["interrupted", "continue with `drivelab resume 1`"]);
    place.fails(&["report", "1"], 1, &["no result", "interrupted"]);
    let dry = place.ok(&["resume", "--dry-run"]);
    assert!(dry.stdout.contains("writes nothing"), "{dry:?}");
    assert_eq!(
        place.last_state(),
        "interrupted",
        "a dry run resumes nothing"
    );
    place.finds_it_failing(&["resume"]);
    place.fails(&["resume"], 1, &["has ended"]);
    place.ok(&["report", "last"]);
}

#[test]
fn a_run_does_not_go_on_with_another_file_of_the_same_name() {
    let Some(place) =
        Place::on_disk_or_skip("a_run_does_not_go_on_with_another_file_of_the_same_name")
    else {
        return;
    };
    place.file("own.img", SIZE as usize);
    let mut run = place.start(place.command(SCAN));
    place.wait_for_a_run(&mut run);
    run.kill();
    let elsewhere = place.directory("elsewhere");
    std::fs::copy(place.path("own.img"), elsewhere.join("own.img")).unwrap();
    let mut command = place.command(&["resume", "1"]);
    command.current_dir(&elsewhere);
    let other_folder = place.start(command).end();
    assert_eq!(other_folder.code, Some(1), "{other_folder:?}");
    other_folder.is_one_line(&["cannot be resumed", "elsewhere/own.img"]);
    std::fs::File::options()
        .write(true)
        .open(place.path("own.img"))
        .unwrap()
        .set_len(SIZE / 2)
        .unwrap();
    place.fails(&["resume", "1"], 1, &["cannot be resumed", "32 MiB"]);
    assert_eq!(place.last_state(), "interrupted");
}
