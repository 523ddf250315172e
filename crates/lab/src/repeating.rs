//! A method repeated: each figure with the median of its values, and how sure that is.
//!
//! Phases of a repeat carry its number in front of their names, so that a run that was interrupted
//! goes on in the middle of its repeats. A modelled drive is made anew for each, from the next seed,
//! since the same drive with the same seed gives the same values to the last digit; a real one is
//! used as the repeat before has left it.

use std::collections::BTreeMap;

use base::bench::Stopped;
use base::method::{Method, Settings};
use base::result::{Better, Judgement, Repeats};
use base::stats::repeat::{REPEATED, Repeat, width_of};
use base::stats::{median, median_interval};

use crate::error::LabError;
use crate::lab_bench::LabBench;
use crate::opening::Drive;

/// Makes the modelled drive of another seed.
pub(crate) type Renew<'a> = dyn Fn(u64) -> Result<Drive, LabError> + 'a;

/// Runs a method as often as the rule says.
///
/// # Errors
/// The first repeat that ended early, or a modelled drive that could not be made again.
pub(crate) fn judge(
    method: &dyn Method,
    settings: &Settings,
    rule: Repeat,
    bench: &mut LabBench<'_>,
    renew: &Renew<'_>,
) -> Result<(Judgement, Option<Repeats>), Stopped> {
    let mut judgement = method.run(settings, bench)?;
    if rule == Repeat::Times(1) {
        return Ok((judgement, None));
    }
    let mut values = BTreeMap::new();
    add(&mut values, &judgement);
    let mut runs = 1;
    let counts: Vec<String> = judgement
        .figures
        .iter()
        .filter(|figure| figure.better != Better::None && figure.value.is_some())
        .map(|figure| figure.key.clone())
        .collect();
    while !rule.is_enough(runs, of(&values, &counts)) {
        runs += 1;
        let settings = Settings {
            seed: settings.seed.wrapping_add(u64::from(runs - 1)),
            ..settings.clone()
        };
        bench.repeat(runs, settings.seed, |drive| match drive {
            Drive::Real(_) => Ok(None),
            Drive::Model(_) => renew(settings.seed).map(Some),
        })?;
        let repeated = method.run(&settings, bench)?;
        add(&mut values, &repeated);
        let new = |warning: &String| !judgement.warnings.contains(warning);
        let warnings: Vec<String> = repeated.warnings.into_iter().filter(new).collect();
        judgement.warnings.extend(warnings);
    }
    let narrow_enough = match rule {
        Repeat::Times(_) => true,
        Repeat::Until { width_percent, .. } => {
            of(&values, &counts).all(|values| width_of(values) <= width_percent)
        }
    };
    sum_up(&mut judgement, &values, runs);
    let repeats = Repeats {
        rule: rule.to_string(),
        runs,
        narrow_enough,
        values,
    };
    Ok((judgement, Some(repeats)))
}

/// The values of the figures that count.
fn of<'a>(
    values: &'a BTreeMap<String, Vec<f64>>,
    keys: &'a [String],
) -> impl Iterator<Item = &'a [f64]> {
    keys.iter()
        .filter_map(|key| values.get(key))
        .map(Vec::as_slice)
}

fn add(values: &mut BTreeMap<String, Vec<f64>>, judgement: &Judgement) {
    for figure in &judgement.figures {
        if let Some(value) = figure.value.filter(|value| value.is_finite()) {
            values.entry(figure.key.clone()).or_default().push(value);
        }
    }
}

/// Puts the medians in place of the first repeat's values; charts and notes stay the first one's.
fn sum_up(judgement: &mut Judgement, values: &BTreeMap<String, Vec<f64>>, runs: u32) {
    for figure in &mut judgement.figures {
        let Some(values) = values.get(&figure.key) else {
            continue;
        };
        figure.value = median(values);
        figure.why_not = None;
        figure.statistic = format!("{REPEATED}{}", figure.statistic);
        figure.n = values.len() as u64;
        figure.interval = median_interval(values);
    }
    judgement.notes.push(format!(
        "repeated {runs} times: figures are medians over the repeats, charts are the first one's"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::result::{Comparable, Figure};

    fn judgement(value: Option<f64>) -> Judgement {
        let figure = Figure {
            key: "read".to_owned(),
            value,
            why_not: value.is_none().then(|| "nothing".to_owned()),
            unit: "MB/s".to_owned(),
            better: Better::Higher,
            statistic: "best of 5".to_owned(),
            n: 5,
            interval: None,
            phases: Vec::new(),
            comparable_by: Comparable::default(),
        };
        Judgement {
            figures: vec![figure],
            ..Judgement::default()
        }
    }

    #[test]
    fn a_figure_becomes_the_median_with_its_interval_and_a_repeat_without_a_value_is_left_out() {
        let mut values = BTreeMap::new();
        for value in [None, Some(4.0), Some(2.0), Some(3.0), Some(9.0)] {
            add(&mut values, &judgement(value));
        }
        assert_eq!(values["read"], [4.0, 2.0, 3.0, 9.0]);
        let mut first = judgement(None);
        sum_up(&mut first, &values, 5);
        let figure = &first.figures[0];
        assert_eq!((figure.value, figure.n), (Some(3.5), 4));
        assert_eq!(figure.why_not, None);
        assert_eq!(figure.statistic, "median of repeats of: best of 5");
        assert!(figure.interval.unwrap().low < 3.5);
    }
}
