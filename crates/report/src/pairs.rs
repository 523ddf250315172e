//! A range as one row: `182-148` in place of a row for its top and another for its bottom.
//!
//! Who tests disks writes what a place gives as two numbers with a stroke between, the top and the bottom of its band:
//! one look says how fast it is and how much it varies. Two rows are drawn together where their keys differ in nothing
//! but that end, and where each drive has both values, or neither: a half of a range would say nothing.

use std::mem::discriminant;

use crate::lang::Texts;
use analysis::verdict::{Cell, Rank, Row};

/// A row of a table.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a, 'b> {
    /// The figure, or the top of a range.
    pub(crate) first: &'a Row<'b>,
    /// The bottom of the range.
    pub(crate) bottom: Option<&'a Row<'b>>,
}

/// The rows, with the two of a range as one.
pub(crate) fn paired<'a, 'b>(rows: impl Iterator<Item = &'a Row<'b>>) -> Vec<Shown<'a, 'b>> {
    let mut shown: Vec<Shown> = Vec::new();
    for row in rows {
        match shown.last_mut() {
            Some(last) if last.bottom.is_none() && are_ends(last.first, row) => {
                last.bottom = Some(row);
            }
            _ => shown.push(Shown {
                first: row,
                bottom: None,
            }),
        }
    }
    shown
}

fn are_ends(top: &Row, bottom: &Row) -> bool {
    let of = top.key.strip_suffix(".top");
    let alike = |(a, b): (&Cell, &Cell)| discriminant(a) == discriminant(b);
    of.is_some()
        && of == bottom.key.strip_suffix(".bottom")
        && top.unit == bottom.unit
        && top.cells.iter().zip(&bottom.cells).all(alike)
}

impl Shown<'_, '_> {
    /// The name of the row.
    pub(crate) fn name(&self, texts: &Texts) -> String {
        let first = texts.figure(self.first.key);
        match self.bottom {
            Some(_) => format!("{first}-{}", texts.figure("bottom")),
            None => first,
        }
    }

    /// The value of the range's bottom, where it is one.
    pub(crate) fn other_end(&self, place: usize) -> Option<String> {
        match &self.bottom?.cells[place] {
            Cell::Value { figure, .. } | Cell::Apart(figure, _) => {
                Some(crate::number::value(figure.value?, &figure.unit))
            }
            Cell::Absent | Cell::WhyNot(_) => None,
        }
    }

    /// The rank of a value: of a range, the one that both of its ends have.
    pub(crate) fn rank(&self, place: usize) -> Rank {
        let of = |row: &Row| match &row.cells[place] {
            Cell::Value { rank, .. } => *rank,
            _ => Rank::Plain,
        };
        let first = of(self.first);
        match self.bottom.map(of) {
            Some(bottom) if bottom != first => Rank::Plain,
            _ => first,
        }
    }
}
