//! `drivelab report`: folders, pictures, tables, verdicts by use, and the list of all results in a browser.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

#[path = "../../report/tests/browser/mod.rs"]
mod browser;
mod command;

use browser::Browser;
use command::Place;

const SSD: &str = "model:samsung-840-evo-250gb";
const DISK: &str = "model:wd-red-wd30efrx-3tb";

/// A store with a quick scan and a watch of two modelled drives.
fn place() -> Place {
    let place = Place::new();
    for target in [SSD, DISK] {
        for method in ["quick-scan", "latency-watch"] {
            place.ok(&["run", method, target, "--scale", "quick"]);
        }
    }
    place
}

#[test]
fn a_folder_holds_the_review_and_is_written_again_but_not_over_other_files() {
    let place = place();
    let arguments = ["report", "1", "2", "3", "4", "--folder", "review"];
    place.ok(&arguments);
    let names = place.names_in("review");
    assert_eq!(
        names,
        [
            "drive-a-samsung-840-evo-250gb.html",
            "drive-b-wd-red-3tb-wd30efrx.html",
            "figures.csv",
            "index.html",
            "plots",
            "verdict.csv"
        ]
    );
    assert!(place.names_in("review/plots").len() > 4);
    place.ok(&arguments);
    std::fs::write(place.path("review/figures.csv"), "my own").unwrap();
    place.fails(&arguments, 1, &["figures.csv", "name another place"]);
}

#[test]
fn pictures_tables_and_verdicts_are_had_one_by_one() {
    let place = place();
    place.ok(&["report", "3", "--plots", "pictures"]);
    let names = place.names_in("pictures");
    let svg = std::fs::read_to_string(place.path("pictures").join(&names[0])).unwrap();
    assert!(svg.starts_with("<svg xmlns=") && svg.contains("WD Red"));
    let table = place.ok(&["report", "2", "4", "--csv=verdict"]).stdout;
    assert!(table.starts_with("method,key,figure,unit,better,Samsung 840 EVO 250GB,WD Red"));
    let said = place.ok(&["report", "3", "4", "--uses"]).stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" "); // lines end where the terminal does
    assert!(said.contains("Continuous play-out"), "{said}");
    assert!(said.contains("drivelab run full-scan"), "{said}");
    let document = place.json(&["report", "3", "4", "--uses", "--json"]);
    assert_eq!(document["schema"], "drivelab.uses/1");
    let checks = &document["drives"][0]["verdicts"][0]["checks"];
    // A watch of half a second has too few samples for a worst case.
    assert_eq!(checks[2]["standing"], "cannot-be-said");
    assert!(checks[2]["run"].as_str().unwrap().ends_with("--scale full"));
}

#[test]
fn opening_names_the_page_where_there_is_no_browser_and_starts_the_one_that_is_named() {
    let place = place();
    let open = |arguments: &[&str], browser: &str| {
        let mut command = place.command(arguments);
        command
            .env("BROWSER", browser)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        place.start(command).end()
    };
    let ended = open(&["report", "--open"], "");
    assert_eq!(ended.code, Some(0));
    assert!(ended.stderr.contains("no browser was found"), "{ended:?}");
    assert!(ended.stderr.contains("drivelab-results.html"), "{ended:?}");
    let ended = open(&["report", "1", "--html", "one.html", "--open"], "true %s");
    assert!(ended.stderr.contains("opened ") && ended.stderr.contains("one.html"));
    place.fails(&["report", "1", "--open"], 2, &["--html FILE"]);
    place.fails(
        &["report", "--open", "--folder", "x"],
        2,
        &["give their numbers"],
    );
}

#[test]
fn the_list_of_all_results_works_in_a_browser() {
    let test = "the_list_of_all_results_works_in_a_browser";
    let Some(mut browser) = Browser::start_or_skip(test) else {
        return;
    };
    let place = place();
    let mut command = place.command(&[
        "report", "--open", "--html", "all.html", "--newest", "1", "--lang", "ja",
    ]);
    command.env("BROWSER", "true");
    place.start(command).end();
    browser.open(&place.path("all.html"));
    let rows = "document.querySelectorAll('#results tr').length";
    assert_eq!(browser.evaluate(rows), 4);
    browser.evaluate(
        "(() => { const e = document.getElementById('search'); e.value = 'WD Red';
         e.dispatchEvent(new Event('input', {bubbles: true})); })()",
    );
    assert_eq!(browser.evaluate(rows), 2);
    browser.click("[data-result='4'] .show");
    let pictures = browser.evaluate("document.querySelectorAll('#detail svg.plot').length");
    assert!(pictures.as_u64().unwrap() >= 4, "{pictures}");
    assert_eq!(browser.complaints(), [""; 0]);
    assert_eq!(browser.requests().len(), 1);
}
