//! What the disk does of its own accord: the scan of the medium.

use super::*;
use crate::hdd::drive::media_scan::Scanning;

const MS: fn(u64) -> Duration = Duration::from_millis;

const SCAN: Scanning = Scanning {
    after_ns: 500_000_000,
    burst_ns: 800_000_000,
    pause_ns: 200_000_000,
    segment_blocks: 400,
};

fn scanning(scan: Option<Scanning>) -> Virtual<Hdd> {
    let mut p = disk();
    p.media_scan = scan;
    drive(p)
}

#[test]
fn the_first_command_after_idle_waits_for_a_segment_at_most() {
    let (mut with, mut without) = (scanning(Some(SCAN)), scanning(None));
    let mut later = Vec::new();
    for i in 0..200 {
        // The scan is at the beginning of the disk, and so is the arm of the other one.
        let rest = MS(600 + i * 7 % 700);
        let block = 40_000_000 + i * 8_000;
        one(&mut without, Duration::ZERO, read(i * 8_000, 8));
        one(&mut with, Duration::ZERO, read(i * 8_000, 8));
        let took = one(&mut with, rest, read(block, 8)).as_nanos() as f64;
        later.push(took - one(&mut without, rest, read(block, 8)).as_nanos() as f64);
    }
    // A segment passes in 400 / 3,000 of a turn, or a track's change more; then the head waits for its
    // sector again: whole turns come on top, and the mean is what counts.
    let mean = later.iter().sum::<f64>() / later.len() as f64;
    let segment = TURN * 400.0 / 3_000.0;
    assert!(mean > 0.0 && mean < 2.0 * segment + 1e6, "{mean} {segment}");
    let worst = later.iter().copied().fold(0.0, f64::max);
    assert!(worst < segment + 2.5 * TURN, "{worst}");
}

#[test]
fn a_disk_that_is_never_idle_for_so_long_is_as_one_without_a_scan() {
    let (mut with, mut without) = (scanning(Some(SCAN)), scanning(None));
    let mut rng = Rng::new(3);
    for _ in 0..300 {
        let at = rng.below(20_000_000) * 8;
        let rest = MS(rng.below(500));
        assert_eq!(
            one(&mut with, rest, read(at, 8)),
            one(&mut without, rest, read(at, 8))
        );
    }
}
