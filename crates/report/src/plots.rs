//! Which pictures a method's results make.
//!
//! Transfer curves and rates over time lie over each other, a line for each drive, one picture a
//! direction. Histograms and latencies over time stand side by side, a picture for each drive on the
//! same axes, since colours tell directions there (writes blue, reads orange, their overlap purple).

use base::result::{Chart, ChartKind, Curve};

use crate::chart::{Axis, Line, Plot, PlotMark, Reading, Scale, nice_end};
use crate::lang::Texts;
use analysis::group::{Section, Subject};
use analysis::key;

mod against;
mod health;
mod histogram;
mod lines;
mod transfer;

/// A line is drawn with no more points than this: more than a screen has pixels for.
const MOST_POINTS: usize = 1_000;

/// Pictures that belong together.
#[derive(Debug)]
pub(crate) struct PlotGroup {
    /// What they show.
    pub(crate) title: String,
    /// How they show it.
    pub(crate) explanation: String,
    /// The pictures; several stand side by side.
    pub(crate) plots: Vec<Plot>,
}

/// A chart of a section, of every drive that has it.
struct Source<'a> {
    key: &'a str,
    kind: ChartKind,
    of: Vec<(&'a Subject<'a>, &'a Chart)>,
}

/// The pictures of a section; `first_id` is the number of its first one in the page.
pub(crate) fn plots(
    section: &Section,
    subjects: &[Subject],
    texts: &Texts,
    first_id: usize,
) -> Vec<PlotGroup> {
    let mut groups: Vec<PlotGroup> = sources(section, subjects)
        .iter()
        .flat_map(|source| match source.kind {
            ChartKind::Transfer | ChartKind::Rate | ChartKind::Temperature => {
                transfer::groups(source, texts)
            }
            ChartKind::Response => vec![histogram::group(source, texts)],
            ChartKind::Latency => vec![latency(source, texts)],
            ChartKind::Rounds | ChartKind::Load | ChartKind::Frontier => {
                vec![lines::group(source, texts)]
            }
            ChartKind::Volume | ChartKind::Access | ChartKind::Sizes | ChartKind::Compression => {
                vec![against::group(source, texts)]
            }
        })
        .filter(|group| !group.plots.is_empty())
        .collect();
    groups.extend(health::group(section, subjects, texts));
    let plots = groups.iter_mut().flat_map(|group| &mut group.plots);
    for (number, plot) in plots.enumerate() {
        plot.id = format!("p{}", first_id + number);
    }
    groups
}

fn sources<'a>(section: &Section<'a>, subjects: &'a [Subject<'a>]) -> Vec<Source<'a>> {
    let mut sources: Vec<Source<'a>> = Vec::new();
    for (subject, result) in &section.results {
        for chart in &result.charts {
            let of = (&subjects[*subject], chart);
            match sources
                .iter_mut()
                .find(|s| s.key == chart.key && s.kind == chart.kind)
            {
                Some(source) => source.of.push(of),
                None => sources.push(Source {
                    key: &chart.key,
                    kind: chart.kind,
                    of: vec![of],
                }),
            }
        }
    }
    sources
}

/// A chart's name: its kind, and the parts of its key that say more (`alone.latency`).
fn title(kind: &str, key: &str, more: &str, texts: &Texts) -> String {
    let plain = [
        "transfer",
        "response",
        "latency",
        "rate",
        "temperature",
        "rounds",
        "load",
        "frontier",
        "volume",
        "access",
        "sizes",
        "compression",
    ];
    let mut said = vec![texts.say(&format!("chart-{kind}"))];
    let parts = key::parts(key);
    let special = parts.iter().filter(|part| !plain.contains(&part.as_str()));
    said.extend(special.map(|part| texts.figure(part)));
    if !more.is_empty() {
        said.push(more.to_owned());
    }
    said.join(" · ")
}

/// A curve's name, with the words that are known in the report's language.
fn curve_name(name: &str, texts: &Texts) -> String {
    let words: Vec<String> = name.split(' ').map(|word| texts.figure(word)).collect();
    words.join(" ")
}

/// The colour of a curve where colours tell directions.
fn direction_colour(name: &str, place: usize) -> String {
    match key::direction(name) {
        Some(base::io::Op::Read) => "op-read".to_owned(),
        Some(base::io::Op::Write) => "op-write".to_owned(),
        _ => format!("drive-{}", place % crate::svg::COLOURS),
    }
}

/// Latency over time: a picture for each drive, with its worst I/Os marked.
fn latency(source: &Source, texts: &Texts) -> PlotGroup {
    let curves = || source.of.iter().flat_map(|(_, chart)| &chart.curves);
    let values = curves().flat_map(|c| c.y.iter().chain(c.high.iter().flatten()).flatten());
    let marked = source.of.iter().flat_map(|(_, chart)| &chart.marks);
    let values = values.copied().chain(marked.map(|mark| mark.y));
    let (low, high) = log_range(values, 1.4);
    let end = curves()
        .filter_map(|c| c.x.last())
        .copied()
        .fold(0.0, f64::max);
    let x = Axis {
        label: texts.say("seconds-axis"),
        scale: Scale::Linear,
        reading: Reading::Number,
        low: 0.0,
        high: if end > 0.0 { end } else { 1.0 },
    };
    let y = Axis {
        label: texts.say("latency-axis"),
        scale: Scale::Log,
        reading: Reading::Millis,
        low,
        high,
    };
    let title = title("latency", source.key, "", texts);
    let plots = source
        .of
        .iter()
        .filter(|(_, chart)| !chart.curves.is_empty())
        .map(|(subject, chart)| {
            let lines: Vec<Line> = chart
                .curves
                .iter()
                .enumerate()
                .map(|(place, curve)| Line {
                    colour: direction_colour(&curve.name, place),
                    subject: subject.index,
                    name: curve_name(&curve.name, texts),
                    letter: String::new(),
                    ..line(curve)
                })
                .collect();
            let ranges: Vec<String> = lines
                .iter()
                .map(|line| range(line, y.reading, texts))
                .collect();
            Plot {
                id: String::new(),
                subject: Some(subject.index),
                title: format!("{} · {}", subject.title, title),
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
        explanation: texts.say("desc-latency"),
        plots,
    }
}

fn marks(chart: &Chart) -> Vec<PlotMark> {
    let finite = |mark: &&base::result::Mark| mark.x.is_finite() && mark.y > 0.0;
    chart
        .marks
        .iter()
        .filter(finite)
        .map(|mark| PlotMark {
            x: mark.x,
            y: mark.y,
            label: mark.label.clone(),
            class: String::new(),
        })
        .collect()
}

/// The least and the greatest of the positive values, with room around; one to ten where there are none.
fn log_range(values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let (low, high) = values
        .filter(|v| *v > 0.0 && v.is_finite())
        .fold((f64::INFINITY, 0.0_f64), |(low, high), v| {
            (low.min(v), high.max(v))
        });
    if high > 0.0 {
        (low / room, high * room)
    } else {
        (1.0, 10.0)
    }
}

/// Lowest and highest value of a line and its band, in words.
fn range(line: &Line, reading: Reading, texts: &Texts) -> String {
    let band = line
        .band
        .iter()
        .flat_map(|(low, high)| low.iter().chain(high));
    let (low, high) = line
        .y
        .iter()
        .chain(band)
        .flatten()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(*v), high.max(*v))
        });
    let print = |v: f64| {
        if v.is_finite() {
            reading.print(v)
        } else {
            texts.say("no-value")
        }
    };
    let (low, high) = (print(low), print(high));
    texts.with(
        "range-text",
        &[("name", &line.name), ("low", &low), ("high", &high)],
    )
}

/// A curve as a line, with no more points than can be seen: neighbours are joined, the mean of their
/// values is drawn, and their band keeps its extremes, so that no stall is lost.
fn line(curve: &Curve) -> Line {
    let count = curve.x.len().min(curve.y.len());
    let joined = count.div_ceil(MOST_POINTS).max(1);
    let finite = |v: &Option<f64>| v.filter(|v| v.is_finite());
    let y: Vec<Option<f64>> = curve.y[..count].iter().map(finite).collect();
    let edge = |edge: &Option<Vec<Option<f64>>>| -> Vec<Option<f64>> {
        match edge {
            Some(values) => (0..count)
                .map(|i| values.get(i).and_then(finite).or(y[i]))
                .collect(),
            None => y.clone(),
        }
    };
    let (low, high) = (edge(&curve.low), edge(&curve.high));
    let banded = curve.low.is_some() || curve.high.is_some() || joined > 1;
    let fold = |values: &[Option<f64>], by: fn(f64, f64) -> f64| {
        values.iter().flatten().copied().reduce(by)
    };
    let of = |values: &[Option<f64>], by: fn(f64, f64) -> f64| -> Vec<Option<f64>> {
        values.chunks(joined).map(|chunk| fold(chunk, by)).collect()
    };
    let mean = |chunk: &[Option<f64>]| {
        let there = chunk.iter().flatten().count();
        (there > 0).then(|| chunk.iter().flatten().sum::<f64>() / there as f64)
    };
    Line {
        colour: String::new(),
        subject: 0,
        name: String::new(),
        letter: String::new(),
        x: curve.x[..count].iter().step_by(joined).copied().collect(),
        band: banded.then(|| (of(&low, f64::min), of(&high, f64::max))),
        y: y.chunks(joined).map(mean).collect(),
        is_histogram: false,
        gb_a_unit: None,
    }
}

/// A linear axis from 0, or a logarithmic one where the lines are so far apart that the lowest would
/// lie on the floor.
fn rate_axis(lines: &[Line], texts: &Texts) -> Axis {
    let top = |line: &Line| {
        let band = line.band.iter().flat_map(|(_, high)| high);
        line.y
            .iter()
            .chain(band)
            .flatten()
            .copied()
            .fold(0.0, f64::max)
    };
    let bottom = |line: &Line| {
        let band = line.band.iter().flat_map(|(low, _)| low);
        let values = line.y.iter().chain(band).flatten().copied();
        values.filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min)
    };
    let tops: Vec<f64> = lines.iter().map(top).filter(|v| *v > 0.0).collect();
    let most = tops.iter().copied().fold(0.0, f64::max);
    let least = tops.iter().copied().fold(f64::INFINITY, f64::min);
    let apart = least.is_finite() && most / least > 8.0;
    let (low, high) = log_range(lines.iter().map(bottom).chain([most]), 1.25);
    Axis {
        label: texts.say("rate-axis"),
        scale: if apart { Scale::Log } else { Scale::Linear },
        reading: Reading::Number,
        low: if apart { low } else { 0.0 },
        high: if apart { high } else { nice_end(most) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
    use analysis::group::Groups;
    use fixtures::results as sample;

    fn of(method: &str) -> Vec<PlotGroup> {
        let results = sample::review();
        let groups = Groups::new(&results);
        let section = groups.sections.iter().find(|s| s.method == method).unwrap();
        plots(section, &groups.subjects, &Texts::new(Lang::En), 1)
    }

    #[test]
    fn drives_share_a_transfer_picture_and_have_a_histogram_each() {
        let groups = of("full-scan");
        let shapes: Vec<(usize, usize)> = groups
            .iter()
            .map(|g| (g.plots.len(), g.plots[0].lines.len()))
            .collect();
        // Reads, writes, and three panels of reads, writes and their overlap.
        assert_eq!(shapes, [(1, 3), (1, 3), (3, 3)]);
        assert_eq!(groups[2].plots[2].id, "p5");
    }

    #[test]
    fn panels_of_a_group_have_the_same_axes() {
        for group in of("latency-watch") {
            for plot in &group.plots {
                assert!((plot.y.high - group.plots[0].y.high).abs() < 1e-12);
                assert!((plot.x.high - group.plots[0].x.high).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_worst_are_marked_and_named() {
        let groups = of("latency-watch");
        let plot = &groups[0].plots[2];
        assert_eq!(plot.marks.len(), 3);
        assert!(plot.marks[0].label.starts_with("read of 4 KiB"));
    }

    #[test]
    fn steps_of_a_rate_over_time_are_marked_on_their_own_direction() {
        let curve = |name: &str| Curve {
            name: name.to_owned(),
            x: vec![0.0, 1.0, 2.0],
            y: vec![Some(500.0), Some(500.0), Some(200.0)],
            low: None,
            high: None,
        };
        let mut results = sample::review();
        results.truncate(1);
        results[0].charts = vec![Chart {
            key: "fill.rate".to_owned(),
            kind: ChartKind::Rate,
            curves: vec![curve("write"), curve("read")],
            marks: vec![base::result::Mark {
                x: 2.0,
                y: 200.0,
                label: "write: level from 500 to 200 MB/s".to_owned(),
            }],
        }];
        let groups = Groups::new(&results);
        let section = &groups.sections[0];
        let plots = plots(section, &groups.subjects, &Texts::new(Lang::En), 1);
        let marks: Vec<usize> = plots.iter().map(|g| g.plots[0].marks.len()).collect();
        assert_eq!(marks, [1, 0]);
        assert!(plots[0].plots[0].marks[0].label.contains("write: level"));
    }

    #[test]
    fn temperatures_of_drives_lie_in_one_picture_on_their_own_axis() {
        let mut results = sample::review();
        results.truncate(2);
        for result in &mut results {
            result.method = results_method().to_owned();
            result.charts = vec![Chart {
                key: "temperature".to_owned(),
                kind: ChartKind::Temperature,
                curves: vec![Curve {
                    name: "temperature".to_owned(),
                    x: vec![0.0, 10.0],
                    y: vec![Some(31.0), Some(38.0)],
                    low: None,
                    high: None,
                }],
                marks: Vec::new(),
            }];
        }
        let groups = Groups::new(&results);
        let section = &groups.sections[0];
        let plots = plots(section, &groups.subjects, &Texts::new(Lang::En), 1);
        assert_eq!(plots.len(), 1);
        assert_eq!(plots[0].title, "Temperature over time");
        assert_eq!(plots[0].plots[0].y.label, "Temperature (°C)");
    }

    fn results_method() -> &'static str {
        "crystaldiskmark"
    }

    #[test]
    fn joining_points_keeps_the_extremes() {
        let mut y: Vec<Option<f64>> = vec![Some(1.0); 4_000];
        y[1_234] = Some(99.0);
        y[77] = None;
        let curve = Curve {
            name: "read".to_owned(),
            x: (0..4_000).map(f64::from).collect(),
            y,
            low: None,
            high: None,
        };
        let line = line(&curve);
        assert_eq!(line.x.len(), MOST_POINTS);
        let highest = line
            .band
            .unwrap()
            .1
            .into_iter()
            .flatten()
            .fold(0.0, f64::max);
        assert!((highest - 99.0).abs() < 1e-12);
    }

    #[test]
    fn drives_that_are_far_apart_are_drawn_on_a_log_axis() {
        let groups = of("full-scan");
        assert_eq!(groups[0].plots[0].y.scale, Scale::Log);
    }

    #[test]
    fn a_chart_without_values_draws_nothing_wild() {
        let mut results = sample::review();
        results.truncate(1);
        for chart in &mut results[0].charts {
            for curve in &mut chart.curves {
                curve.x.clear();
                curve.y.clear();
            }
        }
        let groups = Groups::new(&results);
        let plots = plots(
            &groups.sections[0],
            &groups.subjects,
            &Texts::new(Lang::En),
            1,
        );
        for plot in plots.iter().flat_map(|g| &g.plots) {
            assert!(plot.x.high > plot.x.low && plot.y.high > plot.y.low);
        }
    }
}
