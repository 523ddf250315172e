//! The store from a user's view: a full disk, two concurrent commands, damage.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;
#[path = "../../store/tests/small_disk/mod.rs"]
mod small_disk;

use std::path::Path;

use command::Place;
use serde_json::Value;
use small_disk::{SmallDisk, fill};

/// A scan that takes a second for each of its two phases.
const SLOW: &str = "fault(./own.img)?delays=1000000&delay=4ms";

fn listed(place: &Place, store: &Path) -> Vec<Value> {
    let listing = place.json(&["--store", store.to_str().unwrap(), "results", "--json"]);
    listing["results"].as_array().unwrap().clone()
}

#[test]
fn a_result_that_a_full_disk_does_not_take_is_shown_and_the_run_can_go_on() {
    let test = "a_result_that_a_full_disk_does_not_take_is_shown_and_the_run_can_go_on";
    let (Some(place), Some(disk)) = (Place::on_disk_or_skip(test), SmallDisk::for_test(test))
    else {
        return;
    };
    place.file("own.img", 8 << 20);
    let store = disk.path().join("results.sqlite3");
    let at = ["--store", store.to_str().unwrap()];
    let consent = ["--destroy-data", "--confirm", "./own.img"];
    let scan = [&at[..], &["run", "full-scan", SLOW, "--json"], &consent].concat();
    let run = place.start(place.command(&scan));
    // From the first phase on there is no room, or, for all that it matters, from the second on.
    command::wait_until("the run is stored", || {
        store.exists() && lab::open_store(&store).is_ok_and(|s| s.list().unwrap().len() == 1)
    });
    let ballast = disk.path().join("ballast");
    fill(&ballast);
    let ended = run.end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let shown = ended.json();
    assert_eq!(shown["id"], 0);
    assert_eq!(shown["ended"], "complete");
    assert_eq!(shown["phases"].as_array().unwrap().len(), 2);
    let last = ended.stderr.lines().last().unwrap();
    for words in [
        "shown and not stored",
        "no room left for results",
        "`drivelab resume 1`",
    ] {
        assert!(last.contains(words), "{ended:?}");
    }
    std::fs::remove_file(&ballast).unwrap();
    assert_eq!(listed(&place, &store)[0]["state"], "interrupted");
    let resumed = place.json(&[&at[..], &["resume", "--json"], &consent].concat());
    assert_eq!(resumed["id"], 1);
    assert_eq!(listed(&place, &store)[0]["state"], "finished");
}

#[test]
fn nothing_is_measured_where_a_run_could_not_be_begun() {
    let test = "nothing_is_measured_where_a_run_could_not_be_begun";
    let Some(disk) = SmallDisk::for_test(test) else {
        return;
    };
    let place = Place::new();
    fill(&disk.path().join("ballast"));
    let store = disk.path().join("results.sqlite3");
    let at = ["--store", store.to_str().unwrap()];
    let run = [&at[..], &["run", "full-scan", "null:"]].concat();
    place.fails(&run, 1, &["no room left for results", "--store"]);
}

#[test]
fn plans_and_runs_side_by_side_each_have_their_results() {
    let place = Place::new();
    let plan = "targets = ['null:', 'model:samsung-840-evo-120gb']\nscale = 'quick'\n\
        [[step]]\nmethod = 'latency-watch'\n[[step]]\nmethod = 'full-scan'\nset = { extent = '64MiB' }\n";
    std::fs::write(place.path("own.toml"), plan).unwrap();
    let runs: Vec<_> = (0..6)
        .map(|number| match number {
            0 | 1 => place.start(place.command(&["run", "own.toml"])),
            2 => place.start(place.command(&["results"])),
            _ => place.start(place.command(&["run", "full-scan", "null:", "--json"])),
        })
        .collect();
    for run in runs {
        let ended = run.end();
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    let stored = place.stored();
    assert_eq!(stored.len(), 2 * 4 + 3);
    assert!(stored.iter().all(|run| run["state"] == "finished"));
    let mut steps: Vec<String> = stored.iter().map(|run| run["plan"].to_string()).collect();
    steps.retain(|step| step != "null");
    steps.sort();
    steps.dedup();
    assert_eq!(steps.len(), 8, "each step once");
}

#[test]
fn a_damaged_store_is_one_line_with_what_to_do() {
    let place = Place::new();
    place.ok(&["run", "full-scan", "null:"]);
    let store = place.store();
    let whole = std::fs::read(&store).unwrap();
    std::fs::write(&store, &whole[..whole.len() / 2]).unwrap();
    for command in [
        &["results"][..],
        &["report", "last"],
        &["run", "full-scan", "null:"],
    ] {
        place.fails(
            command,
            1,
            &["the store is damaged", "keep a copy", ".recover"],
        );
    }
    std::fs::write(&store, "somebody's notes").unwrap();
    place.fails(&["results"], 1, &["not a drivelab store", "--store"]);
    assert_eq!(std::fs::read(&store).unwrap(), b"somebody's notes");
}

#[test]
fn a_clock_that_was_wrong_is_listed_and_changes_no_order() {
    let place = Place::new();
    place.ok(&["run", "full-scan", "null:"]);
    let begin = |started_unix_ms| {
        let store = store::Store::open(&place.store()).unwrap();
        let header = store::RunHeader {
            method: "full-scan",
            target: "null:",
            settings: "{}",
            environment: "{}",
            started_unix_ms,
        };
        drop(store.begin_run(&header).unwrap());
    };
    begin(i64::MAX);
    begin(-5);
    let began: Vec<(i64, String)> = place
        .stored()
        .iter()
        .map(|run| {
            (
                run["id"].as_i64().unwrap(),
                run["began"].as_str().unwrap()[..4].to_owned(),
            )
        })
        .collect();
    let ids: Vec<i64> = began.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, [3, 2, 1]);
    assert_eq!((&*began[0].1, &*began[1].1), ("1970", "9999"));
}
