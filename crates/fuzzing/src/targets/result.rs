//! Stored results, and every report that is made of them.

use report::terminal::TerminalOptions;
use report::{HtmlOptions, Lang};
use results::RunResult;

pub(crate) fn run(input: &[u8]) {
    let Ok(result) = serde_json::from_slice::<RunResult>(input) else {
        return;
    };
    let written = report::json::result(&result).expect("a result is written as JSON");
    let back: RunResult =
        serde_json::from_str(&written).expect("a result is read as it is written");
    let results = [result, back];
    for lang in [Lang::En, Lang::Ja] {
        let terminal = TerminalOptions {
            columns: 80,
            colour: false,
            lang,
        };
        let html = HtmlOptions { lang, title: None };
        drop(report::terminal::summary(&results, &terminal));
        drop(report::compare::text(&results, &terminal));
        drop(report::uses::text(&results, &terminal));
        drop(report::html(&results, &html));
        drop(report::csv::table(&results, lang));
    }
    drop(report::csv::figures(&results));
    drop(report::iometer_csv::results(&results));
    drop(report::pictures(&results, &HtmlOptions::default()));
}
