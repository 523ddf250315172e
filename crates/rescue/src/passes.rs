//! The passes of a rescue: easy areas first, damaging reads last.
//!
//! 1. **Copy.** Forwards in large blocks. A failed block is left for later, and reading continues after a gap that
//!    doubles with each consecutive failure, so that a large damaged area is left quickly. Then backwards over the
//!    gaps, in the same way, which finds the other edge of the damage; then over what is still untried, without gaps.
//! 2. **Trim.** Each failed block is read from both ends, sector by sector, up to its first bad ones.
//! 3. **Split.** The area in between is read in pieces of a few sectors, and failed pieces sector by sector.
//! 4. **Retry.** Bad sectors once more, as often as requested, forwards and backwards alternately.
//!
//! The order is GNU ddrescue's (manual, chapter "Algorithm"): a failing drive may not last long, so as much as possible
//! is copied in the first minutes, and reads of bad areas damage it most.

use super::map::{Map, Retried, Status};

/// Gap after the first failed block; it doubles up to [`MOST_GAP`].
const GAP: u64 = 1 << 20;
/// The largest gap.
const MOST_GAP: u64 = 1 << 30;
/// Size of a split piece, in sectors.
const PIECE: u64 = 16;

/// Performs a pass.
pub(super) trait Copier {
    /// Why it stopped before the end.
    type Stop;

    /// Copies from `start` to before `end`; true where all of it has arrived.
    ///
    /// # Errors
    /// If nothing more can be copied, or the user requested a stop.
    fn copy(&mut self, map: &Map, start: u64, end: u64) -> Result<bool, Self::Stop>;
}

/// How a rescue goes about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Bytes of a large block.
    pub(super) block: u64,
    /// Bytes of a sector.
    pub(super) sector: u64,
    /// How often bad sectors are tried again.
    pub(super) retries: u32,
}

/// All passes, or those that a map leaves.
///
/// # Errors
/// What stopped the copier.
pub(super) fn all<C: Copier>(
    map: &mut Map,
    manner: &Manner,
    copier: &mut C,
) -> Result<(), C::Stop> {
    forwards(map, manner, true, copier)?;
    backwards(map, manner, copier)?;
    forwards(map, manner, false, copier)?;
    trim(map, manner, copier)?;
    split(map, manner, copier)?;
    while map.retried.passes < manner.retries && map.next(Status::Bad, 0).is_some() {
        retry(map, manner, copier)?;
        map.retried = Retried {
            passes: map.retried.passes + 1,
            at: None,
        };
    }
    Ok(())
}

fn forwards<C: Copier>(
    map: &mut Map,
    manner: &Manner,
    gaps: bool,
    copier: &mut C,
) -> Result<(), C::Stop> {
    let (mut from, mut gap) = (0, GAP);
    while let Some(area) = map.next(Status::Untried, from) {
        // To whole blocks: what a gap left does not begin at one.
        let whole = (area.start / manner.block + 1) * manner.block;
        let end = whole.min(area.end);
        let arrived = copier.copy(map, area.start, end)?;
        if arrived {
            map.set(area.start, end, Status::Arrived);
            (from, gap) = (end, GAP);
        } else {
            map.set(area.start, end, Status::Failed);
            from = if gaps { end.saturating_add(gap) } else { end };
            gap = (gap * 2).min(MOST_GAP);
        }
    }
    Ok(())
}

fn backwards<C: Copier>(map: &mut Map, manner: &Manner, copier: &mut C) -> Result<(), C::Stop> {
    let (mut until, mut gap) = (map.size(), GAP);
    while let Some(area) = map.last(Status::Untried, until) {
        let whole = (area.end - 1) / manner.block * manner.block;
        let start = whole.max(area.start);
        let arrived = copier.copy(map, start, area.end)?;
        if arrived {
            map.set(start, area.end, Status::Arrived);
            (until, gap) = (start, GAP);
        } else {
            map.set(start, area.end, Status::Failed);
            until = start.saturating_sub(gap);
            gap = (gap * 2).min(MOST_GAP);
        }
    }
    Ok(())
}

fn trim<C: Copier>(map: &mut Map, manner: &Manner, copier: &mut C) -> Result<(), C::Stop> {
    while let Some(area) = map.next(Status::Failed, 0) {
        let (mut start, mut end) = (area.start, area.end);
        while start < end {
            let next = after(start, manner.sector).min(end);
            let arrived = copier.copy(map, start, next)?;
            map.set(start, next, outcome(arrived));
            start = next;
            if !arrived {
                break;
            }
        }
        while start < end {
            let last = before(end, manner.sector).max(start);
            let arrived = copier.copy(map, last, end)?;
            map.set(last, end, outcome(arrived));
            end = last;
            if !arrived {
                break;
            }
        }
        map.set(start, end, Status::Trimmed);
    }
    Ok(())
}

fn split<C: Copier>(map: &mut Map, manner: &Manner, copier: &mut C) -> Result<(), C::Stop> {
    while let Some(area) = map.next(Status::Trimmed, 0) {
        let end = (area.start + PIECE * manner.sector).min(area.end);
        if copier.copy(map, area.start, end)? {
            map.set(area.start, end, Status::Arrived);
            continue;
        }
        let mut start = area.start;
        while start < end {
            let next = after(start, manner.sector).min(end);
            let arrived = copier.copy(map, start, next)?;
            map.set(start, next, outcome(arrived));
            start = next;
        }
    }
    Ok(())
}

fn retry<C: Copier>(map: &mut Map, manner: &Manner, copier: &mut C) -> Result<(), C::Stop> {
    let forwards = map.retried.passes.is_multiple_of(2);
    loop {
        let edge = if forwards { 0 } else { map.size() };
        let at = map.retried.at.unwrap_or(edge);
        let area = if forwards {
            map.next(Status::Bad, at)
        } else {
            map.last(Status::Bad, at)
        };
        let Some(area) = area else { return Ok(()) };
        let (start, end) = if forwards {
            (area.start, after(area.start, manner.sector).min(area.end))
        } else {
            (before(area.end, manner.sector).max(area.start), area.end)
        };
        if copier.copy(map, start, end)? {
            map.set(start, end, Status::Arrived);
        }
        map.retried.at = Some(if forwards { end } else { start });
    }
}

/// The next boundary of sectors.
fn after(at: u64, sector: u64) -> u64 {
    (at / sector + 1) * sector
}

/// The last boundary of sectors before `at`, which is not 0.
fn before(at: u64, sector: u64) -> u64 {
    (at - 1) / sector * sector
}

fn outcome(arrived: bool) -> Status {
    if arrived {
        Status::Arrived
    } else {
        Status::Bad
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// A source in memory with some unreadable sectors.
    struct Memory {
        bad: Vec<bool>,
        arrived: Vec<bool>,
        /// Reads so far, including failed ones, and after which one it is stopped.
        reads: u64,
        failed: u64,
        stop_after: u64,
        /// Bytes that had arrived when the first 90 % of all readable ones had, in reads.
        firsts: Vec<(u64, u64)>,
    }

    const SECTOR: u64 = 512;

    impl Copier for Memory {
        type Stop = ();

        fn copy(&mut self, _: &Map, start: u64, end: u64) -> Result<bool, ()> {
            if self.reads == self.stop_after {
                return Err(());
            }
            self.reads += 1;
            let sectors = (start / SECTOR) as usize..end.div_ceil(SECTOR) as usize;
            if self.bad[sectors.clone()].iter().any(|bad| *bad) {
                self.failed += 1;
                return Ok(false);
            }
            for sector in sectors {
                assert!(!self.arrived[sector], "sector {sector} is copied twice");
                self.arrived[sector] = true;
            }
            self.firsts.push((start, end));
            Ok(true)
        }
    }

    fn memory(sectors: u64, rng: &mut Rng) -> Memory {
        let mut bad = vec![false; sectors as usize];
        for _ in 0..rng.below(12) {
            let start = rng.below(sectors);
            let len = 1 + rng.below(40);
            for sector in start..(start + len).min(sectors) {
                bad[sector as usize] = true;
            }
        }
        Memory {
            arrived: vec![false; sectors as usize],
            bad,
            reads: 0,
            failed: 0,
            stop_after: u64::MAX,
            firsts: Vec::new(),
        }
    }

    const MANNER: Manner = Manner {
        block: 64 << 10,
        sector: SECTOR,
        retries: 1,
    };

    fn lists_exactly(map: &Map, memory: &Memory) {
        assert!(map.is_done());
        for area in map.areas() {
            for sector in area.start / SECTOR..area.end.div_ceil(SECTOR) {
                let bad = area.status == Status::Bad;
                assert_eq!(memory.bad[sector as usize], bad, "sector {sector}");
                assert_eq!(memory.arrived[sector as usize], !bad, "sector {sector}");
            }
        }
    }

    #[test]
    fn every_readable_sector_arrives_and_the_others_are_listed_exactly() {
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            let sectors = 1 + rng.below(20_000);
            let mut memory = memory(sectors, &mut rng);
            // The last sector may be a part of one.
            let size = sectors * SECTOR - rng.below(SECTOR);
            let mut map = Map::new(size);
            all(&mut map, &MANNER, &mut memory).unwrap();
            lists_exactly(&map, &memory);
        }
    }

    #[test]
    fn stopped_after_any_read_it_goes_on_from_its_map_to_the_same_end() {
        let mut rng = Rng::new(2);
        for _ in 0..60 {
            let mut memory = memory(8_192, &mut rng);
            let mut map = Map::new(8_192 * SECTOR);
            loop {
                memory.stop_after = memory.reads + 1 + rng.below(200);
                let ended = all(&mut map, &MANNER, &mut memory);
                // What is kept is the text.
                let (back, _) = Map::read(&map.text(&[]), 8_192 * SECTOR).unwrap();
                map = back;
                if ended.is_ok() {
                    break;
                }
            }
            lists_exactly(&map, &memory);
        }
    }

    #[test]
    fn good_areas_come_first_and_a_large_damage_is_left_behind_after_a_few_reads() {
        // 2 GiB, of which 256 MiB in the middle cannot be read.
        let sectors = (2_u64 << 30) / SECTOR;
        let mut memory = memory(sectors, &mut Rng::new(9));
        memory.bad.fill(false);
        let damage = (sectors / 2) as usize..(sectors / 2 + sectors / 8) as usize;
        memory.bad[damage].fill(true);
        let manner = Manner {
            block: 1 << 20,
            ..MANNER
        };
        // The good three quarters and more take 1,792 reads; damage costs a few in between.
        memory.stop_after = 1_900;
        let mut map = Map::new(sectors * SECTOR);
        let _ = all(&mut map, &manner, &mut memory);
        let arrived = map.bytes(Status::Arrived);
        assert!(arrived > (2 << 30) - (257 << 20), "{arrived}");
        assert!(memory.failed < 110, "{}", memory.failed);
    }
}
