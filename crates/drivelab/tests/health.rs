//! `drivelab health`: modelled drives answer; anything that is not a drive is unknown and never good.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;

const SSD: &str = "model:samsung-840-evo-750gb";

#[test]
fn a_modelled_drive_says_how_it_is_on_the_schema_and_in_words() {
    let place = Place::new();
    let report = place.json(&["health", SSD, "--json"]);
    assert_eq!(report["schema"], "drivelab.health/1");
    assert_eq!(report["drives"][0]["condition"], "good");
    assert_eq!(report["drives"][0]["health"]["source"], "model");
    let text = place.ok(&["health", SSD]).stdout;
    assert!(text.contains("health: good"), "{text}");
    assert!(text.contains("flash written"), "{text}");
}

#[test]
fn health_is_told_in_japanese_and_its_names_stand_over_each_other() {
    let place = Place::new();
    let text = place.ok(&["health", SSD, "--lang", "ja"]).stdout;
    assert!(text.contains("健康状態: 正常"), "{text}");
    assert!(
        text.contains("総書き込み量 (NAND)    0 B (書き込みページ数"),
        "{text}"
    );
    let null = place.ok(&["health", "null:", "--lang", "ja"]).stdout;
    assert!(
        null.contains("健康状態: 不明\n  null ターゲットはドライブではない"),
        "{null}"
    );
}

#[test]
fn what_cannot_be_asked_is_unknown_with_the_reason() {
    let place = Place::new();
    let null = place.json(&["health", "null:", "--json"]);
    let drive = &null["drives"][0];
    assert_eq!(drive["reading"], "unreadable");
    assert_eq!(drive["condition"], "unknown");
    assert_eq!(drive["reason"], "the null target is not a drive");
    let text = place.ok(&["health", "null:"]).stdout;
    assert!(text.contains("health: unknown"), "{text}");
}

#[test]
fn a_run_on_a_modelled_drive_holds_its_health_before_and_after() {
    let place = Place::new();
    let result = place.json(&[
        "run",
        "crystaldiskmark",
        SSD,
        "--scale",
        "quick",
        "--no-store",
        "--json",
    ]);
    let written = |when: &str| {
        let health = &result[when]["health"];
        health["host_written"]["bytes"].as_u64().unwrap()
    };
    assert_eq!(written("health_before"), 0);
    assert!(written("health_after") > 0);
    let during = result["health_during"].as_array().unwrap();
    let counted: Vec<u64> = during
        .iter()
        .filter_map(|s| s["host_written"].as_u64())
        .collect();
    assert!(counted.len() > 1 && counted.is_sorted(), "{counted:?}");
    assert_eq!(counted.last(), Some(&written("health_after")));
}

#[test]
fn a_repeated_run_holds_every_value_with_median_and_interval() {
    let place = Place::new();
    let result = place.json(&[
        "run",
        "latency-watch",
        SSD,
        "--scale",
        "quick",
        "--repeat",
        "auto:60%,max=7",
        "--no-store",
        "--json",
    ]);
    let repeats = &result["repeats"];
    let runs = repeats["runs"].as_u64().unwrap();
    assert!((6..=7).contains(&runs), "{repeats}");
    let values = repeats["values"]["alone.p99"].as_array().unwrap();
    assert_eq!(values.len() as u64, runs);
    let figures = result["figures"].as_array().unwrap();
    let p99 = figures.iter().find(|f| f["key"] == "alone.p99").unwrap();
    assert_eq!(p99["n"].as_u64(), Some(runs));
    let interval = &p99["interval"];
    assert!(interval["low"].as_f64() <= p99["value"].as_f64());
    assert!(interval["high"].as_f64() >= p99["value"].as_f64());
    let names: Vec<&str> = result["phases"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|phase| phase["name"].as_str())
        .collect();
    assert!(
        names.iter().any(|name| name.starts_with("repeat 2: ")),
        "{names:?}"
    );
}

#[test]
fn a_healthy_drive_is_not_called_failing_for_what_a_repeat_loses_on_purpose() {
    let place = Place::new();
    // It would end with another exit code.
    let result = place.json(&[
        "run",
        "verify",
        SSD,
        "--scale",
        "quick",
        "--set",
        "extent=16MiB",
        "--repeat",
        "2",
        "--no-store",
        "--json",
    ]);
    assert_eq!(result["repeats"]["runs"].as_u64(), Some(2));
}
