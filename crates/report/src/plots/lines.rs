//! Lines of one drive beside each other: rounds until it is steady, latency against load, and the
//! frontier of reads against writes. A picture for each drive, all on the same axes.

use base::result::{Chart, ChartKind};

use super::{
    PlotGroup, Source, curve_name, direction_colour, line, log_range, marks, range, title,
};
use crate::chart::{Axis, Line, Plot, Reading, Scale, nice_end};
use crate::lang::Texts;

/// The pictures of a chart of every drive that has it.
pub(super) fn group(source: &Source, texts: &Texts) -> PlotGroup {
    let kind = match source.kind {
        ChartKind::Rounds => "rounds",
        ChartKind::Frontier => "frontier",
        _ => "load",
    };
    let title = title(kind, source.key, "", texts);
    let (x, y) = axes(source, texts);
    let plots = source
        .of
        .iter()
        .filter(|(_, chart)| !chart.curves.is_empty())
        .map(|(subject, chart)| {
            let lines: Vec<Line> = lines(chart, subject.index, texts);
            let ranges: Vec<String> = lines
                .iter()
                .map(|line| range(line, y.reading, texts))
                .collect();
            Plot {
                id: String::new(),
                subject: Some(subject.index),
                title: format!("{} · {title}", subject.title),
                description: ranges.join("; "),
                x: x.clone(),
                y: y.clone(),
                lines,
                marks: marks(chart),
            }
        })
        .collect();
    PlotGroup {
        title,
        explanation: texts.say(&format!("desc-{kind}")),
        plots,
    }
}

fn lines(chart: &Chart, subject: usize, texts: &Texts) -> Vec<Line> {
    // Colours tell directions only where there is no more than a line of each.
    let by_direction = chart.curves.len() <= 2;
    let curves = chart.curves.iter().enumerate();
    curves
        .map(|(place, curve)| Line {
            colour: if by_direction {
                direction_colour(&curve.name, place)
            } else {
                format!("drive-{}", place % crate::svg::COLOURS)
            },
            subject,
            name: curve_name(&curve.name, texts),
            ..line(curve)
        })
        .collect()
}

fn axes(source: &Source, texts: &Texts) -> (Axis, Axis) {
    let curves = || source.of.iter().flat_map(|(_, chart)| &chart.curves);
    let x_values = || curves().flat_map(|curve| curve.x.iter().copied());
    let y_values = || curves().flat_map(|curve| curve.y.iter().flatten().copied());
    let axis = |label: &str, reading, scale, low: f64, high: f64| Axis {
        label: texts.say(label),
        scale,
        reading,
        low,
        high,
    };
    let from_zero =
        |label: &str, reading, most: f64| axis(label, reading, Scale::Linear, 0.0, nice_end(most));
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    match source.kind {
        ChartKind::Rounds => (
            from_zero("rounds-axis", Reading::Number, most(&mut x_values())),
            from_zero("steady-axis", Reading::Percent, most(&mut y_values())),
        ),
        ChartKind::Frontier => (
            from_zero("writes-axis", Reading::Number, most(&mut x_values())),
            from_zero("reads-axis", Reading::Number, most(&mut y_values())),
        ),
        _ => {
            let (low, high) = log_range(x_values(), 1.2);
            let x = axis("load-axis", Reading::Number, Scale::Log, low, high);
            let (low, high) = log_range(y_values(), 1.4);
            (
                x,
                axis("latency-axis", Reading::Millis, Scale::Log, low, high),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
    use analysis::group::Groups;
    use base::result::Curve;
    use fixtures::results as sample;

    fn plotted(kind: ChartKind) -> Vec<PlotGroup> {
        let mut results = sample::review();
        results.truncate(1);
        results[0].charts = vec![Chart {
            key: "sample".to_owned(),
            kind,
            curves: ["read", "write", "mixed"]
                .map(|name| Curve {
                    name: name.to_owned(),
                    x: vec![1.0, 10.0, 100.0],
                    y: vec![Some(0.1), None, Some(400.0)],
                    low: None,
                    high: None,
                })
                .to_vec(),
            marks: Vec::new(),
        }];
        let groups = Groups::new(&results);
        let texts = Texts::new(Lang::En);
        super::super::plots(&groups.sections[0], &groups.subjects, &texts, 1)
    }

    #[test]
    fn latency_against_load_is_logarithmic_and_the_others_begin_at_zero() {
        let load = &plotted(ChartKind::Load)[0].plots[0];
        assert_eq!((load.x.scale, load.y.scale), (Scale::Log, Scale::Log));
        assert!(load.x.low > 0.0 && load.lines.len() == 3);
        for kind in [ChartKind::Rounds, ChartKind::Frontier] {
            let plot = &plotted(kind)[0].plots[0];
            assert!(plot.x.low.abs() < 1e-12 && plot.y.low.abs() < 1e-12);
            assert!(plot.x.high >= 100.0 && plot.y.high >= 400.0);
        }
    }
}
