//! `drivelab explain`: what is inside a drive, on the terminal, as a document and as a page.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;
use serde_json::Value;

const DISK: &str = "model:hitachi-travelstar-7k100-100gb?host=none";
const FLASH: &str = "model:wd-black-sn770-1tb?host=none";

fn finding<'a>(drive: &'a Value, of: &str) -> &'a Value {
    let mut all = drive["findings"].as_array().unwrap().iter();
    all.find(|finding| finding["question"] == of).unwrap()
}

#[test]
fn findings_stand_under_how_certain_they_are_and_say_what_was_not_asked() {
    let place = Place::new();
    let said = place.ok(&["explain", FLASH, "--scale", "quick"]).stdout;
    let at = |what: &str| said.find(what).unwrap_or_else(|| panic!("{what}: {said}"));
    let headings = [
        "\nFound\n",
        "\nLooked for, and not there\n",
        "\nNot asked\n",
    ];
    assert!(at(headings[0]) < at(headings[1]) && at(headings[1]) < at(headings[2]));
    assert!(at(headings[0]) < at("  TRIM: obeyed") && at("  TRIM: obeyed") < at(headings[1]));
    // What writes all of a drive is asked only where that was asked for.
    assert!(at(headings[2]) < at("SLC cache"));
    let read = place
        .ok(&["explain", FLASH, "--scale", "quick", "--set", "writes=no"])
        .stdout;
    assert!(
        read.contains("Asked only where a few GB may be written (a device: --destroy-data): "),
        "{read}"
    );
    assert!(!read.contains("TRIM: obeyed"), "{read}");
}

#[test]
fn what_was_found_is_a_document_of_its_own_also_of_a_stored_result_and_of_several_drives() {
    let place = Place::new();
    let drives = ["explain", FLASH, DISK, "--scale", "quick", "--json"];
    let explained = place.json(&drives);
    assert_eq!(explained["schema"], "drivelab.explain/1");
    let [flash, disk] = &explained["drives"].as_array().unwrap()[..] else {
        panic!("two drives: {explained}");
    };
    let rotation = finding(disk, "rotation");
    assert_eq!(
        (&rotation["part"], &rotation["certainty"]),
        (&"discs".into(), &"found".into())
    );
    let speed = rotation["evidence"][0]["value"].as_f64().unwrap();
    assert!((speed / 7_200.0 - 1.0).abs() < 0.001, "{speed}");
    // A disk has no map: what its sectors are mapped by is the discs' affair.
    assert_eq!(finding(disk, "unit")["part"], "discs");
    assert_eq!(finding(flash, "trim")["part"], "map");
    assert!(
        flash["not_asked"]
            .as_array()
            .unwrap()
            .contains(&"slc".into())
    );
    assert!(flash["cost"]["read"].as_u64().unwrap() > 0);
    let stored = place.json(&["report", "all", "--explain", "--json"]);
    assert_eq!(stored, explained);
    place.ok(&["run", "latency-watch", "null:", "--scale", "quick"]);
    place.fails(
        &["report", "last", "--explain"],
        2,
        &["none of these", "explain"],
    );
}

#[test]
fn only_the_part_is_written_that_may_be() {
    let place = Place::new();
    let file = place.file("disk.img", 0);
    std::fs::write(&file, vec![0xA5; 96 << 20]).unwrap();
    let path = file.display().to_string();
    let part = [
        "--writes-in",
        "32MiB+32MiB",
        "--scale",
        "quick",
        "--set",
        "patience=1s",
    ];
    let consent = ["--destroy-data", "--confirm", &path];
    let asked = [&["explain", &path][..], &part, &consent].concat();
    place.ok(&[&asked[..], &["--dry-run"]].concat());
    place.ok(&asked);
    let after = std::fs::read(&file).unwrap();
    let is_old = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0xA5);
    assert!(is_old(&after[..32 << 20]) && is_old(&after[64 << 20..]));
    assert!(!is_old(&after[32 << 20..64 << 20]));
    for (wrong, says) in [
        ("4Gi+", "size"),
        ("1KiB", "2 MiB"),
        ("99999999TiB+1GiB", "EiB"),
    ] {
        let asked = ["explain", FLASH, "--writes-in", wrong];
        let ended = place.run(&asked);
        assert_eq!(ended.code, Some(2));
        assert!(
            ended.stderr.contains("--writes-in") && ended.stderr.contains(says),
            "{ended:?}"
        );
    }
}

#[test]
fn where_only_a_file_may_be_written_it_is_explained_beside_the_target() {
    let place = Place::new();
    let file = place.file("disk.img", 0);
    std::fs::write(&file, vec![0xA5; 96 << 20]).unwrap();
    place.directory("on-it");
    let path = file.display().to_string();
    let asked = [
        "explain",
        &path,
        "--writes-in",
        "on-it",
        "--scale",
        "quick",
        "--set",
        "patience=1s",
    ];
    let said = place.json(&[&asked[..], &["--json"]].concat());
    let drives = said["drives"].as_array().unwrap();
    let targets: Vec<&str> = drives
        .iter()
        .map(|it| it["target"].as_str().unwrap())
        .collect();
    assert_eq!(targets, [&path, "on-it"]);
    let after = std::fs::read(&file).unwrap();
    assert!(after.iter().all(|byte| *byte == 0xA5));
    let both = place.run(&[&asked[..], &["--destroy-data"]].concat());
    assert_eq!(both.code, Some(2));
    assert!(both.stderr.contains("give one of them"), "{both:?}");
}

#[test]
fn a_page_begins_with_a_cut_away_whose_parts_lead_to_their_evidence() {
    let place = Place::new();
    for lang in ["en", "ja"] {
        place.ok(&[
            "explain",
            FLASH,
            "--scale",
            "quick",
            "--html",
            "inside.html",
            "--lang",
            lang,
        ]);
        let page = std::fs::read_to_string(place.path("inside.html")).unwrap();
        for kind in ["found", "absent", "open"] {
            assert!(
                page.contains(&format!("class=\"part {kind}\"")),
                "{lang}: {kind}"
            );
        }
        let links = page.split("href=\"#inside-").skip(1);
        let targets: Vec<&str> = links.filter_map(|rest| rest.split('"').next()).collect();
        assert!(targets.len() > 8, "{targets:?}");
        for target in targets {
            assert!(
                page.contains(&format!("id=\"inside-{target}\"")),
                "{lang}: {target}"
            );
        }
    }
}
