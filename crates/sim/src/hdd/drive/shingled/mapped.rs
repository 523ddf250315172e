//! Which pages have ever been written and not been trimmed: the others are read as zeros, without the disc.
//!
//! A bit a page of 4 KiB; a part of the disk with all pages alike needs none.

/// Blocks of a page.
const PAGE: u64 = 8;

/// Pages of a part, and the words of its bits.
const PART: u64 = 4_096;
const WORDS: usize = PART as usize / 64;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    None,
    All,
    Some(Box<[u64; WORDS]>),
}

/// The pages that are mapped.
#[derive(Clone, Debug)]
pub struct Mapped {
    parts: Vec<Part>,
}

impl Mapped {
    /// Nothing is mapped; the size of the disk is in blocks.
    pub fn new(blocks: u64) -> Mapped {
        let parts = blocks.div_ceil(PAGE * PART) as usize;
        Mapped {
            parts: vec![Part::None; parts],
        }
    }

    /// Maps each page with a block in `start..end`.
    pub fn map(&mut self, start: u64, end: u64) {
        self.put(start / PAGE, end.div_ceil(PAGE), true);
    }

    /// Each page that is whole in `start..end` is mapped no more.
    pub fn unmap(&mut self, start: u64, end: u64) {
        self.put(start.div_ceil(PAGE), end / PAGE, false);
    }

    /// Whether any page with a block in `start..end` is mapped.
    pub fn any(&self, start: u64, end: u64) -> bool {
        by_part(start / PAGE, end.div_ceil(PAGE)).any(|(part, from, to)| match &self.parts[part] {
            Part::None => false,
            Part::All => true,
            Part::Some(bits) => {
                (from..to).any(|page| bits[page as usize / 64] >> (page % 64) & 1 == 1)
            }
        })
    }

    fn put(&mut self, first: u64, end: u64, mapped: bool) {
        for (part, from, to) in by_part(first, end) {
            let part = &mut self.parts[part];
            let (same, all) = if mapped {
                (Part::All, u64::MAX)
            } else {
                (Part::None, 0)
            };
            if *part == same {
                continue;
            }
            if (from, to) == (0, PART) {
                *part = same;
                continue;
            }
            if !matches!(part, Part::Some(_)) {
                *part = Part::Some(Box::new([!all; WORDS]));
            }
            if let Part::Some(bits) = part {
                for page in from..to {
                    let bit = 1 << (page % 64);
                    let word = &mut bits[page as usize / 64];
                    *word = *word & !bit | all & bit;
                }
            }
        }
    }
}

/// A range of pages by parts: which one, and the pages in it.
fn by_part(first: u64, end: u64) -> impl Iterator<Item = (usize, u64, u64)> {
    let parts = if first < end {
        first / PART..(end - 1) / PART + 1
    } else {
        0..0
    };
    parts.map(move |part| {
        let begin = part * PART;
        let (from, to) = (first.max(begin), end.min(begin + PART));
        (part as usize, from - begin, to - begin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_mapped_as_they_are_written_and_unmapped_whole() {
        let mut mapped = Mapped::new(1 << 20);
        assert!(!mapped.any(0, 1 << 20));
        mapped.map(17, 18);
        assert!(mapped.any(16, 17) && !mapped.any(0, 16) && !mapped.any(24, 1 << 20));
        // Part of a page stays.
        mapped.unmap(17, 24);
        assert!(mapped.any(16, 17));
        mapped.unmap(16, 24);
        assert!(!mapped.any(0, 1 << 20));
        mapped.map(0, 1 << 20);
        mapped.unmap(100_000, 200_000);
        assert!(!mapped.any(100_000, 200_000));
        assert!(mapped.any(99_999, 100_000) && mapped.any(200_000, 200_001));
    }

    #[test]
    fn the_bits_say_what_a_plain_list_says() {
        let mut mapped = Mapped::new(100_000);
        let mut plain = vec![false; 12_500];
        let mut rng = base::rng::Rng::new(5);
        for _ in 0..2_000 {
            let start = rng.below(99_000);
            let end = start + 1 + rng.below(100_000 - start);
            if rng.below(2) == 0 {
                mapped.map(start, end);
                let (first, end) = (start / 8, end.div_ceil(8));
                plain[first as usize..end as usize].fill(true);
            } else {
                mapped.unmap(start, end);
                let (first, end) = (start.div_ceil(8), end / 8);
                plain[first as usize..end.max(first) as usize].fill(false);
            }
            let block = rng.below(99_900);
            let pages = block / 8..(block + 100).div_ceil(8);
            let any = plain[pages.start as usize..pages.end as usize].contains(&true);
            assert_eq!(mapped.any(block, block + 100), any);
        }
    }
}
