//! Figures as dots on a plane with published and simulated values on logarithmic axes: on the diagonal they agree,
//! and two bands show 10 and 25 % either way.

use maud::{Markup, html};
use results::reproduction::{Category, ReproducedFigure};

use super::{drive, number, what};
use crate::chart::{Axis, Drawing, Line, Plot, PlotMark, Reading, Scale};
use crate::html::shell;
use crate::lang::Texts;
use crate::svg::{Size, svg};

/// The plane is square but for its axes.
const PLANE: Size = Size {
    width: 760.0,
    height: 720.0,
};
/// The bands, in per cent either way.
const BANDS: [f64; 2] = [25.0, 10.0];

/// Dots of three kinds: predicted, fitted to, and what does not count.
fn kind(category: Category) -> usize {
    match category {
        Category::Predicted | Category::Claim => 0,
        Category::Calibrated => 1,
        _ => 2,
    }
}

const KINDS: [(&str, &str); 3] = [
    ("drive-2", "reproduce-predicted"),
    ("drive-1", "reproduce-calibrated"),
    ("drive-0", "reproduce-not-counted"),
];

/// Figures with a number on both sides as dots; nothing where there are none.
pub(crate) fn plane(rows: &[ReproducedFigure], texts: &Texts) -> Markup {
    let dot = |row: &ReproducedFigure| {
        let (x, y) = (row.published.parse().ok()?, row.simulated?);
        (x > 0.0 && y > 0.0).then(|| PlotMark {
            x,
            y,
            label: label(row, texts),
            class: KINDS[kind(row.category)].0.to_owned(),
        })
    };
    let mut rows: Vec<&ReproducedFigure> = rows.iter().collect();
    // What counts is drawn last, over the rest.
    rows.sort_by_key(|row| std::cmp::Reverse(kind(row.category)));
    let marks: Vec<PlotMark> = rows.into_iter().filter_map(dot).collect();
    if marks.is_empty() {
        return html! {};
    }
    let values = || marks.iter().flat_map(|mark| [mark.x, mark.y]);
    let low = values().fold(f64::MAX, f64::min) / 1.5;
    let high = values().fold(0.0, f64::max) * 1.5;
    let axis = |key: &str| Axis {
        label: texts.say(key),
        scale: Scale::Log,
        reading: Reading::Number,
        low,
        high,
    };
    let plot = Plot {
        id: "plane".to_owned(),
        subject: None,
        title: texts.say("reproduce-title"),
        description: texts.say("reproduce-picture"),
        x: axis("reproduce-axis-published"),
        y: axis("reproduce-axis-simulated"),
        right: None,
        lines: BANDS
            .iter()
            .map(|percent| band(*percent, low, high))
            .collect(),
        marks,
    };
    let keys = KINDS.map(|(colour, key)| (colour.to_owned(), texts.say(key)));
    html! {
        section.method aria-labelledby="plane-t" { (shell::figure(&keys, &svg(&plot, PLANE))) }
    }
}

/// The diagonal with so many per cent either way.
fn band(percent: f64, low: f64, high: f64) -> Line {
    let share = percent / 100.0;
    // Both edges end at the plane's: where they meet its rim they have a corner.
    let corners = [low, low / (1.0 - share), high / (1.0 + share), high];
    let edge = |factor: f64| {
        let inside = |x: &f64| Some((x * factor).clamp(low, high));
        corners.iter().map(inside).collect::<Vec<_>>()
    };
    Line {
        colour: "drive-0".to_owned(),
        subject: 0,
        name: String::new(),
        letter: String::new(),
        x: corners.to_vec(),
        y: edge(1.0),
        band: Some((edge(1.0 - share), edge(1.0 + share))),
        drawing: Drawing::Line,
        gb_a_unit: None,
        on_right: false,
    }
}

fn label(row: &ReproducedFigure, texts: &Texts) -> String {
    format!(
        "{} {}, {}: {} / {} {}",
        row.id,
        drive(row),
        what(row, texts),
        row.published,
        number(row.simulated, &row.unit),
        row.unit
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bands_edges_keep_their_distance_up_to_the_rim_of_the_plane() {
        let line = band(25.0, 9.0, 100.0);
        let (low, high) = line.band.unwrap();
        // Below: along the rim to 12, then 25 % under the diagonal.
        assert_eq!(line.x, [9.0, 12.0, 80.0, 100.0]);
        assert_eq!(low, [Some(9.0), Some(9.0), Some(60.0), Some(75.0)]);
        assert_eq!(high, [Some(11.25), Some(15.0), Some(100.0), Some(100.0)]);
    }
}
