//! A rescue that is killed at any moment is continued by the same command to the same result.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::{Place, wait_until};

const MIB: usize = 1 << 20;
/// Small blocks make many reads, and 600 KiB of bad sectors many savings of the map.
const RESCUE: &[&str] = &[
    "rescue",
    "fault(./own.img)?bad=0+512,5MiB+600KiB,20971008+1024",
    "copy.img",
    "--block",
    "16KiB",
];

fn content(place: &Place) -> Vec<u8> {
    let mut content = std::fs::read(place.path("own.img")).unwrap();
    for (start, len) in [(0, 512), (5 * MIB, 600 << 10), (20_971_008, 1_024)] {
        content[start..start + len].fill(0);
    }
    content
}

#[test]
fn killed_at_random_moments_it_goes_on_to_the_same_copy_and_the_same_map() {
    let place = Place::new();
    place.file("own.img", 32 * MIB);
    let source = std::fs::read(place.path("own.img")).unwrap();
    let under_way = place.start(place.command(RESCUE));
    wait_until("the map is there", || place.path("copy.img.map").exists());
    drop(under_way);
    for wait in [0_u64, 1, 2, 4, 7, 11, 16, 22, 30, 40, 60, 90] {
        let under_way = place.start(place.command(RESCUE));
        std::thread::sleep(std::time::Duration::from_millis(wait));
        // Dropped, it is killed.
        drop(under_way);
    }
    let mut json = RESCUE.to_vec();
    json.push("--json");
    let rescued = place.json(&json);
    assert_eq!(rescued["schema"], "drivelab.rescue/1");
    assert_eq!(rescued["resumed"], true);
    assert_eq!(
        rescued["areas"],
        serde_json::json!([[0, 512], [5 * MIB, 600 << 10], [20_971_008, 1_024]])
    );
    assert!(std::fs::read(place.path("copy.img")).unwrap() == content(&place));
    assert!(std::fs::read(place.path("own.img")).unwrap() == source);
    // The same in one go.
    let map = std::fs::read_to_string(place.path("copy.img.map")).unwrap();
    std::fs::remove_file(place.path("copy.img")).unwrap();
    std::fs::remove_file(place.path("copy.img.map")).unwrap();
    place.ok(RESCUE);
    let again = std::fs::read_to_string(place.path("copy.img.map")).unwrap();
    assert_eq!(map, again);
}

#[test]
fn what_would_overwrite_somebodys_file_or_the_source_is_refused() {
    let place = Place::new();
    place.file("own.img", MIB);
    place.file("other.img", MIB);
    let own = ["rescue", "./own.img", "./own.img"];
    place.fails(&own, 2, &["./own.img is ./own.img", "another drive"]);
    let other = ["rescue", "./own.img", "./other.img"];
    place.fails(&other, 2, &["--destroy-data"]);
    let none = ["rescue", "./none.img", "copy.img"];
    place.fails(&none, 1, &["none.img"]);
    assert_eq!(place.names_in(""), ["other.img", "own.img"]);
}

#[test]
fn a_link_that_somebody_planted_beside_the_map_is_not_written_through() {
    let place = Place::new();
    place.file("own.img", MIB);
    let victim = place.file("victim", 4_096);
    let before = std::fs::read(&victim).unwrap();
    for planted in ["copy.img.map.new", ".drivelab-copy.img.map.new"] {
        std::os::unix::fs::symlink(&victim, place.path(planted)).unwrap();
    }
    place.ok(&["rescue", "./own.img", "copy.img"]);
    assert!(std::fs::read(&victim).unwrap() == before);
    assert!(
        std::fs::symlink_metadata(place.path("copy.img.map"))
            .unwrap()
            .is_file()
    );
    // A map that is a link itself is replaced, and what it leads to is left alone.
    let elsewhere = place.path("elsewhere.map");
    std::fs::rename(place.path("copy.img.map"), &elsewhere).unwrap();
    let before = std::fs::read(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, place.path("copy.img.map")).unwrap();
    place.ok(&["rescue", "./own.img", "copy.img"]);
    assert!(std::fs::read(&elsewhere).unwrap() == before);
}
