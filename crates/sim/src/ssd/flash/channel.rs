//! A channel: the bus between the controller and its dies, one flash page at a time.
//!
//! Who asks first is served first, at equal times the lower operation; a program that has several
//! flash pages to move asks for one at a time, so that a reading waits for a page and not for a
//! program. When a die will have read a page is known as soon as it has accepted the reading, and
//! when a program's data will be there as soon as the controller's path has. So they stand in the
//! channel's *line* from then on, in the order of the times at which each will ask, and only the
//! end of the transfer at the head of the line is an event: one a reading, not one when it asks and
//! another when it is moved. The pages of a program follow each other as long as no other
//! operation waits: they are one *burst*, which ends at a page boundary once one does. Neither
//! changes any time; both save events.

use std::collections::VecDeque;

use base::time::{Duration, Instant};

use super::Flash;
use crate::agenda::Head;
use crate::ssd::operations::Op;

/// Places at the end of a line that are looked at one by one, before those ahead are halved.
const LAST_PLACES: usize = 4;

/// Somebody in line.
#[derive(Clone, Copy, Debug)]
struct Asker {
    /// When it asks: later than now where its die is still reading.
    at: Instant,
    op: u32,
    /// What each of its flash pages takes.
    page: Duration,
    /// Flash pages, several of a program only.
    pages: u16,
}

impl Asker {
    /// The order of service.
    fn turn(&self) -> (Instant, u32) {
        (self.at, self.op)
    }
}

/// A channel and the operations that wait for it.
#[derive(Clone, Debug, Default)]
pub(in crate::ssd) struct Channel {
    /// The end of the last transfer that has ended.
    free: Instant,
    line: VecDeque<Asker>,
}

impl Channel {
    /// Idle from a given time on.
    pub(in crate::ssd) fn idle(from: Instant) -> Channel {
        Channel {
            free: from,
            line: VecDeque::new(),
        }
    }

    /// Stands in line; true where that changes what happens at the head of it.
    #[inline]
    fn join(&mut self, asker: Asker) -> bool {
        let place = match self.line.back() {
            Some(last) if last.turn() > asker.turn() => self.push_in(asker),
            _ => {
                self.line.push_back(asker);
                self.line.len() - 1
            }
        };
        place == 0 || (place == 1 && self.line[0].pages > 1)
    }

    /// Stands in line before the last one; gives its place.
    fn push_in(&mut self, asker: Asker) -> usize {
        let place = self.place(&asker);
        self.line.insert(place, asker);
        place
    }

    /// Its place in line: most ask later than nearly all others.
    #[inline]
    fn place(&self, asker: &Asker) -> usize {
        let mut place = self.line.len();
        let looked_through = place.saturating_sub(LAST_PLACES);
        while place > 0 && self.line[place - 1].turn() > asker.turn() {
            if place == looked_through {
                let before = |other: &Asker| other.turn() <= asker.turn();
                return self.line.partition_point(before);
            }
            place -= 1;
        }
        place
    }

    /// The operation at the head of the line, and when its transfer ends.
    #[inline(always)]
    fn head(&self) -> Option<(u32, Instant)> {
        let head = self.line.front()?;
        let begin = self.free.max(head.at);
        let pages = match head.pages {
            1 => 1,
            pages => self.burst(head, begin, u64::from(pages)),
        };
        Some((head.op, begin + head.page * pages))
    }

    /// How many of its pages a program moves before another operation is served.
    fn burst(&self, head: &Asker, begin: Instant, pages: u64) -> u64 {
        let Some(next) = self.line.get(1) else {
            return pages;
        };
        let page = head.page.as_nanos().max(1);
        let since = next.at.since(begin).as_nanos();
        if since >= pages * page {
            return pages;
        }
        // At a border the lower operation is served first, as for all that happens at one time.
        let first = since > 0 && since.is_multiple_of(page) && next.op < head.op;
        (since / page + u64::from(!first)).min(pages)
    }

    /// The transfer at the head of the line has ended; gives how many pages it moved.
    #[inline]
    fn leave(&mut self, now: Instant) -> u16 {
        let Some(head) = self.line.pop_front() else {
            return 0;
        };
        let begin = std::mem::replace(&mut self.free, now).max(head.at);
        debug_assert!(
            now >= begin + head.page,
            "a channel moves one thing at a time, and takes its time for it"
        );
        match head.pages {
            1 => 1,
            pages if now == begin + head.page * u64::from(pages) => pages,
            pages => match now
                .since(begin)
                .as_nanos()
                .checked_div(head.page.as_nanos())
            {
                Some(moved) => moved as u16,
                None => pages,
            },
        }
    }
}

impl Flash {
    /// At a given time, now or later, an operation will ask a die's channel for so many pages at
    /// once.
    #[inline(always)]
    pub(in crate::ssd) fn ask_channel(&mut self, at: Instant, number: u32, die: u32, pages: u32) {
        let page = self.bus_times[pages as usize];
        self.join_line(
            die,
            Asker {
                at,
                op: number,
                page,
                pages: 1,
            },
        );
    }

    /// At a given time, now or later, a program will ask its die's channel for the flash pages that
    /// it has left.
    pub(in crate::ssd) fn ask_channel_for_program(&mut self, at: Instant, number: u32, op: &Op) {
        let pages = self.layout.geometry().flash_page_pages();
        let page = self.bus_times[pages as usize];
        self.join_line(
            u32::from(op.die),
            Asker {
                at,
                op: number,
                page,
                pages: op.left,
            },
        );
    }

    #[inline(always)]
    fn join_line(&mut self, die: u32, asker: Asker) {
        let channel = self.layout.channel(die) as usize;
        if self.channels[channel].join(asker) {
            self.plan_channel(channel);
        }
    }

    /// The operation whose transfer ends first, and when.
    #[inline(always)]
    pub(in crate::ssd) fn first_transfer(&self) -> Head {
        self.transfers.head()
    }

    /// A transfer to or from a die has ended; gives how many flash pages it moved.
    #[inline]
    pub(in crate::ssd) fn leave_channel(&mut self, at: Instant, die: u16) -> u16 {
        let channel = self.layout.channel(u32::from(die)) as usize;
        let moved = self.channels[channel].leave(at);
        self.plan_channel(channel);
        moved
    }

    /// Notes when the transfer at the head of a line ends.
    #[inline(always)]
    fn plan_channel(&mut self, channel: usize) {
        match self.channels[channel].head() {
            Some((op, end)) => self.transfers.set_as(channel, op as usize, end),
            None => self.transfers.clear(channel),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_waiting() -> Channel {
        let mut channel = Channel::idle(Instant::ZERO);
        for op in 0..2 {
            channel.join(Asker {
                at: Instant::ZERO,
                op,
                page: Duration::from_nanos(100),
                pages: 1,
            });
        }
        channel
    }

    #[test]
    fn transfers_follow_each_other() {
        let mut channel = two_waiting();
        assert_eq!(channel.leave(Instant::from_nanos(100)), 1);
        assert_eq!(channel.head(), Some((1, Instant::from_nanos(200))));
        assert_eq!(channel.leave(Instant::from_nanos(200)), 1);
        assert_eq!(channel.head(), None);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "one thing at a time")]
    fn two_transfers_at_once_are_seen() {
        let mut channel = two_waiting();
        channel.leave(Instant::from_nanos(100));
        channel.leave(Instant::from_nanos(150));
    }
}
