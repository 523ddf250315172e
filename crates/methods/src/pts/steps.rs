//! Steps: rounds that together write a part of the extent count as one.
//!
//! A purged drive accepts random writes at a constant rate until its spare area is used up, and starts garbage
//! collection only then: a window of five minutes meets both conditions of [`super::steady_state`] on its first day.
//! From there on the excess of its rate over the steady level decays like `exp(-w / t)` with the extents `w` that were
//! written, where `t` is about one. So a window must span an amount of the extent and not of time. A line that moves by
//! a tenth over `d` extents has `0.1 / (exp(d / t) - 1)` of it still to go at the window's end: 8 % if the centres of
//! the first and the last step are 0.8 extents apart, 4 % if it is 1.2.
//!
//! Steps begin when the extent was written once. A window that is as fast as that first extent was may be the flat
//! rate before the drive has to collect, and nothing in it can tell: it counts only when all was written that
//! there is to write.

use base::{Bytes, Duration, Op, PhaseRecord};

use super::rounds::Steadiness;

/// A window whose mean is above this share of the first extent's is no decline: the excursion that a steady drive may
/// have.
const FALLEN: f64 = 0.8;

/// Writes, and how long they took.
#[derive(Clone, Copy, Default)]
struct Sum {
    writes: u64,
    took: Duration,
}

impl Sum {
    fn add(&mut self, record: &PhaseRecord) {
        self.writes += record.of(Op::Write).ios;
        self.took += record.took;
    }

    fn iops(self) -> Option<f64> {
        let seconds = self.took.as_secs_f64();
        (seconds > 0.0).then(|| self.writes as f64 / seconds)
    }
}

/// The rounds so far, gathered to steps.
pub(crate) struct Steps {
    extent: Bytes,
    /// Bytes of a step; zero where every round is one.
    size: Bytes,
    /// Bytes written after which there are no more rounds.
    most: Bytes,
    written: Bytes,
    /// The rounds that began before the extent was written once.
    fresh: Sum,
    /// The step that is not complete yet.
    open: Sum,
    /// Each step's last round and its I/Os a second.
    complete: Vec<(u64, f64)>,
    rounds: u64,
}

impl Steps {
    /// None yet, of this per cent of the extent each.
    pub(crate) fn new(extent: Bytes, percent: u64, most: Bytes) -> Steps {
        let size = u128::from(extent.get()) * u128::from(percent) / 100;
        Steps {
            extent,
            size: Bytes::new(size as u64),
            most,
            written: Bytes::ZERO,
            fresh: Sum::default(),
            open: Sum::default(),
            complete: Vec::new(),
            rounds: 0,
        }
    }

    /// Bytes written.
    pub(crate) fn written(&self) -> Bytes {
        self.written
    }

    /// Takes the next round.
    pub(crate) fn round(&mut self, record: &PhaseRecord) {
        self.rounds += 1;
        let before = self.written;
        self.written += record.of(Op::Write).bytes;
        if self.size.is_zero() {
            let iops = record.iops();
            self.complete.extend(iops.map(|iops| (self.rounds, iops)));
        } else if before < self.extent {
            self.fresh.add(record);
        } else {
            self.open.add(record);
            if self.steps(self.written) > self.steps(before) {
                let iops = std::mem::take(&mut self.open).iops();
                self.complete.extend(iops.map(|iops| (self.rounds, iops)));
            }
        }
    }

    fn steps(&self, written: Bytes) -> u64 {
        written.saturating_sub(self.extent).get() / self.size.get()
    }

    /// Whether the drive is steady, and over which rounds.
    pub(crate) fn steadiness(&self) -> Steadiness {
        let of_steps = Steadiness::of(&self.complete);
        Steadiness {
            reached: of_steps.reached && !self.may_be_fresh(),
            last: self.rounds,
            extents: Some(self.written.get() as f64 / self.extent.get().max(1) as f64),
            ..of_steps
        }
    }

    /// Both conditions hold, but the level is that of the first extent.
    pub(crate) fn is_as_fast_as_at_first(&self) -> bool {
        Steadiness::of(&self.complete).reached && self.may_be_fresh()
    }

    fn may_be_fresh(&self) -> bool {
        let window = Steadiness::of(&self.complete).window;
        let levels = window.zip(self.fresh.iops());
        let fallen = levels.is_some_and(|(window, fresh)| window.mean <= FALLEN * fresh);
        !self.size.is_zero() && self.written < self.most && !fallen
    }
}
