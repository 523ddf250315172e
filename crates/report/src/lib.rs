//! Results in, bytes out: every output format of a result, one format a file.
//!
//! | format | function |
//! |---|---|
//! | a page for people, in one file | [`html()`] |
//! | a review as a folder: a page a drive, CSV, pictures as SVG | [`folder()`], [`pictures`] |
//! | a picture as PNG (feature `png`) | `png::png` |
//! | all stored results: a list to filter, sort and compare in | [`browser::page`] |
//! | a summary for the terminal | [`terminal::summary`] |
//! | what one result answers, in a sentence | [`answers::first_sentence`] |
//! | results side by side, with what forbids a comparison | [`compare::text`], [`compare::json`] |
//! | JSON on the schema `drivelab.result/2` | [`json::result`], [`json::results`] |
//! | figures, and the verdict table, as CSV | [`csv::figures`], [`csv::table`] |
//! | response times as CSV, and as an HdrHistogram log | [`csv::histograms`], [`hdr_log::log`] |
//! | figures, response times and health as OpenMetrics | [`metrics::of_results`], [`metrics::of_health`] |
//! | the drives that fail, in words | [`findings::failing`] |
//! | a gate's requirements | [`gate::text`] |
//! | a gate, or a batch that was screened, as JUnit XML | [`junit::of_gate`], [`junit::of_screening`] |
//! | questions that people ask, and their replies | [`questions::text`], [`questions::page`] |
//! | verdicts by use, with the figures behind them | [`uses::text`], [`uses::json`], [`uses::rules`] |
//! | the verdict table to paste: Markdown, a fragment of HTML | [`main_table::markdown`], [`main_table::fragment`] |
//! | phases in the columns of Iometer's results file | [`iometer_csv::results`] |
//! | results of `crystaldiskmark` as the text of CrystalDiskMark 8 | [`crystaldiskmark_text::results`] |
//! | a document's tables, published beside simulated | [`published::text`], [`published::html`] |
//! | a sweep: table, CSV, page | [`sweep::table`], [`sweep::csv`], [`sweep::html`] |
//! | simulated figures beside published ones | [`reproduction::text`] |
//!
//! The crate knows drives and methods by their results alone: a new method needs no change here.
//! No figure is measured or computed here, only its presentation (axes, ranks, words). Equal results give equal bytes.

pub mod answer;
pub mod answers;
pub mod browser;
pub mod cause;
pub mod compare;
pub mod crystaldiskmark_text;
pub mod csv;
pub mod findings;
pub mod gate;
pub mod iometer_csv;
pub mod json;
pub mod junit;
pub mod main_table;
pub mod metrics;
#[cfg(feature = "png")]
pub mod png;
pub mod published;
pub mod questions;
pub mod reproduction;
pub mod reserved;
pub mod screening;
pub mod standing;
pub mod sweep;
pub mod terminal;
pub mod uses;

mod chart;
mod folder;
pub mod hdr_log;
mod health_text;
mod html;
pub mod inside;
mod lang;
mod number;
mod pairs;
mod plots;
mod statement;
mod surface;
mod svg;
mod tails;
mod text_table;
mod words;
mod xml;

pub use folder::{File, folder, pictures};
pub use health_text::{HealthText, health_text};
pub use html::{HtmlOptions, Part, html, html_of_review, html_with_front, review_title};
pub use lang::{Lang, Texts, message, phase, plan_title};

/// The sources of this room, for tests that hold over all of them.
#[cfg(test)]
fn sources() -> Vec<(String, String)> {
    fn gather(folder: &std::path::Path, into: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                gather(&path, into);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                into.push((path.display().to_string(), text));
            }
        }
    }
    let mut sources = Vec::new();
    gather(
        &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut sources,
    );
    sources
}
