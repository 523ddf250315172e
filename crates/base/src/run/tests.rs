//! The loop against targets whose every service time is known.

use super::*;
use crate::fault::{EIO, Faults, Faulty};
use crate::io::{Io, Op};
use crate::null::Null;
use crate::record::{Observer, OwnPause, WakeUps};
use crate::target::{Done, Outcome, Tag};
use crate::workload::{Arrivals, Job, Span, Stop};
use crate::workload::{Order, Pacing};

const SERVICE: Duration = Duration::from_micros(100);

fn reads(order: Order, depth: u32) -> Job {
    Job::closed(
        "reads",
        Op::Read,
        order,
        Span::first(Bytes::mib(64)),
        Bytes::kib(4),
        depth,
    )
}

fn go(target: &mut dyn Target, work: &Workload) -> PhaseRecord {
    run(target, "test", work, &mut Unwatched).unwrap()
}

fn ios(n: u64) -> Stop {
    Stop::after_ios(n)
}

fn time(seconds: u64) -> Stop {
    Stop::after_time(Duration::from_secs(seconds))
}

#[test]
fn a_closed_loop_keeps_its_depth_and_every_latency_to_the_nanosecond() {
    let mut target = Null::new(Bytes::gib(1), SERVICE);
    let record = go(
        &mut target,
        &Workload::single(reads(Order::Random, 8), ios(8_000), 1),
    );
    let read = &record.job().ops[0];
    assert_eq!((read.ios, read.bytes), (8_000, Bytes::kib(4) * 8_000));
    assert_eq!((read.service.min(), read.service.max()), (SERVICE, SERVICE));
    assert_eq!(record.took, SERVICE * 1_000);
    assert_eq!(record.ended, Ended::Complete);
}

#[test]
fn a_queue_behind_one_server_is_part_of_the_service_time() {
    let mut target = Null::new(Bytes::gib(1), SERVICE).with_servers(1);
    let record = go(
        &mut target,
        &Workload::single(reads(Order::Random, 4), ios(1_000), 1),
    );
    assert_eq!(record.job().ops[0].service.max(), SERVICE * 4);
    assert_eq!(record.took, SERVICE * 1_000);
}

#[test]
fn an_open_loop_counts_from_the_intended_send() {
    // 20,000 a second for one server that does 10,000: the n-th I/O waits n x 50 us. Sixteen fit
    // into the queue: the service time never exceeds 16 x 100 us, the response time grows.
    let mut target = Null::new(Bytes::gib(1), SERVICE)
        .with_servers(1)
        .with_depth(16);
    let mut job = reads(Order::Random, 1);
    job.pacing = Pacing::Open {
        per_second: 20_000.0,
        arrivals: Arrivals::Even,
    };
    let record = go(&mut target, &Workload::single(job, ios(1_000), 1));
    let read = &record.job().ops[0];
    assert_eq!(
        read.response.max(),
        Duration::from_micros(1_000 * 100 - 999 * 50)
    );
    assert_eq!(read.service.max(), SERVICE * 16);
    assert_eq!(read.response.min(), SERVICE);
}

#[test]
fn below_saturation_an_open_loop_of_even_arrivals_never_waits() {
    let mut target = Null::new(Bytes::gib(1), SERVICE).with_servers(1);
    let mut job = reads(Order::Random, 1);
    job.pacing = Pacing::Open {
        per_second: 1_000.0,
        arrivals: Arrivals::Even,
    };
    let record = go(&mut target, &Workload::single(job, time(2), 1));
    let read = &record.job().ops[0];
    assert_eq!(read.ios, 2_000);
    assert_eq!(
        (read.response.min(), read.response.max()),
        (SERVICE, SERVICE)
    );
}

#[test]
fn poisson_arrivals_wait_as_long_as_queueing_theory_says() {
    // M/D/1 at 80 % load: mean wait = rho / (2 (1 - rho)) services = 2 services, so 300 us in all.
    let mut target = Null::new(Bytes::gib(1), SERVICE).with_servers(1);
    let mut job = reads(Order::Random, 1);
    job.pacing = Pacing::Open {
        per_second: 8_000.0,
        arrivals: Arrivals::Poisson,
    };
    let record = go(&mut target, &Workload::single(job, ios(1_000_000), 3));
    let mean = record.job().ops[0].response.mean().unwrap().as_micros_f64();
    assert!((mean - 300.0).abs() < 6.0, "{mean}");
}

#[test]
fn a_phase_ends_on_time_though_the_next_io_is_due_later() {
    // Due after 0, 333, 667 and 1,000 ms; and a thinker who would send again after 700 ms.
    for (pacing, ios) in [
        (
            Pacing::Open {
                per_second: 3.0,
                arrivals: Arrivals::Even,
            },
            2,
        ),
        (
            Pacing::Closed {
                depth: 1,
                think: Duration::from_millis(700),
                burst: 1,
            },
            1,
        ),
    ] {
        let mut target = Null::new(Bytes::gib(1), SERVICE);
        let mut job = reads(Order::Random, 1);
        job.pacing = pacing;
        let mut work = Workload::single(job, time(1), 1);
        work.stop.time = Some(Duration::from_millis(500));
        let record = go(&mut target, &work);
        assert_eq!(record.ios(), ios);
        assert_eq!(record.took, Duration::from_millis(500));
    }
}

#[test]
fn think_time_comes_after_each_burst() {
    let mut target = Null::new(Bytes::gib(1), SERVICE);
    let mut job = reads(Order::Random, 1);
    job.pacing = Pacing::Closed {
        depth: 1,
        think: Duration::from_millis(1),
        burst: 10,
    };
    let record = go(&mut target, &Workload::single(job, ios(100), 1));
    assert_eq!(record.took, SERVICE * 100 + Duration::from_millis(9));
}

#[test]
fn time_is_looked_at_only_when_the_rule_says() {
    let mut target = Null::new(Bytes::gib(1), SERVICE);
    let mut work = Workload::single(reads(Order::Random, 1), time(1), 1);
    assert_eq!(go(&mut target, &work).ios(), 10_000);
    work.stop.look = Look::EveryIos(7_000);
    assert_eq!(go(&mut target, &work).ios(), 14_000);
    work.stop.look = Look::EveryPass;
    work.jobs[0].order = Order::Sequential;
    // 64 MiB in 4 KiB are 16,384 accesses a pass.
    assert_eq!(go(&mut target, &work).ios(), 16_384);
}

#[test]
fn passes_bytes_and_a_flush_at_the_end_are_kept_to() {
    let mut target = Null::new(Bytes::gib(1), SERVICE);
    let mut work = Workload::single(reads(Order::RandomOnce, 4), Stop::after_passes(2), 1);
    work.flush_at_end = true;
    let record = go(&mut target, &work);
    assert_eq!(record.bytes(), Bytes::mib(128));
    assert_eq!(record.job().ops[Op::Flush as usize].ios, 1);
    assert_eq!(record.took, SERVICE * (2 * 16_384 / 4 + 1));
    work.stop = Stop::after_bytes(Bytes::mib(3));
    assert_eq!(go(&mut target, &work).bytes(), Bytes::mib(3));
}

#[test]
fn writes_are_flushed_as_often_as_asked() {
    let mut target = Null::new(Bytes::gib(1), SERVICE);
    let mut job = Job::closed(
        "w",
        Op::Write,
        Order::Random,
        Span::first(Bytes::mib(64)),
        Bytes::kib(4),
        1,
    );
    job.flush_every = Some(4);
    let record = go(&mut target, &Workload::single(job, ios(100), 1));
    assert_eq!(record.job().ops[Op::Flush as usize].ios, 25);
    assert_eq!(record.took, SERVICE * 125);
}

#[test]
fn a_flushs_response_time_counts_from_the_first_write_that_it_makes_durable() {
    let commits = |every| {
        let mut target = Null::new(Bytes::gib(1), SERVICE);
        let span = Span::first(Bytes::mib(64));
        let mut job = Job::closed("w", Op::Write, Order::Random, span, Bytes::kib(4), 1);
        job.streams = 3;
        job.flush_every = Some(every);
        let record = go(&mut target, &Workload::single(job, ios(120), 1));
        let flushes = record.of(Op::Flush);
        assert_eq!(flushes.ios, 120 / u64::from(every));
        assert!(flushes.service.min() == SERVICE && flushes.service.max() == SERVICE);
        [flushes.response.min(), flushes.response.max()]
    };
    assert_eq!(commits(1), [SERVICE * 2; 2]);
    assert_eq!(commits(4), [SERVICE * 5; 2]);
}

#[test]
fn jobs_run_side_by_side_with_records_of_their_own() {
    let mut target = Null::new(Bytes::gib(1), SERVICE);
    let mut watch = reads(Order::Random, 1);
    watch.name = "watch".to_owned();
    watch.pacing = Pacing::Closed {
        depth: 1,
        think: Duration::from_millis(10),
        burst: 1,
    };
    let mut work = Workload::single(watch, time(1), 1);
    work.jobs.push(reads(Order::Random, 4));
    let record = go(&mut target, &work);
    assert_eq!(record.jobs[0].ios(), 100);
    assert_eq!(record.jobs[1].ios(), 40_000);
    // The very first one finds the drive idle.
    assert!(
        record.jobs[0].worst.ios()[1..]
            .iter()
            .all(|io| io.beside_reads == 4)
    );
}

#[test]
fn errors_are_counted_with_their_address_and_do_not_end_a_scan() {
    let faults = Faults {
        bad: vec![Span::new(Bytes::mib(1), Bytes::kib(12))],
        ..Faults::default()
    };
    let mut target = Faulty::new(Null::new(Bytes::gib(1), SERVICE), faults);
    let work = Workload::single(reads(Order::Sequential, 1), Stop::after_passes(1), 1);
    let record = go(&mut target, &work);
    let errors = &record.job().errors;
    assert_eq!((errors.count, record.ios()), (3, 16_381));
    assert_eq!(
        (errors.first[1].errno, errors.first[1].offset),
        (EIO, Bytes::kib(1_028))
    );
}

#[test]
fn a_device_that_goes_away_ends_the_phase_and_keeps_what_was_measured() {
    let faults = Faults {
        gone_after: Some(500),
        ..Faults::default()
    };
    let mut target = Faulty::new(Null::new(Bytes::gib(1), SERVICE), faults);
    let record = go(
        &mut target,
        &Workload::single(reads(Order::Random, 4), time(100), 1),
    );
    assert_eq!(record.ios(), 500);
    assert!(matches!(record.ended, Ended::Gone(19)));
}

#[test]
fn delays_and_short_transfers_are_seen() {
    let faults = Faults {
        delays_per_million: 10_000,
        delay: Duration::from_millis(50),
        short_per_million: 10_000,
        seed: 4,
        ..Faults::default()
    };
    let mut target = Faulty::new(Null::new(Bytes::gib(1), SERVICE), faults);
    let record = go(
        &mut target,
        &Workload::single(reads(Order::Random, 2), ios(10_000), 1),
    );
    let job = record.job();
    assert_eq!(
        job.ops[0].service.max(),
        SERVICE + Duration::from_millis(50)
    );
    assert!(job.errors.count > 50 && job.errors.first.iter().all(|e| e.moved == Bytes::kib(2)));
    assert_eq!(job.ios() + job.errors.count, 10_000);
}

struct StopAfter(u32);

impl Watcher for StopAfter {
    fn every(&self) -> Duration {
        Duration::from_millis(100)
    }
    fn look(&mut self, live: &Live<'_>) -> Verdict {
        assert!(live.record.took > Duration::ZERO);
        self.0 -= 1;
        if self.0 == 0 {
            Verdict::Stop
        } else {
            Verdict::Continue
        }
    }
}

#[test]
fn a_scan_that_is_interrupted_goes_on_at_its_address_and_merges_to_the_whole() {
    let mut work = Workload::single(reads(Order::Sequential, 4), Stop::after_passes(1), 1);
    work.keep.bins = Some(16);
    let whole = go(&mut Null::new(Bytes::gib(1), SERVICE), &work);
    let mut target = Null::new(Bytes::gib(1), SERVICE);
    let mut part = run(&mut target, "test", &work, &mut StopAfter(2)).unwrap();
    assert_eq!(part.ended, Ended::Interrupted);
    let at = part.done_below.unwrap();
    assert_eq!(
        at,
        part.bytes(),
        "all below the position is done, nothing above it"
    );
    let rest = run_part(
        &mut target,
        "test",
        &work,
        Part {
            from: Some(at),
            share: None,
        },
        &mut Unwatched,
    )
    .unwrap();
    part.append(&rest);
    assert_eq!(part.of(Op::Read), whole.of(Op::Read));
    assert_eq!(part.took, whole.took);
    assert_eq!(part.ended, Ended::Complete);
    assert_eq!(
        part.done_below,
        Some(Bytes::mib(64)),
        "nothing is left to go on with"
    );
}

#[test]
fn the_same_seed_gives_the_same_record() {
    let mut job = reads(Order::Random, 8);
    job.accesses[0].read_percent = 70;
    let work = Workload::single(job, ios(5_000), 9);
    let again = || {
        go(
            &mut Null::new(Bytes::gib(1), SERVICE).with_servers(3),
            &work,
        )
    };
    assert_eq!(
        serde_json::to_string(&again()).unwrap(),
        serde_json::to_string(&again()).unwrap()
    );
}

#[test]
fn what_cannot_run_is_refused_before_anything_is_sent() {
    let mut target = Null::new(Bytes::mib(1), SERVICE);
    let outside = Workload::single(reads(Order::Random, 1), ios(1), 1);
    assert!(matches!(
        run(&mut target, "x", &outside, &mut Unwatched),
        Err(Unrunnable::Outside { .. })
    ));
    let mut endless = Workload::single(reads(Order::Random, 1), Stop::default(), 1);
    endless.jobs[0].span = Span::first(Bytes::mib(1));
    assert!(matches!(
        run(&mut target, "x", &endless, &mut Unwatched),
        Err(Unrunnable::Endless)
    ));
    let mut odd = endless;
    odd.stop = ios(1);
    odd.jobs[0].align = Bytes::new(100);
    assert!(matches!(
        run(&mut target, "x", &odd, &mut Unwatched),
        Err(Unrunnable::Unaligned { .. })
    ));
}

#[test]
fn streams_shared_among_rings_merge_to_the_phase_of_one_ring() {
    let mut job = reads(Order::Random, 4);
    job.streams = 5;
    let work = Workload::single(job, time(1), 7);
    let whole = go(&mut Null::new(Bytes::gib(1), SERVICE), &work);
    let rings = shares_of(&work, 3);
    assert_eq!(rings, 3);
    let part = |index| {
        let share = Some(Share { index, of: rings });
        let part = Part { from: None, share };
        let mut target = Null::new(Bytes::gib(1), SERVICE);
        run_part(&mut target, "test", &work, part, &mut Unwatched).unwrap()
    };
    let mut merged = part(0);
    merged.merge_share(&part(1));
    merged.merge_share(&part(2));
    assert_eq!(merged.of(Op::Read), whole.of(Op::Read));
    assert_eq!((merged.took, merged.ended), (whole.took, whole.ended));
}

#[test]
fn what_a_count_ends_or_one_ring_must_see_whole_is_not_shared() {
    let mut many = reads(Order::Random, 4);
    many.streams = 4;
    assert_eq!(shares_of(&Workload::single(many.clone(), ios(10), 1), 8), 1);
    let mut two_jobs = Workload::single(many.clone(), time(1), 1);
    two_jobs.jobs.push(many.clone());
    assert_eq!(shares_of(&two_jobs, 8), 1);
    assert_eq!(shares_of(&Workload::single(many, time(1), 1), 8), 4);
}

mod losses;
mod stored;

/// A target whose program is stopped at times: completions during a pause are seen when it resumes.
struct Stopped {
    under: Null,
    pauses: Vec<OwnPause>,
}

impl Target for Stopped {
    fn info(&self) -> Info {
        self.under.info()
    }
    fn now(&self) -> Instant {
        self.under.now()
    }
    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), crate::target::Busy> {
        self.under.submit(tag, io)
    }
    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        self.under.wait(until, done);
        let now = self.under.now();
        let mut all = self.pauses.iter();
        let Some(pause) = all.find(|pause| pause.from <= now && now < pause.until) else {
            return;
        };
        while self.under.now() < pause.until {
            self.under.wait(Some(pause.until), done);
        }
        for one in done {
            one.at = pause.until;
        }
    }
    fn observer(&self) -> Option<&dyn Observer> {
        Some(self)
    }
}

impl Observer for Stopped {
    fn pauses(&self, since: Instant, found: &mut Vec<OwnPause>) {
        let over = |pause: &&OwnPause| pause.until > since && pause.until <= self.under.now();
        found.extend(self.pauses.iter().filter(over));
    }
    fn wake_ups(&self) -> WakeUps {
        WakeUps { count: 9, late: 2 }
    }
}

fn stopped(from: u64, until: u64) -> Stopped {
    let at = |ms| Instant::ZERO.saturating_add(Duration::from_millis(ms));
    Stopped {
        under: Null::new(Bytes::gib(1), SERVICE),
        pauses: vec![OwnPause {
            from: at(from),
            until: at(until),
            slept: Duration::ZERO,
        }],
    }
}

#[test]
fn a_stop_of_the_program_is_no_time_of_the_drive_and_no_i_o_is_lost() {
    let mut closed = reads(Order::Sequential, 4);
    let mut open = closed.clone();
    open.pacing = Pacing::Open {
        per_second: 1_000.0,
        arrivals: Arrivals::Even,
    };
    closed.name = "closed".to_owned();
    for job in [closed, open] {
        let mut work = Workload::single(job, time(2), 1);
        work.keep.bins = Some(4);
        let record = go(&mut stopped(500, 3_500), &work);
        let whole = go(&mut Null::new(Bytes::gib(1), SERVICE), &work);
        let (kept, read) = (record.job(), &record.job().ops[0]);
        let pauses = &record.pauses;
        assert_eq!((pauses.count, pauses.longest), (1, Duration::from_secs(3)));
        assert!(pauses.left_out <= 4, "{pauses:?}");
        assert_eq!(pauses.wake_ups, Some(WakeUps { count: 9, late: 2 }));
        assert_eq!(read.service.max(), SERVICE);
        assert_eq!(read.felt().max(), SERVICE);
        assert_eq!(read.felt().count() + pauses.left_out, read.ios);
        assert!(kept.stalls.is_empty());
        assert_eq!(kept.worst.ios()[0].felt, SERVICE);
        // The phase measures as long, and as much, as without the stop.
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
        assert!(close(record.took.as_secs_f64(), 2.0), "{}", record.took);
        assert!(close(read.ios as f64, whole.job().ops[0].ios as f64));
        let times = |record: &PhaseRecord| {
            let bins = &record.job().bins.as_ref().unwrap().bins;
            bins.iter().map(|bin| bin.time.as_secs_f64()).sum::<f64>()
        };
        assert!(close(times(&record), times(&whole)));
    }
}

#[test]
fn a_standstill_of_the_drive_is_not_hidden_by_a_short_stop_of_the_program() {
    let at = |ms| Instant::ZERO.saturating_add(Duration::from_millis(ms));
    let mut target = stopped(1_000, 1_060);
    target.under = Null::new(Bytes::gib(1), Duration::from_secs(3));
    let record = go(
        &mut target,
        &Workload::single(reads(Order::Random, 1), ios(1), 1),
    );
    assert_eq!(target.under.now(), at(3_000));
    assert_eq!(record.job().ops[0].service.max(), Duration::from_secs(3));
    assert_eq!(record.job().stalls.count, 1);
}

#[test]
fn a_paced_loop_never_waits_for_itself_and_a_standstill_is_felt_by_all_that_fell_due_in_it() {
    let mut job = reads(Order::Random, 1);
    let every = Duration::from_millis(5);
    job.pacing = Pacing::Paced { every };
    let work = Workload::single(job, time(2), 1);
    let quick = go(&mut Null::new(Bytes::gib(1), SERVICE), &work);
    assert_eq!(quick.job().ops[0].ios, 400);
    // Slower than the pace: no response holds more than the drive's own time.
    let slow = Duration::from_millis(8);
    let slow = go(&mut Null::new(Bytes::gib(1), slow), &work);
    let read = &slow.job().ops[0];
    assert_eq!(
        (read.felt().max(), read.ios),
        (Duration::from_millis(8), 154)
    );
    // The drive stands still for 300 ms, once.
    let faults = Faults {
        stutter: Duration::from_millis(300),
        stutter_every: Duration::from_secs(1),
        ..Faults::default()
    };
    let null = Null::new(Bytes::gib(1), SERVICE);
    let record = go(&mut Faulty::new(null, faults), &work);
    let (kept, read) = (record.job(), &record.job().ops[0]);
    assert!((1..=2).contains(&kept.stalls.count), "{:?}", kept.stalls);
    let long = read
        .felt()
        .buckets()
        .filter(|b| b.0 >= Duration::from_millis(100));
    let felt: u64 = long.map(|b| b.2).sum();
    let each = 200 / 5;
    assert!(
        felt >= each * kept.stalls.count && felt <= (each + 2) * kept.stalls.count,
        "{felt}"
    );
    assert!(read.service.max() <= Duration::from_millis(301));
}
