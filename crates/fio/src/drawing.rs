//! Which I/O a job does next: direction, size, file, place, data.
//!
//! Even orders, with and without a map of what was visited, are those of drivelab's streams ([`base::workload::stream`]);
//! fio's others stand in files of their own: laws by which some places are wanted more, sequences with steps, strided
//! zones. A loop of the job begins anew with the same seed, so that it has the same places.

use base::io::{Io, Op};
use base::rng::{Rng, splitmix64};
use base::size::Bytes;

use crate::error::FioError;
use crate::job::Job;
use crate::job::kinds::Service;
use crate::job::law::Repeats;
use crate::layout::Region;

mod places;
mod ranks;

use places::Places;

/// Draws the I/Os of one copy of a job.
pub struct Drawer {
    job: Job,
    files: Vec<(Region, Places)>,
    turn: usize,
    /// I/Os, and bytes, since the turn changed.
    since_turn: (u64, u64),
    rng: Rng,
    stamp: u64,
    /// The stamp of the last data that were new.
    last_new: u64,
    /// Of a set that is repeated from: its seed and how many.
    set: (u64, u64),
    /// A place that was trimmed and is to be written.
    owed: Option<(Bytes, Bytes)>,
}

/// Seeds the set of data that all jobs repeat from.
const SHARED_SET: u64 = 0x6465_6475_7065_2121;

impl Drawer {
    /// Of a copy of a job on blocks of `block`; `pass` counts the loops.
    ///
    /// # Errors
    /// An order that cannot be drawn.
    pub fn new(
        job: &Job,
        copy: u32,
        regions: &[Region],
        block: Bytes,
        pass: u64,
    ) -> Result<Drawer, FioError> {
        let seed = splitmix64(job.seed ^ splitmix64(u64::from(copy)));
        let files = regions.iter().zip(0_u64..);
        let files = files.map(|(region, n)| {
            Ok((
                *region,
                Places::new(job, *region, block, splitmix64(seed ^ n))?,
            ))
        });
        let bytes: u64 = regions
            .iter()
            .map(|region| region.len)
            .fold(0, u64::saturating_add);
        let set = job.repeats.map_or((0, 1), |repeats| {
            set_of(&repeats, seed, bytes / job.least())
        });
        // Data of another loop are others.
        let stamp = splitmix64(seed ^ pass.rotate_left(32));
        Ok(Drawer {
            job: job.clone(),
            files: files.collect::<Result<_, FioError>>()?,
            turn: 0,
            since_turn: (0, 0),
            rng: Rng::new(seed),
            stamp,
            last_new: splitmix64(stamp),
            set,
            owed: None,
        })
    }

    /// What the next I/O does.
    pub fn direction(&mut self) -> Op {
        match self.job.kind.does {
            (op, None) => op,
            (trim, Some(write)) if self.job.kind.trims_before_writes => {
                if self.owed.is_some() {
                    write
                } else {
                    trim
                }
            }
            (first, Some(second)) => {
                if self.rng.below(100) < u64::from(self.job.read_percent) {
                    first
                } else {
                    second
                }
            }
        }
    }

    /// The next I/O of a direction; nothing where all places were visited.
    ///
    /// # Errors
    /// An order that cannot be drawn.
    pub fn draw(&mut self, op: Op) -> Result<Option<Io>, FioError> {
        let place = match self.owed.take() {
            Some(place) => Some(place),
            None => {
                let size = self.size(op);
                self.place(op, size)?
            }
        };
        let Some((offset, len)) = place else {
            return Ok(None);
        };
        if self.job.kind.trims_before_writes && op == Op::Trim {
            self.owed = Some((offset, len));
        }
        let stamp = if op == Op::Write { self.data() } else { 0 };
        Ok(Some(Io {
            op,
            fill: self.job.fill,
            offset,
            len,
            stamp,
            durable: self.job.durable && op == Op::Write,
            zone: None,
        }))
    }

    /// The I/O that was drawn last goes somewhere else.
    pub fn moved_to(&mut self, io: &Io) {
        let (region, places) = &mut self.files[self.turn];
        let at = io.offset.get().saturating_sub(region.start);
        places.moved_to(io.op, at, io.len.get());
    }

    /// The stamp of the next data: new ones, or ones that were written before.
    fn data(&mut self) -> u64 {
        if let Some(repeats) = self.job.repeats
            && self.rng.below(100) < u64::from(repeats.percent)
        {
            return match repeats.from_percent {
                None => self.last_new,
                Some(_) => splitmix64(self.set.0.wrapping_add(self.rng.below(self.set.1))),
            };
        }
        self.stamp = self.stamp.wrapping_add(1);
        self.last_new = splitmix64(self.stamp);
        self.last_new
    }

    fn size(&mut self, op: Op) -> u64 {
        let sizes = &self.job.sizes[op as usize];
        let [only] = &sizes[..] else {
            let all = sizes.iter().map(|(_, weight)| u64::from(*weight)).sum();
            let mut ticket = self.rng.below(all);
            for (size, weight) in sizes {
                if ticket < u64::from(*weight) {
                    return *size;
                }
                ticket -= u64::from(*weight);
            }
            return self.job.least();
        };
        only.0
    }

    fn place(&mut self, op: Op, size: u64) -> Result<Option<(Bytes, Bytes)>, FioError> {
        // A file that is through is left for the next one.
        for _ in 0..self.files.len() {
            self.next_file();
            let (_, places) = &mut self.files[self.turn];
            if let Some(at) = places.next(&self.job, op, size, &mut self.rng)? {
                self.since_turn.0 += 1;
                self.since_turn.1 += size;
                return Ok(Some((Bytes::new(at), Bytes::new(size))));
            }
            self.since_turn = (u64::MAX, u64::MAX);
        }
        Ok(None)
    }

    fn next_file(&mut self) {
        let files = self.files.len();
        let (ios, bytes) = self.since_turn;
        let over = match self.job.service {
            Service::Turns(n) | Service::Drawn(n) => ios >= n,
            Service::Whole => bytes >= self.files[self.turn].0.len,
        };
        if !over {
            return;
        }
        self.turn = match self.job.service {
            Service::Drawn(_) => self.rng.below(files as u64) as usize,
            _ => (self.turn + 1) % files,
        };
        self.since_turn = (0, 0);
    }
}

fn set_of(repeats: &Repeats, seed: u64, blocks: u64) -> (u64, u64) {
    let share = u64::from(repeats.from_percent.unwrap_or(100));
    let count = (u128::from(blocks) * u128::from(share) / 100) as u64;
    let seed = if repeats.shared { SHARED_SET } else { seed };
    (splitmix64(seed), count.max(1))
}
