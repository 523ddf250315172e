//! `drivelab twin`: a drive's file from what was measured on the drive.

use ::results::RunResult;
use ::results::twin::TwinError;
use accuracy::twin::{MakeTwin, twin_of};
use base::message::{Argument, Message};

use super::Session;
use super::results::stored;
use crate::arguments::TwinArguments;
use crate::output::{Failure, print, print_json, tell};

/// Makes the twin of the drive that gave these results, and writes its file.
pub(crate) fn twin(session: &Session, arguments: &TwinArguments) -> Result<(), Failure> {
    let path = &arguments.output;
    if path.symlink_metadata().is_ok() {
        return Err(Failure::Usage(format!(
            "{} is there already and is left as it is: give another name, or move it away",
            path.display()
        )));
    }
    let results = named(session, &arguments.results)?;
    crate::signals::watch(&session.interrupt)?;
    let asked = MakeTwin {
        title: arguments.title.clone(),
        kind: arguments.kind.clone(),
        host: arguments.host.clone(),
        jobs: arguments.jobs.threads(),
        seed: arguments.seed,
    };
    let done = |kind: &str| tell(&Message::new("twin-trying", [("kind", kind.into())]));
    let made = twin_of(&results, &asked, &session.interrupt, &done)?;
    if arguments.json {
        print_json(&made.twin)?;
    } else {
        print(&made.twin.to_string())?;
        tell(&off("twin-fitted", made.twin.fit));
        tell(&off("twin-held-back", made.twin.held_back));
    }
    super::write(path, &made.text)?;
    let places = [("path", Argument::text(path.display()))];
    tell(&Message::new("twin-at", places));
    Ok(())
}

/// The results that names mean; of a plan those of the target that comes first, since a review has the drives beside it, too.
fn named(session: &Session, names: &[String]) -> Result<Vec<RunResult>, Failure> {
    let mut all = Vec::new();
    for name in names {
        let mut results = stored(session, std::slice::from_ref(name))?;
        let first = results.first().map(|first| first.target.name.clone());
        if name.starts_with("plan-") {
            results.retain(|result| first.as_ref() == Some(&result.target.name));
        }
        all.extend(results);
    }
    Ok(all)
}

/// How far the twin is off, in words.
fn off(key: &'static str, error: TwinError) -> Message {
    let percent =
        |error: Option<f64>| error.map_or("-".to_owned(), |error| format!("{error:.1} %"));
    let places = [
        ("rates", Argument::text(percent(error.rates_percent))),
        ("medians", Argument::text(percent(error.medians_percent))),
        ("tails", Argument::text(percent(error.p99_percent))),
    ];
    Message::new(key, places)
}
