//! Faults: bad blocks, a drive that disappears, full and read-only disks.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;
mod loop_device;

use command::Place;
use loop_device::Mounted;
use serde_json::{Value, json};

/// Reads that succeeded in the only job of a phase.
fn reads(phase: &Value) -> &Value {
    &phase["jobs"][0]["ops"][0]["ios"]
}

fn figure<'a>(result: &'a Value, key: &str) -> &'a Value {
    let figures = result["figures"].as_array().unwrap();
    &figures
        .iter()
        .find(|f| f["key"] == key)
        .unwrap_or_else(|| panic!("no figure {key}"))["value"]
}

/// On a real file where there is direct I/O, and on the null target.
fn places(test: &str, bytes: usize) -> Vec<(Place, &'static str)> {
    let mut places = vec![(Place::new(), "null:")];
    if let Some(place) = Place::on_disk_or_skip(test) {
        place.file("own.img", bytes);
        places.push((place, "./own.img"));
    }
    places
}

#[test]
fn bad_blocks_are_counted_with_their_address_and_do_not_end_a_scan() {
    for (place, target) in places(
        "bad_blocks_are_counted_with_their_address_and_do_not_end_a_scan",
        4 << 20,
    ) {
        let target = format!("fault({target})?bad=1MiB+4KiB");
        let ended = place.finds_it_failing(&[
            "run",
            "full-scan",
            &target,
            "--set",
            "extent=4MiB",
            "--set",
            "block=4KiB",
            "--set",
            "ops=read",
            "--json",
        ]);
        let result = ended.json();
        assert_eq!(result["ended"], "complete");
        assert_eq!(reads(&result["phases"][0]), 1_023);
        let errors = &result["phases"][0]["jobs"][0]["errors"];
        assert_eq!(errors["count"], 1);
        let first = &errors["first"][0];
        assert_eq!(
            (&first["offset"], &first["errno"], &first["op"]),
            (&json!(1 << 20), &json!(5), &json!("read"))
        );
        assert_eq!(figure(&result, "read.errors"), 1.0);
        assert_eq!(figure(&result, "failed.ios"), 1.0);
        assert!(figure(&result, "failed.longest").as_f64().unwrap() > 0.0);
        let warnings = result["warnings"].to_string();
        for words in [
            "1 I/Os failed",
            "read of 4 KiB at byte 1048576: EIO, I/O error",
        ] {
            assert!(warnings.contains(words), "{words}: {warnings}");
        }
        let text = place.ok(&["report", "last"]).stdout;
        // What was found comes first, and not behind a table.
        let said = "One place cannot be read, at 1.05 MB: copy off what matters.";
        let before_any_table = text.split("Scale default").next().unwrap();
        assert!(before_any_table.lines().any(|line| line == said), "{text}");
        assert!(
            text.contains("Warnings") && text.contains("EIO") && text.contains("failed I/Os"),
            "{text}"
        );
    }
}

#[test]
fn a_drive_that_goes_away_ends_the_run_and_what_was_measured_is_kept() {
    for (place, target) in places(
        "a_drive_that_goes_away_ends_the_run_and_what_was_measured_is_kept",
        16 << 20,
    ) {
        let target = format!("fault({target})?gone_after=50");
        let scan = ["run", "full-scan", &target, "--set", "extent=16MiB"];
        let ended = place.run(&[&scan[..], &["--set", "block=256KiB"]].concat());
        assert_eq!(ended.code, Some(1), "{ended:?}");
        ended.is_one_line(&["went away during phase 'read'", "ENODEV", "kept as run 1"]);
        assert_eq!(
            ended.stderr.matches("kept").count(),
            1,
            "said twice: {}",
            ended.stderr
        );
        let result = place.json(&["report", "last", "--json"])["results"][0].clone();
        assert_eq!(reads(&result["phases"][0]), 50);
        assert!(result["ended"].as_str().unwrap().contains("went away"));
        assert_eq!(place.stored()[0]["state"], "went away");
        assert!(place.ok(&["report", "last"]).stdout.contains("ended early"));
        // After another fifty I/Os it would go away again; of the file's, fourteen are left.
        let again = place.run(&["resume", "--json"]);
        if target.contains("null:") {
            assert_eq!(again.code, Some(1), "a model begins anew: {again:?}");
            continue;
        }
        assert_eq!(again.code, Some(0), "{again:?}");
        let phase = &again.json()["phases"][0];
        assert_eq!(
            (reads(phase), &phase["ended"]),
            (&json!(64), &json!("complete"))
        );
        assert_eq!(
            phase["jobs"][0]["errors"]["count"], 0,
            "they were the lost drive's"
        );
        assert_eq!(place.stored()[0]["state"], "finished");
        place.fails(&["resume"], 1, &["has ended"]);
    }
}

#[test]
fn short_transfers_count_as_errors() {
    let place = Place::new();
    let ended = place.run(&[
        "run",
        "full-scan",
        "fault(null:)?short=1000000",
        "--set",
        "extent=1MiB",
        "--set",
        "ops=read",
        "--json",
    ]);
    assert_eq!(
        ended.code,
        Some(3),
        "the drive fails all of them: {ended:?}"
    );
    let last = ended.stderr.lines().last().unwrap();
    for words in [
        "phase 'read' measured nothing",
        "all of its 16 I/Os failed",
        "moved",
    ] {
        assert!(last.contains(words), "{words}: {last}");
    }
    let result = ended.json();
    assert_eq!(figure(&result, "read.mean"), &Value::Null, "not 0");
    assert_eq!(figure(&result, "failed.ios"), 16.0);
    assert_eq!(result["phases"][0]["jobs"][0]["errors"]["count"], 16);
    assert_eq!(reads(&result["phases"][0]), 0);
}

#[test]
fn a_delay_is_among_the_worst_with_its_address() {
    for (place, target) in places("a_delay_is_among_the_worst_with_its_address", 16 << 20) {
        let target = format!("fault({target})?delays=20000&delay=40ms&seed=5");
        let result = place.json(&[
            "run",
            "full-scan",
            &target,
            "--set",
            "extent=16MiB",
            "--set",
            "ops=read",
            "--json",
        ]);
        let worst = result["phases"][0]["jobs"][0]["worst"].as_array().unwrap();
        let held = worst
            .iter()
            .filter(|io| io["service"].as_u64().unwrap() >= 40_000_000)
            .count();
        assert!(held >= 1, "{worst:?}");
        assert!(worst[0]["offset"].is_u64() && worst[0]["beside_reads"] == 0);
        assert!(figure(&result, "read.response.max").as_f64().unwrap() >= 40.0);
    }
}

#[test]
fn a_read_only_disk_is_said_in_one_line() {
    let test = "a_read_only_disk_is_said_in_one_line";
    let Some(mounted) = Mounted::new_or_skip(test, &["ext4"], 32) else {
        return;
    };
    std::fs::write(mounted.path().join("own.img"), command::content(1 << 20)).unwrap();
    mounted.remount("ro");
    let place = Place::new();
    let target = format!("{}?size=1MiB", mounted.text());
    place.fails(
        &["run", "full-scan", &target],
        1,
        &["read-only", mounted.text()],
    );
    assert!(place.stored().is_empty());
    let own = format!("{}/own.img", mounted.text());
    place.ok(&["run", "full-scan", &own]);
    let writing = [
        "run",
        "full-scan",
        &own,
        "--destroy-data",
        "--confirm",
        &own,
    ];
    place.fails(&writing, 1, &["ead-only", &own]);
    let store = format!("{}/results", mounted.text());
    place.fails(
        &["--store", &store, "run", "full-scan", "null:"],
        1,
        &["--store", &store],
    );
    let html = format!("{}/report.html", mounted.text());
    let report = place.run(&["report", "last", "--html", &html]);
    assert_eq!(report.code, Some(1), "{report:?}");
    report.is_one_line(&[&html, "ead-only"]);
}

#[test]
fn a_full_disk_under_the_report_leaves_the_old_one_whole() {
    let Some(mounted) = Mounted::new_or_skip(
        "a_full_disk_under_the_report_leaves_the_old_one_whole",
        &["ext4"],
        16,
    ) else {
        return;
    };
    let place = Place::new();
    let html = format!("{}/report.html", mounted.text());
    place.ok(&[
        "run",
        "latency-watch",
        "null:",
        "--scale",
        "quick",
        "--html",
        &html,
    ]);
    let old = std::fs::read(&html).unwrap();
    assert!(old.len() > 50_000);
    mounted.fill_up();
    place.fails(
        &["report", "last", "--html", &html],
        1,
        &[&html, "No space left"],
    );
    assert!(
        std::fs::read(&html).unwrap() == old,
        "the old report is as it was"
    );
    let names = command::names_in(mounted.path());
    assert_eq!(
        names,
        ["filling", "lost+found", "report.html"],
        "nothing half-written"
    );
    let run = place.run(&[
        "run",
        "latency-watch",
        "null:",
        "--scale",
        "quick",
        "--html",
        &html,
    ]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stdout.contains("Latency watch"),
        "the figures are shown: {run:?}"
    );
    assert!(
        run.stderr.lines().last().unwrap().contains("No space left"),
        "{run:?}"
    );
    assert_eq!(place.stored().len(), 2, "the result is stored all the same");
}

#[test]
fn a_full_disk_under_the_store_is_said_in_one_line() {
    let Some(mounted) = Mounted::new_or_skip(
        "a_full_disk_under_the_store_is_said_in_one_line",
        &["ext4"],
        16,
    ) else {
        return;
    };
    let place = Place::new();
    let store = format!("{}/results", mounted.text());
    let run = [
        "--store",
        &store,
        "run",
        "latency-watch",
        "null:",
        "--scale",
        "quick",
    ];
    place.ok(&run);
    mounted.fill_up();
    let full = place.run(&run);
    assert_eq!(full.code, Some(1), "{full:?}");
    full.is_one_line(&["no room left for results", &store, "--store"]);
    std::fs::remove_file(mounted.path().join("filling")).unwrap();
    let listing = place.json(&["--store", &store, "results", "--json"]);
    let states: Vec<&str> = listing["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["state"].as_str().unwrap())
        .collect();
    assert_eq!(
        states.last(),
        Some(&"finished"),
        "what was stored before is whole"
    );
    assert!(states.iter().all(|state| *state != "running"), "{states:?}");
    place.ok(&["--store", &store, "report", "1"]);
}

#[test]
fn a_full_disk_under_a_plan_is_said_in_one_line_and_what_was_stored_is_kept() {
    let test = "a_full_disk_under_a_plan_is_said_in_one_line_and_what_was_stored_is_kept";
    let Some(mounted) = Mounted::new_or_skip(test, &["ext4"], 16) else {
        return;
    };
    let place = Place::new();
    let store = format!("{}/results", mounted.text());
    let run = ["--store", &store, "run", "quick", "null:"];
    place.ok(&run);
    mounted.fill_up();
    let full = place.run(&run);
    assert_eq!(full.code, Some(1), "{full:?}");
    assert_eq!(full.stdout, "", "{full:?}");
    let said: Vec<&str> = full
        .stderr
        .lines()
        .filter(|l| l.starts_with("drivelab: "))
        .collect();
    assert_eq!(said.len(), 1, "{full:?}");
    assert!(said[0].contains("no room left for results"), "{full:?}");
    std::fs::remove_file(mounted.path().join("filling")).unwrap();
    let kept = place.json(&["--store", &store, "report", "plan-1", "--json"]);
    assert_eq!(kept["results"].as_array().unwrap().len(), 3);
    place.ok(&run);
}

#[test]
fn a_file_that_is_not_our_report_is_not_overwritten() {
    let place = Place::new();
    std::fs::write(place.path("report.html"), "<html>my own page</html>").unwrap();
    place.directory("dir");
    for arguments in [
        &["run", "latency-watch", "null:", "--html", "report.html"][..],
        &[
            "review",
            "./dir",
            "--scale",
            "quick",
            "--html",
            "report.html",
        ],
    ] {
        place.fails(
            arguments,
            1,
            &["report.html", "not a report of drivelab", "--html"],
        );
    }
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert_eq!(page, "<html>my own page</html>");
    assert!(
        place.stored().is_empty(),
        "it was found out before anything was measured"
    );
}

#[test]
fn processes_that_make_the_same_store_at_once_wait_for_each_other() {
    let place = Place::new();
    for round in 0..20 {
        let store = format!("stores/{round}");
        let arguments = ["--store", &store, "results"];
        let all = [(); 4].map(|()| place.start(place.command(&arguments)));
        for one in all {
            let ended = one.end();
            assert_eq!(ended.code, Some(0), "{ended:?}");
        }
    }
}
