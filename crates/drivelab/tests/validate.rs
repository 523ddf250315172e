//! The disk model beside real disks, as a user calls it.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;

const DISKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../accuracy/data/disks");

#[test]
fn validate_prints_a_document_and_a_page() {
    let place = Place::new();
    let ended = place.ok(&["validate", DISKS, "--json", "--html", "disks.html"]);
    let document = ended.json();
    assert_eq!(document["schema"], "drivelab.validate/1");
    let disks = document["disks"].as_array().unwrap();
    assert_eq!(disks.len(), 6);
    for disk in disks {
        for key in [
            "mean_ms",
            "measured_mean_ms",
            "demerit_ms",
            "disksim_demerit_ms",
        ] {
            assert!(
                disk[key].as_f64().is_some_and(|ms| ms > 0.0),
                "{key}: {disk}"
            );
        }
        assert_eq!(disk["classes"].as_array().map(Vec::len), Some(4));
    }
    let page = std::fs::read_to_string(place.path("disks.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 6);
}

#[test]
fn what_cannot_be_used_is_reported_after_all_that_can() {
    let place = Place::new();
    for file in ["hp-c3323a.toml", "hp-c3323a.csv.gz"] {
        std::fs::copy(format!("{DISKS}/{file}"), place.path(file)).unwrap();
    }
    std::fs::write(place.path("a.toml"), "name = 7\n").unwrap();
    let ended = place.run(&["validate", ".", "--json"]);
    assert_eq!(ended.code, Some(2));
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["disks"].as_array().unwrap().len(), 1);
    assert!(
        document["unusable"][0]
            .as_str()
            .unwrap()
            .contains("a.toml:1")
    );
    assert!(
        ended.stderr.contains("not validated: ./a.toml:1"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_directory_without_disks_is_one_clear_line() {
    let place = Place::new();
    let ended = place.run(&["validate", "."]);
    assert_eq!(ended.code, Some(2));
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("no disk is described here"),
        "{}",
        ended.stderr
    );
}
