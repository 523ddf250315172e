//! How the write cache is emptied: in what order, and when a write that found it full is let in.

use super::*;

/// Random writes of 4 KiB a second, one at a time, and their responses in milliseconds.
fn written(p: Parameters) -> (f64, Vec<f64>) {
    let blocks = p.blocks;
    let mut target = drive(p);
    let mut rng = Rng::new(9);
    let mut each = |n: usize| -> Vec<f64> {
        let mut took = |_| {
            let at = rng.below(blocks / 8) * 8;
            one(&mut target, Duration::ZERO, write(at, 8)).as_nanos() as f64 / 1e6
        };
        (0..n).map(&mut took).collect()
    };
    // First the cache fills.
    each(400);
    let took = each(1_200);
    (1e3 * took.len() as f64 / took.iter().sum::<f64>(), took)
}

fn changed(change: impl FnOnce(&mut Parameters)) -> Parameters {
    let mut p = disk();
    change(&mut p);
    p
}

#[test]
fn the_order_of_writing_back_sees_the_rotation_though_the_queue_does_not() {
    let blind = Queueing {
        sees_rotation: false,
        ..Queueing::default()
    };
    let (rate, _) = written(changed(|p| p.queueing = blind));
    let (seeing, _) = written(disk());
    let (by_seek, _) = written(changed(|p| p.write_cache.sees_rotation = false));
    assert!((rate / seeing - 1.0).abs() < 1e-9, "{rate} {seeing}");
    // By the seek alone half a turn is left of each write.
    assert!(1e3 / by_seek > TURN / 2e6, "{by_seek}");
    assert!(rate > 1.2 * by_seek, "{rate} {by_seek}");
}

#[test]
fn a_controller_that_allows_for_a_shaking_head_still_gains_by_the_rotation() {
    let shaken = Vibration {
        still_ns: 1_000_000,
        ..Vibration::default()
    };
    let (seeing, _) = written(changed(|p| p.vibration = shaken));
    let (by_seek, _) = written(changed(|p| {
        p.vibration = shaken;
        p.write_cache.sees_rotation = false;
    }));
    assert!(seeing > 1.1 * by_seek, "{seeing} {by_seek}");
}

#[test]
fn more_runs_to_choose_from_are_written_faster_however_long_each_waits() {
    let rates = [16, 64, 256, 1_024].map(|runs| written(changed(|p| p.write_cache.runs = runs)).0);
    assert!(rates.is_sorted_by(|a, b| 1.05 * a < *b), "{rates:?}");
}

#[test]
fn writes_come_in_a_batch_and_then_one_waits_until_the_next_batch_is_free() {
    for batch in [1, 8] {
        let (_, took) = written(changed(|p| p.write_cache.batch = batch));
        let stalls = took.iter().filter(|&&ms| ms > 0.5).count();
        let share = stalls as f64 / took.len() as f64;
        assert!(
            (share * f64::from(batch) - 1.0).abs() < 0.1,
            "{batch} {share}"
        );
    }
}

#[test]
fn a_stream_is_not_held_up_by_the_batch_that_random_writes_wait_for() {
    let rate = |batch| {
        let p = changed(|p| p.write_cache.batch = batch);
        iops(p, Op::Write, Order::Sequential, 64, 1, 2_000)
    };
    assert!((rate(64) / rate(1) - 1.0).abs() < 1e-9);
}

#[test]
fn a_batch_larger_than_the_table_of_runs_is_all_of_it_and_no_write_waits_for_ever() {
    let (_, took) = written(changed(|p| {
        p.write_cache.runs = 24;
        p.write_cache.batch = 32;
    }));
    assert!(took.iter().any(|&ms| ms > 0.5), "{took:?}");
}
