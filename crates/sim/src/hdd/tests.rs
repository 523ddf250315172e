//! Tests of the drive as a whole, on made-up disks whose figures follow in closed form.

use base::io::{Io, Op};
use base::rng::Rng;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::target::{Done, Outcome, Tag, Target};
use base::time::{Duration, Instant};
use base::workload::{Job, Order, Span, Stop, Workload};
use proptest::prelude::*;

use super::drive::Hdd;
use super::drive::parameters::Parameters;
use super::geometry::{Geometry, ZoneLayout};
use super::queue::{Patience, Queueing};
use super::rare::Retries;
use super::read_cache::ReadCaching;
use super::seek::{Actuator, SeekCurve};
use super::spindle::{Angle, Spindle};
use super::track_pass::Mechanics;
use super::vibration::Vibration;
use super::write_cache::WriteCaching;
use crate::model::Model;
use crate::virtual_time::Virtual;

const TURN: f64 = 60e9 / 7_200.0;

mod actuators;
mod cold;
mod emptying;
mod mechanisms;
mod own_work;
mod properties;
mod recovery;
mod saved;
mod shingled;
mod streams;
mod surfaces;

fn zone(first_cylinder: u32, cylinders: u32, sectors_per_track: u32) -> ZoneLayout {
    ZoneLayout {
        first_cylinder,
        cylinders,
        sectors_per_track,
        skew_head: Angle::share(15, 100),
        skew_band: Angle::share(15, 100),
        ..ZoneLayout::default()
    }
}

/// Two zones of 3,000 and 1,600 sectors a track, 4 heads, 24,000 cylinders: 113 GB.
fn disk() -> Parameters {
    let zones = vec![zone(0, 12_000, 3_000), zone(12_000, 12_000, 1_600)];
    let geometry = Geometry::new(4, 1, false, zones).unwrap();
    let actuator = Actuator {
        curve: SeekCurve::from_mean(24_000, 8_200_000, 0.11).unwrap(),
        head_switch_ns: 1_000_000,
        write_settle_ns: 100_000,
        write_more_q16: 0,
    };
    Parameters {
        blocks: geometry.blocks(),
        block: Bytes::SECTOR,
        physical_blocks: 8,
        mechanics: Mechanics::new(geometry, actuator, Spindle::new(7_200)),
        queue_depth: 32,
        patience: Patience::new(128),
        queueing: Queueing::default(),
        vibration: Vibration::default(),
        read_overhead_ns: 60_000,
        write_overhead_ns: 60_000,
        wire_block_picos: 917_560,
        wire_write_block_picos: 917_560,
        wire_frame_blocks: 16,
        read_cache: ReadCaching {
            zero_latency: true,
            look_behind: false,
            segments: 16,
            segment_blocks: 4_096,
            ahead_blocks: 2_048,
            read_on_below_blocks: 1_024,
        },
        write_cache: WriteCaching {
            on: true,
            blocks: 32_768,
            saved_blocks: 0,
            runs: 128,
            page_blocks: 128,
            batch: 1,
            sees_rotation: true,
            run_blocks: u64::MAX,
            delay_ns: 10_000_000,
            deadline_ns: 1_000_000_000,
            part_blocks: 2_048,
        },
        media_scan: None,
        rare: Retries {
            gap_sectors: 0.0,
            gap_revolutions: 0.0,
            revolutions: 1.0,
        },
        recovery: None,
        shingled: None,
        cold: None,
        cold_until_ns: 0,
        seed: 1,
    }
}

/// Parameters, changed.
fn with(mut p: Parameters, change: impl FnOnce(&mut Parameters)) -> Parameters {
    change(&mut p);
    p
}

fn drive(p: Parameters) -> Virtual<Hdd> {
    Virtual::new(Hdd::new(p))
}

/// One I/O at a time, after a rest; its latency.
fn one(target: &mut Virtual<Hdd>, rest: Duration, io: Io) -> Duration {
    let mut done: Vec<Done> = Vec::new();
    let until = target.now() + rest;
    target.wait(Some(until), &mut done);
    assert!(done.is_empty());
    let sent = target.now();
    target.submit(Tag(0), &io).unwrap();
    while done.is_empty() {
        target.wait(None, &mut done);
    }
    assert_eq!(done[0].outcome, Outcome::Complete, "{io:?}");
    done[0].at.since(sent)
}

fn read(block: u64, blocks: u64) -> Io {
    Io::read(Bytes::new(block * 512), Bytes::new(blocks * 512))
}

fn write(block: u64, blocks: u64) -> Io {
    Io::write(Bytes::new(block * 512), Bytes::new(blocks * 512), 0)
}

/// Runs one job and gives its I/Os per second.
fn iops(p: Parameters, op: Op, order: Order, kib: u64, depth: u32, ios: u64) -> f64 {
    let mut target = drive(p);
    let span = Span::first(target.info().capacity);
    let job = Job::closed("job", op, order, span, Bytes::kib(kib), depth);
    let stop = Stop {
        ios: Some(ios),
        ..Stop::default()
    };
    let work = Workload::single(job, stop, 5);
    let record = run(&mut target, "phase", &work, &mut Unwatched).unwrap();
    ios as f64 / record.took.as_secs_f64()
}

#[test]
fn a_random_read_waits_half_a_revolution_and_a_mean_seek() {
    let p = disk();
    // Blocks are drawn evenly, cylinders are not: the expected seek is over the pairs drawn.
    let mechanics = p.mechanics.clone();
    let mut target = drive(p);
    let blocks = target.info().capacity.get() / 512;
    let mut rng = Rng::new(3);
    let (mut seeks, mut took) = (0_u64, 0_u64);
    let mut from = mechanics.geometry.place(0).track;
    let n = 20_000_u64;
    for _ in 0..n {
        let block = rng.below(blocks / 8) * 8;
        let to = mechanics.geometry.place(block).track;
        seeks += mechanics
            .actuator
            .time((from.cylinder, from.head), (to.cylinder, to.head), false);
        from = to;
        took += one(
            &mut target,
            Duration::from_micros(rng.below(9_000)),
            read(block, 8),
        )
        .as_nanos();
    }
    // Decoding, the medium for 8 sectors (a 2,300th of the mean track), the last frame.
    let rest = 60_000.0 + TURN * 8.0 / 2_300.0 + 8.0 * 917.6;
    let mean = (took - seeks) as f64 / n as f64 - rest;
    assert!((mean / (TURN / 2.0) - 1.0).abs() < 0.02, "{mean}");
}

#[test]
fn a_stream_runs_at_sectors_a_track_over_revolution_and_skew() {
    for op in [Op::Read, Op::Write] {
        let got = iops(disk(), op, Order::Sequential, 64, 1, 40_000) * 65_536.0;
        let expected = 3_000.0 * 512.0 / (TURN * 1.15 / 1e9);
        assert!(
            (got / expected - 1.0).abs() < 0.02,
            "{op:?} {got} {expected}"
        );
    }
}

#[test]
fn a_deep_queue_in_order_streams_as_well() {
    for (op, kib, depth) in [
        (Op::Read, 1024, 8),
        (Op::Read, 128, 32),
        (Op::Write, 128, 32),
    ] {
        let got = iops(disk(), op, Order::Sequential, kib, depth, 8_000) * (kib * 1024) as f64;
        let expected = 3_000.0 * 512.0 / (TURN * 1.15 / 1e9);
        assert!(
            (got / expected - 1.0).abs() < 0.05,
            "{op:?} {depth} {got} {expected}"
        );
    }
}

#[test]
fn thirty_two_waiting_reads_double_the_rate_and_none_starves() {
    let one_deep = iops(disk(), Op::Read, Order::Random, 4, 1, 4_000);
    assert!((70.0..85.0).contains(&one_deep), "{one_deep}");
    let deep = iops(disk(), Op::Read, Order::Random, 4, 32, 20_000);
    assert!((1.7..3.2).contains(&(deep / one_deep)), "{one_deep} {deep}");
    let mut target = drive(disk());
    let span = Span::first(target.info().capacity);
    let job = Job::closed("job", Op::Read, Order::Random, span, Bytes::kib(4), 32);
    let stop = Stop {
        ios: Some(50_000),
        ..Stop::default()
    };
    let record = run(
        &mut target,
        "p",
        &Workload::single(job, stop, 9),
        &mut Unwatched,
    )
    .unwrap();
    let longest = record.jobs[0].worst.ios().first().map(|w| w.service);
    assert!(
        longest.is_some_and(|l| l < Duration::from_millis(1_500)),
        "{longest:?}"
    );
}

#[test]
fn a_stream_does_not_starve_a_read_far_away() {
    let mut target = drive(disk());
    let mut done = Vec::new();
    for tag in 0..8 {
        target
            .submit(Tag(tag), &read(u64::from(tag) * 256, 256))
            .unwrap();
    }
    let far = 50_000_000;
    target.submit(Tag(31), &read(far, 8)).unwrap();
    let mut next = 8 * 256;
    let mut far_done = None;
    for _ in 0..4_000 {
        target.wait(None, &mut done);
        for d in done.drain(..) {
            if d.tag == Tag(31) {
                far_done = Some(d.at);
            } else {
                target.submit(d.tag, &read(next, 256)).unwrap();
                next += 256;
            }
        }
    }
    let far_done = far_done.map(|at| at.since(Instant::ZERO));
    assert!(
        far_done.is_some_and(|t| t < Duration::from_secs(1)),
        "{far_done:?}"
    );
}

#[test]
fn the_second_read_in_order_is_cheap_even_after_one_elsewhere() {
    let mut target = drive(disk());
    let pause = Duration::from_millis(2);
    let first = one(&mut target, pause, read(10_000, 128));
    let second = one(&mut target, pause, read(10_128, 128));
    let elsewhere = one(&mut target, pause, read(60_000_000, 128));
    let third = one(&mut target, pause, read(10_256, 128));
    let cheap = Duration::from_nanos(60_000 + 117_448);
    assert!(first > Duration::from_millis(1));
    assert_eq!(second, cheap);
    assert!(elsewhere > Duration::from_millis(4));
    assert_eq!(third, cheap);
}

#[test]
fn a_read_of_a_whole_track_takes_a_revolution_wherever_the_head_lands() {
    let mut longest = [Duration::ZERO; 2];
    for (zero_latency, longest) in [false, true].into_iter().zip(&mut longest) {
        for rest in 0..20 {
            let p = with(disk(), |p| {
                p.read_cache.zero_latency = zero_latency;
                p.read_cache.segment_blocks = 1_000_000;
            });
            let mut target = drive(p);
            // Track 0 of cylinder 0, where the head is parked: no seek.
            let took = one(
                &mut target,
                Duration::from_micros(400 * rest),
                read(0, 3_000),
            );
            *longest = took.max(*longest);
        }
    }
    let revolution = Duration::from_nanos(TURN as u64);
    assert!(longest[0] > revolution + Duration::from_millis(7));
    assert!(
        longest[1] < revolution + Duration::from_micros(200),
        "{}",
        longest[1]
    );
}

#[test]
fn writes_return_at_once_until_the_cache_is_full_and_a_flush_waits_for_them() {
    let mut target = drive(disk());
    let mut rng = Rng::new(4);
    let blocks = target.info().capacity.get() / 512;
    let took: Vec<Duration> = (0..400)
        .map(|_| {
            one(
                &mut target,
                Duration::ZERO,
                write(rng.below(blocks / 8) * 8, 8),
            )
        })
        .collect();
    let at_once = Duration::from_micros(100);
    assert!(took[..100].iter().all(|&t| t < at_once));
    let late: u64 = took[300..].iter().map(|t| t.as_nanos()).sum();
    // The nearest of 128 waiting runs takes a few milliseconds.
    assert!((1_500_000..8_000_000).contains(&(late / 100)), "{late}");
    let waiting = target.model().unwritten();
    assert!(waiting >= Bytes::kib(4 * 120), "{waiting}");
    let flush = one(&mut target, Duration::ZERO, Io::flush());
    assert!(flush > Duration::from_millis(200), "{flush}");
    assert_eq!(target.model().unwritten(), Bytes::ZERO);
    assert!(one(&mut target, Duration::ZERO, Io::flush()) < at_once);
}

#[test]
fn written_blocks_are_read_from_the_cache() {
    let mut target = drive(disk());
    one(&mut target, Duration::ZERO, write(70_000_000, 16));
    let took = one(&mut target, Duration::ZERO, read(70_000_004, 8));
    assert!(took < Duration::from_micros(100), "{took}");
}

#[test]
fn without_a_write_cache_a_write_takes_as_long_as_the_medium() {
    let p = with(disk(), |p| p.write_cache.on = false);
    let mut target = drive(p);
    let took = one(&mut target, Duration::ZERO, write(70_000_000, 8));
    assert!(took > Duration::from_millis(4), "{took}");
    assert_eq!(target.model().unwritten(), Bytes::ZERO);
    let rate = iops(
        with(disk(), |p| p.write_cache.on = false),
        Op::Write,
        Order::Random,
        4,
        1,
        2_000,
    );
    assert!((65.0..85.0).contains(&rate), "{rate}");
}

#[test]
fn a_durable_write_passes_the_cache_by_and_takes_as_long_as_the_medium() {
    let mut target = drive(disk());
    let at_once = Duration::from_micros(100);
    assert!(one(&mut target, Duration::ZERO, write(30_000_000, 8)) < at_once);
    let took = one(&mut target, Duration::ZERO, write(70_000_000, 8).durably());
    assert!(took > Duration::from_millis(4), "{took}");
    // What was written before it elsewhere waits on.
    assert_eq!(target.model().unwritten(), Bytes::kib(4));
    // Older data of the same place are written with it.
    let took = one(&mut target, Duration::ZERO, write(30_000_000, 8).durably());
    assert!(took > Duration::from_millis(1), "{took}");
    assert_eq!(target.model().unwritten(), Bytes::ZERO);
}

#[test]
fn a_write_of_part_of_a_physical_sector_costs_a_revolution() {
    let through = || with(disk(), |p| p.write_cache.on = false);
    let whole = one(&mut drive(through()), Duration::ZERO, write(8_000, 8));
    let part = one(&mut drive(through()), Duration::ZERO, write(8_000, 7));
    let more = part.as_nanos() as f64 - whole.as_nanos() as f64;
    assert!((more / TURN - 1.0).abs() < 0.001, "{more}");
}

#[test]
fn a_power_cut_loses_what_is_not_written_and_nothing_else() {
    let mut target = drive(disk());
    one(&mut target, Duration::ZERO, write(0, 8));
    one(&mut target, Duration::ZERO, Io::flush());
    one(&mut target, Duration::ZERO, write(50_000_000, 8));
    one(&mut target, Duration::ZERO, write(50_000_008, 8));
    one(&mut target, Duration::ZERO, write(90_000_000, 8));
    let now = target.now();
    target.model().power_cut(now);
    let kept = |blocks: u64| Bytes::new(blocks * 512);
    assert_eq!(
        target.model().lost(),
        [(kept(50_000_000), kept(16)), (kept(90_000_000), kept(8))]
    );
    assert_eq!(target.model().unwritten(), Bytes::ZERO);
    assert_eq!(target.model().next(), None);
    // And it works on.
    one(&mut target, Duration::from_secs(1), read(50_000_000, 8));
}

#[test]
fn idle_hours_write_everything_back_and_cost_nothing() {
    let mut model = Hdd::new(disk());
    let mut done = Vec::new();
    for tag in 0..20_u64 {
        let io = write(tag * 4_000_000, 8);
        model.start(Instant::from_nanos(1), Tag(tag as u32), &io);
    }
    let mut steps = 0;
    while model.next().is_some() {
        model.step(&mut done);
        steps += 1;
    }
    // Decoding and arrival of each; nothing is left in the agenda for the hours to come.
    assert_eq!((done.len(), steps), (20, 40));
    let later = Instant::from_nanos(50 * 3_600 * 1_000_000_000);
    model.start(later, Tag(0), &Io::flush());
    assert_eq!(model.unwritten(), Bytes::ZERO);
    model.step(&mut done);
    model.step(&mut done);
    assert_eq!(done.len(), 21);
    assert_eq!(done[20].at.since(later), Duration::from_nanos(60_000));
}

#[test]
fn runs_on_one_track_are_written_in_one_revolution_whatever_order_they_came_in() {
    let mut target = drive(disk());
    for i in [11_u64, 0, 9, 2, 7, 4, 5, 6, 3, 8, 1, 10] {
        one(&mut target, Duration::ZERO, write(i * 248, 8));
    }
    let flush = one(&mut target, Duration::ZERO, Io::flush());
    let revolution = TURN as u64;
    assert!(
        (revolution / 2..revolution * 5 / 4).contains(&flush.as_nanos()),
        "{flush}"
    );
}

#[test]
fn what_cannot_be_done_is_refused_with_an_error_number() {
    let mut target = drive(disk());
    let mut outcome = |io: Io| {
        let mut done = Vec::new();
        target.submit(Tag(0), &io).unwrap();
        while done.is_empty() {
            target.wait(None, &mut done);
        }
        done[0].outcome
    };
    assert_eq!(outcome(read(1 << 40, 8)), Outcome::Failed(5));
    let odd = Io::read(Bytes::new(100), Bytes::new(512));
    assert_eq!(outcome(odd), Outcome::Failed(22));
    assert_eq!(
        outcome(Io {
            op: Op::Trim,
            ..read(0, 8)
        }),
        Outcome::Failed(95)
    );
    assert_eq!(outcome(read(0, 8)), Outcome::Complete);
}

/// FNV-1a over the completion times of a mixed workload.
fn hash_of_a_mixed_run(seed: u64) -> u64 {
    let p = with(disk(), |p| {
        p.rare.gap_sectors = 3_000.0;
        p.rare.revolutions = 4.0;
        p.seed = seed;
    });
    let mut target = drive(p);
    let mut rng = Rng::new(17);
    let blocks = target.info().capacity.get() / 512 - 512;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut done = Vec::new();
    let mut free: Vec<u32> = (0..32).collect();
    let mut at = 0;
    for i in 0..6_000_u64 {
        while let Some(tag) = free.pop() {
            at = if rng.below(3) == 0 {
                rng.below(blocks)
            } else {
                at + 64
            };
            let io = match i % 37 {
                0 => Io::flush(),
                n if n % 3 == 0 => write(at.min(blocks), 1 + rng.below(300)),
                _ => read(at.min(blocks), 1 + rng.below(300)),
            };
            target.submit(Tag(tag), &io).unwrap();
        }
        while done.is_empty() {
            target.wait(None, &mut done);
        }
        for d in done.drain(..) {
            hash = (hash ^ d.at.as_nanos()).wrapping_mul(0x0000_0100_0000_01b3);
            free.push(d.tag.0);
        }
    }
    hash
}

#[test]
fn a_seed_gives_the_same_times_on_every_run_and_in_every_profile() {
    assert_eq!(hash_of_a_mixed_run(1), hash_of_a_mixed_run(1));
    assert_ne!(hash_of_a_mixed_run(1), hash_of_a_mixed_run(2));
    // The same number in dev and in release.
    assert_eq!(hash_of_a_mixed_run(1), 8_166_305_802_666_215_383);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is asked in whatever order, every command ends once, time does not go back, and an
    /// idle drive has written everything.
    #[test]
    fn every_command_ends_once(
        ios in prop::collection::vec((0_u8..8, 0_u64..400, 1_u64..600, 0_u64..20_000_000), 1..300),
        write_back: bool,
        blocks in 512_u64..4_096,
        runs in 1_u32..12,
        run in prop_oneof![Just(u64::MAX), 64_u64..2_000],
        depth in 1_u32..33,
    ) {
        let p = with(disk(), |p| { p.write_cache.on = write_back; p.write_cache.blocks = blocks; p.write_cache.runs = runs; p.write_cache.run_blocks = run; p.queue_depth = depth; p.rare.gap_sectors = 5_000.0; });
        let mut target = drive(p);
        let mut done: Vec<Done> = Vec::new();
        let mut free: Vec<u32> = (0..depth).collect();
        let mut last = Instant::ZERO;
        let count = ios.len();
        let mut ended = 0;
        let mut take = |done: &mut Vec<Done>, free: &mut Vec<u32>| {
            for d in done.drain(..) {
                assert!(d.at >= last && d.outcome == Outcome::Complete);
                last = d.at;
                assert!(!free.contains(&d.tag.0));
                free.push(d.tag.0);
                ended += 1;
            }
        };
        for (kind, place, length, rest) in ios {
            let until = target.now() + Duration::from_nanos(if kind == 7 { rest * 50 } else { rest / 20 });
            while target.now() < until {
                target.wait(Some(until), &mut done);
                take(&mut done, &mut free);
            }
            while free.is_empty() {
                target.wait(None, &mut done);
                take(&mut done, &mut free);
            }
            let tag = free.pop().unwrap();
            let io = match kind {
                0..=2 => write(place * 40, length),
                3 => write(place * 123_457, length),
                4 | 5 => read(place * 40, length),
                6 => read(place * 123_457, length),
                _ => Io::flush(),
            };
            target.submit(Tag(tag), &io).unwrap();
        }
        let mut waits = 0;
        while free.len() < depth as usize {
            target.wait(None, &mut done);
            take(&mut done, &mut free);
            waits += 1;
            prop_assert!(waits < 1_000_000, "a command hangs");
        }
        prop_assert_eq!(ended, count);
        let later = target.now() + Duration::from_secs(3_600);
        target.wait(Some(later), &mut done);
        target.submit(Tag(0), &Io::flush()).unwrap();
        while done.is_empty() {
            target.wait(None, &mut done);
        }
        prop_assert_eq!(target.model().unwritten(), Bytes::ZERO);
    }
}
