//! Deviation of each drive of a batch from the others: by its figures, its curves, its responses.

use std::collections::BTreeMap;

use base::chart::{Design, Layout, designs};
use base::{Better, Curve, Duration, Figure, Latencies, Op, PhaseRecord};
use results::RunResult;
use results::screening::{Deviation, Evidence, Measured};
use stats::median;
use stats::robust::{distance_decades, robust_z};

use super::Candidate;

/// Like drives differ by a per cent or so from run to run: less than that is no difference.
const LEAST_SHARE: f64 = 0.01;
/// The same of distributions: a hundredth of a decade is 2.3 %.
const LEAST_DECADES: f64 = 0.01;
/// The same of curves, in per cent of the batch's.
const LEAST_PERCENT: f64 = 1.0;

/// What was measured: the method, in which of its phases, and the figure's, curve's or operation's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    method: String,
    titles: [String; 2],
    phase: Option<String>,
    key: String,
}

impl Name {
    fn new(result: &RunResult, phase: Option<String>, key: &str) -> Name {
        let Measured { id, titles, .. } = Measured::of(result);
        Name {
            method: id,
            titles,
            phase,
            key: key.to_owned(),
        }
    }

    /// The operation, where the name is one's.
    pub(super) fn writes(&self) -> bool {
        self.key == Op::Write.name()
    }

    pub(super) fn measured(&self) -> Measured {
        Measured {
            id: self.method.clone(),
            titles: self.titles.clone(),
            phase: self.phase.clone(),
        }
    }
}

/// One measure of every drive: the deviation of each.
#[derive(Clone, Debug)]
pub(super) struct Measure {
    kind: Evidence,
    name: Name,
    /// One for each drive of the batch, where it has it.
    z: Vec<Option<f64>>,
}

/// All that was measured on three drives at least.
pub(super) fn measures(batch: &[Candidate<'_>]) -> Vec<Measure> {
    let mut measures = figures(batch);
    measures.extend(curves(batch));
    measures.extend(responses(batch));
    measures
}

/// The z of those that have a value; further than the others counts where `two_sided`, else only more.
fn measure(
    kind: Evidence,
    name: Name,
    values: &[Option<f64>],
    least: f64,
    two_sided: bool,
) -> Option<Measure> {
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    let mut z = robust_z(&there, least)?.into_iter();
    let signed = |z: f64| if two_sided { z } else { z.max(0.0) };
    let z = values
        .iter()
        .map(|value| value.and_then(|_| z.next()).map(signed));
    let z = z.collect();
    Some(Measure { kind, name, z })
}

/// Values by a name, one for each drive.
pub(super) type Table<T> = BTreeMap<Name, Vec<Option<T>>>;

fn put<T: Clone>(table: &mut Table<T>, name: Name, drive: usize, drives: usize, value: T) {
    let row = table.entry(name).or_insert_with(|| vec![None; drives]);
    row[drive] = Some(value);
}

pub(super) fn gather<'a, T: Clone>(
    batch: &[Candidate<'a>],
    of: impl Fn(&'a RunResult) -> Vec<(Name, T)>,
) -> Table<T> {
    let mut table = Table::new();
    for (drive, candidate) in batch.iter().enumerate() {
        for result in &candidate.results {
            for (name, value) in of(result) {
                put(&mut table, name, drive, batch.len(), value);
            }
        }
    }
    table
}

/// True for a figure of the drive as it mostly is. Tails and counts of rare events differ between the best
/// of friends, since one event more or less makes them; response distributions give them their weight.
fn is_central(figure: &Figure) -> bool {
    let is_count = ["count", "per min"].contains(&figure.unit.as_str());
    figure.better != Better::None && !figure.statistic.is_tail() && !is_count
}

fn figures(batch: &[Candidate<'_>]) -> Vec<Measure> {
    let table = gather(batch, |result| {
        let telling = result.figures.iter().filter(|f| is_central(f));
        let values = telling.filter_map(|f| Some((Name::new(result, None, &f.key), f.value?)));
        values.filter(|(_, value)| value.is_finite()).collect()
    });
    let rows = table.into_iter().filter_map(|(name, values)| {
        let there: Vec<f64> = values.iter().copied().flatten().collect();
        let least = median(&there)?.abs() * LEAST_SHARE;
        measure(Evidence::Figure, name, &values, least, true)
    });
    rows.collect()
}

fn curves(batch: &[Candidate<'_>]) -> Vec<Measure> {
    let rows = transfer_curves(batch)
        .into_iter()
        .filter_map(|(name, curves)| {
            let off = off_the_batch(&curves)?;
            let off: Vec<Option<f64>> = off
                .iter()
                .map(|curve| curve.as_deref().map(mean_off))
                .collect();
            measure(Evidence::Curve, name, &off, LEAST_PERCENT, false)
        });
    rows.collect()
}

/// Whether a picture shows rates over positions, or over sizes of a range.
fn is_rate_over_bytes(design: &Design) -> bool {
    design.layout == Layout::Overlaid && design.y.quantity == designs::RATE && design.x.unit == "B"
}

/// The transfer curves of a batch.
pub(super) fn transfer_curves<'a>(batch: &[Candidate<'a>]) -> Table<&'a Curve> {
    gather(batch, |result| {
        let charts = result.charts.iter();
        let transfers = charts.filter(|chart| is_rate_over_bytes(&chart.design));
        let curves = transfers.flat_map(|chart| {
            let name =
                |curve: &Curve| Name::new(result, None, &format!("{}.{}", chart.key, curve.name));
            chart.curves.iter().map(move |curve| (name(curve), curve))
        });
        curves.collect()
    })
}

/// Position, and deviation of the drive from the batch's median rate there in per cent: negative is below.
pub(super) type Off = Vec<(f64, f64)>;

/// Distance of each curve from the batch's median curve; empty for fewer than three curves, and for curves at other
/// positions than the first one's.
pub(super) fn off_the_batch(curves: &[Option<&Curve>]) -> Option<Vec<Option<Off>>> {
    let first = curves.iter().flatten().next()?;
    let all = curves.iter();
    let curves: Vec<Option<&Curve>> = all
        .map(|curve| curve.filter(|curve| curve.x == first.x))
        .collect();
    if curves.iter().flatten().count() < stats::robust::LEAST_BATCH {
        return None;
    }
    let at = |point: usize| {
        let rates = curves.iter().flatten().filter_map(|curve| curve.y[point]);
        median(&rates.collect::<Vec<f64>>()).filter(|rate| *rate > 0.0)
    };
    let middle: Vec<Option<f64>> = (0..first.x.len()).map(at).collect();
    let off = |curve: &Curve| -> Off {
        let points = curve.y.iter().zip(&middle).zip(&curve.x);
        points
            .filter_map(|((rate, middle), x)| Some((*x, (*rate)? / (*middle)? * 100.0 - 100.0)))
            .collect()
    };
    Some(curves.iter().map(|curve| curve.map(off)).collect())
}

/// Mean distance over all positions: a stall that hits one of them by chance does not make a curve odd,
/// as it would a root mean square.
fn mean_off(points: &[(f64, f64)]) -> f64 {
    let sum: f64 = points.iter().map(|(_, off)| off.abs()).sum();
    sum / points.len().max(1) as f64
}

/// The phases that a method's figures are based on, as it combines them: each set is a separate measurement. Phases
/// without figures (creating a test file, a probe of the drive's pace) are not measurements of the drive. If no figure
/// names its phases, all phases are one.
pub(super) fn measurements(result: &RunResult) -> Vec<(Option<String>, Vec<&PhaseRecord>)> {
    let rests_on = |figure: &Figure| {
        let on = |phase: &&PhaseRecord| figure.phases.contains(&phase.name);
        result.phases.iter().filter(on).collect::<Vec<_>>()
    };
    let mut sets: Vec<Vec<&PhaseRecord>> = Vec::new();
    for set in result.figures.iter().map(rests_on) {
        let is = |known: &Vec<&PhaseRecord>| {
            let pairs = known.iter().zip(&set);
            known.len() == set.len() && pairs.into_iter().all(|(a, b)| std::ptr::eq(*a, *b))
        };
        if !set.is_empty() && !sets.iter().any(is) {
            sets.push(set);
        }
    }
    if sets.is_empty() {
        return vec![(None, result.phases.iter().collect())];
    }
    let one_of_several = sets.len() > 1;
    let name = |set: &[&PhaseRecord]| match set {
        [phase] if one_of_several => Some(phase.name.clone()),
        _ => None,
    };
    sets.into_iter().map(|set| (name(&set), set)).collect()
}

/// Response times, and how often the drive stood still, in one measurement.
#[derive(Clone, Debug, Default)]
pub(super) struct Responses {
    pub(super) all: Latencies,
    pub(super) stalls: u64,
    pub(super) longest_stall: Duration,
}

/// The reads and the writes of each measurement of a result.
pub(super) fn latencies(result: &RunResult) -> Vec<(Name, Responses)> {
    let of = |phases: &[&PhaseRecord], op: Op| {
        let mut found = Responses::default();
        for job in phases.iter().flat_map(|phase| &phase.jobs) {
            let felt = job.ops[op as usize].felt();
            found.all.merge(felt);
            if !felt.is_empty() {
                found.stalls += job.stalls.count;
                found.longest_stall = found.longest_stall.max(job.stalls.longest);
            }
        }
        found
    };
    let each = measurements(result).into_iter().flat_map(|(phase, set)| {
        [Op::Read, Op::Write].map(|op| (Name::new(result, phase.clone(), op.name()), of(&set, op)))
    });
    each.filter(|(_, found)| !found.all.is_empty()).collect()
}

fn responses(batch: &[Candidate<'_>]) -> Vec<Measure> {
    let rows = gather(batch, latencies)
        .into_iter()
        .filter_map(|(name, all)| {
            let from_others = |mine: usize| {
                let others = all.iter().enumerate().filter(|(at, _)| *at != mine);
                let distances = others.filter_map(|(_, other)| {
                    distance_decades(&all[mine].as_ref()?.all, &other.as_ref()?.all)
                });
                median(&distances.collect::<Vec<f64>>())
            };
            let distances: Vec<Option<f64>> = (0..all.len()).map(from_others).collect();
            measure(Evidence::Response, name, &distances, LEAST_DECADES, false)
        });
    rows.collect()
}

/// How strongly one kind of evidence speaks of a drive: of the figures the median of each method's, of
/// methods, curves and responses the greatest. A method has many figures, and by chance one of them is
/// always far off; half of them are not.
pub(super) fn strength(measures: &[Measure], kind: Evidence, drive: usize) -> Option<f64> {
    let mut by_method: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for measure in measures.iter().filter(|measure| measure.kind == kind) {
        if let Some(z) = measure.z[drive] {
            by_method
                .entry(&measure.name.method)
                .or_default()
                .push(z.abs());
        }
    }
    let of_methods = by_method.into_values().filter_map(|all| match kind {
        Evidence::Figure => median(&all),
        Evidence::Curve | Evidence::Response => all.into_iter().reduce(f64::max),
    });
    of_methods.reduce(f64::max)
}

/// The largest deviations: three at most.
pub(super) fn furthest(measures: &[Measure], drive: usize) -> Vec<Deviation> {
    let deviation = |measure: &Measure| {
        Some(Deviation {
            method: measure.name.measured(),
            kind: measure.kind,
            key: measure.name.key.clone(),
            z: measure.z[drive].filter(|z| z.abs() >= 2.0)?,
        })
    };
    let mut all: Vec<Deviation> = measures.iter().filter_map(deviation).collect();
    all.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()));
    all.truncate(3);
    all
}
