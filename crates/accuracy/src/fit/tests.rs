//! Known models are found again, inside their bounds, and the same each time.

use super::unit_interval::rounded;
use super::*;
use crate::reference::Facts;

const HEAD: &str =
    "id,document,drive,capacity,firmware,test,condition,metric,value,unit,role,note,independence\n";

fn facts(values: &[f64]) -> Facts {
    let row = |(at, value): (usize, &f64)| {
        format!("F{:03},d,,,,,,read,{value},MB/s,calibrate,,\n", at + 1)
    };
    let rows: String = values.iter().enumerate().map(row).collect();
    Facts::read(&format!("{HEAD}{rows}"), "id,null,rule\n").unwrap()
}

fn parameter(name: &str, within: [f64; 2], facts: &[&str]) -> Parameter {
    Parameter {
        name: name.to_owned(),
        within,
        step: None,
        facts: facts.iter().map(|id| id.parse().unwrap()).collect(),
    }
}

/// Simulates F001.. by a function of the values.
fn by(
    model: impl Fn(&[f64]) -> Vec<f64>,
) -> impl FnMut(&[f64], &[&Calibrate]) -> Result<Vec<f64>, String> {
    move |values, figures| {
        let all = model(values);
        let of = |figure: &&Calibrate| {
            let at: usize = figure.fact().id.to_string()[1..].parse().unwrap();
            all[at - 1]
        };
        Ok(figures.iter().map(of).collect())
    }
}

#[test]
fn a_parameter_is_found_by_its_figure() {
    let facts = facts(&[540.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let link = [parameter("link", [500.0, 600.0], &["F001"])];
    let mut model = by(|values| vec![values[0] * 0.97]);
    let found = fit(&link, &figures, &mut model).unwrap();
    assert!((found.simulated[0] / 540.0 - 1.0).abs() < 2e-4, "{found:?}");
    assert!(found.trials <= 6, "{}", found.trials);
}

#[test]
fn a_curve_takes_few_trials_and_is_met_within_what_is_published() {
    let curves: [fn(f64) -> f64; 3] = [
        |v| 1e6 / (15.0 + v),
        |v| 54_000.0 / (1.0 + 30.0 / v),
        |v| 300.0 * v * v,
    ];
    for (name, curve) in ["falls", "levels off", "steep"].into_iter().zip(curves) {
        let facts = facts(&[curve(23.4)]);
        let figures: Vec<&Calibrate> = facts.calibrate().collect();
        let one = [parameter(name, [5.0, 80.0], &["F001"])];
        let found = fit(&one, &figures, &mut by(|v| vec![curve(v[0])])).unwrap();
        let error = found.simulated[0] / figures[0].number() - 1.0;
        assert!(error.abs() <= NEAR, "{name}: {found:?}");
        assert!(found.trials <= 10, "{name}: {}", found.trials);
    }
}

#[test]
fn where_a_step_leads_over_the_figure_the_nearer_side_is_taken() {
    let facts = facts(&[100.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let one = [parameter("one", [1.0, 3.0], &["F001"])];
    let step = |v: &[f64]| vec![if v[0] < 1.7 { 80.0 } else { 110.0 }];
    let found = fit(&one, &figures, &mut by(step)).unwrap();
    assert_eq!(found.simulated, [110.0]);
}

#[test]
fn where_the_figure_is_met_nowhere_the_least_error_is_found() {
    let facts = facts(&[100.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let one = [parameter("one", [1.0, 3.0], &["F001"])];
    let hollow = |v: &[f64]| vec![103.0 + 10.0 * (v[0] - 2.2) * (v[0] - 2.2)];
    let found = fit(&one, &figures, &mut by(hollow)).unwrap();
    assert!((found.values[0] - 2.2).abs() < 0.01, "{found:?}");
}

#[test]
fn a_figure_that_says_next_to_nothing_leaves_a_parameter_in_the_middle_of_its_bounds() {
    let facts = facts(&[100.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let one = [parameter("one", [40.0, 100.0], &["F001"])];
    // Bends at 50, and falls by next to nothing from there on.
    let bent = |v: &[f64]| vec![105.0 + 2.0 * (50.0 - v[0]).max(0.0) - 1e-4 * v[0]];
    let found = fit(&one, &figures, &mut by(bent)).unwrap();
    assert_eq!(found.values, [70.0]);
}

#[test]
fn a_place_that_cannot_be_simulated_is_avoided() {
    let facts = facts(&[2.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let one = [parameter("one", [1.0, 3.0], &["F001"])];
    let mut half = |v: &[f64], _: &[&Calibrate]| match v[0] > 2.5 {
        true => Err("too much".to_owned()),
        false => Ok(vec![v[0]]),
    };
    let found = fit(&one, &figures, &mut half).unwrap();
    assert!((found.values[0] - 2.0).abs() < 0.002, "{found:?}");
}

#[test]
fn a_figure_that_another_parameter_moves_is_met_all_the_same() {
    let facts = facts(&[50.0, 540.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let parameters = [
        parameter("latency", [10.0, 70.0], &["F001"]),
        parameter("link", [500.0, 600.0], &["F002"]),
    ];
    let model = || by(|v| vec![v[0] + 4_096.0 / v[1], v[1] * 0.97]);
    let found = fit(&parameters, &figures, &mut model()).unwrap();
    let off = |at: usize| (found.simulated[at] / figures[at].number() - 1.0).abs();
    assert!(off(0) < 2.0 * NEAR && off(1) < 2.0 * NEAR, "{found:?}");
    assert!(found.trials <= 24, "{}", found.trials);
}

#[test]
fn figures_of_drives_that_are_alike_take_no_more_trials_than_one() {
    let facts = facts(&[5_000.0, 5_000.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let one = [parameter("bus", [450.0, 760.0], &["F001", "F002"])];
    let alike = |v: &[f64]| vec![8.0 * v[0] - 40.0, 8.0 * v[0] - 40.2];
    let found = fit(&one, &figures, &mut by(alike)).unwrap();
    let error = |at: usize| (found.simulated[at] / 5_000.0 - 1.0).abs();
    assert!(
        error(0) <= 2.0 * NEAR && error(1) <= 2.0 * NEAR,
        "{found:?}"
    );
    assert!(found.trials <= 6, "{}", found.trials);
}

#[test]
fn several_figures_of_one_parameter_share_the_error() {
    let facts = facts(&[100.0, 110.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let one = [parameter("one", [50.0, 150.0], &["F001", "F002"])];
    let found = fit(&one, &figures, &mut by(|v| vec![v[0], v[0]])).unwrap();
    // The least of ((v - 100) / 100)^2 + ((v - 110) / 110)^2.
    let best = (1.0 / 100.0 + 1.0 / 110.0) / (1.0 / 1e4 + 1.0 / 12_100.0);
    assert!((found.values[0] - best).abs() < 0.1, "{found:?} {best}");
}

#[test]
fn parameters_that_share_figures_are_searched_together() {
    let facts = facts(&[7.0, 12.0, 3.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let parameters = [
        parameter("a", [1.0, 10.0], &["F001", "F002"]),
        parameter("b", [1.0, 10.0], &["F002"]),
        parameter("c", [0.5, 8.0], &["F003"]),
    ];
    let axis = |figures: &[usize]| Axis {
        within: [1.0, 10.0],
        step: None,
        figures: figures.to_vec(),
    };
    let axes = [axis(&[0, 1]), axis(&[1]), axis(&[2])];
    assert_eq!(blocks(&axes), [vec![0, 1], vec![2]]);
    let mut model = by(|v| vec![v[0] + v[1], v[0] * v[1], v[2]]);
    let found = fit(&parameters, &figures, &mut model).unwrap();
    let off = |at: usize| (found.simulated[at] / figures[at].number() - 1.0).abs();
    assert!((0..3).all(|at| off(at) < 2e-3), "{found:?}");
}

#[test]
fn a_fit_stays_inside_the_bounds() {
    let facts = facts(&[1000.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let link = [parameter("link", [500.0, 600.0], &["F001"])];
    let found = fit(&link, &figures, &mut by(|v| vec![v[0]])).unwrap();
    assert_eq!(found.values, [600.0]);
}

#[test]
fn a_value_is_rounded_before_it_is_tried() {
    let facts = facts(&[0.0123456]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let one = [parameter("one", [0.001, 0.1], &["F001"])];
    let found = fit(&one, &figures, &mut by(|v| vec![v[0]])).unwrap();
    assert_eq!(found.values[0].to_string(), "0.01235");
    let mut whole = parameter("dies", [1.0, 100.0], &["F001"]);
    whole.step = Some(1);
    let figures = self::facts(&[41.8]);
    let figures: Vec<&Calibrate> = figures.calibrate().collect();
    let found = fit(&[whole], &figures, &mut by(|v| vec![v[0]])).unwrap();
    assert_eq!(found.values, [42.0]);
    for (value, text) in [(544.4888, "544.5"), (123_456.0, "123500"), (9.9996, "10")] {
        assert_eq!(rounded(value).to_string(), text);
    }
}

#[test]
fn a_track_is_fitted_in_whole_physical_sectors_within_its_bounds() {
    let sectors = |published: f64, within: [f64; 2]| {
        let facts = facts(&[published]);
        let figures: Vec<&Calibrate> = facts.calibrate().collect();
        let mut track = parameter("sectors", within, &["F001"]);
        track.step = Some(8);
        fit(&[track], &figures, &mut by(|v| vec![v[0]]))
            .unwrap()
            .values
    };
    assert_eq!(sectors(1_741.0, [1_200.0, 2_400.0]), [1_744.0]);
    assert_eq!(sectors(1_739.0, [1_200.0, 2_400.0]), [1_736.0]);
    // No multiple at the bounds: the next one inside.
    assert_eq!(sectors(9_999.0, [1_201.0, 2_399.0]), [2_392.0]);
    assert_eq!(sectors(10.0, [1_201.0, 2_399.0]), [1_208.0]);
}

#[test]
fn the_same_fit_comes_out_each_time() {
    let facts = facts(&[7.0, 12.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let parameters = [
        parameter("a", [1.0, 10.0], &["F001", "F002"]),
        parameter("b", [1.0, 10.0], &["F002"]),
    ];
    let model = || by(|v| vec![v[0] + v[1], v[0] * v[1]]);
    let first = fit(&parameters, &figures, &mut model()).unwrap();
    assert_eq!(first, fit(&parameters, &figures, &mut model()).unwrap());
}

#[test]
fn a_fit_that_cannot_be_honest_is_refused() {
    let facts = facts(&[540.0]);
    let figures: Vec<&Calibrate> = facts.calibrate().collect();
    let two = ["a", "b"].map(|name| parameter(name, [1.0, 2.0], &["F001"]));
    let error = fit(&two, &figures, &mut by(|v| vec![v[0]])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 free parameters for 1 figures: fix some of them"
    );
    let other = [parameter("a", [1.0, 2.0], &["F031"])];
    let error = fit(&other, &figures, &mut by(|v| vec![v[0]])).unwrap_err();
    assert!(error.to_string().contains("a is fitted to F031"), "{error}");
    let one = [parameter("a", [1.0, 2.0], &["F001"])];
    let mut fails = |_: &[f64], _: &[&Calibrate]| Err("no such drive".to_owned());
    let error = fit(&one, &figures, &mut fails).unwrap_err();
    assert!(error.to_string().contains("no such drive"), "{error}");
}
