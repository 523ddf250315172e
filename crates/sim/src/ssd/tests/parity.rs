//! Parity across dies: what it costs in programs, and what it gives back when a page cannot be read.

use super::*;
use crate::ssd::scatter::read_retry::RetryRules;
use base::io::Io;
use base::target::{Outcome, Tag};

/// Room for 8,640 pages; one die in `stripe` holds parity.
fn striped(stripe: u32) -> Parameters {
    let mut p = small(70, 8_640);
    p.geometry.stripe = stripe;
    p
}

/// Cells whose pages cannot be read beyond a limit, in mean rates.
fn failing(p: Parameters, limit: f64) -> Parameters {
    let mut p = p;
    p.scatter.read_retry = Some(RetryRules {
        errors: 1.0,
        pages: 0.4,
        limit: 1.48e-3 * limit,
        decode: Duration::ZERO,
        step: Duration::ZERO,
        most: 0,
    });
    p
}

/// A page of each unit is read alone: how each ended, and after how many nanoseconds.
fn read_each(drive: &mut Virtual<Drive>) -> Vec<(Outcome, u64)> {
    let read = |page: u64| {
        let began = drive.now();
        let io = Io::read(Bytes::kib(4 * page), Bytes::kib(4));
        drive.submit(Tag(0), &io).unwrap();
        let mut done = Vec::new();
        while done.is_empty() {
            drive.wait(None, &mut done);
        }
        (done[0].outcome, drive.now().since(began).as_nanos())
    };
    (0..8_640).step_by(8).map(read).collect()
}

fn lost(reads: &[(Outcome, u64)]) -> usize {
    let lost = reads
        .iter()
        .filter(|(outcome, _)| *outcome == Outcome::Failed(5));
    lost.count()
}

#[test]
fn of_n_dies_a_stripe_as_many_pages_are_programmed_as_the_host_wrote_by_n_over_n_less_one() {
    for (stripe, programmed) in [(0, 8_640), (4, 8_640 * 4 / 3), (2, 8_640 * 2)] {
        let mut drive = drive(striped(stripe));
        fill(&mut drive);
        rest(&mut drive, Duration::from_secs(1));
        let counters = drive.model().counters();
        assert_eq!(counters.host_pages, 8_640);
        assert_eq!(counters.programmed_pages, programmed, "{stripe}");
        assert_eq!(counters.parity_pages, programmed - 8_640, "{stripe}");
        drive.model().audit().unwrap();
    }
}

#[test]
fn what_collection_moves_takes_its_parity_too() {
    let mut p = striped(4);
    p.geometry.superblocks = 42;
    let mut drive = drive(p);
    fill(&mut drive);
    writes(&mut drive, Order::Random, 4, 8, 60_000);
    rest(&mut drive, Duration::from_secs(1));
    let counters = drive.model().counters();
    assert!(counters.collected_pages > 10_000, "{counters:?}");
    let data = counters.programmed_pages - counters.parity_pages;
    near(counters.parity_pages as f64, data as f64 / 3.0, 0.01);
    drive.model().audit().unwrap();
}

#[test]
fn a_drive_bound_by_its_dies_writes_as_much_slower_as_parity_takes_of_them() {
    let rate = |stripe| {
        let mut drive = drive(striped(stripe));
        writes(&mut drive, Order::Sequential, 128, 8, 270)
    };
    let (without, with) = (rate(0), rate(4));
    near(with / without, 0.75, 0.05);
}

#[test]
fn a_page_that_cannot_be_read_takes_a_reading_of_the_other_dies_more() {
    // One page in 256 cannot be read.
    let mut drive = in_state(failing(striped(4), 2.95), "full-in-order");
    let reads = read_each(&mut drive);
    assert_eq!(lost(&reads), 0);
    let usual = reads.iter().map(|(_, took)| *took).min().unwrap();
    let slow: Vec<u64> = reads
        .iter()
        .map(|(_, took)| took - usual)
        .filter(|more| *more > 0)
        .collect();
    // The three others of the stripe are read at once in 60 us; two of them share a channel of the two, where
    // 4 KiB take 10.24 us.
    assert!((1..20).contains(&slow.len()), "{slow:?}");
    assert!(slow.iter().all(|more| *more == 70_240), "{slow:?}");
    let rebuilt = drive.model().counters().rebuilt_units;
    assert_eq!(rebuilt, slow.len() as u64);
}

#[test]
fn without_parity_such_a_page_is_lost() {
    let mut drive = in_state(failing(striped(0), 2.95), "full-in-order");
    let reads = read_each(&mut drive);
    assert!((1..20).contains(&lost(&reads)), "{}", lost(&reads));
    assert_eq!(drive.model().counters().rebuilt_units, 0);
}

#[test]
fn two_pages_of_a_stripe_that_cannot_be_read_are_lost() {
    // Half of all pages cannot be read: both others of a stripe of three are good for a quarter of them.
    let mut drive = in_state(failing(striped(4), 1.0), "full-in-order");
    let reads = read_each(&mut drive);
    let rebuilt = drive.model().counters().rebuilt_units as f64;
    let failed = rebuilt + lost(&reads) as f64;
    near(failed, 540.0, 0.1);
    near(rebuilt / failed, 0.25, 0.2);
}

#[test]
fn collection_works_out_what_it_cannot_read() {
    let mut p = failing(striped(4), 2.0);
    p.geometry.superblocks = 42;
    let mut drive = drive(p);
    fill(&mut drive);
    writes(&mut drive, Order::Random, 4, 8, 40_000);
    assert!(drive.model().counters().rebuilt_units > 100);
    drive.model().audit().unwrap();
}

#[test]
fn a_stripe_that_is_closed_before_its_end_has_its_parity() {
    let mut p = striped(4);
    p.slc.fixed = 4;
    let mut drive = drive(p);
    // Five units of eight pages on three dies of data: one row, and two units of the next.
    writes(&mut drive, Order::Sequential, 32, 1, 5);
    rest(&mut drive, Duration::from_millis(50));
    let before = drive.model().counters().parity_pages;
    rest(&mut drive, Duration::from_secs(1));
    let counters = drive.model().counters();
    assert_eq!((before, counters.parity_pages), (8, 16), "{counters:?}");
    drive.model().audit().unwrap();
}
