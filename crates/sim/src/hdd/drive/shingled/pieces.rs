//! The map of the persistent cache: which runs of blocks lie in the log, band by band.
//!
//! Each piece lies in one band, so that what is asked of a place is answered by its band alone: a short list,
//! found by the band's number. A tree over all pieces would be a walk through memory that no processor's cache
//! holds, a quarter of a million entries on a disk of 8 TB.

use smallvec::SmallVec;

/// A run of blocks of one band in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Block after its last one.
    pub end: u64,
    /// Where its first block is in the log.
    pub at: u64,
    /// Its record; later ones have higher numbers.
    pub record: u64,
}

/// Pieces by first block, in a list for each band.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    band_blocks: u64,
    bands: Vec<List>,
    /// A bit for each band that has pieces.
    occupied: Vec<u64>,
    count: usize,
}

/// The pieces of a band, by first block. A log that is full of small writes has one in most bands: it lies
/// in the list itself.
type List = SmallVec<[Kept; 1]>;

/// A piece in as few bytes as it needs: where it lies is counted from its band's first block.
#[derive(Clone, Copy, Debug)]
struct Kept {
    first: u32,
    end: u32,
    at: u64,
    record: u64,
}

impl Kept {
    fn new(band_start: u64, first: u64, piece: &Piece) -> Kept {
        Kept {
            first: (first - band_start) as u32,
            end: (piece.end - band_start) as u32,
            at: piece.at,
            record: piece.record,
        }
    }

    /// First block, and the piece.
    #[inline]
    fn whole(self, band_start: u64) -> (u64, Piece) {
        let piece = Piece {
            end: band_start + u64::from(self.end),
            at: self.at,
            record: self.record,
        };
        (band_start + u64::from(self.first), piece)
    }
}

impl Pieces {
    /// No pieces; bands are in blocks.
    pub(super) fn new(band_blocks: u64) -> Pieces {
        Pieces {
            band_blocks: band_blocks.clamp(1, u64::from(u32::MAX)),
            bands: Vec::new(),
            occupied: Vec::new(),
            count: 0,
        }
    }

    /// How many there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline]
    fn band(&self, block: u64) -> usize {
        (block / self.band_blocks) as usize
    }

    #[inline]
    fn start_of(&self, band: usize) -> u64 {
        band as u64 * self.band_blocks
    }

    /// The block behind the last one of a block's band.
    #[inline]
    pub(super) fn band_end(&self, block: u64) -> u64 {
        (block / self.band_blocks + 1) * self.band_blocks
    }

    /// A new piece, whose first block is that of none and which ends in the band that it begins in.
    pub(super) fn insert(&mut self, first: u64, piece: Piece) {
        let band = self.band(first);
        debug_assert_eq!(band, self.band(piece.end - 1), "a piece lies in one band");
        if self.bands.len() <= band {
            self.bands.resize_with(band + 1, List::new);
            self.occupied.resize(band / 64 + 1, 0);
        }
        let kept = Kept::new(self.start_of(band), first, &piece);
        let list = &mut self.bands[band];
        let at = list.partition_point(|other| other.first < kept.first);
        list.insert(at, kept);
        self.occupied[band / 64] |= 1 << (band % 64);
        self.count += 1;
    }

    /// Takes away the first piece that begins in a range of one band.
    pub(super) fn take_first_in(&mut self, start: u64, end: u64) -> Option<(u64, Piece)> {
        let band = self.band(start);
        let band_start = self.start_of(band);
        let list = self.bands.get_mut(band)?;
        let from = (start - band_start) as u32;
        let at = list.partition_point(|kept| kept.first < from);
        if band_start + u64::from(list.get(at)?.first) >= end {
            return None;
        }
        let taken = list.remove(at);
        if list.is_empty() {
            self.occupied[band / 64] &= !(1 << (band % 64));
        }
        self.count -= 1;
        Some(taken.whole(band_start))
    }

    /// Shortens the piece that begins before a block and goes on in it, so that it ends there; gives its first
    /// block and the piece as it was.
    #[inline]
    pub(super) fn end_at(&mut self, block: u64) -> Option<(u64, Piece)> {
        let band = self.band(block);
        let band_start = self.start_of(band);
        let list = self.bands.get_mut(band)?;
        let end = (block - band_start) as u32;
        let at = list.partition_point(|kept| kept.first < end);
        let kept = list.get_mut(at.checked_sub(1)?)?;
        if kept.end <= end {
            return None;
        }
        let whole = kept.whole(band_start);
        kept.end = end;
        Some(whole)
    }

    /// First block of the first piece of a record that touches a range of one band.
    #[inline]
    pub(super) fn first_of(&self, record: u64, start: u64, end: u64) -> Option<u64> {
        let band = self.band(start);
        let band_start = self.start_of(band);
        let list = self.bands.get(band)?.iter();
        let of_record = list.filter(|kept| kept.record == record);
        let mut whole = of_record.map(|kept| kept.whole(band_start));
        let (first, _) = whole.find(|(first, piece)| *first < end && start < piece.end)?;
        Some(first)
    }

    /// Takes away all pieces that begin in a range of one band and are of a record before one; gives the
    /// record and the blocks of each.
    pub(super) fn take_older(
        &mut self,
        (start, end): (u64, u64),
        before: u64,
        mut taken: impl FnMut(u64, u64),
    ) {
        let band = self.band(start);
        let band_start = self.start_of(band);
        let Some(list) = self.bands.get_mut(band) else {
            return;
        };
        let had = list.len();
        list.retain(|kept| {
            let first = band_start + u64::from(kept.first);
            let stays = first < start || first >= end || kept.record >= before;
            if !stays {
                taken(kept.record, u64::from(kept.end - kept.first));
            }
            stays
        });
        self.count -= had - list.len();
        if list.is_empty() {
            self.occupied[band / 64] &= !(1 << (band % 64));
        }
    }

    /// Looks at what a block's band has; gives anything of it.
    #[inline]
    pub(super) fn touch(&self, block: u64) -> usize {
        let list = self.bands.get(self.band(block));
        let first = list.and_then(|list| list.first());
        first.map_or(0, |kept| kept.first as usize)
    }

    /// Pieces that a range of blocks touches, by first block.
    pub(super) fn touched(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, Piece)> + '_ {
        let begins = self.band(start);
        let first = self.bands.get(begins).map_or(0, |list| {
            let start = (start - self.start_of(begins)) as u32;
            let at = list.partition_point(|kept| kept.first < start);
            let goes_on = at.checked_sub(1).is_some_and(|at| list[at].end > start);
            at - usize::from(goes_on)
        });
        let of_band = move |band: usize| {
            let skipped = if band == begins { first } else { 0 };
            let band_start = self.start_of(band);
            let list = self.bands[band][skipped..].iter();
            list.map(move |kept| kept.whole(band_start))
        };
        self.occupied_from(begins)
            .take_while(move |&band| self.start_of(band) < end)
            .flat_map(of_band)
            .take_while(move |&(first, _)| first < end)
    }

    /// First blocks of all, growing.
    pub(super) fn starts(&self) -> impl Iterator<Item = u64> + '_ {
        self.touched(0, u64::MAX).map(|(first, _)| first)
    }

    /// Numbers of the bands with pieces, from one on.
    fn occupied_from(&self, band: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.occupied.iter().enumerate().skip(band / 64);
        words.flat_map(move |(number, &word)| {
            let before = if number == band / 64 { band % 64 } else { 0 };
            bits(word & (u64::MAX << before)).map(move |bit| number * 64 + bit)
        })
    }
}

/// Numbers of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(end: u64) -> Piece {
        Piece {
            end,
            at: 0,
            record: 0,
        }
    }

    /// Against a tree, under random work.
    #[test]
    fn the_lists_say_what_a_tree_says() {
        const BAND: u64 = 10;
        let mut pieces = Pieces::new(BAND);
        let mut tree = std::collections::BTreeMap::new();
        let mut rng = base::rng::Rng::new(5);
        for _ in 0..20_000 {
            let first = rng.below(5_000);
            let band_end = (first / BAND + 1) * BAND;
            if rng.below(2) == 0 {
                let next = tree.range(first..band_end).next();
                let next = next.map(|(&first, &end)| (first, end));
                let taken = pieces.take_first_in(first, band_end);
                assert_eq!(taken.map(|(first, piece)| (first, piece.end)), next);
                next.map(|(first, _)| tree.remove(&first));
            } else if pieces.touched(first, band_end).next().is_none() {
                let end = first + 1 + rng.below(band_end - first);
                pieces.insert(first, piece(end));
                tree.insert(first, end);
            }
            assert_eq!(pieces.len(), tree.len());
            let before = tree.range(..first).next_back();
            let around = before.filter(|(_, end)| **end > first);
            let expected: Vec<u64> = around
                .into_iter()
                .chain(tree.range(first..first + 40))
                .map(|(first, _)| *first)
                .collect();
            let found: Vec<u64> = pieces.touched(first, first + 40).map(|p| p.0).collect();
            assert_eq!(found, expected);
            let found = pieces.clone().end_at(first);
            let found = found.map(|(first, piece)| (first, piece.end));
            assert_eq!(found, around.map(|(first, end)| (*first, *end)));
        }
        assert!(pieces.starts().eq(tree.keys().copied()));
    }
}
