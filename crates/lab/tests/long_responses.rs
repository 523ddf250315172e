//! What the longest responses of drives have in common whose trouble is known: its habit is told, and no other.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod modelled;

use base::method::Scale;
use results::RunResult;
use results::statement::{Quantity, Statement};

const DRIVE: &str = "model:samsung-970-evo-plus-1tb";

fn watched(target: &str, set: &[&str]) -> RunResult {
    modelled::run("latency-watch", target, Scale::Default, set)
}

/// The habits that are told, by their sentences.
fn told(result: &RunResult) -> Vec<Statement> {
    let said = analysis::answers::answer(result);
    let of = said
        .into_iter()
        .find(|said| said.key.starts_with("answer-long-responses"));
    match of {
        None => Vec::new(),
        Some(random) if random.key == "answer-long-responses-random" => vec![random],
        Some(said) => match said.quantity("what") {
            Some(Quantity::Said(habits)) => habits.clone(),
            other => panic!("{other:?}"),
        },
    }
}

fn keys(habits: &[Statement]) -> Vec<&'static str> {
    habits.iter().map(|habit| habit.key).collect()
}

#[test]
fn a_controller_that_stops_regularly_is_told_by_its_period() {
    // However many shorter responses there are beside.
    for (every_s, time) in [(4.0, "time=30s"), (5.0, "time=60s")] {
        let target = format!("fault({DRIVE})?stutter=300ms&stutter_every={every_s}s");
        let habits = told(&watched(&target, &[time]));
        assert_eq!(keys(&habits), ["answer-long-responses-period"]);
        let Some(Quantity::Time(every)) = habits[0].quantity("every") else {
            panic!("{habits:?}")
        };
        assert!((every.as_secs_f64() - every_s).abs() < 0.05, "{every}");
    }
}

#[test]
fn a_weak_area_is_told_by_its_place() {
    let target = format!("fault({DRIVE})?slow=100MiB+4MiB&slow_by=20ms");
    let habits = told(&watched(&target, &["time=20s"]));
    assert_eq!(keys(&habits), ["answer-long-responses-place"]);
    let places = ["from", "to"].map(|end| match habits[0].quantity(end) {
        Some(Quantity::Place(place)) => place.get() >> 20,
        other => panic!("{other:?}"),
    });
    assert!(places[0] >= 99 && places[1] <= 104, "{places:?}");
}

#[test]
fn a_first_controller_stutters_only_under_load() {
    let habits = told(&watched("model:ocz-core-v2-30gb", &["time=30s"]));
    assert!(
        keys(&habits).contains(&"answer-long-responses-load"),
        "{habits:?}"
    );
    assert!(
        !keys(&habits).contains(&"answer-long-responses-period"),
        "{habits:?}"
    );
}

/// The area of a watch fits into the blocks that such a pair writes to first.
#[test]
fn lone_small_writes_that_stall_beyond_the_area_of_a_watch_are_a_stutter() {
    let stutters = |drive: &str| {
        let run = |method| modelled::run(method, drive, Scale::Default, &[]);
        let results = ["latency-watch", "iometer"].map(run);
        let found = analysis::findings::findings(&results.each_ref());
        let mut stutters = found.iter().filter(|found| found.of.id == "stutters");
        let unfit = ("os-drive", results::Standing::Unfit);
        stutters.any(|found| found.standing.contains(&unfit))
    };
    assert!(stutters("model:ocz-apex-120gb"));
    // Slow, and yet it goes on.
    for drive in [
        "model:ocz-vertex-30gb",
        "model:kingston-snv125-s2-30gb",
        "model:hgst-deskstar-nas-hdn724030-3tb",
    ] {
        assert!(!stutters(drive), "{drive}");
    }
}

#[test]
fn reads_that_wait_for_a_disks_cache_to_be_emptied_are_no_stutter() {
    let disk = "model:wd-ultrastar-dc-hc560-20tb";
    let asked = modelled::run("explain", disk, Scale::Default, &[]);
    let waits = |phase: &base::record::PhaseRecord| {
        let jobs = phase.jobs.iter();
        jobs.map(|job| job.stalls.longest).max() > Some(base::Duration::from_secs(1))
    };
    assert!(asked.phases.iter().any(waits));
    let found = analysis::findings::findings(&[&asked]);
    assert!(found.iter().all(|found| found.of.id != "stutters"));
}

#[test]
fn responses_that_are_long_by_chance_have_nothing_in_common() {
    for seed in 1..=6 {
        let target = format!("fault({DRIVE})?delays=1000&delay=150ms&seed={seed}");
        let habits = told(&watched(&target, &["time=10s"]));
        assert_eq!(keys(&habits), ["answer-long-responses-random"], "{seed}");
    }
}

#[test]
fn a_drive_whose_long_responses_nobody_feels_is_not_spoken_of() {
    for drive in [
        DRIVE,
        "model:samsung-840-pro-512gb",
        "model:wd-black-sn770-1tb",
    ] {
        assert_eq!(told(&watched(drive, &[])), [], "{drive}");
    }
}

#[test]
fn explain_tells_a_habit_of_the_drive_and_none_of_its_own_scripts() {
    let told_of = |target: &str| {
        let result = modelled::run("explain", target, Scale::Default, &[]);
        told(&result)
            .iter()
            .map(|habit| habit.key)
            .collect::<Vec<_>>()
    };
    let slow = told_of(&format!("fault({DRIVE})?slow=100MiB+4MiB&slow_by=20ms"));
    assert_eq!(slow, ["answer-long-responses-place"]);
    let late = told_of(&format!("fault({DRIVE})?delays=1000&delay=150ms"));
    assert_eq!(late, Vec::<&str>::new());
    for healthy in [
        "model:hgst-deskstar-nas-hdn724030-3tb",
        "model:wd-red-wd40efax-4tb",
        "model:wd-red-wd30efrx-3tb?host=linux-desktop",
        "model:seagate-exos-x20-20tb",
        DRIVE,
    ] {
        assert_eq!(told_of(healthy), Vec::<&str>::new(), "{healthy}");
    }
}
