//! The axes that pictures share: scale and unit of the design, and ranges that hold all lines.

use base::chart::{Curve, Design, Scale as Asked, Shape};

use crate::chart::{Axis, Line, Reading, Scale, nice_end};

use crate::lang::Texts;
use crate::plots::PlotGroup;

/// Drives whose spans differ by more than this are drawn over per cent of their spans.
const SAME_SPAN: f64 = 1.25;
/// Lines whose highest values differ by more than this are told apart on a logarithmic axis only.
const FAR_APART: f64 = 8.0;
/// The height of "less than one" on a logarithmic axis of counts.
const FLOOR: f64 = 0.5;
const BYTES_PER_GB: f64 = 1e9;

/// How axes that adapt to their lines are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adapted {
    /// Logarithmically.
    pub(super) is_log: bool,
}

/// The axes, the one on the right where the design has it; positions in bytes become GB, or per cent of their spans, in the lines, too.
pub(super) fn of(
    design: &Design,
    lines: &mut [Vec<Line>],
    marked: &[f64],
    adapted: Adapted,
    texts: &Texts,
) -> (Axis, Axis, Option<Axis>) {
    let x = match (design.x.unit.as_ref(), design.x.scale) {
        ("B", Asked::Linear) => position(design, lines, texts),
        _ => horizontal(design, lines, texts),
    };
    let right = design.right.as_ref().map(|right| {
        let own = |line: &&Line| line.on_right;
        let ends = (all(lines).filter(own), &[][..]);
        vertical(&right.axis, right.shape, ends, adapted, texts)
    });
    let left = |line: &&Line| !line.on_right || right.is_none();
    let y = vertical(
        &design.y,
        design.shape,
        (all(lines).filter(left), marked),
        adapted,
        texts,
    );
    (x, y, right)
}

fn all(lines: &[Vec<Line>]) -> impl Iterator<Item = &Line> + Clone {
    lines.iter().flatten()
}

fn axis(asked: &base::chart::Axis, scale: Scale, (low, high): (f64, f64), texts: &Texts) -> Axis {
    let reading = match asked.unit.as_ref() {
        "us" => Reading::Micros,
        "ms" => Reading::Millis,
        "%" => Reading::Percent,
        "B" => Reading::Bytes,
        "one-in" => Reading::OneIn,
        _ => Reading::Number,
    };
    let quantity = texts.pick(&asked.quantity);
    let is_log = scale != Scale::Linear && asked.scale == Asked::Adaptive;
    let unit = match reading {
        Reading::Number => asked.unit.as_ref(),
        _ => "",
    };
    // A scale that is chosen by the lines is said: beside it may stand one that is not.
    let label = match (unit, is_log) {
        ("", false) => quantity.to_owned(),
        ("", true) => texts.with("log-scale", &[("quantity", quantity)]),
        (unit, false) => format!("{quantity} ({unit})"),
        (unit, true) => texts.with("log-scale-of", &[("quantity", quantity), ("unit", unit)]),
    };
    let [low, high] = asked.range.unwrap_or([low, high]);
    Axis {
        label,
        scale,
        reading,
        low,
        high,
    }
}

/// An axis of time ends where the lines do, any other linear one at a round number.
fn horizontal(design: &Design, lines: &[Vec<Line>], texts: &Texts) -> Axis {
    let values = all(lines).flat_map(|line| line.x.iter().copied());
    match design.x.scale {
        Asked::Linear => {
            let most = values.fold(0.0, f64::max);
            let is_time = design.x.unit == "s" && most > 0.0;
            let end = if is_time { most } else { nice_end(most) };
            axis(&design.x, Scale::Linear, (0.0, end), texts)
        }
        asked => {
            let room = match design.shape {
                Shape::Histogram => 1.0,
                Shape::Line | Shape::Dots => 1.2,
                // Half of the bars of a size stand before it.
                Shape::Bars => 1.7,
            };
            axis(
                &design.x,
                logarithmic(asked),
                log_range(values, room),
                texts,
            )
        }
    }
}

fn vertical<'a>(
    asked: &base::chart::Axis,
    shape: Shape,
    (lines, marked): (impl Iterator<Item = &'a Line> + Clone, &[f64]),
    adapted: Adapted,
    texts: &Texts,
) -> Axis {
    let values = || lines.clone().flat_map(values).chain(marked.iter().copied());
    let most = values().filter(|v| v.is_finite()).fold(0.0, f64::max);
    let is_log = match asked.scale {
        Asked::Linear => false,
        Asked::Log | Asked::Log2 => true,
        Asked::Adaptive => adapted.is_log,
    };
    let log = logarithmic(asked.scale);
    let (scale, range) = match (shape, is_log) {
        (Shape::Histogram, true) => (log, (FLOOR, most.max(1.0) * 2.0)),
        (Shape::Line | Shape::Dots | Shape::Bars, true) => (log, log_range(values(), 1.4)),
        (_, false) => (Scale::Linear, (0.0, nice_end(most))),
    };
    axis(asked, scale, range, texts)
}

fn logarithmic(asked: Asked) -> Scale {
    match asked {
        Asked::Log2 => Scale::Log2,
        _ => Scale::Log,
    }
}

/// The highest value of a curve and its band.
pub(super) fn top(curve: &Curve) -> f64 {
    let values = curve.y.iter().chain(curve.high.iter().flatten()).flatten();
    let finite = values.filter(|value| value.is_finite());
    finite.fold(0.0, |most, value| value.max(most))
}

/// Gives pictures of rates on axes of the same kind the same ends: reads and writes stand one below the other. Panels have
/// bands, which reach far beyond the lines of a wide picture: these two are not compared.
pub(super) fn make_rates_equal(groups: &mut [PlotGroup]) {
    let rates: Vec<(bool, Axis)> = (groups.iter())
        .flat_map(|group| &group.plots)
        .map(|plot| (plot.subject.is_some(), plot.y.clone()))
        .filter(|(_, axis)| matches!(axis.reading, Reading::Number))
        .collect();
    for plot in groups.iter_mut().flat_map(|group| &mut group.plots) {
        let is_rate = matches!(plot.y.reading, Reading::Number) && plot.y.label.contains("MB/s");
        let is_panel = plot.subject.is_some();
        let like = rates
            .iter()
            .filter(|(panel, axis)| *panel == is_panel && axis.label == plot.y.label);
        for (_, axis) in like.filter(|_| is_rate) {
            plot.y.low = plot.y.low.min(axis.low);
            plot.y.high = plot.y.high.max(axis.high);
        }
    }
}

/// All values of a line and its band.
fn values(line: &Line) -> impl Iterator<Item = f64> {
    let band = line
        .band
        .iter()
        .flat_map(|(low, high)| low.iter().chain(high));
    line.y.iter().chain(band).flatten().copied()
}

/// Whether the lowest of the lines with these highest values would lie on the floor of a linear axis.
pub(super) fn far_apart(tops: impl Iterator<Item = f64>) -> bool {
    let tops = tops.filter(|top| *top > 0.0);
    let (least, most) = tops.fold((f64::INFINITY, 0.0_f64), |(least, most), top| {
        (least.min(top), most.max(top))
    });
    least.is_finite() && most / least > FAR_APART
}

/// Where a line ends: its last position, and as much again as lies before that one.
fn extent(line: &Line) -> f64 {
    match line.x.as_slice() {
        [] => 1.0,
        [only] => only.max(1.0),
        [.., before, last] => last + (last - before),
    }
}

/// Positions in GB, or in per cent of the span of each line where spans differ much.
fn position(design: &Design, lines: &mut [Vec<Line>], texts: &Texts) -> Axis {
    let (least, most) = all(lines)
        .map(extent)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), end| {
            (least.min(end), most.max(end))
        });
    let in_percent = most / least > SAME_SPAN;
    for line in lines.iter_mut().flatten() {
        let extent = extent(line);
        let scale = if in_percent {
            100.0 / extent
        } else {
            1.0 / BYTES_PER_GB
        };
        line.x.iter_mut().for_each(|x| *x *= scale);
        line.gb_a_unit = in_percent.then(|| extent / BYTES_PER_GB / 100.0);
    }
    let quantity = texts.pick(&design.x.quantity);
    let (label, reading, high) = if in_percent {
        let label = texts.with("share-of-span", &[("quantity", quantity)]);
        (label, Reading::Percent, 100.0)
    } else {
        (
            format!("{quantity} (GB)"),
            Reading::Number,
            most / BYTES_PER_GB,
        )
    };
    Axis {
        label,
        scale: Scale::Linear,
        reading,
        low: 0.0,
        high: if high > 0.0 { high } else { 1.0 },
    }
}

/// The least and the greatest of the positive values, with room around; one to ten where there are none.
fn log_range(values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let positive = values.filter(|v| *v > 0.0 && v.is_finite());
    let (low, high) = positive.fold((f64::INFINITY, 0.0_f64), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    if high <= 0.0 {
        (1.0, 10.0)
    } else if low * room < high {
        (low / room, high * room)
    } else {
        (low / 2.0, high * 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Drawing;
    use crate::lang::Lang;
    use base::chart::designs;

    fn line(x: &[f64], y: &[f64]) -> Line {
        Line {
            colour: String::new(),
            subject: 0,
            name: String::new(),
            letter: String::new(),
            x: x.to_vec(),
            y: y.iter().copied().map(Some).collect(),
            band: None,
            drawing: Drawing::Line,
            gb_a_unit: None,
            on_right: false,
        }
    }

    fn both(design: &Design, lines: &mut [Vec<Line>]) -> (Axis, Axis) {
        let adapted = Adapted {
            is_log: far_apart(all(lines).map(|line| values(line).fold(0.0, f64::max))),
        };
        let (x, y, _) = of(design, lines, &[], adapted, &Texts::new(Lang::En));
        (x, y)
    }

    #[test]
    fn every_shared_design_has_its_own_axes_and_every_point_lies_on_them() {
        for (design, x, y) in [
            (designs::TRANSFER, "Position (GB)", "Transfer rate (MB/s)"),
            (designs::LATENCY_OVER_TIME, "Time (s)", "Latency"),
            (designs::RATE_OVER_TIME, "Time (s)", "Transfer rate (MB/s)"),
            (designs::TEMPERATURE, "Time (s)", "Temperature (°C)"),
            (designs::ROUNDS, "Round", "Share of the last rounds' mean"),
            (designs::LOAD, "I/Os per second", "Latency"),
            (designs::FRONTIER, "Writes per second", "Reads per second"),
            (designs::VOLUME, "Time (s)", "Amount (GB)"),
            (designs::ACCESS, "Position (GB)", "Latency"),
            (designs::SIZES, "Access size", "Transfer rate (MB/s)"),
        ] {
            let mut lines = [vec![line(&[512.0, 1e6, 1e9], &[2.0, 30.0, 90.0])]];
            let axes = both(&design, &mut lines);
            assert_eq!((axes.0.label.as_str(), axes.1.label.as_str()), (x, y));
            let inside = |axis: &Axis, v: f64| axis.low <= v && v <= axis.high;
            assert!(
                lines[0][0].x.iter().all(|x| inside(&axes.0, *x)),
                "{design:?}"
            );
            assert!(
                values(&lines[0][0]).all(|y| inside(&axes.1, y)),
                "{design:?}"
            );
        }
    }

    #[test]
    fn logarithmic_axes_have_room_around_and_linear_ones_begin_at_zero() {
        let (x, y) = both(
            &designs::LOAD,
            &mut [vec![line(&[1.0, 100.0], &[0.1, 400.0])]],
        );
        assert_eq!((x.scale, y.scale), (Scale::Log, Scale::Log));
        assert!(x.low < 1.0 && x.low > 0.0 && y.high > 400.0);
        let (x, y) = both(
            &designs::FRONTIER,
            &mut [vec![line(&[1.0, 97.0], &[0.1, 390.0])]],
        );
        assert_eq!((x.low, x.high, y.low, y.high), (0.0, 100.0, 0.0, 400.0));
    }

    #[test]
    fn a_range_that_the_design_gives_is_kept() {
        let (x, _) = both(
            &designs::COMPRESSION,
            &mut [vec![line(&[0.0, 30.0], &[1.0, 2.0])]],
        );
        assert_eq!((x.low, x.high, x.reading), (0.0, 100.0, Reading::Percent));
    }

    #[test]
    fn spans_that_differ_much_are_drawn_in_per_cent_and_say_how_long_one_is() {
        let ends = |a: f64, b: f64| {
            [vec![
                line(&[0.0, a], &[1.0, 1.0]),
                line(&[0.0, b], &[1.0, 1.0]),
            ]]
        };
        let mut alike = ends(5e9, 5.5e9);
        let (x, _) = both(&designs::TRANSFER, &mut alike);
        assert_eq!((x.reading, x.high), (Reading::Number, 11.0));
        assert_eq!(alike[0][0].gb_a_unit, None);
        let mut unlike = ends(5e9, 50e9);
        let (x, _) = both(&designs::TRANSFER, &mut unlike);
        assert_eq!(x.label, "Position (% of the span)");
        assert_eq!(unlike[0][1].x, [0.0, 50.0]);
        assert_eq!(unlike[0][1].gb_a_unit, Some(1.0));
    }
}
