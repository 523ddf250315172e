//! A drive that has been through something, made at once.
//!
//! Written in order, the drive's data lie in superblocks one behind the other. Overwritten at random
//! until nothing changes, greedy collection leaves superblocks of all ages, and since each page is as
//! likely to be overwritten next, a superblock that was written the share `s` of a whole round ago
//! has kept `v^s` of its pages, where `v` is the share in the next victim. Their mean is the share
//! of valid pages in all that is written, `(v - 1) / ln v` (Desnoyers, "Analytic modeling of SSD
//! write performance", 2012), which gives `v`. Pages are dealt out to superblocks at random. In both
//! states the drive has rested: the SLC area is empty.

use base::rng::Rng;

use super::drive::Drive;
use super::nand::Lpn;
use super::parameters::{DriveError, Parameters};
use crate::state::{State, Written};

/// Logical pages dealt out at once: their superblocks are shuffled.
const DEAL: u64 = 1 << 16;

impl Drive {
    /// A drive in a declared state.
    ///
    /// # Errors
    /// As [`Drive::new`], and where the state asks for what this drive has no mechanism for.
    pub fn in_state(p: Parameters, seed: u64, state: &State) -> Result<Drive, DriveError> {
        if state.idle.is_some() || state.age.is_some() || state.power_on.is_some() {
            let refused = state.suffixes().into_iter().filter(|s| s != "trimmed");
            return Err(DriveError::StateNotModelled(
                refused.collect::<Vec<_>>().join(","),
            ));
        }
        let mut drive = Drive::new(p, seed)?;
        match state.written {
            Written::Fresh => {}
            Written::InOrder(percent) => drive.fill_in_order(percent),
            Written::SteadyRandom(percent) => drive.fill_at_random(percent, seed),
        }
        let written = match state.written {
            Written::Fresh => 0,
            Written::InOrder(percent) | Written::SteadyRandom(percent) => percent,
        };
        let pages = drive.pages_of_percent(written);
        if let Some(cache) = &mut drive.map_cache {
            cache.constructed(pages);
        }
        if state.trimmed {
            let pages = drive.t.map.pages();
            drive.t.trim(0, pages);
        }
        Ok(drive)
    }

    fn pages_of_percent(&self, percent: u8) -> u32 {
        (u64::from(self.t.map.pages()) * u64::from(percent) / 100) as u32
    }

    /// Superblocks one behind the other, the last one as full as it happens to be.
    fn fill_in_order(&mut self, percent: u8) {
        let pages = self.pages_of_percent(percent);
        let a_superblock = self.t.layout.geometry().superblock_pages();
        let mut lpn = 0;
        while lpn < pages {
            let count = a_superblock.min(pages - lpn);
            let Some(superblock) = self.t.space.construct(count, count) else {
                return;
            };
            self.t.reverse.append(superblock, 0, count, lpn);
            self.t.map.set(lpn, count, superblock * a_superblock);
            lpn += count;
        }
    }

    fn fill_at_random(&mut self, percent: u8, seed: u64) {
        let pages = self.pages_of_percent(percent);
        let a_superblock = self.t.layout.geometry().superblock_pages();
        let level = self.p.reserves.collect_below.max(1);
        // What writing in order first left to collection: all but the free level.
        let closed = self.t.space.free().saturating_sub(level);
        let valid = valid_counts(u64::from(pages), closed, a_superblock);
        let mut dealer = Dealer::new(self, &valid, seed);
        dealer.deal(self, pages);
        self.t.space.all_dirty();
    }
}

/// The share of valid pages in the next victim, from that in all that is written: solves
/// `rho = (v - 1) / ln v` by halving.
pub fn victim_share(rho: f64) -> f64 {
    if rho >= 1.0 {
        return 1.0;
    }
    let (mut low, mut high) = (1e-12, 1.0 - 1e-12);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if (middle - 1.0) / libm::log(middle) < rho {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Valid pages of each of `closed` superblocks, oldest first, summing to `pages`.
fn valid_counts(pages: u64, closed: u32, a_superblock: u32) -> Vec<u32> {
    let written = u64::from(closed) * u64::from(a_superblock);
    let v = victim_share(pages as f64 / written as f64);
    let n = f64::from(closed);
    let mut counts: Vec<u32> = (0..closed)
        .map(|i| {
            let age = (n - f64::from(i) - 0.5) / n;
            let share = libm::pow(v, age);
            ((share * f64::from(a_superblock) + 0.5) as u32).min(a_superblock)
        })
        .collect();
    balance(&mut counts, pages, a_superblock);
    counts
}

/// Takes away what rounding added, or adds what it took, a page each in turns.
fn balance(counts: &mut [u32], pages: u64, most: u32) {
    let mut sum: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    while sum != pages && !counts.is_empty() {
        let before = sum;
        for count in counts.iter_mut() {
            if sum < pages && *count < most {
                *count += 1;
                sum += 1;
            } else if sum > pages && *count > 0 {
                *count -= 1;
                sum -= 1;
            }
        }
        if sum == before {
            return;
        }
    }
}

/// Deals logical pages out to superblocks at random.
struct Dealer {
    hands: Vec<Hand>,
    rng: Rng,
    left: u64,
}

/// A superblock that is being filled. Its places are taken in an order that jumps about: the k-th is
/// `(first + k * step) mod pages`, a different order in each superblock, so that neighbouring logical
/// pages lie on dies that have nothing to do with each other.
struct Hand {
    superblock: u32,
    place: u32,
    step: u32,
    valid_left: u32,
    taken: u32,
}

impl Hand {
    fn new(superblock: u32, valid: u32, pages: u32, rng: &mut Rng) -> Hand {
        // Around the golden section, where multiples spread most evenly; coprime, so that every place
        // comes up once.
        let mut step = (f64::from(pages) * (0.55 + 0.13 * rng.unit())) as u32;
        while greatest_common_divisor(step, pages) != 1 {
            step += 1;
        }
        Hand {
            superblock,
            place: rng.below(u64::from(pages)) as u32,
            step,
            valid_left: valid,
            taken: 0,
        }
    }

    /// The next place; the superblock's pages are `pages`.
    #[inline]
    fn next(&mut self, pages: u32) -> u32 {
        let place = self.place;
        self.taken += 1;
        self.place += self.step;
        if self.place >= pages {
            self.place -= pages;
        }
        self.superblock * pages + place
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

impl Dealer {
    fn new(drive: &mut Drive, valid: &[u32], seed: u64) -> Dealer {
        let pages = drive.t.layout.geometry().superblock_pages();
        let mut rng = Rng::stream(seed, 0xdea1);
        let hands: Vec<Hand> = valid
            .iter()
            .map_while(|valid| {
                let superblock = drive.t.space.construct(pages, *valid)?;
                drive.t.reverse.begin_dense(superblock);
                Some(Hand::new(superblock, *valid, pages, &mut rng))
            })
            .collect();
        let left = hands.iter().map(|hand| u64::from(hand.valid_left)).sum();
        Dealer { hands, rng, left }
    }

    /// Pages in turns of [`DEAL`]: each superblock gets its share of the turn, in shuffled order.
    fn deal(&mut self, drive: &mut Drive, pages: u32) {
        let a_superblock = drive.t.layout.geometry().superblock_pages();
        let mut cards: Vec<u32> = Vec::with_capacity(DEAL as usize + self.hands.len());
        let mut lpn: Lpn = 0;
        drive.t.map.begin_dense(pages);
        while lpn < pages && self.left > 0 {
            self.shares(&mut cards);
            shuffle(&mut cards, &mut self.rng);
            for &hand in &cards {
                let hand = &mut self.hands[hand as usize];
                hand.valid_left -= 1;
                let ppn = hand.next(a_superblock);
                drive.t.reverse.put(ppn, lpn);
                drive.t.map.put(lpn, ppn);
                lpn += 1;
            }
        }
        self.rest_is_invalid(drive);
    }

    /// Which superblocks get a page in this turn, once for each page.
    fn shares(&mut self, cards: &mut Vec<u32>) {
        cards.clear();
        let turn = DEAL.min(self.left);
        let mut owed = 0;
        let mut given = 0;
        for (number, hand) in self.hands.iter().enumerate() {
            owed += u64::from(hand.valid_left) * turn;
            let count = owed / self.left - given;
            given += count;
            cards.extend(std::iter::repeat_n(number as u32, count as usize));
        }
        self.left -= given;
    }

    /// The places that are left were overwritten since.
    fn rest_is_invalid(&mut self, drive: &mut Drive) {
        let pages = drive.t.layout.geometry().superblock_pages();
        for hand in &mut self.hands {
            while hand.taken < pages {
                let ppn = hand.next(pages);
                drive.t.reverse.invalidate(hand.superblock, ppn, 1);
            }
        }
    }
}

/// Fisher and Yates.
fn shuffle(cards: &mut [u32], rng: &mut Rng) {
    for last in (1..cards.len()).rev() {
        cards.swap(last, rng.below(last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_victims_share_solves_the_greedy_equation() {
        for v in [0.05, 0.3, 0.8, 0.95] {
            let rho = (v - 1.0) / libm::log(v);
            assert!((victim_share(rho) - v).abs() < 1e-9);
        }
    }

    #[test]
    fn valid_counts_fall_with_age_and_sum_to_the_pages() {
        let counts = valid_counts(80_000, 100, 1_000);
        assert_eq!(counts.iter().map(|c| u64::from(*c)).sum::<u64>(), 80_000);
        assert!(counts.is_sorted());
        assert!(
            counts[0] < 700 && counts[99] > 990,
            "{} {}",
            counts[0],
            counts[99]
        );
    }
}
