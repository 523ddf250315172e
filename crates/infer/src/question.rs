//! A question: whom it suits, what it costs, and how it is asked.

use base::bench::Stopped;
use base::chart::Chart;
use base::message::Message;
use base::method::Takes;
use base::result::{Better, Comparable, Figure, Interval};
use base::size::Bytes;
use base::target::Info;
use base::time::Duration;
use base::workload::Span;

use crate::probe::Probe;

/// Bytes of a single access: the smallest that every host sends.
const ACCESS: Bytes = Bytes::kib(4);

/// What a question writes at most that does not need the whole drive.
const AREA: Bytes = Bytes::gib(4);

/// One question.
pub(crate) struct Question {
    /// What its phases and the keys of its figures begin with.
    pub(crate) id: &'static str,
    /// Whether it makes sense, after what is known of the drive.
    pub(crate) suits: fn(&Known) -> bool,
    /// The part of the target that it writes: nothing where it only reads.
    pub(crate) writes: fn(&Asked) -> Option<Span>,
    /// The most that it takes.
    pub(crate) takes: fn(&Asked) -> Takes,
    /// Asks the drive.
    pub(crate) ask: fn(&mut Probe<'_>, &mut Known) -> Result<Found, Stopped>,
}

/// What is asked about.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The part of the target.
    pub(crate) span: Span,
    /// Bytes of a single access.
    pub(crate) access: Bytes,
    /// The smallest unit that the target takes.
    pub(crate) block: Bytes,
    /// The longest that a phase may take.
    pub(crate) patience: Duration,
    /// Whether it may be written.
    pub(crate) writable: bool,
    /// Draws addresses and orders.
    pub(crate) seed: u64,
    /// Conditions of all figures.
    pub(crate) by: Comparable,
}

impl Asked {
    /// The first `extent` bytes of a target; `patience` is the longest that a phase may take, and `seed` draws addresses
    /// and orders. Questions that write are asked where `writes` is set and the target may be written.
    pub fn of(extent: Bytes, on: &Info, writes: bool, patience: Duration, seed: u64) -> Asked {
        let span = Span::first(extent.min(on.capacity).round_down(on.block));
        let access = ACCESS.max(on.block).min(span.len);
        Asked {
            access,
            patience,
            writable: on.writable && writes,
            block: on.block,
            seed,
            by: Comparable {
                span: span.said(),
                alignment: access.to_string(),
                ..Comparable::default()
            },
            span,
        }
    }

    /// What questions write that need no more: the beginning.
    pub(crate) fn area(&self) -> Span {
        Span::new(self.span.start, AREA.min(self.span.len))
    }

    /// What so many single accesses take.
    pub(crate) fn singles(&self, accesses: u64) -> Takes {
        Takes::moving(self.access * accesses).and_accesses(accesses)
    }

    /// Places for single accesses.
    pub(crate) fn places(&self) -> u64 {
        (self.span.len.get() / self.access.get().max(1)).max(1)
    }
}

/// What earlier questions found, as far as later ones depend on it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// Whether it turns; nothing where a lone read could be either.
    pub(crate) turns: Option<bool>,
}

impl Known {
    /// Whether it may be a disk.
    pub(crate) fn may_turn(&self) -> bool {
        self.turns != Some(false)
    }

    /// Whether it may be flash.
    pub(crate) fn may_be_flash(&self) -> bool {
        self.turns != Some(true)
    }
}

/// What came of a question.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The numbers, or why there are none.
    pub(crate) figures: Vec<Figure>,
    /// What they were read off.
    pub(crate) charts: Vec<Chart>,
}

/// A number with an interval of 95 %, or the reason why there is none.
pub(crate) type Estimate = Result<(f64, Option<[f64; 2]>), Message>;

impl Found {
    /// Adds a number to the answer, found in some phases from so many I/Os.
    pub(crate) fn add(&mut self, probe: &Probe<'_>, key: &str, unit: &str, estimate: Estimate) {
        let phases = probe.phases.clone();
        let mut figure = Figure {
            key: format!("{}.{key}", probe.id),
            value: None,
            why_not: None,
            unit: unit.to_owned(),
            better: Better::None,
            statistic: Message::of("made-estimate").into(),
            n: probe.ios,
            interval: None,
            phases,
            comparable_by: probe.asked.by.clone(),
        };
        match estimate {
            Ok((value, interval)) => {
                figure.value = Some(value);
                figure.interval = interval.map(|[low, high]| Interval {
                    low,
                    high,
                    confidence_percent: 95.0,
                });
            }
            Err(why) => figure.why_not = Some(why),
        }
        self.figures.push(figure);
    }
}
