//! The verdict table: figures in rows, drives in columns, the best and the worst of each row marked,
//! but only among figures that may be compared.
//!
//! The conditions that most figures of a row share are the row's; a figure under other conditions is shown with the
//! difference, and not ranked. A drive of unknown state agrees with every state, but two known states do not agree with
//! each other: so the row's conditions are those of a known state if there is one, and what does not agree with all
//! others is not ranked. If neither direction is better ([`Better::None`]), if all values are equal, or if only one
//! value is left, nothing is marked. Tails of modelled drives are marked, and are not ranked if another drive's was
//! measured; a missed published value of a drive is never ranked.
//!
//! A value within the run-to-run variation of the same drive is not the best: single runs of one drive count as equal
//! whatever they gave, and if the intervals of two values overlap, neither is best.

use base::result::{Better, Figure};
use results::{ConditionDifference, RunResult, TailMark};

use crate::conditions::{Made, differences, state_is_reserved, state_is_unknown};
use crate::group::{Section, same};
use crate::held::{Held, held};
use crate::key::refines;
use crate::tails::tail_mark;

/// The figures of one method, side by side.
#[derive(Debug)]
pub struct Table<'a> {
    /// The numbers of the subjects, a column each.
    pub columns: Vec<usize>,
    pub rows: Vec<Row<'a>>,
}

/// One figure of several drives.
#[derive(Debug)]
pub struct Row<'a> {
    /// The figure's name.
    pub key: &'a str,
    pub unit: &'a str,
    pub better: Better,
    /// A cell for each column.
    pub cells: Vec<Cell<'a>>,
    /// What a modelled drive's tail is worth, for each column.
    pub tails: Vec<Option<TailMark>>,
    /// What holds the value if not the drive, for each column.
    pub held: Vec<Option<Held>>,
}

/// What one drive has of a figure.
#[derive(Debug)]
pub enum Cell<'a> {
    /// The result does not have this figure.
    Absent,
    /// There is no number, and the figure says why.
    WhyNot(&'a Figure),
    /// A number that cannot be compared with the row's others.
    Apart(&'a Figure, Vec<ConditionDifference>),
    /// A number.
    Value {
        figure: &'a Figure,
        /// Its rank in its row.
        rank: Rank,
        /// True where it is compared although the state of one of the drives is not known.
        reserved: bool,
    },
}

/// The rank of a value in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rank {
    /// None is better.
    Best,
    /// None is worse.
    Worst,
    /// Between them, or not ranked.
    Plain,
}

/// Which value a row's others are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The one whose conditions most others share; the first of several.
    Majority,
    /// The first that there is: the baseline of a comparison.
    First,
}

impl<'a> Table<'a> {
    /// The figures of a section.
    pub fn new(section: &Section<'a>, reference: Reference) -> Table<'a> {
        let results: Vec<&RunResult> = section.results.iter().map(|(_, r)| *r).collect();
        let rows = keys(&results)
            .into_iter()
            .map(|key| row(key, &results, reference))
            .collect();
        Table {
            columns: section.results.iter().map(|(s, _)| *s).collect(),
            rows,
        }
    }

    /// The rows that do not refine another one.
    pub fn main_rows(&self) -> impl Iterator<Item = &Row<'a>> {
        self.rows
            .iter()
            .filter(|row| !self.rows.iter().any(|other| refines(row.key, other.key)))
    }
}

/// The keys of all results, each once, preserving a result's own order.
fn keys<'a>(results: &[&'a RunResult]) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for result in results {
        let mut after = 0;
        for figure in &result.figures {
            match keys.iter().position(|key| *key == figure.key) {
                Some(at) => after = at + 1,
                None => {
                    keys.insert(after, &figure.key);
                    after += 1;
                }
            }
        }
    }
    keys
}

fn row<'a>(key: &'a str, results: &[&'a RunResult], reference: Reference) -> Row<'a> {
    let found: Vec<Option<Made<'a>>> = results
        .iter()
        .map(|result| {
            let figure = result.figures.iter().find(|figure| figure.key == key)?;
            Some(Made {
                figure,
                version: result.method_version,
                target: &result.target,
            })
        })
        .collect();
    let valued: Vec<Made<'a>> = found
        .iter()
        .flatten()
        .filter(|made| made.figure.value.is_some_and(f64::is_finite))
        .copied()
        .collect();
    let standard = match reference {
        Reference::First => valued.first().copied(),
        Reference::Majority => majority(&valued),
    };
    let mut cells: Vec<Cell<'a>> = found.iter().map(|made| cell(*made, standard)).collect();
    let mark = |made: &Option<Made>| made.and_then(|made| tail_mark(made.figure, made.target));
    let tails: Vec<Option<TailMark>> = found.iter().map(mark).collect();
    let head = standard.or_else(|| found.iter().flatten().next().copied());
    let better = head.map_or(Better::None, |made| made.figure.better);
    if all_agree(&valued, &cells) {
        let spreads = spreads(&cells, &tails, results);
        rank(&mut cells, &spreads, better);
    }
    mark_reserves(&mut cells);
    let behind = found.iter().zip(results);
    let holds: Vec<Option<Held>> = behind
        .map(|(made, result)| made.and_then(|made| held(made.figure, result)))
        .collect();
    // A modelled host's limit is no drive's merit, nor its fault; nor is what only lies in a disk's write cache.
    for (cell, held) in cells.iter_mut().zip(&holds) {
        if let (Cell::Value { rank, .. }, Some(Held::ByHost | Held::ByWriteCache)) = (cell, held) {
            *rank = Rank::Plain;
        }
    }
    Row {
        tails,
        held: holds,
        key,
        unit: head.map_or("", |made| made.figure.unit.as_str()),
        better,
        cells,
    }
}

/// True where every two of the values that agree with the row's also agree with each other.
fn all_agree(valued: &[Made], cells: &[Cell]) -> bool {
    let is_in = |made: &&Made| {
        cells.iter().any(
            |cell| matches!(cell, Cell::Value { figure, .. } if std::ptr::eq(*figure, made.figure)),
        )
    };
    let values: Vec<&Made> = valued.iter().filter(is_in).collect();
    values
        .iter()
        .all(|a| values.iter().all(|b| differences(**a, **b).is_empty()))
}

fn majority<'a>(valued: &[Made<'a>]) -> Option<Made<'a>> {
    let alike = |made: &Made| {
        valued
            .iter()
            .filter(|other| differences(*made, **other).is_empty())
            .count()
    };
    // What was measured is the row's, and a modelled tail stands apart from it, however many there are.
    let measured = preferred(valued.iter().collect(), |made| !made.is_modelled_tail());
    let candidates = preferred(measured, |made| !state_is_unknown(made.figure));
    let most = candidates.iter().map(|made| alike(made)).max()?;
    candidates
        .into_iter()
        .find(|made| alike(made) == most)
        .copied()
}

/// Those that are preferred, or all where none is.
fn preferred<'a, 'b>(all: Vec<&'b Made<'a>>, is: impl Fn(&Made<'a>) -> bool) -> Vec<&'b Made<'a>> {
    if all.iter().any(|made| is(made)) {
        all.into_iter().filter(|made| is(made)).collect()
    } else {
        all
    }
}

fn cell<'a>(made: Option<Made<'a>>, standard: Option<Made<'a>>) -> Cell<'a> {
    let Some(made) = made else {
        return Cell::Absent;
    };
    let figure = made.figure;
    if !figure.value.is_some_and(f64::is_finite) {
        return Cell::WhyNot(figure);
    }
    let differing = standard.map_or(Vec::new(), |standard| differences(made, standard));
    if differing.is_empty() {
        Cell::Value {
            figure,
            rank: Rank::Plain,
            reserved: false,
        }
    } else {
        Cell::Apart(figure, differing)
    }
}

/// Values nearer than this, as a share, are alike: a figure has four digits for people, and of two that read the same
/// none is the best.
const ALIKE: f64 = 1e-3;

/// A value with the least and the greatest that another run is known to give.
#[derive(Clone, Copy, Debug)]
struct Spread {
    value: f64,
    low: f64,
    high: f64,
}

impl Spread {
    fn is_alike(&self, other: &Spread) -> bool {
        let near = ALIKE * self.value.abs().max(other.value.abs());
        self.low - near <= other.high && other.low - near <= self.high
    }
}

/// The known run-to-run spread of each value; `None` for what is not ranked. It comes from a figure's interval, or from
/// all single runs of one drive.
fn spreads(
    cells: &[Cell],
    tails: &[Option<TailMark>],
    results: &[&RunResult],
) -> Vec<Option<Spread>> {
    let ranked = |at: usize| {
        let missed = tails[at].is_some_and(TailMark::is_known_miss);
        cells[at].comparable_value().filter(|_| !missed)
    };
    let is_single = |at: usize| results[at].repeats.is_none();
    let spread = |at: usize| {
        let value = ranked(at)?;
        let interval = match &cells[at] {
            Cell::Value { figure, .. } => figure.interval,
            _ => None,
        };
        let mut spread = Spread {
            value,
            low: interval.map_or(value, |i| i.low.min(value)),
            high: interval.map_or(value, |i| i.high.max(value)),
        };
        for other in (0..cells.len()).filter(|other| is_single(at) && is_single(*other)) {
            if same(&results[at].target, &results[other].target)
                && let Some(value) = ranked(other)
            {
                spread.low = spread.low.min(value);
                spread.high = spread.high.max(value);
            }
        }
        Some(spread)
    };
    (0..cells.len()).map(spread).collect()
}

/// Marks the best and the worst of the values that may be compared, where one drive alone has it: three drives that
/// share a link's rate are none of them the best.
fn rank(cells: &mut [Cell], spreads: &[Option<Spread>], better: Better) {
    let known = || spreads.iter().flatten();
    let by_value = |a: &&Spread, b: &&Spread| a.value.total_cmp(&b.value);
    let (Some(least), Some(most)) = (known().min_by(by_value), known().max_by(by_value)) else {
        return;
    };
    let (best, worst) = match better {
        Better::Higher => (most, least),
        Better::Lower => (least, most),
        Better::None => return,
    };
    if least.is_alike(most) {
        return;
    }
    let alone = |wanted: &Spread| known().filter(|other| other.is_alike(wanted)).count() == 1;
    let (best_alone, worst_alone) = (alone(best), alone(worst));
    for (cell, spread) in cells.iter_mut().zip(spreads) {
        if let (Cell::Value { rank, .. }, Some(spread)) = (cell, spread) {
            let is = |other: &Spread| spread.value.total_cmp(&other.value).is_eq();
            *rank = if best_alone && is(best) {
                Rank::Best
            } else if worst_alone && is(worst) {
                Rank::Worst
            } else {
                Rank::Plain
            };
        }
    }
}

/// A value whose drive's state is not known is compared with reserve where another's is known.
fn mark_reserves(cells: &mut [Cell]) {
    let figures: Vec<&Figure> = cells
        .iter()
        .filter_map(|cell| match cell {
            Cell::Value { figure, .. } => Some(*figure),
            _ => None,
        })
        .collect();
    for cell in cells {
        if let Cell::Value {
            figure, reserved, ..
        } = cell
        {
            *reserved = state_is_unknown(figure)
                && figures.iter().any(|other| state_is_reserved(figure, other));
        }
    }
}

impl Cell<'_> {
    /// The value, where it may be compared with the row's others.
    pub fn comparable_value(&self) -> Option<f64> {
        match self {
            Cell::Value { figure, .. } => figure.value,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Groups;
    use fixtures::results as sample;

    /// What `marks` shows of a row: `+` best, `-` worst, `.` plain, `!` not comparable, `0` no value, ` ` absent.
    fn marks(row: &Row) -> String {
        row.cells
            .iter()
            .map(|cell| match cell {
                Cell::Absent => ' ',
                Cell::WhyNot(_) => '0',
                Cell::Apart(..) => '!',
                Cell::Value { rank, .. } => match rank {
                    Rank::Best => '+',
                    Rank::Worst => '-',
                    Rank::Plain => '.',
                },
            })
            .collect()
    }

    fn marks_of(figures: &[Option<Figure>]) -> String {
        marks_by(figures, Reference::Majority)
    }

    fn marks_by(figures: &[Option<Figure>], reference: Reference) -> String {
        let results: Vec<RunResult> = figures
            .iter()
            .enumerate()
            .map(|(i, figure)| {
                let mut result = sample::review().swap_remove(0);
                result.target.name = format!("drive {i}");
                result.figures = figure.iter().cloned().collect();
                result
            })
            .collect();
        let groups = Groups::new(&results);
        let table = Table::new(&groups.sections[0], reference);
        marks(&table.rows[0])
    }

    fn figure(value: f64) -> Option<Figure> {
        Some(sample::figure("read", Some(value), "MB/s"))
    }

    fn with(value: f64, change: impl Fn(&mut Figure)) -> Option<Figure> {
        let mut figure = sample::figure("read", Some(value), "MB/s");
        change(&mut figure);
        Some(figure)
    }

    #[test]
    fn the_best_and_the_worst_of_a_row_are_marked() {
        assert_eq!(marks_of(&[figure(1.0), figure(3.0), figure(2.0)]), "-+.");
        let lower = |v| with(v, |f| f.better = Better::Lower);
        assert_eq!(marks_of(&[lower(1.0), lower(3.0), lower(2.0)]), "+-.");
    }

    #[test]
    fn what_several_share_is_not_marked() {
        assert_eq!(marks_of(&[figure(3.0), figure(3.0), figure(2.0)]), "..-");
        assert_eq!(marks_of(&[figure(3.0), figure(2.0), figure(2.0)]), "+..");
        // What reads the same is the same: 1,462 MB/s are 1,462 MB/s.
        let near = [figure(1_462.1), figure(1_461.7), figure(1_400.0)];
        assert_eq!(marks_of(&near), "..-");
        assert_eq!(marks_of(&[figure(100.31), figure(100.26)]), "..");
        assert_eq!(marks_of(&[figure(1_462.0), figure(1_459.0)]), "+-");
    }

    #[test]
    fn what_another_run_could_have_given_is_not_the_best() {
        let spread = |value: f64, by: f64| {
            with(value, |f| {
                f.interval = Some(base::result::Interval {
                    low: value - by,
                    high: value + by,
                    confidence_percent: 95.0,
                });
            })
        };
        assert_eq!(
            marks_of(&[spread(100.0, 6.0), spread(110.0, 6.0), figure(50.0)]),
            "..-"
        );
        assert_eq!(
            marks_of(&[spread(100.0, 4.0), spread(110.0, 4.0), figure(50.0)]),
            ".+-"
        );
        // Single runs of one drive are alike, whatever they gave; beside another drive both are faster.
        let mut results: Vec<RunResult> = [100.0, 160.0, 50.0]
            .map(|value| {
                let mut result = sample::review().swap_remove(0);
                result.figures = figure(value).into_iter().collect();
                result
            })
            .into();
        let marks_in = |results: &[RunResult]| {
            let groups = Groups::new(results);
            marks(&Table::new(&groups.sections[0], Reference::Majority).rows[0])
        };
        assert_eq!(marks_in(&results[..2]), "..");
        results[2].target.name = "another".to_owned();
        assert_eq!(marks_in(&results), "..-");
        // Repeats say how far runs lie apart.
        for result in &mut results {
            result.repeats = Some(results::Repeats::default());
        }
        assert_eq!(marks_in(&results), ".+-");
    }

    #[test]
    fn a_figure_that_is_known_to_be_missed_has_no_rank() {
        let mut results: Vec<RunResult> = (1..=3)
            .map(|i| {
                let mut result = sample::review().swap_remove(1);
                result.target.name = format!("model:{i}");
                result.figures = figure(f64::from(i)).into_iter().collect();
                result
            })
            .collect();
        results[2].target.known_misses = vec![results::tails::KnownMiss {
            key: "read".to_owned(),
            published: Some(9.0),
            unit: "MB/s".to_owned(),
            factor: 3.0,
        }];
        let groups = Groups::new(&results);
        let row = &Table::new(&groups.sections[0], Reference::Majority).rows[0];
        assert_eq!(marks(row), "-+.");
    }

    #[test]
    fn nothing_is_marked_where_nothing_is_better() {
        let none = |v| with(v, |f| f.better = Better::None);
        assert_eq!(marks_of(&[none(1.0), none(3.0)]), "..");
        assert_eq!(marks_of(&[figure(2.0), figure(2.0)]), "..");
        assert_eq!(marks_of(&[figure(2.0), None]), ". ");
    }

    #[test]
    fn a_value_under_other_conditions_is_shown_and_not_ranked() {
        let apart = with(99.0, |f| {
            f.comparable_by.span = base::message::Message::as_it_stands("0+512 MiB")
        });
        let row = [figure(1.0), apart.clone(), figure(2.0)];
        assert_eq!(marks_of(&row), "-!+");
        assert_eq!(
            marks_by(&[apart, figure(1.0), figure(2.0)], Reference::First),
            ".!!"
        );
    }

    #[test]
    fn an_unknown_state_does_not_join_two_known_states() {
        let in_state = |v, state: &str| with(v, |f| f.comparable_by.state = state.to_owned());
        let row = [
            in_state(1.0, "unknown"),
            in_state(2.0, "fresh"),
            in_state(3.0, "steady-random"),
        ];
        assert_eq!(marks_of(&row), "-+!");
        // Against the first each may be held; among each other they may not, so none is the best.
        assert_eq!(marks_by(&row, Reference::First), "...");
    }

    #[test]
    fn a_missing_or_unending_value_is_never_ranked() {
        let missing = with(0.0, |f| f.value = None);
        let nonsense = with(f64::NAN, |_| ());
        assert_eq!(marks_of(&[figure(1.0), missing, figure(2.0)]), "-0+");
        assert_eq!(marks_of(&[figure(1.0), nonsense, figure(2.0)]), "-0+");
    }

    #[test]
    fn a_drive_of_unknown_state_is_ranked_with_reserve() {
        let mut results = sample::review();
        results.retain(|r| r.method == results_method());
        let groups = Groups::new(&results);
        let table = Table::new(&groups.sections[0], Reference::Majority);
        let reserved: Vec<bool> = table.rows[0]
            .cells
            .iter()
            .map(|cell| matches!(cell, Cell::Value { reserved: true, .. }))
            .collect();
        assert_eq!(reserved, [true, false, false]);
        assert!(marks(&table.rows[0]).contains('+'));
    }

    fn results_method() -> &'static str {
        "crystaldiskmark"
    }

    #[test]
    fn a_figure_in_another_unit_is_no_main_row() {
        let results = sample::review();
        let groups = Groups::new(&results);
        let table = Table::new(&groups.sections[0], Reference::Majority);
        assert!(table.rows.iter().any(|r| r.key == "seq1m-q8t1.read.iops"));
        let main: Vec<&str> = table.main_rows().map(|r| r.key).collect();
        assert!(main.contains(&"seq1m-q8t1.read"));
        assert!(!main.contains(&"seq1m-q8t1.read.iops"));
    }
}
