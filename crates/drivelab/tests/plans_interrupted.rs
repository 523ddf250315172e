//! Nothing of a plan is lost: killed at twenty random moments and resumed each time, it ends with every phase once, and
//! bit-identical to an uninterrupted one.
//!
//! The moments are drawn from a seed; where in the plan they fall depends on the machine, and nothing
//! below does. A kill that comes after the end of the plan is not counted, and drawn anew.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::collections::BTreeMap;
use std::time::Duration;

use base::rng::Rng;
use command::Place;
use serde_json::Value;
use store::{RunState, Which};

/// Kills of each chain, and chains: twenty kills in all.
const KILLS: u32 = 5;
const CHAINS: u64 = 4;
/// Latest moment of a kill after a start, in milliseconds.
const LATEST_MS: u64 = 400;

/// Steps of different length, in both kinds of state; with repeats and idle times.
fn plan(state: &str) -> String {
    format!(
        r#"
targets = ["model:samsung-840-evo-120gb", "null:", "model:hgst-deskstar-nas-hdn724030-3tb"]
state = "{state}"
order = "shuffled"
scale = "quick"
rest = "1s"

[[step]]
method = "latency-watch"
repeat = 2

[[step]]
method = "full-scan"
set = {{ extent = "256MiB" }}

[[step]]
method = "quick-scan"
set = {{ regions = 8 }}
"#
    )
}

fn place_with(plan: &str) -> Place {
    let place = Place::new();
    std::fs::write(place.path("own.toml"), plan).unwrap();
    place
}

/// The completed phases of every run in the store, by run and name: in the result of a finished run, in separate rows
/// of an unfinished one, and nowhere twice.
fn done_phases(place: &Place) -> BTreeMap<(i64, String), Value> {
    let store = lab::open_store(&place.store()).unwrap();
    let mut all = BTreeMap::new();
    for run in store.list().unwrap() {
        let stored = store.phases(run.id).unwrap();
        let done = stored.iter().filter(|phase| phase.done);
        let mut phases: Vec<Value> = done
            .map(|phase| serde_json::from_str(&phase.record).unwrap())
            .collect();
        if run.state == RunState::Finished {
            assert_eq!(stored, [], "run {}: they are in its result, too", run.id);
            let result = store.result(Which::Id(run.id)).unwrap();
            let result: Value = serde_json::from_str(&result).unwrap();
            phases = result["phases"].as_array().unwrap().clone();
        }
        for phase in phases {
            let key = (run.id.0, phase["name"].as_str().unwrap().to_owned());
            assert!(all.insert(key, phase).is_none(), "a phase is stored twice");
        }
    }
    all
}

/// The phases of unfinished runs, of which only those on a real drive can be resumed.
fn kept_to_go_on(place: &Place) -> usize {
    let store = lab::open_store(&place.store()).unwrap();
    let runs = store.list().unwrap();
    let phases = runs.iter().map(|run| store.phases(run.id).unwrap().len());
    phases.sum()
}

/// Kills the plan so often at least, each time at a random moment after it was begun or resumed, until
/// `look`, which is called after each kill, has seen enough. Leaves it unfinished.
fn kill_again_and_again(
    place: &Place,
    rng: &mut Rng,
    mut latest_ms: u64,
    look: &mut dyn FnMut() -> bool,
) {
    let (mut kills, mut enough) = (0, false);
    while kills < KILLS || !enough {
        let has_plan = place.store().exists() && !unfinished(place).is_empty();
        let arguments: &[&str] = if has_plan {
            &["resume"]
        } else {
            &["run", "own.toml"]
        };
        let run = place.start(place.command(arguments));
        std::thread::sleep(Duration::from_millis(rng.below(latest_ms)));
        let ended = run.kill();
        if ended.code.is_none() && place.store().exists() && !unfinished(place).is_empty() {
            kills += 1;
            enough = look();
        } else if ended.code.is_some() {
            // It was quicker: from the beginning, in a new store.
            assert_eq!(ended.code, Some(0), "{ended:?}");
            std::fs::remove_dir_all(place.path("store")).unwrap();
        } else {
            // It had not even begun: a machine so busy needs later moments.
            latest_ms += latest_ms / 4;
        }
    }
}

/// The plans that have not ended.
fn unfinished(place: &Place) -> Vec<i64> {
    let Ok(store) = lab::open_store(&place.store()) else {
        return Vec::new();
    };
    let plans = plans::prepared::unfinished(&store).unwrap();
    plans.into_iter().map(|plan| plan.id.0).collect()
}

fn results(place: &Place) -> Value {
    place.json(&["report", "plan-1", "--json"])["results"].clone()
}

#[test]
fn a_plan_killed_at_twenty_random_moments_ends_as_one_that_nobody_disturbed() {
    let chain = |seed: u64| {
        let state = ["anew", "carried-over"][seed as usize % 2];
        let undisturbed = place_with(&plan(state));
        undisturbed.ok(&["run", "own.toml"]);
        let place = place_with(&plan(state));
        let mut rng = Rng::new(seed);
        kill_again_and_again(&place, &mut rng, LATEST_MS, &mut || {
            assert_eq!(kept_to_go_on(&place), 0, "a model begins again");
            true
        });
        place.ok(&["resume"]);
        assert!(unfinished(&place).is_empty());
        let (ours, theirs) = (results(&place), results(&undisturbed));
        assert_eq!(ours.as_array().unwrap().len(), 9);
        for (ours, theirs) in ours
            .as_array()
            .unwrap()
            .iter()
            .zip(theirs.as_array().unwrap())
        {
            let what = format!("{state}: {} on {}", ours["method"], ours["target"]["name"]);
            assert!(ours == theirs, "{what} differs");
        }
        assert_eq!(done_phases(&place), done_phases(&undisturbed), "{state}");
    };
    std::thread::scope(|scope| {
        let chains: Vec<_> = (0..CHAINS)
            .map(|seed| scope.spawn(move || chain(seed)))
            .collect();
        for chain in chains {
            chain.join().unwrap();
        }
    });
}

#[test]
fn a_phase_of_a_real_file_that_was_done_before_a_kill_is_in_the_result_as_it_was() {
    let test = "a_phase_of_a_real_file_that_was_done_before_a_kill_is_in_the_result_as_it_was";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    place.file("own.img", 4 << 20);
    let plan = r#"
targets = ["fault(./own.img)?delays=1000000&delay=4ms"]
[[step]]
method = "full-scan"
set = { ops = "read" }
repeat = 12
[[step]]
method = "latency-watch"
set = { time = "100ms", load = "none" }
repeat = 3
"#;
    std::fs::write(place.path("own.toml"), plan).unwrap();
    let mut before = BTreeMap::new();
    let mut rng = Rng::new(3);
    kill_again_and_again(&place, &mut rng, 1_000, &mut || {
        let now = done_phases(&place);
        for (key, record) in &before {
            assert_eq!(now.get(key), Some(record), "{key:?} is not what it was");
        }
        before = now;
        !before.is_empty()
    });
    place.ok(&["resume"]);
    let after = done_phases(&place);
    assert!(
        before
            .iter()
            .all(|(key, record)| after.get(key) == Some(record))
    );
    let results = results(&place);
    let phases = results.as_array().unwrap().iter().flat_map(|result| {
        let phases = result["phases"].as_array().unwrap();
        phases
            .iter()
            .map(|phase| (result["id"].as_i64().unwrap(), phase))
    });
    let mut told = BTreeMap::new();
    for (run, phase) in phases {
        let key = (run, phase["name"].as_str().unwrap().to_owned());
        assert!(told.insert(key, phase).is_none(), "a phase is told twice");
    }
    for (key, record) in &before {
        assert!(told[key] == record, "{key:?} was measured again");
    }
    assert_eq!(told.len(), after.len());
}

#[test]
fn an_interrupt_ends_a_plan_cleanly_and_says_how_it_goes_on() {
    let Some(place) =
        Place::on_disk_or_skip("an_interrupt_ends_a_plan_cleanly_and_says_how_it_goes_on")
    else {
        return;
    };
    place.file("own.img", 16 << 20);
    let plan = "targets = ['null:', 'fault(./own.img)?delays=1000000&delay=10ms']\n\
        order = 'by-target'\n[[step]]\nmethod = 'full-scan'\nset = { extent = '16MiB', ops = 'read' }\n";
    std::fs::write(place.path("own.toml"), plan).unwrap();
    let mut run = place.start(place.command(&["run", "own.toml"]));
    run.wait_for("2 of 2: full-scan on fault");
    place.fails(&["resume"], 1, &["is running in process"]);
    run.signal("INT");
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert_eq!(ended.stdout, "");
    let last = ended.stderr.lines().last().unwrap();
    for words in [
        "interrupted",
        "1 of 2 steps",
        "continue with `drivelab resume plan-1`",
    ] {
        assert!(last.contains(words), "{words}: {ended:?}");
    }
    let resumed = place.ok(&["resume"]);
    assert!(
        resumed
            .stderr
            .contains("resuming plan 1: 1 of 2 steps done"),
        "{resumed:?}"
    );
    assert!(
        !resumed.stderr.contains("1 of 2: full-scan"),
        "it is not run again: {resumed:?}"
    );
    assert_eq!(place.stored().len(), 2);
    place.ok(&["report", "plan-1"]);
}

#[test]
fn a_run_of_a_plan_is_resumed_with_its_plan_and_not_in_another_folder() {
    let Some(place) = Place::on_disk_or_skip(
        "a_run_of_a_plan_is_resumed_with_its_plan_and_not_in_another_folder",
    ) else {
        return;
    };
    place.file("own.img", 16 << 20);
    let plan = "targets = ['fault(./own.img)?delays=1000000&delay=10ms']\n\
        [[step]]\nmethod = 'full-scan'\nset = { ops = 'read' }\n";
    std::fs::write(place.path("own.toml"), plan).unwrap();
    let mut run = place.start(place.command(&["run", "own.toml"]));
    run.wait_for("1 of 1: full-scan");
    place.wait_for_a_run(&mut run);
    run.kill();
    let elsewhere = place.directory("elsewhere");
    let mut command = place.command(&["resume", "1"]);
    command.current_dir(elsewhere);
    let ended = place.start(command).end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    ended.is_one_line(&["plan 1 was started in", "resume it from there"]);
    let again = place.run(&["run", "own.toml", "--dry-run"]);
    assert_eq!(again.code, Some(0));
    let forecast = place.json(&["resume", "1", "--dry-run", "--json"]);
    assert_eq!(forecast["schema"], "drivelab.forecast/1");
    assert_eq!(forecast["forecast"]["steps"][0]["method"], "full-scan");
    let resumed = place.ok(&["resume", "1"]);
    assert!(resumed.stderr.contains("resuming plan 1"), "{resumed:?}");
    assert_eq!(place.last_state(), "finished");
}
