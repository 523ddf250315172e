//! What a host adds, and what it lets through.

use super::*;
use crate::layer::tests::even::Even;
use crate::model::WriteCaching;
use proptest::prelude::*;

fn times(depth: u32) -> HostTimes {
    HostTimes {
        before: Duration::from_micros(2),
        after: Duration::from_micros(3),
        after_write: None,
        wake: Duration::from_micros(4),
        depth,
        largest: Bytes::kib(128),
        queue: 64,
        queue_each: false,
        poll: false,
        coalesce_from: 0,
        coalesce: Duration::ZERO,
        merges_flushes: false,
    }
}

/// As [`times`], on several processors.
fn several(processors: u32) -> Host<Even> {
    let drive = Even::new(Bytes::mib(1), Duration::from_micros(100));
    let computer = Computer {
        processors,
        ..Computer::from(times(32))
    };
    Host::new(drive, computer)
}

fn host(depth: u32) -> Host<Even> {
    let drive = Even::new(Bytes::mib(1), Duration::from_micros(100));
    Host::new(drive, times(depth))
}

/// Starts `n` reads at once; the times at which they are complete.
fn run(host: &mut Host<Even>, n: u32) -> Vec<u64> {
    for tag in 0..n {
        host.start(
            Instant::ZERO,
            Tag(tag),
            &Io::read(Bytes::ZERO, Bytes::kib(4)),
        );
    }
    let mut done = Vec::new();
    while host.next().is_some() {
        host.step(&mut done);
    }
    done.iter().map(|f| f.at.as_nanos() / 1_000).collect()
}

fn coalescing(from: u32, depth: u32) -> Host<Even> {
    let times = HostTimes {
        coalesce_from: from,
        coalesce: Duration::from_micros(50),
        ..times(depth)
    };
    Host::new(Even::new(Bytes::mib(1), Duration::from_micros(100)), times)
}

#[test]
fn a_controller_that_coalesces_tells_of_several_completions_at_once_and_of_few_as_they_come() {
    // Commands end from 102 us on, 2 us apart; the processor takes 3 us each and wakes in 4.
    assert_eq!(run(&mut coalescing(4, 32), 3), run(&mut host(32), 3));
    assert_eq!(run(&mut coalescing(4, 32), 4), [159, 162, 165, 168]);
    assert_eq!(run(&mut coalescing(0, 32), 4), run(&mut host(32), 4));
}

proptest! {
    /// In one call up to a time, or step by step: the same completions at the same times.
    #[test]
    fn advancing_is_stepping(
        starts in prop::collection::vec((0_u64..80, 1_u64..400, any::<bool>()), 1..40),
        depth in 1_u32..8,
        from in 0_u32..5,
    ) {
        let run = |in_steps: bool| {
            let mut host = coalescing(from, depth);
            let mut seen = Vec::new();
            let mut done = Vec::new();
            let mut now = Instant::ZERO;
            for (tag, (after, kib, write)) in starts.iter().enumerate() {
                now += Duration::from_micros(*after);
                loop {
                    if in_steps {
                        while done.is_empty() && host.next().is_some_and(|at| at <= now) {
                            host.step(&mut done);
                        }
                    } else {
                        host.advance(now, &mut done);
                    }
                    if done.is_empty() {
                        break;
                    }
                    seen.append(&mut done);
                }
                let (at, len) = (Bytes::kib(8), Bytes::kib(*kib));
                let io = if *write { Io::write(at, len, 7) } else { Io::read(at, len) };
                host.start(now, Tag(tag as u32), &io);
            }
            while host.next().is_some() {
                host.step(&mut seen);
            }
            seen
        };
        prop_assert_eq!(run(true), run(false));
    }
}

#[test]
fn a_lone_io_pays_before_wake_and_after() {
    assert_eq!(run(&mut host(32), 1), [2 + 100 + 4 + 3]);
}

#[test]
fn ios_queue_on_one_processor_which_sleeps_once() {
    // Submitted at 2, 4, 6; done at 102, 104, 106; the first wakes the processor.
    assert_eq!(run(&mut host(32), 3), [109, 112, 115]);
}

#[test]
fn what_the_driver_does_not_let_through_waits_in_the_host() {
    let mut host = host(1);
    let done = run(&mut host, 3);
    assert_eq!(host.inner.most, 1);
    // The next one is submitted by the interrupt: after its completion, before it is asked
    // again.
    assert_eq!(done[0], 109);
    assert_eq!(done[1], 109 + 2 + 100 + 4 + 3);
}

/// Starts one write of 300 KiB; the time at which it is complete.
fn run_long(host: &mut Host<Even>) -> u64 {
    let io = Io::write(Bytes::kib(8), Bytes::kib(300), 7);
    host.start(Instant::ZERO, Tag(0), &io);
    let mut done = Vec::new();
    while host.next().is_some() {
        host.step(&mut done);
    }
    assert_eq!(done.len(), 1);
    done[0].at.as_nanos() / 1_000
}

#[test]
fn a_long_io_is_cut_into_commands_side_by_side() {
    let mut host = host(32);
    // Sent at 2, 4, 6; done at 102, 104, 106; handled by 105, 108, 111, no task woken between.
    assert_eq!(run_long(&mut host), 111);
    let pieces: Vec<(u64, u64)> = (host.inner.started.iter())
        .map(|io| (io.offset.get() / 1_024, io.len.get() / 1_024))
        .collect();
    assert_eq!(pieces, [(8, 128), (136, 128), (264, 44)]);
}

#[test]
fn with_one_command_at_a_time_the_pieces_follow_each_other() {
    let mut host = host(1);
    // Each takes 2 + 100 + 3, and the last wakes the task.
    assert_eq!(run_long(&mut host), 3 * 105 + 4);
    assert_eq!(host.inner.most, 1);
}

#[test]
fn a_trim_and_a_flush_carry_no_data_and_stay_whole() {
    let mut host = host(32);
    let trim = Io {
        op: Op::Trim,
        ..Io::write(Bytes::ZERO, Bytes::mib(1), 0)
    };
    host.start(Instant::ZERO, Tag(0), &trim);
    host.start(Instant::ZERO, Tag(1), &Io::flush());
    let mut done = Vec::new();
    while host.next().is_some() {
        host.step(&mut done);
    }
    assert_eq!(host.inner.started, [trim, Io::flush()]);
}

#[test]
fn a_command_that_fails_fails_its_io() {
    let mut way = Way::new(&Io::read(Bytes::ZERO, Bytes::kib(256)), 0);
    way.note(Outcome::Complete);
    way.note(Outcome::Failed(5));
    way.note(Outcome::Complete);
    assert_eq!(way.outcome, Outcome::Failed(5));
}

/// Starts a read of each of `n` streams at once; the times at which they are complete.
fn run_streams(host: &mut Host<Even>, n: u32) -> Vec<u64> {
    for stream in 0..n {
        host.next_from(stream);
        host.start(
            Instant::ZERO,
            Tag(stream),
            &Io::read(Bytes::ZERO, Bytes::kib(4)),
        );
    }
    let mut done = Vec::new();
    while host.next().is_some() {
        host.step(&mut done);
    }
    done.iter().map(|f| f.at.as_nanos() / 1_000).collect()
}

#[test]
fn each_stream_is_served_by_a_processor_of_its_own_while_there_are_enough() {
    assert_eq!(run_streams(&mut several(3), 3), [109, 109, 109]);
    // The third shares the first's processor: sent 2 us later, and handled after it.
    assert_eq!(run_streams(&mut several(2), 3), [109, 109, 112]);
    assert_eq!(run_streams(&mut several(1), 3), [109, 112, 115]);
}

#[test]
fn one_stream_has_one_processor_however_many_there_are() {
    assert_eq!(run(&mut several(8), 3), run(&mut host(32), 3));
}

#[test]
fn many_streams_are_not_limited_by_one_processor() {
    // 64 reads at once of a drive that takes all of them: 5 us of processor time each.
    let last = |processors| run_streams(&mut several(processors), 64).pop().unwrap();
    let (one, eight) = (last(1), last(8));
    assert!(
        one > 64 * 3 + 100 && eight < one - 100,
        "{one} and {eight} us"
    );
}

#[test]
fn a_queue_for_each_processor_lets_through_as_many_more() {
    let most = |queue_each| {
        let computer = Computer {
            processors: 4,
            ..Computer::from(HostTimes {
                queue_each,
                ..times(2)
            })
        };
        let drive = Even::new(Bytes::mib(1), Duration::from_micros(100));
        let mut host = Host::new(drive, computer);
        run_streams(&mut host, 16);
        host.inner.most
    };
    assert_eq!((most(false), most(true)), (2, 8));
}

fn with(change: impl FnOnce(&mut HostTimes)) -> Host<Even> {
    let mut times = times(32);
    change(&mut times);
    Host::new(Even::new(Bytes::mib(1), Duration::from_micros(100)), times)
}

#[test]
fn a_processor_that_polls_never_sleeps() {
    assert_eq!(run(&mut with(|times| times.poll = true), 1), [2 + 100 + 3]);
}

#[test]
fn noise_delays_some_and_the_same_again_for_the_same_seed() {
    let noisy = |seed| {
        let noise = Noise {
            short_gap: Duration::from_micros(400),
            short: Duration::from_micros(40),
            ..Noise::default()
        };
        let computer = Computer {
            noise,
            seed,
            ..Computer::from(times(32))
        };
        let drive = Even::new(Bytes::mib(1), Duration::from_micros(100));
        let mut host = Host::new(drive, computer);
        let mut done = Vec::new();
        let mut now = Instant::ZERO;
        let mut took = Vec::new();
        for _ in 0..200 {
            host.start(now, Tag(0), &Io::read(Bytes::ZERO, Bytes::kib(4)));
            while done.is_empty() {
                host.step(&mut done);
            }
            let end = done.pop().unwrap().at;
            took.push(end.since(now).as_nanos());
            now = end;
        }
        took
    };
    let took = noisy(1);
    assert_eq!(took, noisy(1));
    assert_ne!(took, noisy(2));
    assert!(took.iter().all(|&ns| ns >= 109_000));
    let late = took.iter().filter(|&&ns| ns > 109_000).count();
    assert!((5..60).contains(&late), "{late} of 200 were delayed");
}

#[test]
fn a_slow_drive_lets_the_processor_sleep_deeply() {
    let us = |us| Some(Duration::from_micros(us));
    let idle = IdleStates {
        deepest_exit: us(80),
        deepest_residency: us(200),
        ..IdleStates::default()
    };
    let last_of_forty = |drive_us| {
        let computer = Computer {
            idle,
            ..Computer::from(times(32))
        };
        let drive = Even::new(Bytes::mib(1), Duration::from_micros(drive_us));
        let mut host = Host::new(drive, computer);
        let mut done = Vec::new();
        let mut now = Instant::ZERO;
        let mut took = 0;
        for _ in 0..40 {
            host.start(now, Tag(0), &Io::read(Bytes::ZERO, Bytes::kib(4)));
            while done.is_empty() {
                host.step(&mut done);
            }
            let end = done.pop().unwrap().at;
            took = end.since(now).as_nanos() / 1_000;
            now = end;
        }
        took
    };
    assert_eq!(last_of_forty(100), 109);
    assert_eq!(last_of_forty(10_000), 10_009 + 80);
}

/// Starts I/Os at once on a drive of a given cache: what the drive got, and when each is complete.
fn safely(caching: WriteCaching, merges_flushes: bool, ios: &[Io]) -> (Vec<Io>, Vec<u64>) {
    let mut drive = Even::new(Bytes::mib(1), Duration::from_micros(100));
    drive.caching = caching;
    let mut host = Host::new(
        drive,
        HostTimes {
            merges_flushes,
            ..times(32)
        },
    );
    for (tag, io) in (0..).zip(ios) {
        host.start(Instant::ZERO, Tag(tag), io);
    }
    let mut done = Vec::new();
    while host.next().is_some() {
        host.step(&mut done);
    }
    assert_eq!(done.len(), ios.len(), "each is complete once");
    let ends = done.iter().map(|done| done.at.as_nanos() / 1_000).collect();
    (host.inner.started.clone(), ends)
}

const BACK: WriteCaching = WriteCaching::Back {
    durable_writes: false,
};

fn ops(ios: &[Io]) -> Vec<(Op, bool)> {
    ios.iter().map(|io| (io.op, io.durable)).collect()
}

#[test]
fn a_drive_without_a_volatile_cache_gets_no_flush_and_no_durable_write() {
    let write = Io::write(Bytes::ZERO, Bytes::kib(4), 1);
    let (got, ends) = safely(
        WriteCaching::Through,
        true,
        &[Io::flush(), write.durably(), Io::flush()],
    );
    assert_eq!(ops(&got), [(Op::Write, false)]);
    assert!(ends[..2].iter().all(|end| *end < 10), "{ends:?}");
}

#[test]
fn a_durable_write_is_sent_as_one_or_with_a_flush_behind_it() {
    let write = [Io::write(Bytes::ZERO, Bytes::kib(4), 1).durably()];
    let fua = WriteCaching::Back {
        durable_writes: true,
    };
    for merges in [false, true] {
        assert_eq!(ops(&safely(fua, merges, &write).0), [(Op::Write, true)]);
        let (got, ends) = safely(BACK, merges, &write);
        assert_eq!(ops(&got), [(Op::Write, false), (Op::Flush, false)]);
        assert!(ends[0] > 200, "one after the other: {ends:?}");
    }
}

#[test]
fn flushes_that_come_while_one_is_under_way_are_sent_as_one() {
    let flushes = vec![Io::flush(); 8];
    let (got, ends) = safely(BACK, true, &flushes);
    assert_eq!(got.len(), 2, "the first, and one for the seven others");
    assert!(ends[7] < 240, "{ends:?}");
    assert_eq!(safely(BACK, false, &flushes).0.len(), 8);
    // The flush behind durable writes waits until the data of all are there, and is one.
    let writes: Vec<Io> = (0..8)
        .map(|n| Io::write(Bytes::kib(4 * n), Bytes::kib(4), 1).durably())
        .collect();
    let (got, _) = safely(BACK, true, &writes);
    let behind: Vec<Op> = got.iter().map(|io| io.op).collect();
    assert_eq!(behind.iter().filter(|op| **op == Op::Flush).count(), 1);
    assert_eq!(behind[8], Op::Flush);
}

#[test]
fn a_durable_write_that_fails_gets_no_flush_and_says_so() {
    let mut drive = Even::new(Bytes::mib(1), Duration::from_micros(100));
    drive.outcome = Outcome::Failed(5);
    let mut host = Host::new(drive, times(32));
    let write = Io::write(Bytes::ZERO, Bytes::kib(4), 1).durably();
    host.start(Instant::ZERO, Tag(0), &write);
    let mut done = Vec::new();
    while host.next().is_some() {
        host.step(&mut done);
    }
    assert_eq!(done[0].outcome, Outcome::Failed(5));
    assert_eq!(host.inner.started.len(), 1);
}
