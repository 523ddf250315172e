//! A sector that cannot be read: what it costs, what it says, and how it ends.

use super::super::drive::recovery::Recovery;
use super::*;

/// Seven seconds are 840 turns at 7,200 a minute.
const LIMIT: u64 = 7_000_000_000;

fn damaged(limit_ns: u64, unreadable: u32) -> Parameters {
    Parameters {
        recovery: Some(Recovery {
            limit_ns,
            unreadable,
        }),
        ..disk()
    }
}

/// The outcome of one I/O after a rest of a second, and its time in nanoseconds.
fn outcome(target: &mut Virtual<Hdd>, io: Io) -> (Outcome, u64) {
    let mut done: Vec<Done> = Vec::new();
    let until = target.now() + Duration::from_secs(1);
    target.wait(Some(until), &mut done);
    let sent = target.now();
    target.submit(Tag(0), &io).unwrap();
    while done.is_empty() {
        target.wait(None, &mut done);
    }
    (done[0].outcome, done[0].at.since(sent).as_nanos())
}

fn bad(target: &mut Virtual<Hdd>) -> Vec<u64> {
    target.model().unreadable_sectors().collect()
}

#[test]
fn a_read_of_a_bad_sector_errs_after_the_limit() {
    for limit in [LIMIT, 0, 30_000_000_000] {
        let mut target = drive(damaged(limit, 3));
        for sector in bad(&mut target) {
            let (said, took) = outcome(&mut target, read(sector, 8));
            assert_eq!(said, Outcome::Failed(5));
            // The way there is a seek and a revolution at most; the tries are whole revolutions.
            let tries = (limit as f64 / TURN).floor() * TURN;
            let way = took as f64 - tries;
            assert!((0.0..30e6 + TURN).contains(&way), "{way} of {took}");
            // Beside it nothing is wrong.
            let (said, took) = outcome(&mut target, read(sector + 8, 8));
            assert_eq!(said, Outcome::Complete);
            assert!(took < 60_000_000, "{took}");
        }
    }
}

#[test]
fn a_read_that_only_touches_a_bad_sector_errs_too_even_where_it_was_read_ahead_of() {
    let mut target = drive(damaged(LIMIT, 1));
    let sector = bad(&mut target)[0];
    // In order up to it, so that reading ahead has passed it.
    for step in (1..=16).rev() {
        let (said, _) = outcome(&mut target, read(sector - step * 8, 8));
        assert_eq!(said, Outcome::Complete);
    }
    for (start, blocks) in [(sector - 8, 9), (sector + 7, 1), (sector - 100, 200)] {
        let (said, took) = outcome(&mut target, read(start, blocks));
        assert_eq!(said, Outcome::Failed(5), "{start}");
        assert!(took > LIMIT - TURN as u64, "{took}");
    }
}

#[test]
fn a_sector_that_is_written_whole_can_be_read_again() {
    let mut target = drive(damaged(LIMIT, 2));
    let sectors = bad(&mut target);
    assert_eq!(sectors.len(), 2);
    // A part of a sector does not make the rest of it readable.
    outcome(&mut target, write(sectors[0], 4));
    assert_eq!(bad(&mut target), sectors);
    outcome(&mut target, write(sectors[0], 8));
    assert_eq!(bad(&mut target), sectors[1..]);
    let (said, _) = outcome(&mut target, read(sectors[0], 8));
    assert_eq!(said, Outcome::Complete);
}

#[test]
fn a_disk_without_bad_sectors_is_the_same_with_a_limit_as_without() {
    let rate = |p: Parameters| iops(p, Op::Read, Order::Random, 4, 8, 5_000).to_bits();
    assert_eq!(rate(damaged(LIMIT, 0)), rate(disk()));
}
