//! Change points against known answers: by construction, and by exhaustive search.

use super::*;
use base::rng::Rng;

/// Noise of standard deviation 1: the sum of twelve uniform ones less six.
fn noise(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
}

/// Levels with their lengths, and noise.
fn steps(levels: &[(f64, usize)], deviation: f64, seed: u64) -> Vec<f64> {
    let mut rng = Rng::new(seed);
    levels
        .iter()
        .flat_map(|(level, length)| std::iter::repeat_n(*level, *length))
        .map(|level| level + deviation * noise(&mut rng))
        .collect()
}

fn indices(series: &[f64]) -> Vec<usize> {
    change_points(series).iter().map(|c| c.index).collect()
}

#[test]
fn steps_are_found_within_one_point() {
    for seed in 0..50 {
        let series = steps(&[(500.0, 40), (300.0, 25), (450.0, 60)], 20.0, seed);
        let found = change_points(&series);
        assert_eq!(found.len(), 2, "seed {seed}: {found:?}");
        for (change, (at, before, after)) in
            found.iter().zip([(40, 500.0, 300.0), (65, 300.0, 450.0)])
        {
            assert!(change.index.abs_diff(at) <= 1, "seed {seed}: {found:?}");
            assert!((change.before - before).abs() < 15.0, "{found:?}");
            assert!((change.after - after).abs() < 15.0, "{found:?}");
        }
    }
}

#[test]
fn flat_noise_has_no_change() {
    let mut false_alarms = 0;
    for seed in 0..200 {
        for (n, deviation) in [(60, 30.0), (600, 80.0)] {
            false_alarms += change_points(&steps(&[(500.0, n)], deviation, seed)).len();
        }
    }
    assert_eq!(false_alarms, 0);
}

#[test]
fn a_series_without_noise_has_its_steps_exactly_and_none_where_it_is_flat() {
    let series = steps(&[(540.0, 100), (260.0, 100), (262.0, 50)], 0.0, 0);
    assert_eq!(indices(&series), [100]);
    assert_eq!(indices(&[540.0; 200]), [] as [usize; 0]);
    assert_eq!(indices(&[0.0; 200]), [] as [usize; 0]);
}

#[test]
fn single_stalls_are_no_change_and_a_pause_of_many_points_is_two() {
    let mut series = steps(&[(500.0, 200)], 10.0, 4);
    for at in [17, 60, 61, 150] {
        series[at] = 3.0;
    }
    assert_eq!(indices(&series), [] as [usize; 0]);
    series[80..100].fill(3.0);
    assert_eq!(indices(&series), [80, 100]);
}

#[test]
fn a_quick_alternation_is_noise_and_no_change() {
    let series: Vec<f64> = (0..300)
        .map(|i| if i % 4 < 2 { 500.0 } else { 200.0 })
        .collect();
    assert_eq!(indices(&series), [] as [usize; 0]);
}

#[test]
fn short_series_and_values_that_are_no_numbers_are_borne() {
    assert_eq!(indices(&[]), [] as [usize; 0]);
    assert_eq!(indices(&[1.0, 9.0, 1.0]), [] as [usize; 0]);
    let mut series = steps(&[(500.0, 30), (100.0, 30)], 5.0, 1);
    series[3] = f64::NAN;
    series[45] = f64::INFINITY;
    assert_eq!(indices(&series), [30]);
}

#[test]
fn a_long_series_is_joined_and_its_step_found_to_a_joined_point() {
    let series = steps(&[(500.0, 6_000), (300.0, 6_000)], 5.0, 2);
    let found = indices(&series);
    assert_eq!(found.len(), 1);
    assert!(found[0].abs_diff(6_000) <= 3, "{found:?}");
}

/// The cheapest segmentation, by trying every last segment without dropping any.
fn exhaustive(values: &[f64], noise: f64) -> Vec<usize> {
    let n = values.len();
    let costs = Costs::new(values, noise);
    let penalty = 3.0 * libm::log(n as f64);
    let mut best: Vec<(f64, Vec<usize>)> = vec![(f64::INFINITY, Vec::new()); n + 1];
    best[0].0 = -penalty;
    for end in LEAST_LENGTH..=n {
        for begin in 0..=end - LEAST_LENGTH {
            let cost = best[begin].0 + costs.of(begin, end) + penalty;
            if cost < best[end].0 {
                let mut begins = best[begin].1.clone();
                begins.extend((begin > 0).then_some(begin));
                best[end] = (cost, begins);
            }
        }
    }
    best.swap_remove(n).1
}

#[test]
fn dropping_begins_changes_no_answer() {
    let mut rng = Rng::new(9);
    let mut with_changes = 0;
    for seed in 0..60 {
        let levels: Vec<(f64, usize)> = (0..=rng.below(6))
            .map(|_| (rng.unit() * 12.0, 5 + rng.below(20) as usize))
            .collect();
        let series = steps(&levels, 1.0, seed);
        let found = segments(&series, 1.0);
        assert_eq!(found, exhaustive(&series, 1.0), "seed {seed}");
        with_changes += usize::from(!found.is_empty());
    }
    assert!(with_changes > 30, "{with_changes}");
}
