//! A target that goes wrong on purpose: errors, delays, short transfers, disappearance.
//!
//! It lies over any other target, real or modelled. A delay holds a finished I/O back for a time on
//! the target's own clock. What goes wrong is decided by seeded chance or by address, so that a
//! fault can be replayed.

use crate::io::Io;
use crate::rng::Rng;
use crate::size::Bytes;
use crate::target::{Busy, Done, Info, Outcome, Tag, Target};
use crate::time::{Duration, Instant};
use crate::workload::Span;
use crate::zone::Zoned;

/// EIO: the number of the error that a bad sector gives on Linux.
pub const EIO: i32 = 5;
/// ENODEV: the number of the error of a device that is no longer there on Linux.
pub const ENODEV: i32 = 19;

/// What goes wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// I/Os that touch one of these fail with EIO.
    pub bad: Vec<Span>,
    /// Of a million I/Os, so many fail with EIO.
    pub errors_per_million: u32,
    /// Of a million I/Os, so many move half of their bytes only.
    pub short_per_million: u32,
    /// Of a million I/Os, so many are held back by [`Faults::delay`].
    pub delays_per_million: u32,
    /// How long they are held back.
    pub delay: Duration,
    /// From this I/O on (counted from 0), all fail with ENODEV.
    pub gone_after: Option<u64>,
    /// Seeds the chance.
    pub seed: u64,
}

/// A target with faults.
pub struct Faulty<T> {
    under: T,
    faults: Faults,
    rng: Rng,
    submitted: u64,
    /// By tag: what will become of the I/O in flight.
    fates: Vec<Fate>,
    held: Vec<Done>,
}

#[derive(Clone, Copy, Default)]
struct Fate {
    outcome: Option<Outcome>,
    delay: Duration,
}

impl<T: Target> Faulty<T> {
    /// `under`, with faults.
    pub fn new(under: T, faults: Faults) -> Faulty<T> {
        let rng = Rng::new(faults.seed);
        let fates = vec![Fate::default(); under.info().max_in_flight as usize];
        Faulty {
            under,
            faults,
            rng,
            submitted: 0,
            fates,
            held: Vec::new(),
        }
    }

    fn fate_of(&mut self, io: &Io) -> Fate {
        let faults = &self.faults;
        let mut chance = |per_million: u32| {
            per_million > 0 && self.rng.below(1_000_000) < u64::from(per_million)
        };
        let touches = |bad: &Span| io.offset < bad.end() && bad.start < io.end();
        let (errs, shortens, delays) = (
            chance(faults.errors_per_million),
            chance(faults.short_per_million),
            chance(faults.delays_per_million),
        );
        let outcome = if faults.gone_after.is_some_and(|n| self.submitted >= n) {
            Some(Outcome::Failed(ENODEV))
        } else if errs || faults.bad.iter().any(touches) {
            Some(Outcome::Failed(EIO))
        } else if shortens {
            Some(Outcome::Short(Bytes::new(io.len.get() / 2)))
        } else {
            None
        };
        Fate {
            outcome,
            delay: if delays { faults.delay } else { Duration::ZERO },
        }
    }

    fn first_held(&self) -> Option<Instant> {
        self.held.iter().map(|d| d.at).min()
    }

    fn release(&mut self, now: Instant, done: &mut Vec<Done>) {
        while let Some(i) = self
            .held
            .iter()
            .enumerate()
            .filter(|(_, d)| d.at <= now)
            .min_by_key(|(_, d)| (d.at, d.tag))
            .map(|(i, _)| i)
        {
            done.push(self.held.remove(i));
        }
    }
}

impl<T: Target> Target for Faulty<T> {
    fn info(&self) -> Info {
        self.under.info()
    }

    fn now(&self) -> Instant {
        self.under.now()
    }

    fn hint(&mut self, upcoming: &[Io]) {
        self.under.hint(upcoming);
    }

    fn next_from(&mut self, stream: u32) {
        self.under.next_from(stream);
    }

    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        self.under.submit(tag, io)?;
        self.fates[tag.0 as usize] = self.fate_of(io);
        self.submitted += 1;
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let first = done.len();
        let until = match (until, self.first_held()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.under.wait(until, done);
        for mut d in done.split_off(first) {
            let fate = self.fates[d.tag.0 as usize];
            if let Some(outcome) = fate.outcome {
                d.outcome = outcome;
            }
            d.at += fate.delay;
            if fate.delay.is_zero() {
                done.push(d)
            } else {
                self.held.push(d)
            }
        }
        self.release(self.under.now(), done);
    }

    fn health(&self) -> Option<crate::health::Health> {
        self.under.health()
    }

    fn next(&self) -> Option<Instant> {
        let nexts = [self.under.next(), self.first_held()];
        nexts.into_iter().flatten().min()
    }

    fn power_cut(&mut self) -> bool {
        self.held.clear();
        self.under.power_cut()
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        self.under.zoned()
    }

    fn lost(&self) -> Vec<Span> {
        self.under.lost()
    }
}
