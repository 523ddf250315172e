//! Charts of results as pictures: one reading of a chart's design for all kinds.
//!
//! Overlaid charts have a picture for each curve's name, with a line for each drive; panels have a picture for each
//! drive, on the same axes, since colours tell directions there (writes blue, reads orange, their overlap purple).
//! Either way a group is some pictures of curves with the axes that all of them fit on.

use std::borrow::Cow;

use base::chart::{Chart, Curve, Design, Layout, Shape};
use base::io::Op;

use crate::chart::{COLOURS, Drawing, Line, Plot, PlotMark};
use crate::lang::Texts;
use crate::svg::{PANEL, Size, WIDE};
use analysis::group::{Section, Subject};
use analysis::key;

mod axes;
mod health;
mod histogram;
mod line;

pub(crate) use histogram::OVERLAP;

/// Pictures that belong together.
#[derive(Debug)]
pub(crate) struct PlotGroup {
    /// What they show.
    pub(crate) title: String,
    /// How they show it.
    pub(crate) explanation: String,
    /// The key of the chart that they are of.
    pub(crate) chart: String,
    /// The pictures; several stand side by side.
    pub(crate) plots: Vec<Plot>,
}

/// A chart of a section, of every drive that has it.
struct Source<'a> {
    of: Vec<(&'a Subject<'a>, Cow<'a, Chart>)>,
}

/// One picture before it has axes.
struct Picture<'a> {
    subject: Option<&'a Subject<'a>>,
    curves: Vec<Drawn<'a>>,
    marks: Vec<PlotMark>,
}

/// A curve, and what tells it from the others of its picture.
struct Drawn<'a> {
    curve: &'a Curve,
    subject: usize,
    colour: String,
    name: String,
    letter: String,
}

/// The pictures of a section; `first_id` is the number of its first one in the page.
pub(crate) fn plots(
    section: &Section,
    subjects: &[Subject],
    texts: &Texts,
    first_id: usize,
) -> Vec<PlotGroup> {
    let sources = sources(section, subjects);
    let groups = |source: &Source| source.groups(&sources, texts);
    let mut groups: Vec<PlotGroup> = sources
        .iter()
        .flat_map(groups)
        .filter(|group| !group.plots.is_empty())
        .collect();
    axes::make_rates_equal(&mut groups);
    let plots = groups.iter_mut().flat_map(|group| &mut group.plots);
    for (number, plot) in plots.enumerate() {
        plot.id = format!("p{}", first_id + number);
    }
    groups
}

/// The section's charts, those of several drives together where key and axes are the same.
fn sources<'a>(section: &Section<'a>, subjects: &'a [Subject<'a>]) -> Vec<Source<'a>> {
    let results = || {
        section
            .results
            .iter()
            .map(|(at, result)| (&subjects[*at], *result))
    };
    let own = results().flat_map(|(subject, result)| {
        let charts = result.charts.iter().map(Cow::Borrowed);
        charts.map(move |chart| (subject, chart))
    });
    let counted = results().filter_map(|(subject, result)| {
        let chart = health::host_writes(&result.health_during)?;
        Some((subject, Cow::Owned(chart)))
    });
    let mut sources: Vec<Source<'a>> = Vec::new();
    for (subject, chart) in own.chain(counted) {
        match sources.iter_mut().find(|s| are_one(s.chart(), &chart)) {
            Some(source) => source.of.push((subject, chart)),
            None => sources.push(Source {
                of: vec![(subject, chart)],
            }),
        }
    }
    sources
}

fn are_one(a: &Chart, b: &Chart) -> bool {
    let (of, with) = (&a.design, &b.design);
    a.key == b.key
        && of.layout == with.layout
        && of.shape == with.shape
        && of.x == with.x
        && of.y == with.y
        && of.right == with.right
}

impl PlotGroup {
    /// The size of its pictures: one that stands alone has the page's width.
    pub(crate) fn size(&self) -> Size {
        let is_alone = self.plots.len() == 1;
        let is_panel = self.plots.iter().any(|plot| plot.subject.is_some());
        if is_panel && !is_alone { PANEL } else { WIDE }
    }
}

impl<'a> Source<'a> {
    fn chart(&self) -> &Chart {
        &self.of[0].1
    }

    /// Its pictures; on a logarithmic axis where any of `all` that show the same quantity needs one, since what
    /// stands one below the other is compared.
    fn groups(&self, all: &[Source], texts: &Texts) -> Vec<PlotGroup> {
        let is_like = |other: &&Source| other.chart().design.y == self.chart().design.y;
        let scale = axes::Adapted {
            is_log: all.iter().filter(is_like).any(Source::is_far_apart),
        };
        let group = |name: Option<&str>, pictures| self.group(name, pictures, scale, texts);
        match self.chart().design.layout {
            Layout::Panels => vec![group(None, self.panels(texts))],
            Layout::Overlaid => {
                let names = self.names();
                let has_panels = self.chart().design.panels_too && names.len() > 1;
                // The panel of a single drive has all lines: none lies over another's.
                if has_panels && self.of.len() == 1 {
                    return vec![group(None, self.panels(texts))];
                }
                let overlaid = |name: &&str| group(Some(name), vec![self.overlaid(name, texts)]);
                let mut groups: Vec<PlotGroup> = names.iter().map(overlaid).collect();
                if has_panels {
                    groups.push(group(None, self.panels(texts)));
                }
                groups
            }
        }
    }

    /// Whether the drives of a picture are too far apart for a linear axis.
    fn is_far_apart(&self) -> bool {
        let curves = |name: &str| {
            let all = self.of.iter().flat_map(|(_, chart)| &chart.curves);
            let named: Vec<&Curve> = all.filter(|curve| curve.name == name).collect();
            axes::far_apart(named.into_iter().map(axes::top))
        };
        self.names().into_iter().any(curves)
    }

    /// The names of all curves, each once.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for curve in self.of.iter().flat_map(|(_, chart)| &chart.curves) {
            if !names.contains(&curve.name.as_str()) {
                names.push(&curve.name);
            }
        }
        names
    }

    /// A line for each drive.
    fn overlaid(&'a self, name: &str, texts: &Texts) -> Picture<'a> {
        let mut curves = Vec::new();
        let mut marks = Vec::new();
        for (subject, chart) in &self.of {
            let named = chart.curves.iter().filter(|curve| curve.name == name);
            curves.extend(named.map(|curve| Drawn {
                curve,
                subject: subject.index,
                colour: colour(subject.index),
                name: subject.title.clone(),
                letter: subject.letter(),
            }));
            let own = chart.marks.iter().filter(|mark| match &mark.curve {
                Some(curve) => curve == name,
                None => chart.curves.len() == 1,
            });
            marks.extend(own.map(|mark| {
                let mark = plot_mark(mark, texts);
                PlotMark {
                    label: format!("{}, {}", subject.title, mark.label),
                    ..mark
                }
            }));
        }
        Picture {
            subject: None,
            curves,
            marks,
        }
    }

    /// A picture for each drive.
    fn panels(&'a self, texts: &Texts) -> Vec<Picture<'a>> {
        let panel = |(subject, chart): &'a (&'a Subject<'a>, Cow<'a, Chart>)| {
            let curves = chart.curves.iter().enumerate();
            let drawn = curves.map(|(place, curve)| Drawn {
                curve,
                subject: subject.index,
                colour: panel_colour(chart, place),
                name: curve_name(&curve.name, texts),
                letter: String::new(),
            });
            Picture {
                subject: Some(subject),
                curves: drawn.collect(),
                marks: chart
                    .marks
                    .iter()
                    .map(|mark| plot_mark(mark, texts))
                    .collect(),
            }
        };
        self.of.iter().map(panel).collect()
    }

    /// Pictures on the same axes; `name` is that of the curve that all of them show, if they show one.
    fn group(
        &self,
        name: Option<&str>,
        mut pictures: Vec<Picture>,
        scale: axes::Adapted,
        texts: &Texts,
    ) -> PlotGroup {
        let design = &self.chart().design;
        for picture in &mut pictures {
            picture.curves.retain(|drawn| !drawn.curve.x.is_empty());
            let finite = |mark: &PlotMark| mark.x.is_finite() && mark.y.is_finite();
            picture.marks.retain(finite);
        }
        pictures.retain(|picture| !picture.curves.is_empty());
        let title = self.title(name, texts);
        let drawn = pictures.iter().map(|picture| picture.lines(design, texts));
        let mut lines: Vec<Vec<Line>> = drawn.collect();
        let bands_left_out = lines.iter_mut().map(|lines| line::leave_out_bands(lines));
        let bands_left_out = bands_left_out.fold(false, |any, of| any | of);
        let marks = pictures.iter().flat_map(|picture| &picture.marks);
        let heights: Vec<f64> = marks.map(|mark| mark.y).collect();
        let (x, y, right) = axes::of(design, &mut lines, &heights, scale, texts);
        let plot = |(picture, lines): (Picture, Vec<Line>)| Plot {
            id: String::new(),
            subject: picture.subject.map(|subject| subject.index),
            title: match picture.subject {
                Some(subject) => format!("{} · {title}", subject.title),
                None => title.clone(),
            },
            description: match design.shape {
                Shape::Line | Shape::Bars | Shape::Dots => {
                    line::ranges(&lines, &y, right.as_ref(), texts)
                }
                Shape::Histogram => histogram::description(&lines, texts),
            },
            x: x.clone(),
            y: y.clone(),
            right: right.clone(),
            lines,
            marks: picture.marks,
        };
        PlotGroup {
            plots: pictures.into_iter().zip(lines).map(plot).collect(),
            chart: self.chart().key.clone(),
            // A panel has the curves of one drive, and says more by telling what they are.
            explanation: match bands_left_out && design.layout == Layout::Overlaid {
                true => texts.say("bands-left-out"),
                false => texts.pick(&design.explanation).to_owned(),
            },
            title,
        }
    }

    /// What the chart shows, the subject in its key (`alone.latency`), and the curve.
    fn title(&self, name: Option<&str>, texts: &Texts) -> String {
        let chart = self.chart();
        let parts = key::parts(&chart.key);
        let (last, of) = parts
            .split_last()
            .map_or(("", &[][..]), |(last, of)| (last, of));
        let mut said = vec![texts.pick(&chart.design.title).to_owned()];
        let is_said = |name: &str| of.iter().any(|part| part == name);
        // A chart of a phase has the phase's name in its key.
        let of_name = |part: &String| match part.contains(' ') {
            true => texts.phase(part),
            false => texts.figure(part),
        };
        said.extend(of.iter().map(of_name));
        said.extend(
            name.filter(|name| *name != last && !is_said(name))
                .map(|name| curve_name(name, texts)),
        );
        said.join(" · ")
    }
}

impl Picture<'_> {
    /// Its curves as they are drawn, each by the shape of its axis.
    fn lines(&self, design: &Design, texts: &Texts) -> Vec<Line> {
        if design.shape == Shape::Histogram {
            return histogram::lines(&self.curves, texts);
        }
        let by = line::Joined::of(design);
        let most = line::most_points(design.layout);
        let of = self.curves.len();
        let line = |(place, drawn): (usize, &Drawn)| match shape(design, drawn.curve) {
            Shape::Bars => line::apart(drawn, Drawing::Bars { place, of }),
            Shape::Dots => line::apart(drawn, Drawing::Dots),
            Shape::Line | Shape::Histogram => line::line(drawn, by, most),
        };
        self.curves.iter().enumerate().map(line).collect()
    }
}

/// A curve's name, with the words that are known in the report's language.
fn curve_name(name: &str, texts: &Texts) -> String {
    let phase = texts.phase(name);
    if phase != name {
        return phase;
    }
    let words: Vec<String> = name.split(' ').map(|word| texts.figure(word)).collect();
    words.join(" ")
}

/// The shape of a curve: that of its axis.
fn shape(design: &Design, curve: &Curve) -> Shape {
    let right = design.right.as_ref().filter(|_| curve.on_right);
    right.map_or(design.shape, |right| right.shape)
}

fn colour(place: usize) -> String {
    format!("drive-{}", place % COLOURS)
}

/// In a panel colours tell directions, of lines only where no two have the same one.
fn panel_colour(chart: &Chart, place: usize) -> String {
    let direction = |curve: &Curve| key::direction(&curve.name);
    let own = direction(&chart.curves[place]);
    let is_like_it =
        |curve: &&Curve| direction(curve) == own && curve.on_right == chart.curves[place].on_right;
    let like_it = chart.curves.iter().filter(is_like_it);
    let tells = chart.design.shape == Shape::Histogram || like_it.count() == 1;
    match own {
        // A curve on the other axis is told from those below it.
        _ if chart.curves[place].on_right => colour(place),
        Some(Op::Read) if tells => "op-read".to_owned(),
        Some(Op::Write) if tells => "op-write".to_owned(),
        _ => colour(place),
    }
}

fn plot_mark(mark: &base::chart::Mark, texts: &Texts) -> PlotMark {
    PlotMark {
        x: mark.x,
        y: mark.y,
        label: texts.message(&mark.label),
        class: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Scale;
    use crate::lang::Lang;
    use analysis::group::Groups;
    use base::chart::designs;
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

    /// The pictures of one drive with one chart.
    fn of_chart(chart: Chart) -> Vec<PlotGroup> {
        let mut results = sample::review();
        results.truncate(1);
        results[0].charts = vec![chart];
        let groups = Groups::new(&results);
        plots(
            &groups.sections[0],
            &groups.subjects,
            &Texts::new(Lang::En),
            1,
        )
    }

    fn curve(name: &str) -> Curve {
        Curve::new(
            name,
            vec![1.0, 10.0, 100.0],
            vec![Some(0.1), None, Some(400.0)],
        )
    }

    #[test]
    fn steps_of_a_rate_over_time_are_marked_on_their_own_direction() {
        let mut chart = Chart::new(
            "fill.rate",
            designs::RATE_OVER_TIME,
            vec![curve("write"), curve("read")],
        );
        chart.marks = vec![base::chart::Mark {
            curve: Some("write".to_owned()),
            x: 2.0,
            y: 200.0,
            label: base::message::Message::as_it_stands("write: level from 500 to 200 MB/s"),
        }];
        let plots = of_chart(chart);
        let marks: Vec<usize> = plots.iter().map(|g| g.plots[0].marks.len()).collect();
        assert_eq!(marks, [1, 0]);
        assert!(plots[0].plots[0].marks[0].label.contains("write: level"));
        assert_eq!(plots[0].title, "Transfer rate over time · fill · write");
        let once = of_chart(Chart::new(
            "a.read.rate",
            designs::RATE_OVER_TIME,
            vec![curve("read")],
        ));
        assert_eq!(once[0].title, "Transfer rate over time · a · read");
    }

    #[test]
    fn curves_on_the_right_have_an_axis_a_shape_and_a_range_of_their_own() {
        let of = |text: &'static str| base::chart::Text::new(text, "");
        let design = Design::two_axes(
            of("Both"),
            of("Line and dots"),
            base::chart::Axis::linear(designs::POSITION, "B"),
            base::chart::Axis::linear(designs::RATE, "MB/s"),
            base::chart::RightAxis {
                axis: base::chart::Axis::linear(of("Access time"), "ms"),
                shape: Shape::Dots,
            },
        );
        let dots = Curve::new("read access", vec![5.0], vec![Some(12.0)]).on_right();
        let groups = of_chart(Chart::new(
            "read.surface",
            design,
            vec![curve("read"), dots],
        ));
        let plot = &groups[0].plots[0];
        let right = plot.right.as_ref().unwrap();
        assert_eq!(
            (plot.y.label.as_str(), plot.y.high),
            ("Transfer rate (MB/s)", 400.0)
        );
        assert_eq!((right.label.as_str(), right.high), ("Access time", 12.0));
        assert_eq!(plot.lines[0].drawing, Drawing::Line);
        assert_eq!(plot.lines[1].drawing, Drawing::Dots);
        assert_eq!(plot.axis_of(&plot.lines[1]).label, "Access time");
        // The same height on the page is 200 MB/s on the left and 6 ms on the right.
        let file = crate::svg::file(plot, groups[0].size());
        assert!(
            file.contains("400</text>") && file.contains("10 ms</text>"),
            "{file}"
        );
        assert!(
            plot.description.contains("12.00 ms"),
            "{}",
            plot.description
        );
    }

    #[test]
    fn temperatures_of_drives_lie_in_one_picture_on_their_own_axis() {
        let mut results = sample::review();
        results.truncate(2);
        for result in &mut results {
            result.method = "crystaldiskmark".to_owned();
            let curves = vec![curve("temperature")];
            result.charts = vec![Chart::new("temperature", designs::TEMPERATURE, curves)];
        }
        let groups = Groups::new(&results);
        let section = &groups.sections[0];
        let plots = plots(section, &groups.subjects, &Texts::new(Lang::En), 1);
        assert_eq!(plots.len(), 1);
        assert_eq!(plots[0].title, "Temperature over time");
        assert_eq!(plots[0].plots[0].lines.len(), 2);
        assert_eq!(plots[0].plots[0].y.label, "Temperature (°C)");
    }

    #[test]
    fn colours_tell_directions_of_lines_only_where_no_two_have_the_same() {
        let colours = |design: Design, names: &[&str]| {
            let curves = names.iter().map(|name| curve(name)).collect();
            let groups = of_chart(Chart::new("load", design, curves));
            let lines = groups[0].plots[0].lines.iter();
            lines.map(|line| line.colour.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            colours(designs::LOAD, &["read", "write", "both"]),
            ["op-read", "op-write", "drive-2"]
        );
        assert_eq!(
            colours(designs::LOAD, &["read a", "read b"]),
            ["drive-0", "drive-1"]
        );
        let bars = colours(designs::RESPONSE, &["4k read", "8k read", "8k write"]);
        assert_eq!(bars, ["op-read", "op-read", "op-write"]);
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
