//! The page in a real Chromium: it opens from a file without any request, its scripts do not complain,
//! and what can be toggled toggles, with scripts and without.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod browser;

use std::path::PathBuf;

use browser::Browser;
use fixtures::results as sample;
use report::{HtmlOptions, Lang};
use serde_json::Value;

struct Page {
    browser: Browser,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

/// The sample's page in a browser; nothing where no browser is installed.
fn open(test: &str, lang: Lang, scripts: bool) -> Option<Page> {
    let mut browser = Browser::start_or_skip(test)?;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let options = HtmlOptions { lang, title: None };
    std::fs::write(&file, report::html(&sample::review(), &options)).unwrap();
    browser.scripts(scripts);
    browser.open(&file);
    let mut page = Page {
        browser,
        file,
        _folder: folder,
    };
    // As a reader does who wants to see all of it.
    page.number(
        "[...document.querySelectorAll('details.fold')].map(fold => fold.open = true).length",
    );
    Some(page)
}

impl Page {
    fn number(&mut self, expression: &str) -> f64 {
        let value = self.browser.evaluate(expression);
        value
            .as_f64()
            .unwrap_or_else(|| panic!("{expression}: {value}"))
    }

    fn holds(&mut self, expression: &str) -> bool {
        self.browser.evaluate(expression) == Value::Bool(true)
    }

    fn displayed(&mut self, selector: &str) -> f64 {
        self.number(&format!(
            "[...document.querySelectorAll('{selector}')].filter(e => e.getClientRects().length > 0).length"
        ))
    }
}

#[test]
fn a_page_opens_offline_without_a_request_or_a_complaint() {
    for lang in Lang::ALL {
        let Some(mut page) = open(
            "a_page_opens_offline_without_a_request_or_a_complaint",
            lang,
            true,
        ) else {
            return;
        };
        assert_eq!(page.browser.complaints(), [""; 0]);
        let requests = page.browser.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        assert!(requests[0].ends_with("report.html"));
    }
}

#[test]
fn every_chart_is_drawn_with_its_points() {
    let Some(mut page) = open("every_chart_is_drawn_with_its_points", Lang::En, true) else {
        return;
    };
    let pictures = page.number("document.querySelectorAll('svg.plot').length");
    let charts = page.number("drivelabCharts.length");
    assert!(
        (pictures - charts).abs() < 0.5 && charts > 20.0,
        "{charts} of {pictures}"
    );
    let least = page.number(
        "Math.min(...drivelabCharts.map(c => Math.min(...c.data.slice(1).map(row => row.filter(v => v != null).length))))",
    );
    assert!(least >= 20.0, "a line has {least} points");
    // The canvas really has ink on it: some of its pixels differ from its first.
    let blank = page.number(
        "drivelabCharts.filter(c => { const k = c.u.ctx.canvas;
         const p = c.u.ctx.getImageData(0, 0, k.width, k.height).data;
         for (let i = 4; i < p.length; i += 4) if (p[i + 3] !== p[3] || p[i] !== p[0]) return false;
         return true; }).length",
    );
    assert!(blank < 0.5, "{blank} charts are blank");
}

#[test]
fn hiding_a_drive_hides_it_everywhere_and_showing_it_brings_it_back() {
    let Some(mut page) = open(
        "hiding_a_drive_hides_it_everywhere_and_showing_it_brings_it_back",
        Lang::En,
        true,
    ) else {
        return;
    };
    let shown_lines = "drivelabCharts.flatMap(c => c.parts.map((p, i) => [c.plot.lines[p.n].subject, c.u.series[i + 1].show]))\
                       .filter(([subject, show]) => subject === 1 && show).length";
    let before = (page.displayed(".verdict td.d1"), page.number(shown_lines));
    assert!(before.0 > 20.0 && before.1 > 4.0, "{before:?}");
    page.browser.click("#show-1");
    assert!(page.displayed(".verdict td.d1") < 0.5);
    assert!(page.displayed("figure.d1") < 0.5);
    assert!(page.number(shown_lines) < 0.5);
    assert!(page.displayed(".verdict td.d0") > 20.0, "the others stay");
    page.browser.click("#show-1");
    let after = (page.displayed(".verdict td.d1"), page.number(shown_lines));
    assert_eq!(before, after);
    assert_eq!(page.browser.complaints(), [""; 0]);
}

#[test]
fn the_first_screen_answers_before_anything_else_and_methods_are_folded() {
    let Some(mut page) = open(
        "the_first_screen_answers_before_anything_else_and_methods_are_folded",
        Lang::En,
        true,
    ) else {
        return;
    };
    let file = page.file.clone();
    page.browser.open(&file);
    assert!(page.holds("[...document.querySelectorAll('details.fold')].every(fold => !fold.open)"));
    assert!(page.holds("document.querySelector('main').firstElementChild.id === 'answer'"));
    let sentence = "document.querySelector('.answer .sentence').getBoundingClientRect().top";
    assert!(page.number(sentence) < 600.0);
    // A link into a folded section opens it.
    page.browser.evaluate("location.hash = '#m0'");
    assert!(page.holds("document.getElementById('m0').closest('details').open"));
    let screens = page.number("document.documentElement.scrollHeight / window.innerHeight");
    assert!(screens > 1.0, "{screens}");
}

#[test]
fn a_single_line_is_hidden_by_its_own_box() {
    let Some(mut page) = open("a_single_line_is_hidden_by_its_own_box", Lang::En, true) else {
        return;
    };
    page.browser.click("[data-figure=p1] [data-line='0']");
    assert!(
        page.holds("!drivelabCharts[0].u.series[1].show && drivelabCharts[0].u.series[2].show")
    );
    assert!(
        page.holds("drivelabCharts[1].u.series[1].show"),
        "other charts are left alone"
    );
}

#[test]
fn zooming_narrows_the_axis_and_resetting_widens_it_again() {
    let Some(mut page) = open(
        "zooming_narrows_the_axis_and_resetting_widens_it_again",
        Lang::En,
        true,
    ) else {
        return;
    };
    let range = "(() => { const s = drivelabCharts[3].u.scales.x; return s.max - s.min; })()";
    let whole = page.number(range);
    page.browser.click("[data-figure=p4] .zoom button");
    let zoomed = page.number(range);
    assert!(
        (zoomed - whole / 2.0).abs() < whole * 0.01,
        "{zoomed} of {whole}"
    );
    page.browser
        .click("[data-figure=p4] .zoom button:last-child");
    let reset = page.number(range);
    assert!((reset - whole).abs() < whole * 1e-6, "{reset} of {whole}");
}

#[test]
fn all_figures_leave_the_page_as_the_program_prints_them_but_for_what_tails_are_worth() {
    let Some(mut page) = open(
        "all_figures_leave_the_page_as_the_program_prints_them_but_for_what_tails_are_worth",
        Lang::En,
        true,
    ) else {
        return;
    };
    let csv = page.browser.evaluate("drivelabFigures()");
    let printed = report::csv::figures(&sample::review()).unwrap();
    let without_tail = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let printed: Vec<String> = printed.lines().map(without_tail).collect();
    let made: Vec<&str> = csv.as_str().unwrap().lines().collect();
    assert!(made.len() > 100);
    assert_eq!(made, printed);
}

#[test]
fn the_pointer_reads_values() {
    let Some(mut page) = open("the_pointer_reads_values", Lang::En, true) else {
        return;
    };
    let said = page.browser.evaluate(
        "(() => { const c = drivelabCharts[3]; c.u.setCursor({left: 100, top: 50}); return c.readout.textContent; })()",
    );
    let said = said.as_str().unwrap();
    assert!(
        said.contains("Samsung 840 EVO 750GB") && said.contains('%') && said.contains("GB"),
        "{said}"
    );
}

#[test]
fn without_scripts_pictures_stay_and_boxes_still_work() {
    let Some(mut page) = open(
        "without_scripts_pictures_stay_and_boxes_still_work",
        Lang::En,
        false,
    ) else {
        return;
    };
    assert!(page.displayed("svg.plot") > 20.0);
    assert!(page.displayed(".needs-script") < 0.5);
    let before = page.displayed("svg .line.d2");
    page.browser.click("#show-2");
    assert!(before > 4.0 && page.displayed("svg .line.d2") < 0.5);
    assert!(page.displayed(".grid .u0") > 0.5 && page.displayed(".grid .u1") < 0.5);
    page.browser.click("#unit-0-1");
    assert!(page.displayed(".grid .u0") < 0.5 && page.displayed(".grid .u1") > 0.5);
}

#[test]
fn the_keyboard_reaches_the_skip_link_first_and_toggles_a_drive() {
    let Some(mut page) = open(
        "the_keyboard_reaches_the_skip_link_first_and_toggles_a_drive",
        Lang::En,
        true,
    ) else {
        return;
    };
    page.browser.press("Tab");
    assert!(page.holds("document.activeElement.className === 'skip'"));
    assert!(
        page.holds("document.activeElement.getBoundingClientRect().left >= 0"),
        "it is seen"
    );
    for _ in 0..20 {
        if page.holds("document.activeElement.id === 'show-0'") {
            break;
        }
        page.browser.press("Tab");
    }
    assert!(page.holds("document.activeElement.matches(':focus-visible')"));
    page.browser.press(" ");
    assert!(page.holds("!document.getElementById('show-0').checked"));
    assert!(page.displayed(".verdict td.d0") < 0.5);
}

/// Contrast of text against what lies behind it, after WCAG 2: (lighter + 0.05) / (darker + 0.05) of the
/// relative luminances.
const CONTRASTS: &str = r"(() => {
  const parse = (text) => { const n = text.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0.5) return c; } return [255, 255, 255, 1]; };
  const ratio = (e) => {
    const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const wanted = 'h1, p, a, td, th, .badge, .key, .rank, dt, dd, summary, .unit, button, .grid b, .readout';
  return [...document.querySelectorAll(wanted)].filter((e) => e.getClientRects().length && e.textContent.trim())
    .map((e) => [ratio(e), e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 30)])
    .sort((a, b) => a[0] - b[0]).slice(0, 3);
})()";

#[test]
fn text_is_readable_in_light_and_dark() {
    let Some(mut page) = open("text_is_readable_in_light_and_dark", Lang::En, true) else {
        return;
    };
    for scheme in ["light", "dark"] {
        page.browser.media("screen", scheme);
        let file = page.file.clone();
        page.browser.open(&file);
        let worst = page.browser.evaluate(CONTRASTS);
        assert!(worst[0][0].as_f64().unwrap() >= 4.5, "{scheme}: {worst}");
        let paper = page
            .browser
            .evaluate("getComputedStyle(document.body).backgroundColor");
        assert_eq!(paper == "rgb(255, 255, 255)", scheme == "light", "{paper}");
    }
}

#[test]
fn print_shows_the_static_pictures_on_white() {
    let Some(mut page) = open("print_shows_the_static_pictures_on_white", Lang::En, true) else {
        return;
    };
    page.browser.media("print", "dark");
    assert!(page.displayed(".uplot") < 0.5);
    assert!(
        page.number("document.querySelector('svg.plot').getBoundingClientRect().width") > 200.0
    );
    let paper = page
        .browser
        .evaluate("getComputedStyle(document.body).backgroundColor");
    assert_eq!(paper, "rgb(255, 255, 255)");
}

#[test]
fn a_phone_scrolls_tables_and_not_the_page() {
    for scripts in [true, false] {
        let Some(mut page) = open("a_phone_scrolls_tables_and_not_the_page", Lang::Ja, scripts)
        else {
            return;
        };
        page.browser.window(375, 800);
        let file = page.file.clone();
        page.browser.open(&file);
        let wide = page.number("document.documentElement.scrollWidth");
        assert!(wide <= 375.0, "{wide} with scripts {scripts}");
    }
}
