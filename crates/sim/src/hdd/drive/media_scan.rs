//! The background media scan: an idle disk reads its own surface, so that it finds what fades before the
//! host asks for it.
//!
//! SAS and nearline disks scan themselves. Without a command for some time the arm goes to where the scan
//! left off and reads on in *bursts* with pauses between them; a burst is made of *segments* of some
//! hundred blocks, and after each the disk looks whether the host has asked for anything. So a command
//! that comes in the middle of a burst waits until its segment has passed, at most, and then finds the
//! arm somewhere else than it left it; one that comes in a pause only finds it elsewhere. Seagate's manual
//! of the Cheetah 15K.4 (background media scan, p. 42) has the numbers of one family: it begins after
//! 500 ms, in bursts of 800 ms, by segments of 400 blocks, and delays the first command by about 4 ms.
//!
//! How far the scan has come is found out when a command comes, so that an idle hour costs nothing: what
//! whole bursts have read follows from the zone's rate, and only the last moments are passed sector by
//! sector. What the host left in the write cache goes first; while anything waits there is no scan. What
//! the scan would repair (a sector that is moved elsewhere) is not modelled.

use super::{Hdd, Work};
use crate::hdd::quantity::NanosOfMillis;
use crate::sheet::quantity::Count;
use crate::sheet::table::parameters;

/// Nanoseconds before a command for which the scan is followed sector by sector: longer than any seek
/// and the revolution after it.
const LOOKED_AT_NS: u64 = 60_000_000;

parameters! {
    /// How a disk scans itself.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Scanning from MediaScanConfig ["media_scan"] {
        /// Without a command for so long, it begins.
        after_ns "after_ms": NanosOfMillis in 1.0..=3_600_000.0;
        /// A burst of reading.
        burst_ns "burst_ms": NanosOfMillis in 1.0..=600_000.0;
        /// Between two bursts.
        pause_ns "pause_ms": NanosOfMillis in 0.0..=3_600_000.0;
        /// Blocks after which it looks for commands.
        segment_blocks "segment_blocks": Count("blocks") in 1..=100_000;
    }
}

/// Where a scan is at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Progress {
    /// Nanoseconds of reading in all.
    read_ns: u64,
    /// Nanoseconds since the burst under way began; none in a pause.
    in_burst: Option<u64>,
}

impl Scanning {
    /// From the beginning of a burst to that of the next.
    fn cycle_ns(&self) -> u64 {
        self.burst_ns + self.pause_ns
    }

    /// How far it is so long after the last command ended; nothing where it has not begun.
    fn after(&self, idle_ns: u64) -> Option<Progress> {
        let since = idle_ns.checked_sub(self.after_ns)?;
        let cycle = self.cycle_ns();
        let (cycles, within) = (since / cycle, since % cycle);
        Some(Progress {
            read_ns: cycles * self.burst_ns + within.min(self.burst_ns),
            in_burst: (within < self.burst_ns).then_some(within),
        })
    }
}

/// A disk's scan.
#[derive(Clone, Copy, Debug)]
pub(in crate::hdd) struct MediaScan {
    rules: Scanning,
    /// The next block that it reads.
    next: u64,
    /// When the host's last command ended.
    idle_since: u64,
}

impl MediaScan {
    pub(super) fn new(rules: Scanning) -> MediaScan {
        MediaScan {
            rules,
            next: 0,
            idle_since: 0,
        }
    }

    /// A command of the host's has ended.
    #[inline]
    pub(super) fn ended(&mut self, now: u64) {
        self.idle_since = now;
    }
}

impl Hdd {
    /// A command comes to a disk without any: the arm is where the scan is, and busy until the segment
    /// under way has passed.
    pub(super) fn scan_until(&mut self, now: u64) {
        let Some(scan) = self.scan else {
            return;
        };
        let resting = match self.work {
            Work::Rest | Work::Ahead(_) => true,
            Work::Destage(_) | Work::Record | Work::Clean => false,
        };
        if self.awaited() || !resting || !self.writing.cache.is_empty() {
            return;
        }
        let idle_since = scan.idle_since.max(self.busy);
        let Some(progress) = scan.rules.after(now.saturating_sub(idle_since)) else {
            return;
        };
        let burst = progress.in_burst.unwrap_or(scan.rules.burst_ns);
        let looked_at = burst.min(LOOKED_AT_NS);
        let read = self.blocks_scanned(scan.next, progress.read_ns - looked_at);
        let first = (scan.next + read) % self.p.blocks;
        // In a pause the head rests where it was when the burst ended.
        let until = match progress.in_burst {
            Some(_) => now,
            None => {
                now - (now - idle_since - scan.rules.after_ns) % scan.rules.cycle_ns()
                    + scan.rules.burst_ns
            }
        };
        let end = self.read_for_scan(first, until - looked_at, until);
        if progress.in_burst.is_some() {
            self.busy = self.busy.max(self.pass.at);
        }
        if let Some(scan) = &mut self.scan {
            scan.next = end % self.p.blocks;
        }
    }

    /// Blocks that the scan passes in a time, at the rate where it is.
    fn blocks_scanned(&self, next: u64, time_ns: u64) -> u64 {
        let geometry = &self.p.mechanics.geometry;
        let track = geometry.home(geometry.pba_of(next)).track;
        let sector = geometry.tracks()[track.zone as usize].sector;
        let turn = self.p.mechanics.spindle.revolutions(1);
        let a_turn = turn / self.p.mechanics.spindle.time_for_sectors(1, sector).max(1);
        (u128::from(time_ns) * u128::from(a_turn) / u128::from(turn.max(1))) as u64
    }

    /// Goes to a block at a time and reads on until another one, then to the end of the segment; gives
    /// the block after it.
    fn read_for_scan(&mut self, first: u64, from: u64, until: u64) -> u64 {
        let segment = self
            .scan
            .map_or(1, |scan| u64::from(scan.rules.segment_blocks));
        let free = self.leave(from).max(from);
        let m = &self.p.mechanics;
        let pba = m.geometry.pba_of(first);
        let (pass, _) = self.pass.go(m, free, pba, &m.geometry.place(pba), false);
        self.pass = pass;
        let last = self.p.blocks;
        let limit = self.pba_end(last);
        let m = &self.p.mechanics;
        self.pass.pass(m, &mut self.rare, until, limit);
        let passed = self.block_reached().max(first) - first;
        let end = (first + (passed / segment + 1) * segment).min(last);
        let limit = self.pba_end(end);
        self.pass.advance(&self.p.mechanics, &mut self.rare, limit);
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Scanning = Scanning {
        after_ns: 500_000_000,
        burst_ns: 800_000_000,
        pause_ns: 200_000_000,
        segment_blocks: 400,
    };

    #[test]
    fn it_reads_in_bursts_after_the_host_was_silent_for_long_enough() {
        let at = |ms: u64| RULES.after(ms * 1_000_000);
        assert_eq!(at(499), None);
        let of = |read: u64, in_burst: Option<u64>| {
            Some(Progress {
                read_ns: read * 1_000_000,
                in_burst: in_burst.map(|ms| ms * 1_000_000),
            })
        };
        assert_eq!(at(500), of(0, Some(0)));
        assert_eq!(at(1_299), of(799, Some(799)));
        assert_eq!(at(1_400), of(800, None));
        assert_eq!(at(1_510), of(810, Some(10)));
        // An hour: eight tenths of it but for the first half second.
        assert_eq!(at(3_600_500), of(2_880_000, Some(0)));
    }
}
