//! A map of a drive's surface: places as blocks on a terminal, as squares on a page.
//!
//! Two maps, since they show two faults: the mean time of an access (a weak place takes longer all along) and the longest
//! one (a retry here and there). Shades are steps over the surface's own median, so that a disk's zones, which differ
//! by 2 to 2.5, stay light. A place that differs from its surroundings, failed, or was not visited is marked
//! whatever its shade: a mark is a conclusion, a shade only a number. Where a map has fewer squares than the surface
//! has places, a square has the shade of its worst place.

use base::{Bytes, Duration, Op};
use maud::{Markup, html};
use results::surface::{Mark, Region, Surface};
use results::{Quantity, RunResult};

use crate::lang::Texts;
use crate::text_table::indented;

/// Where a shade ends, in medians of the surface.
const STEPS: [f64; 3] = [2.5, 5.0, 10.0];
/// The shades of a terminal, the lightest first.
const BLOCKS: [char; 4] = ['░', '▒', '▓', '█'];
const SLOW: char = 'x';
const FAILED: char = '!';
const UNVISITED: char = '·';
/// The same in the styles of a page.
const CLASSES: [&str; 7] = ["s0", "s1", "s2", "s3", "slow", "failed", "unvisited"];
/// Squares of a page's map, and in a row of it.
const SQUARES: usize = 256;
const IN_A_ROW: usize = 64;
/// A square's side, with its gap.
const SIDE: usize = 10;

/// One of the two things that a map shows.
#[derive(Clone, Copy)]
struct Shown {
    keys: [&'static str; 2],
    of: fn(&Square) -> Duration,
}

const MEAN: Shown = Shown {
    keys: ["map-mean-read", "map-mean-write"],
    of: |square| square.mean,
};
const WORST: Shown = Shown {
    keys: ["map-worst-read", "map-worst-write"],
    of: |square| square.worst,
};

impl Shown {
    fn title(self, surface: &Surface, texts: &Texts) -> String {
        texts.say(self.keys[usize::from(surface.op == Op::Write)])
    }

    /// Where the shades end, in a map of these squares. A square with nothing but errors has no time.
    fn steps(self, squares: &[Square]) -> [Duration; 3] {
        let times = squares.iter().map(self.of);
        let mut all: Vec<Duration> = times.filter(|time| *time > Duration::ZERO).collect();
        all.sort_unstable();
        let median = all.get(all.len() / 2).copied().unwrap_or_default();
        STEPS.map(|step| Duration::from_nanos((median.as_nanos() as f64 * step) as u64))
    }
}

/// Neighbouring places as one square.
struct Square {
    from: Bytes,
    to: Bytes,
    mean: Duration,
    worst: Duration,
    failed: u64,
    mark: Mark,
}

fn square(regions: &[Region]) -> Square {
    let longest = |of: fn(&Region) -> Option<Duration>| {
        let all = regions.iter().filter_map(of);
        all.max().unwrap_or_default()
    };
    let has = |mark: Mark| regions.iter().any(|region| region.mark == mark);
    let marks = [Mark::Failed, Mark::Slow, Mark::Sound];
    Square {
        from: regions.first().map_or(Bytes::ZERO, |r| r.span.start),
        to: regions.last().map_or(Bytes::ZERO, |r| r.span.end()),
        mean: longest(|region| region.mean),
        worst: longest(|region| region.worst),
        failed: regions.iter().map(|region| region.failed).sum(),
        mark: marks
            .into_iter()
            .find(|mark| has(*mark))
            .unwrap_or(Mark::Unvisited),
    }
}

/// The most squares, all of equally many places.
fn squares(surface: &Surface, most: usize) -> Vec<Square> {
    let each = surface.regions.len().div_ceil(most.max(1)).max(1);
    surface.regions.chunks(each).map(square).collect()
}

fn shade(value: Duration, steps: [Duration; 3]) -> usize {
    steps.iter().filter(|step| value > **step).count()
}

/// What a square is, from where to where; and what the four shades and three marks mean, in this order.
fn legend(
    surface: &Surface,
    shown: Shown,
    squares: &[Square],
    texts: &Texts,
) -> (String, [String; 7]) {
    let said = |quantity: Quantity| texts.quantity(&quantity);
    let size = |bytes: Bytes| said(Quantity::Size(bytes));
    let span = surface.span();
    let width = squares
        .first()
        .map_or(Bytes::ZERO, |s| s.to.saturating_sub(s.from));
    let share = surface.visited.get() as f64 / span.len.get().max(1) as f64 * 100.0;
    let arguments = [
        ("width", size(width)),
        ("from", size(span.start)),
        ("to", size(span.end())),
        ("share", said(Quantity::Percent(share))),
    ];
    let arguments = arguments
        .each_ref()
        .map(|(name, what)| (*name, what.as_str()));
    // The last access of a surface may be a part of one.
    let key = if share < 99.0 {
        "map-scale-part"
    } else {
        "map-scale"
    };
    let [one, two, three] = shown.steps(squares).map(|step| {
        let time = said(Quantity::Time(step));
        texts.with("map-up-to", &[("time", time.as_str())])
    });
    let means = [
        one,
        two,
        three,
        texts.say("map-beyond"),
        texts.say("map-slow"),
        texts.say("map-failed"),
        texts.say("map-unvisited"),
    ];
    (texts.with(key, &arguments), means)
}

/// Both maps for a terminal, below each what it means.
pub(crate) fn text(surface: &Surface, columns: usize, texts: &Texts) -> String {
    let squares = squares(surface, columns.clamp(20, IN_A_ROW));
    if squares.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    for shown in [MEAN, WORST] {
        let steps = shown.steps(&squares);
        let block = |square: &Square| match square.mark {
            Mark::Failed => FAILED,
            Mark::Slow => SLOW,
            Mark::Unvisited => UNVISITED,
            Mark::Sound => BLOCKS[shade((shown.of)(square), steps)],
        };
        let line: String = squares.iter().map(block).collect();
        let (_, means) = legend(surface, shown, &squares, texts);
        let shades = BLOCKS.iter().zip(&means);
        let shades: Vec<String> = shades
            .map(|(sign, means)| format!("{sign} {means}"))
            .collect();
        let title = shown.title(surface, texts);
        let shades = format!("{title}: {}", texts.clauses(&shades));
        out.push_str(&paragraph(&shades, columns));
        out.push_str(&format!("{line}\n"));
    }
    let (scale, means) = legend(surface, MEAN, &squares, texts);
    let marks = [
        (SLOW, Mark::Slow),
        (FAILED, Mark::Failed),
        (UNVISITED, Mark::Unvisited),
    ];
    let there = marks.iter().zip(&means[BLOCKS.len()..]);
    let there = there.filter(|((_, mark), _)| squares.iter().any(|square| square.mark == *mark));
    let there = there.map(|((sign, _), means)| format!("{sign} {means}"));
    let said: Vec<String> = std::iter::once(scale).chain(there).collect();
    out + &paragraph(&texts.clauses(&said), columns)
}

/// A paragraph, in the units of the tables.
fn paragraph(text: &str, columns: usize) -> String {
    indented(0, &text.replace("µs", "us"), columns)
}

/// The maps of one drive's scan for a terminal; nothing where a result is no scan.
pub(crate) fn text_of(result: &RunResult, columns: usize, texts: &Texts) -> String {
    let surfaces = analysis::surface::surfaces(result, &[]);
    surfaces
        .iter()
        .map(|one| text(one, columns, texts))
        .collect()
}

/// The maps of one drive's scan for a page.
pub(crate) fn maps_of(result: &RunResult, texts: &Texts) -> Markup {
    let surfaces = analysis::surface::surfaces(result, &[]);
    html! { @for one in &surfaces { (maps(one, texts)) } }
}

/// Both maps for a page.
pub(crate) fn maps(surface: &Surface, texts: &Texts) -> Markup {
    let squares = squares(surface, SQUARES);
    html! {
        @if !squares.is_empty() {
            div.surface {
                @for shown in [MEAN, WORST] {
                    figure.chart {
                        figcaption { (shown.title(surface, texts)) }
                        (picture(&squares, shown, &shown.title(surface, texts), texts))
                        (key(legend(surface, shown, &squares, texts)))
                    }
                }
            }
        }
    }
}

fn key((scale, means): (String, [String; 7])) -> Markup {
    html! {
        p.legend {
            span { (scale) }
            @for (class, means) in CLASSES.iter().zip(&means) {
                " " span { span class={ "square " (class) } aria-hidden="true" {} " " (means) }
            }
        }
    }
}

fn picture(squares: &[Square], shown: Shown, title: &str, texts: &Texts) -> Markup {
    let steps = shown.steps(squares);
    let rows = squares.len().div_ceil(IN_A_ROW);
    let class = |square: &Square| match square.mark {
        Mark::Sound => CLASSES[shade((shown.of)(square), steps)],
        Mark::Slow => CLASSES[4],
        Mark::Failed => CLASSES[5],
        Mark::Unvisited => CLASSES[6],
    };
    let view = format!("0 0 {} {}", IN_A_ROW * SIDE, rows * SIDE);
    html! {
        svg.map viewBox=(view) role="img" aria-label=(title) {
            @for (at, square) in squares.iter().enumerate() {
                rect.(class(square)) x=(at % IN_A_ROW * SIDE) y=(at / IN_A_ROW * SIDE) width=(SIDE - 1) height=(SIDE - 1) {
                    title { (place(square, texts)) }
                }
            }
        }
    }
}

fn place(square: &Square, texts: &Texts) -> String {
    let said = |quantity: Quantity| texts.quantity(&quantity);
    let key = if square.failed > 0 {
        "map-place-failed"
    } else {
        "map-place"
    };
    texts.with(
        key,
        &[
            ("from", &said(Quantity::Place(square.from))),
            ("to", &said(Quantity::Place(square.to))),
            ("mean", &said(Quantity::Time(square.mean))),
            ("worst", &said(Quantity::Time(square.worst))),
            ("failed", &square.failed.to_string()),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::workload::Span;

    #[test]
    fn shades_are_steps_over_the_places_that_answered_however_many_failed() {
        let place = |number: u64, time: Option<Duration>| Region {
            span: Span::new(Bytes::mib(number), Bytes::mib(1)),
            ios: u64::from(time.is_some()),
            mean: time,
            worst: time,
            failed: u64::from(time.is_none()),
            mark: time.map_or(Mark::Failed, |_| Mark::Sound),
        };
        let surface = Surface {
            op: Op::Write,
            visited: Bytes::mib(8),
            regions: (0..8)
                .map(|number| place(number, (number < 2).then_some(Duration::from_millis(1))))
                .collect(),
            weak: Vec::new(),
        };
        let steps = MEAN.steps(&squares(&surface, SQUARES));
        assert_eq!(steps[0], Duration::from_micros(2500));
    }
}
