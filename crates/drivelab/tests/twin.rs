//! `drivelab twin`: a drive's file from stored results, which then is a drive like any other.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;

/// A drive whose lone reads, lone writes and link are not those of its kind.
const HIDDEN: &str = "[drive]\nkind = \"sata-tlc\"\ntitle = \"Hidden\"\nmaker = \"x\"\nyear = 2020\n\
capacity_bytes = 120034123776\ninterface = \"sata-6\"\n\
[ssd.controller]\nwrite_latency_us = { value = 24.0, source = \"estimated\", why = \"hidden\" }\n\
[ssd.nand]\nread_slc_us = { value = 29.0, source = \"estimated\", why = \"hidden\" }\n";

/// A place with a hidden drive and two results of it.
fn measured() -> Place {
    let place = Place::new();
    std::fs::write(place.path("hidden.toml"), HIDDEN).unwrap();
    for method in ["crystaldiskmark", "latency-watch"] {
        place.ok(&["run", method, "model:./hidden.toml", "--scale", "quick"]);
    }
    place
}

#[test]
fn a_twin_finds_what_differs_from_its_kind_and_is_a_drive_like_any_other() {
    let place = measured();
    let twin = [
        "twin",
        "1-2",
        "-o",
        "mine.toml",
        "--kind",
        "sata-tlc",
        "--json",
    ];
    let document = place.json(&twin);
    assert_eq!(document["schema"], "drivelab.twin/1");
    let parameters = document["parameters"].as_array().unwrap();
    let found = parameters
        .iter()
        .find(|p| p["key"] == "ssd.controller.write_latency_us");
    let found = found.unwrap_or_else(|| panic!("{document:#}"))["value"]
        .as_f64()
        .unwrap();
    assert!((found / 24.0 - 1.0).abs() < 0.1, "{found}");
    let off = document["held_back"]["rates_percent"].as_f64().unwrap();
    assert!(off < 8.0, "{off}");
    let untold = document["untold"].as_array().unwrap();
    assert!(
        untold.iter().any(|u| u["key"] == "ssd.nand.erase_us"),
        "{document:#}"
    );
    let text = std::fs::read_to_string(place.path("mine.toml")).unwrap();
    assert!(
        text.contains("by = \"twin\"") && text.contains("result-1"),
        "{text}"
    );
    let shown = place.ok(&["show", "./mine.toml"]);
    assert!(shown.stdout.contains("write_latency_us"), "{shown:?}");
    place.ok(&[
        "run",
        "latency-watch",
        "model:./mine.toml",
        "--scale",
        "quick",
    ]);
    // It is never written over.
    place.fails(&twin, 2, &["mine.toml is there already"]);
}

#[test]
fn results_that_cannot_be_of_one_drive_are_refused_and_both_are_named() {
    let place = measured();
    let slower = HIDDEN.replace(
        "read_slc_us = { value = 29.0",
        "read_slc_us = { value = 90.0",
    );
    std::fs::write(place.path("hidden.toml"), slower).unwrap();
    place.ok(&[
        "run",
        "crystaldiskmark",
        "model:./hidden.toml",
        "--scale",
        "quick",
    ]);
    let says = ["results 1 (crystaldiskmark) and 3 (crystaldiskmark) contradict each other"];
    place.fails(&["twin", "1", "3", "-o", "mine.toml"], 2, &says);
    let other = [
        "run",
        "latency-watch",
        "model:samsung-860-evo-1tb",
        "--scale",
        "quick",
    ];
    place.ok(&other);
    let says = ["results 2 (latency-watch) and 4 (latency-watch) contradict each other"];
    place.fails(&["twin", "2", "4", "-o", "mine.toml"], 2, &says);
    assert!(!place.path("mine.toml").exists());
}

#[test]
fn what_cannot_be_run_again_makes_no_twin() {
    let place = Place::new();
    place.ok(&[
        "run",
        "idle-latency",
        "model:samsung-860-evo-1tb",
        "--scale",
        "quick",
    ]);
    place.fails(
        &["twin", "1", "-o", "mine.toml"],
        2,
        &["nothing of these results can be run again"],
    );
}
