//! Patrol: the drive's own reads beside the host's, and what they find.

use super::*;
use crate::ssd::flash::retention::Fading;
use crate::ssd::scatter::Scatter;
use crate::ssd::scatter::patrol::Patrolling;

/// A full drive of 30 superblocks of 384 pages, 48 units each, that patrols.
fn patrolling(patrol: Option<Patrolling>) -> Parameters {
    let mut p = small(30, 8_000);
    p.scatter = Scatter {
        patrol,
        ..Scatter::default()
    };
    p
}

#[test]
fn reads_at_depth_1_meet_as_many_patrol_reads_as_dies_are_busy_with_them() {
    // 30 x 48 units in 7.2 s: one in 5 ms.
    let rules = Patrolling {
        pass: Duration::from_millis(7_200),
        retries: 0,
    };
    let run = |patrol| {
        let mut drive = in_state(patrolling(patrol), "full-in-order");
        let work = job(Op::Read, Order::Random, Bytes::kib(4), 1, &drive);
        let record = go(&mut drive, work, 100_000);
        let reads = drive.model().counters().patrol_reads as f64;
        (record.took.as_secs_f64(), reads)
    };
    let ((with, reads), (without, none)) = (run(Some(rules)), run(None));
    assert!(none.abs() < f64::EPSILON);
    // The first 1,000 units of the 1,440 hold the drive's 8,000 pages.
    let (passes, rest) = ((with / 7.2).floor(), with % 7.2 / 5e-3);
    near(reads, passes * 1_000.0 + rest.min(1_000.0), 0.01);
    // Each is met by the read of its own die, one of four, where it reaches the die while 60 us of patrol
    // last: it waits for the half of them in the mean. A read takes some 100 us, so that a little over a
    // half of these come in time.
    let waited = (with - without) / reads;
    assert!((1e-6..15e-6).contains(&waited), "{waited}");
}

#[test]
fn a_patrol_that_is_never_due_leaves_every_time_as_it_is() {
    let times = |patrol| {
        let mut drive = in_state(patrolling(patrol), "full-in-order");
        reads(&mut drive, Order::Random, 4, 4, 20_000);
        writes(&mut drive, Order::Random, 4, 4, 20_000);
        at(&drive)
    };
    let never = Patrolling {
        pass: Duration::from_secs(3_650 * 86_400),
        retries: 1,
    };
    assert_eq!(times(None), times(Some(never)));
}

#[test]
fn what_needs_many_retries_is_programmed_anew_beside_the_hosts_reads() {
    let run = |retries| {
        let mut p = patrolling(Some(Patrolling {
            pass: Duration::from_millis(1_440),
            retries,
        }));
        p.retention = Some(Fading {
            reads_well: Duration::from_secs(30 * 86_400),
            retry_each: Duration::from_secs(10 * 86_400),
            most_retries: 10,
            retry: US(100),
            lost_after: Duration::ZERO,
            worn_per_mille: 1_000,
            refresh_after: Duration::ZERO,
        });
        let mut drive = in_state(p, "full-in-order,age=90d");
        let fast = reads(&mut drive, Order::Random, 4, 1, 2_000);
        reads(&mut drive, Order::Random, 4, 1, 40_000);
        let later = reads(&mut drive, Order::Random, 4, 1, 2_000);
        drive.model().audit().unwrap();
        (later / fast, drive.model().counters().collected_pages)
    };
    let (gained, moved) = run(5);
    // Six retries of 100 us beside the 100 us of a read: gone.
    assert!(gained > 4.0 && moved >= 8_000, "{gained} {moved}");
    let (same, none) = run(0);
    near(same, 1.0, 0.05);
    assert_eq!(none, 0);
}
