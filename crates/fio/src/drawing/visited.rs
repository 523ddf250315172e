//! Which blocks of a region were visited: fio's random map.
//!
//! If a drawn position was already visited, the next one that was not is used, wrapping around; an I/O is cut where
//! visited blocks begin. So a region is covered once by I/Os of several sizes. Runs of blocks are stored, not bits:
//! memory grows with the I/Os, and shrinks as the runs meet.

use std::collections::BTreeMap;

/// Blocks that were visited.
pub(super) struct Visited {
    blocks: u64,
    /// First block, and end (exclusive), of each run.
    runs: BTreeMap<u64, u64>,
}

impl Visited {
    /// No visited blocks of this number.
    pub(super) fn none_of(blocks: u64) -> Visited {
        Visited {
            blocks,
            runs: BTreeMap::new(),
        }
    }

    /// The first block from this one on, around the end, that was not visited; nothing where all were.
    pub(super) fn next_free(&self, block: u64) -> Option<u64> {
        let from = |block: u64| match self.runs.range(..=block).next_back() {
            Some((_, end)) if *end > block => *end,
            _ => block,
        };
        let found = [block, 0].map(from);
        found.into_iter().find(|block| *block < self.blocks)
    }

    /// Visits this many blocks from a free one on, or as many as are free; returns the number.
    pub(super) fn visit(&mut self, block: u64, count: u64) -> u64 {
        let next = self.runs.range(block..).next().map(|(at, end)| (*at, *end));
        let free = next.map_or(self.blocks, |(at, _)| at);
        let end = block.saturating_add(count).min(free);
        let meets = next.filter(|(at, _)| *at == end);
        if let Some((at, _)) = meets {
            self.runs.remove(&at);
        }
        let until = meets.map_or(end, |(_, until)| until);
        match self.runs.range_mut(..block).next_back() {
            Some((_, last)) if *last == block => *last = until,
            _ => drop(self.runs.insert(block, until)),
        }
        end - block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    #[test]
    fn every_block_is_visited_once_whatever_the_sizes() {
        let mut visited = Visited::none_of(1_000);
        let mut seen = vec![0_u32; 1_000];
        let mut rng = Rng::new(3);
        while let Some(block) = visited.next_free(rng.below(1_000)) {
            let count = visited.visit(block, 1 + rng.below(16));
            assert!(count > 0);
            (block..block + count).for_each(|block| seen[block as usize] += 1);
        }
        assert_eq!(seen, vec![1; 1_000]);
        assert_eq!(visited.runs.len(), 1);
    }
}
