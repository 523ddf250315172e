//! `drivelab import`: results of other tools beside our own, stored once, compared where conditions allow it.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;
use serde_json::Value;

const GRID: &[u8] = include_bytes!("../../imports/tests/files/crystaldiskmark-8.txt");
const CLASSIC: &[u8] = include_bytes!("../../imports/tests/files/crystaldiskmark-3-cp932.txt");
const FIO: &[u8] = include_bytes!("../../imports/tests/files/fio-3-json-plus.json");
/// Few I/Os a second: a full run is simulated in a moment.
const DISK: &str = "model:wd-red-wd30efrx-3tb";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_file_is_stored_once_under_any_name_and_one_of_nobody_stores_nothing() {
    let place = Place::new();
    for name in ["first.txt", "second.txt"] {
        std::fs::write(place.path(name), GRID).unwrap();
    }
    let first = place.run(&["import", "first.txt"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(
        first.stderr.contains("CrystalDiskMark 8.0.5, stored as 1"),
        "{first:?}"
    );
    let again = place.run(&["import", "second.txt"]);
    assert!(
        again
            .stderr
            .contains("the same file is stored already, as 1"),
        "{again:?}"
    );
    std::fs::write(place.path("fio.json"), FIO).unwrap();
    std::fs::write(place.path("letter.txt"), "Dear reader,\n").unwrap();
    let refused = place.run(&["import", "fio.json", "letter.txt"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("letter.txt: no known tool"),
        "{refused:?}"
    );
    let listed = json(&place.run(&["results", "--json"]).stdout);
    assert_eq!(listed["results"].as_array().unwrap().len(), 1);
    let printed = json(&place.run(&["import", "fio.json", "--json"]).stdout);
    assert_eq!(printed["results"][0]["imported"]["tool"], "fio");
    let page = place.run(&["report", "1", "--lang", "ja", "--html", "page.html"]);
    assert_eq!(page.code, Some(0), "{page:?}");
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains("drivelab による測定ではない"));
    assert!(!page.contains("モデルのみ"), "it is no model");
    for (lang, says, never) in [
        ("en", "drivelab did not measure this", "Original counts"),
        ("ja", "drivelab による測定ではない", "本来の手順どおり"),
    ] {
        let shown = place.run(&["report", "1", "--lang", lang]).stdout;
        assert!(shown.contains(says) && !shown.contains(never), "{shown}");
        let uses = place.run(&["report", "1", "--uses", "--lang", lang]).stdout;
        assert!(
            !uses.contains("drivelab run"),
            "its drive is not here: {uses}"
        );
    }
    let as_ours = place.run(&["report", "1", "--crystaldiskmark-text"]);
    assert!(as_ours.stderr.contains("was imported"), "{as_ours:?}");
    let resumed = place.run(&["resume", "1"]);
    assert_eq!(resumed.code, Some(2), "{resumed:?}");
}

#[test]
fn an_imported_method_is_one_of_ours_by_name_title_and_version() {
    let place = Place::new();
    let methods = json(&place.run(&["methods", "--json"]).stdout);
    for (name, file) in [("grid.txt", GRID), ("classic.txt", CLASSIC)] {
        std::fs::write(place.path(name), file).unwrap();
        let printed = json(&place.run(&["import", name, "--json"]).stdout);
        let result = &printed["results"][0];
        let all = methods["methods"].as_array().unwrap();
        let own = all
            .iter()
            .find(|method| method["id"] == result["method"])
            .unwrap();
        assert_eq!(own["version"], result["method_version"], "{name}");
        assert_eq!(own["title"], result["method_title"], "{name}");
        let settings = own["settings"].as_array().unwrap();
        for setting in settings {
            let value = &result["settings"]["values"][setting["key"].as_str().unwrap()];
            assert_eq!(value, &setting["full"], "{name}: {setting}");
        }
    }
}

#[test]
fn a_ratio_is_given_with_reserve_where_all_that_is_stated_agrees_and_else_none() {
    let place = Place::new();
    std::fs::write(place.path("grid.txt"), GRID).unwrap();
    assert_eq!(place.run(&["import", "grid.txt"]).code, Some(0));
    for scale in ["full", "quick"] {
        let run = place.run(&["run", "crystaldiskmark", DISK, "--scale", scale]);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
    let full = json(&place.run(&["compare", "2", "1", "--json"]).stdout);
    let figures = full["methods"][0]["figures"].as_array().unwrap();
    let of = |key: &str| figures.iter().find(|figure| figure["key"] == key).unwrap();
    let value = &of("seq1m-q8t1.read")["values"][1];
    assert!(value["ratio"].as_f64().unwrap() > 1.0, "{value}");
    assert_eq!(value["with_reserve"], true, "{value}");
    // The file has 0 for what failed, and nothing of the tail.
    assert!(of("rnd4k-q1t1.write")["values"][1]["ratio"].is_null());
    assert!(of("seq1m-q8t1.read.p99.9")["values"][1]["value"].is_null());
    let quick = place.run(&["compare", "3", "1"]);
    let said = format!("{}{}", quick.stdout, quick.stderr);
    assert!(
        said.contains("nothing can be compared: what was measured differs: "),
        "{said}"
    );
    assert!(said.contains("scale"), "{said}");
}
