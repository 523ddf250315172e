//! Phases that end before their rule applies: the drive is lost, or a stop is requested.

use super::*;
use crate::fault::ENODEV;
use crate::io::Io;
use crate::target::{Busy, Info};

fn scan(depth: u32) -> Workload {
    let once = Stop::after_passes(1);
    Workload::single(reads(Order::Sequential, depth), once, 1)
}

#[test]
fn a_scan_whose_drive_goes_away_goes_on_at_the_first_address_that_failed_with_it() {
    let faults = Faults {
        gone_after: Some(1_001),
        ..Faults::default()
    };
    let mut target = Faulty::new(Null::new(Bytes::gib(1), SERVICE), faults);
    let mut part = go(&mut target, &scan(8));
    assert_eq!(part.ended, Ended::Gone(ENODEV));
    assert_eq!((part.ios(), part.errors()), (1_001, 8));
    let at = part.done_below.unwrap();
    assert_eq!(at, Bytes::kib(4) * 1_001, "not behind those that failed");
    part.forget_errors_from(at);
    assert_eq!((part.errors(), part.failed_times().count()), (0, 0));
    let from = Part {
        from: Some(at),
        share: None,
    };
    let mut back = Null::new(Bytes::gib(1), SERVICE);
    let rest = run_part(&mut back, "test", &scan(8), from, &mut Unwatched).unwrap();
    part.append(&rest);
    assert_eq!((part.ios(), part.errors()), (16_384, 0));
    assert_eq!(part.ended, Ended::Complete);
}

#[test]
fn errors_of_the_medium_before_the_drive_went_away_are_kept() {
    let faults = Faults {
        bad: vec![Span::new(Bytes::kib(40), Bytes::kib(8))],
        gone_after: Some(100),
        ..Faults::default()
    };
    let mut target = Faulty::new(Null::new(Bytes::gib(1), SERVICE), faults);
    let mut part = go(&mut target, &scan(1));
    let at = part.done_below.unwrap();
    assert_eq!((at, part.errors()), (Bytes::kib(400), 3));
    part.forget_errors_from(at);
    let errors = &part.job().errors;
    let addresses: Vec<Bytes> = errors.first.iter().map(|e| e.offset).collect();
    assert_eq!(addresses, [Bytes::kib(40), Bytes::kib(44)]);
    assert_eq!((errors.count, errors.times.count()), (2, 2));
}

/// The path fails after this many I/Os.
struct Breaking(Null, u64);

impl Target for Breaking {
    fn info(&self) -> Info {
        self.0.info()
    }
    fn now(&self) -> Instant {
        self.0.now()
    }
    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        self.1 = self.1.saturating_sub(1);
        self.0.submit(tag, io)
    }
    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        self.0.wait(until, done);
        if self.1 == 0 {
            done.iter_mut()
                .for_each(|d| d.outcome = Outcome::Broken(53));
        }
    }
}

#[test]
fn a_broken_way_to_the_drive_ends_the_phase_with_what_was_measured() {
    let mut target = Breaking(Null::new(Bytes::gib(1), SERVICE), 500);
    let record = go(
        &mut target,
        &Workload::single(reads(Order::Random, 4), time(100), 1),
    );
    assert_eq!(record.ended, Ended::Broken(53));
    assert!(
        record.ios() < 500 && record.ios() + record.errors() <= 504,
        "{}",
        record.ios()
    );
    let text = serde_json::to_string(&record).unwrap();
    assert!(text.contains(r#""ended":{"broken":53}"#));
    let read: PhaseRecord = serde_json::from_str(&text).unwrap();
    assert_eq!(read.ended, record.ended);
}

/// Updates rarely, and is polled in between.
struct WantsToStop(std::cell::Cell<u32>);

impl Watcher for WantsToStop {
    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }
    fn look(&mut self, _: &Live<'_>) -> Verdict {
        panic!("a second of the target's own time is a thousand million I/Os")
    }
    fn wants_to_stop(&self) -> bool {
        self.0.set(self.0.get() + 1);
        self.0.get() == 3
    }
}

#[test]
fn the_wish_to_stop_is_heard_after_a_number_of_ios_however_slowly_virtual_time_passes() {
    let mut target = Null::new(Bytes::gib(1), Duration::from_nanos(1));
    let work = Workload::single(reads(Order::Random, 1), time(100), 1);
    let mut watcher = WantsToStop(std::cell::Cell::new(0));
    let record = run(&mut target, "test", &work, &mut watcher).unwrap();
    assert_eq!(record.ended, Ended::Interrupted);
    assert!(record.ios() < 100_000, "{}", record.ios());
}

#[test]
fn a_look_is_told_for_how_long_nothing_has_come_back() {
    struct Quiet(Vec<Duration>);
    impl Watcher for Quiet {
        fn every(&self) -> Duration {
            Duration::from_millis(100)
        }
        fn look(&mut self, live: &Live<'_>) -> Verdict {
            assert_eq!(live.in_flight, 1);
            self.0.push(live.quiet);
            Verdict::Continue
        }
    }
    let mut target = Null::new(Bytes::gib(1), Duration::from_millis(350));
    let work = Workload::single(reads(Order::Random, 1), ios(1), 1);
    let mut watcher = Quiet(Vec::new());
    run(&mut target, "test", &work, &mut watcher).unwrap();
    assert_eq!(watcher.0, [100, 200, 300].map(Duration::from_millis));
}

/// Nobody waits for the looks of virtual time, of which fifty years have more than a program can take.
#[test]
fn looks_become_rare_where_nothing_is_sent_for_years() {
    struct Counted(u32);
    impl Watcher for Counted {
        fn every(&self) -> Duration {
            Duration::from_millis(100)
        }
        fn look(&mut self, _: &Live<'_>) -> Verdict {
            self.0 += 1;
            Verdict::Continue
        }
    }
    let mut target = Null::new(Bytes::gib(1), Duration::from_micros(1));
    let years = Duration::from_secs(50 * 365 * 86_400);
    let mut job = reads(Order::Random, 1);
    job.pacing = Pacing::Paced { every: years };
    let mut watcher = Counted(0);
    let work = Workload::single(job, ios(2), 1);
    run(&mut target, "test", &work, &mut watcher).unwrap();
    assert!((30..100).contains(&watcher.0), "{}", watcher.0);
}

#[test]
fn where_every_io_failed_there_is_no_rate_and_the_failures_have_times_of_their_own() {
    let faults = Faults {
        bad: vec![Span::first(Bytes::mib(64))],
        ..Faults::default()
    };
    let mut target = Faulty::new(Null::new(Bytes::gib(1), SERVICE), faults);
    let record = go(
        &mut target,
        &Workload::single(reads(Order::Random, 1), ios(50), 1),
    );
    assert!(record.all_failed());
    assert_eq!((record.rate(), record.iops()), (None, None));
    let times = record.failed_times();
    assert_eq!((times.count(), times.max()), (50, SERVICE));
    let whole = go(
        &mut Null::new(Bytes::gib(1), SERVICE),
        &Workload::single(reads(Order::Random, 1), ios(50), 1),
    );
    assert!(!whole.all_failed() && whole.failed_times().is_empty());
    assert!(!serde_json::to_string(&whole).unwrap().contains("times"));
}
