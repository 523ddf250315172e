//! Read-ahead: what a lone sequential reader gains, what ends it, and that others pay nothing.

use super::*;
use crate::ssd::front::read_ahead::ReadingAhead;
use base::io::Io;
use base::target::Tag;

fn with(read_ahead: Option<ReadingAhead>) -> Virtual<Drive> {
    let mut p = small(100, 30_000);
    p.read_ahead = read_ahead;
    in_state(p, "full-in-order")
}

const RULES: ReadingAhead = ReadingAhead {
    streams: 2,
    after: 2,
    window: 1 << 20,
    write_ends: false,
};

fn ends() -> ReadingAhead {
    ReadingAhead {
        write_ends: true,
        ..RULES
    }
}

/// A lone I/O; its time in us.
fn one(drive: &mut Virtual<Drive>, io: Io) -> f64 {
    let from = at(drive);
    drive.submit(Tag(0), &io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    done[0].at.since(from).as_secs_f64() * 1e6
}

#[test]
fn a_lone_sequential_reader_reaches_the_rate_of_the_link() {
    for kib in [64, 128] {
        let off = reads(&mut with(None), Order::Sequential, kib, 1, 900);
        let on = reads(&mut with(Some(RULES)), Order::Sequential, kib, 1, 900);
        // The link's 2 ns a byte and its frames, and the controller's 10 us for each command.
        let bytes = (kib << 10) as f64;
        near(on, bytes / (bytes * 0.002 + 12.0), 0.02);
        assert!(on > 1.2 * off, "{kib} KiB: {on} and {off}");
    }
}

#[test]
fn small_sequential_reads_find_their_data_in_dram() {
    let mut drive = with(Some(RULES));
    let mut took = Vec::new();
    for page in 0..1_000 {
        took.push(one(
            &mut drive,
            Io::read(Bytes::kib(4 * page), Bytes::kib(4)),
        ));
    }
    // Frames 1, controller 10, link 8.192, frames 1.
    let at_hand = took.iter().filter(|us| **us < 20.2).count();
    assert!(at_hand > 950, "{at_hand}");
    // Each page is fetched once, but for the few at the borders of windows.
    let pages = drive.model().pages_ahead();
    assert!((1_000..1_400).contains(&pages), "{pages}");
}

#[test]
fn a_random_reader_pays_nothing_and_causes_nothing() {
    let go_random = |rules| {
        let mut drive = with(rules);
        let job = job(Op::Read, Order::Random, Bytes::kib(16), 8, &drive);
        let took = go(&mut drive, job, 5_000).took;
        (took, drive.model().pages_ahead())
    };
    let (off, _) = go_random(None);
    let (on, pages) = go_random(Some(ReadingAhead { after: 4, ..RULES }));
    assert_eq!((on, pages), (off, 0));
}

#[test]
fn as_many_streams_are_followed_as_were_asked_for() {
    let served = |streams, readers: u64| {
        let mut drive = with(Some(ReadingAhead { streams, ..RULES }));
        let mut at_hand = 0;
        for step in 0..100 {
            for reader in 0..readers {
                let offset = Bytes::kib(reader * 20_000 + step * 16);
                let us = one(&mut drive, Io::read(offset, Bytes::kib(16)));
                at_hand += u64::from(us < 12.0 + 32.8 + 0.1);
            }
        }
        at_hand as f64 / (100 * readers) as f64
    };
    assert!(served(2, 2) > 0.9);
    assert!(served(4, 4) > 0.9);
    assert!(served(2, 3) < 0.01);
}

#[test]
fn a_copy_within_the_drive_hangs_on_whether_a_write_ends_reading_ahead() {
    let copy = |rules| {
        let mut drive = with(Some(rules));
        let from = at(&drive);
        for step in 0..400 {
            one(&mut drive, Io::read(Bytes::kib(64 * step), Bytes::kib(64)));
            let to = Bytes::mib(64) + Bytes::kib(64 * step);
            one(&mut drive, Io::write(to, Bytes::kib(64), step));
        }
        at(&drive).since(from).as_secs_f64()
    };
    let (on, ended) = (copy(RULES), copy(ends()));
    assert!(ended > 1.15 * on, "{on} s and {ended} s");
}

#[test]
fn what_was_written_over_is_read_again() {
    let mut drive = with(Some(RULES));
    for step in 0..4 {
        one(&mut drive, Io::read(Bytes::kib(16 * step), Bytes::kib(16)));
    }
    rest(&mut drive, US(5_000));
    one(&mut drive, Io::write(Bytes::kib(68), Bytes::kib(4), 9));
    let us = one(&mut drive, Io::read(Bytes::kib(64), Bytes::kib(16)));
    assert!(us > 60.0, "{us}");
}

#[test]
fn a_deep_queue_in_order_is_served_as_before() {
    let off = reads(&mut with(None), Order::Sequential, 128, 16, 2_000);
    let on = reads(&mut with(Some(RULES)), Order::Sequential, 128, 16, 2_000);
    near(on, off, 0.01);
}
