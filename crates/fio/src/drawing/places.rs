//! Which place of a file is next.
//!
//! In order, each operation has its own place, and a step may lie between two I/Os: as in fio, the first one begins at
//! the beginning, a step over the end goes on from the other end, and the file is through where an I/O ends exactly at
//! its end. Strided zones work in a part of the file until so many bytes were moved, then in the part a stride further.

use base::io::Op;
use base::rng::{Rng, splitmix64};
use base::size::Bytes;
use base::workload::stream::Stream;
use base::workload::{Job as Streams, Order, Span};

use super::ranks::Ranks;
use crate::error::FioError;
use crate::job::Job;
use crate::job::law::Distribution;
use crate::job::zones::Strided;
use crate::layout::Region;

/// The places of one file.
pub(super) struct Places {
    region: Region,
    way: Way,
    /// Where the last I/O of reads, writes, trims began and ended, from the region's begin.
    last: [(u64, u64); 3],
    /// How many places of each were given.
    given: [u64; 3],
    strided: Option<Zone>,
    block: Bytes,
    seed: u64,
}

/// The zone that is worked in.
struct Zone {
    rule: Strided,
    start: u64,
    /// Moved in it.
    moved: u64,
    /// How manieth.
    number: u64,
}

enum Way {
    InOrder,
    Stream(Box<Stream>),
    Ranked(Box<Ranks>, u64),
}

impl Places {
    pub(super) fn new(
        job: &Job,
        region: Region,
        block: Bytes,
        seed: u64,
    ) -> Result<Places, FioError> {
        let strided = job.strided.map(|rule| Zone {
            rule,
            start: 0,
            moved: 0,
            number: 0,
        });
        let mut places = Places {
            region,
            way: Way::InOrder,
            last: [(0, 0); 3],
            given: [0; 3],
            strided,
            block,
            seed,
        };
        places.way = places.way_through(job)?;
        Ok(places)
    }

    fn way_through(&self, job: &Job) -> Result<Way, FioError> {
        let part = self.part(job.largest());
        way(
            job,
            part,
            self.block,
            splitmix64(self.seed ^ self.strided.as_ref().map_or(0, |z| z.number)),
        )
    }

    /// What was given last was moved to so many bytes from the region's begin: those in order go on from there.
    pub(super) fn moved_to(&mut self, op: Op, at: u64, size: u64) {
        self.last[op as usize] = (at, at + size);
    }

    /// What is worked in: the region, or its zone.
    fn part(&self, largest: u64) -> Region {
        match &self.strided {
            None => self.region,
            Some(zone) => {
                let left = self.region.len - zone.start;
                Region {
                    start: self.region.start + zone.start,
                    len: zone.rule.range.max(largest).min(left),
                }
            }
        }
    }

    /// The next place for so many bytes; nothing where the file is through.
    pub(super) fn next(
        &mut self,
        job: &Job,
        op: Op,
        size: u64,
        rng: &mut Rng,
    ) -> Result<Option<u64>, FioError> {
        if !self.change_zones(job, size)? {
            return Ok(None);
        }
        let n = op as usize;
        let steps = job.kind.steps;
        let follows = job.kind.random && !self.given[n].is_multiple_of(steps.every);
        let followed = match (follows, steps.stays) {
            (true, true) => Some(self.last[n].0),
            (true, false) => Some(self.last[n].1).filter(|at| at + size <= self.region.len),
            _ => None,
        };
        let at = match followed {
            Some(at) => at,
            None => match &mut self.way {
                Way::InOrder => match self.in_order(job, n, size) {
                    Some(at) => at,
                    None => return Ok(None),
                },
                Way::Stream(stream) => stream.draw().io.offset.get() - self.region.start,
                Way::Ranked(ranks, align) => {
                    let within = ranks.draw(n, rng) * *align;
                    within + self.strided.as_ref().map_or(0, |zone| zone.start)
                }
            },
        };
        self.last[n] = (at, at + size);
        self.given[n] += 1;
        if let Some(zone) = &mut self.strided {
            zone.moved += size;
        }
        Ok(Some(self.region.start + at))
    }

    fn in_order(&self, job: &Job, n: usize, size: u64) -> Option<u64> {
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
        if step == 0 {
            return Some(if at + size > len { 0 } else { at });
        }
        if at >= len {
            return again(job).then_some(0);
        }
        if at == 0 {
            return Some(0);
        }
        let next = i128::from(at) + i128::from(step);
        let next = match (next, step > 0) {
            (next, _) if (0..i128::from(len)).contains(&next) => next as u64,
            (_, true) => 0,
            (_, false) => len.saturating_sub(step.unsigned_abs()),
        };
        (next + size <= len).then_some(next)
    }

    /// The next zone, where the one that is worked in has moved what it should. False where the file ends in a zone
    /// that is not through, and there is no reason to begin again.
    fn change_zones(&mut self, job: &Job, size: u64) -> Result<bool, FioError> {
        let len = self.region.len;
        let ends = self.last.iter().map(|(_, end)| *end).max().unwrap_or(0);
        let Some(zone) = &mut self.strided else {
            return Ok(true);
        };
        let full = zone.moved >= zone.rule.size;
        let over = zone.moved > 0 && !job.kind.random && ends + size > len;
        if !full && !over {
            return Ok(true);
        }
        if !full && !again(job) {
            return Ok(false);
        }
        let next = zone
            .start
            .saturating_add(zone.rule.range)
            .saturating_add(zone.rule.skip);
        let fits = next.saturating_add(job.largest()) <= len;
        zone.start = if over || !fits { 0 } else { next };
        zone.moved = 0;
        zone.number += 1;
        self.way = self.way_through(job)?;
        Ok(true)
    }
}

/// Whether a file that is through is begun again.
fn again(job: &Job) -> bool {
    job.time_based || job.io_size.is_some()
}

fn way(job: &Job, region: Region, block: Bytes, seed: u64) -> Result<Way, FioError> {
    if !job.kind.random {
        return Ok(Way::InOrder);
    }
    let given = |op: Op| job.align[op as usize];
    let does = [Some(job.kind.does.0), job.kind.does.1];
    let align = does
        .into_iter()
        .flatten()
        .find_map(given)
        .unwrap_or(job.least())
        .max(1);
    let one_size = job.least() == job.largest();
    let places = region.len.saturating_sub(job.largest()) / align + 1;
    if job.random_percent == 100
        && let Some(ranks) = Ranks::of(&job.distribution, places, align)
    {
        return Ok(Way::Ranked(Box::new(ranks), align));
    }
    let order = match &job.distribution {
        _ if job.random_percent < 100 => {
            if !one_size {
                return Err(FioError::job(
                    &job.name,
                    "percentage_random is done for I/Os of one size",
                ));
            }
            Order::Partly {
                random_percent: job.random_percent,
            }
        }
        // Of several sizes no place is kept from being visited again.
        Distribution::Even if !job.no_map && one_size && align == job.least() => Order::RandomOnce,
        _ => Order::Random,
    };
    let span = Span::new(Bytes::new(region.start), Bytes::new(region.len));
    let mut streams = Streams::closed(
        &job.name,
        Op::Read,
        order,
        span,
        Bytes::new(job.largest()),
        1,
    );
    streams.align = Bytes::new(align);
    Ok(Way::Stream(Box::new(Stream::new(&streams, 0, block, seed))))
}
