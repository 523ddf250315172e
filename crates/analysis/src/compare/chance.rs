//! A comparison corrected for how many facts it compares.
//!
//! A fact is one test's result for one direction: the figures of the same phases and the same direction, of the same
//! two results. Its rate, its IOPS and its median are one fact; "faster" in four of them is one finding, not four. All
//! facts of a comparison share a 5 % chance that any of them is falsely reported as a difference:
//!
//! - **repeats** by the joint test of [`stats::joint`], which deals the runs out anew as wholes;
//! - what else is judged (of models alone) has no runs to deal out. Its intervals give a chance each, and Holm's method
//!   corrects these.
//!
//! A difference is reported if the corrected chance is at most 5 % and the figure's own interval excludes zero.

use std::collections::BTreeMap;

use base::{Figure, Op};
use results::comparison::{EffectVerdict, FactsCompared, MethodComparison};
use stats::joint;

use crate::effect::{Behind, REPEATS, SEED, repeated};
use crate::group::Groups;
use crate::key;

/// The chance that any fact is falsely reported as a difference.
const CHANCE: f64 = 0.05;

/// Of which section and column, phases and direction a fact is.
type Fact<'a> = (usize, usize, Vec<&'a str>, Option<Op>);

/// Position of a value: section, row, column.
type Place = (usize, usize, usize);

/// A value that could be compared.
struct Told<'a> {
    place: Place,
    fact: Fact<'a>,
    /// The values of both, if the verdict is from repeats.
    repeats: Option<[&'a [f64]; 2]>,
    verdict: EffectVerdict,
    chance: f64,
}

impl Told<'_> {
    fn is_judged(&self) -> bool {
        !is_open(self.verdict)
    }
}

fn is_open(verdict: EffectVerdict) -> bool {
    matches!(
        verdict,
        EffectVerdict::CannotTell | EffectVerdict::TooFewValues
    )
}

/// Computes for each difference how likely it is by chance, withdraws those too likely, and counts the facts.
pub(super) fn correct(methods: &mut [MethodComparison], groups: &Groups) {
    let told = all_told(methods, groups);
    let judged: Vec<&Told> = told.iter().filter(|told| told.is_judged()).collect();
    let repeated = judged.iter().copied().filter(|t| t.repeats.is_some());
    let others = judged.iter().copied().filter(|t| t.repeats.is_none());
    let (repeated, others): (Vec<&Told>, Vec<&Told>) = (repeated.collect(), others.collect());
    let by_deals = joint::chances(&as_figures(&repeated), SEED);
    let others_numbers = numbers(&others);
    let single: Vec<(usize, f64)> = others_numbers
        .into_iter()
        .zip(&others)
        .map(|(family, told)| (family, told.chance))
        .collect();
    let by_intervals = joint::holm(&single);
    let places = repeated.iter().chain(&others).map(|told| told.place);
    for ((section, row, column), chance) in places.zip(by_deals.into_iter().chain(by_intervals)) {
        let value = &mut methods[section].figures[row].values[column];
        if let Some(effect) = &mut value.effect {
            effect.chance = Some(chance);
            if chance > CHANCE {
                effect.verdict = EffectVerdict::NoDifference;
            }
        }
    }
    count_facts(methods, &told);
}

/// Every value that has an effect, with its fact.
fn all_told<'a>(methods: &[MethodComparison], groups: &'a Groups) -> Vec<Told<'a>> {
    let mut told = Vec::new();
    for (at, method) in methods.iter().enumerate() {
        let results = &groups.sections[at].results;
        let behind = |column: usize, key: &str| -> Option<Behind<'a>> {
            let result = results[column].1;
            let figure = result.figures.iter().find(|figure| figure.key == key)?;
            Some(Behind { figure, result })
        };
        for (row, figure) in method.figures.iter().enumerate() {
            let first = figure
                .values
                .iter()
                .position(|v| v.value.is_some() && v.differs.is_empty());
            let first = first.and_then(|column| behind(column, &figure.key));
            for (column, value) in figure.values.iter().enumerate() {
                let (Some(effect), Some(second)) = (&value.effect, behind(column, &figure.key))
                else {
                    continue;
                };
                let of_repeats = first.filter(|_| effect.basis == REPEATS);
                let length = effect.interval.high - effect.interval.low;
                told.push(Told {
                    place: (at, row, column),
                    fact: (
                        at,
                        column,
                        phases_of(second.figure),
                        key::direction(&figure.key),
                    ),
                    repeats: of_repeats
                        .and_then(|first| Some([repeated(first)?, repeated(second)?])),
                    verdict: effect.verdict,
                    chance: joint::chance_of(effect.difference, length),
                });
            }
        }
    }
    told
}

fn phases_of(figure: &Figure) -> Vec<&str> {
    let mut phases: Vec<&str> = figure.phases.iter().map(String::as_str).collect();
    phases.sort_unstable();
    // What comes from no phase is a fact of its own.
    if phases.is_empty() {
        phases.push(&figure.key);
    }
    phases
}

/// The facts by number.
fn numbers(told: &[&Told]) -> Vec<usize> {
    let mut known: BTreeMap<&Fact, usize> = BTreeMap::new();
    let mut numbers = Vec::new();
    for told in told {
        let next = known.len();
        numbers.push(*known.entry(&told.fact).or_insert(next));
    }
    numbers
}

fn as_figures<'a>(told: &[&Told<'a>]) -> Vec<joint::Figure<'a>> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut figures = Vec::new();
    for (family, told) in numbers(told).into_iter().zip(told) {
        let pair = (told.place.0, told.place.2);
        let known = pairs.iter().position(|known| *known == pair);
        let runs = known.unwrap_or(pairs.len());
        if known.is_none() {
            pairs.push(pair);
        }
        let [first, second] = told.repeats.unwrap_or_default();
        figures.push(joint::Figure {
            family,
            runs,
            first,
            second,
        });
    }
    figures
}

/// The outcome for the facts of each method: a fact with a difference in one figure differs.
fn count_facts(methods: &mut [MethodComparison], told: &[Told]) {
    let mut facts: BTreeMap<&Fact, Vec<EffectVerdict>> = BTreeMap::new();
    for told in told {
        let (section, row, column) = told.place;
        if let Some(effect) = &methods[section].figures[row].values[column].effect {
            facts.entry(&told.fact).or_default().push(effect.verdict);
        }
    }
    for (fact, verdicts) in facts {
        let counts: &mut FactsCompared = &mut methods[fact.0].facts;
        let has = |wanted: fn(&EffectVerdict) -> bool| verdicts.iter().any(wanted);
        let judged = has(|verdict| !is_open(*verdict));
        let differs = has(|v| !is_open(*v) && *v != EffectVerdict::NoDifference);
        counts.judged += usize::from(judged);
        counts.differ += usize::from(differs);
        if !judged {
            match has(|verdict| *verdict == EffectVerdict::CannotTell) {
                true => counts.of_one_run += 1,
                false => counts.of_too_few_values += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use base::result::Better;
    use base::rng::Rng;
    use fixtures::results as sample;
    use results::comparison::EffectVerdict;
    use results::{Repeats, RunResult};

    use crate::compare::compare;

    /// A benchmark of eight facts in three figures each, run this many times on one noisy drive.
    fn repeated_runs(rng: &mut Rng, runs: usize, factor: f64) -> RunResult {
        let mut result = sample::review().swap_remove(0);
        result.phases.clear();
        result.figures.clear();
        let mut repeats = Repeats::default();
        for fact in 0..8 {
            let mut values = [Vec::new(), Vec::new(), Vec::new()];
            for _ in 0..runs {
                let rate = factor * 500.0 / (1.0 + rng.exponential() * 0.3);
                values[0].push(rate);
                values[1].push(rate / 4.096e-3);
                values[2].push(1e6 / rate);
            }
            for ((name, unit), values) in [("", "MB/s"), (".iops", "IOPS"), (".mean", "us")]
                .iter()
                .zip(values)
            {
                let key = format!("cell{fact}.read{name}");
                let mut figure = sample::figure(&key, stats::median(&values), unit);
                figure.better = match *unit {
                    "us" => Better::Lower,
                    _ => Better::Higher,
                };
                figure.statistic = figure.statistic.over_repeats();
                figure.phases = vec![format!("cell{fact}")];
                result.figures.push(figure);
                repeats.values.insert(key, values);
            }
        }
        result.repeats = Some(repeats);
        result
    }

    fn said(results: &[RunResult]) -> (usize, usize, usize) {
        let comparison = compare(results);
        let method = &comparison.methods[0];
        let effects = method.figures.iter().flat_map(|f| &f.values);
        let differing = effects
            .filter_map(|v| v.effect.as_ref())
            .filter(|e| !matches!(e.verdict, EffectVerdict::NoDifference));
        (method.facts.judged, method.facts.differ, differing.count())
    }

    #[test]
    fn an_unchanged_drive_compared_with_itself_is_not_faster_in_95_of_100() {
        let mut rng = Rng::new(5);
        let with_a_winner = (0..100).filter(|_| {
            let pair = [(); 2].map(|()| repeated_runs(&mut rng, 6, 1.0));
            said(&pair).2 > 0
        });
        let count = with_a_winner.count();
        // 5 of 100, and twice their scatter of 2.2.
        assert!(count <= 9, "{count} of 100");
    }

    #[test]
    fn figures_of_one_fact_count_once_and_a_drive_that_is_faster_in_all_is_found() {
        let mut rng = Rng::new(6);
        let base = repeated_runs(&mut rng, 6, 1.0);
        let faster = repeated_runs(&mut rng, 6, 3.0);
        assert_eq!(said(&[base, faster]), (8, 8, 24));
    }
}
