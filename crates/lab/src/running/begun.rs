//! The second step of a run: the drive is opened, what an interrupted run had is there, and the run has its row in the
//! store.

use std::collections::HashMap;

use base::method::{Forecast, Method, Scale, Settings};
use base::target::Info;
use inspect::{Presence, Root};
use results::TargetRecord;
use store::{Store, StoredPhase};

use super::disturbed::Disturbed;
use super::stored::{begin, goes_on};
use super::{Earlier, Prepared, Request};
use crate::carry::Carry;
use crate::compared::known_misses;
use crate::error::LabError;
use crate::grammar::Spec;
use crate::health_watch::HealthWatch;
use crate::opening::{Consent, Drive, DriveClass, On, Opened, ResolvedTarget, lies_on, resolve};
use crate::progress::{Interrupt, Progress};
use crate::recording::Recorder;

/// A run whose drive is open.
pub(super) struct Begun<'m> {
    pub(super) method: &'m dyn Method,
    pub(super) settings: Settings,
    pub(super) request: Request,
    pub(super) drive: Drive,
    pub(super) info: Info,
    pub(super) record: TargetRecord,
    /// What limits every result on the target.
    pub(super) warnings: Vec<String>,
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
    /// The drive goes from run to run.
    pub(super) is_carried: bool,
    /// The drive was taken as written over, since the method reads what it has not written.
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

/// Opens targets for one run: the one that it was asked for, and a modelled drive again.
pub(super) struct Opener<'a> {
    pub(super) scale: Scale,
    pub(super) consent: &'a Consent,
    pub(super) interrupt: &'a Interrupt,
}

impl Opener<'_> {
    fn open(&self, resolved: ResolvedTarget, forecast: &Forecast) -> Result<Opened, LabError> {
        resolved.open(forecast, self.scale, self.consent, self.interrupt)
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

impl<'m> Prepared<'m> {
    pub(super) fn begin(
        self,
        carry: Option<&mut Carry>,
        store: Option<&Store>,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<Begun<'m>, LabError> {
        let on = self.resolved.seen().map(|seen| On::Seen(Box::new(seen)));
        // Zones are no longer as the phases that are stored have found them: what was written cannot be written again.
        let in_zones = self.resolved.zones().is_some() && !self.forecast.written.is_empty();
        let mut health = HealthWatch::before(&self.resolved);
        let mut around = Around::before(&self.resolved, store, carry.is_some());
        let opener = Opener {
            scale: self.request.scale,
            consent: &self.request.consent,
            interrupt,
        };
        // A drive that is carried from run to run begins as its name says.
        let over = match self.forecast.reads_as_found && !around.is_carried {
            true => self.resolved.written_over()?,
            false => None,
        };
        around.is_written_over = over.is_some();
        let resolved = over.unwrap_or(self.resolved);
        let mut opened = match carry.and_then(Carry::take) {
            Some((drive, after)) => resolved.carried_over(drive, &after)?,
            None => {
                if around.is_a_model {
                    progress.building(&self.request.target);
                }
                opener.open(resolved, &self.forecast)?
            }
        };
        opened.resumable &= self.method.alike().is_none();
        let recorder = self.record_to.as_ref().map(Recorder::begin).transpose()?;
        let (run, stored) = match (store, &self.earlier) {
            (None, _) => (None, Vec::new()),
            (Some(store), None) => {
                let run = begin(
                    store,
                    &self.request,
                    (self.method, &self.settings),
                    on,
                    self.step,
                );
                (Some(run?), Vec::new())
            }
            (Some(store), Some(Earlier { id, .. })) => {
                let (run, phases) = store.resume(*id)?;
                progress.say(&goes_on(*id, phases.len(), opened.resumable, in_zones));
                (Some(run), phases)
            }
        };
        let began_unix_ms = match &self.earlier {
            Some(earlier) => earlier.began_unix_ms,
            None => (self.request.now_unix_ms)(),
        };
        opened
            .remarks
            .iter()
            .for_each(|remark| progress.say(remark));
        health.opened(&opened.drive);
        around.presence = match &opened.drive {
            Drive::Real(real) => Presence::of(&Root::new("/"), real.file()),
            Drive::Model(_) => None,
        };
        let as_published = self.settings.scale == Scale::Full && self.settings.is_unchanged();
        opened.record.known_misses = known_misses(
            &self.request.target.parse()?,
            self.method.card().id,
            as_published,
        );
        let forecast = self.method.forecast(&self.settings, &opened.info);
        let resumable = opened.resumable && !in_zones;
        let row = Row {
            run,
            stored: match resumable {
                true => stored.into_iter().map(|p| (p.name.clone(), p)).collect(),
                false => HashMap::new(),
            },
            began_unix_ms,
            resumable,
        };
        Ok(Begun {
            method: self.method,
            settings: self.settings,
            request: self.request,
            drive: opened.drive,
            info: opened.info,
            record: opened.record,
            warnings: opened.warnings,
            unwritten: opened.unwritten && forecast.reads_as_found,
            forecast,
            around,
            health,
            recorder,
            row,
        })
    }
}

impl Around {
    fn before(resolved: &ResolvedTarget, store: Option<&Store>, is_carried: bool) -> Around {
        let devices = store
            .and_then(|s| store::device_of(s.path()).ok())
            .zip(lies_on(resolved));
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
