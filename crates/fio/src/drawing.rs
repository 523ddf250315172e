//! Generates a job's next I/O: direction, size, file, position, data.
//!
//! As in fio the position is chosen before the size, since an I/O is as large as there is room for. How positions are
//! chosen is in separate files: sequences with steps and strided zones, visited blocks, distributions. A loop of the
//! job restarts with the same seed, so that it has the same positions.

use base::{Bytes, Io, Op, Rng, splitmix64};

use crate::job::Job;
use crate::job::kinds::Service;
use crate::job::law::Repeats;
use crate::layout::Region;

mod places;
mod ranks;
mod sizes;
mod visited;

use places::Places;

/// Draws the I/Os of one copy of a job.
pub struct Drawer {
    job: Job,
    files: Vec<Places>,
    turn: usize,
    /// I/Os since the turn changed.
    since_turn: u64,
    rng: Rng,
    stamp: u64,
    /// The stamp of the last data that were new.
    last_new: u64,
    /// Of a set that is repeated from: its seed and how many.
    set: (u64, u64),
    /// A position that was trimmed and is to be written.
    owed: Option<(Bytes, Bytes)>,
}

/// Seeds the set of data that all jobs repeat from.
const SHARED_SET: u64 = 0x6465_6475_7065_2121;

impl Drawer {
    /// Of a copy of a job on blocks of `block`; `pass` counts the loops.
    pub fn new(job: &Job, copy: u32, regions: &[Region], block: Bytes, pass: u64) -> Drawer {
        let seed = splitmix64(job.seed ^ splitmix64(u64::from(copy)));
        let files = regions.iter().zip(0_u64..);
        let files = files.map(|(region, n)| {
            let is_alone = regions.len() == 1;
            Places::new(job, *region, is_alone, block, splitmix64(seed ^ n))
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
        Drawer {
            job: job.clone(),
            files: files.collect(),
            turn: 0,
            since_turn: 0,
            rng: Rng::new(seed),
            stamp,
            last_new: splitmix64(stamp),
            set,
            owed: None,
        }
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

    /// The next I/O of a direction; nothing where all files are through.
    pub fn draw(&mut self, op: Op) -> Option<Io> {
        let (offset, len) = match self.owed.take() {
            Some(place) => place,
            None => self.place(op)?,
        };
        if self.job.kind.trims_before_writes && op == Op::Trim {
            self.owed = Some((offset, len));
        }
        let stamp = if op == Op::Write { self.data() } else { 0 };
        Some(Io {
            op,
            fill: self.job.fill,
            offset,
            len,
            stamp,
            durable: self.job.durable && op == Op::Write,
            zone: None,
        })
    }

    /// Moves the I/O that was drawn last to another position.
    pub fn moved_to(&mut self, io: &Io) {
        self.files[self.turn].moved_to(io.op, io.offset.get(), io.len.get());
    }

    /// The stamp of the next data: new data, or data that was written before.
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

    fn place(&mut self, op: Op) -> Option<(Bytes, Bytes)> {
        // A file that is through is left for the next one, until the next loop.
        while self.next_file() {
            let places = &mut self.files[self.turn];
            if let Some((at, size)) = places.next(&self.job, op, &mut self.rng) {
                self.since_turn += 1;
                return Some((Bytes::new(at), Bytes::new(size)));
            }
            places.is_through = true;
        }
        None
    }

    /// Whether any file is not through; it is that file's turn.
    fn next_file(&mut self) -> bool {
        let files = self.files.len();
        if self.files.iter().all(|places| places.is_through) {
            return false;
        }
        let over = match self.job.files.service {
            Service::Turns(n) | Service::Drawn(n) => self.since_turn >= n,
            Service::Whole => false,
        };
        if !over && !self.files[self.turn].is_through {
            return true;
        }
        self.since_turn = 0;
        loop {
            self.turn = match self.job.files.service {
                Service::Drawn(_) => self.rng.below(files as u64) as usize,
                _ => (self.turn + 1) % files,
            };
            if !self.files[self.turn].is_through {
                return true;
            }
        }
    }
}

fn set_of(repeats: &Repeats, seed: u64, blocks: u64) -> (u64, u64) {
    let share = u64::from(repeats.from_percent.unwrap_or(100));
    let count = (u128::from(blocks) * u128::from(share) / 100) as u64;
    let seed = if repeats.shared { SHARED_SET } else { seed };
    (splitmix64(seed), count.max(1))
}
