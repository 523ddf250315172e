//! One command at a time over one or several controllers, each with its own log blocks.
//!
//! A write's data go straight to the chips' registers: the next command is taken while they are
//! programmed, but its data are not before they are. A read waits for that, too. A write that ends
//! inside a page leaves the page's beginning in the registers, where the next write may continue
//! with it: so data in order are in order wherever they begin.
//!
//! Behind a write comes the program of its pages beside the transfer of the next ones, as long as writes follow
//! writes. A read between them ends that: the registers are emptied for it, and of the next write each page is moved
//! and programmed before the next one is. So a copy within the drive takes several times what its reads and its writes
//! take apart.

use std::collections::VecDeque;

use base::io::{Io, Op};
use base::size::Bytes;
use base::target::Info;
use base::time::{Duration, Instant};
use base::workload::Span;

use super::ftl::{Ftl, LogBlocks, Work};
use crate::interface::link::{Link, LinkTimes};
use crate::one_at_a_time::Serve;
use crate::sheet::quantity::{Count, Kibibytes, MegabytesPerSecond, Microseconds, Milliseconds};
use crate::sheet::table::parameters;

parameters! {
    /// A block-mapped drive as its file describes it.
    #[derive(Clone, Copy, Debug)]
    pub BlockMappedFlash from BlockMappedConfig ["block_mapped"] {
        /// Controllers behind a RAID-0 chip; one without it.
        halves "halves": Count("controllers") in 1..=8;
        /// Bytes of a stripe on one of them.
        stripe "stripe_kib": Kibibytes in 1..=4_096;
        /// Commands that it takes at once, and serves in order.
        queue "queue": Count("commands") in 1..=32;
        /// From a command's arrival until the flash is asked.
        command "command_us": Microseconds in 0.0..=1_000_000.0;
        /// Bytes of the controller's page.
        page "page_kib": Kibibytes in 1..=256;
        /// Pages of a block.
        pages_a_block "pages_a_block": Count in 2..=128;
        /// Cells to register.
        read "read_us": Microseconds in 0.0..=1_000_000.0;
        /// Reading, of one controller.
        read_rate "read_mb_s": MegabytesPerSecond in 1.0..=1_000.0;
        /// A page that is written out of order, alone.
        program "program_us": Microseconds in 0.0..=1_000_000.0;
        /// Writing page after page, of one controller.
        write_rate "write_mb_s": MegabytesPerSecond in 1.0..=1_000.0;
        /// A page, copied by a merge.
        copy "copy_us": Microseconds("us a page") in 0.0..=1_000_000.0;
        /// A block, erased.
        erase "erase_us": Microseconds in 0.0..=1_000_000.0;
        /// Log blocks.
        log_blocks "log_blocks": Count in 1..=10_000;
        /// Pages of a log block that out-of-order writes can use.
        usable_pages "usable_pages": Count("a log block") in 1..=128;
        /// One merge in so long a rest.
        idle_merge "idle_merge_ms": Milliseconds in 0.001..=1_000_000.0;
    }
}

/// What makes such a drive.
#[derive(Clone, Copy, Debug)]
pub struct BlockMappedParameters {
    /// Bytes that the host can address.
    pub capacity: Bytes,
    /// Commands that it takes at once, and serves in order.
    pub queue: u32,
    pub link: LinkTimes,
    /// What each controller and its flash take.
    pub flash: BlockMappedFlash,
    /// The layout of one controller's part.
    pub layout: LogBlocks,
}

impl BlockMappedParameters {
    /// What the drive says of itself.
    pub fn info(&self) -> Info {
        Info {
            capacity: self.capacity,
            block: Bytes::SECTOR,
            max_in_flight: self.queue,
            writable: true,
        }
    }
}

/// A controller with its flash.
#[derive(Clone, Debug)]
struct Half {
    ftl: Ftl,
    /// Until when its flash is busy.
    free: Instant,
    /// Where a write ended inside a page that is not programmed yet.
    open: Option<u64>,
    /// What was taken and not programmed yet: from, to, and when it will be.
    unprogrammed: VecDeque<(u64, u64, Instant)>,
}

/// What the drive has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Merges that the host waited for.
    pub merges: u64,
    /// Pages that they copied.
    pub copies: u64,
    /// Pages programmed for the host.
    pub programs: u64,
}

/// A block-mapped drive.
#[derive(Clone, Debug)]
pub struct BlockMapped {
    p: BlockMappedParameters,
    link: Link,
    halves: Vec<Half>,
    last_active: Instant,
    /// The last command was a read: the next write finds no program to go on beside.
    turned: bool,
    lost: Vec<Span>,
    done: Done,
}

impl BlockMapped {
    /// An empty drive.
    pub fn new(p: BlockMappedParameters) -> BlockMapped {
        let half = Half {
            ftl: Ftl::new(p.layout),
            free: Instant::ZERO,
            open: None,
            unprogrammed: VecDeque::new(),
        };
        BlockMapped {
            link: Link::new(p.link),
            halves: vec![half; p.flash.halves as usize],
            last_active: Instant::ZERO,
            turned: false,
            lost: Vec::new(),
            done: Done::default(),
            p,
        }
    }

    /// What it has done so far.
    pub fn done(&self) -> Done {
        self.done
    }

    /// Free log blocks of a controller.
    #[cfg(test)]
    pub fn free_logs(&self, half: usize) -> u32 {
        self.halves[half].ftl.free()
    }

    /// Changes each controller's tables, for a constructed state.
    pub(super) fn prepare(&mut self, change: impl Fn(&mut Ftl)) {
        self.halves
            .iter_mut()
            .for_each(|half| change(&mut half.ftl));
    }

    /// The part of a range that a controller has: its first byte there, and its length.
    /// Neighbouring stripes of one controller are one behind the other.
    fn part(&self, half: u64, offset: u64, len: u64) -> (u64, u64) {
        let (stripe, count) = (self.p.flash.stripe, u64::from(self.p.flash.halves));
        if count == 1 {
            return (offset, len);
        }
        // Bytes of this controller before a place of the drive.
        let before = |at: u64| {
            let (round, rest) = (at / (stripe * count), at % (stripe * count));
            round * stripe + rest.saturating_sub(half * stripe).min(stripe)
        };
        let from = before(offset);
        (from, before(offset + len) - from)
    }

    /// A read: every controller that has a part delivers it after its flash is free.
    fn read(&mut self, asked: Instant, io: &Io) -> Instant {
        let mut first = None;
        let mut last = asked;
        for number in 0..self.halves.len() {
            let (from, len) = self.part(number as u64, io.offset.get(), io.len.get());
            if len == 0 {
                continue;
            }
            let half = &mut self.halves[number];
            let written = half.ftl.is_written(from / self.p.flash.page);
            let cells = if written {
                self.p.flash.read
            } else {
                Duration::ZERO
            };
            let begin = asked.max(half.free) + cells;
            let end = begin + self.p.flash.read_rate.time_for(Bytes::new(len));
            half.free = end;
            first = Some(first.map_or(begin, |first: Instant| first.min(begin)));
            last = last.max(end);
        }
        let link = self.link.to_host(first.unwrap_or(asked), io.len, false);
        link.max(last) + self.p.link.status
    }

    /// A write: its data are taken when the registers of every controller concerned are free, and a
    /// log block for them, too.
    fn write(&mut self, asked: Instant, io: &Io) -> Instant {
        let mut begin = asked;
        for number in 0..self.halves.len() {
            let (from, len) = self.part(number as u64, io.offset.get(), io.len.get());
            if len == 0 {
                continue;
            }
            let closed = self.open_part(number);
            let goes_on = closed.is_some_and(|(_, end)| end == from);
            let (before, programs) = self.write_part(number, from, len);
            let begin_of_page = self.open_part(number);
            let half = &mut self.halves[number];
            let taken = asked.max(half.free) + before;
            half.free = taken + programs;
            half.unprogrammed.retain(|(_, _, safe)| *safe > asked);
            let mut first = from;
            match closed {
                Some((start, _)) if goes_on => first = start,
                Some((start, end)) => half.unprogrammed.push_back((start, end, taken)),
                None => {}
            }
            let last = begin_of_page.map_or(from + len, |(start, _)| start);
            half.unprogrammed.push_back((first, last, half.free));
            begin = begin.max(taken);
        }
        self.link.to_drive(begin, io.len) + self.p.link.status
    }

    /// What a controller's flash does for its part of a write, before it takes the data and after.
    fn write_part(&mut self, number: usize, from: u64, len: u64) -> (Duration, Duration) {
        let page = self.p.flash.page;
        let end = from + len;
        let goes_on = self.halves[number].open == Some(from);
        let (mut before, mut after) = (Duration::ZERO, Duration::ZERO);
        if !goes_on {
            before = self.close(number);
        }
        self.halves[number].open = None;
        let (first, last) = (from / page, end / page);
        if last > first && !end.is_multiple_of(page) {
            // The beginning of the last page waits for what comes next.
            self.halves[number].open = Some(end);
        }
        let to = if self.halves[number].open.is_some() {
            last
        } else {
            end.div_ceil(page)
        };
        let whole = goes_on || from.is_multiple_of(page);
        let parts = u64::from(!whole && self.is_written(number, first))
            + u64::from(to * page > end && whole && self.is_written(number, to - 1));
        after += self.fill() * parts;
        let (merge, programs) = self.program(number, first, to - first);
        (before + merge, after + programs)
    }

    /// What waits for the rest of its page: from and to, on the controller.
    fn open_part(&self, number: usize) -> Option<(u64, u64)> {
        let end = self.halves[number].open?;
        Some((end / self.p.flash.page * self.p.flash.page, end))
    }

    /// Bytes of a controller as ranges of the drive, a stripe each.
    fn of_the_drive(&self, half: u64, from: u64, end: u64) -> impl Iterator<Item = Span> {
        let (stripe, count) = (self.p.flash.stripe, u64::from(self.p.flash.halves));
        (from / stripe..end.div_ceil(stripe)).map(move |row| {
            let (start, stop) = (from.max(row * stripe), end.min((row + 1) * stripe));
            let at = row * stripe * count + half * stripe + start % stripe;
            Span::new(Bytes::new(at), Bytes::new(stop - start))
        })
    }

    /// What a power cut at a given time takes of the data that were acknowledged.
    fn volatile(&self, at: Instant) -> Vec<Span> {
        let mut lost = Vec::new();
        for (number, half) in self.halves.iter().enumerate() {
            let waiting = half.unprogrammed.iter().filter(|(_, _, safe)| *safe > at);
            let waiting = waiting.map(|(from, end, _)| (*from, *end));
            for (from, end) in waiting.chain(self.open_part(number)) {
                lost.extend(self.of_the_drive(number as u64, from, end));
            }
        }
        lost.sort_unstable_by_key(|span| span.start);
        lost
    }

    /// Programs a page whose rest did not come; what that takes.
    fn close(&mut self, number: usize) -> Duration {
        let Some(end) = self.halves[number].open.take() else {
            return Duration::ZERO;
        };
        let page = end / self.p.flash.page;
        let fill = if self.is_written(number, page) {
            self.fill()
        } else {
            Duration::ZERO
        };
        let (merge, programs) = self.program(number, page, 1);
        fill + merge + programs
    }

    fn is_written(&self, number: usize, page: u64) -> bool {
        self.halves[number].ftl.is_written(page)
    }

    /// Reading what a page has beside what was written to it.
    fn fill(&self) -> Duration {
        self.p.flash.read
            + self
                .p
                .flash
                .read_rate
                .time_for(Bytes::new(self.p.flash.page))
    }

    /// Pages are programmed: the merges for them, and the programs.
    fn program(&mut self, number: usize, first: u64, count: u64) -> (Duration, Duration) {
        let work = self.halves[number].ftl.write(first, count);
        self.count(&work);
        let flash = &self.p.flash;
        let page = flash.write_rate.time_for(Bytes::new(flash.page));
        let pages = u64::from(work.programs);
        let programs = if self.turned {
            (page + flash.program) * pages
        } else if work.loose {
            (page * pages).max(flash.program)
        } else {
            page * pages
        };
        let merge = self.p.flash.copy * u64::from(work.copies)
            + self.p.flash.erase * u64::from(work.erases);
        (merge, programs)
    }

    fn count(&mut self, work: &Work) {
        self.done.merges += u64::from(work.merges);
        self.done.copies += u64::from(work.copies);
        self.done.programs += u64::from(work.programs);
    }

    /// When all flash is at rest, with nothing left in registers.
    fn at_rest(&mut self, asked: Instant) -> Instant {
        let mut at = asked;
        for number in 0..self.halves.len() {
            let closed = self.open_part(number);
            let time = self.close(number);
            let half = &mut self.halves[number];
            if !time.is_zero() {
                half.free = asked.max(half.free) + time;
            }
            let closed = closed.map(|(start, end)| (start, end, half.free));
            half.unprogrammed.extend(closed);
            at = at.max(half.free);
        }
        at
    }
}

impl Serve for BlockMapped {
    fn info(&self) -> Info {
        self.p.info()
    }

    fn serve(&mut self, now: Instant, io: &Io) -> Instant {
        let rested = now.since(self.last_active.min(now));
        self.halves
            .iter_mut()
            .for_each(|half| half.ftl.rest(rested));
        let asked = self.link.command(now) + self.p.flash.command;
        let end = match io.op {
            Op::Read => self.read(asked, io),
            Op::Write if io.durable => {
                let written = self.write(asked, io);
                written.max(self.at_rest(asked))
            }
            Op::Write => self.write(asked, io),
            // It knows no TRIM.
            Op::Trim => self.link.status(asked),
            Op::Flush => self.at_rest(asked) + self.p.link.status,
        };
        self.last_active = end;
        self.turned = io.op == Op::Read;
        end
    }

    fn refuse(&mut self, now: Instant) -> Instant {
        let at = self.link.command(now);
        self.link.status(at)
    }

    fn power_cut(&mut self, at: Instant) {
        self.lost = self.volatile(at);
        self.link = Link::new(self.p.link);
        for half in &mut self.halves {
            half.free = at;
            half.open = None;
            half.unprogrammed.clear();
        }
        self.last_active = at;
    }

    fn lost(&self) -> Vec<Span> {
        self.lost.clone()
    }

    fn at_risk(&self, at: Instant, span: Span) -> Vec<Span> {
        let all = self.volatile(at).into_iter();
        all.filter_map(|part| part.within(span)).collect()
    }
}
