//! The bench that methods run on: phases on the opened target, kept in the store as they go.
//!
//! A phase that the store already has is answered from there; a scan that was cut off goes on at its
//! address. So resuming a run is running its method again. That holds for real drives alone: a
//! modelled one has no state between processes, and is simply run again from the beginning.

use std::collections::HashMap;

use base::bench::{Bench, Files, ModelledDrive, Stopped};
use base::errno;
use base::health::Health;
use base::input::{Inputs, Reader};
use base::io::Op;
use base::message::{Argument, Message};
use base::record::{Ended, PhaseRecord};
use base::run::{Part, PhaseInput};
use base::size::Bytes;
use base::target::{Info, Target};
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};
use base::zone::Zoned;
use inspect::Presence;
use store::{Run, StoredPhase};

use crate::error::LabError;
use crate::execute::{Beside, Phase, execute};
use crate::grammar::Spec;
use crate::health_watch::HealthWatch;
use crate::inputs::InputFiles;
use crate::made_again::{MadeAgain, keeping_contents, switched_on};
use crate::opening::Drive;
use crate::progress::{Interrupt, Progress};
use crate::recording::Recorder;

mod hung;
mod rests;
mod watching;

use hung::Hung;
pub(crate) use rests::Rests;
use watching::PhaseWatcher;

/// How often a real run is looked at: shown, handed to the store, and asked whether to stop.
const LOOK_REAL: Duration = Duration::from_millis(100);
/// The same for a modelled drive, in its own time; it costs microseconds.
const LOOK_MODEL: Duration = Duration::from_secs(1);

/// One run's bench.
pub(crate) struct LabBench<'a> {
    pub(crate) drive: &'a mut Drive,
    pub(crate) info: Info,
    /// Where phases are kept as they go: none where a resume could not use them.
    pub(crate) store: Option<&'a Run>,
    /// What an interrupted run had stored, by phase.
    pub(crate) stored: HashMap<String, StoredPhase>,
    pub(crate) phases: Vec<PhaseRecord>,
    /// How many of them the store has.
    pub(crate) kept: usize,
    pub(crate) progress: &'a mut dyn Progress,
    pub(crate) interrupt: Interrupt,
    pub(crate) target: &'a str,
    pub(crate) method: [&'a str; 2],
    /// The method's own forecast of its time on the target.
    pub(crate) expected: Option<Duration>,
    /// Time of the phases that are over.
    pub(crate) spent: Duration,
    /// True for a test file of which no block was written yet.
    pub(crate) unwritten: bool,
    /// Looks at the drive's health between phases.
    pub(crate) health: &'a mut HealthWatch,
    /// Stands in front of the names of all phases: `repeat 2: `.
    pub(crate) prefix: String,
    /// The seed of the drive as it is now.
    pub(crate) seed: u64,
    /// The files that settings name.
    pub(crate) inputs: InputFiles,
    /// What the run is recorded by.
    pub(crate) recorder: Option<Recorder>,
    /// The file systems that a test file can lie on; none for a bare drive.
    pub(crate) file_systems: Vec<String>,
    /// Makes a modelled drive again.
    pub(crate) made_again: MadeAgain<'a>,
    /// How a real drive was when it was opened.
    pub(crate) presence: Option<Presence>,
    /// Rests that a real drive is still owed.
    pub(crate) rests: Rests,
    /// Whether the target is a file on a file system, and no drive.
    pub(crate) is_file: bool,
    /// Whether the method says on its card that it asks a modelled drive for more.
    pub(crate) asks_model: bool,
}

impl Bench for LabBench<'_> {
    fn info(&self) -> Info {
        self.info
    }

    fn whole(&self) -> String {
        match self.is_file {
            true => format!("{} from {}", self.info.capacity, Bytes::ZERO),
            false => "whole surface".to_owned(),
        }
    }

    fn run_phase(&mut self, name: &str, input: PhaseInput<'_>) -> Result<&PhaseRecord, Stopped> {
        let name = &format!("{}{name}", self.prefix);
        if self.interrupt.wanted() {
            return Err(Stopped::Interrupted);
        }
        let work = input.workload();
        if std::mem::take(&mut self.unwritten) && work.jobs.iter().any(Job::reads) {
            self.fill(work.seed)?;
        }
        let record = match self.stored_phase(name, &work)? {
            Earlier::Whole(record) => *record,
            Earlier::Part(record) => self.resume(name, &work, *record)?,
            Earlier::Nothing => self.run(name, &work, None, input)?,
        };
        self.over(name, record)
    }

    fn input(&mut self, key: &str) -> Result<Reader, Stopped> {
        Ok(self.inputs.open(key)?)
    }

    fn idle(&mut self, _: &str, time: Duration) -> Result<(), Stopped> {
        if let Drive::Model(model) = self.drive {
            rest_of_model(model.as_mut(), time, &self.interrupt)?;
        } else {
            self.rests.ask(time);
            if self.stored.is_empty() {
                self.rest()?;
            }
        }
        self.spent += time;
        Ok(())
    }

    fn files(&mut self) -> Option<&mut dyn Files> {
        let any = !self.file_systems.is_empty();
        any.then_some(self as &mut dyn Files)
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        match self.drive {
            Drive::Model(model) => model.zoned(),
            Drive::Real(real) => real.is_zoned().then_some(real.as_mut() as &mut dyn Zoned),
        }
    }

    fn model(&mut self) -> Option<&mut dyn ModelledDrive> {
        let modelled = matches!(self.drive, Drive::Model(_));
        (modelled && self.asks_model).then_some(self as &mut dyn ModelledDrive)
    }
}

impl ModelledDrive for LabBench<'_> {
    fn health(&mut self) -> Option<Health> {
        match self.drive {
            Drive::Model(model) => model.health(),
            Drive::Real(_) => None,
        }
    }

    fn keep_contents(&mut self) -> Result<bool, Stopped> {
        match keeping_contents(&self.made_again.spec) {
            Some(spec) => self.become_drive(spec),
            None => Ok(false),
        }
    }

    fn power_cut(&mut self) -> bool {
        match self.drive {
            Drive::Model(model) => model.power_cut(),
            Drive::Real(_) => false,
        }
    }

    fn switch_on(&mut self, celsius: Option<i32>) -> Result<bool, Stopped> {
        let spec = switched_on(&self.made_again.spec, celsius);
        if matches!(spec, Spec::Null { .. }) {
            return Ok(false);
        }
        // A drive that knows of no cold refuses the state.
        Ok(self.become_drive(spec).unwrap_or(false))
    }
}

impl LabBench<'_> {
    /// Keeps the record of a phase that has ended, and hands it to the method.
    fn over(&mut self, name: &str, record: PhaseRecord) -> Result<&PhaseRecord, Stopped> {
        self.health.phase_ended(self.drive);
        let ended = record.ended;
        if matches!(ended, Ended::Gone(_) | Ended::Broken(_)) {
            self.keep_part(&record);
        }
        self.spent += record.took;
        self.phases.push(record);
        if matches!(ended, Ended::Complete | Ended::Running) {
            self.keep();
        }
        match ended {
            Ended::Interrupted | Ended::Running => Err(Stopped::Interrupted),
            Ended::Gone(errno) => Err(Stopped::Gone {
                phase: name.to_owned(),
                how: self.how_gone(errno),
            }),
            Ended::Broken(errno) => Err(Stopped::Broken {
                phase: name.to_owned(),
                why: format!("io_uring: {}", errno::in_words(errno)),
            }),
            Ended::Complete => Ok(&self.phases[self.phases.len() - 1]),
        }
    }

    /// What the I/O said that found out, and what the system says of the drive now.
    fn how_gone(&self, errno: i32) -> String {
        let seen = match (&*self.drive, &self.presence) {
            (Drive::Real(real), Some(presence)) => presence.lost(real.file()),
            _ => None,
        };
        seen.unwrap_or_else(|| errno::in_words(errno))
    }
}

impl LabBench<'_> {
    /// Puts the drive of another name in the place of the present one. False for a real drive.
    ///
    /// # Errors
    /// [`Stopped::Failed`] where there is no such drive.
    pub(crate) fn become_drive(&mut self, spec: Spec) -> Result<bool, Stopped> {
        let Some(make) = self.made_again.make else {
            return Ok(false);
        };
        self.progress.building(&spec.to_string());
        let opened = make(&spec, self.seed).map_err(|e| Stopped::Failed(e.to_string()))?;
        if !self.phases.is_empty() {
            self.health.drive_ends(self.drive);
        }
        *self.drive = opened.drive;
        self.info = opened.info;
        self.made_again.spec = spec;
        Ok(true)
    }
}

/// Events of a modelled drive's rest between two questions whether to stop.
const EVENTS: u32 = 4_096;

/// Lets a modelled drive rest, in its own time.
///
/// # Errors
/// Where somebody wants to stop: what the drive does in a long rest may take long to simulate.
pub(crate) fn rest_of_model(
    model: &mut dyn Target,
    time: Duration,
    interrupt: &Interrupt,
) -> Result<(), Stopped> {
    let until = model.now().saturating_add(time);
    let mut events = 0_u32;
    while model.now() < until {
        events = events.wrapping_add(1);
        if events.is_multiple_of(EVENTS) && interrupt.wanted() {
            return Err(Stopped::Interrupted);
        }
        model.wait(Some(until), &mut Vec::new());
    }
    Ok(())
}

/// What the store already has of a phase.
enum Earlier {
    Nothing,
    Part(Box<PhaseRecord>),
    Whole(Box<PhaseRecord>),
}

impl LabBench<'_> {
    /// The next repeat begins: its phases have names of their own, and it may have another drive.
    pub(crate) fn repeat(
        &mut self,
        number: u32,
        seed: u64,
        another: impl FnOnce(&Drive) -> Result<Option<Drive>, LabError>,
    ) -> Result<(), Stopped> {
        self.prefix = format!("repeat {number}: ");
        self.seed = seed;
        if matches!(self.drive, Drive::Model(_)) {
            self.progress.building(self.target);
        }
        if let Some(drive) = another(self.drive).map_err(|e| Stopped::Failed(e.to_string()))? {
            self.health.drive_ends(self.drive);
            *self.drive = drive;
        }
        Ok(())
    }

    fn stored_phase(&mut self, name: &str, work: &Workload) -> Result<Earlier, Stopped> {
        let Some(stored) = self.stored.remove(name) else {
            return Ok(Earlier::Nothing);
        };
        let unreadable = |why: serde_json::Error| {
            Stopped::Store(format!("the stored phase '{name}' cannot be read: {why}"))
        };
        let same = serde_json::from_str::<Workload>(&stored.workload).is_ok_and(|w| w == *work);
        if !same {
            return Ok(Earlier::Nothing);
        }
        let record: PhaseRecord = serde_json::from_str(&stored.record).map_err(unreadable)?;
        Ok(match (stored.done, record.done_below) {
            (true, _) => {
                // The rest before it has been taken.
                self.rests.forget();
                Earlier::Whole(Box::new(record))
            }
            (false, Some(_)) if work.stop.passes == Some(1) => Earlier::Part(Box::new(record)),
            _ => Earlier::Nothing,
        })
    }

    /// The rest of a scan that was cut off.
    fn resume(
        &mut self,
        name: &str,
        work: &Workload,
        mut part: PhaseRecord,
    ) -> Result<PhaseRecord, Stopped> {
        if let Some(at) = part.done_below {
            part.forget_errors_from(at);
        }
        if part
            .done_below
            .is_some_and(|at| at >= work.jobs[0].span.end())
        {
            part.ended = Ended::Complete;
            return Ok(part);
        }
        let from = Part {
            from: part.done_below,
            share: None,
        };
        self.run(name, work, Some(part), PhaseInput::Streams(work, from))
    }

    fn run(
        &mut self,
        name: &str,
        work: &Workload,
        part: Option<PhaseRecord>,
        input: PhaseInput<'_>,
    ) -> Result<PhaseRecord, Stopped> {
        self.rest()?;
        input.check(&self.info).map_err(|why| Stopped::Unrunnable {
            phase: name.to_owned(),
            why,
        })?;
        let beside = Beside::default();
        let mut watcher = PhaseWatcher {
            progress: self.progress,
            interrupt: &self.interrupt,
            store: self.store,
            workload: serde_json::to_string(work).unwrap_or_default(),
            part: part.as_ref(),
            target: self.target,
            method: self.method,
            expected: self.expected,
            spent: self.spent,
            beside: &beside,
            every: if matches!(self.drive, Drive::Real(_)) {
                LOOK_REAL
            } else {
                LOOK_MODEL
            },
            hung: Hung::default(),
            simulated: matches!(self.drive, Drive::Model(_)),
        };
        let phase = Phase { name, work, input };
        let rings = (&self.interrupt, &beside);
        let rest = execute(
            self.drive,
            phase,
            &mut watcher,
            self.recorder.as_mut(),
            rings,
        )?;
        Ok(match part {
            None => rest,
            Some(mut whole) => {
                whole.append(&rest);
                whole
            }
        })
    }

    /// Writes a test file whose method begins with reading: the file system answers reads of blocks
    /// that were never written without asking the drive.
    fn fill(&mut self, seed: u64) -> Result<(), Stopped> {
        let span = Span::first(self.info.capacity);
        let job = Job::closed("fill", Op::Write, Order::Sequential, span, Bytes::mib(1), 8);
        let stop = Stop {
            passes: Some(1),
            ..Stop::default()
        };
        let mut work = Workload::single(job, stop, seed);
        work.flush_at_end = true;
        self.phase("fill the test file", &work)?;
        Ok(())
    }

    /// Stores the phases that the store does not have yet. One that takes none (its disk is full) is no
    /// reason to stop measuring: it is said once, and the store is asked again after the next phase.
    fn keep(&mut self) {
        let Some(run) = self.store else { return };
        while let Some(record) = self.phases.get(self.kept) {
            if let Err(why) = store_phase(run, record) {
                if self.kept + 1 == self.phases.len() {
                    let phase = &record.name;
                    self.progress.say(&Message::new(
                        "phase-not-stored",
                        [
                            ("phase", Argument::Phase(phase.clone())),
                            ("why", Argument::text(why)),
                        ],
                    ));
                }
                return;
            }
            self.kept += 1;
        }
    }

    /// Keeps a phase that was cut off as what was measured so far, so that a scan can go on there.
    fn keep_part(&self, record: &PhaseRecord) {
        if let Some(run) = self.store {
            let workload = serde_json::to_string(&record.workload).unwrap_or_default();
            let so_far = record.clone();
            let document = move || serde_json::to_string(&so_far).unwrap_or_default();
            run.phase_progress(&record.name, &workload, document);
        }
    }

    /// Leaves a real drive alone for as long as was asked.
    fn rest(&mut self) -> Result<(), Stopped> {
        let rested = self.rests.take(&self.interrupt, &mut std::thread::sleep)?;
        if let Some(recorder) = self.recorder.as_mut().filter(|_| !rested.is_zero()) {
            recorder.rest(rested);
        }
        Ok(())
    }
}

fn store_phase(run: &Run, record: &PhaseRecord) -> Result<(), String> {
    let text = |value: serde_json::Result<String>| value.map_err(|e| e.to_string());
    let workload = text(serde_json::to_string(&record.workload))?;
    let document = text(serde_json::to_string(record))?;
    run.phase_done(&record.name, &workload, &document)
        .map_err(|e| e.to_string())
}
