//! The cache over a slow drive: what is fast, what is not, and what a power cut loses.

use super::*;
use crate::layer::tests::even::{Even, drain};

/// A drive of 1 ms an I/O behind a cache of 1 MiB; half of the cache may be dirty.
fn cache(change: impl FnOnce(&mut RapidParameters)) -> Rapid<Even> {
    let mut p = RapidParameters {
        memory: Bytes::mib(1),
        dirty_limit: Bytes::kib(512),
        delay: Duration::from_millis(100),
        each: Duration::from_micros(10),
        copy: PicosPerByte::new(0),
        honours_flush: true,
    };
    change(&mut p);
    Rapid::new(Even::new(Bytes::gib(1), Duration::from_millis(1)), p).unwrap()
}

fn write(kib: u64, len: u64) -> Io {
    Io::write(Bytes::kib(kib), Bytes::kib(len), 1)
}

fn read(kib: u64, len: u64) -> Io {
    Io::read(Bytes::kib(kib), Bytes::kib(len))
}

fn at(us: u64) -> Instant {
    Instant::from_nanos(us * 1_000)
}

/// Steps until one I/O is complete; how long it took since `from`, in us.
fn one(rapid: &mut Rapid<Even>, from: Instant, io: Io) -> u64 {
    while rapid.next().is_some_and(|next| next < from) {
        rapid.step(&mut Vec::new());
    }
    rapid.start(from, Tag(0), &io);
    let mut done = Vec::new();
    while done.is_empty() {
        rapid.step(&mut done);
    }
    assert_eq!(done[0].outcome, Outcome::Complete);
    done[0].at.since(from).as_nanos() / 1_000
}

#[test]
fn a_write_and_a_read_of_it_run_at_the_speed_of_memory() {
    let mut rapid = cache(|_| ());
    assert_eq!(one(&mut rapid, at(0), write(0, 4)), 10);
    assert_eq!(one(&mut rapid, at(20), read(0, 4)), 10);
    // What is not there comes from the drive, and is there from then on.
    assert_eq!(one(&mut rapid, at(40), read(2, 4)), 1_010);
    assert_eq!(one(&mut rapid, at(2_000), read(2, 4)), 10);
}

#[test]
fn a_copy_takes_its_time_by_the_byte() {
    let mut rapid = cache(|p| p.copy = PicosPerByte::from_mb_s(1_024.0));
    assert_eq!(one(&mut rapid, at(0), write(0, 128)), 10 + 128);
}

#[test]
fn dirty_data_go_to_the_drive_after_the_delay_in_runs() {
    let mut rapid = cache(|_| ());
    for (i, kib) in [8, 0, 4, 100].into_iter().enumerate() {
        one(&mut rapid, at(20 * i as u64), write(kib, 4));
    }
    assert!(rapid.inner.started.is_empty());
    assert_eq!(rapid.next(), Some(at(100_000)));
    drain(&mut rapid);
    let written: Vec<(u64, u64)> = (rapid.inner.started.iter())
        .map(|io| (io.offset.get() >> 10, io.len.get() >> 10))
        .collect();
    // The oldest first, and what is dirty beside it.
    assert_eq!(written, [(8, 4), (0, 8), (100, 4)]);
    assert_eq!(rapid.pages.held(), 0);
}

#[test]
fn at_the_limit_a_write_waits_for_the_drive() {
    let mut rapid = cache(|_| ());
    let mut slow = 0;
    let mut now = at(0);
    for k in 0..400 {
        // Every other page, so that nothing can be joined.
        let us = one(&mut rapid, now, write(8 * k, 4));
        now += Duration::from_micros(us);
        slow += u64::from(us > 10);
    }
    assert!(slow > 0, "400 pages where 128 may be dirty");
    let without = cache(|p| {
        p.memory = Bytes::mib(4);
        p.dirty_limit = Bytes::mib(4);
    });
    let mut without = without;
    let mut now = at(0);
    for k in 0..400 {
        let us = one(&mut without, now, write(8 * k, 4));
        now += Duration::from_micros(us);
        assert_eq!(us, 10);
    }
}

#[test]
fn an_access_larger_than_half_the_limit_goes_past_the_memory() {
    let mut rapid = cache(|_| ());
    one(&mut rapid, at(0), write(0, 4));
    assert_eq!(one(&mut rapid, at(20), write(0, 512)), 1_010);
    assert_eq!(rapid.pages.held(), 0, "it replaced what was dirty");
}

#[test]
fn a_flush_waits_for_the_drive_where_it_is_honoured() {
    let mut honest = cache(|_| ());
    one(&mut honest, at(0), write(0, 4));
    assert_eq!(one(&mut honest, at(20), Io::flush()), 2_010);
    assert_eq!(
        honest.inner.started,
        [
            Io {
                stamp: 0,
                ..write(0, 4)
            },
            Io::flush()
        ]
    );
    honest.power_cut(at(9_000));
    assert_eq!(honest.lost(), []);
    let mut fast = cache(|p| p.honours_flush = false);
    one(&mut fast, at(0), write(0, 4));
    assert_eq!(one(&mut fast, at(20), Io::flush()), 10);
    fast.power_cut(at(90));
    assert_eq!(fast.lost(), [Span::first(Bytes::kib(4))]);
}

#[test]
fn a_flush_does_not_wait_for_what_is_written_after_it() {
    let mut rapid = cache(|_| ());
    rapid.start(at(0), Tag(1), &write(0, 4));
    rapid.start(at(0), Tag(2), &Io::flush());
    for k in 1..60 {
        rapid.start(at(0), Tag(2 + k), &write(64 * u64::from(k), 4));
        rapid.inner.takes += Duration::from_millis(1);
    }
    let done = drain(&mut rapid);
    let flush = done.iter().find(|f| f.tag == Tag(2)).unwrap();
    // The write, sent at once, then the flush of the drive, whose time has grown meanwhile.
    assert_eq!(flush.at, at(1_000 + 60_000 + 10));
}

#[test]
fn a_power_cut_loses_what_is_dirty_and_what_is_on_its_way() {
    let mut rapid = cache(|_| ());
    one(&mut rapid, at(0), write(0, 4));
    one(&mut rapid, at(20), write(64, 8));
    rapid.inner.volatile = vec![Span::new(Bytes::kib(32), Bytes::kib(4))];
    while rapid.inner.started.is_empty() {
        rapid.step(&mut Vec::new());
    }
    rapid.power_cut(at(100_001));
    let kib = |start, len| Span::new(Bytes::kib(start), Bytes::kib(len));
    assert_eq!(rapid.lost(), [kib(0, 4), kib(32, 4), kib(64, 8)]);
    assert_eq!(rapid.next(), None);
    // The memory is empty, and the cache works on.
    assert_eq!(one(&mut rapid, at(200_000), read(0, 4)), 1_010);
}

#[test]
fn a_trim_forgets_what_is_dirty() {
    let mut rapid = cache(|_| ());
    one(&mut rapid, at(0), write(0, 8));
    let trim = Io {
        op: Op::Trim,
        ..write(0, 4)
    };
    one(&mut rapid, at(20), trim);
    rapid.power_cut(at(5_000));
    assert_eq!(rapid.lost(), [Span::new(Bytes::kib(4), Bytes::kib(4))]);
}

#[test]
fn a_deep_queue_never_asks_the_drive_for_more_than_it_takes() {
    let mut rapid = cache(|p| p.dirty_limit = Bytes::kib(64));
    let mut rng = base::rng::Rng::new(9);
    for round in 0..200 {
        for tag in 0..32 {
            let kib = 4 * rng.below(10_000);
            let io = match rng.below(20) {
                0 => Io::flush(),
                1..=9 => read(kib, 4),
                _ => write(kib, 4),
            };
            rapid.start(at(round * 1_000_000), Tag(tag), &io);
        }
        assert_eq!(drain(&mut rapid).len(), 32, "round {round}");
    }
    assert_eq!(rapid.pages.held(), 0);
}

#[test]
fn a_cache_whose_limit_is_above_its_memory_is_refused() {
    let drive = || Even::new(Bytes::gib(1), Duration::from_millis(1));
    for (memory, dirty_limit) in [
        (Bytes::mib(1), Bytes::mib(2)),
        (Bytes::mib(1), Bytes::kib(4)),
    ] {
        let p = RapidParameters {
            memory,
            dirty_limit,
            ..RapidParameters::usual()
        };
        assert!(Rapid::new(drive(), p).is_err());
    }
    assert!(Rapid::new(drive(), RapidParameters::usual()).is_ok());
}
