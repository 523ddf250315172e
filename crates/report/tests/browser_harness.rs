//! The browser harness itself, on a small page with known faults: a check of the report's page that sees no
//! complaint means something only if a complaint would be seen.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod browser;

use std::path::PathBuf;

use browser::Browser;
use serde_json::json;

const PAGE: &str = r#"<!doctype html><meta charset="utf-8"><title>a page</title>
<style>body { color: rgb(1, 2, 3) } @media (prefers-color-scheme: dark) { body { color: rgb(4, 5, 6) } }
@media print { body { color: rgb(7, 8, 9) } }</style>
<div style="height: 3000px"></div>
<button id="count" onclick="this.textContent = Number(this.textContent) + 1">0</button>
<script>document.body.dataset.scripts = 'on'; console.log('harmless'); FAULT</script>"#;

fn page(fault: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("page.html");
    std::fs::write(&file, PAGE.replace("FAULT", fault)).unwrap();
    (dir, file)
}

#[test]
fn faults_of_a_page_are_seen_and_a_good_page_has_none() {
    let Some(mut browser) =
        Browser::start_or_skip("faults_of_a_page_are_seen_and_a_good_page_has_none")
    else {
        return;
    };
    for (fault, words) in [
        ("console.error('a console error')", "a console error"),
        ("nobody.has.made.this", "nobody is not defined"),
        (
            "setTimeout(() => { throw new Error('thrown later') }, 0)",
            "thrown later",
        ),
        (
            "document.write('<img src=missing.png>')",
            "ERR_FILE_NOT_FOUND",
        ),
    ] {
        let (_dir, file) = page(fault);
        browser.open(&file);
        let complaints = browser.complaints();
        assert!(
            complaints.len() == 1 && complaints[0].contains(words),
            "{fault}: {complaints:?}"
        );
    }
    let (_dir, file) = page("");
    browser.open(&file);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_page_is_looked_at_clicked_and_photographed() {
    let Some(mut browser) = Browser::start_or_skip("a_page_is_looked_at_clicked_and_photographed")
    else {
        return;
    };
    let (_dir, file) =
        page("document.body.append(new Image()); document.images[0].src = 'other.png'");
    browser.open(&file);
    assert_eq!(
        browser.evaluate("({title: document.title, list: [1, 2.5]})"),
        json!({"title": "a page", "list": [1, 2.5]})
    );

    browser.click("#count");
    browser.press("Enter"); // the click has left the keyboard's focus on the button
    assert_eq!(
        browser.evaluate("document.querySelector('#count').textContent"),
        "2"
    );

    let color = "getComputedStyle(document.body).color";
    assert_eq!(browser.evaluate(color), "rgb(1, 2, 3)");
    browser.media("screen", "dark");
    assert_eq!(browser.evaluate(color), "rgb(4, 5, 6)");
    browser.media("print", "light");
    assert_eq!(browser.evaluate(color), "rgb(7, 8, 9)");

    let picture = browser.screenshot();
    assert_eq!(&picture[..8], b"\x89PNG\r\n\x1a\n");
    let height = u32::from_be_bytes(picture[20..24].try_into().unwrap()); // IHDR: width, then height
    assert!(
        height > 3000,
        "{height}: the picture does not hold the whole page"
    );

    let requests = browser.requests();
    assert_eq!(requests.len(), 2, "{requests:?}");
    assert!(requests[1].ends_with("other.png"));

    browser.scripts(false);
    browser.open(&file);
    assert_eq!(
        browser.evaluate("document.body.dataset.scripts || 'off'"),
        "off"
    );
}
