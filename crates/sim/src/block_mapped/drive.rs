//! One command at a time over one or several controllers, each with its own log blocks.
//!
//! A write's data go straight to the chips' registers: the next command is taken while they are
//! programmed, but its data are not before they are. A read waits for that, too.

use base::io::{Io, Op};
use base::size::{Bytes, PicosPerByte};
use base::target::Info;
use base::time::{Duration, Instant};

use super::ftl::{Ftl, LogBlocks, Work};
use crate::one_at_a_time::Serve;
use crate::ssd::link::{Link, LinkTimes};

/// What makes such a drive.
#[derive(Clone, Copy, Debug)]
pub struct BlockMappedParameters {
    /// Bytes that the host can address.
    pub capacity: Bytes,
    /// Commands that it takes at once, and serves in order.
    pub queue: u32,
    /// The link.
    pub link: LinkTimes,
    /// Controllers behind a RAID-0 chip; one without it.
    pub halves: u32,
    /// Bytes of a stripe on one of them.
    pub stripe: u64,
    /// From a command's arrival until the flash is asked.
    pub command: Duration,
    /// Bytes of the controller's page.
    pub page: u64,
    /// Cells to register.
    pub read: Duration,
    /// Reading, of one controller.
    pub read_rate: PicosPerByte,
    /// A page that is written out of order, alone.
    pub program: Duration,
    /// Writing page after page, of one controller.
    pub write_rate: PicosPerByte,
    /// A page, copied by a merge.
    pub copy: Duration,
    /// A block, erased.
    pub erase: Duration,
    /// The layout of one controller's part.
    pub layout: LogBlocks,
}

/// A controller with its flash.
#[derive(Clone, Debug)]
struct Half {
    ftl: Ftl,
    /// Until when its flash is busy.
    free: Instant,
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
    done: Done,
}

impl BlockMapped {
    /// An empty drive.
    pub fn new(p: BlockMappedParameters) -> BlockMapped {
        let half = Half {
            ftl: Ftl::new(p.layout),
            free: Instant::ZERO,
        };
        BlockMapped {
            link: Link::new(p.link),
            halves: vec![half; p.halves as usize],
            last_active: Instant::ZERO,
            done: Done::default(),
            p,
        }
    }

    /// What it has done so far.
    pub fn done(&self) -> Done {
        self.done
    }

    /// Free log blocks of a controller.
    pub fn free_logs(&self, half: usize) -> u32 {
        self.halves[half].ftl.free()
    }

    /// Changes each controller's tables, for a constructed state.
    pub(super) fn prepare(&mut self, change: impl Fn(&mut Ftl)) {
        self.halves
            .iter_mut()
            .for_each(|half| change(&mut half.ftl));
    }

    /// The part of a range that a controller has: its first byte there, and its length. Neighbouring
    /// stripes of one controller are one behind the other.
    fn part(&self, half: u64, offset: u64, len: u64) -> (u64, u64) {
        let (stripe, count) = (self.p.stripe, u64::from(self.p.halves));
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
            let written = half.ftl.is_written(from / self.p.page);
            let cells = if written { self.p.read } else { Duration::ZERO };
            let begin = asked.max(half.free) + cells;
            let end = begin + self.p.read_rate.time_for(Bytes::new(len));
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
            let (before, programs) = self.write_part(number, from, len);
            let half = &mut self.halves[number];
            let taken = asked.max(half.free) + before;
            half.free = taken + programs;
            begin = begin.max(taken);
        }
        self.link.to_drive(begin, io.len) + self.p.link.status
    }

    /// What a controller's flash does for its part of a write, before it takes the data and after.
    fn write_part(&mut self, number: usize, from: u64, len: u64) -> (Duration, Duration) {
        let page = self.p.page;
        let (first, end) = (from / page, (from + len).div_ceil(page));
        let ftl = &mut self.halves[number].ftl;
        // A page that is covered in part needs the rest of it.
        let head = !from.is_multiple_of(page) && ftl.is_written(first);
        let tail = !(from + len).is_multiple_of(page) && ftl.is_written(end - 1);
        let parts = if end - first == 1 {
            u64::from(head || tail)
        } else {
            u64::from(head) + u64::from(tail)
        };
        let work = ftl.write(first, end - first);
        self.count(&work);
        let fill = self.p.read + self.p.read_rate.time_for(Bytes::new(page));
        let stream = self.p.write_rate.time_for(Bytes::new(page)) * u64::from(work.programs);
        let merge = self.p.copy * u64::from(work.copies) + self.p.erase * u64::from(work.erases);
        let programs = if work.loose {
            stream.max(self.p.program)
        } else {
            stream
        };
        (merge, fill * parts + programs)
    }

    fn count(&mut self, work: &Work) {
        self.done.merges += u64::from(work.merges);
        self.done.copies += u64::from(work.copies);
        self.done.programs += u64::from(work.programs);
    }

    /// When all flash is at rest.
    fn at_rest(&self, asked: Instant) -> Instant {
        self.halves.iter().fold(asked, |at, half| at.max(half.free))
    }
}

impl Serve for BlockMapped {
    fn info(&self) -> Info {
        Info {
            capacity: self.p.capacity,
            block: Bytes::SECTOR,
            max_in_flight: self.p.queue,
            writable: true,
        }
    }

    fn serve(&mut self, now: Instant, io: &Io) -> Instant {
        let rested = now.since(self.last_active.min(now));
        self.halves
            .iter_mut()
            .for_each(|half| half.ftl.rest(rested));
        let asked = self.link.command(now) + self.p.command;
        let end = match io.op {
            Op::Read => self.read(asked, io),
            Op::Write => self.write(asked, io),
            // It knows no TRIM.
            Op::Trim => self.link.status(asked),
            Op::Flush => self.at_rest(asked) + self.p.link.status,
        };
        self.last_active = end;
        end
    }

    fn refuse(&mut self, now: Instant) -> Instant {
        let at = self.link.command(now);
        self.link.status(at)
    }

    fn power_cut(&mut self, at: Instant) {
        self.link = Link::new(self.p.link);
        for half in &mut self.halves {
            half.free = at;
        }
        self.last_active = at;
    }
}
