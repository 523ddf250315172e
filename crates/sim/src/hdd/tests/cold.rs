//! The mode at low temperature, on and off.

use super::super::cold::ColdStart;
use super::*;

const MINUTES_10: u64 = 600_000_000_000;

fn cold(verify_writes: bool, retry_gap_blocks: f64, until: u64) -> Parameters {
    Parameters {
        cold: Some(ColdStart {
            threshold_celsius: 10,
            lasts_ns: MINUTES_10,
            seek_factor: 1.0,
            verify_writes,
            retry_gap_blocks,
        }),
        cold_until_ns: until,
        ..disk()
    }
}

/// MB/s in order.
fn rate(p: Parameters, op: Op) -> f64 {
    iops(p, op, Order::Sequential, 64, 1, 20_000) * 0.065_536
}

#[test]
fn a_verified_stream_takes_a_revolution_more_a_track() {
    let warm = rate(disk(), Op::Write);
    let verified = rate(cold(true, 0.0, MINUTES_10), Op::Write);
    assert!(
        (verified / warm / (1.15 / 2.15) - 1.0).abs() < 0.02,
        "{verified} {warm}"
    );
    // Reads are not verified, and a warm drive verifies nothing.
    let reads = [cold(true, 0.0, MINUTES_10), disk()].map(|p| rate(p, Op::Read));
    assert!((reads[0] / reads[1] - 1.0).abs() < 1e-9);
    assert!((rate(cold(true, 0.0, 0), Op::Write) / warm - 1.0).abs() < 1e-9);
}

#[test]
fn a_verified_write_through_takes_a_revolution_more() {
    let through = |until| with(cold(true, 0.0, until), |p| p.write_cache.on = false);
    let took = [0, MINUTES_10]
        .map(|until| one(&mut drive(through(until)), Duration::ZERO, write(8_000, 8)));
    let more = took[1].as_nanos() as f64 - took[0].as_nanos() as f64;
    assert!((more / TURN - 1.0).abs() < 0.001, "{more}");
}

#[test]
fn retries_slow_reads_while_it_is_cold_and_no_longer() {
    // One event of a revolution each 20,000 blocks: a revolution in 6.67 revolutions and their skews.
    let warm = rate(disk(), Op::Read);
    let retried = rate(cold(false, 20_000.0, MINUTES_10), Op::Read);
    let a_track = 20_000.0 / 3_000.0 * 1.15;
    let expected = a_track / (a_track + 1.0);
    assert!(
        (retried / warm / expected - 1.0).abs() < 0.04,
        "{retried} {warm}"
    );
    // The stream of 20,000 accesses takes 8 s; the mode ends after one.
    let soon_warm = rate(cold(false, 20_000.0, 1_000_000_000), Op::Read);
    assert!(soon_warm > 0.95 * warm, "{soon_warm} {warm}");
}

#[test]
fn an_arm_that_is_later_than_the_skew_costs_a_stream_a_revolution_a_track() {
    let slow = |factor| Parameters {
        cold: Some(ColdStart {
            seek_factor: factor,
            ..cold(false, 0.0, MINUTES_10).cold.unwrap()
        }),
        ..cold(false, 0.0, MINUTES_10)
    };
    for op in [Op::Read, Op::Write] {
        let warm = rate(disk(), op);
        // The head switch takes 1 ms of a skew of 1.25 ms: a tenth more still fits.
        assert!((rate(slow(1.1), op) / warm - 1.0).abs() < 1e-3);
        for factor in [1.5, 3.0] {
            let lost = rate(slow(factor), op) / warm;
            assert!((lost / (1.15 / 2.15) - 1.0).abs() < 0.02, "{factor} {lost}");
        }
    }
}

#[test]
fn a_power_cut_before_it_was_warm_begins_the_mode_anew() {
    let mut disk = Hdd::new(cold(true, 0.0, 5));
    disk.power_cut(Instant::from_nanos(3));
    assert_eq!(disk.p.mechanics.verify_until, MINUTES_10 + 3);
    disk.power_cut(Instant::from_nanos(MINUTES_10 + 4));
    assert_eq!(disk.p.mechanics.verify_until, MINUTES_10 + 3);
}
