//! The position of the next I/O.
//!
//! A sequential thread advances from its last I/O by the stride, and restarts at the base when the next one would not
//! fit; a random one uses any position that is a multiple of the alignment after the base. In a mix, sequential I/Os
//! continue from the last one of any kind. Interlocked threads share one position and alternate; with `-p` each request
//! has its own position, so that all of them visit the same ones.

use base::rng::Rng;

use crate::profile::Work;

/// Places of a thread, or of all threads that share them, relative to the base.
#[derive(Clone, Debug)]
pub struct Places {
    base: u64,
    /// Bytes that are worked in.
    len: u64,
    block: u64,
    stride: u64,
    random_percent: u8,
    /// The next sequential position: one, or one per request.
    next: Vec<u64>,
}

impl Places {
    /// Of a thread with this number, in the region from the byte `base` to the one before `end`, which holds an I/O.
    pub fn new(work: &Work, thread: u32, requests: u32, (base, end): (u64, u64)) -> Places {
        let len = end - base;
        // A thread that would begin behind the end begins again behind the base, at a multiple of what divides blocks
        // and distances: elsewhere a drive could not be read.
        let unit = divisor(work.block, work.thread_stride);
        let room = (len - work.block) / unit * unit + unit;
        let first = u128::from(work.thread_stride) * u128::from(thread) % u128::from(room);
        let first = first as u64;
        let own = if work.parallel { requests } else { 1 };
        Places {
            base,
            len,
            block: work.block,
            stride: work.stride(),
            random_percent: work.random_percent,
            next: vec![first; own.max(1) as usize],
        }
    }

    /// First byte of the next I/O of a request.
    pub fn draw(&mut self, request: u32, rng: &mut Rng) -> u64 {
        let n = request as usize % self.next.len();
        let at = if self.is_random(rng) {
            rng.below((self.len - self.block) / self.stride + 1) * self.stride
        } else {
            self.next[n]
        };
        let next = at.saturating_add(self.stride);
        let fits = next.saturating_add(self.block) <= self.len;
        self.next[n] = if fits { next } else { 0 };
        self.base + at
    }

    fn is_random(&self, rng: &mut Rng) -> bool {
        match self.random_percent {
            0 => false,
            100 => true,
            share => rng.below(100) < u64::from(share),
        }
    }
}

/// Greatest common divisor; that of a number and 0 is the number.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::{Places, Rng, Work};
    use proptest::prelude::{prop_assert, proptest};

    fn work() -> Work {
        Work {
            block: 4,
            ..Work::on("a")
        }
    }

    fn drawn(places: &mut Places, count: usize) -> Vec<u64> {
        let mut rng = Rng::new(1);
        (0..count).map(|_| places.draw(0, &mut rng)).collect()
    }

    #[test]
    fn a_sequential_thread_begins_again_at_the_base() {
        let mut places = Places::new(&work(), 0, 1, (100, 114));
        assert_eq!(drawn(&mut places, 4), [100, 104, 108, 100]);
    }

    #[test]
    fn a_stride_leaves_bytes_out_and_threads_begin_apart() {
        let work = Work {
            stride: Some(8),
            thread_stride: 4,
            ..work()
        };
        let mut places = Places::new(&work, 1, 1, (0, 24));
        assert_eq!(drawn(&mut places, 4), [4, 12, 20, 0]);
    }

    #[test]
    fn threads_that_begin_behind_the_end_begin_at_whole_blocks() {
        let first = |thread_stride: u64, thread: u32| {
            let work = Work {
                block: 64 << 10,
                thread_stride,
                ..work()
            };
            let mut places = Places::new(&work, thread, 1, (0, 47 * (64 << 10)));
            drawn(&mut places, 1)[0] / 512
        };
        let of_a_mebibyte: Vec<u64> = (0..4).map(|thread| first(1 << 20, thread)).collect();
        assert_eq!(of_a_mebibyte, [0, 2_048, 4_096, 128]);
        // 2^62 times 5 is more than 64 bits hold; the stretch is of 47 blocks.
        assert_eq!(first(1 << 62, 5), (5 * (1_u64 << 46) % 47) * 128);
    }

    #[test]
    fn requests_in_parallel_visit_the_same_places() {
        let work = Work {
            parallel: true,
            ..work()
        };
        let mut places = Places::new(&work, 0, 2, (0, 64));
        let mut rng = Rng::new(1);
        let seen: Vec<u64> = [0, 1, 1, 0]
            .map(|request| places.draw(request, &mut rng))
            .to_vec();
        assert_eq!(seen, [0, 0, 4, 4]);
    }

    #[test]
    fn of_a_mix_sequential_ios_go_on_from_the_last_one() {
        let work = Work {
            random_percent: 50,
            ..work()
        };
        let mut places = Places::new(&work, 0, 1, (0, 4_000_000));
        let seen = drawn(&mut places, 1_000);
        let on = seen.windows(2).filter(|two| two[1] == two[0] + 4).count();
        assert!((400..600).contains(&on), "{on} of 999");
    }

    proptest! {
        #[test]
        fn every_io_is_inside_and_aligned(
            block in 1_u64..64, stride in 1_u64..64, base in 0_u64..100, more in 0_u64..1_000,
            random_percent in 0_u8..=100, thread in 0_u32..9, thread_stride in 0_u64..100,
        ) {
            let work = Work { block, stride: Some(stride), random_percent, thread_stride, ..work() };
            let mut places = Places::new(&work, thread, 1, (base, base + block + more));
            for at in drawn(&mut places, 50) {
                prop_assert!(at >= base && at + block <= base + block + more);
                prop_assert!(random_percent < 100 || (at - base) % stride == 0);
            }
        }
    }
}
