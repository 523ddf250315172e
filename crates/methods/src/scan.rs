//! What full and quick scan share: a transfer curve with its band, and the response times.
//!
//! A curve's band is what the testers of disks draw: the least and the greatest rate at a position,
//! so that a stall is not averaged away.

use base::chart::{Chart, Curve, designs};
use base::io::Op;
use base::record::{Latencies, PhaseRecord};
use base::result::{Better, Comparable, Figure};
use base::size::{Bytes, Rate};
use base::time::Duration;

use crate::figures::{Of, conditions, figure, latency, valued, withheld};

/// One position of a transfer curve, in MB/s (10^6).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) at: Bytes,
    pub(crate) low: f64,
    pub(crate) mean: f64,
    pub(crate) high: f64,
}

/// What a scan found in one direction.
pub(crate) struct Pass {
    pub(crate) op: Op,
    pub(crate) positions: Vec<Position>,
    pub(crate) phases: Vec<String>,
    pub(crate) by: Comparable,
    /// Why its positions have no band, where they have none.
    pub(crate) no_band: Option<String>,
    responses: Latencies,
    errors: u64,
    bytes: Bytes,
    time: Duration,
}

impl Pass {
    /// Nothing scanned yet.
    pub(crate) fn new(op: Op) -> Pass {
        Pass {
            op,
            positions: Vec::new(),
            phases: Vec::new(),
            by: Comparable::default(),
            no_band: None,
            responses: Latencies::default(),
            errors: 0,
            bytes: Bytes::ZERO,
            time: Duration::ZERO,
        }
    }

    /// Adds a phase, all but its positions.
    pub(crate) fn add(&mut self, record: &PhaseRecord) {
        self.responses.merge(&record.of(self.op).service);
        self.errors += record.errors();
        self.bytes += record.bytes();
        self.time += record.took;
        self.phases.push(record.name.clone());
        self.by = conditions(&record.workload);
    }

    /// Adds what is shorter than an access: its errors, and nothing that is measured.
    pub(crate) fn add_rest(&mut self, record: &PhaseRecord) {
        self.errors += record.errors();
    }

    /// Bytes over time of all phases, in MB/s; `None` if no access was completed.
    pub(crate) fn mean_mb_s(&self) -> Option<f64> {
        if self.responses.is_empty() {
            return None;
        }
        Rate::of(self.bytes, self.time).map(Rate::mb_s)
    }

    /// Figures of one direction: rates at both ends of the surface, and response times.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let name = self.op.name();
        let rate = |key: &str, value: Option<f64>, statistic: &str| {
            let figure = figure(
                &format!("{name}.{key}"),
                "MB/s",
                Better::Higher,
                &self.by,
                &self.phases,
            );
            valued(figure, value, statistic, self.positions.len() as u64)
        };
        let (first, last) = (self.positions.first(), self.positions.last());
        let response = |key: &str, of| {
            latency(
                &format!("{name}.response.{key}"),
                "ms",
                of,
                &self.responses,
                &self.by,
                &self.phases,
            )
        };
        let band = |key: &str, value: Option<f64>, statistic: &str| {
            let figure = rate(key, value, statistic);
            match &self.no_band {
                Some(why) if figure.value.is_some() => withheld(figure, why),
                _ => figure,
            }
        };
        let mut figures = vec![
            band("outermost.top", first.map(|p| p.high), "top of the band"),
            band(
                "outermost.bottom",
                first.map(|p| p.low),
                "bottom of the band",
            ),
            band("innermost.top", last.map(|p| p.high), "top of the band"),
            band(
                "innermost.bottom",
                last.map(|p| p.low),
                "bottom of the band",
            ),
            rate("mean", self.mean_mb_s(), "bytes over time"),
            response("min", Of::Min),
            response("mean", Of::Mean),
            response("p99.9", Of::Percentile(99.9)),
            response("max", Of::Max),
        ];
        let errors = figure(
            &format!("{name}.errors"),
            "count",
            Better::Lower,
            &self.by,
            &self.phases,
        );
        figures.push(valued(
            errors,
            Some(self.errors as f64),
            "count",
            self.responses.count() + self.errors,
        ));
        figures
    }

    /// The rate of each position, with its band.
    pub(crate) fn curve(&self) -> Curve {
        let column = |value: fn(&Position) -> f64| {
            self.positions
                .iter()
                .map(|p| Some(value(p)))
                .collect::<Vec<_>>()
        };
        Curve {
            name: self.op.name().to_owned(),
            x: self.positions.iter().map(|p| p.at.get() as f64).collect(),
            y: column(|p| p.mean),
            low: Some(column(|p| p.low)),
            high: Some(column(|p| p.high)),
            on_right: false,
        }
    }
}

/// Transfer curve and response-time distribution of all directions.
pub(crate) fn charts(passes: &[Pass]) -> Vec<Chart> {
    let transfer = Chart::new(
        "transfer",
        designs::TRANSFER.with_panels(),
        passes.iter().map(Pass::curve).collect(),
    );
    let named: Vec<_> = passes.iter().map(|p| (p.op.name(), &p.responses)).collect();
    vec![transfer, crate::chart::responses("response", &named)]
}
