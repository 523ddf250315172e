//! Are there several disks behind one address?
//!
//! An array cuts addresses into chunks and deals them round its members: chunk 0 lies on the first disk, chunk 1 on the
//! second, and so on. Two reads that are sent together to unlike members do not wait for each other, as each has an arm of
//! its own; on one member the second waits for the first. So pairs of reads go to random places, and for each size of a
//! chunk and each number of members the pairs are parted into those that would meet on one member and the others. Of one
//! disk no such parting means anything, since how far an arm goes and how far the disc has turned do not depend on single
//! bits of an address. Of an array one parting explains the times far better than all others.
//!
//! The reads of a RAID 5 whose parity goes round with the data (left-symmetric, as Linux lays it out) meet as those of a
//! RAID 0 do. Mirrors answer from either disk, and chunks behind a cache answer at once: then nothing is visible. Dies of
//! one SSD are dealt to in the same way as members are, so this is asked of disks alone.

use base::{Bytes, Duration, Message, Script, Stopped, TrailIo};

use crate::evidence::{better_by, mean};
use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "members",
    suits: |known| known.turns == Some(true),
    writes: |_| None,
    takes: |asked| asked.singles(2 * PAIRS),
    ask,
};

/// Pairs: of 16 members, some forty of them meet.
const PAIRS: u64 = 600;
/// Fewer tell nothing: a phase may be short.
const LEAST_PAIRS: usize = 150;
/// Chunks that drivers and controllers offer: powers of two between these.
const SMALLEST: Bytes = Bytes::kib(4);
const CHUNKS: u32 = 13;
/// Members that are looked for.
const MEMBERS: std::ops::RangeInclusive<u64> = 2..=16;
/// Where the first chunk begins: at the beginning, or before the first partition of an old system, 63 sectors earlier.
const OFFSETS: [Bytes; 2] = [Bytes::ZERO, Bytes::new(63 * 512)];
/// Evidence against one disk: some 400 layouts are tried, the best of which beats it by 12 by chance; and against another
/// layout.
const CERTAIN: f64 = 30.0;
const CERTAIN_OF_TWO: f64 = 10.0;
/// Pairs that meet take longer by this share at least: a second read on the same arm does.
const LEAST_LONGER: f64 = 0.1;

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let mut script = Script::new("pairs", 2);
    let mut before = Vec::new();
    for _ in 0..PAIRS {
        let both = [probe.random_read(), probe.random_read()];
        before = both
            .map(|read| script.io(read, Duration::ZERO, &before))
            .to_vec();
    }
    let trail = probe.script("pairs", script)?;
    let layout = Layout::of(&pairs(&trail));
    let mut found = Found::default();
    let of = |value: fn(&Layout) -> f64| -> Estimate {
        layout
            .as_ref()
            .map(|it| (value(it), None))
            .map_err(Clone::clone)
    };
    found.add(probe, "number", "count", of(|it| it.members as f64));
    let kib = |it: &Layout| it.chunk.get() as f64 / Bytes::kib(1).get() as f64;
    found.add(probe, "chunk", "KiB", of(kib));
    found.add(probe, "longer", "ratio", of(|it| it.longer));
    found.add(probe, "lost-by", "count", of(|it| it.lost_by));
    Ok(found)
}

/// Two reads that were sent together: where they were, and what the slower took, in us.
#[derive(Clone, Copy, Debug)]
struct Pair {
    places: [Bytes; 2],
    slower: f64,
}

/// The pairs of a trail whose reads are both there.
fn pairs(trail: &[TrailIo]) -> Vec<Pair> {
    let together = trail.windows(2).filter_map(|pair| match pair {
        [one, other] if one.step % 2 == 0 && other.step == one.step + 1 => Some(Pair {
            places: [one.offset, other.offset],
            slower: one.took.max(other.took).as_secs_f64() * 1e6,
        }),
        _ => None,
    });
    together.collect()
}

/// How addresses are dealt to members.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layout {
    members: u64,
    chunk: Bytes,
    offset: Bytes,
    /// What pairs that meet take, as a multiple of the others.
    longer: f64,
    /// What the next best explanation, or none, loses by.
    lost_by: f64,
}

impl Layout {
    /// The layout that explains the times, if it stands out.
    fn of(pairs: &[Pair]) -> Result<Layout, Message> {
        if pairs.len() < LEAST_PAIRS {
            return Err(Message::of("why-nothing-completed"));
        }
        let slower: Vec<f64> = pairs.iter().map(|pair| pair.slower).collect();
        // One late response counts as three medians, as in a mean.
        let most = 3.0 * stats::median(&slower).unwrap_or(0.0);
        let slower: Vec<f64> = slower.iter().map(|it| it.min(most)).collect();
        let flat = squares(&slower);
        let mut fits: Vec<(f64, Layout)> = layouts()
            .filter_map(|layout| layout.fitted(pairs, &slower))
            .collect();
        fits.sort_by(|a, b| a.0.total_cmp(&b.0));
        let none = || Message::of("why-no-members");
        let (best, layout) = *fits.first().ok_or_else(none)?;
        let is_other =
            |it: &&(f64, Layout)| (it.1.members, it.1.chunk) != (layout.members, layout.chunk);
        let next = fits.iter().find(is_other).map_or(flat, |it| it.0);
        let n = pairs.len();
        let (flat, next) = (better_by(flat, best, n, 3), better_by(next, best, n, 0));
        let certain = flat > CERTAIN && next > CERTAIN_OF_TWO && layout.longer > 1.0 + LEAST_LONGER;
        let lost_by = flat.min(next);
        let layout = Layout { lost_by, ..layout };
        certain.then_some(layout).ok_or_else(none)
    }

    /// Whether the reads of a pair are on one member.
    fn meets(&self, pair: &Pair) -> bool {
        let [one, other] = pair.places.map(|place| {
            let chunk = (place + self.offset).get() / self.chunk.get().max(1);
            chunk % self.members.max(1)
        });
        one == other
    }

    /// What it leaves unexplained, in squares, where pairs that meet take longer.
    fn fitted(self, pairs: &[Pair], slower: &[f64]) -> Option<(f64, Layout)> {
        let (mut meeting, mut apart) = (Vec::new(), Vec::new());
        for (pair, time) in pairs.iter().zip(slower) {
            match self.meets(pair) {
                true => meeting.push(*time),
                false => apart.push(*time),
            }
        }
        let longer = mean(&meeting)?.value / mean(&apart)?.value.max(1e-9);
        let left = squares(&meeting) + squares(&apart);
        (longer > 1.0).then_some((left, Layout { longer, ..self }))
    }
}

/// All layouts that are tried.
fn layouts() -> impl Iterator<Item = Layout> {
    let chunks = (0..CHUNKS).map(|n| SMALLEST * (1 << n));
    chunks.flat_map(|chunk| {
        MEMBERS.flat_map(move |members| {
            OFFSETS.map(|offset| Layout {
                members,
                chunk,
                offset,
                longer: 1.0,
                lost_by: 0.0,
            })
        })
    })
}

/// Squares of what is off the mean.
fn squares(of: &[f64]) -> f64 {
    let mean = of.iter().sum::<f64>() / (of.len() as f64).max(1.0);
    of.iter().map(|it| (it - mean) * (it - mean)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// Pairs on disks of 4 TB that take some 15 ms, and a seek and a turn more where they meet; with odd responses.
    fn drawn(seed: u64, array: Option<Layout>) -> Vec<Pair> {
        let mut rng = Rng::new(seed);
        (0..PAIRS)
            .map(|n| {
                let mut place = || Bytes::kib(4) * rng.below(1_000_000_000);
                let mut pair = Pair {
                    places: [place(), place()],
                    slower: 0.0,
                };
                let mut wait = || rng.below(8_300) as f64;
                let lone = 6_000.0 + wait() + wait();
                let waits = array.is_none_or(|array| array.meets(&pair));
                pair.slower = lone + if waits { 2_000.0 + wait() } else { 0.0 };
                if n % 97 == 5 {
                    pair.slower += 300_000.0;
                }
                pair
            })
            .collect()
    }

    fn array(members: u64, kib: u64, offset: Bytes) -> Layout {
        Layout {
            members,
            chunk: Bytes::kib(kib),
            offset,
            longer: 1.0,
            lost_by: 0.0,
        }
    }

    #[test]
    fn members_and_chunks_are_told() {
        for (members, kib) in [(2, 128), (2, 16), (3, 64), (4, 512), (5, 256), (8, 64)] {
            for seed in 0..5 {
                for offset in OFFSETS {
                    let is = array(members, kib, offset);
                    let found = Layout::of(&drawn(seed, Some(is))).unwrap();
                    assert_eq!((found.members, found.chunk), (members, is.chunk));
                }
            }
        }
    }

    #[test]
    fn one_disk_is_no_array() {
        for seed in 0..60 {
            let why = Layout::of(&drawn(seed, None)).unwrap_err();
            assert_eq!(why.key(), Some("why-no-members"), "{seed}");
        }
        assert!(Layout::of(&[]).is_err());
    }

    #[test]
    fn chunks_that_are_not_looked_for_are_no_others() {
        for seed in 0..20 {
            let odd = array(2, 100, Bytes::ZERO);
            let found = Layout::of(&drawn(seed, Some(odd)));
            assert!(found.is_err(), "{found:?}");
        }
    }
}
