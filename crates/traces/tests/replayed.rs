//! Replays of small traces whose times are known to the microsecond, and of a long one.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use base::fault::{ENODEV, Faults, Faulty};
use base::io::{Fill, Io};
use base::null::Null;
use base::record::{Ended, PhaseRecord};
use base::run::{NotRun, PhaseInput, Replay, ReplayPace, Unwatched, run_phase};
use base::size::Bytes;
use base::target::Target;
use base::time::Duration;
use base::trace::{Moment, Source, Traced};
use base::workload::{Span, Unrunnable};
use traces::{Format, Reader, Survey};

const SERVICE: Duration = Duration::from_micros(100);
const US: fn(u64) -> Duration = Duration::from_micros;

/// A read of 4 KiB, sent and complete at these microseconds.
fn traced(line: u64, sent: u64, done: Option<u64>) -> Traced {
    Traced {
        sent: Moment { at: US(sent), line },
        done: done.map(|done| Moment {
            at: US(done),
            line: 0,
        }),
        io: Io::read(Bytes::kib(4 * line), Bytes::kib(4)),
        device: 0,
        late: false,
    }
}

fn replayed(
    target: &mut dyn Target,
    how: &Replay,
    source: Source<'_>,
) -> Result<PhaseRecord, NotRun> {
    run_phase(
        target,
        &how.name,
        PhaseInput::Trace(how, source),
        &mut Unwatched,
    )
}

fn replay(trace: &[Traced], pace: ReplayPace, dependencies: bool, depth: u32) -> Replay {
    let survey = Survey::of(trace.iter().copied().map(Ok)).unwrap();
    let depth = (pace == ReplayPace::Unpaced).then_some(depth);
    let span = Span::first(Bytes::mib(64));
    Replay {
        name: "replay".to_owned(),
        pace,
        dependencies,
        workload: survey.workload("replay", span, depth, Fill::FRESH),
    }
}

fn played(trace: &[Traced], pace: ReplayPace, dependencies: bool, depth: u32) -> PhaseRecord {
    let mut target = Null::new(Bytes::mib(64), SERVICE);
    let how = replay(trace, pace, dependencies, depth);
    let source = Box::new(trace.iter().copied().map(Ok));
    replayed(&mut target, &how, source).unwrap()
}

const ORIGINAL: ReplayPace = ReplayPace::Timed { speed: 1.0 };

#[test]
fn at_the_original_times_every_send_is_on_time_on_a_drive_that_keeps_up() {
    let trace: Vec<Traced> = (0..50).map(|i| traced(i, 7 + i * 300, None)).collect();
    let record = played(&trace, ORIGINAL, true, 1);
    assert_eq!(record.took, US(49 * 300) + SERVICE);
    let kept = record.traced.unwrap();
    assert_eq!((kept.sent, kept.late.max()), (50, Duration::ZERO));
    assert_eq!(record.jobs[0].ops[0].response.max(), SERVICE);
}

#[test]
fn a_speed_scales_all_times_and_unpaced_leaves_them_out() {
    let trace: Vec<Traced> = (0..11).map(|i| traced(i, i * 1_000, None)).collect();
    let took = |pace, depth| played(&trace, pace, true, depth).took;
    assert_eq!(took(ReplayPace::Timed { speed: 2.0 }, 1), US(5_100));
    assert_eq!(took(ReplayPace::Timed { speed: 0.5 }, 1), US(20_100));
    assert_eq!(took(ReplayPace::Unpaced, 1), US(1_100));
    assert_eq!(took(ReplayPace::Unpaced, 4), US(300));
}

#[test]
fn an_io_waits_for_what_had_been_complete_when_it_was_sent_and_for_nothing_else() {
    // The second was sent after the first was complete, the third beside the second.
    let trace = [
        traced(0, 0, Some(10)),
        traced(1, 10, Some(30)),
        traced(2, 20, Some(40)),
        traced(3, 35, Some(50)),
    ];
    let record = played(&trace, ReplayPace::Unpaced, true, 32);
    // 0; then 1 and 2 together; 3 waits for 1.
    assert_eq!(record.took, SERVICE * 3);
    let kept = record.traced.unwrap();
    assert_eq!((kept.held_back, kept.most_in_flight), (2, 2));
    let free = played(&trace, ReplayPace::Unpaced, false, 32);
    assert_eq!(free.took, SERVICE);
    assert_eq!(free.traced.unwrap().held_back, 0);
}

#[test]
fn on_a_slower_drive_a_kept_dependency_makes_sends_late_and_the_lateness_is_counted() {
    // A chain with 10 us of service in the trace, and 100 us here: the n-th send is late by n * 90 us.
    let trace: Vec<Traced> = (0..21)
        .map(|i| traced(i, i * 10, Some(i * 10 + 10)))
        .collect();
    let kept = played(&trace, ORIGINAL, true, 1).traced.unwrap();
    assert_eq!(kept.late.max(), US(1_800));
    assert_eq!(kept.late_over_1ms, 9);
    let free = played(&trace, ORIGINAL, false, 1).traced.unwrap();
    assert_eq!(free.late.max(), Duration::ZERO);
}

#[test]
fn a_device_that_goes_away_ends_the_replay_and_an_io_that_does_not_fit_is_refused() {
    let trace: Vec<Traced> = (0..10).map(|i| traced(i, i * 1_000, None)).collect();
    let how = replay(&trace, ORIGINAL, true, 1);
    let faults = Faults {
        gone_after: Some(4),
        ..Faults::default()
    };
    let mut gone = Faulty::new(Null::new(Bytes::mib(64), SERVICE), faults);
    let source = Box::new(trace.iter().copied().map(Ok));
    let record = replayed(&mut gone, &how, source).unwrap();
    assert_eq!((record.ended, record.ios()), (Ended::Gone(ENODEV), 4));
    let mut small = Null::new(Bytes::kib(16), SERVICE);
    let source = Box::new(trace.iter().copied().map(Ok));
    let refused = replayed(&mut small, &how, source);
    assert!(matches!(
        refused,
        Err(NotRun::Unrunnable(Unrunnable::Outside { .. }))
    ));
}

/// The text of a trace that is generated while it is read.
struct Endless {
    lines: u64,
    made: Arc<AtomicU64>,
    rest: Vec<u8>,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() && self.made.load(Relaxed) < self.lines {
            let n = self.made.load(Relaxed);
            self.rest = format!("{} 0 {} 8 {}\n", n * 1_000, n % 4_096 * 8, n % 2).into_bytes();
            self.made.store(n + 1, Relaxed);
        }
        let n = into.len().min(self.rest.len());
        into[..n].copy_from_slice(&self.rest[..n]);
        self.rest.drain(..n);
        Ok(n)
    }
}

#[test]
fn of_a_trace_of_two_million_lines_only_a_few_thousand_are_ever_held() {
    const LINES: u64 = 2_000_000;
    let made = Arc::new(AtomicU64::new(0));
    let text = |made: &Arc<AtomicU64>| {
        BufReader::new(Endless {
            lines: LINES,
            made: Arc::clone(made),
            rest: Vec::new(),
        })
    };
    let (reader, format) = Reader::new(text(&made), None).unwrap();
    assert_eq!(format, Format::Mqsim);
    let mut given = 0;
    let mut most_held = 0;
    let source = reader.inspect(|_| {
        given += 1;
        most_held = most_held.max(made.load(Relaxed) - given);
    });
    let span = Span::first(Bytes::mib(64));
    let how = Replay {
        name: "replay".to_owned(),
        pace: ORIGINAL,
        dependencies: true,
        workload: Survey::default().workload("replay", span, None, Fill::FRESH),
    };
    let mut target = Null::new(Bytes::mib(64), Duration::from_nanos(500));
    let record = replayed(&mut target, &how, Box::new(source)).unwrap();
    assert_eq!((record.ios(), given), (LINES, LINES));
    // What the reader puts in order, and a buffer of text.
    assert!(most_held < 5_000, "{most_held}");
    assert_eq!(record.took.as_nanos(), (LINES - 1) * 1_000 + 500);
}
