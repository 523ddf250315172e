//! Power credits: a bucket of energy that refills at a steady power.
//!
//! A drive may draw more than its average allows as long as it has saved before: at first it is as fast as its flash,
//! then, with the bucket empty, as fast as the refill pays for, and after a rest it is fast again. Unlike a hot drive
//! it knows no temperature: it is throttled after a fixed energy, and a pause of half the time gives half of it back.

use base::time::Instant;

use crate::description::Credits;

/// A bucket. A milliwatt is a picojoule in a nanosecond.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    full_pj: u64,
    level_pj: u64,
    refill_mw: u64,
    at: Instant,
}

impl Bucket {
    pub(super) fn new(credits: &Credits) -> Bucket {
        let full_pj = credits.millijoules * 1_000_000_000;
        Bucket {
            full_pj,
            level_pj: full_pj,
            refill_mw: credits.refill_milliwatts.max(1),
            at: Instant::ZERO,
        }
    }

    /// Takes an energy; gives when it is there.
    pub(super) fn spend(&mut self, now: Instant, microjoules: u64) -> Instant {
        let pj = microjoules * 1_000_000;
        let rested = now.since(self.at).as_nanos();
        let refilled = self.refill_mw.saturating_mul(rested);
        self.level_pj = self.level_pj.saturating_add(refilled).min(self.full_pj);
        self.at = self.at.max(now);
        if self.level_pj >= pj {
            self.level_pj -= pj;
        } else {
            let nanos = (pj - self.level_pj).div_ceil(self.refill_mw);
            self.level_pj = 0;
            self.at += base::time::Duration::from_nanos(nanos);
        }
        self.at
    }
}
