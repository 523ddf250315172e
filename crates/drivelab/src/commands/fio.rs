//! `drivelab fio`: a job file of fio on one of drivelab's targets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::size::Bytes;
use base::whole_file::text;
use fio::file::Around;
use fio::output::{Form, Moment};

use crate::arguments::{FioArguments, FioForm};
use crate::commands::{Session, consent, now_unix_ms};
use crate::output::{Failure, print, say};
use crate::signals;

/// The longest job file that is read.
const MOST_TEXT: Bytes = Bytes::mib(1);

/// What it is in the list of results.
const LANGUAGE: lab::foreign::Language = lab::foreign::Language {
    id: "fio",
    title: "fio's jobs",
    title_ja: "fio のジョブ",
    version: 2,
};

/// Files beside the job file, and the environment.
struct Beside(PathBuf);

impl Around for Beside {
    fn include(&self, path: &str) -> Result<String, String> {
        let path = self.0.join(path);
        text(&path, MOST_TEXT).map_err(|why| format!("{}: {why}", path.display()))
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn machine(&self, word: &str) -> Option<u64> {
        match word {
            "ncpus" => std::thread::available_parallelism()
                .ok()
                .map(|n| n.get() as u64),
            "pagesize" => Some(4096),
            _ => None,
        }
    }
}

impl From<fio::error::FioError> for Failure {
    fn from(error: fio::error::FioError) -> Failure {
        match error {
            fio::error::FioError::Lab(error) => Failure::from(error),
            fio::error::FioError::Interrupted => {
                Failure::from(lab::LabError::Stopped(base::bench::Stopped::Interrupted))
            }
            other => Failure::Usage(other.to_string()),
        }
    }
}

/// The job file with the sections that were asked for, and its text; what is skipped in it is told.
fn asked_for(arguments: &FioArguments) -> Result<(fio::file::JobFile, String), Failure> {
    let path = &arguments.file;
    let name = path.display().to_string();
    let text = text(path, MOST_TEXT)
        .map_err(|why| Failure::Usage(format!("cannot read {name}: {why}")))?;
    let beside = Beside(path.parent().unwrap_or(Path::new(".")).to_owned());
    let mut file = fio::file::read(&name, &text, &beside).map_err(fio::error::FioError::from)?;
    if !arguments.section.is_empty() {
        file.sections
            .retain(|section| arguments.section.contains(&section.name));
        if file.sections.is_empty() {
            return Err(Failure::Usage(format!("{name} has no such section")));
        }
    }
    for (option, why) in &file.skipped {
        say(&format!("{option} is skipped: {why}"));
    }
    Ok((file, text))
}

/// Runs the jobs of a file, and prints what fio would.
pub(crate) fn fio(session: &Session, arguments: &FioArguments) -> Result<(), Failure> {
    let (file, text) = asked_for(arguments)?;
    let jobs = fio::job::jobs(&file).map_err(fio::error::FioError::from)?;
    let jobs = fio::script::with_logs(jobs)?;
    let target = fio::prepared::target(&jobs, arguments.target.as_deref())?;
    let allowed = match jobs.iter().any(fio::job::Job::writes) {
        true => consent(&arguments.consent, &target)?,
        false => lab::opening::Consent::default(),
    };
    let prepared = fio::prepared::prepare(jobs, target, allowed, arguments.seed)?;
    if arguments.consent.dry_run {
        return print(&(prepared.dry_run().join("\n") + "\n"));
    }
    let store = match arguments.no_store {
        true => None,
        false => Some(session.open_store()?),
    };
    let began_unix_ms = now_unix_ms();
    signals::watch(&session.interrupt)?;
    let mut progress = session.progress();
    let ran = prepared.finish(arguments.seed, &mut progress, &session.interrupt);
    progress.clear();
    let finished = ran?;
    write_logs(&finished.ran)?;
    let entries = fio::output::entries(&finished.jobs, &finished.ran);
    let form = match arguments.output_format {
        FioForm::Normal => Form::Normal,
        FioForm::Json => Form::Json,
        FioForm::JsonPlus => Form::JsonPlus,
        FioForm::Terse => Form::Terse,
    };
    print(&fio::output::output(form, &file, &entries, &now()))?;
    let run = lab::foreign::Foreign {
        language: LANGUAGE,
        seed: arguments.seed,
        alike: format!("{}\n{text}", arguments.section.join(",")),
        values: BTreeMap::from([("jobs".to_owned(), text)]),
        command: session.command.clone(),
        began_unix_ms,
        target: finished.record.clone(),
        phases: finished.phases(),
        warnings: finished.warnings.clone(),
    };
    super::keep(store.as_ref(), run)?;
    match entries.iter().find(|entry| entry.kept.errno != 0) {
        Some(entry) => Err(Failure::Failed(format!(
            "job '{}': {} I/Os failed, the first with {}",
            entry.job.name,
            entry.kept.errors,
            base::errno::in_words(entry.kept.errno)
        ))),
        None => Ok(()),
    }
}

/// Where fio would write them; jobs that share a name share the file, one behind the other.
fn write_logs(ran: &[fio::running::Ran]) -> Result<(), Failure> {
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    for log in ran.iter().flat_map(|ran| &ran.logs) {
        files.entry(&log.name).or_default().push_str(&log.text);
    }
    for (name, text) in files {
        std::fs::write(name, text)
            .map_err(|why| Failure::Failed(format!("cannot write {name}: {why}")))?;
    }
    Ok(())
}

fn now() -> Moment {
    let unix_ms = now_unix_ms();
    let at =
        jiff::Timestamp::from_millisecond(i64::try_from(unix_ms).unwrap_or(0)).unwrap_or_default();
    let text = at
        .to_zoned(jiff::tz::TimeZone::system())
        .strftime("%a %b %e %H:%M:%S %Y")
        .to_string();
    Moment { unix_ms, text }
}
