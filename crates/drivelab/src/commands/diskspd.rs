//! `drivelab diskspd`: DiskSpd's arguments or an XML profile on one of drivelab's targets.

use std::collections::BTreeMap;
use std::path::Path;

use base::size::Bytes;
use base::whole_file::text;
use diskspd::arguments::{Around, read};
use diskspd::error::DiskSpdError;
use diskspd::output::{Machine, output, profile_text};
use diskspd::profile::Profile;

use crate::arguments::DiskSpdArguments;
use crate::commands::{Session, consent, now_unix_ms};
use crate::output::{Failure, print, say};
use crate::signals;

/// The longest profile that is read.
const MOST_TEXT: Bytes = Bytes::mib(1);

/// What it is in the list of results.
const LANGUAGE: lab::foreign::Language = lab::foreign::Language {
    id: "diskspd",
    title: "DiskSpd",
    title_ja: "DiskSpd",
    version: 1,
};

impl From<DiskSpdError> for Failure {
    fn from(error: DiskSpdError) -> Failure {
        match error {
            DiskSpdError::Lab(error) => Failure::from(error),
            DiskSpdError::Interrupted => {
                Failure::from(lab::LabError::Stopped(base::bench::Stopped::Interrupted))
            }
            DiskSpdError::Io { .. } => Failure::Failed(error.to_string()),
            other => Failure::Usage(other.to_string()),
        }
    }
}

/// Runs it, and prints what DiskSpd would.
pub(crate) fn diskspd(session: &Session, arguments: &DiskSpdArguments) -> Result<(), Failure> {
    let now = now_unix_ms();
    let file = |path: &str| {
        text(Path::new(path), MOST_TEXT).map_err(|why| format!("cannot read {path}: {why}"))
    };
    let around = Around {
        file: &file,
        seed: (now % 1_000_000_007) as u32,
    };
    let profile = read(&arguments.words, &around)?;
    for (option, why) in &profile.skipped {
        say(&format!("{option} is skipped: {why}"));
    }
    if profile.profile_only {
        return print(&match profile.as_xml {
            true => diskspd::xml::printed(&profile),
            false => profile_text(&profile),
        });
    }
    let target = profile.target(arguments.target.as_deref())?;
    let target = diskspd::prepared::named(&profile, &target)?;
    let allowed = match profile.writes() {
        true => consent(&arguments.consent, &target)?,
        false => lab::opening::Consent::default(),
    };
    let seed = profile.spans.first().map_or(0, |span| u64::from(span.seed));
    let prepared = diskspd::prepared::prepare(profile, target, allowed)?;
    if arguments.consent.dry_run {
        return print(&(prepared.dry_run().join("\n") + "\n"));
    }
    let store = match arguments.no_store {
        true => None,
        false => Some(session.open_store()?),
    };
    signals::watch(&session.interrupt)?;
    let mut progress = session.progress();
    let ran = prepared.run(&mut progress, &session.interrupt);
    progress.clear();
    let finished = ran?;
    let machine = Machine {
        program: concat!("drivelab ", env!("CARGO_PKG_VERSION")).to_owned(),
        began: began(now),
        processors: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
    };
    print(&output(&finished.profile, &finished.ran, &machine))?;
    let phases = finished.phases();
    let foreign = lab::foreign::Foreign {
        language: LANGUAGE,
        seed,
        alike: alike(&finished.profile),
        values: values(&finished.profile),
        command: session.command.clone(),
        began_unix_ms: now,
        target: finished.record,
        phases,
        warnings: finished.warnings,
    };
    super::keep(store.as_ref(), foreign)
}

/// What was asked for, on whatever target.
fn alike(profile: &Profile) -> String {
    let mut profile = profile.clone();
    let works = profile.spans.iter_mut().flat_map(|span| &mut span.works);
    works.for_each(|work| "*1".clone_into(&mut work.path));
    diskspd::xml::printed(&profile)
}

/// What was asked for, in both of DiskSpd's ways.
fn values(profile: &Profile) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("command".to_owned(), profile.command.clone()),
        ("profile".to_owned(), diskspd::xml::printed(profile)),
    ])
}

fn began(unix_ms: u64) -> String {
    let at =
        jiff::Timestamp::from_millisecond(i64::try_from(unix_ms).unwrap_or(0)).unwrap_or_default();
    at.strftime("%Y/%m/%d %H:%M:%S UTC").to_string()
}
