//! `drivelab diskspd`: DiskSpd's arguments or an XML profile on one of drivelab's targets.

use std::path::Path;

use base::size::Bytes;
use base::whole_file::text;
use diskspd::arguments::{Around, read};
use diskspd::error::DiskSpdError;
use diskspd::output::{Machine, output, profile_text};
use diskspd::profile::Profile;
use diskspd::work::{On, Spans};
use targets::Consent;

use crate::arguments::DiskSpdArguments;
use crate::commands::work::{self, Asked};
use crate::commands::{Session, consent, instant, now_unix_ms};
use crate::output::{Failure, print, say};

/// The longest profile that is read.
const MOST_TEXT: Bytes = Bytes::mib(1);

impl From<DiskSpdError> for Failure {
    fn from(error: DiskSpdError) -> Failure {
        match error {
            DiskSpdError::Io { .. } => Failure::Failed(error.to_string()),
            other => Failure::Usage(other.to_string()),
        }
    }
}

/// The profile on its target.
fn fitted(profile: Profile, target: &str) -> Result<Spans, Failure> {
    let resolved = targets::resolve(target, &Consent::default(), 0)?;
    let on = On {
        name: target,
        info: resolved.provisional,
        is_made: resolved.is_a_test_file(),
        is_the_users_own: resolved.is_the_users_own(),
        is_a_model: resolved.is_a_model(),
    };
    Ok(Spans::new(profile, &on)?)
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
    let target = diskspd::work::named(&profile, &target)?;
    let allowed = match profile.writes() {
        true => consent(&arguments.consent, &target)?,
        false => Consent::default(),
    };
    let work = fitted(profile, &target)?;
    let asked = Asked {
        target,
        allowed,
        consent: &arguments.consent,
        no_store: arguments.no_store,
    };
    work::run(session, &work, work.settings(), asked, || {
        let machine = Machine {
            program: concat!("drivelab ", env!("CARGO_PKG_VERSION")).to_owned(),
            began: began(now),
            processors: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
        };
        print(&output(work.profile(), &work.ran(), &machine))
    })
}

fn began(unix_ms: u64) -> String {
    let at = instant(unix_ms).strftime("%Y/%m/%d %H:%M:%S UTC");
    at.to_string()
}
