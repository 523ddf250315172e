//! What full and quick scan share: a transfer curve with its band, and the response times.
//!
//! A curve's band is what disk testers draw: the minimum and maximum rate at a position, so that a stall is not
//! averaged away.

use base::chart::designs;
use base::{
    Better, Bytes, Chart, Curve, Duration, Figure, Latencies, Message, Op, PhaseRecord, Rate,
};

use crate::figures::{Of, Origin, valued, withheld};

/// One position of a transfer curve, in MB/s (10^6).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) at: Bytes,
    pub(crate) low: f64,
    pub(crate) mean: f64,
    pub(crate) high: f64,
}

/// The surface between two ends that alone were scanned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Between {
    /// Positions before it.
    pub(crate) positions: usize,
    /// Where it begins.
    pub(crate) from: Bytes,
    /// Bytes that were scanned.
    pub(crate) covered: Bytes,
    /// Bytes of the surface.
    pub(crate) of: Bytes,
}

/// What a scan found in one direction.
pub(crate) struct Pass {
    pub(crate) op: Op,
    pub(crate) positions: Vec<Position>,

    pub(crate) origin: Origin,
    /// Why its positions have no band, where they have none.
    pub(crate) no_band: Option<Message>,
    /// The range between two ends, if only they were scanned.
    pub(crate) between: Option<Between>,
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
            origin: Origin::default(),
            no_band: None,
            between: None,
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
        self.origin.add(record);
    }

    /// Adds a remainder shorter than an I/O: its errors, and no measurements.
    pub(crate) fn add_rest(&mut self, record: &PhaseRecord) {
        self.errors += record.errors();
    }

    /// Bytes over time of all phases, in MB/s; `None` if no I/O was completed.
    pub(crate) fn mean_mb_s(&self) -> Option<f64> {
        if self.responses.is_empty() {
            return None;
        }
        Rate::of(self.bytes, self.time).map(Rate::mb_s)
    }

    /// Figures of one direction: rates at both ends of the surface, and response times.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let (first, last) = (self.positions.first(), self.positions.last());
        let bands = [
            ("outermost.top", first.map(|p| p.high), "made-top"),
            ("outermost.bottom", first.map(|p| p.low), "made-bottom"),
            ("innermost.top", last.map(|p| p.high), "made-top"),
            ("innermost.bottom", last.map(|p| p.low), "made-bottom"),
        ];
        let responses = [
            ("min", Of::Min),
            ("mean", Of::Mean),
            ("p99.9", Of::Percentile(99.9)),
            ("max", Of::Max),
        ];
        let mut figures = bands
            .map(|(key, value, made)| self.band(key, value, made))
            .to_vec();
        figures.push(self.mean(self.rate("mean", self.mean_mb_s(), "made-bytes-over-time")));
        figures.extend(responses.map(|(key, of)| self.response(key, of)));
        figures.push(self.errors());
        figures.extend(self.covered());
        figures
    }

    /// A figure of this direction, without a value.
    fn figure(&self, key: &str, unit: &str, better: Better) -> Figure {
        let key = format!("{}.{key}", self.op.name());
        self.origin.figure(&key, unit, better)
    }

    fn rate(&self, key: &str, value: Option<f64>, made: &'static str) -> Figure {
        let figure = self.figure(key, "MB/s", Better::Higher);
        let n = self.positions.len() as u64;
        valued(figure, value, Message::of(made), n)
    }

    /// A rate that only a scan with a band has.
    fn band(&self, key: &str, value: Option<f64>, made: &'static str) -> Figure {
        let figure = self.rate(key, value, made);
        match &self.no_band {
            Some(why) if figure.value.is_some() => withheld(figure, why.clone()),
            _ => figure,
        }
    }

    fn response(&self, key: &str, of: Of) -> Figure {
        let key = format!("{}.response.{key}", self.op.name());
        self.origin.latency(&key, "ms", of, &self.responses)
    }

    fn errors(&self) -> Figure {
        let figure = self.figure("errors", "count", Better::Lower);
        let n = self.responses.count() + self.errors;
        valued(figure, Some(self.errors as f64), "count", n)
    }

    fn mean(&self, figure: Figure) -> Figure {
        match self.between {
            // On a disk the mean of the fastest and the slowest zone is not that of all zones, which are not equally
            // wide, and of a drive with a cache both ends may be in it.
            Some(_) if figure.value.is_some() => withheld(figure, Message::of("why-two-ends")),
            _ => figure,
        }
    }

    /// Of how much of the surface its errors are, where that is not all of it.
    fn covered(&self) -> Option<Figure> {
        let between = self.between?;
        let share = between.covered.get() as f64 / between.of.get().max(1) as f64;
        Some(valued(
            self.figure("covered", "%", Better::None),
            Some(100.0 * share),
            Message::of("made-surface-share"),
            1,
        ))
    }

    /// The rate of each position, with its band.
    pub(crate) fn curve(&self) -> Curve {
        let mut at: Vec<(Bytes, Option<&Position>)> =
            self.positions.iter().map(|p| (p.at, Some(p))).collect();
        if let Some(between) = self.between {
            // A point without a value, so that no line is drawn through what nobody has read.
            at.insert(between.positions.min(at.len()), (between.from, None));
        }
        let column = |value: fn(&Position) -> f64| {
            let values = at.iter().map(|(_, position)| position.map(value));
            values.collect::<Vec<_>>()
        };
        Curve {
            name: self.op.name().to_owned(),
            x: at.iter().map(|(at, _)| at.get() as f64).collect(),
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
