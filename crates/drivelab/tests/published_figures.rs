//! `reproduce`, `calibrate` and `sweep` as a user calls them, on drives that are simulated quickly.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;
use serde_json::Value;

/// Two figures of a few hundred thousand accesses.
const DRIVE: &str = "acard-ans-9010-14gb";

fn document(place: &Place, arguments: &[&str]) -> Value {
    place.json(arguments)
}

#[test]
fn reproduce_gives_the_same_document_on_one_thread_and_on_two() {
    let place = Place::new();
    let reproduced = |jobs| {
        let arguments = [
            "develop",
            "reproduce",
            "--drive",
            DRIVE,
            "--json",
            "--jobs",
            jobs,
        ];
        place.ok(&arguments)
    };
    let one = reproduced("1");
    assert_eq!(one.stdout, reproduced("2").stdout);
    let document = one.json();
    assert_eq!(document["schema"], "drivelab.reproduce/1");
    let rows = document["rows"].as_array().unwrap();
    assert!(!rows.is_empty());
    let keys = [
        "id",
        "published",
        "simulated",
        "null",
        "error",
        "role",
        "independence",
        "state",
        "host",
        "assumed",
    ];
    for row in rows {
        for key in keys {
            assert!(row.get(key).is_some(), "{key}: {row}");
        }
    }
}

#[test]
fn fit_checks_without_writing_and_prints_a_document() {
    let place = Place::new();
    let document = document(&place, &["develop", "fit", DRIVE, "--check", "--json"]);
    assert_eq!(document["schema"], "drivelab.calibrate/1");
    assert!(
        document["family"]
            .as_array()
            .unwrap()
            .contains(&Value::from(DRIVE))
    );
    for key in ["parameters", "figures"] {
        assert!(document[key].is_array(), "{key}: {document}");
    }
}

/// Two parameters, two figures, a third of a second a trial.
#[test]
fn a_fit_finds_the_values_of_the_catalogue_again() {
    let place = Place::new();
    let drive = "hitachi-hds721616plat80-160gb";
    let document = document(&place, &["develop", "fit", drive, "--check", "--json"]);
    for parameter in document["parameters"].as_array().unwrap() {
        assert_eq!(parameter["before"], parameter["after"], "{parameter}");
        assert_eq!(parameter["by"], "calibrate");
    }
    for figure in document["figures"].as_array().unwrap() {
        let error = figure["error"].as_f64().unwrap();
        assert!(error.abs() < 2e-4, "{figure}");
    }
}

#[test]
fn fit_away_from_the_sources_says_so_before_it_fits_anything() {
    let place = Place::new();
    let says = ["there is no catalog/", "the root of drivelab's sources"];
    place.fails(&["develop", "fit", "ocz-core-v2-30gb"], 2, &says);
}

#[test]
fn a_slip_in_a_name_is_met_with_the_nearest() {
    let place = Place::new();
    let evo = "model:samsung-840-evo-750gb";
    let cases: [(&[&str], &str); 6] = [
        (
            &["develop", "reproduce", "--drive", "acard-ans-9010-14g"],
            DRIVE,
        ),
        (&["develop", "fit", "acard-ans-9010-14g"], DRIVE),
        (
            &["sweep", "slc-fil", evo, "--vary", "link=sata-3"],
            "slc-fill",
        ),
        (
            &["sweep", "slc-fill", evo, "--vary", "lnik=sata-3"],
            "did you mean link",
        ),
        (
            &["sweep", "slc-fill", evo, "--vary", "ssd.nand.dice=8"],
            "ssd.nand.dies",
        ),
        (
            &["sweep", "slc-fill", evo, "--vary", "link=sata-9"],
            "sata-9",
        ),
    ];
    for (arguments, says) in cases {
        let ended = place.run(arguments);
        assert!(ended.code.is_some_and(|code| code != 0), "{arguments:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
        assert!(
            ended.stderr.contains(says),
            "{arguments:?}: {}",
            ended.stderr
        );
        assert!(ended.stdout.is_empty(), "{}", ended.stdout);
    }
}

#[test]
fn a_fit_of_a_drive_of_ones_own_is_refused_since_no_published_figure_is_of_it() {
    let place = Place::new();
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/../../catalog/drives");
    let from = format!("{catalog}/hitachi-hds721616plat80-160gb.toml");
    std::fs::copy(from, place.path("own.toml")).unwrap();
    let says = ["./own.toml has no ratings: add those of its data sheet under [rated]"];
    place.fails(&["calibrate", "./own.toml"], 2, &says);
    place.fails(&["calibrate", "./own.toml", "--check"], 2, &says);
}
