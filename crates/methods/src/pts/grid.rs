//! A round of random I/Os: every size in every mix of reads and writes.
//!
//! The tests of IOPS and of latency make the same round from different lists. Mixes come in the order
//! of the test, from reads to writes, and in each mix all sizes. Followed until it is steady is the
//! last mix, writes alone, at 4 KiB (or at the smallest size that the target allows).

use base::{Bytes, Job, Settings};

use super::rounds::{Measured, Rounds, Stimulus};
use super::timed;
use crate::figures::key_of;

/// The size whose writes are followed.
const FOLLOWED: Bytes = Bytes::kib(4);

/// What a round consists of.
pub(crate) struct Grid {
    /// By mix, by size.
    pub(crate) stimuli: Vec<Stimulus>,
    /// The tracked one.
    followed: usize,
}

impl Grid {
    /// A round of `sizes`, largest first and one at least, in `mixes` (percentages of reads), each
    /// for the setting `time`. The curves of the last mix are drawn, as in the specification's plot of
    /// convergence.
    pub(crate) fn new(
        sizes: &[Bytes],
        mixes: &[u8],
        settings: &Settings,
        job: impl Fn(Bytes, u8) -> Job,
    ) -> Grid {
        let time = settings.time("time");
        let of = |mix: u8, size: Bytes| {
            let key = format!("rnd{}-r{mix}", key_of(size));
            Stimulus {
                curve: (Some(&mix) == mixes.last()).then(|| key.clone()),
                key,
                work: timed(job(size, mix), time, settings.seed),
            }
        };
        let stimuli: Vec<Stimulus> = mixes
            .iter()
            .flat_map(|mix| sizes.iter().map(|size| of(*mix, *size)))
            .collect();
        let followed = sizes.iter().position(|size| *size == FOLLOWED);
        let smallest = sizes.len().saturating_sub(1);
        let last_mix = stimuli.len().saturating_sub(sizes.len());
        Grid {
            followed: last_mix + followed.unwrap_or(smallest),
            stimuli,
        }
    }

    /// Its rounds, with the tracked value of each phase; `of` is its name in a warning.
    pub(crate) fn rounds<'a>(&'a self, of: &'a str, follow: fn(&Measured) -> f64) -> Rounds<'a> {
        Rounds {
            name: "",
            of,
            stimuli: &self.stimuli,
            followed: self.followed,
            follow,
        }
    }
}
