//! A menu on terminals: what the page offers, for a keyboard and large type.
//!
//! It shares the runs with the server of the same process, so that a run that is started on the screen is seen in the page
//! and the other way round. It has no children but those of `Program` and of `Runs`, asks for nothing that the page may
//! not ask for, and so offers nothing that overwrites a drive.
//!
//! A terminal is a thread with a stack of pages (`seat`). A page holds the documents that it was opened with; what is
//! drawn is made of these, of the runs and of nothing else (`pages`), and goes to the terminal only if it differs from
//! what is there: a serial line is slow. Two threads serve all terminals: one stores a report when a run ends
//! (`saved`), one serves the page once a network was asked for (`network`).
//!
//! | what | where |
//! |---|---|
//! | bytes to keys, raw mode, the size | `terminal` |
//! | lines and choices, cut to the size | `view` |
//! | the words of each page | `pages` |
//! | what a choice does | `choice` |

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use report::{Lang, Texts};

use crate::program::Program;
use crate::runs::Runs;

mod choice;
mod network;
mod pages;
mod saved;
mod seat;
mod terminal;
mod view;

const ENGLISH: &str = include_str!("../../assets/text/menu.en.ftl");
const JAPANESE: &str = include_str!("../../assets/text/menu.ja.ftl");

/// What a menu is opened with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program that it shows.
    pub program: Program,
    /// The language.
    pub lang: Lang,
    /// The terminals that it is on.
    pub terminals: Vec<PathBuf>,
    /// Where reports go.
    pub reports: PathBuf,
    /// A folder of programs of the machine that it is on: `network INTERFACE`, which prints an address, and `off`.
    pub helpers: Option<PathBuf>,
    /// The time, in milliseconds of the Unix epoch.
    pub now_unix_ms: fn() -> u64,
}

/// What all terminals share.
struct Menu {
    options: Options,
    runs: Runs,
    known: Arc<Mutex<Known>>,
}

/// What was found out beside the pages.
#[derive(Debug, Default)]
struct Known {
    /// Health by device, once it has answered.
    health: BTreeMap<String, String>,
    /// Model and serial number by device, for the names of reports.
    names: BTreeMap<String, String>,
    /// Where the report of a run is, or why there is none.
    reports: BTreeMap<u64, String>,
    /// The address of the page, or why there is none, once a network was asked for.
    network: Option<String>,
    is_served: bool,
}

/// Shows the menu until it is to end.
///
/// # Errors
/// No terminal can be opened.
pub fn show(
    options: Options,
    runs: &Runs,
    is_to_end: impl Fn() -> bool + Sync,
) -> std::io::Result<()> {
    let opened: Vec<_> = (options.terminals.iter())
        .map(|path| terminal::Terminal::open(path))
        .collect();
    let mut terminals = Vec::new();
    let mut failed = None;
    for one in opened {
        match one {
            Ok(terminal) => terminals.push(terminal),
            Err(why) => failed = Some(why),
        }
    }
    if let (true, Some(why)) = (terminals.is_empty(), failed) {
        return Err(why);
    }
    let menu = Menu {
        options,
        runs: runs.clone(),
        known: Arc::default(),
    };
    std::thread::scope(|scope| {
        scope.spawn(|| saved::keep(&menu, &is_to_end));
        for terminal in terminals {
            let (menu, is_to_end) = (&menu, &is_to_end);
            scope.spawn(move || seat::Seat::new(menu, terminal).stay(is_to_end));
        }
    });
    Ok(())
}

impl Menu {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn texts(&self) -> Texts {
        texts(self.options.lang)
    }
}

fn texts(lang: Lang) -> Texts {
    let source = match lang {
        Lang::En => ENGLISH,
        Lang::Ja => JAPANESE,
    };
    Texts::of_source(lang, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(source: &str) -> Vec<(&str, usize)> {
        let lines = source.lines().filter_map(|line| line.split_once(" = "));
        lines
            .map(|(key, text)| (key, text.matches("{ $").count()))
            .collect()
    }

    #[test]
    fn both_languages_have_the_same_texts_and_each_is_said() {
        assert_eq!(keys(ENGLISH), keys(JAPANESE));
        let sources = [
            include_str!("pages.rs"),
            include_str!("seat.rs"),
            include_str!("saved.rs"),
            include_str!("network.rs"),
        ]
        .concat();
        for (key, _) in keys(ENGLISH) {
            assert!(sources.contains(&format!("\"{key}\"")), "nobody says {key}");
        }
    }
}
