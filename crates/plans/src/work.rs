//! Working through a plan: its steps one after another, or its targets side by side.
//!
//! Each step is an ordinary run, stored under the plan's number. So to resume a plan, steps with results are read from
//! the store, an interrupted step resumes by its phases, and the others begin. A modelled drive that is carried over
//! has no state between processes: its history is simulated again, without being stored, before its next step.
//!
//! A step that ends without a result does not end the plan; a drive that disappeared is skipped until the plan is
//! resumed: then its step continues where the drive was lost. Between steps the store is checkpointed, so that not even
//! a loss of power loses a finished step.

use std::collections::BTreeMap;
use std::sync::Mutex;

use base::side_by_side::{held, side_by_side};
use base::{Argument, Duration, Interrupt, Message, Stopped};
use inspect::Seen;
use results::{RunEnd, RunResult};
use store::{PlanId, PlanStep, PlanUnderWay, RunId, RunState, Store, StoredStep, Which};

use super::causes::{self, Answering};
use super::context::Context;
use super::outcome::{Done, outcome_of};
use super::prepared::PreparedPlan;
use super::{Plan, Step};
use crate::error::PlanError;
use lab::LabError;
use lab::carry::Carry;
use lab::progress::{Progress, RunOfMany, Silent, Standing};
use lab::running::{prepare, prepare_again, stored_result};
use results::plan::{Between, PlanForecast, PlanOutcome};
use targets::{On, name_now};

/// Polling interval for stop requests during idle time.
const LOOK: std::time::Duration = std::time::Duration::from_millis(50);

impl PreparedPlan {
    /// Runs the remaining steps of the plan, and asks its questions for causes.
    ///
    /// # Errors
    /// An interrupt, a store error; what was measured is stored, and the plan can be resumed. That a step has no result
    /// is part of the outcome.
    pub fn work(
        self,
        store: &Store,
        under_way: PlanUnderWay,
        answering: Answering<'_>,
        progress: &mut (dyn Progress + Send),
        interrupt: &Interrupt,
    ) -> Result<PlanOutcome, PlanError> {
        let id = under_way.id();
        let schedule = self.plan.schedule();
        let begun = store.steps(id)?;
        if !begun.is_empty() {
            progress.say(&resuming(id, &begun, schedule.len()));
        }
        let work = Work {
            plan: &self.plan,
            context: &self.context,
            seen: &self.seen,
            id,
            begun: begun.into_iter().map(|step| (step.number, step)).collect(),
            steps: schedule.len(),
            interrupt,
            forecast: &self.forecast,
        };
        let done = work.all(&schedule, store, progress);
        let done = match done {
            Err(error) if is_interrupt(&error) => {
                return Err(PlanError::Interrupted {
                    id: id.0,
                    done: finished_of(&store.steps(id)?),
                    steps: schedule.len(),
                });
            }
            other => other?,
        };
        let mut outcome = outcome_of(&self.plan, id, Some(self.forecast), done, &self.seen);
        outcome.causes = causes::answered(&self.plan, answering, progress, interrupt);
        if interrupt.wanted() && !self.plan.causes.is_empty() {
            // All steps are stored: a resumed plan asks its questions again.
            return Err(PlanError::Interrupted {
                id: id.0,
                done: schedule.len() - outcome.without_result(),
                steps: schedule.len(),
            });
        }
        under_way.end(outcome.without_result() == 0)?;
        Ok(outcome)
    }
}

fn finished_of(steps: &[StoredStep]) -> usize {
    let finished = steps.iter().filter(|s| s.state == RunState::Finished);
    finished.count()
}

fn resuming(id: PlanId, begun: &[StoredStep], steps: usize) -> Message {
    let done = finished_of(begun).into();
    let places = [
        ("plan", Argument::text(id)),
        ("done", done),
        ("steps", steps.into()),
    ];
    Message::new("resuming-plan", places)
}

fn is_interrupt(error: &LabError) -> bool {
    matches!(
        error,
        LabError::Stopped(Stopped::Interrupted)
            | LabError::Ended {
                why: Stopped::Interrupted,
                ..
            }
    )
}

/// What all threads share.
struct Work<'a> {
    plan: &'a Plan,
    context: &'a Context,
    /// What each target is.
    seen: &'a [Option<Seen>],
    id: PlanId,
    /// Steps that were begun before.
    begun: BTreeMap<u32, StoredStep>,
    /// How many there are.
    steps: usize,
    interrupt: &'a Interrupt,
    /// What the steps will take.
    forecast: &'a PlanForecast,
}

/// The drives of one thread.
#[derive(Default)]
struct Drives {
    /// Modelled drives that go from step to step, by target.
    carried: BTreeMap<usize, Carry>,
    /// Targets that take no part any more, and why.
    out: BTreeMap<usize, String>,
}

impl Work<'_> {
    fn all(
        &self,
        schedule: &[Step],
        store: &Store,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Vec<(Step, Done)>, LabError> {
        if self.plan.at_once == 1 {
            return self.one_after_another(schedule, store, progress);
        }
        let lanes = |real: bool| -> Result<Vec<Vec<Step>>, LabError> {
            let mut lanes: BTreeMap<usize, Vec<Step>> = BTreeMap::new();
            for step in schedule {
                if self.is_real(*step)? == real {
                    lanes.entry(step.target).or_default().push(*step);
                }
            }
            Ok(lanes.into_values().collect())
        };
        let (models, real) = (lanes(false)?, lanes(true)?);
        let progress = Mutex::new(progress);
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let at_most = |most: usize| match self.plan.at_once {
            0 => most,
            asked => asked.min(most),
        };
        let mut done = self.side_by_side(&models, at_most(processors), store, &progress)?;
        done.extend(self.side_by_side(&real, at_most(real.len()), store, &progress)?);
        Ok(done)
    }

    fn is_real(&self, step: Step) -> Result<bool, LabError> {
        let request = self.plan.request(step, self.context);
        Ok(!prepare(request)?.resolved.is_a_model())
    }

    fn side_by_side(
        &self,
        lanes: &[Vec<Step>],
        threads: usize,
        store: &Store,
        progress: &Mutex<&mut (dyn Progress + Send)>,
    ) -> Result<Vec<(Step, Done)>, LabError> {
        let path = store.path();
        let lane = |steps: &Vec<Step>| {
            // A connection belongs to one thread.
            let store = Store::open(path)?;
            self.one_after_another(steps, &store, &mut Shared(progress))
        };
        let all = side_by_side(lanes, threads, lane, &|_, _| ());
        let mut done = Vec::new();
        for lane in all {
            done.extend(lane?);
        }
        store.rest()?;
        Ok(done)
    }

    fn one_after_another(
        &self,
        steps: &[Step],
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<(Step, Done)>, LabError> {
        let mut drives = Drives::default();
        let mut done = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            LabError::not_interrupted(self.interrupt)?;
            let what = self.step(*step, &steps[..at], &mut drives, store, progress)?;
            if let Done::WentAway(_, why) | Done::Failed(why) | Done::Skipped(why) = &what {
                progress.say(&self.without_result(*step, why));
            }
            done.push((*step, what));
            store.rest()?;
        }
        Ok(done)
    }

    fn named(&self, step: Step) -> Message {
        Message::new("progress-step", self.places(step))
    }

    fn places(&self, step: Step) -> [(&'static str, Argument); 4] {
        let method = &self.plan.steps[step.method].method;
        [
            ("number", step.number.into()),
            ("steps", self.steps.into()),
            ("method", method.into()),
            ("target", (&self.plan.targets[step.target].name).into()),
        ]
    }

    fn without_result(&self, step: Step, why: &str) -> Message {
        let [number, steps, method, target] = self.places(step);
        let places = [number, steps, method, target, ("why", why.into())];
        Message::new("progress-step-without", places)
    }

    /// The index of the step, and the cost of the steps after it.
    fn of_many(&self, step: Step) -> RunOfMany<'_> {
        let target = &self.plan.targets[step.target].name;
        let is_real = |name: &str| {
            let of = self.forecast.targets.iter().find(|t| t.target == name);
            of.is_some_and(|target| target.real)
        };
        let is_finished = |number| {
            let begun = self.begun.get(&number);
            begun.is_some_and(|begun| begun.state == RunState::Finished)
        };
        let steps = self.forecast.steps.iter();
        let behind = steps.filter(|one| one.step > step.number && !is_finished(one.step));
        let (real, simulated): (Vec<_>, Vec<_>) = behind.partition(|one| is_real(&one.target));
        RunOfMany {
            number: step.number,
            of: self.steps,
            method: &self.plan.steps[step.method].method,
            target,
            simulated: !is_real(target),
            real_left: Duration::from_secs_f64(real.iter().map(|one| one.seconds).sum()),
            simulated_left: simulated.len(),
        }
    }

    /// Works at a step; `before` are those that this thread has been through.
    fn step(
        &self,
        step: Step,
        before: &[Step],
        drives: &mut Drives,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Done, LabError> {
        let begun = self.begun.get(&step.number);
        if let Some(begun) = begun.filter(|begun| begun.state == RunState::Finished) {
            let result = stored_result(store, Which::Id(begun.run))?;
            return Ok(finished(step, result, drives));
        }
        if let Some(why) = drives.out.get(&step.target) {
            return Ok(Done::Skipped(why.clone()));
        }
        progress.say(&self.named(step));
        progress.begins(&self.of_many(step));
        self.bring_up(step, before, drives)?;
        let carry = drives.carried.get_mut(&step.target);
        let run = self.run(step, begun, carry, store, progress);
        match run {
            Ok(result) => Ok(finished(step, result, drives)),
            Err(error) if is_interrupt(&error) => Err(error),
            Err(error @ (LabError::Store(_) | LabError::NotStored { .. })) => Err(error),
            Err(LabError::Ended {
                why: why @ Stopped::Gone { .. },
                id,
                ..
            }) => {
                let why = format!("{why} as run {id}; resuming the plan tries again");
                drives.out.insert(step.target, why.clone());
                let result = stored_result(store, Which::Id(RunId(id)))?;
                Ok(Done::WentAway(Box::new(result), why))
            }
            Err(error) => {
                if let LabError::TargetNotFound { .. } = error {
                    drives.out.insert(step.target, error.to_string());
                }
                Ok(Done::Failed(error.to_string()))
            }
        }
    }

    fn run(
        &self,
        step: Step,
        begun: Option<&StoredStep>,
        carry: Option<&mut Carry>,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<RunResult, LabError> {
        let mut request = self.plan.request(step, self.context);
        let seen = self.seen.get(step.target).cloned().flatten();
        if let Some(seen) = &seen {
            request.target = name_now(&request.target, seen).map_err(|why| {
                let what = format!("plan {}", self.id);
                LabError::TargetNotFound { what, why }
            })?;
        }
        let prepared = match begun {
            None => prepare(request)?
                .in_plan(PlanStep {
                    plan: self.id,
                    number: step.number,
                })
                .still_on(seen.map(|seen| On::Seen(Box::new(seen)))),
            Some(begun) => prepare_again(
                store,
                Which::Id(begun.run),
                request.consent,
                request.command,
                request.now_unix_ms,
            )?,
        };
        if begun.is_none() && step.number > 1 && !prepared.resolved.is_a_model() {
            pause(self.plan.steps[step.method].rest, self.interrupt)?;
        }
        prepared.run_on(carry, Some(store), progress, self.interrupt)
    }

    /// Brings a carried-over modelled drive to its state before the step: its history, then idle time; what another
    /// process had simulated is simulated again.
    fn bring_up(&self, step: Step, before: &[Step], drives: &mut Drives) -> Result<(), LabError> {
        if self.plan.state != Between::CarriedOver {
            return Ok(());
        }
        let carry = drives.carried.entry(step.target).or_default();
        if !carry.has_drive() {
            for earlier in before.iter().filter(|s| s.target == step.target) {
                carry.rest(self.plan.steps[earlier.method].rest, self.interrupt)?;
                let request = self.plan.request(*earlier, self.context);
                // One that failed then fails again, and leaves the same drive.
                let _ = prepare(request).and_then(|prepared| {
                    prepared.run_on(Some(&mut *carry), None, &mut Silent, self.interrupt)
                });
            }
        }
        carry.rest(self.plan.steps[step.method].rest, self.interrupt)?;
        Ok(())
    }
}

/// A result; of a drive that went away only a part, and it takes no part any more.
fn finished(step: Step, result: RunResult, drives: &mut Drives) -> Done {
    if result.ended == RunEnd::Complete {
        return Done::Finished(Box::new(result));
    }
    let why = format!("{}; what was measured is run {}", result.ended, result.id);
    drives.out.insert(step.target, why.clone());
    Done::WentAway(Box::new(result), why)
}

/// Waits, unless a stop is requested.
fn pause(time: Duration, interrupt: &Interrupt) -> Result<(), LabError> {
    let mut left = std::time::Duration::from_nanos(time.as_nanos());
    while !left.is_zero() {
        LabError::not_interrupted(interrupt)?;
        let now = left.min(LOOK);
        std::thread::sleep(now);
        left -= now;
    }
    Ok(())
}

/// One progress for several threads.
struct Shared<'a, 'b>(&'a Mutex<&'b mut (dyn Progress + Send)>);

impl Progress for Shared<'_, '_> {
    fn show(&mut self, standing: &Standing<'_>) {
        held(self.0).show(standing);
    }

    fn begins(&mut self, run: &RunOfMany<'_>) {
        held(self.0).begins(run);
    }

    fn building(&mut self, target: &str) {
        held(self.0).building(target);
    }

    fn say(&mut self, said: &Message) {
        held(self.0).say(said);
    }
}
