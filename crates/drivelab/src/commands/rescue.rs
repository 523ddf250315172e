//! `drivelab rescue`: copies a failing drive off.

use std::path::Path;

use rescue::{RescueRequest, prepare};
use targets::Consent;

use crate::arguments::RescueArguments;
use crate::commands::{Session, consent};
use crate::output::{Failure, print_as, print_lines};
use crate::signals;

/// Copies the source to the destination, or resumes copying.
pub(crate) fn rescue(session: &Session, arguments: RescueArguments) -> Result<(), Failure> {
    let there = Path::new(&arguments.destination).exists();
    let consent = if there {
        consent(&arguments.consent, &arguments.destination)?
    } else {
        Consent::default()
    };
    let prepared = prepare(RescueRequest {
        source: arguments.source,
        destination: arguments.destination,
        map: arguments.map,
        block: arguments.block,
        retries: arguments.retries,
        adopt: arguments.adopt,
        consent,
    })?;
    if arguments.consent.dry_run {
        print_lines(&prepared.dry_run())?;
        return Ok(prepared.would_run()?);
    }
    signals::watch(&session.interrupt)?;
    let mut progress = session.progress();
    let rescued = prepared.run(&mut progress, &session.interrupt)?;
    progress.clear();
    print_as(&rescued, arguments.json, ToString::to_string)
}
