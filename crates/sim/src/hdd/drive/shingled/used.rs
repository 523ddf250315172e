//! A shingled disk that has been used: its log and its map as writing would have left them.
//!
//! In order, everything is home and the log is empty. After random writes of 4 KiB for long, without a rest,
//! the map is full, with a piece for each of the last writes; so many pieces at random places touch
//! `bands x (1 - exp(-pieces / bands))` bands. Where the written part is so small that they would overwrite
//! each other, it has a piece for every second page at most.

use base::rng::Rng;

use super::Translation;
use base::state::Written;

/// Blocks of a random write.
const PAGE: u64 = 8;

impl Translation {
    /// As a drive in a state.
    pub(super) fn use_as(&mut self, written: Written, seed: u64) {
        let (percent, random) = match written {
            Written::Fresh => return,
            Written::InOrder(percent) => (percent, false),
            Written::SteadyRandom(percent) => (percent, true),
        };
        let part = self.blocks * u64::from(percent) / 100;
        if let Some(mapped) = &mut self.mapped {
            mapped.map(0, part);
        }
        if random {
            self.fill_the_log(part, seed);
        }
    }

    fn fill_the_log(&mut self, part: u64, seed: u64) {
        let mut rng = Rng::stream(seed, 0x736d_7200);
        let pages = part / PAGE;
        let by_bytes = self.cache.size() / PAGE;
        let most = (pages / 2).min(by_bytes).saturating_sub(1);
        while (self.cache.entries() as u64) < most && self.cache.has_room(PAGE, 1) {
            let start = rng.below(pages) * PAGE;
            self.cache.make_way(PAGE);
            self.cache
                .append(PAGE, 0, [(start, start + PAGE)].into_iter());
        }
    }
}
