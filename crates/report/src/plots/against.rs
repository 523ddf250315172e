//! One thing against another: volume against time, access time against position, rate against size of
//! access or against compressibility. A picture for each drive, all on the same axes.

use base::result::{Chart, ChartKind, Curve};

use super::{
    PlotGroup, Source, curve_name, direction_colour, line, log_range, marks, range, title,
};
use crate::chart::{Axis, Line, Plot, Reading, Scale, nice_end};
use crate::lang::Texts;

/// The pictures of a chart of every drive that has it.
pub(super) fn group(source: &Source, texts: &Texts) -> PlotGroup {
    let kind = match source.kind {
        ChartKind::Access => "access",
        ChartKind::Sizes => "sizes",
        ChartKind::Compression => "compression",
        _ => "volume",
    };
    let title = title(kind, source.key, "", texts);
    let (x, y) = axes(source, texts);
    let plots = source
        .of
        .iter()
        .filter(|(_, chart)| !chart.curves.is_empty())
        .map(|(subject, chart)| {
            let lines = lines(chart, source.kind, subject.index, texts);
            let ranges = lines.iter().map(|line| range(line, y.reading, texts));
            let description = ranges.collect::<Vec<_>>().join("; ");
            Plot {
                id: String::new(),
                subject: Some(subject.index),
                title: format!("{} · {title}", subject.title),
                description,
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

/// A place on the x axis: positions are drawn in GB.
fn at(kind: ChartKind, x: f64) -> f64 {
    if kind == ChartKind::Access {
        x / 1e9
    } else {
        x
    }
}

fn lines(chart: &Chart, kind: ChartKind, subject: usize, texts: &Texts) -> Vec<Line> {
    // Colours tell directions only where there is no more than a line of each.
    let by_direction = chart.curves.len() <= 2;
    let colour = |place: usize, curve: &Curve| match by_direction {
        true => direction_colour(&curve.name, place),
        false => format!("drive-{}", place % crate::svg::COLOURS),
    };
    let drawn = |(place, curve): (usize, &Curve)| {
        let mut line = line(curve);
        line.x.iter_mut().for_each(|x| *x = at(kind, *x));
        Line {
            colour: colour(place, curve),
            subject,
            name: curve_name(&curve.name, texts),
            ..line
        }
    };
    chart.curves.iter().enumerate().map(drawn).collect()
}

fn axes(source: &Source, texts: &Texts) -> (Axis, Axis) {
    let curves = || source.of.iter().flat_map(|(_, chart)| &chart.curves);
    let xs = || curves().flat_map(|curve| curve.x.iter().map(|x| at(source.kind, *x)));
    let bands = curves().flat_map(|curve| curve.high.iter().flatten().flatten());
    let ys = curves()
        .flat_map(|curve| curve.y.iter().flatten())
        .chain(bands);
    let ys: Vec<f64> = ys.copied().collect();
    let most = |values: &mut dyn Iterator<Item = f64>| nice_end(values.fold(0.0, f64::max));
    let linear = |label: &str, reading, high: f64| Axis {
        label: texts.say(label),
        scale: Scale::Linear,
        reading,
        low: 0.0,
        high,
    };
    let log = |label: &str, reading, (low, high): (f64, f64)| Axis {
        label: texts.say(label),
        scale: Scale::Log,
        reading,
        low,
        high,
    };
    let number = Reading::Number;
    let rate = || linear("rate-axis", number, most(&mut ys.iter().copied()));
    match source.kind {
        ChartKind::Access => {
            let y = log(
                "latency-axis",
                Reading::Millis,
                log_range(ys.iter().copied(), 1.4),
            );
            (linear("position-axis", number, most(&mut xs())), y)
        }
        ChartKind::Sizes => (log("access-axis", number, log_range(xs(), 1.2)), rate()),
        ChartKind::Compression => (linear("compression-axis", Reading::Percent, 100.0), rate()),
        _ => (
            linear("seconds-axis", number, most(&mut xs())),
            linear("gb-axis", number, most(&mut ys.iter().copied())),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
    use analysis::group::Groups;
    use fixtures::results as sample;

    fn plotted(kind: ChartKind) -> Plot {
        let curve = |name: &str| Curve {
            name: name.to_owned(),
            x: vec![512.0, 1e6, 1e9],
            y: vec![Some(2.0), None, Some(90.0)],
            low: None,
            high: None,
        };
        let mut results = sample::review();
        results.truncate(1);
        results[0].charts = vec![Chart {
            key: "sample".to_owned(),
            kind,
            curves: vec![curve("read"), curve("write")],
            marks: Vec::new(),
        }];
        let groups = Groups::new(&results);
        let texts = Texts::new(Lang::En);
        let mut made = super::super::plots(&groups.sections[0], &groups.subjects, &texts, 1);
        made.remove(0).plots.remove(0)
    }

    #[test]
    fn each_kind_has_its_own_axes_and_every_point_lies_on_them() {
        for (kind, x, y) in [
            (ChartKind::Volume, "Time (s)", "GB"),
            (ChartKind::Access, "Position (GB)", "Latency"),
            (ChartKind::Sizes, "Bytes an access", "MB/s"),
        ] {
            let plot = plotted(kind);
            assert_eq!((plot.x.label.as_str(), plot.y.label.as_str()), (x, y));
            let line = &plot.lines[0];
            let inside = |axis: &Axis, v: f64| axis.low <= v && v <= axis.high;
            assert!(line.x.iter().all(|x| inside(&plot.x, *x)), "{kind:?}");
            assert!(
                line.y.iter().flatten().all(|y| inside(&plot.y, *y)),
                "{kind:?}"
            );
        }
        assert!((plotted(ChartKind::Access).lines[0].x[2] - 1.0).abs() < 1e-12);
        assert!((plotted(ChartKind::Compression).x.high - 100.0).abs() < 1e-12);
    }
}
