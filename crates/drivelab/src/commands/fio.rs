//! `drivelab fio`: a job file of fio on one of drivelab's targets.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::size::Bytes;
use base::whole_file::text;
use fio::file::Around;
use fio::output::{Form, Moment};
use fio::work::{On, Work};
use targets::Consent;
use targets::grammar::Spec;

use crate::arguments::{FioArguments, FioForm};
use crate::commands::work::{self, Asked};
use crate::commands::{Session, consent, instant, now_unix_ms};
use crate::output::{Failure, print, say};

/// The longest job file that is read.
const MOST_TEXT: Bytes = Bytes::mib(1);

/// Files next to the job file, and the environment.
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
        Failure::Usage(error.to_string())
    }
}

/// The job file with the requested sections, and its text; skipped options are reported.
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

/// The target that is given, or that the jobs name, as the jobs need it: through the page cache, with its contents.
fn target(jobs: &[fio::job::Job], given: Option<&str>) -> Result<String, Failure> {
    let named = match given {
        Some(given) => given.to_owned(),
        None => fio::layout::target_of(jobs)?,
    };
    let mut spec: Spec = named.parse().map_err(lab::LabError::from)?;
    if jobs.iter().any(|job| !job.direct) && Path::new(&named).exists() {
        spec = spec.through_page_cache();
    }
    let is_a_model =
        || targets::resolve(&spec.to_string(), &Consent::default(), 0).map(|on| on.is_a_model());
    if jobs.iter().any(|job| job.verify.is_some()) && is_a_model()? {
        spec = spec.keeping_contents().ok_or_else(|| {
            Failure::Usage(
                "a null target stores no data to verify: use a modelled or a real drive".to_owned(),
            )
        })?;
    }
    Ok(spec.to_string())
}

/// The jobs laid out on their target.
fn laid_out(jobs: Vec<fio::job::Job>, text: &str, target: &str) -> Result<Work, Failure> {
    let resolved = targets::resolve(target, &Consent::default(), 0)?;
    let zones = resolved.zones();
    let on = On {
        name: target,
        info: resolved.provisional,
        zones: zones.as_ref(),
        is_made: resolved.is_a_test_file(),
        is_a_model: resolved.is_a_model(),
    };
    Ok(Work::new(jobs, text, &on)?)
}

/// Runs the jobs of a file, and prints what fio would.
pub(crate) fn fio(session: &Session, arguments: &FioArguments) -> Result<(), Failure> {
    let (file, text) = asked_for(arguments)?;
    let jobs = fio::job::jobs(&file).map_err(fio::error::FioError::from)?;
    let jobs = fio::script::with_logs(jobs)?;
    let target = target(&jobs, arguments.target.as_deref())?;
    let allowed = match jobs.iter().any(fio::job::Job::writes) {
        true => consent(&arguments.consent, &target)?,
        false => Consent::default(),
    };
    let text = format!("{}\n{text}", arguments.section.join(","));
    let work = laid_out(jobs, &text, &target)?;
    let asked = Asked {
        target,
        allowed,
        consent: &arguments.consent,
        no_store: arguments.no_store,
    };
    let failed = RefCell::new(None);
    let ended = work::run(session, &work, work.settings(arguments.seed), asked, || {
        let ran = work.ran();
        write_logs(&ran)?;
        let entries = fio::output::entries(work.jobs(), &ran);
        *failed.borrow_mut() = entries
            .iter()
            .find(|entry| entry.kept.errno != 0)
            .map(failure);
        let form = match arguments.output_format {
            FioForm::Normal => Form::Normal,
            FioForm::Json => Form::Json,
            FioForm::JsonPlus => Form::JsonPlus,
            FioForm::Terse => Form::Terse,
        };
        print(&fio::output::output(form, &file, &entries, &now()))
    });
    match (ended, failed.into_inner()) {
        // What the drive is comes last, and decides.
        (Err(why), Some(line)) => {
            say(&line);
            Err(why)
        }
        (ended, line) => ended.and(line.map_or(Ok(()), |line| Err(Failure::Failed(line)))),
    }
}

fn failure(entry: &fio::output::Entry<'_>) -> String {
    let (name, why) = (&entry.job.name, base::errno::in_words(entry.kept.errno));
    match entry.kept.errors {
        1 => format!("job '{name}': an I/O failed with {why}"),
        errors => format!("job '{name}': {errors} I/Os failed, the first with {why}"),
    }
}

/// Where fio would write them; jobs with the same name share the file, one after another.
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
    let text = instant(unix_ms)
        .to_zoned(jiff::tz::TimeZone::system())
        .strftime("%a %b %e %H:%M:%S %Y")
        .to_string();
    Moment { unix_ms, text }
}
