//! Zoned drives that their host manages: shingled disks after ZBC and ZAC, flash after ZNS.
//!
//! Beneath the zones is the drive as it would be without them: the arm and the discs of a hard disk, the dies and
//! channels of an SSD. What makes it zoned lies before it and is the same for both: a table of write pointers and
//! conditions that refuses what does not fit ([`table`]), and what commands to zones cost ([`Zones`]).
//!
//! On a disk a reset moves a pointer, and so does a finish: both cost what it takes to note that. On flash a reset
//! erases what was written, in all dies of the zone at once, and gives way to the host's own I/O, so it takes longer
//! beside it; a finish fills the rest of the zone, at the rate at which the flash is written and in its way: beside it
//! reads and writes wait. Appends pass one after the other through the part of the controller that gives out places.
//!
//! Taken away (`without`), the drive is the same one with its capacity in one piece, written anywhere.
//!
//! Of flash, what is in the zones of one time shares erase blocks with what is in the others, since the layer below
//! knows nothing of zones; resets take it back as trims do. Zones that live for unequally long make it collect,
//! where a ZNS drive does not.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use base::health::Health;
use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{Info, Outcome, Tag};
use base::time::{Duration, Instant};
use base::workload::Span;
use base::zone::{Condition, ZoneError, Zoned, Zoning};

use crate::model::{Finished, Model, WriteCaching};
use crate::sheet::quantity::{
    Count, Flag, Kibibytes, Mebibytes, MegabytesPerSecond, Microseconds, Milliseconds, Number,
};
use crate::sheet::table::parameters;
use table::{Found, Rules, ZoneTable};

pub mod table;

#[cfg(test)]
mod tests;

parameters! {
    /// Zones, their limits, and what commands to them take.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub Zones from ZonesConfig ["zoned"] {
        /// From a zone's start to the next one's, in bytes.
        length "zone_mib": Mebibytes in 1.0..=1_048_576.0;
        /// Bytes of it that can be written.
        capacity "capacity_mib": Mebibytes in 1.0..=1_048_576.0, maybe;
        /// Conventional zones at the start.
        conventional "conventional": Count("zones") in 0..=1_000_000, or 0;
        /// Most open zones; 0: no limit.
        max_open "max_open": Count("zones") in 0..=1_000_000;
        /// Most active zones; 0: no limit.
        max_active "max_active": Count("zones") in 0..=1_000_000, or 0;
        /// Largest append; 0: there is none.
        max_append "max_append_kib": Kibibytes in 0..=1_048_576, or 0;
        /// What lies behind a pointer may be read.
        unrestricted_reads "unrestricted_reads": Flag;
        /// Opening or closing a zone by command.
        manage "open_close_us": Microseconds in 0.0..=100_000.0;
        /// What the first write of an empty zone takes longer.
        first_write "first_write_us": Microseconds in 0.0..=100_000.0;
        /// What an append takes longer than a write.
        append "append_us": Microseconds in 0.0..=100_000.0, or Duration::ZERO;
        /// From an append to the next.
        append_interval "append_interval_us": Microseconds in 0.0..=100_000.0, or Duration::ZERO;
        /// How fast one zone is written, where it lies on few dies.
        zone_rate "zone_write_mb_s": MegabytesPerSecond in 1.0..=20_000.0, maybe;
        /// Resetting an empty zone.
        reset_empty "reset_empty_ms": Milliseconds in 0.0..=10_000.0;
        /// Resetting one of which little is written.
        reset_written "reset_written_ms": Milliseconds in 0.0..=10_000.0;
        /// What resetting a full one takes longer than that.
        reset_full "reset_full_ms": Milliseconds in 0.0..=10_000.0;
        /// How much longer a reset takes beside the host's own I/O.
        reset_gives_way "reset_gives_way": Number("of its time") in 0.0..=10.0, or 0.0;
        /// Finishing a zone, but for what it fills.
        finish "finish_ms": Milliseconds in 0.0..=10_000.0;
        /// A finish writes the rest of the zone.
        finish_fills "finish_fills": Flag, or false;
    }
}

/// Bytes that a finish writes at a time.
const FILLED_AT_ONCE: Bytes = Bytes::kib(256);
/// Such writes in flight.
const FILLING: u32 = 8;
/// "Operation not supported", for a trim: zones are reset.
const EOPNOTSUPP: i32 = 95;
/// "Invalid argument", for what lies outside the drive.
const EINVAL: i32 = 22;

impl Zones {
    /// How a drive of this capacity is cut into zones; the piece behind the last whole one is not used.
    pub fn rules(&self, capacity: Bytes) -> Rules {
        let holds = self.capacity.unwrap_or(self.length).min(self.length);
        let zones = capacity.get() / holds.get().max(1);
        let limit = |most: u32| (most > 0).then_some(most);
        Rules {
            length: self.length,
            capacity: holds,
            zones: u32::try_from(zones).unwrap_or(u32::MAX).max(1),
            conventional: self.conventional.min(zones as u32),
            max_open: limit(self.max_open),
            max_active: limit(self.max_active),
            max_append: (self.max_append > 0).then(|| Bytes::new(self.max_append)),
            unrestricted_reads: self.unrestricted_reads,
        }
    }

    /// I/Os of its own that the drive beneath has to take beside the host's.
    fn own_ios(&self) -> u32 {
        if self.finish_fills { FILLING + 1 } else { 0 }
    }

    /// The facts of the drive, with those that it would have without zones.
    pub fn info(&self, inner: Info) -> Info {
        let rules = self.rules(inner.capacity);
        Info {
            capacity: rules.length * u64::from(rules.zones),
            max_in_flight: inner.max_in_flight.saturating_sub(self.own_ios()).max(1),
            ..inner
        }
    }
}

/// What happens at a time of the zones' own.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The host hears how its command ended.
    End(Tag, Outcome),
    /// The drive beneath gets an I/O.
    Send(Tag, Io),
    /// A finish begins to fill.
    Fill(Tag, Found),
}

/// A zone that is being filled.
#[derive(Clone, Copy, Debug)]
struct Filling {
    tag: Tag,
    at: u64,
    end: u64,
    in_flight: u32,
}

/// The tags behind the host's.
fn tags_for_filling(info: &Info) -> Vec<Tag> {
    (info.max_in_flight..info.max_in_flight + FILLING)
        .map(Tag)
        .collect()
}

/// A drive with zones over one without.
#[derive(Debug)]
pub struct ZonedDrive<M> {
    inner: M,
    zones: Zones,
    table: ZoneTable,
    info: Info,
    /// By time, then in the order of planning.
    planned: BinaryHeap<Reverse<(Instant, u64)>>,
    events: BTreeMap<u64, Event>,
    number: u64,
    /// Zones to fill, the first of them now.
    filling: VecDeque<Filling>,
    /// Tags for what fills zones.
    free: Vec<Tag>,
    /// What the drive beneath is still to take back, one at a time.
    forgotten: VecDeque<Io>,
    forgetting: bool,
    /// When what was written to a zone is in its dies, where that is what holds a zone up.
    turns: BTreeMap<u32, Instant>,
    /// When the next append may pass.
    appended: Instant,
    /// I/Os of the host in flight.
    in_flight: u32,
    finished: Vec<Finished>,
}

impl<M: Model> ZonedDrive<M> {
    /// Over a drive that was never written; or, with `full`, one all of whose zones are full.
    pub fn new(inner: M, zones: Zones, full: bool) -> ZonedDrive<M> {
        let of_inner = inner.info();
        let info = zones.info(of_inner);
        ZonedDrive {
            inner,
            zones,
            table: ZoneTable::new(zones.rules(of_inner.capacity), full),
            info,
            planned: BinaryHeap::new(),
            events: BTreeMap::new(),
            number: 0,
            filling: VecDeque::new(),
            free: tags_for_filling(&info),
            forgotten: VecDeque::new(),
            forgetting: false,
            turns: BTreeMap::new(),
            appended: Instant::ZERO,
            in_flight: 0,
            finished: Vec::new(),
        }
    }

    fn plan(&mut self, at: Instant, event: Event) {
        self.planned.push(Reverse((at, self.number)));
        self.events.insert(self.number, event);
        self.number += 1;
    }

    fn own(&self) -> Option<Instant> {
        self.planned.peek().map(|Reverse((at, _))| *at)
    }

    /// Holds a command against the table; gives what happens, and after how long.
    fn arrives(&mut self, now: Instant, tag: Tag, io: &Io) -> Result<(Instant, Event), ZoneError> {
        let inside = |io: &Io, at: Bytes| Io {
            offset: at,
            zone: None,
            ..*io
        };
        let first = |found: &Found| match found.was {
            Condition::Empty => self.zones.first_write,
            _ => Duration::ZERO,
        };
        match (io.zone, io.op) {
            (Some(Zoning::Append), _) => {
                let (found, at) = self.table.append(io.offset, io.len)?;
                let passes = self.appended.max(now);
                self.appended = passes + self.zones.append_interval;
                let send = inside(io, self.table.within(at));
                let after = self.zones.append + first(&found);
                let at = self.turn_in_zone(passes + after, &found, io.len);
                Ok((at, Event::Send(tag, send)))
            }
            (Some(what), _) => self.commanded(now, tag, what, io.offset),
            (None, Op::Write) => {
                let found = self.table.write(io.offset, io.len)?;
                let send = inside(io, self.table.within(io.offset));
                let at = self.turn_in_zone(now + first(&found), &found, io.len);
                Ok((at, Event::Send(tag, send)))
            }
            (None, Op::Read) => {
                self.table.read(io.offset, io.len)?;
                let send = inside(io, self.table.within(io.offset));
                Ok((now, Event::Send(tag, send)))
            }
            (None, Op::Flush) => Ok((now, Event::Send(tag, *io))),
            (None, Op::Trim) => Ok((now, Event::End(tag, Outcome::Failed(EOPNOTSUPP)))),
        }
    }

    /// When a write of so many bytes may pass, where its zone lies on few dies: when what came before is written.
    fn turn_in_zone(&mut self, now: Instant, found: &Found, len: Bytes) -> Instant {
        let Some(rate) = self.zones.zone_rate else {
            return now;
        };
        let turn = self
            .turns
            .get(&found.zone)
            .map_or(now, |free| now.max(*free));
        self.turns.insert(found.zone, turn + rate.time_for(len));
        turn
    }

    fn commanded(
        &mut self,
        now: Instant,
        tag: Tag,
        what: Zoning,
        start: Bytes,
    ) -> Result<(Instant, Event), ZoneError> {
        let found = self.table.command(what, start)?;
        let end = |after: Duration| (now + after, Event::End(tag, Outcome::Complete));
        Ok(match what {
            Zoning::Append | Zoning::Open | Zoning::Close => end(self.zones.manage),
            Zoning::Finish if self.zones.finish_fills && found.was != Condition::Empty => {
                (now + self.zones.finish, Event::Fill(tag, found))
            }
            // Nothing is in it, so nothing has to be filled: it is noted.
            Zoning::Finish if self.zones.finish_fills => end(self.zones.manage),
            Zoning::Finish => end(self.zones.finish),
            Zoning::Reset => {
                self.forget(now, &found);
                end(self.reset_takes(&found))
            }
        })
    }

    fn reset_takes(&self, found: &Found) -> Duration {
        if found.written == 0 {
            return self.zones.reset_empty;
        }
        let share = found.written as f64 / self.table.rules().capacity.get() as f64;
        let alone = self.zones.reset_written.as_nanos() as f64
            + self.zones.reset_full.as_nanos() as f64 * share;
        let beside = if self.in_flight > 0 {
            1.0 + self.zones.reset_gives_way
        } else {
            1.0
        };
        Duration::from_nanos((alone * beside) as u64)
    }

    /// The drive beneath takes back what was in a zone, where it keeps a map.
    fn forget(&mut self, now: Instant, found: &Found) {
        if found.pointer == 0 {
            return;
        }
        if !self.zones.finish_fills {
            // A disk has no map.
            return;
        }
        let capacity = self.table.rules().capacity.get();
        let trim = Io {
            op: Op::Trim,
            len: Bytes::new(found.pointer),
            ..Io::read(Bytes::new(u64::from(found.zone) * capacity), Bytes::ZERO)
        };
        self.forgotten.push_back(trim);
        self.forget_next(now);
    }

    fn forget_next(&mut self, now: Instant) {
        if !self.forgetting
            && let Some(trim) = self.forgotten.pop_front()
        {
            self.forgetting = true;
            self.inner.start(now, self.trim_tag(), &trim);
        }
    }

    /// The last of its own tags.
    fn trim_tag(&self) -> Tag {
        Tag(self.info.max_in_flight + FILLING)
    }

    fn happens(&mut self, now: Instant, event: Event, done: &mut Vec<Finished>) {
        match event {
            Event::End(tag, outcome) => self.ends(tag, now, outcome, done),
            Event::Send(tag, io) => self.inner.start(now, tag, &io),
            Event::Fill(tag, found) => {
                let capacity = self.table.rules().capacity.get();
                let start = u64::from(found.zone) * capacity;
                self.filling.push_back(Filling {
                    tag,
                    at: start + found.pointer,
                    end: start + capacity,
                    in_flight: 0,
                });
                self.fill(now, done);
            }
        }
    }

    fn ends(&mut self, tag: Tag, at: Instant, outcome: Outcome, done: &mut Vec<Finished>) {
        self.in_flight -= 1;
        done.push(Finished { tag, at, outcome });
    }

    /// Writes on in the zone that is being filled; the next one's turn comes when it is full.
    fn fill(&mut self, now: Instant, done: &mut Vec<Finished>) {
        while let Some(filling) = self.filling.front_mut() {
            while filling.at < filling.end
                && let Some(tag) = self.free.pop()
            {
                let len = FILLED_AT_ONCE.get().min(filling.end - filling.at);
                let write = Io::write(Bytes::new(filling.at), Bytes::new(len), filling.at);
                filling.at += len;
                filling.in_flight += 1;
                self.inner.start(now, tag, &write);
            }
            if filling.in_flight > 0 || filling.at < filling.end {
                return;
            }
            let tag = filling.tag;
            self.filling.pop_front();
            self.ends(tag, now, Outcome::Complete, done);
        }
    }

    /// The drive beneath has finished some I/Os, the host's or our own.
    fn beneath(&mut self, done: &mut Vec<Finished>) {
        for finished in std::mem::take(&mut self.finished) {
            if finished.tag.0 < self.info.max_in_flight {
                self.ends(finished.tag, finished.at, finished.outcome, done);
                continue;
            }
            if finished.tag == self.trim_tag() {
                self.forgetting = false;
                self.forget_next(finished.at);
                continue;
            }
            self.free.push(finished.tag);
            if let Some(filling) = self.filling.front_mut() {
                filling.in_flight = filling.in_flight.saturating_sub(1);
            }
            self.fill(finished.at, done);
        }
    }
}

impl<M: Model> Model for ZonedDrive<M> {
    fn info(&self) -> Info {
        self.info
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        let end = io.offset.get().checked_add(io.len.get());
        let inside = end.is_some_and(|end| end <= self.info.capacity.get());
        let arrived = if inside {
            self.arrives(now, tag, io)
        } else {
            Ok((now, Event::End(tag, Outcome::Failed(EINVAL))))
        };
        self.in_flight += 1;
        match arrived {
            Ok((at, Event::Send(tag, io))) if at == now => self.inner.start(now, tag, &io),
            Ok((at, event)) => self.plan(at, event),
            Err(refused) => {
                let refused = Outcome::Failed(refused.errno());
                self.plan(now + self.zones.manage, Event::End(tag, refused));
            }
        }
    }

    fn next(&self) -> Option<Instant> {
        match (self.own(), self.inner.next()) {
            (Some(own), Some(inner)) => Some(own.min(inner)),
            (own, inner) => own.or(inner),
        }
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let own = self.own();
        let inner = self.inner.next();
        // At equal times the drive beneath goes first: its completions are older.
        if let Some(at) = own
            && inner.is_none_or(|inner| at < inner)
        {
            let Some(Reverse((at, number))) = self.planned.pop() else {
                return;
            };
            if let Some(event) = self.events.remove(&number) {
                self.happens(at, event, done);
            }
            return;
        }
        if inner.is_some() {
            let mut finished = std::mem::take(&mut self.finished);
            self.inner.step(&mut finished);
            self.finished = finished;
            self.beneath(done);
        }
    }

    fn power_cut(&mut self, at: Instant) {
        self.inner.power_cut(at);
        self.planned.clear();
        self.events.clear();
        self.filling.clear();
        self.free = tags_for_filling(&self.info);
        self.forgotten.clear();
        self.forgetting = false;
        self.in_flight = 0;
        self.appended = at;
        self.turns.clear();
        let lost: Vec<Bytes> = self.inner.lost().iter().map(|span| span.start).collect();
        self.table.power_cut(lost.into_iter());
    }

    /// Zones keep their order by themselves: nothing is said to be safe.
    fn at_risk(&mut self, _: Instant, span: Span) -> Vec<Span> {
        vec![span]
    }

    fn honours_flushes(&self) -> bool {
        self.inner.honours_flushes()
    }

    fn write_caching(&self) -> WriteCaching {
        self.inner.write_caching()
    }

    fn lost(&self) -> Vec<Span> {
        let Rules {
            length, capacity, ..
        } = *self.table.rules();
        let place = |span: &Span| {
            let zone = span.start.get() / capacity.get();
            let start = zone * length.get() + span.start.get() % capacity.get();
            Span::new(Bytes::new(start), span.len)
        };
        self.inner.lost().iter().map(place).collect()
    }

    fn health(&self) -> Option<Health> {
        self.inner.health()
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        Some(&mut self.table)
    }
}
