//! The main job: one command reviews a drive and two modelled ones, side by side.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

#[path = "../../report/tests/browser/mod.rs"]
mod browser;
mod command;

use browser::Browser;
use command::Place;

const METHODS: [&str; 4] = [
    "crystaldiskmark",
    "crystaldiskmark-classic",
    "quick-scan",
    "latency-watch",
];

#[test]
fn a_review_leaves_a_summary_a_page_and_twelve_results() {
    let test = "a_review_leaves_a_summary_a_page_and_twelve_results";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    place.directory("dir");
    let ended = place.ok(&["review", "./dir", "--scale", "quick"]);
    let steps: Vec<&str> = ended
        .stderr
        .lines()
        .filter(|line| line.contains(" of 12: "))
        .collect();
    let targets = [
        "model:samsung-840-evo-750gb",
        "model:hgst-deskstar-nas-hdn724030-3tb",
        "./dir",
    ];
    let expected: Vec<String> = targets
        .iter()
        .flat_map(|target| {
            METHODS
                .iter()
                .map(move |method| format!("{method} on {target}"))
        })
        .enumerate()
        .map(|(number, step)| format!("{} of 12: {step}", number + 1))
        .collect();
    assert_eq!(steps, expected, "the models come first");
    for words in [
        "CrystalDiskMark",
        "Quick scan",
        "Latency watch",
        "Samsung 840 EVO 750GB",
        "HGST",
        "[real]",
        "[modelled]",
        "shortened",
    ] {
        assert!(ended.stdout.contains(words), "{words}: {}", ended.stdout);
    }
    let stored = place.stored();
    assert_eq!(stored.len(), 12);
    assert!(stored.iter().all(|run| run["state"] == "finished"));
    assert_eq!(place.names_in("dir"), [""; 0]);
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    is_self_contained(&page);
    opens_in_a_browser(test, &place);
    // The next review of the same place replaces the page.
    let again = place.ok(&[
        "review",
        "null:?service=1ms",
        "--beside",
        "null:?service=2ms",
        "--scale",
        "quick",
        "--json",
    ]);
    assert_eq!(again.json()["results"].as_array().unwrap().len(), 8);
    assert_ne!(
        std::fs::read_to_string(place.path("report.html")).unwrap(),
        page
    );
}

/// No address of another place: names of standards (`http://www.w3.org/...`) are no references.
fn is_self_contained(page: &str) {
    for reference in [
        "src=\"http",
        "href=\"http",
        "src=\"//",
        "href=\"//",
        "url(http",
        "@import",
    ] {
        assert!(!page.contains(reference), "{reference}");
    }
    for (at, _) in page.match_indices("http") {
        let address: String = page[at..].chars().take(60).collect();
        let named = address.starts_with("http-equiv") || address.contains("www.w3.org/");
        let in_a_comment = address.contains("github.com");
        assert!(named || in_a_comment, "{address}");
    }
}

/// The real report of a real review, offline.
fn opens_in_a_browser(test: &str, place: &Place) {
    let Some(mut browser) = Browser::start_or_skip(test) else {
        return;
    };
    browser.open(&place.path("report.html"));
    assert_eq!(browser.complaints(), [""; 0]);
    let requests = browser.requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    let count = browser.evaluate("drivelabCharts.length");
    assert!(count.as_u64().unwrap() >= 4, "{count} charts");
    let empty = browser.evaluate(
        "drivelabCharts.filter(c => c.data.slice(1).every(row => row.every(v => v == null))).length",
    );
    assert_eq!(empty, 0, "charts without data");
    let drives = browser.evaluate("document.querySelectorAll('[id^=show-]').length");
    assert_eq!(drives, 3, "a switch a drive");
}

#[test]
fn a_review_is_checked_as_a_whole_before_anything_is_measured() {
    let place = Place::new();
    place.file("small.img", 1 << 20);
    for (target, beside, code) in [
        ("./small.img", "null:", 2),
        ("null:", "model:nothing", 2),
        ("null:", "./missing", 1),
        ("null:", "./small.img", 2),
    ] {
        place.fails(
            &["review", target, "--beside", beside, "--scale", "quick"],
            code,
            &[],
        );
        assert!(place.stored().is_empty(), "{target} beside {beside}");
        assert!(!place.path("report.html").exists());
    }
}

#[test]
fn an_interrupted_review_keeps_what_it_has_and_writes_no_page() {
    let place = Place::new();
    let slow = "null:?service=1us";
    let mut review = place.start(place.command(&[
        "review",
        slow,
        "--beside",
        "null:?service=2ms",
        "--scale",
        "default",
    ]));
    review.wait_for("2 of 8");
    review.signal("TERM");
    let ended = review.end();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert_eq!(ended.stdout, "");
    assert!(!place.path("report.html").exists());
    assert!(place.stored().iter().any(|run| run["state"] == "finished"));
}
