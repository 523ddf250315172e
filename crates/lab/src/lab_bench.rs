//! The bench that methods run on: runs phases on the opened target and stores them as they complete.
//!
//! A phase that is already in the store is returned from there; an interrupted scan resumes at its address. So resuming
//! a run means running its method again. This holds for real drives only: a modelled one has no state between
//! processes, and is simply run again from the beginning.

use base::bench::{Files, ModelledDrive};
use base::errno;
use base::health::Health;
use base::input::{Inputs, Reader};
use base::record::{Ended, REPEAT};
use base::run::{Jobs, Part, PhaseInput};
use base::zone::Zoned;
use base::{
    Bench, Bytes, Duration, Info, Interrupt, Job, Message, MethodOutput, Op, Order, PhaseRecord,
    Span, Stop, Stopped, Target, Workload,
};
use inspect::Presence;

use crate::error::LabError;
use crate::execute::{Beside, Phase, execute, execute_jobs};
use crate::health_watch::HealthWatch;
use crate::inputs::InputFiles;
use crate::made_again::{MadeAgain, switched_on};
use crate::progress::Progress;
use crate::recording::Recorder;
use targets::Drive;
use targets::grammar::Spec;

mod hung;
mod kept_phases;
mod rests;
mod watching;

use hung::Hung;
use kept_phases::Earlier;
pub(crate) use kept_phases::KeptPhases;
use rests::Rests;
use watching::PhaseWatcher;

/// Interval of progress updates, of storing progress, and of polling for a stop during a real run.
const LOOK_REAL: Duration = Duration::from_millis(100);
/// The same for a modelled drive, in its own time; it costs microseconds.
const LOOK_MODEL: Duration = Duration::from_secs(1);

/// One run's bench.
pub(crate) struct LabBench<'a> {
    /// What the phases run on.
    pub(crate) on: UnderTest<'a>,
    /// The phases so far, and their store.
    pub(crate) kept: KeptPhases<'a>,
    /// Who watches the run.
    pub(crate) shown: Shown<'a>,
    /// Looks at the drive's health between phases.
    pub(crate) health: &'a mut HealthWatch,
    /// What the run is recorded by.
    pub(crate) recorder: Option<Recorder>,
    /// Rests that a real drive is still owed.
    pub(crate) rests: Rests,
    /// The files that settings name.
    pub(crate) inputs: InputFiles,
    /// Stands in front of the names of all phases: `repeat 2: `.
    pub(crate) prefix: String,
}

/// The target of a run.
pub(crate) struct UnderTest<'a> {
    pub(crate) drive: &'a mut Drive,
    pub(crate) info: Info,
    /// True for a test file that has not been written yet, and that the method reads as it is.
    pub(crate) unwritten: bool,
    /// The seed of the current drive.
    pub(crate) seed: u64,
    /// The file systems available for a test file; none for a bare drive.
    pub(crate) file_systems: Vec<String>,
    /// Makes a modelled drive again.
    pub(crate) made_again: MadeAgain<'a>,
    /// How a real drive was when it was opened.
    pub(crate) presence: Option<Presence>,
    /// Whether the target is a file on a file system, and no drive.
    pub(crate) is_file: bool,
    /// Whether the method's card declares that it uses operations of modelled drives.
    pub(crate) asks_model: bool,
}

/// Who watches a run, and how far it is.
pub(crate) struct Shown<'a> {
    pub(crate) progress: &'a mut dyn Progress,
    pub(crate) interrupt: Interrupt,
    pub(crate) target: &'a str,
    pub(crate) method: [&'a str; 2],
    /// The method's own forecast of its time on the target.
    pub(crate) expected: Option<Duration>,
    /// Time of the phases that are over.
    pub(crate) spent: Duration,
}

impl<'a> LabBench<'a> {
    /// A bench before the first phase.
    pub(crate) fn new(
        on: UnderTest<'a>,
        kept: KeptPhases<'a>,
        shown: Shown<'a>,
        (health, inputs): (&'a mut HealthWatch, InputFiles),
    ) -> LabBench<'a> {
        LabBench {
            on,
            kept,
            shown,
            health,
            recorder: None,
            rests: Rests::default(),
            inputs,
            prefix: String::new(),
        }
    }
}

impl Bench for LabBench<'_> {
    fn info(&self) -> Info {
        self.on.info
    }

    fn whole(&self) -> Message {
        match self.on.is_file {
            true => Span::first(self.on.info.capacity).said(),
            false => Message::of("span-whole"),
        }
    }

    fn checks_labels(&self) -> bool {
        self.on.made_again.spec.checks_labels()
    }

    fn run_phase(&mut self, name: &str, input: PhaseInput<'_>) -> Result<&PhaseRecord, Stopped> {
        let name = &format!("{}{name}", self.prefix);
        if self.shown.interrupt.wanted() {
            return Err(Stopped::Interrupted);
        }
        let work = input.workload();
        if std::mem::take(&mut self.on.unwritten) && work.jobs.iter().any(Job::reads) {
            self.fill(work.seed)?;
        }
        let record = match self.kept.earlier(name, &work)? {
            Earlier::Whole(record) => {
                // The rest before it has been taken.
                self.rests.forget();
                *record
            }
            Earlier::Part(record) => self.resume(name, &work, *record)?,
            Earlier::Nothing => self.run(name, &work, None, input)?,
        };
        self.over(name, record)
    }

    fn jobs(&mut self, jobs: &dyn Jobs) -> Result<(), Stopped> {
        if self.shown.interrupt.wanted() {
            return Err(Stopped::Interrupted);
        }
        let work = jobs.workload(None);
        if std::mem::take(&mut self.on.unwritten) {
            self.fill(work.seed)?;
        }
        let checked = work.check(&self.on.info);
        checked.map_err(|why| Stopped::Unrunnable {
            phase: "jobs".to_owned(),
            why,
        })?;
        let records = self.watched(&work, None, |drive, watcher, recorder, rings| {
            execute_jobs(drive, jobs, watcher, recorder, rings)
        })?;
        let mut stopped = Ok(());
        for mut record in records {
            record.name.insert_str(0, &self.prefix);
            let name = record.name.clone();
            let over = self.over(&name, record).map(|_| ());
            stopped = stopped.and(over);
        }
        stopped
    }

    fn input(&mut self, key: &str) -> Result<Reader, Stopped> {
        Ok(self.inputs.open(key)?)
    }

    fn idle(&mut self, _: &str, time: Duration) -> Result<(), Stopped> {
        if let Drive::Model(model) = self.on.drive {
            rest_of_model(model.as_mut(), time, &self.shown.interrupt)?;
        } else {
            self.rests.ask(time);
            if self.kept.stored.is_empty() {
                self.rest()?;
            }
        }
        self.shown.spent += time;
        Ok(())
    }

    fn so_far(&mut self, output: &MethodOutput) {
        // The first of several repeats is the result's.
        if self.prefix.is_empty() {
            self.kept.so_far = output.clone();
        }
    }

    fn files(&mut self) -> Option<&mut dyn Files> {
        let any = !self.on.file_systems.is_empty();
        any.then_some(self as &mut dyn Files)
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        match self.on.drive {
            Drive::Model(model) => model.zoned(),
            Drive::Real(real) => real.is_zoned().then_some(real.as_mut() as &mut dyn Zoned),
        }
    }

    fn health(&mut self) -> Option<Health> {
        self.health.now(self.on.drive)
    }

    fn model(&mut self) -> Option<&mut dyn ModelledDrive> {
        let modelled = matches!(self.on.drive, Drive::Model(_));
        (modelled && self.on.asks_model).then_some(self as &mut dyn ModelledDrive)
    }
}

impl ModelledDrive for LabBench<'_> {
    fn keep_contents(&mut self) -> Result<bool, Stopped> {
        match self.on.made_again.spec.keeping_contents() {
            Some(spec) => self.become_drive(spec),
            None => Ok(false),
        }
    }

    fn power_cut(&mut self) -> bool {
        match self.on.drive {
            Drive::Model(model) => model.power_cut(),
            Drive::Real(_) => false,
        }
    }

    fn switch_on(&mut self, celsius: Option<i32>) -> Result<bool, Stopped> {
        let again = &self.on.made_again;
        let spec = |celsius| switched_on(&again.spec, celsius, again.written);
        let (cold, warm) = (spec(celsius), spec(None));
        if matches!(cold, Spec::Null { .. }) {
            return Ok(false);
        }
        // A drive that knows of no cold refuses the state: it begins anew all the same, as in the other scans.
        match self.become_drive(cold) {
            Ok(switched) => Ok(switched),
            Err(_) => self.become_drive(warm).map(|_| false),
        }
    }
}

impl LabBench<'_> {
    /// Keeps the record of a phase that has ended, and hands it to the method.
    fn over(&mut self, name: &str, record: PhaseRecord) -> Result<&PhaseRecord, Stopped> {
        self.health.phase_ended(self.on.drive);
        let ended = record.ended;
        if matches!(ended, Ended::Gone(_) | Ended::Broken(_)) {
            self.kept.store_part(&record);
        }
        self.shown.spent += record.took;
        self.kept.phases.push(record);
        if matches!(ended, Ended::Complete | Ended::Running) {
            self.kept.store_all(self.shown.progress);
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
            Ended::Complete => Ok(&self.kept.phases[self.kept.phases.len() - 1]),
        }
    }

    /// The error of the I/O that detected it, and the system's view of the drive now.
    fn how_gone(&self, errno: i32) -> String {
        let seen = match (&*self.on.drive, &self.on.presence) {
            (Drive::Real(real), Some(presence)) => presence.lost(real.file()),
            _ => None,
        };
        seen.unwrap_or_else(|| errno::in_words(errno))
    }
}

impl LabBench<'_> {
    /// Replaces the current drive by that of another name. False for a real drive.
    ///
    /// # Errors
    /// [`Stopped::Failed`] where there is no such drive.
    pub(crate) fn become_drive(&mut self, spec: Spec) -> Result<bool, Stopped> {
        let Some(make) = self.on.made_again.make else {
            return Ok(false);
        };
        self.shown.progress.building(&spec.to_string());
        let opened = make(&spec, self.on.seed).map_err(|e| Stopped::Failed(e.to_string()))?;
        if !self.kept.phases.is_empty() {
            self.health.drive_ends(self.on.drive);
        }
        *self.on.drive = opened.drive;
        self.on.info = opened.info;
        self.on.made_again.spec = spec;
        Ok(true)
    }
}

/// Events of a modelled drive's idle time between two polls for a stop.
const EVENTS: u32 = 4_096;

/// Idles a modelled drive, in its own time.
///
/// # Errors
/// If a stop was requested: the drive's activity in a long idle time may take long to simulate.
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

impl LabBench<'_> {
    /// Begins the next repeat: its phases have their own names, and it may have another drive.
    pub(crate) fn repeat(
        &mut self,
        number: u32,
        seed: u64,
        another: impl FnOnce(&Drive) -> Result<Option<Drive>, LabError>,
    ) -> Result<(), Stopped> {
        self.prefix = format!("{REPEAT}{number}: ");
        self.on.seed = seed;
        if matches!(self.on.drive, Drive::Model(_)) {
            self.shown.progress.building(self.shown.target);
        }
        if let Some(drive) = another(self.on.drive).map_err(|e| Stopped::Failed(e.to_string()))? {
            self.health.drive_ends(self.on.drive);
            *self.on.drive = drive;
        }
        Ok(())
    }

    /// The remainder of an interrupted scan.
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
        input
            .check(&self.on.info)
            .map_err(|why| Stopped::Unrunnable {
                phase: name.to_owned(),
                why,
            })?;
        let phase = Phase { name, work, input };
        let rest = self.watched(work, part.as_ref(), |drive, watcher, recorder, rings| {
            execute(drive, phase, watcher, recorder, rings)
        })?;
        Ok(match part {
            None => rest,
            Some(mut whole) => {
                whole.append(&rest);
                whole
            }
        })
    }

    /// Gives the drive to `go`, with a watcher who shows what happens and hands it to the store.
    fn watched<R>(
        &mut self,
        work: &Workload,
        part: Option<&PhaseRecord>,
        go: impl FnOnce(
            &mut Drive,
            &mut PhaseWatcher<'_, '_>,
            Option<&mut Recorder>,
            (&Interrupt, &Beside),
        ) -> Result<R, Stopped>,
    ) -> Result<R, Stopped> {
        let (beside, interrupt) = (Beside::default(), self.shown.interrupt.clone());
        let simulated = matches!(self.on.drive, Drive::Model(_));
        let mut watcher = PhaseWatcher {
            shown: &mut self.shown,
            store: self.kept.store,
            workload: serde_json::to_string(work).unwrap_or_default(),
            part,
            beside: &beside,
            every: if simulated { LOOK_MODEL } else { LOOK_REAL },
            hung: Hung::default(),
            simulated,
            health: self.health,
        };
        let recorder = self.recorder.as_mut();
        go(self.on.drive, &mut watcher, recorder, (&interrupt, &beside))
    }

    /// Writes a test file whose method begins with reads: the file system answers reads of unwritten blocks without
    /// accessing the drive.
    fn fill(&mut self, seed: u64) -> Result<(), Stopped> {
        let span = Span::first(self.on.info.capacity);
        let job = Job::closed("fill", Op::Write, Order::Sequential, span, Bytes::mib(1), 8);
        let stop = Stop::after_passes(1);
        let mut work = Workload::single(job, stop, seed);
        work.flush_at_end = true;
        self.phase("fill the test file", &work)?;
        Ok(())
    }

    /// Leaves a real drive idle for the requested time.
    fn rest(&mut self) -> Result<(), Stopped> {
        let rested = self
            .rests
            .take(&self.shown.interrupt, &mut std::thread::sleep)?;
        if let Some(recorder) = self.recorder.as_mut().filter(|_| !rested.is_zero()) {
            recorder.rest(rested);
        }
        Ok(())
    }
}
