//! The program's own time, and layers below the target, are reported and not attributed to the drive.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;
mod loop_device;

use command::Place;
use loop_device::Mounted;
use serde_json::Value;

fn figure(result: &Value, key: &str) -> f64 {
    let figures = result["figures"].as_array().unwrap();
    let figure = figures.iter().find(|figure| figure["key"] == key).unwrap();
    figure["value"].as_f64().unwrap()
}

/// A stop of three seconds during a watch: what is attributed to the drive in that time.
#[test]
fn a_program_that_is_stopped_for_three_seconds_gives_the_drive_no_stutter() {
    let place = Place::new();
    place.file("own.img", 16 << 20);
    let arguments = ["run", "latency-watch", "./own.img", "--set", "time=4s"];
    let run = place.command(&[&arguments[..], &["--set", "load=none", "--json"]].concat());
    let mut run = place.start(run);
    place.wait_for_a_run(&mut run);
    // Beyond the half second in which the pace is found, in the watch itself.
    std::thread::sleep(std::time::Duration::from_secs(2));
    run.signal("STOP");
    std::thread::sleep(std::time::Duration::from_secs(3));
    run.signal("CONT");
    let ended = run.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let result = ended.json();
    let phases = result["phases"].as_array().unwrap();
    let stopped = |phase: &&Value| phase["pauses"]["longest"].as_u64().unwrap() > 2_500_000_000;
    let stopped: Vec<&Value> = phases.iter().filter(stopped).collect();
    assert_eq!(stopped.len(), 1, "{phases:?}");
    // Other stops are the busy machine's; none is three seconds, and no response holds this one.
    let worst = figure(&result, "alone.worst");
    assert!(worst < 2_500.0, "{worst} ms");
    assert!(figure(&result, "alone.longest-stall") < 2_500.0);
    assert!(stopped[0]["took"].as_u64().unwrap() < 6_000_000_000);
    let uses = place.json(&["report", "last", "--uses", "--json"]);
    let said = uses["drives"][0]["reservations"].as_array().unwrap();
    assert!(said.iter().any(|one| one["id"] == "own-pauses"), "{uses}");
    let text = place.ok(&["report", "last"]).stdout;
    assert!(text.starts_with("Provisional: "), "{text}");
}

/// fio and DiskSpd count a stop as the job's time, and print it so; a rate of the drive's leaves it out.
#[test]
fn jobs_of_a_program_that_is_stopped_give_the_drive_the_rate_without_the_stop() {
    let job = "[a]\nrw=randread\nsize=4m\nrate_iops=200\nruntime=6\ntime_based\n";
    for words in [
        &["fio", "a.fio", "--target", "./own.img"][..],
        &["diskspd", "-b4K", "-W0", "-d6", "-g200i", "-r", "./own.img"],
    ] {
        let place = Place::new();
        place.file("own.img", 4 << 20);
        std::fs::write(place.path("a.fio"), job).unwrap();
        let mut run = place.start(place.command(words));
        place.wait_for_a_run(&mut run);
        std::thread::sleep(std::time::Duration::from_secs(1));
        run.signal("STOP");
        std::thread::sleep(std::time::Duration::from_secs(3));
        run.signal("CONT");
        let ended = run.end();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let result = &place.json(&["report", "last", "--json"])["results"][0];
        let phase = &result["phases"][0];
        let paused = phase["pauses"]["total"].as_u64().unwrap();
        assert!(paused > 2_500_000_000, "{phase}");
        let took = phase["took"].as_u64().unwrap();
        assert!(
            took < 4_000_000_000,
            "{words:?}: {took} with {paused} paused"
        );
    }
}

#[test]
fn a_file_system_that_compresses_is_said_before_the_figures() {
    let test = "a_file_system_that_compresses_is_said_before_the_figures";
    let Some(file_system) = Mounted::new_or_skip(test, &["btrfs"], 256) else {
        return;
    };
    file_system.remount("compress=zstd");
    let place = Place::new();
    let target = format!("{}?size=8MiB", file_system.text());
    let watch = [
        "run",
        "latency-watch",
        &target,
        "--scale",
        "quick",
        "--json",
    ];
    let result = place.json(&watch);
    let beneath = result["target"]["beneath"].as_array().unwrap();
    let kinds: Vec<&str> = beneath
        .iter()
        .map(|layer| layer["kind"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"compression"), "{beneath:?}");
    assert!(kinds.contains(&"loop"), "{beneath:?}");
    let text = place.ok(&["report", "last"]).stdout;
    // Where a line ends depends on what else there is to say.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("compressed before it is written (btrfs (compress=zstd"),
        "{text}"
    );
}
