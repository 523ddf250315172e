//! The second step of a run: the drive is opened, what an interrupted run had is there, and the run has its row in the
//! store.

use std::collections::HashMap;

use base::{Forecast, Info, Interrupt, Message, Method, Scale, Settings};
use inspect::{Presence, Root};
use results::TargetRecord;
use store::{PlanStep, RunId, Store, StoredPhase};

use super::disturbed::Disturbed;
use super::stored::{begin, goes_on};
use super::{Earlier, Prepared, Request};
use crate::carry::Carry;
use crate::error::LabError;
use crate::health_watch::HealthWatch;
use crate::progress::Progress;
use crate::recording::Recorder;
use targets::compared::known_misses;
use targets::grammar::Spec;
use targets::{Consent, Drive, DriveClass, On, Opened, ResolvedTarget, lies_on, resolve};

/// A run whose drive is open.
pub(super) struct Begun<'m> {
    pub(super) method: &'m dyn Method,
    pub(super) settings: Settings,
    pub(super) request: Request,
    pub(super) drive: Drive,
    pub(super) info: Info,
    pub(super) record: TargetRecord,
    /// What limits every result on the target.
    pub(super) warnings: Vec<Message>,
    pub(super) unwritten: bool,
    /// What the run will take on the drive as it was opened.
    pub(super) forecast: Forecast,
    pub(super) around: Around,
    pub(super) health: HealthWatch,
    pub(super) recorder: Option<Recorder>,
    pub(super) row: Row,
}

/// What was found around the target before it was opened.
pub(super) struct Around {
    pub(super) disturbed: Option<Disturbed>,
    pub(super) presence: Option<Presence>,
    pub(super) file_systems: Vec<String>,
    pub(super) class: DriveClass,
    pub(super) shares_drive_with_store: bool,
    pub(super) is_a_model: bool,
    /// The drive is passed from run to run.
    pub(super) is_carried: bool,
    /// The drive was taken as preconditioned, since the method reads blocks that it has not written.
    pub(super) is_written_over: bool,
}

/// The run in the store.
pub(super) struct Row {
    pub(super) run: Option<store::Run>,
    /// What an interrupted run had stored, by phase.
    pub(super) stored: HashMap<String, StoredPhase>,
    pub(super) began_unix_ms: u64,
    pub(super) resumable: bool,
}

/// Opens targets for one run: the requested one, and a modelled drive again.
pub(super) struct Opener<'a> {
    scale: Scale,
    consent: &'a Consent,
    interrupt: &'a Interrupt,
    /// The method's name.
    work: &'a str,
}

impl<'a> Opener<'a> {
    pub(super) fn of(request: &'a Request, interrupt: &'a Interrupt) -> Opener<'a> {
        Opener {
            scale: request.scale,
            consent: &request.consent,
            interrupt,
            work: &request.method,
        }
    }

    fn open(&self, resolved: ResolvedTarget, forecast: &Forecast) -> Result<Opened, LabError> {
        let admitted = resolved.admit(self.work, forecast, self.consent)?;
        Ok(admitted.open(self.scale, self.interrupt)?)
    }

    /// A modelled drive from a name and a seed.
    pub(super) fn again(
        &self,
        spec: &Spec,
        seed: u64,
        forecast: &Forecast,
        written_over: bool,
    ) -> Result<Opened, LabError> {
        let again = resolve(&spec.to_string(), self.consent, seed)?;
        let over = match written_over {
            true => again.written_over()?,
            false => None,
        };
        self.open(over.unwrap_or(again), forecast)
    }
}

/// The request without its target.
struct Asked<'m> {
    method: &'m dyn Method,
    settings: Settings,
    request: Request,
    forecast: Forecast,
    earlier: Option<Earlier>,
    step: Option<PlanStep>,
}

impl<'m> Prepared<'m> {
    pub(super) fn begin(
        self,
        carry: Option<&mut Carry>,
        store: Option<&Store>,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<Begun<'m>, LabError> {
        let resolved = self.resolved;
        let asked = Asked {
            method: self.method,
            settings: self.settings,
            request: self.request,
            forecast: self.forecast,
            earlier: self.earlier,
            step: self.step,
        };
        // Zones are no longer as the phases that are stored have found them: what was written cannot be written again.
        let in_zones = resolved.zones().is_some() && !asked.forecast.written.is_empty();
        let on = resolved.seen().map(|seen| On::Seen(Box::new(seen)));
        let mut health = HealthWatch::before(&resolved);
        let mut around = Around::before(&resolved, store, carry.is_some());
        // A drive that is carried from run to run begins as its name says.
        let over = match asked.forecast.reads_as_found && !around.is_carried {
            true => resolved.written_over()?,
            false => None,
        };
        around.is_written_over = over.is_some();
        let opened = asked.open(over.unwrap_or(resolved), carry, progress, interrupt)?;
        let recorder = self.record_to.as_ref().map(Recorder::begin).transpose()?;
        let resumable = opened.resumable && asked.method.alike().is_none();
        if asked.method.alike().is_some() && around.is_a_model {
            // What the jobs' own output does not say.
            let record = &opened.record;
            let places = [
                ("drive", record.title.clone().into()),
                ("state", (&record.state).into()),
            ];
            progress.say(&Message::new("modelled-drive", places));
        }
        let row = asked.row(store, on, resumable && !in_zones, |id, phases| {
            progress.say(&goes_on(id, phases, resumable, in_zones));
        })?;
        let said = opened.remarks.iter();
        said.for_each(|remark| progress.say(remark));
        health.opened(&opened.drive);
        if let Drive::Real(real) = &opened.drive {
            around.presence = Presence::of(&Root::new("/"), real.file());
        }
        asked.begun(opened, around, health, recorder, row)
    }
}

impl<'m> Asked<'m> {
    /// The drive, opened, or as the run before has left it.
    fn open(
        &self,
        resolved: ResolvedTarget,
        carry: Option<&mut Carry>,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<Opened, LabError> {
        if let Some((drive, after)) = carry.and_then(Carry::take) {
            return Ok(resolved.carried_over(drive, &after)?);
        }
        if resolved.is_a_model() {
            progress.building(&self.request.target);
        }
        let opener = Opener::of(&self.request, interrupt);
        opener.open(resolved, &self.forecast)
    }

    /// All of it together.
    fn begun(
        self,
        opened: Opened,
        around: Around,
        health: HealthWatch,
        recorder: Option<Recorder>,
        row: Row,
    ) -> Result<Begun<'m>, LabError> {
        let as_published = self.settings.scale == Scale::Full && self.settings.is_unchanged();
        let mut record = opened.record;
        let named = self.request.target.parse()?;
        record.known_misses = known_misses(&named, self.method.card().id, as_published);
        let forecast = self.method.forecast(&self.settings, &opened.info);
        Ok(Begun {
            method: self.method,
            settings: self.settings,
            request: self.request,
            drive: opened.drive,
            info: opened.info,
            record,
            warnings: opened.warnings,
            unwritten: opened.unwritten && forecast.reads_as_found,
            forecast,
            around,
            health,
            recorder,
            row,
        })
    }

    /// The run's row in the store: a new one, or that of the resumed run.
    fn row(
        &self,
        store: Option<&Store>,
        on: Option<On>,
        resumable: bool,
        goes_on: impl FnOnce(RunId, usize),
    ) -> Result<Row, LabError> {
        let (run, phases) = match (store, &self.earlier) {
            (None, _) => (None, Vec::new()),
            (Some(store), None) => {
                let work = (self.method, &self.settings);
                let run = begin(store, &self.request, work, on, self.step)?;
                (Some(run), Vec::new())
            }
            (Some(store), Some(Earlier { id, .. })) => {
                let (run, phases) = store.resume(*id)?;
                goes_on(*id, phases.len());
                (Some(run), phases)
            }
        };
        let named = phases.into_iter().map(|phase| (phase.name.clone(), phase));
        Ok(Row {
            run,
            stored: named.filter(|_| resumable).collect(),
            began_unix_ms: match &self.earlier {
                Some(earlier) => earlier.began_unix_ms,
                None => (self.request.now_unix_ms)(),
            },
            resumable,
        })
    }
}

impl Around {
    fn before(resolved: &ResolvedTarget, store: Option<&Store>, is_carried: bool) -> Around {
        let device = |path| store::device_of(path).ok();
        let devices = store
            .and_then(|store| device(store.path()))
            .zip(lies_on(resolved).and_then(device));
        Around {
            shares_drive_with_store: devices.is_some_and(|(a, b)| a == b),
            disturbed: Disturbed::before(resolved),
            presence: None,
            file_systems: resolved.file_systems(),
            class: resolved.class(),
            is_a_model: resolved.is_a_model(),
            is_carried,
            is_written_over: false,
        }
    }
}
