//! The window's page in a browser: each flow as a user takes it, with a picture of it in `target/window-flows`.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod browser;
mod command;
mod window_client;

use std::path::PathBuf;

use browser::Browser;
use command::Place;
use fixtures::skip::skip;
use window_client::{Served, served};

const SSD: &str = "Samsung SSD 970 EVO Plus 1TB";

struct Flows {
    browser: Browser,
    window: Served,
    place: Place,
    pictures: PathBuf,
}

impl Flows {
    fn picture(&mut self, name: &str) {
        self.browser
            .picture(&self.pictures.join(format!("{name}.png")));
        assert_eq!(self.browser.complaints, Vec::<String>::new(), "{name}");
    }

    fn at(&mut self, hash: &str) {
        self.browser.value(&format!("location.hash = '{hash}'"));
    }
}

#[test]
fn every_flow_of_the_page_works_in_a_browser() {
    let test = "every_flow_of_the_page_works_in_a_browser";
    let Some(program) = browser::program() else {
        return skip(test, "no chromium is installed");
    };
    let place = Place::new();
    for drive in [
        "model:samsung-840-evo-750gb",
        "model:samsung-970-evo-plus-1tb",
    ] {
        for seed in ["1", "2"] {
            place.ok(&[
                "run",
                "crystaldiskmark",
                drive,
                "--scale",
                "quick",
                "--seed",
                seed,
            ]);
        }
    }
    let pictures = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../window-flows");
    std::fs::create_dir_all(&pictures).unwrap();
    let mut flows = Flows {
        browser: Browser::start(&program),
        window: served(&place, &[]),
        place,
        pictures,
    };
    flows.browser.size(1200, 900);
    first_paint(&mut flows);
    drives(&mut flows);
    choose(&mut flows);
    watch(&mut flows);
    benchmark(&mut flows);
    review(&mut flows);
    results(&mut flows);
    small_dark_and_japanese(&mut flows);
    keyboard(&mut flows);
}

fn first_paint(flows: &mut Flows) {
    let link = flows.window.link();
    flows.browser.open(&link);
    flows.browser.until("document.querySelector('.card')");
    let painted = "performance.getEntriesByName('first-contentful-paint')[0]";
    flows.browser.until(painted);
    let ms = flows.browser.value(&format!("{painted}.startTime"));
    eprintln!("first paint after {ms} ms");
    // The key has left the address, and no script sees the cookie.
    let left = flows.browser.value("location.href + document.cookie");
    assert!(
        !left.as_str().unwrap().contains(&flows.window.secret),
        "{left}"
    );
}

fn drives(flows: &mut Flows) {
    flows.browser.until_said("Health");
    flows
        .browser
        .until("document.querySelectorAll('tbody tr').length > 20");
    flows.picture("drives");
    flows.browser.click("th button", "Capacity");
    flows.browser.click("th button", "Capacity");
    flows
        .browser
        .until("document.querySelector('[aria-sort=descending]') && document.querySelector('tbody th').textContent.includes('TB')");
    flows.browser.value(
        "(() => { const box = document.getElementById('filter-words'); box.value = '970 evo'; box.dispatchEvent(new Event('input')); })()",
    );
    flows.browser.click("tr", SSD);
    flows.browser.value(&format!(
        "[...document.querySelectorAll('tr')].find((row) => row.textContent.includes('{SSD}')).querySelector('button').click()"
    ));
    flows
        .browser
        .value("document.querySelector('[aria-label=\"Modelled drives\"]').scrollIntoView()");
    flows
        .browser
        .until("!document.getElementById('chosen').hidden");
    flows.picture("drives-selected");
}

fn choose(flows: &mut Flows) {
    flows.browser.click("#chosen a", "Measure");
    flows
        .browser
        .until("document.querySelector('.forecast .main')");
    flows.browser.click("summary", "Settings");
    flows.picture("choose-forecast");
    // What only a terminal may allow is shown as what to type there.
    flows.place.file("own.img", 4 << 20);
    flows.browser.value("sessionStorage.setItem('chosen', JSON.stringify([{target: './own.img', title: './own.img'}])); window.isOld = true; location.reload()");
    flows
        .browser
        .until("!window.isOld && document.querySelector('#what option[value=\"full-scan\"]')");
    flows.browser.value("(() => { const what = document.getElementById('what'); what.value = 'full-scan'; what.dispatchEvent(new Event('change')); })()");
    flows.browser.until("document.getElementById('set-ops')");
    flows.browser.value("(() => { const ops = document.getElementById('set-ops'); ops.value = 'write'; ops.dispatchEvent(new Event('input')); })()");
    flows.browser.until_said("--destroy-data");
    flows.picture("choose-consent");
}

fn watch(flows: &mut Flows) {
    let asked = r#"{"run":{"what":"latency-watch","targets":["model:hgst-deskstar-nas-hdn724030-3tb"],"set":{"time":"24h"}}}"#;
    let id = flows.window.begins(asked);
    flows.at(&format!("watch/{id}"));
    flows.browser.until("document.querySelector('polyline')");
    let grown = "document.querySelector('polyline').getAttribute('points').split(' ').length";
    flows.browser.until(&format!("{grown} > 12"));
    flows
        .browser
        .until("Number(document.querySelector('progress').value) > 0");
    flows.picture("watch");
    flows.browser.click("button.stop", "Stop");
    flows.browser.until_said("stopped");
    flows.browser.until(
        "[...document.querySelectorAll('button')].some((one) => one.textContent === 'Resume')",
    );
    flows.picture("watch-stopped");
}

fn benchmark(flows: &mut Flows) {
    let id = flows
        .window
        .begins(r#"{"run":{"what":"crystaldiskmark","targets":["."],"scale":"default"}}"#);
    flows.at(&format!("watch/{id}"));
    flows
        .browser
        .until("document.querySelectorAll('.cells tbody tr').length > 2");
    flows.picture("watch-benchmark");
    let over = "[...document.querySelectorAll('.run .soft')].some((one) => one.textContent.includes('finished'))";
    flows
        .browser
        .until(&format!("{over} && document.querySelector('.cells')"));
    flows.picture("watch-over");
    let asked = r#"{"run":{"what":"quick-scan","targets":["model:samsung-840-evo-750gb"],"scale":"quick"}}"#;
    let id = flows.window.begins(asked);
    flows.at(&format!("watch/{id}"));
    flows
        .browser
        .until("document.querySelector('polyline') && document.querySelector('details')");
    flows.picture("watch-model");
}

/// The verdict first, the drives side by side below it, and no file left behind.
fn review(flows: &mut Flows) {
    let asked = r#"{"review":{"target":"model:samsung-840-evo-750gb","beside":["model:wd-red-wd30efrx-3tb"],"scale":"quick"}}"#;
    let id = flows.window.begins(asked);
    flows.at(&format!("watch/{id}"));
    flows
        .browser
        .until("document.querySelector('.answer')?.textContent.includes('Small writes')");
    flows
        .browser
        .until("document.querySelector('.side')?.children.length === 2");
    flows.picture("watch-review");
    assert!(!flows.place.path("report.html").exists());
}

fn results(flows: &mut Flows) {
    flows.at("results");
    flows
        .browser
        .until("document.querySelectorAll('tbody tr').length > 5");
    flows.browser.value("[...document.querySelectorAll('tbody tr')].slice(-3).forEach((row, at) => at !== 1 && row.querySelector('input').click())");
    flows.browser.click("button", "Label");
    flows.picture("results");
    flows.browser.click(".acts a", "Compare");
    flows
        .browser
        .until("document.querySelectorAll('tbody tr').length > 10");
    flows.picture("compare");
    flows.at("results/one/1");
    flows.browser.until("document.querySelector('.cells')");
    flows.picture("result");
    flows.at("results/of/model%3Asamsung-970-evo-plus-1tb");
    flows.browser.until("document.querySelector('polyline')");
    flows.picture("history");
    let host = flows.window.host.clone();
    flows.browser.open(&format!("http://{host}/report?of=1,3"));
    flows.browser.until("document.querySelector('h1')");
    flows.picture("report");
}

fn small_dark_and_japanese(flows: &mut Flows) {
    let host = flows.window.host.clone();
    flows.browser.open(&format!("http://{host}/?lang=ja"));
    flows
        .browser
        .until("document.querySelectorAll('tbody tr').length > 20");
    flows.picture("japanese-drives");
    flows.at("choose");
    flows
        .browser
        .until("document.querySelector('.forecast')?.textContent.includes('--destroy-data')");
    flows.picture("japanese-choose");
    flows.at("watch/2");
    flows.browser.until("document.querySelector('.cells')");
    flows.picture("japanese-watch");
    flows.browser.size(500, 900);
    flows.browser.dark(true);
    for (hash, ready) in [
        ("drives", "tbody tr"),
        ("choose", ".forecast pre"),
        ("watch/2", ".cells"),
        ("results", "tbody tr"),
    ] {
        flows.at(hash);
        flows
            .browser
            .until(&format!("document.querySelector('{ready}')"));
        let fits = flows
            .browser
            .value("document.documentElement.scrollWidth <= 500");
        flows.picture(&format!("dark-500-{}", hash.replace('/', "-")));
        assert_eq!(fits, true, "{hash} is wider than 500 px");
    }
    flows.browser.size(1200, 900);
    flows.picture("dark-results");
    flows.browser.dark(false);
}

/// From the first Tab to a run that is under way, without a mouse.
fn keyboard(flows: &mut Flows) {
    let host = flows.window.host.clone();
    flows.browser.value("sessionStorage.clear()");
    flows
        .browser
        .open(&format!("http://{host}/?lang=en#drives"));
    flows
        .browser
        .until("document.querySelector('.card .toggle')");
    let focused = |flows: &mut Flows, wanted: &str| {
        for _ in 0..200 {
            flows.browser.key("Tab");
            if flows.browser.value(&format!(
                "Boolean(document.activeElement?.matches('{wanted}'))"
            )) == true
            {
                return;
            }
        }
        panic!("no Tab leads to {wanted}");
    };
    flows
        .browser
        .until("document.querySelectorAll('tbody tr').length > 20");
    focused(flows, "tbody .toggle");
    flows.picture("keyboard");
    flows.browser.key(" ");
    flows
        .browser
        .until("!document.getElementById('chosen').hidden");
    focused(flows, "#chosen a");
    flows.browser.key("Enter");
    flows
        .browser
        .until("document.querySelector('.forecast .main:not(:disabled)')");
    focused(flows, ".forecast .main");
    flows.browser.key("Enter");
    flows.browser.until("location.hash.startsWith('#watch/')");
    flows
        .browser
        .until("document.querySelector('article .run')");
}
