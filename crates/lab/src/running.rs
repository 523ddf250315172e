//! One run: from a request to a stored result, in four steps.
//!
//! Names are resolved, and write permission is decided ([`prepare`]); the drive is opened, and filled if its method
//! reads unwritten blocks (`begun`); the method measures (`measured`); the result is stored (`kept`). A method of the
//! catalogue and the jobs of another program's file ([`prepare_work`]) take the same path.

use base::method::Kind;
use base::{Bytes, Forecast, Info, Interrupt, Message, Method, Scale, Setting, Settings};
use results::RunResult;
use stats::repeat::Repeat;
use store::{PlanStep, RunId, Store};

use crate::carry::Carry;
use crate::error::LabError;
use crate::inputs::{self, InputFiles};
use crate::progress::Progress;
use crate::recording::RecordTo;
use targets::{Consent, On, ResolvedTarget, resolve};

mod begun;
mod disturbed;
mod dry_run;
mod failures;
mod kept;
mod measured;
mod output;
mod stored;
mod suits;

pub use failures::nothing_measured;
pub(crate) use stored::{headline, serial_of};
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

impl Request {
    /// One run with the settings of its scale, which may overwrite nothing, and of whose command line and time there is
    /// no record.
    pub fn new(
        method: impl Into<String>,
        target: impl Into<String>,
        scale: Scale,
        seed: u64,
    ) -> Request {
        Request {
            method: method.into(),
            target: target.into(),
            scale,
            seed,
            repeat: Repeat::default(),
            set: Vec::new(),
            consent: Consent::default(),
            command: Vec::new(),
            now_unix_ms: || 0,
        }
    }
}

/// A request whose words are all valid: its cost can be forecast.
pub struct Prepared<'m> {
    /// The method, or the jobs of a file.
    pub method: &'m dyn Method,
    pub settings: Settings,
    pub resolved: ResolvedTarget,
    /// What the run will take.
    pub forecast: Forecast,
    request: Request,
    /// The interrupted run to resume.
    earlier: Option<Earlier>,
    /// The target that the run or plan was on, which it must still be.
    was: Option<On>,
    /// Messages before it runs.
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
/// Unknown names, malformed settings, a target that is too small, a write that was not allowed.
pub fn prepare(request: Request) -> Result<Prepared<'static>, LabError> {
    let method = method(&request.method)?;
    let settings = Settings::new(method.card(), request.scale, request.seed, &request.set)?;
    prepare_work(method, settings, request)
}

/// The same for work that is no method of the catalogue, with its own settings.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_work<'m>(
    method: &'m dyn Method,
    mut settings: Settings,
    request: Request,
) -> Result<Prepared<'m>, LabError> {
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
    resolved.check_consent(&request.method, &forecast, &request.consent)?;
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

/// An I/O size set by the user must be a multiple of the target's block size.
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

/// The largest part of the target that a setting of the user requests. A method uses the whole of a target that is
/// smaller than its own default; for an explicit size it is an error.
fn largest_given(method: &dyn Method, settings: &Settings) -> Bytes {
    let of_target = |card: &&Setting| matches!(card.kind, Kind::SizeOrWhole { .. });
    let cards = method.card().settings.iter().filter(of_target);
    let given = cards.filter(|card| settings.given.iter().any(|key| key == card.key));
    given
        .map(|card| settings.size_or_whole(card.key, Bytes::ZERO))
        .max()
        .unwrap_or(Bytes::ZERO)
}

impl<'m> Prepared<'m> {
    /// An interrupted run resumes on its own drive or file, and a plan on the one that it was begun on, even if the
    /// name now refers to another one.
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

    /// The same, if the target is unchanged; otherwise it is refused when it runs.
    pub fn still_on(self, was: Option<On>) -> Prepared<'m> {
        Prepared { was, ..self }
    }

    /// The same, with a trace of all that it does written into a file.
    #[must_use]
    pub fn record_to(self, to: RecordTo) -> Prepared<'m> {
        Prepared {
            record_to: Some(to),
            ..self
        }
    }

    /// The same as a step of a plan.
    pub fn in_plan(self, step: PlanStep) -> Prepared<'m> {
        Prepared {
            step: Some(step),
            ..self
        }
    }

    /// Runs it (or the remainder), and stores the result if there is a store.
    ///
    /// # Errors
    /// If the target cannot be opened, or is not the one of the interrupted run, or if the run ends early; what was
    /// measured is stored.
    pub fn run(
        self,
        store: Option<&Store>,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<RunResult, LabError> {
        self.run_on(None, store, progress, interrupt)
    }

    /// The same on a modelled drive that `carry` has from the previous run, and keeps for the next one.
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
        let mut begun = self.begin(carry.as_deref_mut(), store, progress, interrupt)?;
        let measured = begun.measure(progress, interrupt)?;
        begun.keep(measured, carry)
    }
}
