//! One stream's I/Os, drawn one after another from a seed.
//!
//! A stream never depends on completions, so that I/Os can be generated before they are due and hinted to the target.
//! Its positions are the multiples of the job's alignment inside its part of the span, shifted; a pass is over when as
//! many I/Os have been generated as there are positions (or, sequentially, when the end is reached).

use crate::io::{Io, Op};
use crate::rng::{Rng, splitmix64};
use crate::size::Bytes;
use crate::workload::permutation::Permutation;
use crate::workload::zipf::Zipf;
use crate::workload::{Access, Job, Order, OwnOrder, Span};

/// The I/Os of one stream.
#[derive(Clone, Debug)]
pub struct Stream {
    part: Span,
    block: Bytes,
    align: u64,
    shift: u64,
    places: u64,
    order: Places,
    accesses: Vec<Access>,
    total_weight: u64,
    fill: crate::io::Fill,
    durable: bool,
    rng: Rng,
    seed: u64,
    drawn: u64,
    left_in_pass: u64,
    pass: u32,
    /// Which of the accesses was drawn last, where there are several.
    kind: usize,
}

#[derive(Clone, Debug)]
enum Places {
    Sequential { next: u64 },
    Random,
    Once { order: Permutation, next: u64 },
    Partly { random_percent: u64, next: u64 },
    Zipf { ranks: Zipf, scatter: Permutation },
    HotSpot { hot: u64, access_percent: u64 },
    ByAccess { own: Box<[OwnOrder]>, next: u64 },
}

/// One drawn I/O.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// What to send.
    pub io: Io,
    /// The number of complete passes before it.
    pub pass: u32,
}

impl Stream {
    /// The `index`-th of the job's streams on a target with blocks of `block`, seeded. The job has
    /// passed [`crate::workload::Workload::check`].
    pub fn new(job: &Job, index: u32, block: Bytes, seed: u64) -> Stream {
        let part = part_of(job, index);
        let seed = splitmix64(seed) ^ splitmix64(u64::from(index).wrapping_add(0x57_2ea3));
        let usable = part
            .len
            .saturating_sub(job.shift)
            .saturating_sub(job.largest());
        let places = usable.get() / job.align.get() + 1;
        let order = match job.order {
            Order::Sequential => Places::Sequential {
                next: job.shift.get(),
            },
            // A recorded order is never drawn: the job has passed its check.
            Order::Random | Order::Recorded => Places::Random,
            Order::ByAccess { own } => Places::ByAccess {
                own: own[..job.accesses.len().min(own.len())].into(),
                next: 0,
            },
            Order::RandomOnce => Places::Once {
                order: Permutation::new(places, seed),
                next: 0,
            },
            Order::Partly { random_percent } => Places::Partly {
                random_percent: u64::from(random_percent),
                next: job.shift.get(),
            },
            Order::Zipf { theta } => Places::Zipf {
                ranks: Zipf::new(places, theta),
                scatter: Permutation::new(places, seed),
            },
            Order::HotSpot {
                span_percent,
                access_percent,
            } => Places::HotSpot {
                hot: (places * u64::from(span_percent) / 100).clamp(1, places),
                access_percent: u64::from(access_percent),
            },
        };
        Stream {
            part,
            block,
            align: job.align.get(),
            shift: job.shift.get(),
            places,
            order,
            total_weight: job.accesses.iter().map(|a| u64::from(a.weight)).sum(),
            accesses: job.accesses.clone(),
            fill: job.fill,
            durable: job.durable,
            rng: Rng::new(seed),
            seed,
            drawn: 0,
            left_in_pass: places,
            pass: 0,
            kind: 0,
        }
    }

    /// Goes on at `offset` of the target: only for a stream in order, where it was interrupted.
    /// Offsets outside the stream's part and other orders are left alone.
    pub fn skip_to(&mut self, offset: Bytes) {
        if let Places::Sequential { next } = &mut self.order
            && offset >= self.part.start
            && offset < self.part.end()
        {
            *next = offset.get() - self.part.start.get();
        }
    }

    /// First byte after the stream's part of the span.
    pub fn end(&self) -> Bytes {
        self.part.end()
    }

    /// Where a stream in order draws next; `None` in any other order.
    pub fn next_in_order(&self) -> Option<Bytes> {
        match self.order {
            Places::Sequential { next } => Some(self.part.start + Bytes::new(next)),
            _ => None,
        }
    }

    /// The next I/O.
    #[inline]
    pub fn draw(&mut self) -> Drawn {
        let access = self.draw_access();
        let op = self.draw_op(access);
        let (offset, len) = self.draw_place(access.size);
        self.drawn += 1;
        Drawn {
            io: Io {
                op,
                fill: self.fill,
                offset,
                len,
                stamp: self.stamp(op),
                durable: self.durable && op == Op::Write,
                zone: None,
            },
            pass: self.pass,
        }
    }

    /// The next I/Os, as many as there is room for; with the number of complete passes before each.
    pub fn draw_block(&mut self, ios: &mut [Io], passes: &mut [u32]) {
        if let Some(op) = self.one_kind_anywhere(ios.len()) {
            self.draw_anywhere(op, ios);
            passes.fill(self.pass);
            return;
        }
        for (io, pass) in ios.iter_mut().zip(passes) {
            let drawn = self.draw();
            (*io, *pass) = (drawn.io, drawn.pass);
        }
    }

    /// The constant part of every I/O, if all are alike and random, and the next ones are in this pass: the usual load
    /// of a benchmark, for which [`Stream::draw`] would recompute it each time.
    fn one_kind_anywhere(&self, ios: usize) -> Option<Op> {
        let ([access], Places::Random) = (self.accesses.as_slice(), &self.order) else {
            return None;
        };
        let op = match (access.read_percent, access.trims) {
            (100, _) => Op::Read,
            (0, false) => Op::Write,
            _ => return None,
        };
        (self.left_in_pass >= ios as u64).then_some(op)
    }

    fn draw_anywhere(&mut self, op: Op, ios: &mut [Io]) {
        let len = self.accesses[0].size;
        self.left_in_pass -= ios.len() as u64;
        for io in ios {
            let place = self.rng.below(self.places);
            self.drawn += 1;
            *io = Io {
                op,
                fill: self.fill,
                offset: self.part.start + Bytes::new(place * self.align + self.shift),
                len,
                stamp: self.stamp(op),
                durable: self.durable && op == Op::Write,
                zone: None,
            };
        }
    }

    /// Seeds the bytes of the I/O that was drawn last.
    #[inline]
    fn stamp(&self, op: Op) -> u64 {
        match op {
            Op::Read => 0, // it has no bytes to make
            _ => splitmix64(self.seed ^ self.drawn),
        }
    }

    #[inline]
    fn draw_access(&mut self) -> Access {
        if self.accesses.len() == 1 {
            return self.accesses[0];
        }
        let mut ticket = self.rng.below(self.total_weight);
        for (kind, access) in self.accesses.iter().enumerate() {
            let weight = u64::from(access.weight);
            if ticket < weight {
                self.kind = kind;
                return *access;
            }
            ticket -= weight;
        }
        self.accesses[0]
    }

    #[inline]
    fn draw_op(&mut self, access: Access) -> Op {
        let read = match access.read_percent {
            0 => false,
            100 => true,
            percent => self.rng.below(100) < u64::from(percent),
        };
        match (read, access.trims) {
            (true, _) => Op::Read,
            (false, false) => Op::Write,
            (false, true) => Op::Trim,
        }
    }

    #[inline]
    fn draw_place(&mut self, size: Bytes) -> (Bytes, Bytes) {
        let place = match &mut self.order {
            Places::Sequential { .. } => return self.draw_in_order(size),
            Places::Partly { .. } => return self.draw_partly(size),
            Places::ByAccess { .. } => return self.draw_by_access(size),
            Places::Random => self.rng.below(self.places),
            Places::Once { order, next } => {
                let place = order.at(*next);
                *next += 1;
                if *next == self.places {
                    *next = 0;
                    *order =
                        Permutation::new(self.places, splitmix64(self.seed ^ (self.drawn + 1)));
                }
                place
            }
            Places::Zipf { ranks, scatter } => scatter.at(ranks.draw(&mut self.rng)),
            Places::HotSpot {
                hot,
                access_percent,
            } => {
                let cold = self.places - *hot;
                if cold == 0 || self.rng.below(100) < *access_percent {
                    self.rng.below(*hot)
                } else {
                    *hot + self.rng.below(cold)
                }
            }
        };
        self.count_pass();
        (
            self.part.start + Bytes::new(place * self.align + self.shift),
            size,
        )
    }

    /// A pass in any order but the sequential one has as many I/Os as there are positions.
    #[inline]
    fn count_pass(&mut self) {
        if self.left_in_pass == 0 {
            self.left_in_pass = self.places;
            self.pass = self.pass.saturating_add(1);
        }
        self.left_in_pass -= 1;
    }

    /// Anywhere, or on from the end of the last access; from the start where that is the span's end.
    fn draw_partly(&mut self, size: Bytes) -> (Bytes, Bytes) {
        self.count_pass();
        let Places::Partly {
            random_percent,
            next,
        } = &mut self.order
        else {
            return (self.part.start, size);
        };
        if self.rng.below(100) < *random_percent {
            *next = self.rng.below(self.places) * self.align + self.shift;
        } else if *next + size.get() > self.part.len.get() {
            *next = self.shift;
        }
        let offset = self.part.start + Bytes::new(*next);
        *next += size.get();
        (offset, size)
    }

    /// By its own kind of I/O: random, or sequential to the end of the last I/O of any kind, at the next multiple of
    /// its alignment.
    fn draw_by_access(&mut self, size: Bytes) -> (Bytes, Bytes) {
        self.count_pass();
        let Places::ByAccess { own, next } = &mut self.order else {
            return (self.part.start, size);
        };
        let own = own.get(self.kind).copied().unwrap_or_default();
        let align = own.align.get();
        let room = self.part.len.get().saturating_sub(size.get());
        if self.rng.below(100) < u64::from(own.random_percent) {
            *next = self.rng.below(room / align + 1) * align;
        } else {
            *next = next.next_multiple_of(align);
            if *next > room {
                *next = 0;
            }
        }
        let offset = self.part.start + Bytes::new(*next);
        *next += size.get();
        (offset, size)
    }

    /// Sequential; the last I/O of a pass is shortened to what is left, so that a full scan leaves no tail unread.
    fn draw_in_order(&mut self, size: Bytes) -> (Bytes, Bytes) {
        let Places::Sequential { next } = &mut self.order else {
            return (self.part.start, size);
        };
        let mut left = self
            .part
            .len
            .saturating_sub(Bytes::new(*next))
            .round_down(self.block);
        if left.is_zero() {
            *next = self.shift;
            self.pass = self.pass.saturating_add(1);
            left = self
                .part
                .len
                .saturating_sub(Bytes::new(*next))
                .round_down(self.block);
        }
        let len = size.min(left);
        let offset = self.part.start + Bytes::new(*next);
        *next += len.get();
        (offset, len)
    }
}

/// Sequential streams divide the span among themselves; all others use the whole of it.
fn part_of(job: &Job, index: u32) -> Span {
    if job.order != Order::Sequential || job.streams <= 1 {
        return job.span;
    }
    let streams = u64::from(job.streams);
    let share = Bytes::new(job.span.len.get() / streams).round_down(job.align);
    let start = job.span.start + share * u64::from(index);
    let last = u64::from(index) + 1 == streams;
    Span::new(start, if last { job.span.end() - start } else { share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Pacing, Workload};
    use proptest::prelude::*;

    fn orders() -> impl Strategy<Value = Order> {
        prop_oneof![
            Just(Order::Sequential),
            Just(Order::Random),
            Just(Order::RandomOnce),
            (0.0..0.999_f64).prop_map(|theta| Order::Zipf { theta }),
            (1_u8..=99, 0_u8..=100).prop_map(|(span_percent, access_percent)| Order::HotSpot {
                span_percent,
                access_percent
            }),
        ]
    }

    proptest! {
        #[test]
        fn every_stream_stays_inside_its_span_and_alignment(
            order in orders(), streams in 1_u32..5, start in 0_u64..50, blocks in 20_u64..3_000,
            size in 1_u64..5, align in 1_u64..6, shift in 0_u64..6, seed: u64,
        ) {
            let block = Bytes::SECTOR;
            let info = crate::target::Info { capacity: Bytes::gib(1), block, max_in_flight: 32, writable: true };
            let mut job = Job::closed("p", Op::Read, order, Span::new(block * start, block * blocks), block * size, 1);
            job.streams = streams;
            job.align = block * align;
            job.shift = block * (shift % align);
            job.pacing = Pacing::Closed { depth: 1, think: crate::time::Duration::ZERO, burst: 1 };
            let stop = crate::workload::Stop::after_ios(1);
            prop_assume!(Workload::single(job.clone(), stop, seed).check(&info).is_ok());
            for index in 0..streams {
                let mut stream = Stream::new(&job, index, block, seed);
                for _ in 0..200 {
                    let io = stream.draw().io;
                    prop_assert!(io.offset >= job.span.start && io.end() <= job.span.end());
                    prop_assert!(!io.len.is_zero() && io.len.is_multiple_of(block));
                    if order != Order::Sequential {
                        let inside = io.offset.get() - job.span.start.get() - job.shift.get();
                        prop_assert!(inside.is_multiple_of(job.align.get()));
                    }
                }
            }
        }

        #[test]
        fn a_block_holds_what_would_be_drawn_one_by_one(
            order in orders(), blocks in 20_u64..200, size in 1_u64..5, read_percent in 0_u8..4, trims: bool,
            lengths in prop::collection::vec(0_usize..70, 1..8), seed: u64,
        ) {
            let block = Bytes::SECTOR;
            let span = Span::new(block * 3, block * blocks);
            let mut job = Job::closed("p", Op::Read, order, span, block * size, 1);
            job.accesses[0].read_percent = [0, 30, 100, 100][usize::from(read_percent)];
            job.accesses[0].trims = trims;
            let mut blockwise = Stream::new(&job, 0, block, seed);
            let mut single = blockwise.clone();
            for length in lengths {
                let (mut ios, mut passes) = (vec![Io::flush(); length], vec![0; length]);
                blockwise.draw_block(&mut ios, &mut passes);
                for (io, pass) in ios.iter().zip(passes) {
                    let drawn = single.draw();
                    prop_assert_eq!((*io, pass), (drawn.io, drawn.pass));
                }
            }
        }

        #[test]
        fn sequential_streams_together_cover_the_span_once(streams in 1_u32..6, blocks in 40_u64..900, size in 1_u64..5) {
            let block = Bytes::SECTOR;
            let span = Span::new(block * 3, block * blocks);
            let mut job = Job::closed("p", Op::Read, Order::Sequential, span, block * size, 1);
            job.streams = streams;
            let mut touched = vec![0_u32; blocks as usize];
            for index in 0..streams {
                let mut stream = Stream::new(&job, index, block, 0);
                loop {
                    let drawn = stream.draw();
                    if drawn.pass > 0 {
                        break;
                    }
                    let first = (drawn.io.offset.get() - span.start.get()) / 512;
                    for b in first..first + drawn.io.len.get() / 512 {
                        touched[b as usize] += 1;
                    }
                }
            }
            prop_assert!(touched.iter().all(|&t| t == 1));
        }
    }

    #[test]
    fn random_once_visits_every_place_once_a_pass() {
        let job = Job::closed(
            "p",
            Op::Read,
            Order::RandomOnce,
            Span::first(Bytes::mib(4)),
            Bytes::kib(4),
            1,
        );
        let mut stream = Stream::new(&job, 0, Bytes::SECTOR, 5);
        let orders: Vec<Vec<u64>> = (0..2)
            .map(|_| (0..1024).map(|_| stream.draw().io.offset.get()).collect())
            .collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 1024);
        }
        assert_ne!(orders[0], orders[1], "each pass has an order of its own");
    }

    #[test]
    fn a_partly_random_stream_goes_on_where_it_was_as_often_as_it_should() {
        let order = Order::Partly { random_percent: 80 };
        let span = Span::new(Bytes::mib(1), Bytes::mib(64));
        let job = Job::closed("p", Op::Read, order, span, Bytes::kib(8), 1);
        let mut stream = Stream::new(&job, 0, Bytes::SECTOR, 5);
        let n = 50_000;
        let ios: Vec<Io> = (0..n).map(|_| stream.draw().io).collect();
        let follow = ios.windows(2).filter(|w| w[1].offset == w[0].end()).count() as f64;
        assert!((follow / n as f64 - 0.2).abs() < 0.01, "{follow}");
        assert!(
            ios.iter()
                .all(|io| io.offset >= span.start && io.end() <= span.end())
        );
    }

    #[test]
    fn each_kind_of_access_keeps_its_own_order_and_alignment() {
        let mut own = [OwnOrder::default(); crate::workload::MOST_OWN];
        own[0] = OwnOrder {
            random_percent: 100,
            align: Bytes::kib(4),
        };
        own[1] = OwnOrder {
            random_percent: 25,
            align: Bytes::kib(64),
        };
        let span = Span::new(Bytes::mib(1), Bytes::mib(64) + Bytes::SECTOR);
        let order = Order::ByAccess { own };
        let mut job = Job::closed("p", Op::Read, order, span, Bytes::kib(4), 1);
        let kind = |weight, size| Access {
            weight,
            size,
            read_percent: 100,
            trims: false,
        };
        job.accesses = vec![kind(50, Bytes::kib(4)), kind(50, Bytes::kib(64))];
        let stop = crate::workload::Stop::after_ios(1);
        let info = crate::target::Info {
            capacity: Bytes::gib(1),
            block: Bytes::SECTOR,
            max_in_flight: 32,
            writable: true,
        };
        assert!(Workload::single(job.clone(), stop, 1).check(&info).is_ok());
        let mut stream = Stream::new(&job, 0, Bytes::SECTOR, 5);
        let ios: Vec<Io> = (0..100_000).map(|_| stream.draw().io).collect();
        let mut follow = [(0_u32, 0_u32); 2];
        for w in ios.windows(2) {
            let large = w[1].len == Bytes::kib(64);
            let align = Bytes::kib(if large { 64 } else { 4 });
            assert!(w[1].offset >= span.start && w[1].end() <= span.end());
            assert!((w[1].offset - span.start).is_multiple_of(align));
            let next = (w[0].end() - span.start).round_up(align) + span.start;
            let counted = &mut follow[usize::from(large)];
            counted.0 += u32::from(w[1].offset == next);
            counted.1 += 1;
        }
        let share = |(of, all): (u32, u32)| f64::from(of) / f64::from(all);
        assert!(share(follow[0]) < 0.01, "{follow:?}");
        assert!((share(follow[1]) - 0.75).abs() < 0.01, "{follow:?}");
        own[1].align = Bytes::new(100);
        job.order = Order::ByAccess { own };
        assert!(Workload::single(job, stop, 1).check(&info).is_err());
    }

    #[test]
    fn a_mix_keeps_its_shares() {
        let mut job = Job::closed(
            "p",
            Op::Read,
            Order::Random,
            Span::first(Bytes::gib(1)),
            Bytes::kib(4),
            1,
        );
        job.accesses = vec![
            Access {
                weight: 60,
                size: Bytes::kib(4),
                read_percent: 80,
                trims: false,
            },
            Access {
                weight: 40,
                size: Bytes::kib(64),
                read_percent: 80,
                trims: false,
            },
        ];
        let mut stream = Stream::new(&job, 0, Bytes::SECTOR, 5);
        let n = 200_000;
        let drawn: Vec<Io> = (0..n).map(|_| stream.draw().io).collect();
        let large =
            drawn.iter().filter(|io| io.len == Bytes::kib(64)).count() as f64 / f64::from(n);
        let reads = drawn.iter().filter(|io| io.op == Op::Read).count() as f64 / f64::from(n);
        assert!(
            (large - 0.4).abs() < 0.005 && (reads - 0.8).abs() < 0.005,
            "{large} {reads}"
        );
    }
}
