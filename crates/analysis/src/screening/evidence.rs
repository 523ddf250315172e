//! How far each drive of a batch stands off the others: by its figures, its curves, its responses.

use std::collections::BTreeMap;

use base::chart::{Curve, Design, Layout, designs};
use base::io::Op;
use base::record::Latencies;
use base::result::{Better, Figure};
use results::RunResult;
use stats::median;
use stats::robust::{distance_decades, robust_z};

use super::Candidate;

/// Like drives differ by a per cent or so from run to run: less than that is no difference.
const LEAST_SHARE: f64 = 0.01;
/// The same of distributions: a hundredth of a decade is 2.3 %.
const LEAST_DECADES: f64 = 0.01;
/// The same of curves, in per cent of the batch's.
const LEAST_PERCENT: f64 = 1.0;

/// Kinds of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A figure of a method.
    Figure,
    /// A transfer curve.
    Curve,
    /// A distribution of response times.
    Response,
}

/// One thing that was measured on every drive: how far each stands off.
#[derive(Clone, Debug)]
pub(super) struct Measure {
    kind: Kind,
    name: String,
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
    kind: Kind,
    name: String,
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
type Table<T> = BTreeMap<String, Vec<Option<T>>>;

fn put<T: Clone>(table: &mut Table<T>, name: String, drive: usize, drives: usize, value: T) {
    let row = table.entry(name).or_insert_with(|| vec![None; drives]);
    row[drive] = Some(value);
}

fn gather<'a, T: Clone>(
    batch: &[Candidate<'a>],
    of: impl Fn(&'a RunResult) -> Vec<(String, T)>,
) -> Table<T> {
    let mut table = Table::new();
    for (drive, candidate) in batch.iter().enumerate() {
        for result in &candidate.results {
            for (name, value) in of(result) {
                let name = format!("{} {name}", result.method);
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
        let values = telling.filter_map(|f| Some((f.key.clone(), f.value?)));
        values.filter(|(_, value)| value.is_finite()).collect()
    });
    let rows = table.into_iter().filter_map(|(name, values)| {
        let there: Vec<f64> = values.iter().copied().flatten().collect();
        let least = median(&there)?.abs() * LEAST_SHARE;
        measure(Kind::Figure, name, &values, least, true)
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
            measure(Kind::Curve, name, &off, LEAST_PERCENT, false)
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
            let name = |curve: &Curve| format!("{} {}", chart.key, curve.name);
            chart.curves.iter().map(move |curve| (name(curve), curve))
        });
        curves.collect()
    })
}

/// Position, and per cent of the batch's median rate there that the drive lies off: below is negative.
pub(super) type Off = Vec<(f64, f64)>;

/// How far each curve lies off the batch's median curve; nothing for fewer than three curves, and for
/// curves at other positions than the first one's.
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

/// Reads and writes of a result, all phases together.
pub(super) fn latencies(result: &RunResult) -> Vec<(String, Latencies)> {
    let of = |op: Op| {
        let mut all = Latencies::default();
        for job in result.phases.iter().flat_map(|phase| &phase.jobs) {
            all.merge(job.ops[op as usize].felt());
        }
        all
    };
    let both = [("read", of(Op::Read)), ("write", of(Op::Write))];
    let some = both.into_iter().filter(|(_, all)| !all.is_empty());
    some.map(|(name, all)| (format!("{name} responses"), all))
        .collect()
}

fn responses(batch: &[Candidate<'_>]) -> Vec<Measure> {
    let rows = gather(batch, latencies)
        .into_iter()
        .filter_map(|(name, all)| {
            let from_others = |mine: usize| {
                let others = all.iter().enumerate().filter(|(at, _)| *at != mine);
                let distances = others.filter_map(|(_, other)| {
                    distance_decades(all[mine].as_ref()?, other.as_ref()?)
                });
                median(&distances.collect::<Vec<f64>>())
            };
            let distances: Vec<Option<f64>> = (0..all.len()).map(from_others).collect();
            measure(Kind::Response, name, &distances, LEAST_DECADES, false)
        });
    rows.collect()
}

/// How strongly one kind of evidence speaks of a drive: of the figures the median of each method's, of
/// methods, curves and responses the greatest. A method has many figures, and by chance one of them is
/// always far off; half of them are not.
pub(super) fn strength(measures: &[Measure], kind: Kind, drive: usize) -> Option<f64> {
    let mut by_method: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for measure in measures.iter().filter(|measure| measure.kind == kind) {
        if let Some(z) = measure.z[drive] {
            let method = measure.name.split(' ').next().unwrap_or_default();
            by_method.entry(method).or_default().push(z.abs());
        }
    }
    let of_methods = by_method.into_values().filter_map(|all| match kind {
        Kind::Figure => median(&all),
        Kind::Curve | Kind::Response => all.into_iter().reduce(f64::max),
    });
    of_methods.reduce(f64::max)
}

/// What stands off furthest: three at most, in words.
pub(super) fn furthest(measures: &[Measure], drive: usize) -> Vec<String> {
    let mut of_drive: Vec<(f64, &str)> = measures
        .iter()
        .filter_map(|measure| Some((measure.z[drive]?, measure.name.as_str())))
        .filter(|(z, _)| z.abs() >= 2.0)
        .collect();
    of_drive.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()).then(a.1.cmp(b.1)));
    let words = of_drive.iter().take(3);
    words.map(|(z, name)| format!("{name} {z:+.1}")).collect()
}
