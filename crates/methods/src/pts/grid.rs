//! A round of random accesses: every size in every mix of reads and writes.
//!
//! The tests of IOPS and of latency make the same round from different lists. Mixes come in the order
//! of the test, from reads to writes, and in each mix all sizes. Followed until it is steady is the
//! last mix, writes alone, at 4 KiB (or at the smallest size that the target allows).

use base::method::Settings;
use base::size::Bytes;
use base::workload::Job;

use super::rounds::Stimulus;
use super::{key_of, timed};

/// The size whose writes are followed.
const FOLLOWED: Bytes = Bytes::kib(4);

/// What a round consists of.
pub(crate) struct Grid {
    /// By mix, by size.
    pub(crate) stimuli: Vec<Stimulus>,
    /// The first of the last mix.
    pub(crate) writes_from: usize,
    /// The one that is followed.
    pub(crate) followed: usize,
}

impl Grid {
    /// A round of `sizes`, largest first, in `mixes` (of 100 accesses so many reads), each for the
    /// setting `time`. Nothing where there are no sizes.
    pub(crate) fn new(
        sizes: &[Bytes],
        mixes: &[u8],
        settings: &Settings,
        job: impl Fn(Bytes, u8) -> Job,
    ) -> Option<Grid> {
        let smallest = sizes.len().checked_sub(1)?;
        let place = sizes.iter().position(|size| *size == FOLLOWED);
        let writes_from = mixes.len().checked_sub(1)? * sizes.len();
        let time = settings.time("time");
        let of = |mix: u8, size: Bytes| Stimulus {
            key: format!("rnd{}-r{mix}", key_of(size)),
            work: timed(job(size, mix), time, settings.seed),
        };
        let stimuli = mixes
            .iter()
            .flat_map(|mix| sizes.iter().map(|size| of(*mix, *size)));
        Some(Grid {
            stimuli: stimuli.collect(),
            writes_from,
            followed: writes_from + place.unwrap_or(smallest),
        })
    }
}
