//! The commands, a few a file.

pub(crate) mod ask;
mod asked_causes;
pub(crate) mod bench;
pub(crate) mod browse;
pub(crate) mod calibrate;
pub(crate) mod cause;
pub(crate) mod devices;
pub(crate) mod diskspd;
pub(crate) mod drives;
mod dry_run;
pub(crate) mod emulate;
pub(crate) mod findings;
pub(crate) mod fio;
pub(crate) mod fit;
pub(crate) mod fleet;
pub(crate) mod gate;
pub(crate) mod health;
pub(crate) mod import;
pub(crate) mod labels;
pub(crate) mod manual;
mod menu;
pub(crate) mod merge;
pub(crate) mod methods;
pub(crate) mod new;
pub(crate) mod plan;
pub(crate) mod predict;
pub(crate) mod reproduce;
pub(crate) mod rescue;
pub(crate) mod results;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod sweep;
pub(crate) mod twin;
pub(crate) mod window;
pub(crate) mod work;

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use ::results::RunResult;
use base::exit::Exit;
use base::{Argument, Interrupt, Message};
use lab::LabError;
use lab::running::Prepared;
use report::terminal::TerminalOptions;
use report::{HtmlOptions, Lang};
use targets::Consent;

use crate::arguments::{Arguments, ConsentArguments, Language, ProgressForm};
use crate::config::Config;
use crate::output::{Failure, coloured, columns, failed, print_json_text, say, tell};
use crate::progress_line::ProgressLine;
use crate::signals;

/// The default name of a report.
const REPORT: &str = "report.html";

/// What all commands share.
pub(crate) struct Session {
    store: Option<PathBuf>,
    pub(crate) lang: Lang,
    /// The targets that a review is compared with, if the user's settings name them.
    pub(crate) neighbours: Option<Vec<String>>,
    author: Option<String>,
    progress: ProgressForm,
    pub(crate) interrupt: Interrupt,
    pub(crate) command: Vec<String>,
}

impl Session {
    /// Settings from the arguments, the environment and the user's file.
    ///
    /// # Errors
    /// A mistake in the user's settings.
    pub(crate) fn new(arguments: &Arguments) -> Result<Session, Failure> {
        let variable = |name: &str| std::env::var_os(name);
        let config = Config::read(variable)?;
        let lang = match config.language(arguments.lang, variable) {
            Language::En => Lang::En,
            Language::Ja => Lang::Ja,
        };
        let named = variable("DRIVELAB_STORE").is_some_and(|value| !value.is_empty());
        let of_config = config.store.filter(|_| !named);
        Ok(Session {
            store: arguments.store.clone().or(of_config),
            lang,
            neighbours: config.neighbours,
            author: config.author,
            progress: arguments.progress,
            interrupt: Interrupt::new(),
            // A path need not be Unicode.
            command: std::env::args_os()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        })
    }

    /// Progress in the requested form.
    pub(crate) fn progress(&self) -> ProgressLine {
        ProgressLine::new(self.progress)
    }

    /// How pages are written: with this title, and the author's name where there is one.
    pub(crate) fn html_options(&self, title: Option<String>) -> HtmlOptions {
        let title = match (&self.author, title) {
            (Some(author), Some(title)) => Some(format!("{title} ({author})")),
            (Some(author), None) => Some(format!("drivelab ({author})")),
            (None, title) => title,
        };
        HtmlOptions {
            lang: self.lang,
            title,
        }
    }

    /// The path of a report: the requested one, or the first free name, which is reported.
    pub(crate) fn report_place(&self, given: Option<PathBuf>) -> PathBuf {
        given.unwrap_or_else(|| {
            let first = Path::new(REPORT);
            let free = lab::free_report_name(first);
            if free != first {
                let places = [
                    ("path", REPORT.into()),
                    ("free", Argument::text(free.display())),
                ];
                tell(&Message::new("report-elsewhere", places));
            }
            free
        })
    }

    /// Where the result store is, whether or not there is one yet.
    pub(crate) fn store_path(&self) -> Result<PathBuf, Failure> {
        match &self.store {
            Some(path) => Ok(path.clone()),
            None => Ok(lab::default_store_path()?),
        }
    }

    /// What a plan has to know of whoever asked for it.
    pub(crate) fn context(&self, consents: Vec<Consent>) -> plans::context::Context {
        plans::context::Context {
            consents,
            command: self.command.clone(),
            now_unix_ms,
        }
    }

    /// The result store.
    pub(crate) fn open_store(&self) -> Result<lab::Store, Failure> {
        Ok(lab::open_store(&self.store_path()?)?)
    }

    /// The same for a run that is to be stored, unless it is not.
    pub(crate) fn store_unless(&self, no_store: bool) -> Result<Option<lab::Store>, Failure> {
        (!no_store).then(|| self.open_store()).transpose()
    }

    /// Runs what is prepared, with a line of progress, until Ctrl-C.
    pub(crate) fn ran(
        &self,
        prepared: Prepared<'_>,
        store: Option<&lab::Store>,
    ) -> Result<Result<RunResult, LabError>, Failure> {
        signals::watch(&self.interrupt)?;
        let mut progress = self.progress();
        let ran = prepared.run(store, &mut progress, &self.interrupt);
        progress.clear();
        Ok(ran)
    }

    /// The result store, for reading and deleting: it opens even on a full or read-only disk.
    pub(crate) fn open_store_to_read(&self) -> Result<lab::Store, Failure> {
        Ok(lab::open_store_to_read(&self.store_path()?)?)
    }

    pub(crate) fn terminal(&self) -> TerminalOptions {
        TerminalOptions {
            columns: columns(),
            colour: coloured(),
            lang: self.lang,
        }
    }

    /// Writes a page; reports if it replaces an older one.
    pub(crate) fn replace_report(&self, path: &Path, page: &str) -> Result<(), Failure> {
        let was = path.exists();
        lab::replace_report(path, page)?;
        if was {
            say(&format!("{} is replaced", path.display()));
        }
        Ok(())
    }

    /// Writes an HTML report; never over a file that is not one of ours.
    pub(crate) fn write_html(&self, path: &Path, results: &[RunResult]) -> Result<(), Failure> {
        let options = self.html_options(None);
        self.replace_report(path, &report::html(results, &options))
    }
}

/// Writes a file whole, over an earlier one of its name.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    lab::whole_file::write_whole(path, text.as_bytes())
        .map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))
}

/// What was found of the inside of drives, as JSON.
pub(crate) fn print_inside(results: &[RunResult]) -> Result<(), Failure> {
    print_json_text(&report::inside::json(results).map_err(failed)?)
}

/// Fails unless something was measured and no drive was found failing: what a script checks with the exit code.
pub(crate) fn are_sound(session: &Session, results: &[RunResult]) -> Result<(), Failure> {
    let nothing = results.iter().find_map(lab::running::nothing_measured);
    let mut failing = report::findings::failing(results, session.lang);
    match (failing.is_empty(), nothing) {
        (true, None) => Ok(()),
        (true, Some(nothing)) => Err(Failure::Failed(nothing)),
        // A drive that fails every I/O is no milder case than one that fails a few.
        (false, nothing) => {
            failing.extend(nothing);
            Err(Failure::of_the_drive(Exit::Rejected, failing.join("\n")))
        }
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

/// The user's permissions; prompts for the drive's name if it was not given and the terminal is interactive.
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
    let resolved = targets::resolve(target, &consent, 0)?;
    if !resolved.is_the_users_own() {
        return Ok(consent);
    }
    for lost in resolved.would_be_lost() {
        tell(&lost_on(target, lost));
    }
    if consent.confirm.is_some() {
        return Ok(consent);
    }
    consent.confirm = Some(ask_to_confirm(target, &resolved.token())?);
    Ok(consent)
}

/// An instant, for people.
pub(crate) fn instant(unix_ms: u64) -> jiff::Timestamp {
    let unix_ms = i64::try_from(unix_ms).unwrap_or(0);
    jiff::Timestamp::from_millisecond(unix_ms).unwrap_or_default()
}

/// A line for each step done, of so many, where somebody watches.
pub(crate) fn counted(what: &'static str) -> impl Fn(usize, usize) + Sync {
    let shows = std::io::stderr().is_terminal();
    move |finished, all| {
        if shows {
            say(&format!("{finished} of {all} {what}"));
        }
    }
}

/// Whether a report can be written to a place, if one is wanted.
pub(crate) fn can_report(place: Option<&Path>) -> Result<(), Failure> {
    Ok(place.map_or(Ok(()), lab::check_report_place)?)
}

/// The result of a screening: whether a drive has to be checked or is rejected.
pub(crate) fn accepted([look, rejected]: [usize; 2], drives: usize) -> Result<(), Failure> {
    match (rejected, look) {
        (0, 0) => Ok(()),
        (0, look) => Err(Failure::of_the_drive(
            Exit::Suspect,
            format!("{look} of {drives} drives must be checked, none is rejected"),
        )),
        (rejected, _) => Err(Failure::of_the_drive(
            Exit::Rejected,
            format!("{rejected} of {drives} drives are rejected"),
        )),
    }
}

/// Under which number a result or a plan is stored.
pub(crate) fn stored_as(id: impl std::fmt::Display) -> Message {
    Message::new("stored-as", [("id", Argument::text(id))])
}

/// Where a report is.
pub(crate) fn report_at(path: &Path) -> Message {
    Message::new("report-at", [("path", Argument::text(path.display()))])
}

/// What of a target would be lost.
pub(crate) fn lost_on(target: &str, what: impl std::fmt::Display) -> Message {
    let places = [("target", target.into()), ("what", Argument::text(what))];
    Message::new("lost-on", places)
}

/// Asks at the terminal for the name of a drive that would be overwritten.
fn ask_to_confirm(target: &str, token: &str) -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage(format!(
            "{target} would be overwritten: add --confirm with {token}"
        )));
    }
    let places = [("target", target.into()), ("token", token.into())];
    tell(&Message::new("lost-all", places));
    typed()
}

/// The line that somebody types.
fn typed() -> Result<String, Failure> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|e| Failure::Failed(format!("standard input: {e}")))?;
    Ok(line.trim().to_owned())
}
