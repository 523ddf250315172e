//! Scripts: I/Os that wait for others.
//!
//! A stream's I/Os never depend on completions; those of a file copy, of a boot or of an application
//! do: the next read is sent when the last one has come back and the host has worked on it. A script
//! is a list of steps. Each is an I/O, or work of the host alone, and begins when the earlier steps
//! that it waits for are complete and its own think time is over, with at most so many I/Os in
//! flight. A step can only wait for steps that are already in the list, so a script always ends.
//!
//! A script is made from a small seeded description by the method that plays it. Stored with the
//! result is not the list but a [`Workload`] that stands for it: span, sizes, shares, depth, and as
//! its seed a digest of all steps, by which a resumed run knows whether the script is the same.

use std::collections::BTreeMap;

use crate::io::{Fill, Io, Op};
use crate::rng::splitmix64;
use crate::size::Bytes;
use crate::target::Info;
use crate::time::Duration;
use crate::workload::{Access, Job, Keep, Look, Order, Pacing, Span, Stop, Unrunnable, Workload};

/// Sizes that the standing-in workload tells apart; a script with more is named by its largest.
const MOST_SIZES: usize = 16;

/// A step of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepId(pub(crate) u32);

/// What one step does, and what it waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// `None` for work of the host alone.
    pub(crate) io: Option<Io>,
    /// From the last completion that it waits for until it is sent (or, for the host's work, done).
    pub(crate) think: Duration,
    /// Where its list of earlier steps begins, and how long it is.
    after: (u32, u32),
    /// Whether the time of its completion is kept.
    pub(crate) mark: bool,
}

/// I/Os that wait for others.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    depth: u32,
    pub(crate) steps: Vec<Step>,
    after: Vec<u32>,
    fill: Fill,
}

impl Script {
    /// An empty script that keeps at most `depth` I/Os in flight (1 at least).
    pub fn new(name: &str, depth: u32) -> Script {
        Script {
            name: name.to_owned(),
            depth: depth.max(1),
            steps: Vec::new(),
            after: Vec::new(),
            fill: Fill::FRESH,
        }
    }

    /// What the job is called in the record.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Most I/Os in flight.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// True where there is no step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// An I/O that is sent `think` after the last of `after` is complete; at once, counted from the
    /// beginning, where it waits for none.
    ///
    /// # Panics
    /// Above 2^32 steps, or where `after` names a step of another script that this one does not have.
    pub fn io(&mut self, io: Io, think: Duration, after: &[StepId]) -> StepId {
        if io.op == Op::Write {
            self.fill = io.fill;
        }
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
    pub fn mark(&mut self, step: StepId) {
        self.steps[step.0 as usize].mark = true;
    }

    fn push(&mut self, io: Option<Io>, think: Duration, after: &[StepId]) -> StepId {
        let id = u32::try_from(self.steps.len()).expect("a script has fewer than 2^32 steps");
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

    /// All I/Os, in the order of the list.
    pub fn ios(&self) -> impl Iterator<Item = &Io> {
        self.steps.iter().filter_map(|step| step.io.as_ref())
    }

    /// The I/Os behind the last marked step of the list; all of them where none is marked.
    pub fn ios_after_mark(&self) -> impl Iterator<Item = &Io> {
        let mark = self.steps.iter().rposition(|step| step.mark);
        let from = mark.map_or(0, |mark| mark + 1);
        self.steps[from..]
            .iter()
            .filter_map(|step| step.io.as_ref())
    }

    /// Sum of the host's own work and of all think times, which may overlap with I/Os.
    pub fn host_time(&self) -> Duration {
        let nanos = |sum: u64, step: &Step| sum.saturating_add(step.think.as_nanos());
        Duration::from_nanos(self.steps.iter().fold(0, nanos))
    }

    /// Checks the script against a target before anything is issued.
    ///
    /// # Errors
    /// What cannot run there, in words.
    pub fn check(&self, on: &Info) -> Result<(), Unrunnable> {
        let job = || self.name.clone();
        if self.is_empty() {
            return Err(Unrunnable::NoAccesses { job: job() });
        }
        for io in self.ios().filter(|io| io.op != Op::Flush) {
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
        }
        Ok(())
    }

    /// What stands for the script in a record.
    pub fn workload(&self) -> Workload {
        let start = self.ios().map(|io| io.offset).min().unwrap_or(Bytes::ZERO);
        let end = self.ios().map(Io::end).max().unwrap_or(Bytes::ZERO);
        let job = Job {
            name: self.name.clone(),
            streams: 1,
            span: Span::new(start, end.saturating_sub(start)),
            order: Order::Random,
            accesses: self.accesses(),
            align: Bytes::SECTOR,
            shift: Bytes::ZERO,
            fill: self.fill,
            pacing: Pacing::Closed {
                depth: self.depth,
                think: Duration::ZERO,
                burst: 1,
            },
            flush_every: None,
        };
        Workload {
            jobs: vec![job],
            stop: Stop {
                ios: Some(self.ios().filter(|io| io.op != Op::Flush).count() as u64),
                look: Look::Always,
                ..Stop::default()
            },
            keep: Keep {
                series: Duration::from_millis(100),
                bins: None,
                interval: None,
            },
            flush_at_end: false,
            seed: self.digest(),
        }
    }

    fn accesses(&self) -> Vec<Access> {
        let mut sizes = BTreeMap::<Bytes, (u32, u32)>::new();
        for io in self.ios().filter(|io| io.op != Op::Flush) {
            let counted = sizes.entry(io.len).or_default();
            counted.0 += u32::from(io.op == Op::Read);
            counted.1 += 1;
        }
        if sizes.len() > MOST_SIZES {
            let all = sizes.values().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            sizes = sizes
                .keys()
                .next_back()
                .map(|most| (*most, all))
                .into_iter()
                .collect();
        }
        let access = |(size, (reads, all)): (Bytes, (u32, u32))| Access {
            weight: all,
            size,
            read_percent: (u64::from(reads) * 100 / u64::from(all.max(1))) as u8,
            trims: false,
        };
        sizes.into_iter().map(access).collect()
    }

    /// A number that another script has with a probability of 2^-64 only.
    fn digest(&self) -> u64 {
        let mut digest = splitmix64(u64::from(self.depth));
        let mut mix = |word: u64| digest = splitmix64(digest ^ word);
        for (i, step) in self.steps.iter().enumerate() {
            mix(step.think.as_nanos());
            if let Some(io) = &step.io {
                mix(io.op as u64 + 1);
                mix(io.offset.get());
                mix(io.len.get());
            }
            for after in self.after(i) {
                mix(u64::from(*after));
            }
        }
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
