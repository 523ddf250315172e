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
