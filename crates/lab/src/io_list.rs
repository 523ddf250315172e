//! I/Os from memory on a modelled drive, with the time of each: what a script over a simulator wants.
//!
//! The method `replay` reads a trace from a file and keeps distributions. Here the I/Os are a list in memory, and each
//! gets its own times back. Both go through the same loop, with the same data for the same seed, so the same I/Os have the
//! same times. The drive is always a modelled one: lists are made by programs, and nobody has consented to anything.

use base::run::{Live, PhaseInput, Replay, ReplayPace, Verdict, Watcher, run_phase};
use base::target::{Busy, Done, Outcome, Tag};
use base::trace::{Moment, Source, Stamps, Traced};
use base::{
    Bytes, Duration, Fill, Forecast, Info, Instant, Interrupt, Io, Op, PhaseRecord, Scale, Span,
    Stopped, Target,
};
use targets::{Consent, Drive, TargetError, resolve};
use traces::Survey;

use crate::error::LabError;

/// The name of the phase, as of the method.
const PHASE: &str = "replay";

/// An I/O of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedIo {
    /// When it is to be sent, since the list began; the list is in this order.
    pub at: Duration,
    pub op: Op,
    pub offset: Bytes,
    pub len: Bytes,
}

/// How a list is replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListReplay<'a> {
    /// The target's name: a modelled drive, with layers or without.
    pub target: &'a str,
    /// Seeds the drive and the written data.
    pub seed: u64,
    /// When I/Os are sent.
    pub pace: ReplayPace,
    /// Most I/Os in flight where they are sent as soon as there is room.
    pub depth: u32,
}

/// When an I/O was due, sent and complete, since the first one was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoTimes {
    /// The same as `sent` where I/Os are sent as soon as there is room.
    pub due: Duration,
    pub sent: Duration,
    pub done: Duration,
    /// The error number; 0 if it was complete, and of one that moved too little `EIO`.
    pub errno: i32,
}

/// What came of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayedList {
    /// Of each I/O, in the order of the list; nothing of one that was not complete when the replay was stopped.
    pub times: Vec<Option<IoTimes>>,
    /// The phase, as of any run.
    pub record: PhaseRecord,
    /// Why it ended early, if it did.
    pub stopped: Option<Stopped>,
}

/// Replays a list on a newly made drive. `told` hears now and then how many I/Os are complete.
///
/// # Errors
/// A name that is no modelled drive's; a list that is not in the order of its times; an I/O that does not fit the drive.
pub fn replay(
    asked: &ListReplay<'_>,
    list: &[ListedIo],
    interrupt: &Interrupt,
    told: &mut dyn FnMut(usize),
) -> Result<ReplayedList, LabError> {
    let mut drive = opened(asked, list, interrupt)?;
    let info = drive.info();
    let surveyed = Survey::of(traced(list)).map_err(|bad| unfit(asked, &bad))?;
    let span = Span::new(surveyed.start, surveyed.end - surveyed.start);
    let timed = matches!(asked.pace, ReplayPace::Timed { .. });
    let plan = Replay {
        name: PHASE.to_owned(),
        pace: asked.pace,
        dependencies: false,
        workload: surveyed.in_blocks(info.block).workload(
            PHASE,
            span,
            (!timed).then_some(asked.depth),
            Fill::FRESH,
        ),
    };
    let mut stamps = Stamps::new(asked.seed, Fill::FRESH);
    let trace: Source<'_> = Box::new(traced(list).map(move |traced| {
        traced.map(|traced| Traced {
            io: stamps.stamp(traced.io),
            ..traced
        })
    }));
    let mut timed = TimedIos::new(drive.as_mut(), list.len(), told);
    let input = PhaseInput::Trace(&plan, trace);
    let ran = run_phase(&mut timed, PHASE, input, &mut Stopper(interrupt));
    let mut times = timed.times;
    let first = list.first().map_or(Duration::ZERO, |io| io.at);
    for (io, times) in list.iter().zip(&mut times) {
        if let (Some(times), Some(due)) = (times, asked.pace.due(io.at.saturating_sub(first))) {
            times.due = due;
        }
    }
    let record = ran.map_err(|why| unfit(asked, &why))?;
    let stopped = interrupt.wanted().then_some(Stopped::Interrupted);
    Ok(ReplayedList {
        times,
        record,
        stopped,
    })
}

/// The drive in the state that the method `replay` would measure it in: what is read had been written.
fn opened(
    asked: &ListReplay<'_>,
    list: &[ListedIo],
    interrupt: &Interrupt,
) -> Result<Box<dyn Target>, LabError> {
    let consent = Consent::default();
    let resolved = resolve(asked.target, &consent, asked.seed)?;
    if !resolved.is_a_model() {
        let what = "a list of I/Os is replayed on a modelled drive alone; for a real one, write it into a trace \
                    and run the method replay";
        return Err(unfit(asked, &what));
    }
    let reads = list.iter().any(|io| io.op == Op::Read);
    let over = match reads {
        true => resolved.written_over()?,
        false => None,
    };
    let forecast = Forecast::default();
    let admitted = over.unwrap_or(resolved).admit(PHASE, &forecast, &consent)?;
    match admitted.open(Scale::Default, interrupt)?.drive {
        Drive::Model(drive) => Ok(drive),
        Drive::Real(_) => Err(unfit(asked, &"it is no model")),
    }
}

fn unfit(asked: &ListReplay<'_>, what: &dyn std::fmt::Display) -> LabError {
    let target = asked.target.to_owned();
    let what = what.to_string();
    TargetError::Option { target, what }.into()
}

/// The list as a trace.
fn traced(
    list: &[ListedIo],
) -> impl Iterator<Item = Result<Traced, base::trace::BadTrace>> + Send + '_ {
    let mut before = Duration::ZERO;
    list.iter().zip(1..).map(move |(listed, line)| {
        if listed.at < before {
            let what = "it is before the I/O above it: sort the list by time".to_owned();
            return Err(base::trace::BadTrace { line, what });
        }
        before = listed.at;
        let len = match listed.op {
            Op::Flush => Bytes::ZERO,
            _ => listed.len,
        };
        let sent = Moment {
            at: listed.at,
            line,
        };
        let io = Io {
            op: listed.op,
            ..Io::read(listed.offset, len)
        };
        Ok(Traced {
            sent,
            done: None,
            io,
            device: 0,
            late: false,
        })
    })
}

/// Stops where that was asked for.
struct Stopper<'a>(&'a Interrupt);

impl Watcher for Stopper<'_> {
    fn every(&self) -> Duration {
        Duration::MAX
    }

    fn look(&mut self, _: &Live<'_>) -> Verdict {
        Verdict::Continue
    }

    fn wants_to_stop(&self) -> bool {
        self.0.wanted()
    }
}

/// A target that keeps the time of each I/O. I/Os are sent in the order of the list, so a count tells which one it is.
struct TimedIos<'a> {
    under: &'a mut dyn Target,
    began: Instant,
    sent: usize,
    /// Which I/O of the list is in flight under a tag.
    by_tag: Vec<usize>,
    times: Vec<Option<IoTimes>>,
    complete: usize,
    told: &'a mut dyn FnMut(usize),
}

/// After so many I/Os it is told how many are complete: some ten times a second.
const TELL_EACH: usize = 1 << 16;
/// Input/output error, as in `errno.h`.
const EIO: i32 = 5;

impl<'a> TimedIos<'a> {
    fn new(under: &'a mut dyn Target, ios: usize, told: &'a mut dyn FnMut(usize)) -> TimedIos<'a> {
        TimedIos {
            began: under.now(),
            under,
            sent: 0,
            by_tag: Vec::new(),
            times: vec![None; ios],
            complete: 0,
            told,
        }
    }

    fn keep(&mut self, done: &Done) {
        self.complete += 1;
        if self.complete.is_multiple_of(TELL_EACH) {
            (self.told)(self.complete);
        }
        let Some(&which) = self.by_tag.get(done.tag.0 as usize) else {
            return;
        };
        if let Some(times) = self.times.get_mut(which) {
            let sent = done.sent.since(self.began);
            *times = Some(IoTimes {
                due: sent,
                sent,
                done: done.at.since(self.began),
                errno: match done.outcome {
                    Outcome::Complete => 0,
                    Outcome::Failed(errno) | Outcome::Broken(errno) => errno,
                    Outcome::Short(_) | Outcome::Differs(_) => EIO,
                },
            });
        }
    }
}

impl Target for TimedIos<'_> {
    fn info(&self) -> Info {
        self.under.info()
    }

    fn now(&self) -> Instant {
        self.under.now()
    }

    fn beneath(&self) -> Option<&dyn Target> {
        Some(self.under)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Target> {
        Some(self.under)
    }

    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        self.under.submit(tag, io)?;
        let slot = tag.0 as usize;
        if self.by_tag.len() <= slot {
            self.by_tag.resize(slot + 1, 0);
        }
        self.by_tag[slot] = self.sent;
        self.sent += 1;
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let before = done.len();
        self.under.wait(until, done);
        for done in &done[before..] {
            self.keep(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ios: u64) -> Vec<ListedIo> {
        let each = |n: u64| ListedIo {
            at: Duration::from_micros(10 * n),
            op: if n.is_multiple_of(3) {
                Op::Write
            } else {
                Op::Read
            },
            offset: Bytes::kib(4 * (n * 7 % 1_000)),
            len: Bytes::kib(4),
        };
        (0..ios).map(each).collect()
    }

    fn asked(target: &str) -> ListReplay<'_> {
        ListReplay {
            target,
            seed: 1,
            pace: ReplayPace::Timed { speed: 1.0 },
            depth: 32,
        }
    }

    #[test]
    fn each_io_has_its_time_and_they_add_up_to_the_record() {
        let list = list(500);
        let target = "null:?service=3us";
        let replayed = replay(&asked(target), &list, &Interrupt::new(), &mut |_| {}).unwrap();
        for (io, times) in list.iter().zip(&replayed.times) {
            let times = times.unwrap();
            assert_eq!(times.sent, io.at);
            assert_eq!(times.done, io.at + Duration::from_micros(3));
            assert_eq!(times.errno, 0);
        }
        assert_eq!(replayed.record.ios(), 500);
        assert_eq!(replayed.stopped, None);
    }

    #[test]
    fn it_is_told_how_many_are_complete() {
        let mut heard = Vec::new();
        let list = list(3 * TELL_EACH as u64 + 5);
        let told = &mut |complete| heard.push(complete);
        replay(&asked("null:"), &list, &Interrupt::new(), told).unwrap();
        assert_eq!(heard, [TELL_EACH, 2 * TELL_EACH, 3 * TELL_EACH]);
    }

    #[test]
    fn what_does_not_fit_is_told_and_a_real_target_is_not_touched() {
        let told = |target: &str, list: &[ListedIo]| {
            let failed = replay(&asked(target), list, &Interrupt::new(), &mut |_| {});
            failed.unwrap_err().to_string()
        };
        let mut unsorted = list(3);
        unsorted.swap(0, 2);
        assert!(told("null:", &unsorted).contains("line 2: it is before"));
        let mut outside = list(3);
        outside[1].offset = Bytes::gib(2_048);
        let told_outside = told("null:", &outside);
        assert!(told_outside.contains("ends at 1 TiB"), "{told_outside}");
        assert!(told(".", &list(3)).contains("modelled drive alone"));
    }

    #[test]
    fn a_stopped_replay_keeps_what_was_complete() {
        let interrupt = Interrupt::new();
        interrupt
            .flag()
            .store(true, std::sync::atomic::Ordering::Relaxed);
        let replayed = replay(&asked("null:"), &list(100_000), &interrupt, &mut |_| {}).unwrap();
        assert_eq!(replayed.stopped, Some(Stopped::Interrupted));
        let complete = replayed.times.iter().flatten().count();
        assert!(complete > 0 && complete < 100_000, "{complete}");
    }
}
