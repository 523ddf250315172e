//! Writes: into the log, or, as part of a long stream, straight to their bands.
//!
//! What waits in the buffer is written to the log, the oldest first, all that fits at once in one record. The
//! record begins where the last one ended; where a flush waits, it begins with the first sector that comes
//! under the head, and the sectors that have passed are left out, and behind it the map is saved. Where the
//! log or its map has no room, a band is cleaned first, and then the next one, until the oldest run fits.
//!
//! A stream is a series of writes; each begins where an earlier one ended. A flush ends all streams: measured
//! from outside, chunks of up to 1 GiB with a flush between them go through a disk's cache, and 100 GiB of
//! sequential writes without a flush do not.

use super::super::{Hdd, Work};
use super::Translation;
use crate::hdd::write_cache::Run;

/// Streams that are followed.
const STREAMS: usize = 8;

/// Sequential streams that are followed.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Streams {
    /// First block and end of each, the last used one at the end.
    followed: Vec<(u64, u64)>,
    /// None was longer since all were forgotten.
    longest: u64,
}

impl Streams {
    /// The host writes `start..end`.
    #[inline]
    fn follow(&mut self, start: u64, end: u64) {
        let at = self
            .followed
            .iter()
            .position(|&(_, reached)| reached == start);
        let first = match at {
            Some(at) => self.followed.remove(at).0,
            None => start,
        };
        if self.followed.len() == STREAMS {
            self.followed.remove(0);
        }
        self.followed.push((first, end));
        self.longest = self.longest.max(end - first);
    }

    /// Whether `start..end` is part of a stream of at least so many blocks.
    fn long(&self, start: u64, end: u64, blocks: u64) -> bool {
        if self.longest < blocks {
            return false;
        }
        let mut followed = self.followed.iter();
        followed
            .any(|&(first, reached)| first <= start && end <= reached && reached - first >= blocks)
    }

    /// None is followed.
    pub(in super::super) fn clear(&mut self) {
        self.followed.clear();
        self.longest = 0;
    }
}

/// A record on its way into the log.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Batch {
    /// Runs in it, the oldest first.
    runs: Vec<(u64, u64)>,
    /// The lowest number of a run in it.
    number: u64,
    /// Blocks of data.
    data: u64,
    /// Blocks of the log before them.
    skipped: u64,
    /// Blocks of the log behind them.
    saved: u64,
}

impl Batch {
    /// Nothing is on its way.
    pub(in super::super) fn clear(&mut self) {
        let mut runs = std::mem::take(&mut self.runs);
        runs.clear();
        *self = Batch {
            runs,
            ..Batch::default()
        };
    }

    /// The runs in it: first block and end.
    pub(in super::super) fn runs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.runs.iter().copied()
    }

    /// Whether it holds a run from before a line.
    pub(in super::super) fn waits_before(&self, line: u64) -> bool {
        !self.runs.is_empty() && self.number < line
    }

    fn blocks(&self) -> u64 {
        self.skipped + self.data + self.saved
    }
}

impl Translation {
    /// The host writes a range of blocks.
    #[inline]
    pub(in super::super) fn written(&mut self, start: u64, end: u64) {
        self.streams.follow(start, end);
        if let Some(mapped) = &mut self.mapped {
            mapped.map(start, end);
        }
    }

    /// Whether a run goes straight to its band.
    pub(in super::super) fn goes_straight(&self, run: &Run) -> bool {
        self.streams
            .long(run.start, run.end, self.rules.direct_blocks)
    }

    /// Pieces that a range of blocks makes: one in each band.
    fn pieces_of(&self, start: u64, end: u64) -> usize {
        let band = self.rules.band_blocks;
        ((end - 1) / band - start / band + 1) as usize
    }

    /// The record has been written; gives the blocks of data in it.
    fn end_record(&mut self) -> u64 {
        let mut batch = std::mem::take(&mut self.batch);
        let band = self.rules.band_blocks;
        let pieces = batch.runs.iter().flat_map(|&(start, end)| {
            (start / band..=(end - 1) / band)
                .map(move |b| (start.max(b * band), end.min((b + 1) * band)))
        });
        self.cache.append(batch.blocks(), batch.skipped, pieces);
        let data = batch.data;
        batch.clear();
        self.batch = batch;
        data
    }
}

impl Hdd {
    /// Whether the disk is shingled and the arm has nothing to choose from but the oldest run: what that
    /// costs is then not asked.
    #[inline]
    pub(in super::super) fn nothing_but_the_log_waits(&self) -> bool {
        let writes = matches!(self.work, Work::Destage(_));
        self.translation.is_some() && self.queue.is_empty() && !writes
    }

    /// The run that is written next on a shingled disk, the oldest, with its cost, first block and number.
    pub(in super::super) fn oldest_for_log(&self, now: u64) -> Option<(i64, u64, u64)> {
        let translation = self.translation.as_ref()?;
        let run = self.writing.cache.oldest_run()?;
        let place = if translation.goes_straight(run) {
            run.place
        } else {
            let geometry = &self.p.mechanics.geometry;
            let head = translation.cache.head() % translation.cache.size();
            geometry.place(geometry.pba_of(translation.blocks + head))
        };
        let cost = self.aim(now).cost(&place, true, run.since);
        Some((cost, run.start, run.number))
    }

    /// Begins to write what has waited longest: a record for the log, or a cleaning that makes room for it.
    /// False where it goes straight to its band, as on any other disk.
    pub(in super::super) fn begin_record(&mut self, now: u64) -> bool {
        let Some(translation) = &mut self.translation else {
            return false;
        };
        if let Some(run) = self.writing.cache.oldest_run()
            && translation.goes_straight(run)
        {
            translation.cache.cut(run.start, run.end);
            return false;
        }
        self.gather_runs();
        let none = self
            .translation
            .as_ref()
            .is_none_or(|t| t.batch.runs.is_empty());
        if none {
            self.begin_cleaning_step(now);
        } else {
            self.write_record(now);
        }
        true
    }

    /// Takes the runs that fit into the log.
    fn gather_runs(&mut self) {
        let Some(translation) = &mut self.translation else {
            return;
        };
        let flushes = self.writing.flushes.front();
        let line = flushes.map_or(u64::MAX, |&(_, line)| line);
        let saved = if line == u64::MAX {
            0
        } else {
            translation.rules.map_save_blocks
        };
        let mut entries = 0;
        while let Some(&run) = self.writing.cache.oldest_run() {
            let more = translation.pieces_of(run.start, run.end);
            let blocks = translation.batch.data + (run.end - run.start) + saved;
            let first = translation.batch.runs.is_empty();
            let end = if run.number >= line && !first || translation.goes_straight(&run) {
                break;
            } else if translation.cache.has_room(blocks, entries + more) {
                run.end
            } else if first && translation.cache.is_empty() {
                // Longer than the log: a part of it.
                run.end.min(run.start + translation.rules.band_blocks)
            } else {
                break;
            };
            self.writing.cache.take(run.start, run.number);
            if end < run.end {
                let geometry = &self.p.mechanics.geometry;
                self.writing.cache.put_back(Run {
                    start: end,
                    place: geometry.place(geometry.pba_of(end)),
                    ..run
                });
            }
            entries += more;
            let batch = &mut translation.batch;
            batch.number = if first {
                run.number
            } else {
                batch.number.min(run.number)
            };
            batch.data += end - run.start;
            batch.runs.push((run.start, end));
            if end < run.end {
                break;
            }
        }
        // What a flush waits for ends with the map.
        if line != u64::MAX && !self.writing.cache.waits_before(line) {
            translation.batch.saved = saved;
        }
    }

    /// The arm writes the record.
    fn write_record(&mut self, now: u64) {
        let free = self.leave(now) + self.shaken.still();
        let Some(translation) = &mut self.translation else {
            return;
        };
        let batch = &mut translation.batch;
        let at = translation.cache.make_way(batch.blocks());
        let m = &self.p.mechanics;
        let mut pba = m.geometry.pba_of(translation.blocks + at);
        let (mut pass, landing) = {
            let place = m.geometry.place(pba);
            self.pass.go(m, free, pba, &place, true)
        };
        if batch.saved > 0 {
            let on_track =
                u64::from(m.geometry.tracks()[pass.track.zone as usize].sectors_per_track);
            let passed = u64::from(landing.sector) + on_track - u64::from(landing.wanted);
            let skipped = (passed % on_track).next_multiple_of(self.p.physical_blocks);
            let fits = at + skipped + batch.blocks() <= translation.cache.size()
                && translation.cache.has_room(skipped + batch.blocks(), 0);
            if skipped > 0 && fits && pba + skipped < pass.end_of_run() {
                batch.skipped = skipped;
                pba = m.geometry.pba_of(translation.blocks + at + skipped);
                let place = m.geometry.place(pba);
                pass = self.pass.go(m, free, pba, &place, true).0;
            }
        }
        let end = translation.blocks + at + batch.blocks();
        self.pass = pass;
        let pba_end = self.pba_end(end);
        self.busy = self
            .pass
            .advance(&self.p.mechanics, &mut self.rare, pba_end);
        self.work = Work::Record;
    }

    /// Whether the record on its way holds a run from before a line.
    pub(in super::super) fn record_waits_before(&self, line: u64) -> bool {
        let translation = self.translation.as_ref();
        translation.is_some_and(|t| t.batch.waits_before(line))
    }

    /// Whether all of a range of blocks is in one run of the record on its way.
    pub(in super::super) fn record_covers(&self, start: u64, end: u64) -> bool {
        let translation = self.translation.as_ref();
        translation.is_some_and(|t| t.batch.runs().any(|run| run.0 <= start && end <= run.1))
    }

    /// Notices that a record or a step of a cleaning is over by now.
    pub(in super::super) fn settle_shingled(&mut self, now: u64) {
        if self.busy > now {
            return;
        }
        match self.work {
            Work::Record => {
                let written = self.translation.as_mut().map_or(0, |t| t.end_record());
                self.writing.cache.release(written);
            }
            Work::Clean => self.end_cleaning_step(),
            _ => return,
        }
        self.work = Work::Rest;
    }
}
