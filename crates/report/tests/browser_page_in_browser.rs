//! The list of stored results in a real Chromium: filters narrow it, heads sort it, two results stand side by
//! side, a result opens in full; and the pictures of a report leave it as SVG and PNG.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod browser;

use std::path::PathBuf;

use browser::Browser;
use fixtures::results as sample;
use report::browser::Entry;
use report::{HtmlOptions, Lang};
use serde_json::Value;

/// Some hundreds of results of the sample's drives and methods, of two days, and one without a result.
fn list(lang: Lang) -> String {
    let results = sample::review();
    let mut entries = vec![Entry::without_result(
        999,
        "2026-03-03T08:00:00Z",
        "interrupted",
        "full-scan",
        "./dir",
    )];
    for round in (0..30).rev() {
        let day = if round < 15 { "01" } else { "02" };
        for result in results.iter().rev() {
            let mut entry = Entry::of(result, &format!("2026-03-{day}T12:34:00Z"), "finished");
            entry.id += round * 12;
            entries.push(entry);
        }
    }
    let mut newest = results[10..].to_vec();
    newest.iter_mut().for_each(|result| result.id += 29 * 12);
    let options = HtmlOptions { lang, title: None };
    report::browser::page(&entries, &newest, &options)
}

struct Page {
    browser: Browser,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

fn open(test: &str, page: &str) -> Option<Page> {
    let mut browser = Browser::start_or_skip(test)?;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    browser.open(&file);
    Some(Page {
        browser,
        file,
        _folder: folder,
    })
}

impl Page {
    fn say(&mut self, expression: &str) -> Value {
        self.browser.evaluate(expression)
    }

    fn rows(&mut self) -> u64 {
        let rows = self.say("document.querySelectorAll('#results tr').length");
        rows.as_u64().unwrap()
    }

    /// Chooses in a select as a hand would: the value, then the event.
    fn choose(&mut self, id: &str, value: &str) {
        self.say(&format!(
            "(() => {{ const e = document.getElementById('{id}'); e.value = '{value}';
             e.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
        ));
    }
}

#[test]
fn filters_narrow_the_list_and_a_reset_brings_it_back() {
    let test = "filters_narrow_the_list_and_a_reset_brings_it_back";
    let Some(mut page) = open(test, &list(Lang::En)) else {
        return;
    };
    assert_eq!(page.rows(), 361);
    page.choose("method", "quick-scan");
    assert_eq!(page.rows(), 90);
    page.choose("kind", "real");
    assert_eq!(page.rows(), 30);
    page.choose("from", "2026-03-02");
    assert_eq!(page.rows(), 15);
    assert_eq!(
        page.say("document.getElementById('shown').textContent"),
        "15 of 361 runs"
    );
    page.browser.click("#reset");
    page.say("new Promise(done => setTimeout(done, 50))");
    assert_eq!(page.rows(), 361);
    page.choose("search", "840 latency");
    assert_eq!(page.rows(), 30);
    assert_eq!(page.browser.complaints(), [""; 0]);
    assert_eq!(page.browser.requests().len(), 1);
}

#[test]
fn heads_sort_by_number_and_by_the_chosen_figure() {
    let test = "heads_sort_by_number_and_by_the_chosen_figure";
    let Some(mut page) = open(test, &list(Lang::En)) else {
        return;
    };
    let first = "document.querySelector('#results tr').dataset.result";
    assert_eq!(page.say(first), "999");
    page.browser.click("[data-sort=id] button");
    assert_eq!(page.say(first), "1");
    page.choose("method", "latency-watch");
    let worst = page.say(
        "[...document.getElementById('figure').options].find(o => o.textContent === 'under load worst').value",
    );
    page.choose("figure", worst.as_str().unwrap());
    page.browser.click("[data-sort=value] button");
    let shown = page.say("document.querySelector('#results tr b').textContent");
    assert_eq!(shown, "1,524 ms", "the longest comes first");
    assert_eq!(
        page.say("document.querySelector('[data-sort=value]').getAttribute('aria-sort')"),
        "descending"
    );
}

#[test]
fn two_results_stand_side_by_side_and_no_winner_is_named_but_by_the_comparison() {
    let test = "two_results_stand_side_by_side_and_no_winner_is_named_but_by_the_comparison";
    let Some(mut page) = open(test, &list(Lang::En)) else {
        return;
    };
    page.choose("method", "crystaldiskmark");
    assert_eq!(
        page.say("document.getElementById('compare').disabled"),
        true
    );
    page.browser.click("[data-result='2'] input");
    page.browser.click("[data-result='3'] input");
    page.browser.click("#compare");
    // Of these the page has the values alone, and names the command.
    let winners = "document.querySelectorAll('#comparison td.best').length";
    assert_eq!(page.say(winners), 0);
    let said = page.say("document.getElementById('comparison').textContent");
    let said = said.as_str().unwrap();
    assert!(
        said.contains("541.0 MB/s") && said.contains("drivelab compare 2 3") && !said.contains('%'),
        "{said}"
    );
    // Of another method nothing can be compared.
    page.choose("method", "");
    page.browser.click("[data-result='2'] input");
    page.browser.click("[data-result='5'] input");
    page.browser.click("#compare");
    let said = page.say("document.getElementById('comparison').textContent");
    assert!(said.as_str().unwrap().contains("different methods"));
    // The newest two were compared when the page was made.
    page.browser.click("[data-result='3'] input");
    page.browser.click("[data-result='5'] input");
    page.browser.click("[data-result='359'] input");
    page.browser.click("[data-result='360'] input");
    page.browser.click("#compare");
    let said = page.say("document.querySelector('#comparison > p').textContent");
    assert!(
        said.as_str().unwrap().contains("All of these are models"),
        "{said}"
    );
    assert_eq!(page.browser.complaints(), [""; 0]);
}

#[test]
fn a_new_result_opens_with_its_pictures_and_an_old_one_with_its_figures() {
    let test = "a_new_result_opens_with_its_pictures_and_an_old_one_with_its_figures";
    for lang in Lang::ALL {
        let Some(mut page) = open(test, &list(lang)) else {
            return;
        };
        page.browser.click("[data-result='360'] .show");
        let pictures = "document.querySelectorAll('#detail svg.plot').length";
        assert!(page.say(pictures).as_u64().unwrap() > 3);
        page.browser.click("[data-result='7'] .show");
        assert_eq!(page.say(pictures), 0);
        let command = page.say("document.querySelector('#detail code').textContent");
        assert_eq!(command, "drivelab report 7 --html report-7.html");
        let rows = page.say("document.querySelectorAll('#detail tbody tr').length");
        assert_eq!(rows, 18);
        assert_eq!(page.browser.complaints(), [""; 0]);
    }
}

#[test]
fn the_list_fits_a_phone() {
    let Some(mut page) = open("the_list_fits_a_phone", &list(Lang::Ja)) else {
        return;
    };
    page.browser.window(375, 800);
    let file = page.file.clone();
    page.browser.open(&file);
    page.browser.click("[data-result='360'] .show");
    let wide = page.say("document.documentElement.scrollWidth");
    assert!(wide.as_u64().unwrap() <= 375, "{wide}");
}

#[test]
fn a_picture_leaves_the_page_as_svg_and_as_png() {
    let page = report::html(&sample::review(), &HtmlOptions::default());
    let test = "a_picture_leaves_the_page_as_svg_and_as_png";
    let Some(mut page) = open(test, &page) else {
        return;
    };
    let svg = page.say("drivelabCharts[3].picture().text");
    let svg = svg.as_str().unwrap();
    assert!(svg.contains("xmlns=\"http://www.w3.org/2000/svg\"") && svg.contains("<style>"));
    let lines = |svg: &str| svg.matches("class=\"entry\"").count();
    assert_eq!(lines(svg), 3);
    // What is hidden in the page is not in the file.
    page.browser.click("#show-1");
    let two = page.say("drivelabCharts[3].picture().text");
    assert_eq!(lines(two.as_str().unwrap()), 2);
    let png = page.say(
        "drivelabPng(drivelabCharts[3]).then(async (b) => { const i = await createImageBitmap(b);
         const c = Object.assign(document.createElement('canvas'), {width: i.width, height: i.height});
         const k = c.getContext('2d', {willReadFrequently: true}); k.drawImage(i, 0, 0);
         const at = (x, y) => [...k.getImageData(x, y, 1, 1).data].slice(0, 3).join();
         const colours = new Set(k.getImageData(0, 0, i.width, i.height).data.reduce((all, v, n, d) =>
           n % 4 ? all : (all.push(d[n] << 16 | d[n + 1] << 8 | d[n + 2]), all), []));
         return [b.type, i.width, i.height, at(1, 1), colours.has(0x343944)]; })",
    );
    assert_eq!(png[0], "image/png");
    assert_eq!(png[1], 1920);
    assert_eq!(png[3], "255,255,255", "on white paper");
    assert_eq!(
        png[4], true,
        "the first drive's line is drawn in its colour"
    );
    let buttons = page.say("document.querySelectorAll('.save-svg, .save-png').length");
    let charts = page.say("drivelabCharts.length");
    assert_eq!(buttons.as_u64().unwrap(), 2 * charts.as_u64().unwrap());
    page.browser.click("[data-figure=p1] .save-svg");
    page.browser.click("[data-figure=p1] .save-png");
    page.say("new Promise(done => setTimeout(done, 300))");
    assert_eq!(page.browser.complaints(), [""; 0]);
}
