//! A picture as SVG: readable without scripts, in print, and by those who do not see it.
//!
//! Colours are the page's CSS variables, so that light, dark and print need no second picture. Every
//! line carries the classes by which the page's check boxes hide it: `d0` (its drive) and `c0` (its
//! place in the picture).

mod letters;

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use crate::chart::{Axis, Drawing, Line, Plot, Tick, bar_room};
use crate::xml::without_control_characters;

/// Size of a picture, in units of its text's pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A picture as wide as the page.
pub(crate) const WIDE: Size = Size {
    width: 960.0,
    height: 360.0,
};
/// One of several side by side.
pub(crate) const PANEL: Size = Size {
    width: 360.0,
    height: 280.0,
};

const LEFT: f64 = 64.0;
const RIGHT: f64 = 26.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;

/// The picture as an `<svg>` element of a page.
pub(crate) fn svg(plot: &Plot, size: Size) -> Markup {
    html! {
        svg.plot viewBox=(view_box(size, 0.0)) role="img" aria-labelledby=(labels(plot)) {
            (content(plot, size))
        }
    }
}

/// The picture as an `<svg>` element of a page, with a heading (title and legend) above it that the page
/// does not show: a copy that leaves the page brings it into view, by `data-head`, its height.
pub(crate) fn svg_with_heading(plot: &Plot, size: Size) -> Markup {
    html! {
        svg.plot viewBox=(view_box(size, 0.0)) data-head=(heading_height(plot)) role="img" aria-labelledby=(labels(plot)) {
            (heading(plot, size))
            (content(plot, size))
        }
    }
}

/// The picture as a file of its own: title, legend, white paper, and its own style.
pub(crate) fn file(plot: &Plot, size: Size) -> String {
    let head = heading_height(plot);
    let element = html! {
        svg xmlns="http://www.w3.org/2000/svg" class="plot" width=(size.width) height=(size.height + head)
            viewBox=(view_box(size, head)) role="img" aria-labelledby=(labels(plot)) {
            style { (PreEscaped(style())) }
            (heading(plot, size))
            (content(plot, size))
        }
    };
    without_control_characters(element.into_string()) + "\n"
}

fn view_box(size: Size, head: f64) -> String {
    let top = if head > 0.0 { -head } else { 0.0 };
    format!("0 {top} {} {}", size.width, size.height + head)
}

/// The ids of the picture's title and description.
fn labels(plot: &Plot) -> String {
    format!("{id}-t {id}-d", id = plot.id)
}

fn content(plot: &Plot, size: Size) -> Markup {
    let right = plot.right.as_ref().map_or(RIGHT, |_| LEFT);
    let frame = Frame { plot, size, right };
    html! {
        title id={ (plot.id) "-t" } { (plot.title) }
        desc id={ (plot.id) "-d" } { (plot.description) }
        (frame.vertical_axis())
        (frame.right_axis())
        (frame.horizontal_axis())
        @for (number, line) in plot.lines.iter().enumerate() { (frame.line(number, line)) }
        @if !plot.marks.is_empty() { (frame.marks()) }
    }
}

/// Height of the title's line in a heading.
const TITLE: f64 = 34.0;
/// Height of a legend's line in a heading.
const ENTRY: f64 = 18.0;

fn heading_height(plot: &Plot) -> f64 {
    TITLE + ENTRY * plot.lines.len() as f64
}

/// Title and legend above a picture, on its paper. A line of the legend carries the classes of its line in
/// the picture, so that what hides the one hides the other.
fn heading(plot: &Plot, size: Size) -> Markup {
    let head = heading_height(plot);
    let height_of = |number: usize| TITLE - head + ENTRY * number as f64 + 10.0;
    html! {
        g.heading {
            rect.paper x="0" y=(-head) width=(size.width) height=(size.height + head) {}
            text.title x="14" y=(22.0 - head) { (plot.title) }
            @for (number, line) in plot.lines.iter().enumerate() {
                (entry(number, line, height_of(number)))
            }
        }
    }
}

fn entry(number: usize, line: &Line, y: f64) -> Markup {
    let is_filled = line.drawing != Drawing::Line || line.letter.is_empty();
    html! {
        g class=(line_classes(number, line)) {
            @if is_filled {
                path.fill d={ "M14 " (y - 9.0) "h26v10h-26Z" } {}
            } @else {
                path.stroke d={ "M14 " (y - 4.0) "h26" } {}
            }
            text.letter x="48" y=(y) { (line.letter) }
            text.entry x=(if line.letter.is_empty() { "48" } else { "64" }) y=(y) { (line.name) }
        }
    }
}

fn line_classes(number: usize, line: &Line) -> String {
    let class = line.drawing.class(number);
    format!("line {} d{} c{number}{class}", line.colour, line.subject)
}

/// Colours of lines in a file of its own, with their dashes: those of the style sheet in light.
const PALETTE: [(&str, &str, &str); 9] = [
    ("drive-0", "#343944", "none"),
    ("drive-1", "#007a71", "9 3"),
    ("drive-2", "#c0275f", "3 2"),
    ("drive-3", "#857000", "9 3 2 3"),
    ("drive-4", "#6a4fc0", "14 4"),
    ("drive-5", "#8a5a35", "5 5"),
    ("op-read", "#e58a1f", "none"),
    ("op-write", "#2f7fd1", "7 2"),
    ("op-overlap", "#7d4aa3", "none"),
];

/// The style of a picture in a file of its own: plain classes and colours, which every reader of SVG
/// knows (few know CSS variables).
pub(crate) fn style() -> String {
    let mut style = String::from(
        ".paper{fill:#fff}text{font:12px system-ui,sans-serif;fill:#565d69}\
         .title{font-size:16px;font-weight:600;fill:#17191d}.entry{fill:#17191d}.letter{font-weight:700}\
         .grid,.minor{stroke:#eceef1;fill:none}.minor{stroke-opacity:.55}.axis{stroke:#565d69;fill:none}\
         .stroke{fill:none;stroke-width:1.6;stroke-linejoin:round}.band{fill-opacity:.18}\
         .op-read .band,.op-write .band{fill-opacity:.4}.dot{fill-opacity:.75}\
         .mark{fill:none;stroke:#b3123a;stroke-width:1.5}\
         .dots{fill:none;stroke-width:3.4;stroke-linecap:round}.square .dots{stroke-linecap:square}\
         .cross .dots{stroke-width:1.1}.hollow .fill{fill-opacity:.25;stroke-width:1.2}",
    );
    for (class, colour, dash) in PALETTE {
        let _ = write!(
            style,
            ".{class} .stroke{{stroke:{colour};stroke-dasharray:{dash}}}\
             .{class} .dots,.{class}.hollow .fill{{stroke:{colour}}}\
             .{class} .band,.{class} .fill,.{class} .letter,.dot.{class}{{fill:{colour}}}"
        );
    }
    style
}

/// The lines behind a picture, those with words and those without: a path each, which is shorter than one a line.
fn grid(ticks: &[Tick], line: impl Fn(f64) -> String) -> Markup {
    let of = |class: &str| -> String {
        let own = ticks.iter().filter(|tick| grid_class(tick) == class);
        own.map(|tick| line(tick.at)).collect()
    };
    let (minor, spoken) = (of("minor"), of("grid"));
    html! {
        @if !minor.is_empty() { path.minor d=(minor) {} }
        @if !spoken.is_empty() { path.grid d=(spoken) {} }
    }
}

/// A path of straight lines in whole tenths of a pixel, each from where the one before it ended: the shortest way to
/// write it. What lies on the way from one point to the next is left out.
#[derive(Default)]
struct Path {
    text: String,
}

impl Path {
    /// One line through these points.
    fn run(&mut self, points: impl Iterator<Item = (f64, f64)>) {
        let whole = |(x, y): (f64, f64)| ((x * 10.0).round() as i64, (y * 10.0).round() as i64);
        let mut corners: Vec<(i64, i64)> = Vec::new();
        for point in points.map(whole) {
            if let [.., before, last] = corners.as_slice()
                && lies_between(*before, *last, point)
            {
                corners.pop();
            }
            if corners.last() != Some(&point) || corners.len() < 2 {
                corners.push(point);
            }
        }
        let mut corners = corners.into_iter();
        let Some(mut at) = corners.next() else { return };
        let _ = write!(self.text, "M{} {}l", short(at.0), short(at.1));
        let mut is_first = true;
        for to in corners {
            let x = short(to.0 - at.0);
            let y = short(to.1 - at.1);
            if !is_first && !x.starts_with('-') {
                self.text.push(' ');
            }
            self.text.push_str(&x);
            if !y.starts_with('-') {
                self.text.push(' ');
            }
            self.text.push_str(&y);
            at = to;
            is_first = false;
        }
        if is_first {
            self.text.push_str("0 0");
        }
    }
}

/// Whether the middle one of three points lies on the straight line between the others.
fn lies_between(a: (i64, i64), b: (i64, i64), c: (i64, i64)) -> bool {
    let (ab, bc) = ((b.0 - a.0, b.1 - a.1), (c.0 - b.0, c.1 - b.1));
    let turns = ab.0 * bc.1 - ab.1 * bc.0;
    turns == 0 && ab.0 * bc.0 + ab.1 * bc.1 > 0
}

/// Tenths in the fewest characters: `12.5`, `3`, `-.4`.
fn short(tenths: i64) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    match (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (0, tenth) => format!("{sign}.{tenth}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}

/// A picture and the size that it is drawn in.
struct Frame<'a> {
    plot: &'a Plot,
    size: Size,
    /// Room on the right of the lines: more if there is an axis.
    right: f64,
}

impl Frame<'_> {
    fn x(&self, value: f64) -> f64 {
        LEFT + self.plot.x.place(value) * (self.end() - LEFT)
    }

    /// Where the horizontal axis ends.
    fn end(&self) -> f64 {
        self.size.width - self.right
    }

    fn y(&self, value: f64) -> f64 {
        self.along(&self.plot.y, value)
    }

    /// A height along the axis of a line.
    fn y_of(&self, line: &Line, value: f64) -> f64 {
        self.along(self.plot.axis_of(line), value)
    }

    fn along(&self, axis: &Axis, value: f64) -> f64 {
        TOP + (1.0 - axis.place(value)) * (self.floor() - TOP)
    }

    fn floor(&self) -> f64 {
        self.size.height - BOTTOM
    }

    fn vertical_axis(&self) -> Markup {
        let right = self.end();
        let middle = (TOP + self.floor()) / 2.0;
        let ticks = self.plot.y.ticks(self.vertical_ticks());
        html! {
            (grid(&ticks, |at| format!("M{LEFT} {}H{right}", tenths(self.y(at)))))
            g text-anchor="end" {
                @for tick in ticks.iter().filter(|tick| !tick.label.is_empty()) {
                    text.tick x=(tenths(LEFT - 7.0)) y=(tenths(self.y(tick.at) + 4.0)) { (tick.label) }
                }
            }
            (axis_label(&self.plot.y, 13.0, middle, Some(format!("rotate(-90 13 {middle})"))))
        }
    }

    fn vertical_ticks(&self) -> usize {
        if self.size.height > 300.0 { 8 } else { 6 }
    }

    /// The axis on the right: its own ticks, without lines, as the picture's are those of the left one.
    fn right_axis(&self) -> Markup {
        let Some(axis) = &self.plot.right else {
            return html! {};
        };
        let (end, middle) = (self.end(), (TOP + self.floor()) / 2.0);
        let edge = self.size.width - 15.0;
        html! {
            path.axis d=(format!("M{end} {TOP}V{}", self.floor())) {}
            g {
                @for tick in axis.ticks(self.vertical_ticks()).iter().filter(|tick| !tick.label.is_empty()) {
                    text.tick x=(tenths(end + 7.0)) y=(tenths(self.along(axis, tick.at) + 4.0)) { (tick.label) }
                }
            }
            (axis_label(axis, edge, middle, Some(format!("rotate(90 {edge} {middle})"))))
        }
    }

    fn horizontal_axis(&self) -> Markup {
        let floor = self.floor();
        let middle = (LEFT + self.end()) / 2.0;
        let ticks = (self.plot.x).ticks(if self.size.width > 600.0 { 10 } else { 5 });
        html! {
            (grid(&ticks, |at| format!("M{} {TOP}V{floor}", tenths(self.x(at)))))
            g text-anchor="middle" {
                @for tick in ticks.iter().filter(|tick| !tick.label.is_empty()) {
                    text.tick x=(tenths(self.x(tick.at))) y=(tenths(floor + 17.0)) { (tick.label) }
                }
            }
            path.axis d=(format!("M{LEFT} {TOP}V{floor}H{}", self.end())) {}
            (axis_label(&self.plot.x, middle, self.size.height - 8.0, None))
        }
    }

    fn line(&self, number: usize, line: &Line) -> Markup {
        html! {
            g class=(line_classes(number, line)) {
                @match line.drawing {
                    Drawing::Histogram => { path.fill d=(self.steps(line)) {} }
                    Drawing::Bars { place, of } => { path.fill d=(self.bars(line, place, of)) {} }
                    Drawing::Dots => { path.dots d=(self.dots(number, line)) {} }
                    Drawing::Line => {
                        @if let Some((low, high)) = &line.band {
                            path.band d=(self.band(line, low, high)) {}
                        }
                        path.stroke d=(self.path(line)) {}
                        (self.letter(number, line))
                    }
                }
            }
        }
    }

    /// A line that is broken where there is no value.
    fn path(&self, line: &Line) -> String {
        let mut path = Path::default();
        let points: Vec<Option<(f64, f64)>> = line
            .x
            .iter()
            .zip(&line.y)
            .map(|(x, y)| Some((self.x(*x), self.y_of(line, (*y)?))))
            .collect();
        for stretch in points.split(Option::is_none) {
            path.run(stretch.iter().flatten().copied());
        }
        path.text
    }

    /// An area for each stretch where both edges are there: along the upper edge, back along the lower.
    fn band(&self, line: &Line, low: &[Option<f64>], high: &[Option<f64>]) -> String {
        let y = |value: f64| self.y_of(line, value);
        let points: Vec<Option<(f64, f64, f64)>> = line
            .x
            .iter()
            .zip(low.iter().zip(high))
            .map(|(x, (low, high))| Some((self.x(*x), y((*low)?), y((*high)?))))
            .collect();
        let mut path = Path::default();
        for stretch in points.split(Option::is_none) {
            let stretch: Vec<(f64, f64, f64)> = stretch.iter().flatten().copied().collect();
            let upper = stretch.iter().map(|(x, _, high)| (*x, *high));
            let lower = stretch.iter().rev().map(|(x, low, _)| (*x, *low));
            if !stretch.is_empty() {
                path.run(upper.chain(lower));
                path.text.push('Z');
            }
        }
        path.text
    }

    /// A bar for each point, in its place among those of the same position.
    fn bars(&self, line: &Line, place: usize, of: usize) -> String {
        let room = bar_room(&self.plot.x, &self.plot.lines) * (self.end() - LEFT);
        let wide = room / of.max(1) as f64;
        let floor = self.floor();
        let mut path = String::new();
        for (x, y) in line.x.iter().zip(&line.y) {
            let Some(y) = y else { continue };
            let left = self.x(*x) - room / 2.0 + wide * place as f64;
            let inner = (wide - 1.0).max(0.5);
            let high = floor - self.y_of(line, *y);
            let _ = write!(
                path,
                "M{left:.1} {floor:.1}v-{high:.1}h{inner:.1}v{high:.1}Z"
            );
        }
        path
    }

    /// A dot for each point: round, square or a cross, so that drives are told apart without colour.
    fn dots(&self, number: usize, line: &Line) -> String {
        let mut path = String::new();
        for (x, y) in line.x.iter().zip(&line.y) {
            let Some(y) = y else { continue };
            let (x, y) = (self.x(*x), self.y_of(line, *y));
            let _ = match number % 3 {
                2 => write!(path, "M{:.1} {y:.1}h4m-2-2v4", x - 2.0),
                _ => write!(path, "M{x:.1} {y:.1}h0"),
            };
        }
        path
    }

    /// A histogram's outline: from edge to edge at the height of each bucket, and back on the floor.
    fn steps(&self, line: &Line) -> String {
        let Some(first) = line.x.first() else {
            return String::new();
        };
        let floor = self.floor();
        let mut path = format!("M{:.1} {floor:.1}", self.x(*first));
        for (i, y) in line.y.iter().enumerate() {
            let end = line.x.get(i + 1).unwrap_or(&line.x[i]);
            let _ = write!(
                path,
                "V{:.1}H{:.1}",
                self.y_of(line, y.unwrap_or(0.0)),
                self.x(*end)
            );
        }
        let _ = write!(path, "V{floor:.1}Z");
        path
    }

    fn marks(&self) -> Markup {
        html! {
            g.marks {
                @for mark in &self.plot.marks {
                    @let (x, y) = (self.x(mark.x), self.y(mark.y));
                    @if mark.class.is_empty() {
                        path.mark d=(format!("M{x:.1} {:.1}l4.5 4.5l-4.5 4.5l-4.5 -4.5Z", y - 4.5)) {
                            title { (mark.label) }
                        }
                    } @else {
                        circle class={ "dot " (mark.class) } cx=(tenths(x)) cy=(tenths(y)) r="3.5" {
                            title { (mark.label) }
                        }
                    }
                }
            }
        }
    }
}

/// A coordinate, to a tenth.
fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

fn grid_class(tick: &Tick) -> &'static str {
    if tick.label.is_empty() {
        "minor"
    } else {
        "grid"
    }
}

fn axis_label(axis: &Axis, x: f64, y: f64, turned: Option<String>) -> Markup {
    html! {
        text.label x=(x) y=(y) text-anchor="middle" transform=[turned] { (axis.label) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{PlotMark, Reading, Scale};

    fn plot() -> Plot {
        let axis = |high: f64| Axis {
            label: "a < b".to_owned(),
            scale: Scale::Linear,
            reading: Reading::Number,
            low: 0.0,
            high,
        };
        Plot {
            id: "p1".to_owned(),
            subject: None,
            title: "Title & more".to_owned(),
            description: "What it shows".to_owned(),
            x: axis(4.0),
            y: axis(10.0),
            right: None,
            lines: vec![Line {
                colour: "drive-0".to_owned(),
                subject: 0,
                name: "A".to_owned(),
                letter: "A".to_owned(),
                x: vec![0.0, 1.0, 2.0, 3.0],
                y: vec![Some(1.0), Some(2.0), None, Some(4.0)],
                band: Some((
                    vec![Some(0.5), Some(1.0), None, Some(3.0)],
                    vec![Some(2.0), Some(3.0), None, Some(9.0)],
                )),
                drawing: Drawing::Line,
                gb_a_unit: None,
                on_right: false,
            }],
            marks: vec![PlotMark {
                x: 3.0,
                y: 9.0,
                label: "<worst>".to_owned(),
                class: String::new(),
            }],
        }
    }

    #[test]
    fn a_picture_says_what_it_shows_and_escapes_what_it_is_given() {
        let svg = svg(&plot(), PANEL).into_string();
        assert!(svg.contains("<title id=\"p1-t\">Title &amp; more</title>"));
        assert!(svg.contains("<desc id=\"p1-d\">What it shows</desc>"));
        assert!(svg.contains("&lt;worst&gt;") && !svg.contains("<worst>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn a_file_has_its_own_style_title_and_legend() {
        let file = file(&plot(), PANEL);
        assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(file.contains("viewBox=\"0 -52 360 332\""), "{file}");
        assert!(file.contains(">Title &amp; more</text>"));
        assert!(file.contains("<style>.paper") && !file.contains("var(--"));
        assert!(file.contains("class=\"entry\"") && file.ends_with("</svg>\n"));
    }

    #[test]
    fn a_file_has_the_colours_of_the_page() {
        let sheet = include_str!("../assets/report.css");
        for (class, colour, dash) in PALETTE {
            let variable = class.strip_prefix("op-").unwrap_or(class);
            let light = sheet.split(&format!("--{variable}: ")).nth(1).unwrap();
            assert!(light.starts_with(colour), "{class}");
            if class.starts_with("drive-") {
                assert!(sheet.contains(&format!(
                    ".{class} {{ --line-colour: var(--{class}); --dash: {dash}; }}"
                )));
            }
        }
    }

    #[test]
    fn a_path_goes_on_from_where_it_is_and_leaves_out_what_lies_on_the_way() {
        let mut path = Path::default();
        let points = [(1.0, 2.0), (2.0, 2.0), (3.04, 2.0), (2.0, 1.5), (2.0, 1.5)];
        path.run(points.into_iter());
        assert_eq!(path.text, "M1 2l2 0-1-.5");
        let mut dot = Path::default();
        dot.run([(4.0, 5.0)].into_iter());
        assert_eq!(dot.text, "M4 5l0 0");
    }

    #[test]
    fn a_line_and_its_band_are_broken_where_there_is_no_value() {
        let svg = svg(&plot(), PANEL).into_string();
        let of = |class: &str| {
            let start = svg.find(&format!("class=\"{class}\" d=\"")).unwrap();
            svg[start..].split('"').nth(3).unwrap().to_owned()
        };
        assert_eq!(of("stroke").matches('M').count(), 2);
        assert_eq!(of("band").matches('Z').count(), 2);
    }
}
