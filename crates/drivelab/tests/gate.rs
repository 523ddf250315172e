//! `drivelab gate` and `merge`: what a script asks by exit code, and stores that come together.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;
use serde_json::Value;

const SN770: &str = "model:wd-black-sn770-1tb";
const GATE: [&str; 4] = ["gate", SN770, "--scale", "quick"];

#[test]
fn the_exit_code_tells_what_is_met_from_what_is_not_and_both_from_a_slip() {
    let place = Place::new();
    let code = |requirement: &str| {
        let ended = place.run(&[&GATE[..], &["--require", requirement]].concat());
        (ended.code.unwrap(), ended.stdout + &ended.stderr)
    };
    let (met, said) = code("latency-watch.alone.p99 <= 1s");
    assert_eq!(met, 0, "{said}");
    assert!(
        said.contains("met  latency-watch.alone.p99 <= 1s"),
        "{said}"
    );
    let (not_met, said) = code("latency-watch.alone.p99 <= 1ns");
    assert_eq!(not_met, 3, "{said}");
    assert!(said.contains("1 of 1 requirements are not met"), "{said}");
    for (slip, says) in [
        ("latency-watch.alon.p99 <= 5ms", "did you mean alone.p99"),
        (
            "latency-wach.alone.p99 <= 5ms",
            "did you mean latency-watch?",
        ),
        ("latency-watch.alone.p99 <= 5", "expected a limit in ms"),
        ("fast", "is no requirement"),
    ] {
        let (invalid, said) = code(slip);
        assert_eq!(invalid, 2, "{said}");
        assert!(said.contains(says), "{said}");
    }
    let nothing = place.run(&GATE);
    assert_eq!(nothing.code, Some(2), "{nothing:?}");
}

#[test]
fn requirements_come_from_a_file_too_and_each_is_a_test_case() {
    let place = Place::new();
    std::fs::write(
        place.path("limits"),
        "# our desktops\nfull-scan.read.errors = 0  # none\n\nlatency-watch.alone.p99 <= 1 ns\n",
    )
    .unwrap();
    let more = ["--requirements", "limits", "--junit", "gate.xml", "--json"];
    let ended = place.run(&[&GATE[..], &more].concat());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let gate: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(gate["schema"], "drivelab.gate/1");
    let outcomes: Vec<&str> = gate["requirements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|requirement| requirement["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["met", "not-met"]);
    let junit = std::fs::read_to_string(place.path("gate.xml")).unwrap();
    assert!(
        junit.contains("tests=\"2\" failures=\"1\" errors=\"0\""),
        "{junit}"
    );
    // The same again of what was stored, without a run.
    let stored = ["gate", "--stored", "all", "--requirements", "limits"];
    assert_eq!(place.run(&stored).code, Some(3));
    let other = ["gate", "--stored", "all", "--require", "atto.x = 0"];
    assert_eq!(place.run(&other).code, Some(2));
}

#[test]
fn a_batch_that_is_screened_is_a_test_case_a_drive() {
    let place = Place::new();
    let screen = [
        "run",
        "screen",
        SN770,
        "--scale",
        "quick",
        "--junit",
        "batch.xml",
    ];
    let ended = place.run(&screen);
    let junit = std::fs::read_to_string(place.path("batch.xml")).unwrap();
    assert!(junit.contains("tests=\"1\""), "{ended:?} {junit}");
    let alone = place.run(&["run", "latency-watch", SN770, "--junit", "no.xml"]);
    assert_eq!(alone.code, Some(2), "{alone:?}");
    let other = place.run(&["run", "quick", SN770, "--junit", "no.xml"]);
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(
        other.stderr.contains("--junit needs a plan that judges"),
        "{other:?}"
    );
}

#[test]
fn stores_are_merged_once_and_one_that_is_not_there_is_not_made() {
    let place = Place::new();
    for store in ["a.sqlite3", "b.sqlite3"] {
        let run = [
            "run",
            "quick-scan",
            SN770,
            "--scale",
            "quick",
            "--store",
            store,
        ];
        assert_eq!(place.run(&run).code, Some(0));
    }
    let merge = ["merge", "a.sqlite3", "b.sqlite3", "--into", "all.sqlite3"];
    for copied in [
        "1 run copied, 0 already there",
        "0 runs copied, 1 already there",
    ] {
        let ended = place.run(&merge);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(ended.stderr.matches(copied).count(), 2, "{ended:?}");
    }
    let listed = place.run(&["results", "--json", "--store", "all.sqlite3"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(listed["results"].as_array().unwrap().len(), 2);
    let itself = place.run(&["merge", "a.sqlite3", "--into", "./a.sqlite3"]);
    assert_eq!(itself.code, Some(2), "{itself:?}");
    let none = place.run(&["merge", "c.sqlite3", "--into", "all.sqlite3"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(!place.path("c.sqlite3").exists());
}
