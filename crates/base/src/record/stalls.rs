//! Standstills: times in which a drive had something to do and completed nothing.
//!
//! When a drive stops for a second, every I/O due meanwhile is affected, two hundred for a watch that sends one every 5
//! ms; that is one stall and not two hundred. So a stall is a gap between two completions of [`STALL`] or more, during
//! all of which an I/O was in flight (or due, in an open loop). It begins with the completion before it, or when the
//! first of the waiting I/Os was sent; which one that is, is known when all of them have completed. A deep queue whose
//! I/Os take long but complete one after another is not stalled.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Duration;

/// The least standstill that counts: what takes longer is no longer felt as instantaneous (Nielsen,
/// *Usability Engineering*, 1993).
pub const STALL: Duration = Duration::from_millis(100);

/// Stalls kept individually; all are counted.
const KEPT: usize = 1_000;

/// Pauses of the program that are remembered until the standstill that they fall into is over.
const PAUSES: usize = 64;

/// One standstill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stall {
    /// When it began, since the beginning of the phase.
    pub at: Duration,
    /// Time without a completion.
    pub took: Duration,
}

impl Stall {
    fn end(&self) -> Duration {
        self.at + self.took
    }

    /// The overlap of both, if it is a stall.
    fn with(&self, other: &Stall) -> Option<Stall> {
        let at = self.at.max(other.at);
        let took = self.end().min(other.end()).saturating_sub(at);
        (took >= STALL).then_some(Stall { at, took })
    }
}

/// The standstills of a job.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Stalls {
    /// How many.
    pub count: u64,
    /// The longest period without a completion.
    pub longest: Duration,
    /// All of them together.
    pub total: Duration,
    /// The first of them, up to 1,000.
    pub first: Vec<Stall>,
    /// The last completion.
    #[serde(skip)]
    last: Duration,
    /// Between the completions before and after it, while I/Os that it held up may still complete: when it was
    /// recognised.
    #[serde(skip)]
    gap: Option<Gap>,
    /// The last pauses of the program itself, which is no standstill of the drive.
    #[serde(skip)]
    ours: VecDeque<Stall>,
}

/// Compares what was found, not the internal state: a record read back has none of it.
impl PartialEq for Stalls {
    fn eq(&self, other: &Stalls) -> bool {
        let found = |stalls: &Stalls| (stalls.count, stalls.longest, stalls.total);
        found(self) == found(other) && self.first == other.first
    }
}

#[derive(Clone, Copy, Debug)]
struct Gap {
    from: Duration,
    until: Duration,
    /// When the first of those in flight was sent, as far as they have completed.
    sent: Duration,
}

impl Gap {
    /// What remains of it without pauses of the program, if it is still a stall.
    fn stall(&self, ours: &VecDeque<Stall>) -> Option<Stall> {
        let at = self.from.max(self.sent);
        let within = |ours: &Stall| ours.end().min(self.until).saturating_sub(ours.at.max(at));
        let ours = (ours.iter().map(within)).fold(Duration::ZERO, |sum, part| sum + part);
        let took = self.until.saturating_sub(at).saturating_sub(ours);
        (took >= STALL).then_some(Stall { at, took })
    }
}

impl Stalls {
    /// An I/O completed at a time, after this latency.
    #[inline(always)]
    pub(crate) fn keep(&mut self, at: Duration, felt: Duration) {
        if felt >= STALL || at.saturating_sub(self.last) >= STALL {
            self.may_stall(at, at.saturating_sub(felt));
        }
        self.last = self.last.max(at);
    }

    #[cold]
    fn may_stall(&mut self, at: Duration, sent: Duration) {
        if let Some(gap) = &mut self.gap
            && sent < gap.until
        {
            gap.sent = gap.sent.min(sent);
        }
        if at.saturating_sub(self.last) >= STALL {
            self.settle();
            self.gap = Some(Gap {
                from: self.last,
                until: at,
                sent,
            });
        }
    }

    /// Nothing held up by the last stall is outstanding any more.
    pub(crate) fn settle(&mut self) {
        if let Some(stall) = self.gap.take().and_then(|gap| gap.stall(&self.ours)) {
            self.count_one(stall);
        }
    }

    /// The program itself was stopped between two times: a gap in completions there is not the drive's.
    pub(crate) fn leave_out(&mut self, from: Duration, until: Duration) {
        if self.ours.len() == PAUSES {
            self.ours.pop_front();
        }
        self.ours.push_back(Stall {
            at: from,
            took: until.saturating_sub(from),
        });
    }

    fn count_one(&mut self, stall: Stall) {
        self.count += 1;
        self.longest = self.longest.max(stall.took);
        self.total += stall.took;
        if self.first.len() < KEPT {
            self.first.push(stall);
        }
    }

    /// Adds those of the remainder of the same phase, run later.
    pub(crate) fn append(&mut self, rest: &Stalls, later: Duration) {
        self.count = self.count.saturating_add(rest.count);
        self.longest = self.longest.max(rest.longest);
        self.total = self.total.saturating_add(rest.total);
        let room = KEPT.saturating_sub(self.first.len());
        self.first
            .extend(rest.first.iter().take(room).map(|stall| Stall {
                at: stall.at.saturating_add(later),
                ..*stall
            }));
    }

    /// The stalls of two rings that worked in parallel: the job is stalled when both are. Beyond the individually kept
    /// stalls nothing is known, and none is counted.
    pub(crate) fn beside(&mut self, other: &Stalls) {
        let (mut mine, mut theirs) = (self.first.iter().peekable(), other.first.iter().peekable());
        let mut both = Stalls::default();
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            if let Some(stall) = a.with(b) {
                both.count_one(stall);
            }
            if a.end() <= b.end() {
                mine.next();
            } else {
                theirs.next();
            }
        }
        *self = both;
    }

    /// True where the job never stood still.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// I/Os by submission and completion time, in this order.
    fn of(ios: &[(u64, u64)]) -> Stalls {
        let mut stalls = Stalls::default();
        for (sent, at) in ios {
            stalls.keep(MS(*at), MS(at - sent));
        }
        stalls.settle();
        stalls
    }

    #[test]
    fn all_that_falls_into_a_standstill_is_one_stall() {
        let mut ios: Vec<(u64, u64)> = (0..200).map(|i| (5 * i, 5 * i + 1)).collect();
        // The drive stops from 1,000 to 2,000 ms, and again from 4,000 to 4,150.
        ios.extend((200..400).map(|i| (5 * i, 2_000)));
        ios.extend((400..800).map(|i| (5 * i, 5 * i + 1)));
        ios.extend((800..830).map(|i| (5 * i, 4_150)));
        let stalls = of(&ios);
        assert_eq!((stalls.count, stalls.longest), (2, MS(1_000)));
        assert_eq!(stalls.total, MS(1_150));
        let second = Stall {
            at: MS(4_000),
            took: MS(150),
        };
        assert_eq!(stalls.first[1], second);
    }

    #[test]
    fn the_order_in_which_those_that_waited_come_back_does_not_matter() {
        let mut ios = vec![(0, 1)];
        ios.extend((2..100).rev().map(|i| (5 * i, 500)));
        let stalls = of(&ios);
        assert_eq!((stalls.count, stalls.longest), (1, MS(490)));
    }

    #[test]
    fn a_rest_of_the_host_and_a_deep_queue_that_moves_on_are_no_stalls() {
        assert!(of(&[(0, 1), (900, 901), (2_000, 2_001)]).is_empty());
        let deep: Vec<(u64, u64)> = (0..1_000).map(|i| (8 * i, 8 * i + 256)).collect();
        // But for the beginning, where nothing came back yet.
        assert_eq!(of(&deep).count, 1);
        assert_eq!(of(&deep).longest, MS(256));
    }

    #[test]
    fn a_pause_of_the_program_is_no_standstill_and_hides_none() {
        let mut stalls = Stalls::default();
        let come_back = |stalls: &mut Stalls, sent, at| stalls.keep(MS(at), MS(at - sent));
        come_back(&mut stalls, 0, 10);
        // The program stands still for three seconds, the drive does not.
        stalls.leave_out(MS(20), MS(3_015));
        come_back(&mut stalls, 11, 3_015);
        // The drive stands still for three seconds, the program for 60 ms of them.
        stalls.leave_out(MS(4_000), MS(4_060));
        come_back(&mut stalls, 3_020, 6_020);
        stalls.settle();
        assert_eq!((stalls.count, stalls.longest), (1, MS(2_940)));
    }

    #[test]
    fn rings_side_by_side_stall_together_and_what_is_run_later_is_added() {
        let one = of(&[(0, 300), (300, 301), (301, 700)]);
        assert_eq!(one.count, 2);
        let mut both = one.clone();
        // The other ring goes on through the first stall, and stops in the middle of the second.
        both.beside(&of(&[
            (0, 90),
            (90, 180),
            (180, 260),
            (350, 351),
            (500, 900),
        ]));
        assert_eq!((both.count, both.longest), (1, MS(200)));
        let mut twice = one.clone();
        twice.append(&one, MS(1_000));
        assert_eq!((twice.count, twice.first[2].at), (4, MS(1_000)));
    }
}
