//! The fourth step of a run: what was measured becomes a result and is stored.

use std::path::Path;

use base::result::figures_of;
use base::{Message, MethodOutput, PhaseRecord, Scale, Stopped};
use results::{Environment, RESULT_SCHEMA, RunEnd, RunResult};

use super::begun::{Begun, Row};
use super::disturbed::Disturbed;
use super::measured::Measured;
use super::output::{take, warn};
use super::stored;
use crate::carry::Carry;
use crate::environment::environment;
use crate::error::LabError;
use analysis::change_points;
use targets::Drive;

impl Begun<'_> {
    pub(super) fn keep(
        mut self,
        measured: Measured,
        carry: Option<&mut Carry>,
    ) -> Result<RunResult, LabError> {
        let Measured {
            phases,
            ended,
            so_far,
            recorded,
        } = measured;
        let (method, card) = (self.method, self.method.card());
        let shares_drive = self.around.shares_drive_with_store;
        let mut result = self.result(phases);
        self.health.end(&self.drive, &mut result);
        warn(
            &mut result,
            &self.drive,
            shares_drive,
            self.row.run.as_ref(),
        );
        if let Some(carry) = carry {
            carry.keep(self.drive, card.id);
        }
        let recorded = recorded.map(|said| result.warnings.extend(said));
        let row = self.row;
        let result = match (ended, method.alike()) {
            (Ok((output, repeats)), None) => {
                result.repeats = repeats;
                take(&mut result, output, None);
                finish(result, row)?
            }
            (Ok(_), Some(alike)) => {
                let output = of_phases(&result.phases);
                take(&mut result, output, Some(&alike));
                finish(result, row)?
            }
            (Err(why), Some(alike)) => return Err(keep_early(result, why, row.run, &alike)?),
            (Err(why), None) => {
                if !so_far.figures.is_empty() {
                    take(&mut result, so_far, None);
                }
                return Err(keep_part(result, why, row)?);
            }
        };
        recorded.map(|()| result)
    }

    /// The result without its figures.
    fn result(&mut self, phases: Vec<PhaseRecord>) -> RunResult {
        let card = self.method.card();
        let is_real = matches!(self.drive, Drive::Real(_));
        let disturbed = self.around.disturbed.take();
        let busy = disturbed.as_ref().and_then(Disturbed::warning);
        let settings = self.settings.clone();
        let over = self.around.is_written_over;
        let over = over.then(|| Message::of("note-written-over"));
        RunResult {
            schema: RESULT_SCHEMA.to_owned(),
            id: self.row.run.as_ref().map_or(0, |run| run.id().0),
            label: None,
            method: card.id.to_owned(),
            method_title: card.title.to_owned(),
            method_title_ja: card.title_ja().to_owned(),
            method_version: card.version,
            scale: settings.scale,
            stands_beside_published: settings.scale == Scale::Full && settings.is_unchanged(),
            settings,
            began_unix_ms: if is_real { self.row.began_unix_ms } else { 0 },
            target: std::mem::take(&mut self.record),
            notes: over.into_iter().collect(),
            warnings: busy.into_iter().chain(self.warnings.drain(..)).collect(),
            environment: environment_of(&self.drive, &self.request.command, disturbed),
            figures: Vec::new(),
            charts: Vec::new(),
            phases,
            messages: Vec::new(),
            ended: RunEnd::Complete,
            health_before: None,
            health_after: None,
            health_during: Vec::new(),
            change_points: Vec::new(),
            repeats: None,
            imported: None,
        }
    }
}

/// What jobs give: the figures of their phases.
fn of_phases(phases: &[PhaseRecord]) -> MethodOutput {
    MethodOutput {
        figures: phases.iter().flat_map(figures_of).collect(),
        ..MethodOutput::default()
    }
}

/// A modelled drive's result does not depend on the machine that simulated it.
fn environment_of(drive: &Drive, command: &[String], disturbed: Option<Disturbed>) -> Environment {
    let mut environment = environment(Path::new("/"), command);
    if matches!(drive, Drive::Model(_)) {
        environment.host.clear();
    }
    Environment {
        activity: disturbed.map(Disturbed::over),
        ..environment
    }
}

/// Stores a run that came to its end.
fn finish(mut result: RunResult, row: Row) -> Result<RunResult, LabError> {
    change_points::mark(&mut result);
    result.gather_messages();
    let Some(run) = row.run else {
        return Ok(result);
    };
    let id = run.id().0;
    if let Some(figure) = stored::headline(&result) {
        // A list without it is no reason to lose the result.
        let _ = run.headline(&figure);
    }
    let Err(why) = run.finish(&document(&result)?) else {
        return Ok(result);
    };
    // Not what was measured is at fault: the caller may show it.
    result.id = 0;
    Err(LabError::NotStored {
        why: Box::new(why),
        id,
        resumable: row.resumable,
        result: Box::new(result),
    })
}

/// Stores what a run that ended early has measured, so that it can be resumed; the error says how.
fn keep_part(mut result: RunResult, why: Stopped, row: Row) -> Result<LabError, LabError> {
    result.ended = RunEnd::Early(why.said());
    result.gather_messages();
    let is_gone = matches!(why, Stopped::Gone { .. });
    let Some(run) = row.run else {
        let result = Box::new(result);
        return Ok(match is_gone {
            true => LabError::Early { why, result },
            false => LabError::Unkept { why, result },
        });
    };
    let id = run.id().0;
    match &why {
        // Left open, so that it can go on: there is no stored result yet.
        Stopped::Interrupted | Stopped::Broken { .. } => {
            result.id = 0;
            drop(run);
        }
        Stopped::Gone { .. } => {
            run.went_away(&why.to_string(), &document(&result)?)?;
        }
        _ => run.fail(&why.to_string())?,
    }
    let goes_on = matches!(
        why,
        Stopped::Interrupted | Stopped::Gone { .. } | Stopped::Broken { .. }
    );
    let resumable = row.resumable && goes_on;
    Ok(LabError::Ended {
        why,
        id,
        resumable,
        result: Box::new(result),
    })
}

/// Stores what jobs that ended early have measured: they cannot be resumed, so this is their result.
fn keep_early(
    mut result: RunResult,
    why: Stopped,
    run: Option<store::Run>,
    alike: &str,
) -> Result<LabError, LabError> {
    let output = of_phases(&result.phases);
    take(&mut result, output, Some(alike));
    result.gather_messages();
    result.ended = RunEnd::Early(why.said());
    match run {
        Some(run) if result.phases.is_empty() => run.fail(&why.to_string())?,
        Some(run) => run.finish_early(&document(&result)?, &why.to_string())?,
        None => {}
    }
    let result = Box::new(result);
    Ok(LabError::Early { why, result })
}

fn document(result: &RunResult) -> Result<String, LabError> {
    serde_json::to_string(result).map_err(|e| LabError::Document {
        id: result.id,
        what: "result",
        why: e.to_string(),
    })
}
