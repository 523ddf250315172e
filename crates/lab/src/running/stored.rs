//! Stored runs: the remainder of an interrupted one, and the result of a finished one.

use std::collections::BTreeMap;
use std::path::Path;

use base::{Argument, Message, Method, Scale, Settings};
use results::RunResult;
use results::listing::ListedFigure;
use serde::{Deserialize, Serialize};
use store::{PlanStep, RunHeader, RunId, Store, Which};

use super::{Earlier, Prepared, Request, prepare};
use crate::environment::environment;
use crate::error::LabError;
use crate::inputs;
use targets::{Consent, On, name_now};

/// What of a run is stored so that it can be resumed: settings and what named the target.
#[derive(Debug, Serialize, Deserialize)]
struct StoredSettings {
    scale: Scale,
    seed: u64,
    set: Vec<String>,
    /// Number of repeats; one if a stored run has none.
    #[serde(default)]
    repeat: Option<String>,
    /// Which drive or file it was: a name may come to mean another one.
    on: Option<On>,
    /// Whether writing was allowed: without it the method would do something else.
    destroy_data: bool,
    /// True of the jobs of another program's file, which are in the run alone: they are not resumed.
    #[serde(default)]
    begins_anew: bool,
    /// Digests of the files that settings name, by setting.
    #[serde(default)]
    inputs: BTreeMap<String, String>,
}

impl StoredSettings {
    /// Refuses a remainder that would read other input files, or overwrite without consent.
    fn check(&self, id: RunId, prepared: &Prepared<'_>) -> Result<(), LabError> {
        if let Some((key, path)) = inputs::changed(&self.inputs, &prepared.settings.inputs) {
            return Err(LabError::AnotherInput {
                id: id.0,
                key: key.to_owned(),
                path: path.to_owned(),
            });
        }
        if self.destroy_data && !prepared.request.consent.destroy_data {
            let refused = prepared.resolved.would_destroy(&prepared.request.method);
            return Err(refused.into());
        }
        Ok(())
    }
}

/// Prepares the remainder of an interrupted run. Consent to overwrite is required again.
///
/// # Errors
/// No such run, or anything that [`super::prepare`] finds. That it has ended, or still runs, is found out
/// when it is taken up.
pub fn prepare_again(
    store: &Store,
    which: Which,
    consent: Consent,
    command: Vec<String>,
    now_unix_ms: fn() -> u64,
) -> Result<Prepared<'static>, LabError> {
    let stored = store.run(which)?;
    let id = stored.id;
    let began_unix_ms = u64::try_from(stored.started_unix_ms).unwrap_or(0);
    let settings: StoredSettings =
        serde_json::from_str(&stored.settings).map_err(|e| LabError::Document {
            id: id.0,
            what: "settings",
            why: e.to_string(),
        })?;
    if settings.begins_anew {
        return Err(LabError::BeginsAnew {
            id: id.0,
            method: stored.method,
        });
    }
    let target = target_now(id.0, &stored.target, settings.on.as_ref())?;
    let said = (target != stored.target).then(|| {
        let places = [("was", (&stored.target).into()), ("now", (&target).into())];
        Message::new("run-target-is-now", places)
    });
    let request = Request {
        method: stored.method,
        target,
        scale: settings.scale,
        seed: settings.seed,
        repeat: settings
            .repeat
            .as_ref()
            .and_then(|rule| rule.parse().ok())
            .unwrap_or_default(),
        set: settings.set.clone(),
        consent,
        command,
        now_unix_ms,
    };
    let earlier = Earlier { id, began_unix_ms };
    let prepared = prepare(request)?;
    settings.check(id, &prepared)?;
    Ok(Prepared {
        earlier: Some(earlier),
        was: settings.on,
        said,
        ..prepared
    })
}

/// A stored result.
///
/// # Errors
/// No such run, a run without a result, or a document of another version.
pub fn stored_result(store: &Store, which: Which) -> Result<RunResult, LabError> {
    let id = match which {
        Which::Last => store.run(which)?.id,
        Which::Id(id) => id,
    };
    let document = store.result(Which::Id(id))?;
    let mut result: RunResult =
        serde_json::from_str(&document).map_err(|e| LabError::Document {
            id: id.0,
            what: "result",
            why: e.to_string(),
        })?;
    result.restore_messages();
    result.id = id.0;
    result.label = store.run(Which::Id(id))?.name;
    // A result from before percentiles of a few samples were left out has them.
    result.figures = result
        .figures
        .into_iter()
        .map(base::result::Figure::if_told)
        .collect();
    Ok(result)
}

/// The serial number of the drive that a run was on, by its stored settings; nothing of a model, a file, or a drive without.
pub(crate) fn serial_of(settings: &str) -> Option<String> {
    match serde_json::from_str::<StoredSettings>(settings).ok()?.on? {
        On::Seen(seen) => seen.drive?.serial,
        On::Words(_) => None,
    }
}

/// Main figures of methods for which they are not the first ones.
const ANSWERS: [(&str, &str); 3] = [
    ("hd-tune", "read.mean"),
    ("hd-tune", "write.mean"),
    ("delay-ratio", "delay_ratio"),
];

/// The figure that a list shows for a result, as JSON: the method's main one, or the first that has a value.
pub(crate) fn headline(result: &RunResult) -> Option<String> {
    let valued = |figure: &base::result::Figure| {
        let value = figure.value.filter(|value| value.is_finite())?;
        Some(ListedFigure {
            key: figure.key.clone(),
            value,
            unit: figure.unit.clone(),
        })
    };
    let named = ANSWERS
        .iter()
        .filter(|(method, _)| *method == result.method);
    let named = named.flat_map(|(_, key)| result.figures.iter().filter(move |of| of.key == *key));
    let first = named.chain(&result.figures).find_map(valued)?;
    serde_json::to_string(&first).ok()
}

/// The current name of the target that a stored run was on.
///
/// # Errors
/// No such run; a drive that is missing or ambiguous.
pub fn target_of(store: &Store, which: Which) -> Result<String, LabError> {
    let stored = store.run(which)?;
    // What cannot be read is said when the run is prepared.
    let on = serde_json::from_str::<StoredSettings>(&stored.settings).ok();
    target_now(
        stored.id.0,
        &stored.target,
        on.and_then(|settings| settings.on).as_ref(),
    )
}

fn target_now(id: i64, name: &str, on: Option<&On>) -> Result<String, LabError> {
    let Some(On::Seen(seen)) = on else {
        return Ok(name.to_owned());
    };
    name_now(name, seen).map_err(|why| LabError::TargetNotFound {
        what: format!("run {id}"),
        why,
    })
}

/// A new run in the store.
///
/// # Errors
/// The store cannot be written.
pub(super) fn begin(
    store: &Store,
    request: &Request,
    (method, checked): (&dyn Method, &Settings),
    on: Option<On>,
    step: Option<PlanStep>,
) -> Result<store::Run, LabError> {
    let digest = |(key, input): (&String, &base::input::Input)| (key.clone(), input.digest.clone());
    let settings = StoredSettings {
        scale: request.scale,
        seed: request.seed,
        set: inputs::with_absolute_paths(&request.set, &checked.inputs),
        repeat: Some(request.repeat.to_string()),
        on,
        begins_anew: method.alike().is_some(),
        destroy_data: request.consent.destroy_data,
        inputs: checked.inputs.iter().map(digest).collect(),
    };
    let header = RunHeader {
        method: &request.method,
        target: &request.target,
        settings: &serde_json::to_string(&settings).unwrap_or_default(),
        environment: &serde_json::to_string(&environment(Path::new("/"), &request.command))
            .unwrap_or_default(),
        started_unix_ms: i64::try_from((request.now_unix_ms)()).unwrap_or(i64::MAX),
    };
    Ok(match step {
        Some(step) => store.begin_step(&header, step)?,
        None => store.begin_run(&header)?,
    })
}

/// The messages when an interrupted run is resumed.
pub(super) fn goes_on(id: RunId, phases: usize, resumable: bool, in_zones: bool) -> Message {
    let run = Argument::text(id);
    match (resumable, phases) {
        (true, _) if in_zones => Message::new("restarting-zones", [("run", run)]),
        (false, _) => Message::new("restarting-file", [("run", run)]),
        (true, 1) => Message::new("resuming-run-one", [("run", run)]),
        (true, n) => Message::new("resuming-run", [("run", run), ("phases", n.into())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_run_knows_the_serial_number_of_its_drive() {
        let with = |on: &str| {
            format!(r#"{{"scale":"default","seed":1,"set":[],"on":{on},"destroy_data":false}}"#)
        };
        let seen = |drive: &str| {
            format!(r#"{{"path":"/dev/sda","bytes":1024,"drive":{drive},"arrival":null}}"#)
        };
        let of = |on: &str| serial_of(&with(on));
        assert_eq!(
            of(&seen(r#"{"serial":"disk-7"}"#)).as_deref(),
            Some("disk-7")
        );
        // A drive without one, a file, a model, words of an older store, and what is no document.
        for on in [
            seen("{}"),
            seen("null"),
            "null".into(),
            r#""/dev/sda disk-7""#.into(),
        ] {
            assert_eq!(of(&on), None, "{on}");
        }
        assert_eq!(serial_of("{"), None);
    }
}
