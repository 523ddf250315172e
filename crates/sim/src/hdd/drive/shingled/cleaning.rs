//! Cleaning: one band at a time is read, put together and written home.
//!
//! The band of the oldest piece comes first. Its home is read (unless the log has all of it), its pieces are
//! gathered in the order of the log, the band is written to a safe place, so that a power cut in the middle of
//! the last step loses nothing, and then home. Between two steps the arm may serve other accesses; a step once
//! begun is finished. Data written to the band meanwhile stay in the log.

use smallvec::SmallVec;

use super::super::{Hdd, Work};

/// Pieces that are gathered in one step.
const AT_ONCE: usize = 16;

/// A band that is being cleaned.
#[derive(Clone, Debug)]
pub(in super::super) struct Cleaning {
    start: u64,
    end: u64,
    /// Only what was written before this record goes home.
    before: u64,
    /// Its pieces: where they begin and end in the log.
    pieces: SmallVec<[(u64, u64); 2]>,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    ReadHome,
    /// From a piece on.
    Gather(usize),
    Save,
    WriteHome,
}

impl Hdd {
    /// Cleans unasked where the disk has rested for long enough before `now`; false where there is nothing
    /// to do by then.
    pub(in super::super) fn clean_unasked(&mut self, now: u64) -> bool {
        let Some(translation) = &self.translation else {
            return false;
        };
        if translation.cache.is_empty() {
            return false;
        }
        let idle_since = translation.last_command.max(self.last_host_work);
        let begin = self.busy.max(idle_since + translation.rules.idle_ns);
        begin < now && self.begin_cleaning_step(begin)
    }

    /// The arm goes to the next step of the cleaning under way, or of that of the oldest piece's band; false
    /// where the log is empty.
    pub(super) fn begin_cleaning_step(&mut self, now: u64) -> bool {
        let Some(translation) = &mut self.translation else {
            return false;
        };
        if translation.cleaning.is_none() {
            translation.choose_band();
        }
        let (log, scratch) = (
            translation.blocks,
            translation.blocks + translation.rules.cache_blocks,
        );
        let Some(cleaning) = &translation.cleaning else {
            return false;
        };
        let (start, end, step) = (cleaning.start, cleaning.end, cleaning.step);
        let mut at = self.leave(now);
        match step {
            Step::ReadHome => at = self.pass_over(start, end, false, at),
            Step::Gather(from) => {
                for piece in from..(from + AT_ONCE) {
                    let Some((start, end)) = self.piece_to_gather(piece) else {
                        break;
                    };
                    at = self.pass_over(log + start, log + end, false, at);
                }
            }
            Step::Save => at = self.pass_over(scratch, scratch + (end - start), true, at),
            Step::WriteHome => at = self.pass_over(start, end, true, at),
        }
        self.busy = at;
        self.work = Work::Clean;
        true
    }

    /// Where in the log a piece of the band under way lies; nothing behind the last one.
    fn piece_to_gather(&self, piece: usize) -> Option<(u64, u64)> {
        let cleaning = self.translation.as_ref()?.cleaning.as_ref()?;
        cleaning.pieces.get(piece).copied()
    }

    /// The head goes to a range of blocks and passes it; gives when it has.
    pub(super) fn pass_over(&mut self, start: u64, end: u64, write: bool, now: u64) -> u64 {
        let m = &self.p.mechanics;
        let pba = m.geometry.pba_of(start);
        let place = m.geometry.place(pba);
        let (pass, _) = self.pass.go(m, now, pba, &place, write);
        self.pass = pass;
        let pba_end = self.pba_end(end);
        self.pass
            .advance_far(&self.p.mechanics, &mut self.rare, pba_end)
    }

    /// A step is over.
    pub(super) fn end_cleaning_step(&mut self) {
        let Some(translation) = &mut self.translation else {
            return;
        };
        let Some(cleaning) = &mut translation.cleaning else {
            return;
        };
        let gathered = |from: usize| from >= cleaning.pieces.len();
        let home = if translation.rules.safe_copy {
            Step::Save
        } else {
            Step::WriteHome
        };
        cleaning.step = match cleaning.step {
            Step::ReadHome if gathered(0) => home,
            Step::ReadHome => Step::Gather(0),
            Step::Gather(from) if gathered(from + AT_ONCE) => home,
            Step::Gather(from) => Step::Gather(from + AT_ONCE),
            Step::Save => Step::WriteHome,
            Step::WriteHome => {
                let (start, end, before) = (cleaning.start, cleaning.end, cleaning.before);
                translation.cache.clean(start, end, before);
                translation.cleaning = None;
                translation.cleaned += 1;
                return;
            }
        };
    }
}

impl super::Translation {
    fn choose_band(&mut self) {
        let Some(oldest) = self.cache.oldest() else {
            return;
        };
        let (start, end) = self.band(oldest);
        let pieces = self.cache.pieces(start, end);
        let mut pieces: SmallVec<[(u64, u64); 2]> =
            pieces.map(|(a, b, at)| (at, at + (b - a))).collect();
        pieces.sort_unstable();
        let all: u64 = pieces.iter().map(|(at, end)| end - at).sum();
        let step = if all == end - start {
            Step::Gather(0)
        } else {
            Step::ReadHome
        };
        self.cleaning = Some(Cleaning {
            start,
            end,
            before: self.cache.next_record(),
            pieces,
            step,
        });
    }
}
