//! What is fitted and what is kept, and what is reported about a fit.

use super::*;

fn served(key: &str, by: Option<FittedBy>) -> Served {
    let free = FreeParameter {
        key: key.to_owned(),
        value: 19.0,
        step: None,
        within: [2.0, 600.0],
        facts: vec!["F406".to_owned()],
        by,
        file: "catalog/drives/a.toml".to_owned(),
    };
    (free, ["a".to_owned()].into())
}

fn family() -> Family {
    Family {
        drives: ["a".to_owned()].into(),
        parameters: vec![
            served("hdd.rare.gap_s", Some(FittedBy::Likelihood)),
            served("hdd.rare.turns", Some(FittedBy::Calibrate)),
            served("hdd.media.rpm", None),
        ],
        figures: Vec::new(),
    }
}

fn found(values: &[f64]) -> Calibration {
    let fit = Fit {
        values: values.to_vec(),
        simulated: Vec::new(),
        trials: 7,
    };
    calibration(&family(), &[], fit)
}

#[test]
fn what_was_found_by_likelihood_is_not_searched_and_what_says_nothing_is() {
    let family = family();
    let searched: Vec<&Served> = family.parameters.iter().filter(is_searched).collect();
    let keys: Vec<&str> = searched.iter().map(|(free, _)| free.key.as_str()).collect();
    assert_eq!(keys, ["hdd.rare.turns", "hdd.media.rpm"]);
    let after: Vec<f64> = found(&[3.0, 19.0])
        .parameters
        .iter()
        .map(|p| p.after)
        .collect();
    assert_eq!(after, [19.0, 3.0, 19.0]);
}

#[test]
fn a_fit_changes_a_file_that_has_another_value_or_does_not_say_how_it_was_found() {
    let news = |found: Calibration| -> Vec<bool> { found.parameters.iter().map(is_news).collect() };
    assert_eq!(news(found(&[3.0, 19.0])), [false, true, true]);
    assert_eq!(news(found(&[19.0, 19.0])), [false, false, true]);
    assert!(changes(&found(&[19.0, 19.0])));
}

#[test]
fn the_last_whole_sector_before_a_bound_lies_at_it() {
    let (mut free, _) = served("hdd.media.outer_sectors", None);
    free.step = Some(8);
    assert!(fitted(&free, 592.0 + 8.0).at_bound);
    free.within = [3.0, 603.0];
    assert!(fitted(&free, 600.0).at_bound && fitted(&free, 8.0).at_bound);
    assert!(!fitted(&free, 592.0).at_bound);
}

#[test]
fn a_bound_and_what_is_not_searched_are_told() {
    let text = found(&[600.0, 19.0]).to_string();
    let line = |key: &str| {
        text.lines()
            .find(|line| line.contains(key))
            .unwrap()
            .to_owned()
    };
    assert!(line("turns").ends_with("F406, at its bound"), "{text}");
    assert!(line("gap_s").ends_with("F406, by likelihood"), "{text}");
}
