//! A plan that is ready to begin or resume: everything in it has been checked.

use base::message::{Argument, Message};
use std::path::{Path, PathBuf};

use inspect::Seen;
use serde::{Deserialize, Serialize};
pub use store::PlanUnderWay as UnderWay;
use store::{
    PlanHeader, PlanId, PlanUnderWay, RunState, Store, StoreError, StoredPlan, StoredStep, Which,
};

use super::context::Context;
use results::plan::PlanForecast;

use super::forecast::forecast;
use super::{Plan, consent};
use crate::error::PlanError;
use lab::LabError;
use lab::running;
use targets::grammar::Spec;
use targets::{Consent, name_now, resolve};

/// A plan whose steps have all been prepared once.
#[derive(Clone, Debug)]
pub struct PreparedPlan {
    pub plan: Plan,
    /// What it will take.
    pub forecast: PlanForecast,
    /// The path of its report.
    pub html: Option<PathBuf>,
    /// What the targets are, whatever they are called; nothing for a model or a directory.
    pub(super) seen: Vec<Option<Seen>>,
    pub(super) context: Context,
}

/// The part of a plan that is stored for resuming.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    plan: Plan,
    command: Vec<String>,
    /// Where it was begun: the targets may be named from there.
    directory: PathBuf,
    html: Option<PathBuf>,
    /// Which targets were allowed to be overwritten.
    writes: Vec<bool>,
    /// What each target was when the plan was begun; not known of a plan of an older version.
    #[serde(default)]
    seen: Vec<Option<Seen>>,
}

/// Prepares every step of a plan. Nothing is made or opened for writing.
///
/// # Errors
/// The first step that cannot be run: an unknown name, a target that is too small, a write that was not allowed.
pub fn prepare(
    plan: Plan,
    context: Context,
    html: Option<PathBuf>,
) -> Result<PreparedPlan, PlanError> {
    let forecast = forecast(&plan, &context)?;
    let seen = plan
        .targets
        .iter()
        .zip(&context.consents)
        .map(|(target, consent)| Ok(resolve(&target.name, consent, plan.seed)?.seen()));
    Ok(PreparedPlan {
        seen: seen.collect::<Result<_, PlanError>>()?,
        plan,
        forecast,
        html,
        context,
    })
}

impl PreparedPlan {
    /// What each step on a real target would write, range by range.
    ///
    /// # Errors
    /// As [`prepare`].
    pub fn ranges(&self) -> Result<Vec<Message>, PlanError> {
        let mut lines = Vec::new();
        for step in self.plan.schedule() {
            if self.forecast.targets[step.target].real {
                let prepared = running::prepare(self.plan.request(step, &self.context))?;
                lines.extend(prepared.dry_run());
            }
        }
        Ok(lines)
    }

    /// Checks all that its steps on real targets check before their first phases. Nothing is made, claimed
    /// or written.
    ///
    /// # Errors
    /// Every step that would be refused, and why.
    pub fn would_run(&self) -> Result<(), PlanError> {
        let mut refused = Vec::new();
        for step in self.plan.schedule() {
            let target = &self.forecast.targets[step.target];
            if !target.real {
                continue;
            }
            let prepared = running::prepare(self.plan.request(step, &self.context))?;
            if let Err(why) = prepared.would_run() {
                let method = &self.plan.steps[step.method].method;
                let number = step.number;
                refused.push(format!("{number}, {method} on {}: {why}", target.target));
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        Err(PlanError::StepsRefused { refused })
    }

    /// Stores the plan, before its first step.
    ///
    /// # Errors
    /// Where it cannot be stored.
    pub fn begin(&self, store: &Store) -> Result<PlanUnderWay, PlanError> {
        let here = std::env::current_dir().unwrap_or_default();
        let document = Document {
            plan: self.plan.clone(),
            command: self.context.command.clone(),
            html: self.html.as_ref().map(|path| here.join(path)),
            directory: here,
            writes: (self.context.consents.iter())
                .map(|consent| consent.destroy_data)
                .collect(),
            seen: self.seen.clone(),
        };
        let document = serde_json::to_string(&document).map_err(|e| PlanError::Document {
            id: 0,
            why: e.to_string(),
        })?;
        let now = (self.context.now_unix_ms)();
        Ok(store.begin_plan(&PlanHeader {
            name: &self.plan.name,
            document: &document,
            started_unix_ms: i64::try_from(now).unwrap_or(i64::MAX),
        })?)
    }
}

/// A stored plan before its remainder is prepared.
#[derive(Debug)]
pub struct Stored {
    pub plan: Plan,
    /// Targets that have other names now, in words.
    pub moved: Vec<Message>,
    id: PlanId,
    document: Document,
}

/// Reads a stored plan.
///
/// # Errors
/// No such plan, or one of another version.
pub fn stored(store: &Store, id: PlanId) -> Result<Stored, PlanError> {
    let text = store.plan(id)?.document;
    let document: Document = serde_json::from_str(&text).map_err(|e| PlanError::Document {
        id: id.0,
        why: e.to_string(),
    })?;
    Ok(Stored {
        plan: document.plan.clone(),
        moved: Vec::new(),
        id,
        document,
    })
}

impl Stored {
    /// Which targets were allowed to be overwritten when the plan was begun.
    pub fn writes(&self) -> &[bool] {
        &self.document.writes
    }

    /// The path of its report, if it has one.
    pub fn html(&self) -> Option<&Path> {
        self.document.html.as_deref()
    }

    /// What the targets were when the plan was begun.
    pub(super) fn seen(&self) -> &[Option<Seen>] {
        &self.document.seen
    }

    /// The same with the current names of its targets: after a reboot another drive may have one of their names.
    ///
    /// # Errors
    /// Another directory than the one that its targets are relative to; a drive that is missing or ambiguous.
    pub fn found_again(mut self) -> Result<Stored, PlanError> {
        // First: from another folder every file of the user's would be missing.
        self.check_folder()?;
        let mut names = Vec::new();
        for (target, seen) in self.plan.targets.iter().zip(&self.document.seen) {
            let Some(seen) = seen else { continue };
            let now = name_now(&target.name, seen).map_err(|why| LabError::TargetNotFound {
                what: format!("plan {}", self.id),
                why,
            })?;
            if now != target.name {
                let (was, drive) = ((&target.name).into(), Argument::text(seen.words()));
                let places = [("was", was), ("now", (&now).into()), ("drive", drive)];
                self.moved.push(Message::new("target-is-now", places));
                names.push((target.name.clone(), now));
            }
        }
        // All at once: two drives may have changed names with each other.
        let rename = |name: &mut String| {
            if let Some((_, now)) = names.iter().find(|(was, _)| was == name) {
                name.clone_from(now);
            }
        };
        for plan in [&mut self.plan, &mut self.document.plan] {
            plan.targets
                .iter_mut()
                .for_each(|target| rename(&mut target.name));
            plan.steps
                .iter_mut()
                .flat_map(|step| &mut step.targets)
                .for_each(rename);
        }
        Ok(self)
    }

    /// A plan whose targets or files are relative to a directory can be resumed only there.
    fn check_folder(&self) -> Result<(), PlanError> {
        let Document {
            plan, directory, ..
        } = &self.document;
        let here = std::env::current_dir().unwrap_or_default();
        let asked = plan.causes.iter().flat_map(|cause| [&*cause.a, &*cause.b]);
        let names = plan.targets.iter().map(|target| target.name.as_str());
        let mut names = names.chain(asked);
        let from_there = names.any(is_named_from_here) || reads_from(plan, directory);
        if here != *directory && from_there {
            return Err(PlanError::BegunElsewhere {
                id: self.id.0,
                directory: directory.clone(),
            });
        }
        Ok(())
    }

    /// Prepares it again. Consent to overwrite is required again.
    ///
    /// # Errors
    /// As [`prepare`]; another directory than the one that its targets are relative to; a target that was to be
    /// overwritten and may not be now.
    pub fn prepare(
        self,
        consents: Vec<Consent>,
        now_unix_ms: fn() -> u64,
    ) -> Result<PreparedPlan, PlanError> {
        self.check_folder()?;
        let Document {
            plan,
            command,
            directory: _,
            html,
            writes,
            seen,
        } = self.document;
        let context = Context {
            consents,
            command,
            now_unix_ms,
        };
        let allowed = context.consents.iter().map(|consent| consent.destroy_data);
        let missing = writes.iter().zip(allowed).position(|(was, is)| *was && !is);
        if let Some(at) = missing {
            let target = plan.targets[at].name.clone();
            let asked = consent::to_confirm(&plan, &[])?;
            let token = asked.into_iter().find(|one| one.target == at);
            return Err(targets::TargetError::WouldDestroy {
                method: format!("plan {}", plan.name),
                target,
                token: token.map_or_else(|| "nothing".to_owned(), |one| one.token),
            }
            .into());
        }
        let prepared = prepare(plan, context, html)?;
        Ok(match seen.len() {
            0 => prepared,
            _ => PreparedPlan { seen, ..prepared },
        })
    }
}

/// True where a setting names a file from this folder.
fn reads_from(plan: &Plan, folder: &Path) -> bool {
    let of_steps = plan.steps.iter().flat_map(|step| &step.set);
    let pairs = of_steps.chain(plan.causes.iter().flat_map(|cause| &cause.set));
    let mut values = pairs
        .filter_map(|pair| pair.split_once('='))
        .map(|(_, value)| value);
    values.any(|value| Path::new(value).is_relative() && folder.join(value).is_file())
}

/// True where a target's name means another thing in another folder.
fn is_named_from_here(name: &str) -> bool {
    fn relative(spec: &Spec) -> bool {
        match spec {
            Spec::Path { path, .. } => path.is_relative(),
            Spec::Model { name, .. } => name.contains('/') && !name.starts_with('/'),
            Spec::Null { .. } => false,
            Spec::Layer { members, .. } => members.iter().any(relative),
        }
    }
    name.parse().is_ok_and(|spec| relative(&spec))
}

/// The plan to resume: one that is named (`plan-2`), that of a run which is a step of one, or, for `last`, the newest
/// unfinished one, unless a single run without a result was begun after it. `None` if a single run is meant.
///
/// # Errors
/// What is no name, a run that is not there, a store that cannot be read.
pub fn find(store: &Store, name: &str) -> Result<Option<PlanId>, PlanError> {
    if let Some(id) = named(name)? {
        return Ok(Some(id));
    }
    match name.parse()? {
        Which::Id(run) => Ok(store.step_of(run)?.map(|step| step.plan)),
        Which::Last => last(store),
    }
}

/// The plan that a name such as `plan-2` names; nothing where it is the name of a run.
///
/// # Errors
/// `plan-` followed by something other than a number.
pub fn named(name: &str) -> Result<Option<PlanId>, PlanError> {
    let Some(number) = name.strip_prefix("plan-") else {
        return Ok(None);
    };
    let id = number.parse().map_err(|_| StoreError::NotARunName {
        text: name.to_owned(),
    })?;
    Ok(Some(PlanId(id)))
}

fn last(store: &Store) -> Result<Option<PlanId>, PlanError> {
    let newest_plan = unfinished(store)?.first().map(|plan| plan.id);
    let Some(newest) = store.list()?.into_iter().next() else {
        return Ok(newest_plan);
    };
    if let Some(step) = store.step_of(newest.id)? {
        return Ok(Some(newest_plan.unwrap_or(step.plan)));
    }
    Ok(newest_plan.filter(|_| newest.state == RunState::Finished))
}

/// The plans that have not ended, the newest first.
///
/// # Errors
/// Where the store cannot be read.
pub fn unfinished(store: &Store) -> Result<Vec<StoredPlan>, PlanError> {
    let mut plans = store.plans()?;
    plans.retain(|plan| matches!(plan.state, RunState::Interrupted | RunState::Failed { .. }));
    Ok(plans)
}

/// Messages about earlier plans of the same name before another is begun, one line each; `called` is their name.
///
/// # Errors
/// Where the store cannot be read.
pub fn told_of_unfinished(
    store: &Store,
    name: &str,
    called: &str,
) -> Result<Vec<Message>, PlanError> {
    let mut told = Vec::new();
    for plan in unfinished(store)?.iter().filter(|plan| plan.name == name) {
        let (id, steps) = (plan.id.0, store.steps(plan.id)?);
        let gone = |step: &StoredStep| matches!(step.state, RunState::WentAway { .. });
        let key = match plan.state {
            _ if steps.iter().any(gone) => "plan-ended-gone",
            RunState::Interrupted => "plan-interrupted",
            _ => "plan-incomplete",
        };
        let places = [("plan", Argument::text(id)), ("called", called.into())];
        told.push(Message::new(key, places));
    }
    Ok(told)
}
