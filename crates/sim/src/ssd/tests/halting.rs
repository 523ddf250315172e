//! A drive that is not to be made any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::halt::{Halt, PAGES};
use crate::ssd::parameters::DriveError;
use base::state::State;

/// Pages of the drive: some turns of each loop.
const LOGICAL: u64 = 1_000_000;

/// Makes a drive until the n-th question; gives how many were asked, and whether it was made.
fn made(p: &Parameters, state: &str, until: u64) -> (u64, bool) {
    let asked = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&asked);
    let halt = Halt::when(move || counted.fetch_add(1, Ordering::Relaxed) + 1 >= until);
    let state: State = state.parse().unwrap();
    let made = match Drive::in_state_unless(&halt, p.clone(), 1, &state) {
        Ok(_) => true,
        Err(DriveError::Halted(_)) => false,
        Err(other) => panic!("{other}"),
    };
    (asked.load(Ordering::Relaxed), made)
}

#[test]
fn each_loop_over_a_drives_pages_asks_whether_to_stop_and_stops() {
    let p = small(3_200, LOGICAL);
    for (state, loops) in [
        ("full-in-order", 1),
        ("full-in-order,trimmed", 2),
        ("steady-random", 2),
        ("steady-random,trimmed", 3),
    ] {
        let (all, whole) = made(&p, state, u64::MAX);
        assert!(whole);
        let least = loops * LOGICAL / u64::from(PAGES);
        assert!(all >= least, "{state}: {all} of {least}");
        for until in 1..=all {
            assert_eq!(made(&p, state, until), (until, false), "{state}");
        }
    }
}

#[test]
fn a_rest_that_is_simulated_asks_as_well() {
    let mut p = small(3_200, LOGICAL);
    p.reserves.collect_idle_below = 400;
    let (without, _) = made(&p, "steady-random,idle=0s", u64::MAX);
    let state = "steady-random,idle=60s";
    let (with, whole) = made(&p, state, u64::MAX);
    assert!(whole && with > without, "{with} {without}");
    assert_eq!(made(&p, state, with), (with, false));
}
