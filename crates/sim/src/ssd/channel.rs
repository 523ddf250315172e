//! A channel: the bus between the controller and its dies, one flash page at a time.
//!
//! Who comes first is served first; a program that has several flash pages to move asks for one at a
//! time, so that a reading waits for a page and not for a program. As long as nobody else asks, the
//! pages of a program follow each other, and their times are known: they are taken as one *burst*
//! with one event at its end, and cut at a page's border when somebody asks meanwhile. That changes
//! no time at all; it saves the events.

use base::time::{Duration, Instant};

use super::drive::Drive;
use super::ops::Stage;

/// Several flash pages of one program, one behind the other.
#[derive(Clone, Copy, Debug)]
struct Burst {
    op: u32,
    begin: Instant,
    page: Duration,
    pages: u16,
}

/// A channel and how far it is taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    free: Instant,
    burst: Option<Burst>,
}

impl Channel {
    /// Idle from a moment on.
    pub(super) fn idle(from: Instant) -> Channel {
        Channel {
            free: from,
            burst: None,
        }
    }
}

impl Drive {
    /// A die's channel moves pages for an operation; gives the end.
    #[inline]
    pub(super) fn use_channel(
        &mut self,
        now: Instant,
        number: u32,
        die: u32,
        pages: u32,
    ) -> Instant {
        let channel = self.t.layout.channel(die) as usize;
        if self.channels[channel].burst.is_some() {
            self.cut_burst(now, number, channel);
        }
        let channel = &mut self.channels[channel];
        channel.free = now.max(channel.free) + self.bus_times[pages as usize];
        channel.free
    }

    /// A program moves its flash pages, all that are left where nobody else has the channel; gives
    /// the end of what it moves.
    pub(super) fn use_channel_for_program(&mut self, now: Instant, number: u32) -> Instant {
        let op = *self.ops.get(number);
        let pages = self.t.layout.geometry().flash_page_pages();
        let channel = self.t.layout.channel(u32::from(op.die)) as usize;
        let taken = &mut self.channels[channel];
        if op.left < 2 || taken.burst.is_some() || taken.free > now {
            return self.use_channel(now, number, u32::from(op.die), pages);
        }
        let page = self.bus_times[pages as usize];
        taken.burst = Some(Burst {
            op: number,
            begin: now,
            page,
            pages: op.left,
        });
        taken.free = now + page * u64::from(op.left);
        taken.free
    }

    /// A program's flash page, or a burst of them, has passed the channel; gives how many are left.
    pub(super) fn passed_channel(&mut self, number: u32) -> u16 {
        let op = self.ops.get_mut(number);
        let channel = self.t.layout.channel(u32::from(op.die)) as usize;
        let burst = &mut self.channels[channel].burst;
        op.left -= match burst {
            Some(its) if its.op == number => burst.take().map_or(1, |burst| burst.pages),
            _ => 1,
        };
        op.left
    }

    /// Somebody else asks for the channel in the middle of a burst: the page that is under way is
    /// moved to its end, the others are asked for one by one.
    #[cold]
    fn cut_burst(&mut self, now: Instant, number: u32, channel: usize) {
        let Some(burst) = self.channels[channel].burst.take() else {
            return;
        };
        let page = burst.page.as_nanos().max(1);
        let since = now.since(burst.begin).as_nanos();
        // At a border the lower number is served first, as for all that happens at one moment.
        let at_border = since > 0 && since.is_multiple_of(page);
        let waits = at_border && number < burst.op;
        let moved = (since / page - u64::from(waits)).min(u64::from(burst.pages) - 1);
        let end = burst.begin + burst.page * (moved + 1);
        let op = self.ops.get_mut(burst.op);
        op.left = burst.pages - moved as u16;
        op.stage = Stage::ProgramBus;
        self.channels[channel].free = end;
        self.set(burst.op, end);
    }
}
