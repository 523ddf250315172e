//! Which I/O a job does next: direction, size, place.
//!
//! Orders that drivelab's streams have are drawn by these ([`base::workload::stream`]): even with and without a map of
//! what was visited, Zipf, partly random. fio's others stand here: Pareto, normal, zoned, and a sequence for reads,
//! writes and trims each.

use base::io::{Io, Op};
use base::rng::{Rng, splitmix64};
use base::size::Bytes;
use base::workload::stream::Stream;
use base::workload::{Job as Streams, Order, Span};

use crate::error::FioError;
use crate::job::{Distribution, Job};
use crate::layout::Region;

/// Draws the I/Os of one copy of a job.
pub struct Drawer {
    job: Job,
    files: Vec<(Region, Places)>,
    turn: usize,
    rng: Rng,
    stamp: u64,
    /// A place that was trimmed and is to be written.
    owed: Option<(Bytes, Bytes)>,
}

enum Places {
    InOrder([u64; 3]),
    Stream(Box<Stream>),
    Ranked { law: Law, places: u64, align: u64 },
}

enum Law {
    Pareto(f64),
    Normal(f64),
    Zoned(Vec<(u8, u8)>),
}

impl Drawer {
    /// Of a copy of a job on blocks of `block`.
    ///
    /// # Errors
    /// An order that cannot be drawn.
    pub fn new(job: &Job, copy: u32, regions: &[Region], block: Bytes) -> Result<Drawer, FioError> {
        let seed = splitmix64(job.seed ^ splitmix64(u64::from(copy)));
        let files = regions.iter().zip(0_u64..);
        let files = files
            .map(|(region, n)| Ok((*region, places(job, *region, block, splitmix64(seed ^ n))?)));
        Ok(Drawer {
            job: job.clone(),
            files: files.collect::<Result<_, FioError>>()?,
            turn: 0,
            rng: Rng::new(seed),
            stamp: seed,
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

    /// The next I/O of a direction.
    pub fn draw(&mut self, op: Op) -> Io {
        self.stamp = self.stamp.wrapping_add(1);
        let (offset, len) = match self.owed.take() {
            Some(place) => place,
            None => {
                let size = self.size(op);
                self.place(op, size)
            }
        };
        if self.job.kind.trims_before_writes && op == Op::Trim {
            self.owed = Some((offset, len));
        }
        Io {
            op,
            fill: self.job.fill,
            offset,
            len,
            stamp: if op == Op::Read {
                0
            } else {
                splitmix64(self.stamp)
            },
            durable: self.job.durable && op == Op::Write,
            zone: None,
        }
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

    fn place(&mut self, op: Op, size: u64) -> (Bytes, Bytes) {
        let turn = self.turn;
        self.turn = (turn + 1) % self.files.len();
        let (region, places) = &mut self.files[turn];
        let offset = match places {
            Places::InOrder(next) => {
                let next = &mut next[op as usize];
                if *next + size > region.len {
                    *next = 0;
                }
                let at = *next;
                *next += size;
                region.start + at
            }
            Places::Stream(stream) => stream.draw().io.offset.get(),
            Places::Ranked { law, places, align } => {
                region.start + law.draw(*places, &mut self.rng) * *align
            }
        };
        (Bytes::new(offset), Bytes::new(size))
    }
}

impl Law {
    fn draw(&self, places: u64, rng: &mut Rng) -> u64 {
        let n = places as f64;
        match self {
            // A share h of the places has 1 - h of the accesses: the place is n * u^a, with h^(1/a) = 1 - h.
            Law::Pareto(h) => {
                let power = libm::log(*h) / libm::log(1.0 - *h);
                let rank = (n * libm::pow(rng.unit(), power)) as u64;
                scattered(rank.min(places - 1), places)
            }
            // Around the middle, by Box and Muller; what falls outside is drawn again.
            Law::Normal(percent) => loop {
                let radius = (2.0 * rng.exponential()).sqrt();
                let normal = radius * libm::cos(2.0 * std::f64::consts::PI * rng.unit());
                let at = n / 2.0 + normal * n * percent / 100.0;
                if (0.0..n).contains(&at) {
                    break scattered((at as u64).min(places - 1), places);
                }
            },
            Law::Zoned(zones) => {
                let mut ticket = rng.below(100);
                let mut before = 0_u64;
                for (accesses, size) in zones {
                    let first = places * before / 100;
                    let len = (places * (before + u64::from(*size)) / 100 - first).max(1);
                    if ticket < u64::from(*accesses) {
                        return (first + rng.below(len)).min(places - 1);
                    }
                    ticket -= u64::from(*accesses);
                    before += u64::from(*size);
                }
                rng.below(places)
            }
        }
    }
}

/// A rank's place: wanted places lie all over the region. Steps of an odd prime visit each place once, unless it
/// divides their number.
fn scattered(rank: u64, places: u64) -> u64 {
    const STEP: u128 = 2_654_435_761;
    match u128::from(places).is_multiple_of(STEP) {
        true => rank,
        false => (u128::from(rank) * STEP % u128::from(places)) as u64,
    }
}

fn places(job: &Job, region: Region, block: Bytes, seed: u64) -> Result<Places, FioError> {
    if !job.kind.random {
        return Ok(Places::InOrder([0; 3]));
    }
    let given = |op: Op| job.align[op as usize];
    let does = [Some(job.kind.does.0), job.kind.does.1];
    let align = does
        .into_iter()
        .flatten()
        .find_map(given)
        .unwrap_or(job.least());
    let one_size = job.least() == job.largest();
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
        Distribution::Even if job.no_map || !one_size || align != job.least() => Order::Random,
        Distribution::Even => Order::RandomOnce,
        Distribution::Zipf(theta) => Order::Zipf { theta: *theta },
        other => {
            let law = match other {
                Distribution::Pareto(h) => Law::Pareto(*h),
                Distribution::Normal(percent) => Law::Normal(*percent),
                Distribution::Zoned(zones) => Law::Zoned(zones.clone()),
                Distribution::Even | Distribution::Zipf(_) => Law::Normal(100.0),
            };
            let places = (region.len - job.largest()) / align.max(1) + 1;
            return Ok(Places::Ranked { law, places, align });
        }
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
    Ok(Places::Stream(Box::new(Stream::new(
        &streams, 0, block, seed,
    ))))
}
