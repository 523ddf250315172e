//! `zonemode=zbd`: I/Os where a zoned drive takes them.
//!
//! A job generates positions as on any drive, and they are moved within their zone: a write to its write pointer, a
//! read to its written part. A zone without room is reset before it is written again; if the maximum number of zones is
//! open, a write goes to one of those. One write per zone is in flight at a time, as with the kernel's scheduler for
//! zoned drives. All jobs see the same zones, since there is one drive.

use base::zone::{Zone, ZoneKind, ZoneLimits, Zoning};
use base::{Bytes, Io, Op};

use crate::job::Job;
use crate::job::zones::Zbd;
use crate::layout::Region;
use crate::zoned::Reported;

/// What becomes of an I/O that was drawn.
pub(super) enum Placed {
    /// It is sent here.
    At(Io),
    /// This is sent before it; then it is retried.
    Behind(Io),
    /// Its zone has a write in flight.
    Later,
    /// There is no room left for it.
    Nowhere,
}

struct Tracked {
    zone: Zone,
    /// Where the next write goes, including those in flight.
    pointer: u64,
    /// Up to here it can be read.
    written: u64,
    open: bool,
    /// The lane that opened it.
    by: usize,
    /// A write or a command is in flight.
    busy: bool,
    /// It is reset before the next write, because of the total written.
    worn: bool,
}

impl Tracked {
    fn start(&self) -> u64 {
        self.zone.start.get()
    }
    fn end(&self) -> u64 {
        self.zone.writable_end().get()
    }
    fn room(&self) -> u64 {
        self.end().saturating_sub(self.pointer)
    }
    fn is_conventional(&self) -> bool {
        self.zone.kind == ZoneKind::Conventional
    }
}

/// The drive's zones, as the jobs have left them.
pub(super) struct Zones {
    all: Vec<Tracked>,
    length: u64,
    block: Bytes,
    limits: ZoneLimits,
    /// Writes since the last zone that was reset for being worn.
    since_worn: u64,
    /// Zones that are full but for less than an I/O, to be finished.
    to_finish: Vec<usize>,
}

impl Zones {
    /// As reported by the drive, which has blocks of this size.
    pub(super) fn of(reported: &Reported, block: Bytes) -> Zones {
        let tracked = |zone: &Zone| Tracked {
            pointer: zone.write_pointer.get(),
            written: zone.write_pointer.get(),
            open: zone.condition.is_active(),
            by: usize::MAX,
            busy: false,
            worn: false,
            zone: *zone,
        };
        Zones {
            all: reported.zones.iter().map(tracked).collect(),
            length: reported.limits.zone_length.get().max(1),
            block,
            limits: reported.limits,
            since_worn: 0,
            to_finish: Vec::new(),
        }
    }

    /// Bytes that can be written in a region.
    pub(super) fn capacity(&self, region: Region) -> u64 {
        let inside =
            |one: &&Tracked| one.start() >= region.start && one.start() < region.start + region.len;
        self.all
            .iter()
            .filter(inside)
            .map(|one| one.zone.capacity.get())
            .sum()
    }

    fn index(&self, offset: u64) -> usize {
        ((offset / self.length) as usize).min(self.all.len().saturating_sub(1))
    }

    /// The position of a lane's I/O. `region` is its job's area.
    pub(super) fn place(
        &self,
        lane: usize,
        job: &Job,
        rule: &Zbd,
        region: Region,
        io: &Io,
    ) -> Placed {
        if let Some(at) = self.to_finish.last() {
            let one = &self.all[*at];
            return Placed::Behind(Io::zone(Zoning::Finish, one.zone.start, self.block));
        }
        let at = self.index(io.offset.get());
        if self.all[at].is_conventional() {
            return Placed::At(*io);
        }
        match io.op {
            Op::Write => self.write(lane, job, rule, region, io, at),
            Op::Read if !rule.beyond_pointer => self.read(job, region, io, at),
            _ => Placed::At(*io),
        }
    }

    /// Zones of a region, from the one with this number on, once around.
    fn around(&self, region: Region, at: usize) -> impl Iterator<Item = usize> + use<> {
        let first = self.index(region.start);
        let last = self
            .index(region.start + region.len.saturating_sub(1))
            .max(first);
        (at..=last).chain(first..at)
    }

    fn read(&self, job: &Job, region: Region, io: &Io, at: usize) -> Placed {
        let len = io.len.get();
        let has = |one: &Tracked| one.is_conventional() || one.written - one.start() >= len;
        let drawn = &self.all[at];
        let within = io.offset.get().saturating_sub(drawn.start());
        let fits = has(drawn) && (job.kind.random || within + len <= drawn.written - drawn.start());
        let found = match fits {
            true => Some(at),
            // Those in order go on in the next zone that has something.
            false => self
                .around(region, at)
                .find(|n| (*n != at || job.kind.random) && has(&self.all[*n])),
        };
        let Some(n) = found else {
            return Placed::Nowhere;
        };
        let one = &self.all[n];
        let offset = match (n == at, job.kind.random) {
            (true, false) => within,
            (false, false) => 0,
            (_, true) => {
                let align = job.least().max(1);
                let places = (one.written - one.start() - len) / align + 1;
                within / align % places * align
            }
        };
        Placed::At(Io {
            offset: Bytes::new(one.start() + offset),
            ..*io
        })
    }

    fn write(
        &self,
        lane: usize,
        job: &Job,
        rule: &Zbd,
        region: Region,
        io: &Io,
        at: usize,
    ) -> Placed {
        let len = io.len.get();
        let mut at = at;
        // Those in order go on in the next zone where the rest of this one is too small.
        let goes_on = !job.kind.random && io.offset.get() > self.all[at].start();
        if goes_on && self.all[at].room() < len {
            // Behind the last one comes the first again.
            at = self.around(region, at).nth(1).unwrap_or(at);
        }
        if !self.all[at].open && self.is_at_its_limit(lane, rule) {
            match self.an_open_one(lane, rule, at) {
                Some(open) => at = open,
                None => return Placed::Later,
            }
        }
        let one = &self.all[at];
        if one.busy {
            return Placed::Later;
        }
        if len > one.zone.capacity.get() {
            return Placed::Nowhere;
        }
        if one.room() < len || one.worn {
            return Placed::Behind(Io::zone(Zoning::Reset, one.zone.start, self.block));
        }
        Placed::At(Io {
            offset: Bytes::new(one.pointer),
            ..*io
        })
    }

    fn is_at_its_limit(&self, lane: usize, rule: &Zbd) -> bool {
        let open = || self.all.iter().filter(|one| one.open);
        let of_drive = [self.limits.max_open, self.limits.max_active]
            .into_iter()
            .flatten()
            .min();
        let of_drive = of_drive.filter(|_| !rule.ignores_limits);
        let most = [of_drive, rule.max_open].into_iter().flatten().min();
        let own = open().filter(|one| one.by == lane).count();
        most.is_some_and(|most| open().count() >= most as usize)
            || rule.job_max_open.is_some_and(|most| own >= most as usize)
    }

    /// One of those that are open and have no write in flight, by the number of the drawn zone.
    fn an_open_one(&self, lane: usize, rule: &Zbd, at: usize) -> Option<usize> {
        let open = || (0..self.all.len()).filter(|n| self.all[*n].open);
        let is_own = |n: &usize| self.all[*n].by == lane;
        // Who has a limit of its own keeps to its own zones, where it has some.
        let keeps = rule.job_max_open.is_some() && open().any(|n| is_own(&n));
        let free: Vec<usize> = open()
            .filter(|n| !self.all[*n].busy && (!keeps || is_own(n)))
            .collect();
        free.get(at % free.len().max(1)).copied()
    }

    /// A command to a zone is in flight.
    pub(super) fn commanded(&mut self, io: &Io) {
        let at = self.index(io.offset.get());
        self.all[at].busy = true;
        self.to_finish.retain(|other| *other != at);
    }

    /// An I/O of a lane is in flight.
    pub(super) fn sent(&mut self, lane: usize, rule: &Zbd, io: &Io) {
        if io.op != Op::Write {
            return;
        }
        let at = self.index(io.offset.get());
        let one = &mut self.all[at];
        if one.is_conventional() {
            return;
        }
        if !one.open {
            (one.open, one.by) = (true, lane);
        }
        one.busy = true;
        one.pointer = io.end().get();
        self.wear(rule, at);
    }

    /// If more than a share of everything is written, a zone is reset every N writes.
    fn wear(&mut self, rule: &Zbd, at: usize) {
        if rule.reset_frequency <= 0.0 {
            return;
        }
        let sequential = || self.all.iter().filter(|one| !one.is_conventional());
        let written: u64 = sequential().map(|one| one.pointer - one.start()).sum();
        let capacity: u64 = sequential().map(|one| one.zone.capacity.get()).sum();
        if written as f64 <= rule.reset_threshold * capacity as f64 {
            return;
        }
        self.since_worn += 1;
        if self.since_worn as f64 >= 1.0 / rule.reset_frequency {
            self.since_worn = 0;
            self.all[at].worn = true;
        }
    }

    /// A write of a lane, or a command, has completed. `least` is the smallest write that may follow. True if it was a
    /// reset.
    pub(super) fn came_back(&mut self, io: &Io, succeeded: bool, least: u64) -> bool {
        let at = self.index(io.offset.get());
        let one = &mut self.all[at];
        if one.is_conventional() || (io.op != Op::Write && io.zone.is_none()) {
            return false;
        }
        one.busy = false;
        match io.zone {
            Some(Zoning::Reset) if succeeded => {
                (one.pointer, one.written) = (one.start(), one.start());
                (one.open, one.worn) = (false, false);
                return true;
            }
            Some(_) => (one.open, one.pointer) = (false, one.end()),
            None => {
                // A write that failed has left the pointer where it was.
                one.written = if succeeded {
                    io.end().get()
                } else {
                    one.written
                };
                one.pointer = one.written;
                if one.room() < least {
                    one.open = one.room() > 0;
                    if one.open {
                        one.busy = true;
                        self.to_finish.push(at);
                    }
                }
            }
        }
        false
    }
}
