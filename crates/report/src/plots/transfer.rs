//! Rates by position or over time: a line for each drive, a picture for each direction.

use base::result::{ChartKind, Curve};

use super::{PlotGroup, Source, curve_name, line, range, rate_axis, title};
use crate::chart::{Axis, Line, Plot, PlotMark, Reading, Scale};
use crate::lang::Texts;
use analysis::group::Subject;

/// Drives whose spans differ by more than this are drawn over per cent of their spans.
const SAME_SPAN: f64 = 1.25;

/// A group for each direction, of one picture each.
pub(super) fn groups(source: &Source, texts: &Texts) -> Vec<PlotGroup> {
    let mut names: Vec<&str> = Vec::new();
    for (_, chart) in &source.of {
        for curve in &chart.curves {
            if !names.contains(&curve.name.as_str()) {
                names.push(&curve.name);
            }
        }
    }
    names
        .into_iter()
        .map(|name| group(source, name, texts))
        .collect()
}

fn group(source: &Source, name: &str, texts: &Texts) -> PlotGroup {
    let is_transfer = source.kind == ChartKind::Transfer;
    let is_heat = source.kind == ChartKind::Temperature;
    let title = match source.kind {
        ChartKind::Temperature => title("temperature", source.key, "", texts),
        ChartKind::Transfer => title("transfer", source.key, &curve_name(name, texts), texts),
        _ => title("rate", source.key, &curve_name(name, texts), texts),
    };
    let curves: Vec<(&Subject, &Curve)> = source
        .of
        .iter()
        .filter_map(|(subject, chart)| {
            let curve = chart.curves.iter().find(|curve| curve.name == name)?;
            Some((*subject, curve))
        })
        .filter(|(_, curve)| !curve.x.is_empty())
        .collect();
    let mut lines: Vec<Line> = curves.iter().map(|(s, c)| drive_line(s, c)).collect();
    let x = if is_transfer {
        position_axis(&mut lines, &curves, texts)
    } else {
        time_axis(&curves, texts)
    };
    let mut y = rate_axis(&lines, texts);
    if is_heat {
        y.label = texts.say("temperature-axis");
    }
    let ranges: Vec<String> = lines
        .iter()
        .map(|line| range(line, y.reading, texts))
        .collect();
    let plot = Plot {
        id: String::new(),
        subject: None,
        title: title.clone(),
        description: format!("{} ({})", ranges.join("; "), y.label),
        x,
        y,
        lines,
        marks: if is_transfer {
            Vec::new()
        } else {
            steps(source, name)
        },
    };
    PlotGroup {
        title,
        explanation: match source.kind {
            ChartKind::Temperature => texts.say("desc-temperature"),
            ChartKind::Transfer => texts.say("desc-transfer"),
            _ => texts.say("desc-rate"),
        },
        plots: if curves.is_empty() {
            Vec::new()
        } else {
            vec![plot]
        },
    }
}

/// The marked steps of one direction's curves.
fn steps(source: &Source, name: &str) -> Vec<PlotMark> {
    let of_curve = |mark: &PlotMark| {
        let rest = mark.label.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(':'))
    };
    let named = source.of.iter().flat_map(|(subject, chart)| {
        let marks = super::marks(chart).into_iter().filter(of_curve);
        marks.map(|mark| PlotMark {
            label: format!("{}, {}", subject.title, mark.label),
            ..mark
        })
    });
    named.collect()
}

/// A curve as a drive's line, in its colour and with its letter.
pub(super) fn drive_line(subject: &Subject, curve: &Curve) -> Line {
    Line {
        colour: format!("drive-{}", subject.index % crate::svg::COLOURS),
        subject: subject.index,
        name: subject.title.clone(),
        letter: subject.letter(),
        ..line(curve)
    }
}

/// Where a curve ends: its last position, and as much again as lies before that one.
fn extent(curve: &Curve) -> f64 {
    let last = curve.x.last().copied().unwrap_or(0.0);
    match curve.x.len() {
        0 | 1 => last.max(1.0),
        n => last + (last - curve.x[n - 2]),
    }
}

fn position_axis(lines: &mut [Line], curves: &[(&Subject, &Curve)], texts: &Texts) -> Axis {
    let extents: Vec<f64> = curves.iter().map(|(_, curve)| extent(curve)).collect();
    let most = extents.iter().copied().fold(0.0, f64::max);
    let least = extents.iter().copied().fold(f64::INFINITY, f64::min);
    let in_percent = most / least > SAME_SPAN;
    for (line, extent) in lines.iter_mut().zip(&extents) {
        let scale = if in_percent { 100.0 / extent } else { 1e-9 };
        line.x.iter_mut().for_each(|x| *x *= scale);
        line.gb_a_unit = in_percent.then(|| extent / 1e9 / 100.0);
    }
    let (key, reading, high) = if in_percent {
        ("position-percent", Reading::Percent, 100.0)
    } else {
        ("position-gb", Reading::Number, most / 1e9)
    };
    Axis {
        label: texts.say(key),
        scale: Scale::Linear,
        reading,
        low: 0.0,
        high: if high > 0.0 { high } else { 1.0 },
    }
}

fn time_axis(curves: &[(&Subject, &Curve)], texts: &Texts) -> Axis {
    let end = curves
        .iter()
        .map(|(_, curve)| extent(curve))
        .fold(0.0, f64::max);
    Axis {
        label: texts.say("seconds-axis"),
        scale: Scale::Linear,
        reading: Reading::Number,
        low: 0.0,
        high: if end > 0.0 { end } else { 1.0 },
    }
}
