//! RAID 0: several drives side by side, cut into stripes.
//!
//! A driver cuts each access at the stripe units ([`super::stripe`]) and sends what belongs to one
//! member there as one command; the access is complete when the last of its parts is. So long
//! accesses gain from every member, and short ones only where there are several at once. A member
//! that takes no more commands lets its parts wait in its own line; the others continue. A flush
//! goes to all members, a trim to those it touches. What a power cut loses on a member is lost in
//! the array.
//!
//! Parameter: the stripe unit, 128 KiB where nothing is said, as Intel's driver proposes for RAID 0
//! (64 KiB and 16 KiB are met too).

use std::collections::VecDeque;

use super::stripe::{NoStripe, Stripe};
use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{Info, Outcome, Tag};
use base::time::Instant;
use base::workload::Span;

use crate::model::{Finished, Model, WriteCaching};

/// The stripe unit where nothing is said.
pub const USUAL_STRIPE: Bytes = Bytes::kib(128);

/// One drive of the array.
#[derive(Debug)]
struct Member<M> {
    drive: M,
    /// Tags of the drive that are free, and the access behind each of them.
    free: Vec<u32>,
    access_of: Vec<u32>,
    /// Parts that the drive does not take yet.
    waiting: VecDeque<(u32, Io)>,
    hinted: Vec<Io>,
}

/// An access whose parts are on their way.
#[derive(Clone, Copy, Debug)]
struct Access {
    parts_left: u32,
    outcome: Outcome,
}

/// Drives as one.
#[derive(Debug)]
pub struct Raid0<M> {
    members: Vec<Member<M>>,
    stripe: Stripe,
    info: Info,
    accesses: Vec<Access>,
    finished: Vec<Finished>,
}

impl<M: Model> Raid0<M> {
    /// An array of these drives.
    ///
    /// # Errors
    /// Fewer than two drives, or a stripe unit that is not a whole number of their blocks or larger
    /// than one of them.
    pub fn new(drives: Vec<M>, unit: Bytes) -> Result<Raid0<M>, NoStripe> {
        let stripe = Stripe::new(unit, drives.len())?;
        let infos: Vec<Info> = drives.iter().map(Model::info).collect();
        let block = infos.iter().map(|i| i.block).max().unwrap_or(Bytes::SECTOR);
        if !unit.is_multiple_of(block) {
            let members = drives.len();
            return Err(NoStripe { unit, members });
        }
        let smallest = infos.iter().map(|i| i.capacity).min().unwrap_or_default();
        if unit > smallest {
            let members = drives.len();
            return Err(NoStripe { unit, members });
        }
        let max_in_flight = infos.iter().map(|i| i.max_in_flight).sum();
        let idle = Access {
            parts_left: 0,
            outcome: Outcome::Complete,
        };
        Ok(Raid0 {
            members: drives.into_iter().map(Member::new).collect(),
            stripe,
            info: Info {
                capacity: stripe.capacity(smallest),
                block,
                max_in_flight,
                writable: infos.iter().all(|i| i.writable),
            },
            accesses: vec![idle; max_in_flight as usize],
            finished: Vec::new(),
        })
    }

    /// The member where something happens first, and when; the lower one at equal times.
    fn first(&self) -> Option<(Instant, usize)> {
        let times = self.members.iter().enumerate();
        times
            .filter_map(|(i, member)| Some((member.drive.next()?, i)))
            .min()
    }
}

impl<M: Model> Member<M> {
    fn new(drive: M) -> Member<M> {
        let depth = drive.info().max_in_flight;
        Member {
            drive,
            free: (0..depth).rev().collect(),
            access_of: vec![0; depth as usize],
            waiting: VecDeque::new(),
            hinted: Vec::new(),
        }
    }

    /// A part arrives.
    fn take(&mut self, now: Instant, access: u32, part: Io) {
        match self.free.pop() {
            Some(tag) => self.send(now, tag, access, &part),
            None => self.waiting.push_back((access, part)),
        }
    }

    fn send(&mut self, now: Instant, tag: u32, access: u32, part: &Io) {
        self.access_of[tag as usize] = access;
        self.drive.start(now, Tag(tag), part);
    }

    /// The drive has finished a part: gives the access that it belongs to.
    fn finish(&mut self, finished: &Finished) -> u32 {
        let tag = finished.tag.0;
        let access = self.access_of[tag as usize];
        match self.waiting.pop_front() {
            Some((next, part)) => self.send(finished.at, tag, next, &part),
            None => self.free.push(tag),
        }
        access
    }
}

impl<M: Model> Model for Raid0<M> {
    fn info(&self) -> Info {
        self.info
    }

    fn hint(&mut self, upcoming: &[Io]) {
        for io in upcoming.iter().filter(|io| io.op != Op::Flush) {
            for part in self.stripe.parts(io.offset, io.len) {
                self.members[part.member].hinted.push(Io {
                    offset: part.offset,
                    len: part.len,
                    ..*io
                });
            }
        }
        for member in &mut self.members {
            member.drive.hint(&member.hinted);
            member.hinted.clear();
        }
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        let access = &mut self.accesses[tag.0 as usize];
        access.outcome = Outcome::Complete;
        if io.op == Op::Flush {
            access.parts_left = self.members.len() as u32;
            for member in &mut self.members {
                member.take(now, tag.0, *io);
            }
            return;
        }
        access.parts_left = 0;
        for part in self.stripe.parts(io.offset, io.len) {
            access.parts_left += 1;
            let io = Io {
                offset: part.offset,
                len: part.len,
                ..*io
            };
            self.members[part.member].take(now, tag.0, io);
        }
    }

    fn next(&self) -> Option<Instant> {
        self.first().map(|(at, _)| at)
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let Some((_, first)) = self.first() else {
            return;
        };
        let member = &mut self.members[first];
        member.drive.step(&mut self.finished);
        for finished in self.finished.drain(..) {
            let tag = member.finish(&finished);
            let access = &mut self.accesses[tag as usize];
            access.parts_left -= 1;
            if access.outcome == Outcome::Complete {
                access.outcome = outcome_of_whole(finished.outcome);
            }
            if access.parts_left == 0 {
                done.push(Finished {
                    tag: Tag(tag),
                    at: finished.at,
                    outcome: access.outcome,
                });
            }
        }
    }

    fn power_cut(&mut self, at: Instant) {
        for member in &mut self.members {
            member.waiting.clear();
            member.free = (0..member.access_of.len() as u32).rev().collect();
            member.drive.power_cut(at);
        }
    }

    fn at_risk(&mut self, at: Instant, span: Span) -> Vec<Span> {
        let mut found = Vec::new();
        for part in self.stripe.parts(span.start, span.len) {
            let of_member = Span::new(part.offset, part.len);
            for lost in self.members[part.member].drive.at_risk(at, of_member) {
                let ranges = self.stripe.ranges(part.member, lost.start, lost.len);
                found.extend(ranges.map(|(start, len)| Span::new(start, len)));
            }
        }
        found.sort_unstable_by_key(|span: &Span| span.start);
        found
    }

    fn honours_flushes(&self) -> bool {
        let mut members = self.members.iter();
        members.all(|member| member.drive.honours_flushes())
    }

    fn write_caching(&self) -> WriteCaching {
        let members = (self.members.iter()).map(|member| member.drive.write_caching());
        members.fold(WriteCaching::Through, WriteCaching::and)
    }

    fn lost(&self) -> Vec<Span> {
        let members = self.members.iter().enumerate();
        let mut lost: Vec<Span> = members
            .flat_map(|(i, member)| member.drive.lost().into_iter().map(move |span| (i, span)))
            .flat_map(|(i, span)| self.stripe.ranges(i, span.start, span.len))
            .map(|(start, len)| Span::new(start, len))
            .collect();
        lost.sort_unstable_by_key(|span| span.start);
        lost
    }
}

/// A part that moved less than it should leaves a hole in the access: nothing of it can be counted
/// from the front, so it has failed with EIO.
fn outcome_of_whole(part: Outcome) -> Outcome {
    match part {
        Outcome::Short(_) => Outcome::Failed(base::fault::EIO),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::tests::even::{Even, drain};
    use base::time::Duration;

    const KIB64: Bytes = Bytes::kib(64);

    fn pair() -> Raid0<Even> {
        let drive = |mib| Even::new(Bytes::mib(mib), Duration::from_micros(100));
        Raid0::new(vec![drive(8), drive(16)], KIB64).unwrap()
    }

    fn read(kib: u64, len: u64) -> Io {
        Io::read(Bytes::kib(kib), Bytes::kib(len))
    }

    #[test]
    fn a_long_access_is_one_command_a_member_and_ends_with_the_last_of_them() {
        let mut raid = pair();
        assert_eq!(raid.info().capacity, Bytes::mib(16));
        raid.start(Instant::ZERO, Tag(3), &read(32, 256));
        raid.members[1].drive.under_way[0].0 += Duration::from_micros(50);
        let done = drain(&mut raid);
        assert_eq!(done.len(), 1);
        assert_eq!((done[0].tag, done[0].at.as_nanos()), (Tag(3), 150_000));
        // Units 0 to 4, the first and last of them half.
        assert_eq!(raid.members[0].drive.started, [read(32, 128)]);
        assert_eq!(raid.members[1].drive.started, [read(0, 128)]);
    }

    #[test]
    fn short_accesses_keep_both_members_at_work() {
        let mut raid = pair();
        for tag in 0..64 {
            raid.start(Instant::ZERO, Tag(tag), &read(u64::from(tag) * 64, 4));
        }
        let done = drain(&mut raid);
        assert_eq!(done.last().unwrap().at.as_nanos(), 100_000);
        assert!(raid.members.iter().all(|m| m.drive.most == 32));
    }

    #[test]
    fn a_full_member_lets_its_parts_wait() {
        let mut raid = pair();
        for tag in 0..40 {
            raid.start(Instant::ZERO, Tag(tag), &read(128 * u64::from(tag), 4));
        }
        let done = drain(&mut raid);
        assert_eq!(done.len(), 40);
        assert_eq!(done.last().unwrap().at.as_nanos(), 200_000);
        assert!(raid.members[1].drive.started.is_empty());
    }

    #[test]
    fn a_flush_goes_to_all_and_a_hint_to_who_is_concerned() {
        let mut raid = pair();
        raid.hint(&[read(64, 4), Io::flush()]);
        assert_eq!(raid.members[1].drive.hinted, [read(0, 4)]);
        assert!(raid.members[0].drive.hinted.is_empty());
        raid.start(Instant::ZERO, Tag(0), &Io::flush());
        assert_eq!(drain(&mut raid).len(), 1);
        assert!(
            raid.members
                .iter()
                .all(|m| m.drive.started == [Io::flush()])
        );
    }

    #[test]
    fn one_failed_part_fails_the_access() {
        let mut raid = pair();
        raid.members[0].drive.outcome = Outcome::Short(Bytes::SECTOR);
        raid.start(Instant::ZERO, Tag(0), &read(0, 128));
        assert_eq!(drain(&mut raid)[0].outcome, Outcome::Failed(5));
    }

    #[test]
    fn what_members_lose_is_lost_where_it_lies_in_the_array() {
        let mut raid = pair();
        raid.start(Instant::ZERO, Tag(0), &read(0, 128));
        raid.members[1].drive.volatile = vec![Span::new(Bytes::kib(60), Bytes::kib(8))];
        raid.power_cut(Instant::ZERO);
        assert_eq!(raid.next(), None);
        let kib = |start, len| Span::new(Bytes::kib(start), Bytes::kib(len));
        assert_eq!(raid.lost(), [kib(124, 4), kib(192, 4)]);
        // And it works on, with all its tags.
        raid.start(Instant::ZERO, Tag(0), &read(0, 128));
        assert_eq!(drain(&mut raid).len(), 1);
    }

    #[test]
    fn a_stripe_of_half_blocks_is_refused() {
        let drive = || Even::new(Bytes::mib(8), Duration::from_micros(1));
        assert!(Raid0::new(vec![drive(), drive()], Bytes::new(700)).is_err());
        assert!(Raid0::new(vec![drive()], KIB64).is_err());
    }
}
