//! A target that injects faults: errors, delays, stutter, short transfers, disappearance.
//!
//! It wraps any target, real or modelled. A delay holds a completed I/O back for a time on the target's own clock.
//! Faults are triggered by seeded chance, by address or by that clock, so they can be reproduced.
//!
//! A sector that became unreadable is readable again after an overwrite: the drive reallocates it. Such sectors are
//! [`Faults::unreadable`]; [`Faults::bad`] ones stay bad.

use crate::io::{Io, Op};
use crate::label::{Difference, Differs};
use crate::rng::Rng;
use crate::size::Bytes;
use crate::target::{Busy, Done, Info, Outcome, Tag, Target};
use crate::time::{Duration, Instant};
use crate::workload::Span;

/// EIO: the number of the error that a bad sector gives on Linux.
pub const EIO: i32 = 5;
/// ENODEV: the number of the error of a device that is no longer there on Linux.
pub const ENODEV: i32 = 19;

/// EROFS: the number of the error of a write on a drive that has turned read-only on Linux.
pub const EROFS: i32 = 30;

/// The injected faults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// I/Os that touch one of these fail with EIO.
    pub bad: Vec<Span>,
    /// Reads that touch one of these fail with EIO until it is overwritten.
    pub unreadable: Vec<Span>,
    /// I/Os that touch one of these are held back by [`Faults::slow_by`].
    pub slow: Vec<Span>,
    /// How long they are held back.
    pub slow_by: Duration,
    /// After each such interval on the target's clock, nothing completes for [`Faults::stutter`].
    pub stutter_every: Duration,
    /// Duration of such a pause; shorter than the interval.
    pub stutter: Duration,
    /// After this long without an I/O it sleeps; zero if it never does.
    pub sleeps_after: Duration,
    /// So long it takes to wake: the I/O that wakes it is held back.
    pub wakes_in: Duration,
    /// I/Os per million that fail with EIO.
    pub errors_per_million: u32,
    /// I/Os per million that move only half of their bytes.
    pub short_per_million: u32,
    /// I/Os per million that are delayed by [`Faults::delay`].
    pub delays_per_million: u32,
    /// How long they are held back.
    pub delay: Duration,
    /// From this I/O on (counted from 0), all fail with ENODEV.
    pub gone_after: Option<u64>,
    /// I/Os that are sent at this moment of the target's clock or later fail with ENODEV.
    pub gone_at: Option<Instant>,
    /// From this I/O on (counted from 0), writes and trims fail with EROFS, as on a drive that is worn out.
    pub read_only_after: Option<u64>,
    /// Writes beyond this address are dropped: labelled reads ([`crate::label`]) find nothing there, as on a
    /// counterfeit that claims more than it has.
    pub keeps: Option<Bytes>,
    /// Seeds the chance.
    pub seed: u64,
}

/// The result of a labelled read beyond the capacity that is kept.
fn dropped(io: &Io, keeps: Bytes) -> Option<Outcome> {
    io.generation()
        .filter(|_| io.op == Op::Read && io.end() > keeps)?;
    let kept = keeps.saturating_sub(io.offset).round_down(Bytes::SECTOR);
    let sectors =
        |bytes: Bytes| u32::try_from(bytes.get() / Bytes::SECTOR.get()).unwrap_or(u32::MAX);
    Some(Outcome::Differs(Differs {
        kind: Difference::Unwritten,
        first: sectors(kept),
        sectors: sectors(io.len - kept),
    }))
}

/// A target with faults.
pub struct Faulty<T> {
    under: T,
    faults: Faults,
    rng: Rng,
    submitted: u64,
    /// When it was last awake: at a submission or completion.
    awake: Instant,
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
            awake: Instant::ZERO,
            fates,
            held: Vec::new(),
        }
    }

    fn fate_of(&mut self, io: &Io) -> Fate {
        let faults = &self.faults;
        let mut chance = |per_million: u32| {
            per_million > 0 && self.rng.below(1_000_000) < u64::from(per_million)
        };
        let touches = |span: &Span| io.offset < span.end() && span.start < io.end();
        let (errs, shortens, delays) = (
            chance(faults.errors_per_million),
            chance(faults.short_per_million),
            chance(faults.delays_per_million),
        );
        let from = |first: Option<u64>| first.is_some_and(|first| self.submitted >= first);
        let is_gone = faults.gone_at.is_some_and(|at| self.under.now() >= at);
        let changes = matches!(io.op, Op::Write | Op::Trim);
        let is_unread = io.op == Op::Read && faults.unreadable.iter().any(touches);
        let outcome = if is_gone || from(faults.gone_after) {
            Some(Outcome::Failed(ENODEV))
        } else if changes && from(faults.read_only_after) {
            Some(Outcome::Failed(EROFS))
        } else if errs || is_unread || faults.bad.iter().any(touches) {
            Some(Outcome::Failed(EIO))
        } else if shortens {
            Some(Outcome::Short(Bytes::new(io.len.get() / 2)))
        } else {
            faults.keeps.and_then(|keeps| dropped(io, keeps))
        };
        let mut delay = if delays { faults.delay } else { Duration::ZERO };
        if faults.slow.iter().any(touches) {
            delay += faults.slow_by;
        }
        if !faults.sleeps_after.is_zero()
            && self.under.now().since(self.awake) >= faults.sleeps_after
        {
            delay += faults.wakes_in;
        }
        if outcome.is_none() && io.op == Op::Write {
            self.written_over(Span::new(io.offset, io.len));
        }
        Fate { outcome, delay }
    }

    /// Overwritten ranges become readable again.
    fn written_over(&mut self, written: Span) {
        if self.faults.unreadable.is_empty() {
            return;
        }
        let apart = |old: &Span| written.end() <= old.start || old.end() <= written.start;
        let left = |old: &Span| {
            let before = Span::new(old.start, written.start.saturating_sub(old.start));
            let behind = Span::new(written.end(), old.end().saturating_sub(written.end()));
            [before, behind]
        };
        let old = std::mem::take(&mut self.faults.unreadable);
        for span in old {
            if apart(&span) {
                self.faults.unreadable.push(span);
            } else {
                let rest = left(&span).into_iter().filter(|part| !part.len.is_zero());
                self.faults.unreadable.extend(rest);
            }
        }
    }

    /// When a completion that is ready at a moment is delivered, given the stutter.
    fn after_a_stutter(&self, at: Instant) -> Instant {
        let (every, stutter) = (self.faults.stutter_every, self.faults.stutter);
        if every.is_zero() || at.since(Instant::ZERO) < every {
            return at;
        }
        let into = at.as_nanos() % every.as_nanos();
        at + stutter.saturating_sub(Duration::from_nanos(into))
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

    fn beneath(&self) -> Option<&dyn Target> {
        Some(&self.under)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Target> {
        Some(&mut self.under)
    }

    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        self.under.submit(tag, io)?;
        self.fates[tag.0 as usize] = self.fate_of(io);
        self.submitted += 1;
        self.awake = self.under.now();
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
            let ready = d.at;
            d.at = self.after_a_stutter(ready + fate.delay);
            self.awake = self.awake.max(d.at);
            if d.at == ready {
                done.push(d)
            } else {
                self.held.push(d)
            }
        }
        self.release(self.under.now(), done);
    }

    fn next(&self) -> Option<Instant> {
        let nexts = [self.under.next(), self.first_held()];
        nexts.into_iter().flatten().min()
    }

    fn power_cut(&mut self) -> bool {
        self.held.clear();
        self.under.power_cut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::null::Null;

    const SERVICE: Duration = Duration::from_micros(100);

    /// Returns non-default answers to all queries.
    struct Telling;

    impl Target for Telling {
        fn info(&self) -> Info {
            Null::new(Bytes::mib(64), SERVICE).info()
        }
        fn now(&self) -> Instant {
            Instant::ZERO
        }
        fn submit(&mut self, _: Tag, _: &Io) -> Result<(), Busy> {
            Err(Busy)
        }
        fn wait(&mut self, _: Option<Instant>, _: &mut Vec<Done>) {}
        fn next(&self) -> Option<Instant> {
            Some(Instant::ZERO)
        }
        fn power_cut(&mut self) -> bool {
            true
        }
        fn lost(&self) -> Vec<Span> {
            vec![Span::first(Bytes::SECTOR)]
        }
        fn at_risk(&mut self, _: Span) -> Vec<Span> {
            Vec::new()
        }
        fn honours_flushes(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_layer_answers_what_it_does_not_change_as_the_target_beneath() {
        let mut layer = Faulty::new(Telling, Faults::default());
        assert_eq!(layer.next(), Some(Instant::ZERO));
        assert!(layer.power_cut() && !layer.honours_flushes());
        assert_eq!(layer.lost().len(), 1);
        assert_eq!(layer.at_risk(Span::first(Bytes::mib(1))), []);
    }

    fn faulty(faults: Faults) -> Faulty<Null> {
        Faulty::new(Null::new(Bytes::mib(64), SERVICE), faults)
    }

    /// What one I/O alone came to, and how long that took.
    fn alone(target: &mut Faulty<Null>, io: Io) -> (Outcome, Duration) {
        let (sent, mut done) = (target.now(), Vec::new());
        target.submit(Tag(0), &io).unwrap();
        while done.is_empty() {
            target.wait(None, &mut done);
        }
        (done[0].outcome, done[0].at.since(sent))
    }

    fn page(number: u64) -> Span {
        Span::new(Bytes::kib(4 * number), Bytes::kib(4))
    }

    fn read(number: u64) -> Io {
        Io::read(page(number).start, Bytes::kib(4))
    }

    fn write(number: u64) -> Io {
        Io::write(page(number).start, Bytes::kib(4), 0)
    }

    #[test]
    fn an_unreadable_sector_is_read_again_once_it_was_written_over() {
        let unreadable = vec![Span::new(Bytes::kib(4), Bytes::kib(12))];
        let mut target = faulty(Faults {
            unreadable,
            ..Faults::default()
        });
        let eio = Outcome::Failed(EIO);
        for (io, outcome) in [
            (read(0), Outcome::Complete),
            (read(2), eio),
            (write(2), Outcome::Complete),
            (read(2), Outcome::Complete),
            (read(1), eio),
            (read(3), eio),
            (read(4), Outcome::Complete),
        ] {
            assert_eq!(alone(&mut target, io).0, outcome, "{io:?}");
        }
    }

    #[test]
    fn a_slow_region_answers_later_by_what_it_is_slower() {
        let slow_by = Duration::from_millis(20);
        let mut target = faulty(Faults {
            slow: vec![page(7)],
            slow_by,
            ..Faults::default()
        });
        assert_eq!(alone(&mut target, read(6)).1, SERVICE);
        assert_eq!(alone(&mut target, read(7)).1, SERVICE + slow_by);
    }

    #[test]
    fn the_first_answer_after_a_rest_waits_until_it_is_awake() {
        let wakes_in = Duration::from_millis(60);
        let mut target = faulty(Faults {
            sleeps_after: Duration::from_secs(1),
            wakes_in,
            ..Faults::default()
        });
        assert_eq!(alone(&mut target, read(1)).1, SERVICE);
        let rest = |target: &mut Faulty<Null>, millis| {
            let until = target.now() + Duration::from_millis(millis);
            target.wait(Some(until), &mut Vec::new());
        };
        rest(&mut target, 999);
        assert_eq!(alone(&mut target, read(2)).1, SERVICE);
        rest(&mut target, 1_000);
        assert_eq!(alone(&mut target, read(3)).1, SERVICE + wakes_in);
        assert_eq!(alone(&mut target, read(4)).1, SERVICE);
    }

    #[test]
    fn nothing_is_answered_during_a_stutter() {
        let mut target = faulty(Faults {
            stutter: Duration::from_millis(3),
            stutter_every: Duration::from_millis(10),
            ..Faults::default()
        });
        let mut answers = Vec::new();
        for number in 0..300 {
            alone(&mut target, read(number));
            answers.push(target.now().as_nanos() / 1_000);
        }
        assert!(
            answers.contains(&9_900) && answers.contains(&13_000),
            "{answers:?}"
        );
        let stalled = answers
            .iter()
            .filter(|at| **at >= 10_000 && **at % 10_000 < 3_000);
        assert_eq!(stalled.count(), 0, "{answers:?}");
        assert!(answers.last() > Some(&30_000));
    }

    #[test]
    fn a_drive_that_turned_read_only_reads_on_and_one_that_is_gone_does_nothing() {
        let mut target = faulty(Faults {
            read_only_after: Some(2),
            gone_at: Some(Instant::ZERO + SERVICE * 5),
            ..Faults::default()
        });
        let outcomes = [write(0), read(0), write(0), read(0), Io::flush(), read(0)]
            .map(|io| alone(&mut target, io).0);
        let (fine, gone) = (Outcome::Complete, Outcome::Failed(ENODEV));
        assert_eq!(
            outcomes,
            [fine, fine, Outcome::Failed(EROFS), fine, fine, gone]
        );
    }
}
