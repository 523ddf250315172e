//! Where a reviewed drive stands among all modelled drives of its class.
//!
//! Two neighbours say little of a class of forty. So one short method can be run on all of them, and each of its
//! figures ranks them together with the reviewed drive. Only drives measured under the conditions of the reviewed
//! drive are ranked; the others are counted.

use analysis::group::{Groups, Subject};
use analysis::verdict::{Cell, Reference, Row, Table};
use base::result::Better;
use results::RunResult;

use crate::lang::Texts;
use crate::number;
use crate::terminal::TerminalOptions;
use crate::text_table::wrap;

/// The figures that are ranked: large files and single small accesses, both ways.
const FIGURES: [&str; 4] = [
    "seq1m-q8t1.read",
    "seq1m-q8t1.write",
    "rnd4k-q1t1.read",
    "rnd4k-q1t1.write",
];

/// A figure of all drives of a class.
pub(crate) struct Ranking<'a> {
    pub(crate) key: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) better: Better,
    /// The numbers of the drives and their values, the best first.
    pub(crate) drives: Vec<(usize, f64)>,
    /// How many have a value that was not measured as the reviewed one's was.
    pub(crate) apart: usize,
}

impl Ranking<'_> {
    /// The reviewed drive's place, from 1; those that are as good share it. Nothing where it has no value.
    pub(crate) fn place(&self) -> Option<usize> {
        let (_, own) = self.drives.iter().find(|(drive, _)| *drive == 0)?;
        let is_better = |other: f64| match self.better {
            Better::Lower => other < *own,
            Better::Higher | Better::None => other > *own,
        };
        let better = self.drives.iter().filter(|(_, other)| is_better(*other));
        Some(better.count() + 1)
    }
}

/// The results of one method, the reviewed drive's first.
pub(crate) fn of_one_method(reviewed: &[RunResult], class: &[RunResult]) -> Vec<RunResult> {
    let Some(method) = class.first().map(|result| &result.method) else {
        return Vec::new();
    };
    let own = reviewed.iter().filter(|result| result.method == *method);
    own.chain(class).cloned().collect()
}

/// The rankings of these results; the first drive is the reviewed one.
pub(crate) fn rankings<'a>(groups: &Groups<'a>) -> Vec<Ranking<'a>> {
    let Some(section) = groups.sections.first() else {
        return Vec::new();
    };
    let table = Table::new(section, Reference::First);
    let rows = table.rows.iter();
    let asked = rows.filter(|row| FIGURES.contains(&row.key));
    let ranked = asked.map(|row| ranking(row, &table.columns));
    ranked.filter(|ranking| ranking.place().is_some()).collect()
}

fn ranking<'a>(row: &Row<'a>, columns: &[usize]) -> Ranking<'a> {
    let cells = || columns.iter().zip(&row.cells);
    let mut drives: Vec<(usize, f64)> = cells()
        .filter_map(|(drive, cell)| match cell {
            Cell::Value { figure, .. } => Some((*drive, figure.value?)),
            Cell::Absent | Cell::WhyNot(_) | Cell::Apart(..) => None,
        })
        .collect();
    drives.sort_by(|a, b| match row.better {
        Better::Lower => a.1.total_cmp(&b.1),
        Better::Higher | Better::None => b.1.total_cmp(&a.1),
    });
    let apart = cells().filter(|(_, cell)| matches!(cell, Cell::Apart(..)));
    Ranking {
        key: row.key,
        unit: row.unit,
        better: row.better,
        apart: apart.count(),
        drives,
    }
}

/// One ranking in a line: the figure, the place, and the value between the best and the worst.
pub(crate) fn sentence(ranking: &Ranking, subjects: &[Subject], texts: &Texts) -> String {
    let print = |value: f64| {
        format!(
            "{} {}",
            number::value(value, ranking.unit),
            texts.unit(ranking.unit)
        )
    };
    let value = |at: Option<&(usize, f64)>| at.map_or_else(String::new, |(_, v)| print(*v));
    let own = ranking.drives.iter().find(|(drive, _)| *drive == 0);
    let best = ranking.drives.first();
    let name = best.map_or("", |(drive, _)| &subjects[*drive].title);
    let by_sheet = best.filter(|(drive, _)| subjects[*drive].target.is_known_by_data_sheet());
    let name = format!("{name}{}", by_sheet.map_or("", |_| " *"));
    let mut said = texts.with(
        "standing-line",
        &[
            ("figure", &texts.figure(ranking.key)),
            ("place", &ranking.place().unwrap_or(0).to_string()),
            ("of", &ranking.drives.len().to_string()),
            ("value", &value(own)),
            ("best", &value(best)),
            ("name", &name),
            ("worst", &value(ranking.drives.last())),
        ],
    );
    if ranking.apart > 0 {
        let count = ranking.apart.to_string();
        said.push_str(&texts.with("standing-apart", &[("count", &count)]));
    }
    said
}

/// The rankings as lines of text; empty where there is no drive of the class.
pub fn text(reviewed: &[RunResult], class: &[RunResult], options: &TerminalOptions) -> String {
    let all = of_one_method(reviewed, class);
    let texts = Texts::of(options.lang, &all);
    let groups = texts.groups(&all);
    let rankings = rankings(&groups);
    if rankings.is_empty() {
        return String::new();
    }
    let mut text = texts.say("standing") + "\n";
    for ranking in &rankings {
        let line = sentence(ranking, &groups.subjects, &texts);
        for (at, part) in wrap(&line, options.columns.saturating_sub(2))
            .iter()
            .enumerate()
        {
            let indent = if at == 0 { "  " } else { "    " };
            text.push_str(&format!("{indent}{part}\n"));
        }
    }
    if (groups.subjects.iter()).any(|s| s.target.is_known_by_data_sheet()) {
        text.push_str(&format!("  {}\n", texts.say("standing-by-sheet")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::message::Message;
    use fixtures::results as sample;

    /// The sample's first result, as of many drives: each a little faster than the one before.
    fn class(of: usize) -> (Vec<RunResult>, Vec<RunResult>) {
        let mut results = sample::review();
        results.truncate(1);
        let other = |n: usize| {
            let mut other = results[0].clone();
            other.target.name = format!("model:drive-{n}");
            other.target.title = Message::as_it_stands(format!("Drive {n}"));
            for figure in &mut other.figures {
                figure.value = figure.value.map(|v| v * (0.55 + 0.1 * n as f64));
            }
            other
        };
        let class = (0..of).map(other).collect();
        (results, class)
    }

    #[test]
    fn the_reviewed_drive_has_its_place_among_all_of_its_class() {
        let (reviewed, mut class) = class(9);
        let told = |class: &[RunResult]| text(&reviewed, class, &TerminalOptions::default());
        let said = told(&class);
        assert!(said.contains("SEQ1M Q8T1 read: 5 of 10"), "{said}");
        assert!(said.contains("Drive 8"), "{said}");
        for figure in &mut class[8].figures {
            figure.comparable_by.span = base::message::Message::as_it_stands("1 MiB from 0 B");
        }
        let said = told(&class);
        assert!(said.contains("SEQ1M Q8T1 read: 4 of 9"), "{said}");
        assert!(said.contains("1 more"), "{said}");
    }

    #[test]
    fn a_review_without_its_class_says_nothing_of_it() {
        let (reviewed, _) = class(0);
        assert_eq!(text(&reviewed, &[], &TerminalOptions::default()), "");
    }
}
