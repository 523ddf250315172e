//! Writes the sample review as a page, to look at: `cargo run -p report --example sample_report -- FILE [en|ja]`.

use std::process::ExitCode;

use report::{HtmlOptions, Lang};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("sample_report FILE [en|ja]");
        return ExitCode::from(2);
    };
    let lang = arguments.next().and_then(|tag| Lang::from_tag(&tag));
    let options = HtmlOptions {
        lang: lang.unwrap_or_default(),
        title: None,
    };
    let page = report::html(&fixtures::results::review(), &options);
    match std::fs::write(&file, page) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{file} cannot be written: {error}");
            ExitCode::FAILURE
        }
    }
}
