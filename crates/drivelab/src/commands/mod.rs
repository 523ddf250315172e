//! The commands, a few a file.

pub(crate) mod bench;
pub(crate) mod browse;
pub(crate) mod calibrate;
pub(crate) mod health;
pub(crate) mod list;
pub(crate) mod manual;
pub(crate) mod plan;
pub(crate) mod reproduce;
pub(crate) mod rescue;
pub(crate) mod results;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod sweep;
pub(crate) mod validate;

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use lab::opening::Consent;
use lab::progress::Interrupt;
use report::terminal::TerminalOptions;
use report::{HtmlOptions, Lang};

use crate::arguments::{Arguments, ConsentArguments, Language};
use crate::output::{Failure, coloured, columns, say};

/// What all commands share.
pub(crate) struct Session {
    store: Option<PathBuf>,
    pub(crate) lang: Lang,
    pub(crate) interrupt: Interrupt,
    pub(crate) command: Vec<String>,
}

impl Session {
    pub(crate) fn new(arguments: &Arguments) -> Session {
        Session {
            store: arguments.store.clone(),
            lang: match arguments.lang {
                Language::En => Lang::En,
                Language::Ja => Lang::Ja,
            },
            interrupt: Interrupt::new(),
            command: std::env::args().collect(),
        }
    }

    /// The result store.
    pub(crate) fn open_store(&self) -> Result<lab::Store, Failure> {
        let path = match &self.store {
            Some(path) => path.clone(),
            None => lab::default_store_path()?,
        };
        Ok(lab::open_store(&path)?)
    }

    pub(crate) fn terminal(&self) -> TerminalOptions {
        TerminalOptions {
            columns: columns(),
            colour: coloured(),
            lang: self.lang,
        }
    }

    /// Writes an HTML report; never over a file that is not one of ours.
    pub(crate) fn write_html(
        &self,
        path: &Path,
        results: &[::results::RunResult],
    ) -> Result<(), Failure> {
        let options = HtmlOptions {
            lang: self.lang,
            title: None,
        };
        lab::replace_report(path, &report::html(results, &options))?;
        Ok(())
    }
}

/// A run that came to its end with a phase whose every I/O failed is no success: one line says so.
pub(crate) fn have_measured(results: &[::results::RunResult]) -> Result<(), Failure> {
    match results.iter().find_map(lab::running::nothing_measured) {
        Some(line) => Err(Failure::Failed(line)),
        None => Ok(()),
    }
}

/// Now, in milliseconds of the Unix epoch.
#[allow(
    clippy::disallowed_methods,
    reason = "the command line passes the time in"
)]
pub(crate) fn now_unix_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

/// What the user allows; asks for the drive's name where it was not given and somebody is there to
/// answer.
pub(crate) fn consent(arguments: &ConsentArguments, target: &str) -> Result<Consent, Failure> {
    if arguments.confirm.len() > 1 {
        return Err(Failure::Usage(
            "--confirm is given more than once: only a plan overwrites several drives".to_owned(),
        ));
    }
    let mut consent = Consent {
        destroy_data: arguments.destroy_data,
        confirm: arguments.confirm.first().cloned(),
    };
    if !consent.destroy_data || arguments.dry_run {
        return Ok(consent);
    }
    let resolved = lab::opening::resolve(target, &consent, 0)?;
    if !resolved.is_the_users_own() {
        return Ok(consent);
    }
    for lost in resolved.would_be_lost() {
        say(&format!("on {target}: {lost}"));
    }
    if consent.confirm.is_some() {
        return Ok(consent);
    }
    consent.confirm = Some(ask(target, &resolved.token())?);
    Ok(consent)
}

/// Asks at the terminal for the name of a drive that would be overwritten.
fn ask(target: &str, token: &str) -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage(format!(
            "{target} would be overwritten: add --confirm with {token}"
        )));
    }
    say(&format!(
        "Everything on {target} will be lost. To continue, type {token}:"
    ));
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|e| Failure::Failed(format!("standard input: {e}")))?;
    Ok(line.trim().to_owned())
}
