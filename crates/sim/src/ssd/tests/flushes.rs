//! What a flush takes: its data, its map pages, the firmware between; and who shares it.

use super::*;
use crate::ssd::front::flush::FlushRules;
use base::io::Io;
use base::target::Tag;

const BUSY: Duration = Duration::from_micros(100);

fn with(rules: FlushRules) -> Virtual<Drive> {
    drive(Parameters {
        flush: rules,
        ..small(40, 10_000)
    })
}

fn rules(map_programs: u32) -> FlushRules {
    FlushRules {
        map_programs,
        map_every: 1,
        durable_map_programs: map_programs,
        busy: BUSY,
    }
}

/// The times at which I/Os that are sent at once, under tags from 0 on, are complete.
fn together(drive: &mut Virtual<Drive>, ios: &[Io]) -> Vec<Duration> {
    let from = drive.now();
    for (tag, io) in (0..).zip(ios) {
        drive.submit(Tag(tag), io).unwrap();
    }
    let mut done = Vec::new();
    while done.len() < ios.len() {
        drive.wait(None, &mut done);
    }
    done.sort_by_key(|done| done.tag.0);
    done.iter().map(|done| done.at.since(from)).collect()
}

fn page(number: u64) -> Io {
    Io::write(Bytes::kib(4 * number), Bytes::kib(4), 1)
}

/// A write, and the flush behind it: the flush's time.
fn flushed(drive: &mut Virtual<Drive>, number: u64) -> Duration {
    together(drive, &[page(number)]);
    together(drive, &[Io::flush()])[0]
}

#[test]
fn each_map_page_of_a_flush_follows_the_last_one_and_the_firmwares_time() {
    let none = flushed(&mut with(rules(0)), 0);
    let one = flushed(&mut with(rules(1)), 0);
    let each = one - none;
    // A program of one bit a cell takes 300 us, and its pages have to pass the channel.
    assert!(each > BUSY + US(300) && each < BUSY + US(500), "{each}");
    for pages in 2..5 {
        let all = flushed(&mut with(rules(pages)), 0);
        assert_eq!(all - none, each * u64::from(pages));
    }
}

#[test]
fn a_flush_with_nothing_to_save_is_free_and_of_several_one_saves_the_map() {
    let mut drive = with(rules(3));
    let dear = flushed(&mut drive, 0);
    let again = together(&mut drive, &[Io::flush()])[0];
    assert!(again < US(100) && dear > US(1_200), "{again} {dear}");
    let mut drive = with(FlushRules {
        map_every: 3,
        ..rules(3)
    });
    let times: Vec<bool> = (0..9).map(|n| flushed(&mut drive, n) > US(1_000)).collect();
    assert_eq!(times, [false, false, true].repeat(3));
}

#[test]
fn one_flush_runs_at_a_time_and_those_that_wait_share_the_next() {
    let mut drive = with(rules(3));
    let lone = flushed(&mut drive, 0);
    // The second write comes behind the first flush, so that this one does not cover it.
    let ios = [
        page(1),
        Io::flush(),
        page(2),
        Io::flush(),
        Io::flush(),
        Io::flush(),
    ];
    let from = drive.now();
    let mut done = Vec::new();
    drive.submit(Tag(0), &ios[0]).unwrap();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    drive.submit(Tag(1), &ios[1]).unwrap();
    drive.wait(Some(drive.now() + US(50)), &mut done);
    drive.submit(Tag(2), &ios[2]).unwrap();
    drive.wait(Some(drive.now() + US(50)), &mut done);
    for tag in 3..6 {
        drive.submit(Tag(tag), &ios[tag as usize]).unwrap();
    }
    while done.len() < 6 {
        drive.wait(None, &mut done);
    }
    let end = |tag: u32| done.iter().find(|done| done.tag.0 == tag).unwrap().at;
    assert!(end(1).since(from) * 10 < lone * 12);
    assert!(
        end(3).since(end(1)) * 10 > lone * 8,
        "it waits for the first"
    );
    assert!(end(5).since(end(3)) < US(20), "and is shared");
}

#[test]
fn durable_writes_share_their_programs_but_no_map_page() {
    let durable: Vec<Io> = (0..8).map(|n| page(n).durably()).collect();
    let lone = together(&mut with(rules(4)), &durable[..1])[0];
    let all = together(&mut with(rules(4)), &durable);
    let each = Duration::from_nanos((all[7] - all[3]).as_nanos() / 4);
    // Less than one alone takes, whose own data come first; no less than its map pages.
    assert!(each > (BUSY + US(300)) * 4 && each < lone, "{each} {lone}");
}

#[test]
fn a_flush_behind_a_durable_write_saves_the_map_again() {
    let mut drive = with(rules(3));
    let durable = together(&mut drive, &[page(0).durably()])[0];
    let behind = together(&mut drive, &[Io::flush()])[0];
    let again = together(&mut drive, &[Io::flush()])[0];
    let map = (BUSY + US(300)) * 3;
    assert!(durable > map && behind > map, "{durable} {behind}");
    assert!(again < US(100), "{again}");
}

#[test]
fn a_drive_that_writes_through_saves_each_write() {
    let through = |protected: bool| {
        let mut drive = drive(Parameters {
            write_back: false,
            protected,
            flush: rules(2),
            ..small(40, 10_000)
        });
        together(&mut drive, &[page(0)])[0]
    };
    assert!(through(false) > (BUSY + US(300)) * 2);
    assert!(through(true) < US(100), "capacitors keep it");
}

#[test]
fn with_capacitors_a_flush_is_the_firmwares_time() {
    let mut drive = drive(Parameters {
        protected: true,
        flush: rules(3),
        ..small(40, 10_000)
    });
    let time = flushed(&mut drive, 0);
    assert!(time > BUSY && time < BUSY + US(50), "{time}");
}

#[test]
fn a_flush_waits_for_the_move_that_runs_and_not_for_all_that_is_to_be_moved() {
    let mut p = small(200, 60_000);
    p.slc.dynamic_per_mille = 500;
    p.slc.dynamic_most = u32::MAX;
    p.timings.erase = US(1);
    p.flush = rules(0);
    let program = p.timings.program;
    let mut drive = drive(p);
    let mut slowest = Duration::ZERO;
    for number in 0..20 {
        // The cache is folded as fast as it goes when the write comes.
        let job = job(Op::Write, Order::Sequential, Bytes::kib(128), 4, &drive);
        go(&mut drive, job, 200);
        rest(&mut drive, Duration::from_millis(103 + number));
        slowest = slowest.max(flushed(&mut drive, number));
    }
    assert!(drive.model().counters().folded_pages > 1_000);
    // A program of one bit, and the transfers of both.
    assert!(
        slowest > program && slowest < program + US(1_000),
        "{slowest}"
    );
}
