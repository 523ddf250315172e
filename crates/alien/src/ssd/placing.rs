//! Placement: which die takes the next page.
//!
//! A read can only be as parallel as the data lie, so where a drive puts its writes decides how it reads. By the address
//! ([`Placement::Hash`]) two addresses always collide or never do. By the time ([`Placement::FirstFree`]) the order of the
//! writes decides, and chance. By the stream ([`Placement::ByStream`]) what was written together lies together, apart
//! from what was written beside it.

use base::rng::Rng;
use base::time::Instant;

use super::flash::{Flash, UNIT};
use crate::description::{Parity, Placement};

#[derive(Debug)]
pub(super) struct Placer {
    placement: Placement,
    dies: usize,
    streams: Vec<Stream>,
    shares_given: usize,
    oldest: usize,
    pages_a_share: u32,
    rng: Rng,
}

/// A stream of writes.
#[derive(Clone, Copy, Debug)]
struct Stream {
    /// Where its last write ended.
    end: u64,
    share: usize,
    pages: u32,
}

impl Placer {
    pub(super) fn new(placement: Placement, dies: u32, pages_a_block: u32, rng: Rng) -> Placer {
        let streams = match placement {
            Placement::ByStream { streams } => streams.clamp(1, dies) as usize,
            Placement::Hash { .. } | Placement::FirstFree => 0,
        };
        let dies = dies as usize;
        let stream = |share| Stream {
            end: u64::MAX,
            share,
            pages: 0,
        };
        Placer {
            placement,
            dies,
            streams: (0..streams).map(stream).collect(),
            shares_given: streams,
            oldest: 0,
            pages_a_share: pages_a_block * (dies / streams.max(1)) as u32,
            rng,
        }
    }

    /// Pages that are filled at the same time.
    pub(super) fn open_pages(&self) -> usize {
        match self.placement {
            Placement::Hash { .. } => self.dies,
            Placement::FirstFree => 1,
            Placement::ByStream { .. } => self.streams.len(),
        }
    }

    /// The open page of a unit of a write whose first and last units are given.
    pub(super) fn page_for(&mut self, unit: u32, from: u32, to: u32) -> usize {
        match self.placement {
            Placement::Hash { stripe } => {
                hash(u64::from(unit) * UNIT / stripe.get(), self.dies as u64) as usize
            }
            Placement::FirstFree => 0,
            Placement::ByStream { .. } => self.stream_of(u64::from(from), u64::from(to)),
        }
    }

    fn stream_of(&mut self, from: u64, to: u64) -> usize {
        // The second unit of a write finds the stream where its first one moved the end.
        let known = |stream: &Stream| stream.end == from || stream.end == to + 1;
        let found = self.streams.iter().position(known);
        let stream = found.unwrap_or_else(|| {
            self.oldest = (self.oldest + 1) % self.streams.len();
            self.oldest
        });
        self.streams[stream].end = to + 1;
        stream
    }

    /// The die for an open page that is full.
    pub(super) fn die_for(&mut self, page: usize, now: Instant, flash: &Flash) -> usize {
        match self.placement {
            Placement::Hash { .. } if page < self.dies => page,
            Placement::ByStream { .. } if page < self.streams.len() => {
                let wide = self.dies / self.streams.len();
                let shares = self.dies / wide;
                let stream = &mut self.streams[page];
                if stream.pages == self.pages_a_share {
                    stream.share = self.shares_given % shares;
                    stream.pages = 0;
                    self.shares_given += 1;
                }
                let die = stream.share % shares * wide + stream.pages as usize % wide;
                stream.pages += 1;
                if flash.has_room(die) {
                    die
                } else {
                    self.first_free(now, flash)
                }
            }
            _ => self.first_free(now, flash),
        }
    }

    /// The die that is free first; of several a random one.
    fn first_free(&mut self, now: Instant, flash: &Flash) -> usize {
        let mut best = (Instant::MAX, 0);
        let mut ties = 0;
        for die in (0..self.dies).filter(|die| flash.has_room(*die)) {
            let free = flash.free_at(die).max(now);
            ties = if free < best.0 { 1 } else { ties + 1 };
            // Each of several with the same chance, whatever their number.
            if free < best.0 || (free == best.0 && self.rng.below(ties) == 0) {
                best = (free, die);
            }
        }
        best.1
    }
}

/// The exclusive or of a stripe's number, in digits as large as the number of dies.
fn hash(stripe: u64, dies: u64) -> u64 {
    let bits = dies.trailing_zeros();
    let (mut rest, mut die) = (stripe, 0);
    while rest > 0 && bits > 0 {
        die ^= rest & (dies - 1);
        rest >>= bits;
    }
    die
}

/// The open stripe of parity.
#[derive(Clone, Debug)]
pub(super) struct Stripe {
    parity: Parity,
    pages: u32,
    /// The dies that have pages of it, a bit each.
    on: u64,
}

impl Stripe {
    pub(super) fn new(parity: Parity) -> Stripe {
        Stripe {
            parity,
            pages: 0,
            on: 0,
        }
    }

    /// A data page is programmed; gives the die of the parity page where that completes the stripe.
    pub(super) fn page(&mut self, die: usize, dies: usize, flash: &Flash) -> Option<usize> {
        self.pages += 1;
        self.on |= 1 << die;
        if self.pages < self.parity.data_pages {
            return None;
        }
        let on = std::mem::take(&mut self.on);
        self.pages = 0;
        if self.parity.own_die {
            return Some(dies);
        }
        let others = (0..dies).filter(|other| on & (1 << other) == 0);
        let apart = others.min_by_key(|other| flash.free_at(*other));
        // A stripe longer than the drive is wide has to share a die: not the one of its last page.
        Some(apart.unwrap_or((die + 1) % dies))
    }
}
