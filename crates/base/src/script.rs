//! Scripts: I/Os that wait for others.
//!
//! A stream's I/Os never depend on completions; those of a file copy, a boot or an application do: the next read is
//! sent when the previous one has completed and the host has worked on it. A script is a list of steps. Each is an I/O,
//! or pure host work, and begins when the earlier steps that it waits for are complete and its think time is over, with
//! a limited number of I/Os in flight. A step can only wait for earlier steps, so a script always ends.
//!
//! A script is generated from a small seeded description by the method that runs it. The result stores not the list but
//! a [`Workload`] that represents it: span, sizes, shares, depth, and as its seed a digest of all steps, by which a
//! resumed run knows whether the script is the same.
//!
//! The list for a copy of a terabyte would take gigabytes: such a script *unfolds* ([`Unfold`]), block by block while
//! it runs, and finished steps are dropped.

use crate::io::{Io, Op};
use crate::target::Info;
use crate::time::Duration;
use crate::workload::{Span, Unrunnable, Workload};

mod unfolding;
mod whole;

pub use unfolding::Unfold;
use unfolding::Unfolding;
pub(crate) use whole::Whole;

/// A step of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepId(pub(crate) u32);

/// The action of a step, and what it waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// `None` for work of the host alone.
    pub(crate) io: Option<Io>,
    /// From the last completion that it waits for until it is sent (or, for the host's work, done).
    pub(crate) think: Duration,
    /// Where its list of earlier steps begins, and how long it is.
    after: (u32, u32),
    /// Whether its completion time is kept.
    pub(crate) mark: bool,
}

/// I/Os that wait for others.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    depth: u32,
    pub(crate) steps: Vec<Step>,
    after: Vec<u32>,
    /// Steps before those of the list.
    handed_over: u32,
    unfolding: Option<Unfolding>,
    pub(crate) keeps_trail: bool,
    pub(crate) most_time: Option<Duration>,
}

impl Script {
    /// An empty script that keeps at most `depth` I/Os in flight (at least 1).
    pub fn new(name: &str, depth: u32) -> Script {
        Script {
            name: name.to_owned(),
            depth: depth.max(1),
            steps: Vec::new(),
            after: Vec::new(),
            handed_over: 0,
            unfolding: None,
            keeps_trail: false,
            most_time: None,
        }
    }

    /// Keeps every I/O by itself, as many as a [`Trail`](crate::record::Trail) has room for.
    #[must_use]
    pub fn keeping_trail(mut self) -> Script {
        self.keeps_trail = true;
        self
    }

    /// Sends nothing more after so long.
    #[must_use]
    pub fn for_at_most(mut self, time: Duration) -> Script {
        self.most_time = Some(time);
        self
    }

    /// A script whose steps `make` begins to make each time that they are wanted: they are never all in
    /// memory. They must be the same each time.
    pub fn unfolding(
        name: &str,
        depth: u32,
        make: impl Fn() -> Box<dyn Unfold> + Send + Sync + 'static,
    ) -> Script {
        let mut script = Script::new(name, depth);
        script.unfolding = Some(Unfolding::new(make));
        let whole = Whole::of(&script);
        if let Some(unfolding) = &mut script.unfolding {
            unfolding.whole = whole;
        }
        script
    }

    /// What the job is called in the record.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Most I/Os in flight.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// An I/O that is sent `think` after the last of `after` is complete; at once, counted from the
    /// beginning, where it waits for none.
    ///
    /// # Panics
    /// Above 2^32 steps, or where `after` names a step of another script that this one does not have.
    pub fn io(&mut self, io: Io, think: Duration, after: &[StepId]) -> StepId {
        self.push(Some(io), think, after)
    }

    /// Work of the host that takes `time` from when the last of `after` is complete.
    ///
    /// # Panics
    /// As [`Script::io`].
    pub fn host(&mut self, time: Duration, after: &[StepId]) -> StepId {
        self.push(None, time, after)
    }

    /// Keeps the time at which a step is complete: [`crate::record::ScriptRecord::marks`], in the
    /// order of completion.
    ///
    /// # Panics
    /// Where the step was made in an earlier turn of a script that unfolds.
    pub fn mark(&mut self, step: StepId) {
        let at = step.0.checked_sub(self.handed_over);
        let at = at.expect("a step is marked before the next ones are made");
        self.steps[at as usize].mark = true;
    }

    fn push(&mut self, io: Option<Io>, think: Duration, after: &[StepId]) -> StepId {
        let id = u32::try_from(self.steps.len())
            .ok()
            .and_then(|steps| steps.checked_add(self.handed_over))
            .expect("a script has fewer than 2^32 steps");
        assert!(
            after.iter().all(|step| step.0 < id),
            "a step waits for earlier steps only"
        );
        let from = self.after.len() as u32;
        self.after.extend(after.iter().map(|step| step.0));
        self.steps.push(Step {
            io,
            think,
            after: (from, after.len() as u32),
            mark: false,
        });
        StepId(id)
    }

    /// The steps that a step waits for.
    pub(crate) fn after(&self, step: usize) -> &[u32] {
        let (from, count) = self.steps[step].after;
        &self.after[from as usize..(from + count) as usize]
    }

    /// Every step with those that it waits for, in order; of a script that unfolds made anew.
    pub(crate) fn each(&self, mut seen: impl FnMut(&Step, &[u32])) {
        let mut all = |part: &Script| {
            for (step, i) in part.steps.iter().zip(0..) {
                seen(step, part.after(i));
            }
        };
        let Some(unfolding) = &self.unfolding else {
            return all(self);
        };
        let mut unfold = unfolding.begin();
        let mut part = Script::new(&self.name, self.depth);
        loop {
            let more = unfold.more(&mut part);
            all(&part);
            part.hand_over();
            if !more {
                return;
            }
        }
    }

    /// The steps that it has were taken: it is empty, and numbers the next ones as if they were there.
    pub(crate) fn hand_over(&mut self) {
        self.handed_over += self.steps.len() as u32;
        self.steps.clear();
        self.after.clear();
    }

    /// Begins to make the steps, where it unfolds.
    pub(crate) fn begin(&self) -> Option<Box<dyn Unfold>> {
        self.unfolding.as_ref().map(Unfolding::begin)
    }

    /// All I/Os, in order.
    pub fn each_io(&self, mut seen: impl FnMut(&Io)) {
        self.each(|step, _| step.io.iter().for_each(&mut seen));
    }

    /// All I/Os of a list, in its order; none of a script that unfolds.
    pub fn ios(&self) -> impl Iterator<Item = &Io> {
        self.steps.iter().filter_map(|step| step.io.as_ref())
    }

    /// The I/Os after the last marked step of the list; all of them if none is marked.
    pub fn ios_after_mark(&self) -> impl Iterator<Item = &Io> {
        let mark = self.steps.iter().rposition(|step| step.mark);
        let from = mark.map_or(0, |mark| mark + 1);
        self.steps[from..]
            .iter()
            .filter_map(|step| step.io.as_ref())
    }

    /// What all steps are together.
    pub(crate) fn whole(&self) -> Whole {
        match &self.unfolding {
            Some(unfolding) => unfolding.whole.clone(),
            None => Whole::of(self),
        }
    }

    /// Checks the script against a target before anything is issued.
    ///
    /// # Errors
    /// What cannot run there, in words.
    pub fn check(&self, on: &Info) -> Result<(), Unrunnable> {
        if self.whole().steps == 0 {
            return Err(Unrunnable::NoAccesses {
                job: self.name.clone(),
            });
        }
        let mut checked = Ok(());
        self.each_io(|io| {
            if checked.is_ok() && io.op != Op::Flush {
                checked = self.check_one(io, on);
            }
        });
        checked
    }

    fn check_one(&self, io: &Io, on: &Info) -> Result<(), Unrunnable> {
        let job = || self.name.clone();
        if io.op != Op::Read && !on.writable {
            return Err(Unrunnable::ReadOnly { job: job() });
        }
        let unaligned = !io.offset.is_multiple_of(on.block) || !io.len.is_multiple_of(on.block);
        if io.len.is_zero() || unaligned {
            return Err(Unrunnable::Unaligned {
                job: job(),
                block: on.block,
            });
        }
        if io.offset.saturating_add(io.len) > on.capacity {
            return Err(Unrunnable::Outside {
                job: job(),
                span: Span::new(io.offset, io.len),
                capacity: on.capacity,
            });
        }
        Ok(())
    }

    /// The workload that represents the script in a record.
    pub fn workload(&self) -> Workload {
        self.whole().workload(&self.name, self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::Bytes;

    fn info() -> Info {
        Info {
            capacity: Bytes::mib(1),
            block: Bytes::SECTOR,
            max_in_flight: 32,
            writable: true,
        }
    }

    #[test]
    fn a_script_that_does_not_fit_the_target_is_refused_in_words() {
        let with = |io| {
            let mut script = Script::new("s", 1);
            script.io(io, Duration::ZERO, &[]);
            script
        };
        let outside = with(Io::read(Bytes::mib(1), Bytes::kib(4)));
        assert!(matches!(
            outside.check(&info()),
            Err(Unrunnable::Outside { .. })
        ));
        let unaligned = with(Io::read(Bytes::new(100), Bytes::kib(4)));
        assert!(matches!(
            unaligned.check(&info()),
            Err(Unrunnable::Unaligned { .. })
        ));
        let writing = with(Io::write(Bytes::ZERO, Bytes::kib(4), 1));
        let read_only = Info {
            writable: false,
            ..info()
        };
        assert!(matches!(
            writing.check(&read_only),
            Err(Unrunnable::ReadOnly { .. })
        ));
        assert!(writing.check(&info()).is_ok());
        assert!(Script::new("s", 1).check(&info()).is_err());
    }

    #[test]
    fn what_stands_for_a_script_tells_it_from_any_other() {
        let script = |think, wait: bool| {
            let mut script = Script::new("s", 2);
            let first = script.io(Io::read(Bytes::kib(64), Bytes::kib(4)), Duration::ZERO, &[]);
            let after: &[StepId] = if wait { &[first] } else { &[] };
            script.io(Io::write(Bytes::ZERO, Bytes::kib(8), 1), think, after);
            script.workload()
        };
        let us = Duration::from_micros;
        let work = script(us(5), true);
        assert_eq!(work, script(us(5), true));
        assert_ne!(work.seed, script(us(6), true).seed);
        assert_ne!(work.seed, script(us(5), false).seed);
        assert_eq!(work.jobs[0].span, Span::first(Bytes::kib(68)));
        assert_eq!(work.jobs[0].largest(), Bytes::kib(8));
        assert!(work.writes() && work.check(&info()).is_ok());
    }
}
