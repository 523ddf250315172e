//! Scatter: a drive with all of it repeats itself by its seed, and one without is what it was.

use super::*;
use crate::ssd::scatter::Scatter;
use crate::ssd::scatter::cells::CellSpread;
use crate::ssd::scatter::dispatch::Dispatching;
use crate::ssd::scatter::housekeeping::Chores;
use crate::ssd::scatter::map_journal::Journaling;
use crate::ssd::scatter::read_retry::RetryRules;

fn scattered() -> Parameters {
    Parameters {
        scatter: Scatter {
            cells: Some(CellSpread {
                read: 30,
                program: 50,
                layers: 100,
                erase: 150,
                worn_program: 100,
                worn_erase: 1_000,
            }),
            read_retry: Some(RetryRules {
                errors: 1.0,
                pages: 0.4,
                limit: 8.8e-3,
                decode: US(40),
                step: US(30),
                most: 8,
            }),
            dispatch: Some(Dispatching { wait: 150 }),
            housekeeping: Some(Chores {
                every: Duration::from_millis(50),
                least: US(300),
                more: US(300),
            }),
            map_journal: Some(Journaling {
                every: Bytes::mib(1),
                busy: US(80),
                checkpoint_every: 4,
                checkpoint: 4,
            }),
        },
        ..small(120, 40_000)
    }
}

/// Every latency of random reads and writes, in order of completion.
fn latencies(p: Parameters, seed: u64) -> Vec<u64> {
    let state = "steady-random".parse().unwrap();
    let mut drive = Virtual::new(Drive::in_state(p, seed, &state).unwrap());
    let mut times = Vec::new();
    for read_percent in [100, 50, 0] {
        let job = mixed(read_percent, 4, 4, &drive);
        let record = go(&mut drive, job, 4_000);
        for op in &record.jobs[0].ops {
            times.extend(
                [0.0, 50.0, 90.0, 99.0, 99.9, 100.0]
                    .map(|share| op.service.percentile(share).map_or(0, Duration::as_nanos)),
            );
        }
    }
    drive.model().audit().unwrap();
    times
}

#[test]
fn the_same_seed_gives_the_same_scatter_and_another_seed_another() {
    assert_eq!(latencies(scattered(), 1), latencies(scattered(), 1));
    assert_ne!(latencies(scattered(), 1), latencies(scattered(), 2));
}

#[test]
fn a_scatter_of_zero_leaves_every_time_as_it_is() {
    let none = Parameters {
        scatter: Scatter {
            cells: Some(CellSpread {
                read: 0,
                program: 0,
                layers: 0,
                erase: 0,
                worn_program: 0,
                worn_erase: 0,
            }),
            read_retry: Some(RetryRules {
                errors: 1.0,
                pages: 0.0,
                limit: 8.8e-3,
                decode: US(40),
                step: US(30),
                most: 8,
            }),
            dispatch: Some(Dispatching { wait: 0 }),
            ..Scatter::default()
        },
        ..small(120, 40_000)
    };
    assert_eq!(latencies(none, 1), latencies(small(120, 40_000), 1));
    assert_ne!(latencies(scattered(), 1), latencies(small(120, 40_000), 1));
}

#[test]
fn lone_reads_scatter_and_their_longest_is_the_firmwares_own_work() {
    let mut drive = in_state(scattered(), "full-in-order");
    let job = job(Op::Read, Order::Random, Bytes::kib(4), 1, &drive);
    let record = go(&mut drive, job, 20_000);
    let reads = &record.jobs[0].ops[0].service;
    let at = |share| reads.percentile(share).unwrap().as_nanos() as f64;
    let (median, p99) = (at(50.0), at(99.0));
    assert!(p99 > 1.05 * median && p99 < 2.0 * median, "{median} {p99}");
    assert!(at(100.0) > median + 300_000.0, "{}", at(100.0));
}

#[test]
fn lone_writes_into_a_buffer_with_room_scatter_about_a_mean_that_stays() {
    let mean_and_tail = |wait| {
        let dispatch = Some(Dispatching { wait });
        let scatter = Scatter {
            dispatch,
            ..Scatter::default()
        };
        let p = Parameters {
            scatter,
            ..small(120, 40_000)
        };
        let mut drive = in_state(p, "fresh");
        let job = job(Op::Write, Order::Random, Bytes::kib(4), 1, &drive);
        let record = go(&mut drive, job, 4_000);
        let writes = &record.jobs[0].ops[1].service;
        let at = |share| writes.percentile(share).unwrap().as_nanos() as f64;
        (
            writes.mean().unwrap().as_nanos() as f64,
            at(99.0) / at(50.0),
        )
    };
    let (without, flat) = mean_and_tail(0);
    let (with, tail) = mean_and_tail(200);
    assert!((with / without - 1.0).abs() < 0.02, "{without} {with}");
    assert!(flat < 1.02 && tail > 1.1, "{flat} {tail}");
}
