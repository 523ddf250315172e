//! One method on one target, once: from a request to a stored result.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use base::bench::Stopped;
use base::message::{Argument, Message};
use base::method::{Forecast, Kind, Method, OnModels, Scale, Setting, Settings};
use base::result::MethodOutput;
use base::size::Bytes;
use base::target::Info;
use base::time::Duration;
use inspect::{Presence, Root};
use results::{Environment, RESULT_SCHEMA, Repeats, RunEnd, RunResult};
use serde::{Deserialize, Serialize};
use stats::repeat::Repeat;
use store::{PlanStep, RunHeader, RunId, Store, StoredPhase};

use crate::carry::Carry;
use crate::compared::known_misses;
use crate::environment::environment;
use crate::error::LabError;
use crate::grammar::Spec;
use crate::health_watch::HealthWatch;
use crate::how_long;
use crate::inputs::{self, InputFiles};
use crate::lab_bench::{LabBench, Rests};
use crate::made_again::MadeAgain;
use crate::opening::{Consent, Drive, DriveClass, On, Opened, ResolvedTarget, lies_on, resolve};
use crate::progress::{Interrupt, Progress};
use crate::recording::{RecordTo, Recorder};
use crate::repeating;
use analysis::change_points;

mod disturbed;
mod dry_run;
mod failures;
mod output;
mod stored;
mod suits;

use disturbed::Disturbed;
pub use failures::nothing_measured;
use output::{take, warn};
pub(crate) use stored::headline;
pub use stored::{prepare_again, stored_result, target_of};

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method's name.
    pub method: String,
    /// The target's name.
    pub target: String,
    /// How long.
    pub scale: Scale,
    /// Seeds everything random.
    pub seed: u64,
    /// How often the method is run.
    pub repeat: Repeat,
    /// Settings, each as `key=value`.
    pub set: Vec<String>,
    /// What may be overwritten.
    pub consent: Consent,
    /// The command line, for the record.
    pub command: Vec<String>,
    /// Tells the time, in milliseconds of the Unix epoch, for the record.
    pub now_unix_ms: fn() -> u64,
}

/// A request whose words are all known: what it will take can be told.
pub struct Prepared {
    /// The method.
    pub method: &'static dyn Method,
    /// Its settings.
    pub settings: Settings,
    /// The target.
    pub resolved: ResolvedTarget,
    /// What the run will take.
    pub forecast: Forecast,
    request: Request,
    /// The interrupted run that goes on.
    earlier: Option<Earlier>,
    /// What the target must still be: what the run was on, or the plan.
    was: Option<On>,
    /// What is to be said before it runs.
    said: Option<Message>,
    /// What the run is recorded into.
    record_to: Option<RecordTo>,
    /// Which step of a plan it is.
    step: Option<PlanStep>,
}

/// A run that was interrupted.
struct Earlier {
    id: RunId,
    /// When it began, in milliseconds of the Unix epoch.
    began_unix_ms: u64,
}

/// What of a run is stored so that it can be resumed: settings and what named the target.
#[derive(Debug, Serialize, Deserialize)]
struct StoredSettings {
    scale: Scale,
    seed: u64,
    set: Vec<String>,
    /// How often the method is run; once in what was stored without it.
    #[serde(default)]
    repeat: Option<String>,
    /// Which drive or file it was: a name may come to mean another one.
    on: Option<On>,
    /// Whether writing was allowed: without it the method would do something else.
    destroy_data: bool,
    /// Digests of the files that settings name, by setting.
    #[serde(default)]
    inputs: BTreeMap<String, String>,
}

/// The method of a name.
///
/// # Errors
/// No such method, with the nearest names.
pub fn method(name: &str) -> Result<&'static dyn Method, LabError> {
    methods::find(name).map_err(|nearest| LabError::NoMethod {
        id: name.to_owned(),
        nearest,
    })
}

/// Checks a request against method and target. Nothing is made or opened for writing.
///
/// # Errors
/// Unknown names, malformed settings, a target that is too small, a write that nobody allowed.
pub fn prepare(request: Request) -> Result<Prepared, LabError> {
    let method = method(&request.method)?;
    let mut settings = Settings::new(method.card(), request.scale, request.seed, &request.set)?;
    let resolved = resolve(&request.target, &request.consent, request.seed)?;
    suits::check(method.card(), &request, &resolved)?;
    inputs::look_at(method.card(), &mut settings)?;
    let files = InputFiles(settings.inputs.clone());
    method.survey(&mut settings, &resolved.provisional, &files)?;
    let mut forecast = method.forecast(&settings, &resolved.provisional);
    suits::check_zones(
        method.respects_zones(&settings),
        &request,
        &resolved,
        &forecast,
    )?;
    suits::to_whole_zones(&resolved, &mut forecast);
    let needs = forecast.extent.max(largest_given(method, &settings));
    if needs > resolved.provisional.capacity {
        return Err(LabError::TooSmall {
            target: request.target.clone(),
            method: request.method.clone(),
            has: resolved.provisional.capacity,
            needs,
        });
    }
    if !forecast.written.is_empty() && resolved.is_the_users_own() && !request.consent.destroy_data
    {
        return Err(would_destroy(&request, &resolved));
    }
    check_blocks(method, &settings, &resolved.provisional)?;
    Ok(Prepared {
        method,
        settings,
        resolved,
        forecast,
        request,
        earlier: None,
        was: None,
        said: None,
        record_to: None,
        step: None,
    })
}

fn would_destroy(request: &Request, resolved: &ResolvedTarget) -> LabError {
    LabError::WouldDestroy {
        method: request.method.clone(),
        target: request.target.clone(),
        token: resolved.token(),
    }
}

/// An access that the user asked for consists of whole blocks of the target.
fn check_blocks(method: &dyn Method, settings: &Settings, on: &Info) -> Result<(), LabError> {
    let of_access = |card: &Setting| matches!(card.kind, Kind::Size { .. });
    for key in &settings.given {
        let card = method.card().settings.iter().find(|card| card.key == key);
        if card.is_some_and(of_access) && !settings.size(key).is_multiple_of(on.block) {
            return Err(LabError::NotWholeBlocks {
                key: key.clone(),
                value: settings.text(key).to_owned(),
                block: on.block,
            });
        }
    }
    Ok(())
}

/// The largest part of the target that the user asked for by a setting. A method takes the whole of
/// a target that is smaller than its own default; of a size that somebody wrote, it is an error.
fn largest_given(method: &dyn Method, settings: &Settings) -> Bytes {
    let of_target = |card: &&Setting| matches!(card.kind, Kind::SizeOrWhole { .. });
    let cards = method.card().settings.iter().filter(of_target);
    let given = cards.filter(|card| settings.given.iter().any(|key| key == card.key));
    given
        .map(|card| settings.size_or_whole(card.key, Bytes::ZERO))
        .max()
        .unwrap_or(Bytes::ZERO)
}

impl Prepared {
    /// An interrupted run goes on with the drive or file that it was on, and a plan with that which it
    /// was begun on, not with another one to which the name leads now.
    fn check_same(&self) -> Result<(), LabError> {
        let Some(was) = &self.was else {
            return Ok(());
        };
        self.resolved
            .is_still(was)
            .map_err(|is| LabError::AnotherTarget {
                what: match (&self.earlier, self.step) {
                    (Some(earlier), _) => format!("run {}", earlier.id),
                    (None, Some(step)) => format!("plan {}", step.plan),
                    (None, None) => "the run".to_owned(),
                },
                target: self.request.target.clone(),
                was: was.words(),
                is,
            })
    }

    /// The same, where the target is still what it was; refused when it runs, where it is not.
    pub fn still_on(self, was: Option<On>) -> Prepared {
        Prepared { was, ..self }
    }

    /// The same, with a trace of all that it does written into a file.
    #[must_use]
    pub fn record_to(self, to: RecordTo) -> Prepared {
        Prepared {
            record_to: Some(to),
            ..self
        }
    }

    /// The same as a step of a plan.
    pub fn in_plan(self, step: PlanStep) -> Prepared {
        Prepared {
            step: Some(step),
            ..self
        }
    }

    /// Runs it (or what is left of it), and stores the result where there is a store.
    ///
    /// # Errors
    /// Where the target cannot be opened, or is not the one that an interrupted run was on, or where
    /// the run ends early; what was measured is stored.
    pub fn run(
        self,
        store: Option<&Store>,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<RunResult, LabError> {
        self.run_on(None, store, progress, interrupt)
    }

    /// The same on a modelled drive that `carry` has from the run before, and keeps for the next one.
    pub fn run_on(
        self,
        mut carry: Option<&mut Carry>,
        store: Option<&Store>,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<RunResult, LabError> {
        self.check_same()?;
        if let Some(line) = &self.said {
            progress.say(line);
        }
        let on = self.resolved.seen().map(|seen| On::Seen(Box::new(seen)));
        let shares_drive = store
            .and_then(|s| store::device_of(s.path()).ok())
            .zip(lies_on(&self.resolved));
        let disturbed = Disturbed::before(&self.resolved);
        // Zones are no longer as the phases that are stored have found them: what was written cannot be written again.
        let in_zones = self.resolved.zones().is_some() && !self.forecast.written.is_empty();
        let mut health = HealthWatch::before(&self.resolved);
        let (systems, is_a_model) = (self.resolved.file_systems(), self.resolved.is_a_model());
        let class = self.resolved.class();
        let open = |resolved: ResolvedTarget, forecast: &Forecast| {
            let (scale, consent) = (self.request.scale, &self.request.consent);
            resolved.open(forecast, scale, consent, interrupt)
        };
        // A drive that is carried from run to run begins as its name says.
        let reads_as_found = self.forecast.reads_as_found && carry.is_none();
        let over = match reads_as_found {
            true => self.resolved.written_over()?,
            false => None,
        };
        let is_written_over = over.is_some();
        let resolved = over.unwrap_or(self.resolved);
        let opened = match carry.as_mut().and_then(|carry| carry.take()) {
            Some((drive, after)) => resolved.carried_over(drive, &after)?,
            None => {
                if is_a_model {
                    progress.building(&self.request.target);
                }
                open(resolved, &self.forecast)?
            }
        };
        let recorder = self.record_to.as_ref().map(Recorder::begin).transpose()?;
        let began_unix_ms = match &self.earlier {
            Some(earlier) => earlier.began_unix_ms,
            None => (self.request.now_unix_ms)(),
        };
        let (run, stored) = match (store, self.earlier) {
            (None, _) => (None, Vec::new()),
            (Some(store), None) => (
                Some(begin(store, &self.request, &self.settings, on, self.step)?),
                Vec::new(),
            ),
            (Some(store), Some(Earlier { id, .. })) => {
                let (run, phases) = store.resume(id)?;
                progress.say(&goes_on(id, phases.len(), opened.resumable, in_zones));
                (Some(run), phases)
            }
        };
        let stored: HashMap<String, StoredPhase> =
            stored.into_iter().map(|p| (p.name.clone(), p)).collect();
        let Opened {
            mut drive,
            info,
            mut record,
            remarks,
            warnings,
            resumable,
            unwritten,
        } = opened;
        let as_published = self.settings.scale == Scale::Full && self.settings.is_unchanged();
        record.known_misses = known_misses(
            &self.request.target.parse()?,
            self.method.card().id,
            as_published,
        );
        let resumable = resumable && !in_zones;
        for remark in &remarks {
            progress.say(remark);
        }
        health.opened(&drive);
        let presence = match &drive {
            Drive::Real(real) => Presence::of(&Root::new("/"), real.file()),
            Drive::Model(_) => None,
        };
        let forecast = self.method.forecast(&self.settings, &info);
        let expected = expected(&forecast, class);
        let make = |spec: &Spec, seed| {
            let resolved = resolve(&spec.to_string(), &self.request.consent, seed)?;
            open(resolved, &forecast)
        };
        let mut bench = LabBench {
            drive: &mut drive,
            info,
            // What a resume would measure again is in the result alone.
            store: run.as_ref().filter(|_| resumable),
            stored: if resumable { stored } else { HashMap::new() },
            phases: Vec::new(),
            kept: 0,
            progress,
            interrupt: interrupt.clone(),
            target: &record.title,
            method: [self.method.card().title, self.method.card().title_ja],
            expected: self.request.repeat.time(expected),
            spent: Duration::ZERO,
            unwritten: unwritten && forecast.reads_as_found,
            health: &mut health,
            prefix: String::new(),
            seed: self.request.seed,
            inputs: InputFiles(self.settings.inputs.clone()),
            recorder,
            file_systems: systems,
            made_again: MadeAgain {
                spec: self.request.target.parse()?,
                make: is_a_model.then_some(&make),
            },
            presence,
            rests: Rests::default(),
            is_file: record.identity.contains_key("file system"),
            asks_model: self.method.card().on_models != OnModels::Same,
        };
        let carries = carry.is_some();
        let renew = |seed| {
            // A drive that is carried over is the same one in every repeat, too.
            if carries {
                return Ok(None);
            }
            let again = resolve(&self.request.target, &self.request.consent, seed)?;
            let over = match is_written_over {
                true => again.written_over()?,
                false => None,
            };
            Ok(Some(open(over.unwrap_or(again), &forecast)?.drive))
        };
        let rule = self.request.repeat;
        let ended = repeating::run(self.method, &self.settings, rule, &mut bench, &renew);
        let phases = std::mem::take(&mut bench.phases);
        let recorded = bench.recorder.take().map(Recorder::end).transpose();
        let card = self.method.card();
        let busy = disturbed.as_ref().and_then(Disturbed::warning);
        let mut result = RunResult {
            schema: RESULT_SCHEMA.to_owned(),
            id: run.as_ref().map_or(0, |r| r.id().0),
            label: None,
            method: card.id.to_owned(),
            method_title: card.title.to_owned(),
            method_title_ja: card.title_ja.to_owned(),
            method_version: card.version,
            scale: self.settings.scale,
            stands_beside_published: as_published,
            settings: self.settings,
            began_unix_ms: if matches!(drive, Drive::Real(_)) {
                began_unix_ms
            } else {
                0
            },
            target: record,
            environment: Environment {
                activity: disturbed.map(Disturbed::over),
                ..environment_of(&drive, &self.request.command)
            },
            figures: Vec::new(),
            charts: Vec::new(),
            phases,
            notes: is_written_over
                .then(|| Message::of("note-written-over"))
                .into_iter()
                .collect(),
            warnings: busy.into_iter().chain(warnings).collect(),
            messages: Vec::new(),
            ended: RunEnd::Complete,
            health_before: None,
            health_after: None,
            health_during: Vec::new(),
            change_points: Vec::new(),
            repeats: None,
        };
        health.end(&drive, &mut result);
        warn(
            &mut result,
            &drive,
            shares_drive.is_some_and(|(a, b)| a == b),
            run.as_ref(),
        );
        if let Some(carry) = carry {
            carry.keep(drive, card.id);
        }
        let recorded = recorded.map(|said| result.warnings.extend(said.into_iter().flatten()));
        let result = end(result, ended, run, resumable)?;
        recorded.map(|()| result)
    }
}

/// How long the run will take, where most of that is known.
fn expected(forecast: &Forecast, class: DriveClass) -> Option<Duration> {
    let seconds = how_long::of_forecast(forecast, class).seconds;
    let known = forecast.takes.known().as_secs_f64();
    (seconds > 0.0 && known >= 0.5 * seconds).then(|| Duration::from_secs_f64(seconds))
}

fn begin(
    store: &Store,
    request: &Request,
    checked: &Settings,
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

fn goes_on(id: RunId, phases: usize, resumable: bool, in_zones: bool) -> Message {
    let run = Argument::text(id);
    match (resumable, phases) {
        (true, _) if in_zones => Message::new("restarting-zones", [("run", run)]),
        (false, _) => Message::new("restarting-file", [("run", run)]),
        (true, 1) => Message::new("resuming-run-one", [("run", run)]),
        (true, n) => Message::new("resuming-run", [("run", run), ("phases", n.into())]),
    }
}

/// A modelled drive's result does not depend on the machine that simulated it.
fn environment_of(drive: &Drive, command: &[String]) -> Environment {
    let mut environment = environment(Path::new("/"), command);
    if matches!(drive, Drive::Model(_)) {
        environment.host.clear();
    }
    environment
}

/// Stores the result, or says why there is only a part of one.
fn end(
    mut result: RunResult,
    ended: Result<(MethodOutput, Option<Repeats>), Stopped>,
    run: Option<store::Run>,
    resumable: bool,
) -> Result<RunResult, LabError> {
    match ended {
        Ok((output, repeats)) => {
            result.repeats = repeats;
            take(&mut result, output);
            change_points::mark(&mut result);
            result.gather_messages();
            let Some(run) = run else {
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
            let result = Box::new(result);
            Err(LabError::NotStored {
                why: Box::new(why),
                id,
                resumable,
                result,
            })
        }
        Err(why) => {
            result.gather_messages();
            let is_gone = matches!(why, Stopped::Gone { .. });
            if is_gone {
                result.ended = RunEnd::Early(why.to_string());
            }
            let Some(run) = run else {
                let result = Box::new(result);
                return Err(match is_gone {
                    true => LabError::WentAway { why, result },
                    false => LabError::Stopped(why),
                });
            };
            let id = run.id().0;
            match &why {
                // Left open, so that it can go on.
                Stopped::Interrupted | Stopped::Broken { .. } => drop(run),
                Stopped::Gone { .. } => {
                    run.went_away(&why.to_string(), &document(&result)?)?;
                }
                _ => run.fail(&why.to_string())?,
            }
            let goes_on = matches!(
                why,
                Stopped::Interrupted | Stopped::Gone { .. } | Stopped::Broken { .. }
            );
            let resumable = resumable && goes_on;
            Err(LabError::Ended { why, id, resumable })
        }
    }
}

fn document(result: &RunResult) -> Result<String, LabError> {
    serde_json::to_string(result).map_err(|e| LabError::Document {
        id: result.id,
        what: "result",
        why: e.to_string(),
    })
}
