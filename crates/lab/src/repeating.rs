//! A method repeated: each figure with the median of its values, and how sure that is.
//!
//! Phases of a repeat are prefixed with its number, so that an interrupted run resumes in the middle of its repeats. A
//! modelled drive is rebuilt for each repeat from the next seed, since the same drive with the same seed gives
//! identical values; a real one is used as the previous repeat left it.

use base::{Argument, Better, Figure, Message, Method, MethodOutput, Settings, Stopped};
use std::collections::BTreeMap;

use results::Repeats;
use stats::repeat::{Repeat, width_of};
use stats::{median, median_interval};

use crate::error::LabError;
use crate::lab_bench::LabBench;
use targets::Drive;

/// Creates the modelled drive of another seed; none if the same one continues.
pub(crate) type Renew<'a> = dyn Fn(u64) -> Result<Option<Drive>, LabError> + 'a;

/// Repeats a method as the rule says.
///
/// # Errors
/// The first repeat that ended early, or a modelled drive that could not be rebuilt.
pub(crate) fn run(
    method: &dyn Method,
    settings: &Settings,
    rule: Repeat,
    bench: &mut LabBench<'_>,
    renew: &Renew<'_>,
) -> Result<(MethodOutput, Option<Repeats>), Stopped> {
    let mut output = once(method, settings, bench)?;
    if rule == Repeat::Times(1) {
        return Ok((output, None));
    }
    let mut repeats = Repeats {
        rule: rule.to_string(),
        ..Repeats::default()
    };
    add(&mut repeats, &output);
    let counts: Vec<String> = output
        .figures
        .iter()
        .filter(|figure| holds_up_the_end(figure))
        .map(|figure| figure.key.clone())
        .collect();
    while !rule.is_enough(repeats.runs, of(&repeats.values, &counts)) {
        let runs = repeats.runs + 1;
        let settings = Settings {
            seed: settings.seed.wrapping_add(u64::from(runs - 1)),
            ..settings.clone()
        };
        bench.repeat(runs, settings.seed, |drive| match drive {
            Drive::Real(_) => Ok(None),
            Drive::Model(_) => renew(settings.seed),
        })?;
        let repeated = once(method, &settings, bench)?;
        add(&mut repeats, &repeated);
        also_from(&mut output.figures, repeated.figures);
        let new = |warning: &Message| !output.warnings.contains(warning);
        let warnings: Vec<Message> = repeated.warnings.into_iter().filter(new).collect();
        output.warnings.extend(warnings);
    }
    let wide = too_wide(rule, &repeats.values, &counts);
    repeats.narrow_enough = wide.is_empty();
    sum_up(&mut output, &repeats);
    output.warnings.extend(cap_note(rule, &wide));
    Ok((output, Some(repeats)))
}

/// The method, once: whatever it gives, no high percentile is of a few samples.
fn once(
    method: &dyn Method,
    settings: &Settings,
    bench: &mut LabBench<'_>,
) -> Result<MethodOutput, Stopped> {
    let mut output = method.run(settings, bench)?;
    output.figures = output.figures.into_iter().map(Figure::if_told).collect();
    Ok(output)
}

/// True for a figure whose median must be certain. A description need not, nor the longest or shortest of all
/// responses: an extreme of single I/Os scatters without end, however often it is repeated.
fn holds_up_the_end(figure: &Figure) -> bool {
    figure.better != Better::None && figure.value.is_some() && !figure.statistic.is_extreme()
}

/// The figures whose intervals are wider than requested, the widest first, with their widths in per cent.
fn too_wide<'a>(
    rule: Repeat,
    values: &BTreeMap<String, Vec<f64>>,
    counts: &'a [String],
) -> Vec<(&'a str, f64)> {
    let Repeat::Until { width_percent, .. } = rule else {
        return Vec::new();
    };
    let widths = counts.iter().filter_map(|key| {
        let width = width_of(values.get(key)?);
        (width > width_percent).then_some((key.as_str(), width))
    });
    let mut wide: Vec<(&str, f64)> = widths.collect();
    wide.sort_by(|a, b| b.1.total_cmp(&a.1));
    wide
}

/// The message if the cap ended the repeats.
fn cap_note(rule: Repeat, wide: &[(&str, f64)]) -> Option<Message> {
    let (widest, width) = wide.first()?;
    let rule = ("rule", Argument::text(rule));
    let medians = ("medians", wide.len().into());
    let figure = ("figure", (*widest).into());
    if *width > 1_000.0 {
        return Some(Message::new("note-cap-wider", [rule, medians, figure]));
    }
    let width = ("width", Argument::text(format_args!("{width:.1}")));
    Some(Message::new("note-cap", [rule, medians, figure, width]))
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

fn add(repeats: &mut Repeats, output: &MethodOutput) {
    repeats.runs += 1;
    for figure in &output.figures {
        let Some(value) = figure.value.filter(|value| value.is_finite()) else {
            continue;
        };
        let key = || figure.key.clone();
        repeats.values.entry(key()).or_default().push(value);
        let samples = repeats.samples.entry(key()).or_default();
        *samples = samples.saturating_add(figure.n);
    }
}

/// A figure comes from the phases of every repeat: what happens in one of them only is looked for there, too. One that no
/// repeat before had comes with it.
fn also_from(figures: &mut Vec<Figure>, repeated: Vec<Figure>) {
    for again in repeated {
        match figures.iter_mut().find(|figure| figure.key == again.key) {
            Some(figure) => figure.phases.extend(again.phases),
            None => figures.push(again),
        }
    }
}

/// Replaces the values of the first repeat by the medians; charts and notes are those of the first.
fn sum_up(output: &mut MethodOutput, repeats: &Repeats) {
    for figure in &mut output.figures {
        let Some(values) = repeats.values.get(&figure.key) else {
            continue;
        };
        figure.value = median(values);
        figure.why_not = None;
        figure.statistic = figure.statistic.over_repeats();
        figure.n = values.len() as u64;
        figure.interval = median_interval(values);
    }
    let times = ("times", repeats.runs.into());
    output.notes.push(Message::new("note-repeated", [times]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::result::Comparable;

    fn output(value: Option<f64>) -> MethodOutput {
        let figure = Figure {
            key: "read".to_owned(),
            value,
            why_not: value
                .is_none()
                .then(|| Message::of("why-nothing-completed")),
            unit: "MB/s".to_owned(),
            better: Better::Higher,
            statistic: "best of 5".into(),
            n: 5,
            interval: None,
            phases: Vec::new(),
            comparable_by: Comparable::default(),
        };
        MethodOutput {
            figures: vec![figure],
            ..MethodOutput::default()
        }
    }

    #[test]
    fn a_figure_becomes_the_median_with_its_interval_and_a_repeat_without_a_value_is_left_out() {
        let mut repeats = Repeats::default();
        for value in [None, Some(4.0), Some(2.0), Some(3.0), Some(9.0)] {
            add(&mut repeats, &output(value));
        }
        assert_eq!(repeats.values["read"], [4.0, 2.0, 3.0, 9.0]);
        assert_eq!((repeats.runs, repeats.samples["read"]), (5, 20));
        let mut first = output(None);
        sum_up(&mut first, &repeats);
        let figure = &first.figures[0];
        assert_eq!((figure.value, figure.n), (Some(3.5), 4));
        assert_eq!(figure.why_not, None);
        assert_eq!(figure.statistic.as_str(), "median of repeats of: best of 5");
        assert!(figure.interval.unwrap().low < 3.5);
    }

    #[test]
    fn a_figure_comes_from_the_phases_of_all_repeats() {
        let of = |phase: &str| {
            let mut figures = output(Some(1.0)).figures;
            figures[0].phases = vec![phase.to_owned()];
            figures
        };
        let mut figures = of("alone");
        let mut again = of("repeat 2: alone");
        again.extend(of("repeat 2: beside"));
        again[1].key = "write".to_owned();
        also_from(&mut figures, again);
        assert_eq!(figures[0].phases, ["alone", "repeat 2: alone"]);
        // What only this repeat could tell is told.
        assert_eq!(figures[1].phases, ["repeat 2: beside"]);
    }

    #[test]
    fn extremes_of_single_responses_do_not_hold_up_the_end_and_what_is_still_wide_is_named() {
        let mut figure = output(Some(1.0)).figures.remove(0);
        assert!(holds_up_the_end(&figure));
        figure.statistic = "max".into();
        assert!(!holds_up_the_end(&figure));
        let rule: Repeat = "auto:5%,max=6".parse().unwrap();
        let narrow = vec![100.0, 101.0, 100.0, 101.0, 100.0, 101.0];
        let wide = vec![100.0, 180.0, 100.0, 180.0, 100.0, 180.0];
        let values = BTreeMap::from([("a".to_owned(), narrow), ("b".to_owned(), wide)]);
        let keys = ["a".to_owned(), "b".to_owned()];
        let still = too_wide(rule, &values, &keys);
        assert_eq!(still.len(), 1);
        let note = cap_note(rule, &still).unwrap();
        assert!(
            note.contains("requested: 1;") && note.contains("that of b, 57.1 %"),
            "{note}"
        );
        assert_eq!(cap_note(rule, &too_wide(rule, &values, &keys[..1])), None);
    }
}
