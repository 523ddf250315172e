//! The next position in a file, and the size of the I/O there.
//!
//! Sequentially, each operation has its own position, and there may be a step between two I/Os: as in fio, the first
//! one starts at the beginning, and a step over the end of the file wraps around. A file is finished when nothing is
//! left of the region, or when the chosen I/O does not fit into the file. Strided zones work in a part of the file
//! until a number of bytes was moved, then in the part one stride further, up to the end of the file.

use base::workload::Job as Streams;
use base::workload::stream::Stream;
use base::{Bytes, Op, Order, Rng, Span, splitmix64};

use super::ranks::Ranks;
use super::sizes;
use super::visited::Visited;
use crate::job::Job;
use crate::job::zones::Strided;
use crate::layout::Region;

/// The positions of one file.
pub(super) struct Places {
    region: Region,
    /// The job has no other file.
    is_alone: bool,
    /// Nothing is left of it in this loop.
    pub(super) is_through: bool,
    way: Way,
    /// Where the last I/O of reads, writes, trims began and ended, from the region's begin.
    last: [(u64, u64); 3],
    /// Number of positions used by each.
    given: [u64; 3],
    strided: Option<Zone>,
    block: Bytes,
    seed: u64,
    /// Number of visits of every position.
    rounds: u64,
}

/// The zone that is worked in.
struct Zone {
    rule: Strided,
    start: u64,
    moved: u64,
    /// How manieth.
    number: u64,
}

enum Way {
    InOrder,
    /// Any position, each time.
    Even,
    /// Each position once: their order, and how many are left.
    Once(Box<Stream>, u64),
    /// Each block once, with I/Os of several sizes: the visited blocks, and the block size.
    Blocks(Visited, u64),
    /// By a distribution, in steps of this many bytes.
    Ranked(Box<Ranks>, u64),
}

impl Places {
    pub(super) fn new(
        job: &Job,
        region: Region,
        is_alone: bool,
        block: Bytes,
        seed: u64,
    ) -> Places {
        let strided = job.strided.map(|rule| Zone {
            rule,
            start: 0,
            moved: 0,
            number: 0,
        });
        let mut places = Places {
            region,
            is_alone,
            is_through: false,
            way: Way::InOrder,
            last: [(0, 0); 3],
            given: [0; 3],
            strided,
            block,
            seed,
            rounds: 0,
        };
        places.way = places.way_through(job);
        places
    }

    /// The last I/O was moved to this byte of the target: sequential I/Os continue from there.
    pub(super) fn moved_to(&mut self, op: Op, at: u64, size: u64) {
        let at = at.saturating_sub(self.region.start);
        self.last[op as usize] = (at, at + size);
    }

    /// From the region's begin to the end of the file.
    fn room(&self) -> u64 {
        self.region.file_end.saturating_sub(self.region.start)
    }

    /// What is worked in: the region, or its zone.
    fn part(&self, job: &Job) -> Region {
        match &self.strided {
            None => self.region,
            Some(zone) => Region {
                start: self.region.start + zone.start,
                len: zone.rule.range.max(job.largest()),
                ..self.region
            },
        }
    }

    /// The next position on the target, and its size; `None` if the file is finished.
    pub(super) fn next(&mut self, job: &Job, op: Op, rng: &mut Rng) -> Option<(u64, u64)> {
        self.change_zones(job);
        let followed = self.followed(job, op, rng);
        let at = followed.or_else(|| self.drawn(job, op, rng))?;
        let n = op as usize;
        // Zones lie in the file, whatever the size.
        let room = self.room();
        let left = match self.strided {
            Some(_) => room.saturating_sub(at),
            None => self.region.len.saturating_sub(at),
        };
        let size = match left {
            0 => None,
            left => sizes::drawn(&job.sizes[n], left, rng),
        };
        let size = size.filter(|size| at + size <= room)?;
        let size = match &mut self.way {
            Way::Blocks(visited, block) if followed.is_none() => {
                let count = visited.visit(at / *block, size.div_ceil(*block));
                size.min(count * *block)
            }
            _ => size,
        };
        self.last[n] = (at, at + size);
        self.given[n] += 1;
        if let Some(zone) = &mut self.strided {
            zone.moved += size;
        }
        Some((self.region.start + at, size))
    }

    /// For random I/O, the position after the last one if no new one is to be drawn.
    fn followed(&mut self, job: &Job, op: Op, rng: &mut Rng) -> Option<u64> {
        let (n, steps) = (op as usize, job.kind.steps);
        if !job.kind.random {
            return None;
        }
        let in_run = !self.given[n].is_multiple_of(steps.every);
        if in_run && steps.stays {
            return Some(self.last[n].0);
        }
        let in_order =
            in_run || (job.random_percent < 100 && rng.below(100) >= u64::from(job.random_percent));
        in_order.then(|| self.in_order(job, n)).flatten()
    }

    fn drawn(&mut self, job: &Job, op: Op, rng: &mut Rng) -> Option<u64> {
        let align = job.align_of(op);
        let part = self.part(job);
        let places = places(part.len, job.least_of(op), align);
        let start = part.start - self.region.start;
        if let Way::InOrder = self.way {
            return self.in_order(job, op as usize);
        }
        if places == 0 {
            return None;
        }
        let is_over = match &self.way {
            Way::Once(_, left) => *left == 0,
            Way::Blocks(visited, _) => visited.next_free(0).is_none(),
            _ => false,
        };
        if is_over {
            if !job.time_based && self.strided.is_none() {
                return None;
            }
            self.rounds += 1;
            self.way = self.way_through(job);
        }
        let within = match &mut self.way {
            Way::InOrder => 0,
            Way::Even => rng.below(places) * align,
            Way::Once(stream, left) => {
                *left -= 1;
                stream.draw().io.offset.get() - part.start
            }
            Way::Blocks(visited, block) => visited.next_free(rng.below(places))? * *block,
            Way::Ranked(ranks, step) => {
                let at = ranks.draw(op as usize, rng) * *step;
                (at - at % align).min((places - 1) * align)
            }
        };
        Some(start + within)
    }

    fn in_order(&mut self, job: &Job, n: usize) -> Option<u64> {
        let (len, at) = (self.region.len, self.last[n].1);
        let step = job.kind.steps.bytes;
        if let Some(zone) = &self.strided {
            let fresh = !(zone.start..zone.start.saturating_add(zone.rule.range)).contains(&at);
            return Some(if fresh || zone.moved == 0 {
                zone.start
            } else {
                at
            });
        }
        let at = if at >= len && job.time_based && self.is_alone {
            0
        } else {
            at
        };
        if at >= self.room() {
            return None;
        }
        let offset = self.region.start - self.region.file_start;
        let file = self.region.file_end - self.region.file_start;
        // Backwards, a region that does not begin where the file does is begun at its end.
        let from = match (at, offset) {
            (0, 1..) if step < 0 => i128::from(len.min(file)) - i128::from(offset),
            (at, _) => i128::from(at),
        };
        if step == 0 || from == 0 {
            return Some(at);
        }
        let next = from + i128::from(step);
        Some(match (next, step > 0) {
            (next, _) if (0..i128::from(file)).contains(&next) => next as u64,
            (_, true) => offset,
            (_, false) => len.min(file).saturating_sub(step.unsigned_abs()),
        })
    }

    /// The next zone, when the current one has moved its share; the first one after the file's end.
    fn change_zones(&mut self, job: &Job) {
        let room = self.room();
        let Some(zone) = &mut self.strided else {
            return;
        };
        if zone.moved < zone.rule.size {
            return;
        }
        let stride = zone.rule.range.saturating_add(zone.rule.skip);
        let next = zone.start.saturating_add(stride);
        zone.start = if next < room { next } else { 0 };
        zone.moved = 0;
        zone.number += 1;
        self.way = self.way_through(job);
    }

    fn way_through(&self, job: &Job) -> Way {
        if !job.kind.random {
            return Way::InOrder;
        }
        let part = self.part(job);
        let (least, step) = (job.least(), job.align_of(job.kind.does.0));
        if let Some(ranks) = Ranks::of(
            &job.distribution,
            places(part.len, least, step).max(1),
            step,
        ) {
            return Way::Ranked(Box::new(ranks), step);
        }
        if !job.visits_once() {
            return Way::Even;
        }
        let count = places(part.len, least, least);
        if least < job.largest() || count == 0 {
            return Way::Blocks(Visited::none_of(count), least);
        }
        let span = Span::new(Bytes::new(part.start), Bytes::new(part.len));
        let name = &job.name;
        let streams = Streams::closed(
            name,
            Op::Read,
            Order::RandomOnce,
            span,
            Bytes::new(least),
            1,
        );
        let round = self.rounds ^ self.strided.as_ref().map_or(0, |zone| zone.number);
        let stream = Stream::new(&streams, 0, self.block, splitmix64(self.seed ^ round));
        Way::Once(Box::new(stream), count)
    }
}

/// Number of positions of a region with room for an I/O of `size`, in steps of `align`.
fn places(len: u64, size: u64, align: u64) -> u64 {
    len.saturating_sub(size.saturating_sub(align)) / align.max(1)
}
