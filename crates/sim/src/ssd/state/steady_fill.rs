//! Dealing: logical pages given out to superblocks at random, for a drive that was overwritten at
//! random.
//!
//! How many valid pages each superblock has left is known ([`crate::ssd::state::construct`]); which
//! ones they are is drawn. Each turn gives every superblock its share of the next logical pages, in
//! shuffled order, and each superblock takes them at places that jump about, so that neighbouring
//! pages lie on dies that have nothing to do with each other. The places that are left were
//! overwritten since.
//!
//! The map is filled page after page. The way back would be filled at random all over its memory, which
//! takes longer than all else; so what a superblock takes is first listed at its beginning, and brought
//! to its places when all pages are dealt, superblock by superblock, each of which a cache holds.

use base::rng::Rng;

use crate::halt::{Halted, Pace};
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::Lpn;

/// Logical pages dealt out at once: their superblocks are shuffled.
const DEAL: u64 = 1 << 16;

/// Deals logical pages out to superblocks at random.
pub(in crate::ssd) struct SteadyFill {
    hands: Vec<Hand>,
    rng: Rng,
    left: u64,
}

/// A superblock that is being filled. Its places are taken in an order that jumps about: the k-th is
/// `(first + k * step) mod pages`, a different order in each superblock, so that neighbouring logical
/// pages lie on dies that have nothing to do with each other.
struct Hand {
    superblock: u32,
    /// First page of the superblock, and pages in it.
    base: u32,
    pages: u32,
    first: u32,
    place: u32,
    step: u32,
    valid_left: u32,
    taken: u32,
}

impl Hand {
    fn new(superblock: u32, valid: u32, base: u32, pages: u32, rng: &mut Rng) -> Hand {
        // Around the golden section, where multiples spread most evenly; coprime, so that every place
        // comes up once.
        let mut step = (f64::from(pages) * (0.55 + 0.13 * rng.unit())) as u32;
        while greatest_common_divisor(step, pages) != 1 {
            step += 1;
        }
        let first = rng.below(u64::from(pages)) as u32;
        Hand {
            superblock,
            base,
            pages,
            first,
            place: first,
            step,
            valid_left: valid,
            taken: 0,
        }
    }

    /// The next place.
    #[inline]
    fn next(&mut self) -> u32 {
        let place = self.place;
        self.taken += 1;
        self.place = self.behind(place);
        self.base + place
    }

    /// The place that is taken after one.
    #[inline]
    fn behind(&self, place: u32) -> u32 {
        let next = place + self.step;
        if next >= self.pages {
            next - self.pages
        } else {
            next
        }
    }

    /// The places in the order in which they are taken.
    fn places(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(self.first), |place| Some(self.behind(*place)))
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

impl SteadyFill {
    /// Takes a superblock of all bits for each of the counts of valid pages, and one of the fixed
    /// area for each of those of one bit a cell.
    pub(in crate::ssd) fn new(
        drive: &mut Drive,
        valid: &[u32],
        one_bit: &[u32],
        seed: u64,
    ) -> SteadyFill {
        let all_bits = drive.ftl.layout.superblock_pages();
        let mut rng = Rng::stream(seed, 0xdea1);
        let mut hands = Vec::new();
        let counts = valid.iter().map(|valid| (*valid, false));
        for (valid, slc) in counts.chain(one_bit.iter().map(|valid| (*valid, true))) {
            let pages = drive.ftl.pool.pages_of(slc);
            let Some(superblock) = drive.ftl.pool.construct(slc, pages, valid) else {
                break;
            };
            drive.ftl.p2l.begin_dense(superblock);
            let base = superblock * all_bits;
            hands.push(Hand::new(superblock, valid, base, pages, &mut rng));
        }
        let left = hands.iter().map(|hand| u64::from(hand.valid_left)).sum();
        SteadyFill { hands, rng, left }
    }

    /// Pages in turns of [`DEAL`]: each superblock gets its share of the turn, in shuffled order.
    pub(in crate::ssd) fn deal(
        &mut self,
        drive: &mut Drive,
        pages: u32,
        pace: &mut Pace<'_>,
    ) -> Result<(), Halted> {
        let mut cards: Vec<u32> = Vec::with_capacity(DEAL as usize + self.hands.len());
        let mut lpn: Lpn = 0;
        drive.ftl.l2p.begin_dense(pages, pace)?;
        while lpn < pages && self.left > 0 {
            self.shares(&mut cards);
            shuffle(&mut cards, &mut self.rng);
            for &hand in &cards {
                let hand = &mut self.hands[hand as usize];
                hand.valid_left -= 1;
                drive.ftl.p2l.put(hand.base + hand.taken, lpn);
                let ppn = hand.next();
                drive.ftl.l2p.put(lpn, ppn);
                lpn += 1;
            }
            pace.pages(cards.len() as u32)?;
        }
        drive.ftl.l2p.end_dense(lpn, pages);
        self.bring_to_places(drive, pace)?;
        self.rest_is_invalid(drive, pace)
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

    /// What each superblock took goes to the places that it took.
    fn bring_to_places(&self, drive: &mut Drive, pace: &mut Pace<'_>) -> Result<(), Halted> {
        let mut listed = Vec::new();
        for hand in &self.hands {
            let (p2l, base) = (&mut drive.ftl.p2l, hand.base);
            listed.clear();
            listed.extend((base..base + hand.taken).map(|ppn| p2l.listed(ppn)));
            for (lpn, place) in listed.iter().zip(hand.places()) {
                p2l.put(base + place, *lpn);
            }
            pace.pages(hand.taken)?;
        }
        Ok(())
    }

    /// The places that are left were overwritten since.
    fn rest_is_invalid(&mut self, drive: &mut Drive, pace: &mut Pace<'_>) -> Result<(), Halted> {
        for hand in &mut self.hands {
            while hand.taken < hand.pages {
                let ppn = hand.next();
                drive.ftl.p2l.invalidate(hand.superblock, ppn, 1);
                pace.pages(1)?;
            }
        }
        Ok(())
    }
}

/// Fisher and Yates.
fn shuffle(cards: &mut [u32], rng: &mut Rng) {
    for last in (1..cards.len()).rev() {
        cards.swap(last, rng.below(last as u64 + 1) as usize);
    }
}
