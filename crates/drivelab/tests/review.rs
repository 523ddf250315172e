//! The main job: one command reviews a drive and two modelled ones, side by side.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

#[path = "../../report/tests/browser/mod.rs"]
mod browser;
mod command;

use browser::Browser;
use command::Place;

/// The fastest review: an old disk compared with one other.
const DISK: &str = "model:wd-red-wd30efrx-3tb";

#[test]
fn a_review_ranks_its_drive_among_its_class_and_says_first_what_that_takes() {
    let place = Place::new();
    let beside = "model:seagate-nas-st3000vn000-3tb";
    let ended = place.ok(&[
        "review", DISK, "--beside", beside, "--class", "--scale", "quick",
    ]);
    let first = ended.stderr.lines().next().unwrap();
    assert!(
        first.contains("more modelled drives of the class: about "),
        "{first}"
    );
    let ranked = "Among all modelled drives of its class\n  SEQ1M Q8T1 read: ";
    let (_, said) = ended.stdout.split_once(ranked).unwrap();
    let (place_of, rest) = said.split_once(" of ").unwrap();
    let all: usize = rest.split(',').next().unwrap().parse().unwrap();
    assert!((1..=all).contains(&place_of.parse().unwrap()) && all > 10);
    // The class has bars; only the two drives have columns.
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert_eq!(page.matches("class=\"measure ranking\"").count(), 4);
    assert_eq!(page.matches("<li class=\"reviewed\">").count(), 4);
    assert!(page.contains("id=\"show-1\"") && !page.contains("id=\"show-2\""));
    is_self_contained(&page);
}

#[test]
fn a_review_of_a_drive_that_goes_away_is_about_that_drive_and_calls_it_failing() {
    let place = Place::new();
    let beside = "model:seagate-nas-st3000vn000-3tb";
    for (after, lang, says) in [
        (
            200,
            "en",
            "This drive is failing: it disappeared while it was measured",
        ),
        (1, "en", "Check its power, cable and connector."),
        (200, "ja", "電源・ケーブル・コネクターを確認する"),
    ] {
        let target = format!("fault({DISK})?gone_after={after}");
        let page = format!("{lang}-{after}.html");
        let ended = place.run(&[
            "--lang", lang, "review", &target, "--beside", beside, "--scale", "quick", "--html",
            &page,
        ]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let said = ended
            .stdout
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(said.starts_with("WD Red 3TB (WD30EFRX) !"), "{said}");
        assert!(said.contains(says), "{said}");
        let page = std::fs::read_to_string(place.path(&page)).unwrap();
        let heading = page.split("<h1>").nth(1).unwrap();
        let heading = heading.split("</h1>").next().unwrap();
        assert!(heading.contains("WD30EFRX"), "{heading}");
    }
}

const METHODS: [&str; 3] = ["crystaldiskmark", "quick-scan", "latency-watch"];

#[test]
fn a_review_leaves_a_summary_a_page_and_nine_results() {
    let test = "a_review_leaves_a_summary_a_page_and_nine_results";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    place.directory("dir");
    let ended = place.ok(&["review", "./dir", "--scale", "quick"]);
    // What it takes is said before the first step begins.
    let (before, _) = ended.stderr.split_once("1 of 9: ").unwrap();
    assert!(
        before.contains("./dir: writes about ") && before.contains(" and reads about "),
        "{before}"
    );
    assert!(
        before.contains("in test files of at most 64 MiB, which are removed"),
        "{before}"
    );
    assert!(
        before.contains("modelled drives: simulated in about "),
        "{before}"
    );
    let steps: Vec<&str> = ended
        .stderr
        .lines()
        .filter(|line| line.contains(" of 9: "))
        .collect();
    assert_eq!(steps.len(), 9, "{steps:?}");
    for (number, step) in (1..).zip(&steps) {
        let method = METHODS[(number - 1) % METHODS.len()];
        assert!(
            step.starts_with(&format!("{number} of 9: {method} on ")),
            "{step}"
        );
        // Neighbours are those of the class of whatever drive this directory is on.
        let of_model = step.contains(" on model:");
        assert_eq!(of_model, number <= 6, "the models come first: {step}");
    }
    // A terminal's lines, and some more where the computer was busy, which is said first.
    let answer: String = ended.stdout.lines().take(28).collect::<Vec<_>>().join("\n");
    for words in ["OS drive", "Large files, reading", "CrystalDiskMark 8/9"] {
        assert!(answer.contains(words), "the answer comes first: {answer}");
    }
    for words in [
        "CrystalDiskMark",
        "Quick scan",
        "Latency watch",
        "[real]",
        "[modelled]",
        "shortened",
    ] {
        assert!(ended.stdout.contains(words), "{words}: {}", ended.stdout);
    }
    let stored = place.stored();
    assert_eq!(stored.len(), 9);
    assert!(stored.iter().all(|run| run["state"] == "finished"));
    assert_eq!(place.names_in("dir"), [""; 0]);
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    is_self_contained(&page);
    opens_in_a_browser(test, &place);
    // The next review of the same place leaves the page, and takes the next name.
    let again = place.ok(&[
        "review",
        "null:?service=1ms",
        "--beside",
        "null:?service=2ms",
        "--scale",
        "quick",
        "--json",
    ]);
    assert_eq!(again.json()["results"].as_array().unwrap().len(), 6);
    assert!(again.stderr.contains("report: report-2.html"), "{again:?}");
    assert_eq!(
        std::fs::read_to_string(place.path("report.html")).unwrap(),
        page
    );
    assert!(place.path("report-2.html").is_file());
}

/// No external address: names of standards (`http://www.w3.org/...`) are not references.
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
fn an_interrupted_review_reports_what_was_done_and_resume_does_the_rest() {
    let place = Place::new();
    let slow = "null:?service=1us";
    let mut review = place.start(place.command(&[
        "review",
        slow,
        "--beside",
        "null:?service=2ms",
        "--scale",
        "quick",
    ]));
    review.wait_for("2 of 6");
    review.signal("TERM");
    let ended = review.end();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert_eq!(ended.stdout, "");
    let said = &ended.stderr;
    assert!(
        said.contains("report of what was done: report.html"),
        "{said}"
    );
    assert!(said.contains("drivelab resume plan-1"), "{said}");
    let part = std::fs::read_to_string(place.path("report.html")).unwrap();
    let done = place.stored();
    let done = done.iter().filter(|run| run["state"] == "finished").count();
    assert!((1..6).contains(&done), "{done}");
    let resumed = place.ok(&["resume"]);
    assert!(
        !resumed.stderr.contains("\n1 of 6"),
        "it is not run again: {resumed:?}"
    );
    assert_eq!(place.stored().len(), 6);
    let whole = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(whole.len() > part.len() && !place.path("report-2.html").exists());
}
