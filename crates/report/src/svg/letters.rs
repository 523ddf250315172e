//! The letters at the ends of lines.
//!
//! A line is told from others by colour, by its dashes, and by the drive's letter behind its last point. Lines of drives
//! that are alike end at the same height, where the letters would overlap: so they are placed one below the other, each
//! as near to its line as the others allow.

use maud::{Markup, html};

use super::{Frame, tenths};
use crate::chart::{Drawing, Line};

/// The room of a letter.
const LETTER: f64 = 11.0;

impl Frame<'_> {
    /// The line's short name, at its last point or as near to it as the others' leave room.
    pub(super) fn letter(&self, number: usize, line: &Line) -> Markup {
        let ends: Vec<Option<(f64, f64)>> =
            self.plot.lines.iter().map(|l| self.end_of(l)).collect();
        let place = apart(&ends, self.floor())[number];
        html! {
            @if let Some((x, y)) = place {
                text.letter x=(tenths(x + 5.0)) y=(tenths(y + 4.0)) { (line.letter) }
            }
        }
    }

    /// The last point of a line that has a letter.
    fn end_of(&self, line: &Line) -> Option<(f64, f64)> {
        if line.letter.is_empty() || line.drawing != Drawing::Line {
            return None;
        }
        let mut points = line.x.iter().zip(&line.y).rev();
        points.find_map(|(x, y)| Some((self.x(*x), self.y_of(line, (*y)?))))
    }
}

/// Places of letters, moved along so that none lies over another: down from the highest, and up again from the floor.
fn apart(ends: &[Option<(f64, f64)>], floor: f64) -> Vec<Option<(f64, f64)>> {
    let mut places = ends.to_vec();
    let mut order: Vec<usize> = (0..ends.len()).filter(|at| ends[*at].is_some()).collect();
    order.sort_by(|a, b| {
        let y = |at: &usize| ends[*at].map_or(0.0, |(_, y)| y);
        y(a).total_cmp(&y(b))
    });
    let mut push = |order: &[usize], sign: f64, first: f64| {
        for (n, at) in order.iter().enumerate() {
            let Some((x, y)) = places[*at] else { continue };
            let near = order[..n].iter().filter_map(|before| places[*before]);
            let near = near.filter(|(other, _)| (other - x).abs() < LETTER);
            let y = near.fold((sign * y).max(first), |y, (_, other)| {
                y.max(sign * other + LETTER)
            });
            places[*at] = Some((x, sign * y));
        }
    };
    push(&order, 1.0, f64::NEG_INFINITY);
    order.reverse();
    push(&order, -1.0, -floor);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_lines_that_end_together_stand_over_each_other_and_above_the_floor() {
        let ends = [
            Some((300.0, 98.0)),
            None,
            Some((300.0, 97.0)),
            Some((300.0, 99.0)),
            Some((100.0, 98.0)),
        ];
        let y = |floor| -> Vec<i64> {
            let places = apart(&ends, floor);
            let places = places.into_iter().flatten();
            places.map(|(_, y)| y as i64).collect()
        };
        assert_eq!(y(300.0), [108, 97, 119, 98]);
        assert_eq!(y(100.0), [89, 78, 100, 98]);
    }
}
