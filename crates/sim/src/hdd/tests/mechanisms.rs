//! Each mechanism of the queued drive on and off, and what the whole of a random read consists of.

use super::*;

/// Mean nanoseconds of a 4 KiB read at a random place, one at a time.
fn random_read_ns(p: Parameters, n: u64) -> f64 {
    1e9 / iops(p, Op::Read, Order::Random, 4, 1, n)
}

#[test]
fn a_random_read_is_overhead_seek_half_a_revolution_and_transfer() {
    let p = disk();
    let curve = &p.mechanics.actuator.curve;
    // Blocks are drawn evenly, so a cylinder counts by its sectors: the integral of the seek curve over
    // two such draws, in steps of a 240th of the stroke.
    let steps = 240_u32;
    let weight = |step: u32| if step < steps / 2 { 3_000.0 } else { 1_600.0 };
    let (mut sum, mut weights) = (0.0, 0.0);
    for from in 0..steps {
        for to in 0..steps {
            let w = weight(from) * weight(to);
            sum += w * curve.time(from.abs_diff(to) * (24_000 / steps)) as f64;
            weights += w;
        }
    }
    let sectors = 8.0 * (TURN / 3_000.0 * 3.0 + TURN / 1_600.0 * 1.6) / 4.6;
    let expected = 60_000.0 + sum / weights + TURN / 2.0 + sectors + 8.0 * 917.6;
    let got = random_read_ns(p, 30_000);
    assert!((got / expected - 1.0).abs() < 0.01, "{got} {expected}");
}

#[test]
fn the_mean_of_the_curve_is_the_makers_mean_and_its_integral() {
    let curve = &disk().mechanics.actuator.curve;
    assert!((curve.mean() / 8.2e6 - 1.0).abs() < 1e-6);
    // 2 (1 - x) t(x) over the stroke.
    let n = 23_999_u32;
    let integral: f64 = (1..=n)
        .map(|d| 2.0 * (1.0 - f64::from(d) / 24_000.0) * curve.time(d) as f64 / 24_000.0)
        .sum();
    assert!((integral / curve.mean() - 1.0).abs() < 1e-3, "{integral}");
}

#[test]
fn zones_make_the_inner_half_slower_and_one_zone_does_not() {
    let rate = |p: Parameters, first: u64| {
        let mut target = drive(p);
        let mut at = |block: u64| one(&mut target, Duration::ZERO, read(block, 2_048));
        at(first);
        let took: u64 = (1..60).map(|i| at(first + i * 2_048).as_nanos()).sum();
        59.0 * 1_048.576 / (took as f64 / 1e6)
    };
    let inner = 12_000 * 4 * 3_000 + 1_000_000;
    let zoned = rate(disk(), inner) / rate(disk(), 0);
    assert!((zoned / (1_600.0 / 3_000.0) - 1.0).abs() < 0.05, "{zoned}");
    let geometry = Geometry::new(4, 1, false, vec![zone(0, 24_000, 3_000)]).unwrap();
    let actuator = disk().mechanics.actuator;
    let flat = || Parameters {
        mechanics: Mechanics::new(geometry.clone(), actuator.clone(), Spindle::new(7_200)),
        ..disk()
    };
    let flat = rate(flat(), inner) / rate(flat(), 0);
    assert!((flat - 1.0).abs() < 0.05, "{flat}");
}

#[test]
fn without_reading_ahead_each_read_in_order_waits_for_its_turn() {
    let plain = || with(disk(), |p| p.read_cache.zero_latency = false);
    let off = with(plain(), |p| p.read_cache.ahead_blocks = 0);
    let on = iops(plain(), Op::Read, Order::Sequential, 64, 1, 4_000);
    let off = iops(off, Op::Read, Order::Sequential, 64, 1, 4_000);
    // The next sector has just passed: a revolution for each read.
    assert!((off / (1e9 / TURN) - 1.0).abs() < 0.06, "{off}");
    assert!(on > 20.0 * off, "{on} {off}");
}

#[test]
fn a_choice_of_many_runs_writes_faster_than_the_order_of_arrival() {
    let rate = |write_cache_runs| {
        let p = with(disk(), |p| p.write_cache.runs = write_cache_runs);
        iops(p, Op::Write, Order::Random, 4, 32, 6_000)
    };
    let (one, many) = (rate(1), rate(128));
    assert!(many > 2.0 * one, "{one} {many}");
}

#[test]
fn queued_commands_are_reordered_and_one_at_a_time_are_not() {
    let rate = |queue_depth| {
        let p = Parameters {
            queue_depth,
            ..disk()
        };
        iops(p, Op::Read, Order::Random, 4, 32, 6_000)
    };
    let (unqueued, queued) = (rate(1), rate(32));
    assert!(queued > 1.7 * unqueued, "{unqueued} {queued}");
}

#[test]
fn rare_events_cost_their_revolutions_and_no_more() {
    let mean_ms = |rare_gap_blocks, rare_gap_revolutions| {
        let p = with(disk(), |p| {
            p.rare.gap_sectors = rare_gap_blocks;
            p.rare.gap_revolutions = rare_gap_revolutions;
            p.rare.revolutions = 5.0;
        });
        1e3 / iops(p, Op::Read, Order::Sequential, 64, 1, 60_000)
    };
    let none = mean_ms(0.0, 0.0);
    // Five revolutions each 30,000 blocks, or each ten revolutions of 3,000 sectors: as many blocks here.
    let expected = 5.0 * TURN / 1e6 * 128.0 / 30_000.0;
    for more in [mean_ms(30_000.0, 0.0) - none, mean_ms(0.0, 10.0) - none] {
        assert!((more / expected - 1.0).abs() < 0.15, "{more} {expected}");
    }
}
