//! Is what was written still there, all over a target?
//!
//! A counterfeit has a small memory behind a large number. Of what is written beyond it nothing is kept, or the upper bits
//! of the address are not looked at and it lands on what lies lower down. The target is divided into equal pieces. A mark of
//! one I/O is written at the start of each; then the last piece is written completely; everything is flushed and read back.
//! Each sector carries its address ([`base::label`]). Writes that are dropped are missing in the last piece. Wrapping is
//! seen for any memory size: the last piece is as long as the distance between marks, so it overwrites one of them. If
//! anything is missing, the same is done for the first half of the pieces, and so on.

use base::{Bytes, Duration, Fill, Io, Script, StepId, Stopped};

/// I/Os in flight.
const DEPTH: u32 = 8;
/// What the last piece is written by.
const WRITTEN_BY: Bytes = Bytes::mib(1);

/// The pieces of a target.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    all: Bytes,
    block: Bytes,
    /// Length of each piece but the last, which also has the remainder.
    len: Bytes,
    count: u64,
}

impl Pieces {
    /// `all` in pieces of `len`, each marked by a `block`.
    pub fn new(all: Bytes, block: Bytes, len: Bytes) -> Pieces {
        let block = block.max(Bytes::new(1));
        let all = all.round_down(block);
        let len = len.round_up(block).min(all).max(block);
        Pieces {
            all,
            block,
            len,
            count: (all.get() / len.get()).max(1),
        }
    }

    /// All of them.
    pub fn all(&self) -> Bytes {
        self.all
    }

    /// How long each is.
    pub fn len(&self) -> Bytes {
        self.len
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The end of this many pieces.
    pub fn end(&self, pieces: u64) -> Bytes {
        if pieces == self.count {
            self.all
        } else {
            self.len * pieces
        }
    }

    /// Looks are this many at most: one at the end, and a halving each.
    pub fn most_looks(&self) -> u64 {
        u64::from(self.count.next_power_of_two().ilog2()) + 1
    }

    /// What a look writes at most, and reads.
    pub fn moved_by_a_look(&self) -> Bytes {
        self.len * 2 + self.block * self.count
    }

    /// How many pieces are stored, and the least number of which the last one is not, or is not looked at: the same where
    /// all are. `lacks` looks at the first so many pieces by [`Pieces::look`], of a generation, and says whether anything
    /// is missing.
    ///
    /// # Errors
    /// What `lacks` stops for.
    pub fn stored(
        &self,
        mut lacks: impl FnMut(u64, u16) -> Result<bool, Stopped>,
    ) -> Result<[u64; 2], Stopped> {
        if !lacks(self.count, 1)? {
            return Ok([self.count; 2]);
        }
        let (mut kept, mut missing) = (0, self.count);
        let mut generation = 1;
        while missing - kept > 1 {
            generation += 1;
            let middle = u64::midpoint(kept, missing);
            match lacks(middle, generation)? {
                true => missing = middle,
                false => kept = middle,
            }
        }
        Ok([kept, missing])
    }

    /// Marks the first `pieces` and writes the last of them whole, and reads all of it.
    pub fn look(&self, pieces: u64, generation: u16) -> Script {
        let mut script = Script::new("look", DEPTH);
        let labelled = |io: Io| Io {
            fill: Fill::labelled(generation),
            ..io
        };
        let before_last = pieces.max(1) - 1;
        let last = self.len * before_last;
        let marks = (0..before_last).map(|piece| (self.len * piece, self.block));
        let by = WRITTEN_BY.round_up(self.block);
        let places: Vec<(Bytes, Bytes)> = marks.chain(cut(last, self.end(pieces), by)).collect();
        let (marks, whole) = places.split_at(before_last as usize);
        let mut before: Vec<StepId> = Vec::new();
        for written in [marks, whole] {
            let write = |(at, len): &(Bytes, Bytes)| labelled(Io::write(*at, *len, 0));
            let steps: Vec<StepId> = written
                .iter()
                .map(|place| script.io(write(place), Duration::ZERO, &before))
                .collect();
            let all = script.host(
                Duration::ZERO,
                if steps.is_empty() { &before } else { &steps },
            );
            before = vec![script.io(Io::flush(), Duration::ZERO, &[all])];
        }
        for (at, len) in whole.iter().chain(marks) {
            script.io(labelled(Io::read(*at, *len)), Duration::ZERO, &before);
        }
        script
    }
}

/// A span in I/Os of a size.
fn cut(start: Bytes, end: Bytes, size: Bytes) -> impl Iterator<Item = (Bytes, Bytes)> {
    let accesses = (end - start).get().div_ceil(size.get());
    (0..accesses).map(move |index| {
        let at = start + size * index;
        (at, size.min(end - at))
    })
}
