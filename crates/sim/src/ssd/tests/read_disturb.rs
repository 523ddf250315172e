//! Read disturb: a small part of the drive is read over and over.

use super::*;
use crate::ssd::scatter::read_disturb::Disturbing;

fn disturbed(read_disturb: Option<Disturbing>) -> Parameters {
    let mut p = small(60, 10_000);
    p.scatter.read_disturb = read_disturb;
    p
}

/// Reads of the first superblock's data.
fn hammer(drive: &mut Virtual<Drive>, ios: u64) -> PhaseRecord {
    let span = Span::first(Bytes::new(384 * PAGE));
    let job = Job::closed("hot", Op::Read, Order::Random, span, Bytes::kib(4), 4);
    go(drive, job, ios)
}

#[test]
fn data_that_are_read_over_and_over_are_moved_as_often_as_the_limit_says() {
    let rules = Disturbing {
        reads: 1_000,
        share: 0.1,
    };
    let mut drive = in_state(disturbed(Some(rules)), "full-in-order");
    hammer(&mut drive, 100_000);
    // 1,000 reads a block are 4,000 of a superblock on four dies, and 480 more pass while its 48 units move; a
    // few of the moving reads count as well.
    let moves = drive.model().counters().collected_pages as f64 / 384.0;
    near(moves, 100_000.0 / 4_200.0, 0.08);
    drive.model().audit().unwrap();
}

#[test]
fn reads_over_all_of_a_drive_move_nothing() {
    let rules = Disturbing {
        reads: 1_000,
        share: 0.1,
    };
    let mut drive = in_state(disturbed(Some(rules)), "full-in-order");
    // 27 superblocks of 4 blocks: under a thousand each.
    reads(&mut drive, Order::Random, 4, 4, 90_000);
    assert_eq!(drive.model().counters().collected_pages, 0);
}

#[test]
fn a_limit_that_is_never_reached_leaves_every_time_as_it_is() {
    let times = |rules| {
        let mut drive = in_state(disturbed(rules), "full-in-order");
        hammer(&mut drive, 20_000);
        writes(&mut drive, Order::Random, 4, 4, 20_000);
        at(&drive)
    };
    let never = Disturbing {
        reads: 10_000_000,
        share: 1.0,
    };
    assert_eq!(times(None), times(Some(never)));
}
