//! What a result holds as tables: figures, curves, and of each phase the series, the histograms, the addresses and the
//! worst I/Os.
//!
//! A row says what it is of (phase, job, operation) in columns of its own, so that tables of several results can be put
//! below each other and grouped. Times are whole nanoseconds, addresses and sizes whole bytes; rates are MB/s (10^6).

use std::collections::BTreeMap;

use base::io::Op;
use base::record::{AddressBin, JobRecord, PhaseRecord};
use base::size::Rate;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use results::RunResult;

use crate::frame::{Columns, Frame};

/// A table by its name.
pub(crate) fn table(name: &str, result: &RunResult) -> PyResult<Frame> {
    match name {
        "figures" => figures(result),
        "curves" => curves(result),
        "series" => series(result),
        "histogram" => histogram(result),
        "addresses" => addresses(result),
        "worst" => worst(result),
        _ => Err(PyKeyError::new_err(format!("there is no table '{name}'"))),
    }
}

/// Each job with its phase.
fn jobs(result: &RunResult) -> impl Iterator<Item = (&PhaseRecord, &JobRecord)> {
    let phases = result.phases.iter();
    phases.flat_map(|phase| phase.jobs.iter().map(move |job| (phase, job)))
}

/// The first columns of a table of jobs: what each row is of.
fn of_jobs<'a>(rows: impl Iterator<Item = (&'a PhaseRecord, &'a JobRecord)>) -> Columns {
    let (phases, jobs): (Vec<_>, Vec<_>) = rows.map(|(p, job)| (&p.name, &job.name)).unzip();
    Columns::default().text("phase", &phases).text("job", &jobs)
}

fn figures(result: &RunResult) -> PyResult<Frame> {
    let of = &result.figures;
    let texts = |each: fn(&base::result::Figure) -> String| of.iter().map(each).collect::<Vec<_>>();
    let ends = |each: fn(&base::result::Interval) -> f64| {
        of.iter()
            .map(|figure| figure.interval.as_ref().map(each))
            .collect::<Vec<_>>()
    };
    let why = of
        .iter()
        .map(|figure| figure.why_not.as_ref().map(|why| why.as_str().to_owned()));
    Columns::default()
        .text("key", &texts(|figure| figure.key.clone()))
        .float_or_none("value", of.iter().map(|figure| figure.value).collect())
        .text("unit", &texts(|figure| figure.unit.clone()))
        .float_or_none("low", ends(|interval| interval.low))
        .float_or_none("high", ends(|interval| interval.high))
        .float_or_none(
            "confidence_percent",
            ends(|interval| interval.confidence_percent),
        )
        .text(
            "better",
            &texts(|figure| format!("{:?}", figure.better).to_lowercase()),
        )
        .text("statistic", &texts(|figure| figure.statistic.to_string()))
        .whole("n", of.iter().map(|figure| figure.n))
        .text("state", &texts(|figure| figure.comparable_by.state.clone()))
        .text(
            "span",
            &texts(|figure| figure.comparable_by.span.as_str().to_owned()),
        )
        .text("scale", &texts(|figure| figure.comparable_by.scale.clone()))
        .text_or_none("why_not", &why.collect::<Vec<_>>())
        .frame()
}

fn curves(result: &RunResult) -> PyResult<Frame> {
    let curves = || {
        result
            .charts
            .iter()
            .flat_map(|chart| chart.curves.iter().map(move |c| (chart, c)))
    };
    let points =
        || curves().flat_map(|(chart, curve)| (0..curve.x.len()).map(move |at| (chart, curve, at)));
    let texts = |each: fn(&base::chart::Chart, &base::chart::Curve) -> String| {
        points()
            .map(|(chart, curve, _)| each(chart, curve))
            .collect::<Vec<_>>()
    };
    let edge = |each: fn(&base::chart::Curve) -> Option<&Vec<Option<f64>>>| {
        points()
            .map(|(_, curve, at)| each(curve).and_then(|edge| edge.get(at).copied().flatten()))
            .collect::<Vec<_>>()
    };
    Columns::default()
        .text("chart", &texts(|chart, _| chart.key.clone()))
        .text("curve", &texts(|_, curve| curve.name.clone()))
        .float_or_none(
            "x",
            points().map(|(_, curve, at)| Some(curve.x[at])).collect(),
        )
        .text(
            "x_unit",
            &texts(|chart, _| chart.design.x.unit.clone().into_owned()),
        )
        .float_or_none("y", edge(|curve| Some(&curve.y)))
        .text(
            "y_unit",
            &texts(|chart, _| chart.design.y.unit.clone().into_owned()),
        )
        .float_or_none("low", edge(|curve| curve.low.as_ref()))
        .float_or_none("high", edge(|curve| curve.high.as_ref()))
        .frame()
}

/// One row for each interval and each of reads and writes that had any.
fn series(result: &RunResult) -> PyResult<Frame> {
    let rows: Vec<_> = jobs(result)
        .flat_map(|(phase, job)| {
            let interval = job.series.interval.as_nanos();
            let points = job.series.points.iter().enumerate();
            let cells = points.flat_map(move |(at, point)| {
                let start = interval.saturating_mul(at as u64);
                [
                    (start, Op::Read, point.read),
                    (start, Op::Write, point.write),
                ]
            });
            let full = cells.filter(|(_, _, cell)| cell.ios > 0);
            full.map(move |(start, op, cell)| (phase, job, start, op, cell, job.series.interval))
        })
        .collect();
    of_jobs(rows.iter().map(|row| (row.0, row.1)))
        .whole("start_ns", rows.iter().map(|row| row.2))
        .whole("interval_ns", rows.iter().map(|row| row.5.as_nanos()))
        .text(
            "op",
            &rows.iter().map(|row| row.3.name()).collect::<Vec<_>>(),
        )
        .whole("ios", rows.iter().map(|row| row.4.ios))
        .whole("bytes", rows.iter().map(|row| row.4.bytes.get()))
        .float_or_none(
            "mb_s",
            rows.iter()
                .map(|row| Rate::of(row.4.bytes, row.5).map(Rate::mb_s))
                .collect(),
        )
        .float_or_none(
            "mean_ns",
            rows.iter()
                .map(|row| Some(row.4.sum.as_nanos() as f64 / row.4.ios as f64))
                .collect(),
        )
        .whole("worst_ns", rows.iter().map(|row| row.4.worst.as_nanos()))
        .frame()
}

/// One row for each bucket that holds anything; a bucket is at most 1/128 of its lower edge wide.
fn histogram(result: &RunResult) -> PyResult<Frame> {
    let rows: Vec<_> = jobs(result)
        .flat_map(|(phase, job)| {
            let ops = Op::ALL.into_iter().zip(&job.ops);
            ops.flat_map(move |(op, record)| {
                let buckets = record.felt().buckets();
                buckets.map(move |bucket| (phase, job, op, bucket))
            })
        })
        .collect();
    of_jobs(rows.iter().map(|row| (row.0, row.1)))
        .text(
            "op",
            &rows.iter().map(|row| row.2.name()).collect::<Vec<_>>(),
        )
        .whole("from_ns", rows.iter().map(|row| row.3.0.as_nanos()))
        .whole(
            "below_ns",
            rows.iter().map(|row| (row.3.0 + row.3.1).as_nanos()),
        )
        .whole("count", rows.iter().map(|row| row.3.2))
        .frame()
}

/// Histograms of several results as one: counts of the same bucket are added. All histograms have the same buckets, so
/// nothing is rounded, and the order does not matter.
#[pyfunction]
pub(crate) fn merge_histograms(of: Vec<PyRef<'_, Frame>>) -> PyResult<Frame> {
    let mut counts = BTreeMap::<_, i64>::new();
    for frame in &of {
        let [phases, jobs, ops] = [frame.texts("phase")?, frame.texts("job")?, frame.texts("op")?];
        let (from, below) = (frame.wholes("from_ns")?, frame.wholes("below_ns")?);
        for (row, count) in frame.wholes("count")?.iter().enumerate() {
            let whose = (phases.value(row), jobs.value(row), ops.value(row));
            *counts.entry((whose, from[row], below[row])).or_default() += count;
        }
    }
    let rows = || counts.iter();
    let texts = |each: fn(&(&str, &str, &str)) -> String| -> Vec<String> {
        rows().map(|((whose, ..), _)| each(whose)).collect()
    };
    Columns::default()
        .text("phase", &texts(|whose| whose.0.to_owned()))
        .text("job", &texts(|whose| whose.1.to_owned()))
        .text("op", &texts(|whose| whose.2.to_owned()))
        .signed("from_ns", rows().map(|((_, from, _), _)| *from).collect())
        .signed("below_ns", rows().map(|((.., below), _)| *below).collect())
        .signed("count", rows().map(|(_, count)| *count).collect())
        .frame()
}

/// The transfer curve of scans: one row for each part of the addresses.
fn addresses(result: &RunResult) -> PyResult<Frame> {
    let rows: Vec<_> = jobs(result)
        .filter_map(|(phase, job)| Some((phase, job, job.bins.as_ref()?)))
        .flat_map(|(phase, job, bins)| {
            let each = bins.bins.iter().enumerate();
            each.map(move |(at, bin)| (phase, job, bins.start_of(at), bins.width, bin))
        })
        .collect();
    let rate = |each: fn(&AddressBin) -> Option<Rate>| {
        rows.iter()
            .map(|row| each(row.4).map(Rate::mb_s))
            .collect::<Vec<_>>()
    };
    of_jobs(rows.iter().map(|row| (row.0, row.1)))
        .whole("offset", rows.iter().map(|row| row.2.get()))
        .whole("length", rows.iter().map(|row| row.3.get()))
        .whole("ios", rows.iter().map(|row| row.4.ios))
        .whole("bytes", rows.iter().map(|row| row.4.bytes.get()))
        .float_or_none("mb_s", rate(AddressBin::rate))
        .float_or_none("slowest_mb_s", rate(AddressBin::slowest_rate))
        .float_or_none("fastest_mb_s", rate(AddressBin::fastest_rate))
        .whole("least_ns", rows.iter().map(|row| row.4.least.as_nanos()))
        .whole("worst_ns", rows.iter().map(|row| row.4.worst.as_nanos()))
        .frame()
}

/// The worst I/Os of each job, worst first.
fn worst(result: &RunResult) -> PyResult<Frame> {
    let rows: Vec<_> = jobs(result)
        .flat_map(|(phase, job)| job.worst.ios().iter().map(move |io| (phase, job, io)))
        .collect();
    of_jobs(rows.iter().map(|row| (row.0, row.1)))
        .text(
            "op",
            &rows.iter().map(|row| row.2.op.name()).collect::<Vec<_>>(),
        )
        .whole("offset", rows.iter().map(|row| row.2.offset.get()))
        .whole("length", rows.iter().map(|row| row.2.len.get()))
        .whole("at_ns", rows.iter().map(|row| row.2.at.as_nanos()))
        .whole(
            "service_ns",
            rows.iter().map(|row| row.2.service.as_nanos()),
        )
        .whole("felt_ns", rows.iter().map(|row| row.2.felt.as_nanos()))
        .whole(
            "beside_reads",
            rows.iter().map(|row| u64::from(row.2.beside_reads)),
        )
        .whole(
            "beside_writes",
            rows.iter().map(|row| u64::from(row.2.beside_writes)),
        )
        .frame()
}
