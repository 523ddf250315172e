//! The drive: a command from its arrival to its end, and the work of the arm meanwhile.
//!
//! A command is decoded, finds or waits for its data or its room, takes the wire, and ends; each of
//! these is one event in the drive's agenda. All commands compete for the one arm. While only
//! background work is left (reading ahead, writing back), the agenda is empty: the progress of that
//! work is computed when the next command arrives (`catch_up`), run by run, so that an idle hour
//! costs no more than an idle second.

use base::health::{ByteCount, Health, Overall};
use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{Info, Outcome, Tag};
use base::time::Instant;
use base::workload::Span;

pub mod media_scan;
pub mod parameters;
mod reading;
pub mod recovery;
mod saved;
pub mod shingled;
mod writing;

use crate::agenda::Agenda;
use crate::event_log::{Event, EventLog};
use crate::model::{Finished, Model, WriteCaching};

use self::media_scan::MediaScan;
use self::parameters::Parameters;
use self::recovery::Unreadable;
use self::shingled::Translation;
use self::writing::WritePath;
use super::link::Link;
use super::queue::{Aim, Queue, Waiting};
use super::rare::Rare;
use super::read_cache::ReadCache;
use super::track_pass::TrackPass;
use super::vibration::Shaken;

/// Errors as the kernel names them: out of range, not whole blocks, not supported.
pub(super) const EIO: i32 = 5;
const EINVAL: i32 = 22;
const EOPNOTSUPP: i32 = 95;

/// What a command waits for, where it has a time in the agenda.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The controller has decoded it.
    Decoded,
    /// Data (or room for them) are there: the wire is next.
    Wire,
    /// A write's data are in the buffer.
    Arrived,
    /// It is over.
    End(Outcome),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Command {
    pub(super) op: Op,
    /// First block, and the block after the last one.
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) stage: Stage,
    /// Its next time is in the agenda.
    pub(super) planned: bool,
    /// A write that is complete only on the medium.
    pub(super) durable: bool,
    /// It passes the write cache by.
    pub(super) through: bool,
}

/// What the arm does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// Nothing; the discs turn below it.
    Rest,
    /// It reads on into a segment.
    Ahead(Ahead),
    /// It writes a run.
    Destage(Destage),
    /// It writes a record of a shingled disk's log, until it is done.
    Record,
    /// It takes a step of a shingled disk's cleaning, until that is done.
    Clean,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    pub(super) segment: usize,
    /// Block at which reading on ends.
    pub(super) limit: u64,
    /// It got there and rests.
    pub(super) stopped: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Destage {
    /// First block whose room is not yet given back.
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) number: u64,
    pub(super) since: u64,
}

/// A hard disk.
#[derive(Clone, Debug)]
pub struct Hdd {
    pub(super) p: Parameters,
    pub(super) agenda: Agenda,
    pub(super) commands: Vec<Command>,
    pub(super) link: Link,
    pub(super) rare: Rare,
    pub(super) pass: TrackPass,
    pub(super) work: Work,
    /// What the arm is committed to ends here.
    pub(super) busy: u64,
    /// When the last access for a waiting command ended.
    pub(super) last_host_work: u64,
    pub(super) reads: ReadCache,
    pub(super) writing: WritePath,
    pub(super) scan: Option<MediaScan>,
    pub(super) queue: Queue,
    /// The access that follows the one under way, where the drive chooses it beforehand.
    committed: Option<Waiting>,
    pub(super) shaken: Shaken,
    pub(super) unreadable: Unreadable,
    /// Where blocks are on a shingled disk.
    pub(super) translation: Option<Box<Translation>>,
    /// Bytes that the host wrote.
    written: u64,
    lost: Vec<(Bytes, Bytes)>,
    /// When the arm is free for what waits; kept beside the agenda, at equal times after it.
    arm_at: u64,
    /// Of zones that were only looked at, so that this is done.
    touched: usize,
    log: EventLog,
}

/// No time at all.
const NEVER: u64 = u64::MAX;

impl Hdd {
    /// The drive as it leaves the factory: arm over the first track, caches empty.
    pub fn new(mut p: Parameters) -> Hdd {
        let mut rare = Rare::new(p.rare.gap_sectors, p.rare.revolutions, p.seed)
            .by_the_clock(p.rare.gap_revolutions);
        chill(&mut p, &mut rare);
        let translation = p.shingled.map(|shingles| {
            let all_durable = !p.write_cache.on;
            Box::new(Translation::of(shingles, p.blocks, all_durable, p.seed))
        });
        // Without a cache in memory, a write of a shingled disk ends when it is in the log.
        p.write_cache.on |= translation.is_some();
        let pass = TrackPass::parked(&p.mechanics, &mut rare);
        let depth = p.queue_depth as usize;
        let idle = Command {
            op: Op::Flush,
            start: 0,
            end: 0,
            stage: Stage::Decoded,
            planned: false,
            durable: false,
            through: false,
        };
        Hdd {
            agenda: Agenda::new(depth),
            commands: vec![idle; depth],
            link: Link::new(
                p.wire_block_picos,
                p.wire_write_block_picos,
                p.wire_frame_blocks,
            ),
            rare,
            pass,
            work: Work::Rest,
            busy: 0,
            last_host_work: 0,
            reads: ReadCache::new(p.read_cache.segments, p.read_cache.segment_blocks),
            writing: WritePath::new(&p),
            scan: p.media_scan.map(MediaScan::new),
            queue: Queue::default(),
            committed: None,
            shaken: Shaken::new(p.vibration, p.seed),
            unreadable: Unreadable::new(p.recovery, p.blocks, p.physical_blocks, p.seed),
            translation,
            written: 0,
            lost: Vec::new(),
            arm_at: NEVER,
            touched: 0,
            log: EventLog::default(),
            p,
        }
    }

    /// What the last power cut lost of what had been acknowledged: offset and length of each run.
    pub fn lost(&self) -> &[(Bytes, Bytes)] {
        &self.lost
    }

    /// Blocks acknowledged (or on their way in) that are not known to be on the medium.
    pub fn unwritten(&self) -> Bytes {
        Bytes::new(self.writing.cache.held() * self.p.block.get())
    }

    /// Something happened inside the drive.
    #[inline(always)]
    pub(super) fn note(&mut self, now: u64, event: Event) {
        self.log.note(Instant::from_nanos(now), event);
    }

    /// The PBA after the one that holds the last block before `end`.
    #[inline]
    pub(super) fn pba_end(&self, end: u64) -> u64 {
        self.p.mechanics.geometry.pba_of(end - 1) + 1
    }

    #[inline]
    pub(super) fn block_reached(&self) -> u64 {
        self.p.mechanics.geometry.block_at(self.pass.pba)
    }

    #[inline]
    pub(super) fn set(&mut self, tag: u32, stage: Stage, at: u64) {
        let command = &mut self.commands[tag as usize];
        command.stage = stage;
        command.planned = true;
        self.agenda.set(tag as usize, Instant::from_nanos(at));
    }

    /// Whether a command waits for the arm.
    #[inline]
    pub(super) fn awaited(&self) -> bool {
        !self.queue.is_empty()
            || self.committed.is_some()
            || !self.writing.stalled.is_empty()
            || !self.writing.flushes.is_empty()
    }

    /// The command takes the wire now.
    #[inline]
    pub(super) fn take_wire(&mut self, tag: u32, now: u64) {
        let command = self.commands[tag as usize];
        let end = self
            .link
            .transfer(now, command.op, command.end - command.start);
        let stage = match command.op {
            Op::Write => Stage::Arrived,
            _ => Stage::End(Outcome::Complete),
        };
        self.set(tag, stage, end);
    }

    pub(super) fn refusal(&self, io: &Io) -> Option<Outcome> {
        if io.op == Op::Flush {
            return None;
        }
        let trims = self.p.shingled.is_some_and(|s| s.rules.trim);
        if io.op == Op::Trim && !trims {
            return Some(Outcome::Failed(EOPNOTSUPP));
        }
        let whole = io.offset.is_multiple_of(self.p.block) && io.len.is_multiple_of(self.p.block);
        if !whole || io.len.is_zero() {
            return Some(Outcome::Failed(EINVAL));
        }
        let end = io.offset.get().checked_add(io.len.get());
        let inside = end.is_some_and(|end| end <= self.p.blocks * self.p.block.get());
        (!inside).then_some(Outcome::Failed(EIO))
    }

    /// A command's time has come; gives its outcome where that ends it.
    fn goes_on(&mut self, tag: u32, now: u64) -> Option<Outcome> {
        match self.commands[tag as usize].stage {
            Stage::Decoded => self.decoded(tag, now),
            Stage::Wire => self.take_wire(tag, now),
            Stage::Arrived => return self.arrived(tag, now),
            Stage::End(outcome) => return Some(outcome),
        }
        None
    }

    fn decoded(&mut self, tag: u32, now: u64) {
        match self.commands[tag as usize].op {
            Op::Read => self.read(tag, now),
            Op::Write => self.write(tag, now),
            Op::Trim => self.trim(tag, now),
            Op::Flush => self.flush(tag, now),
        }
    }

    /// Background work up to a time: writes back what has waited long enough. Reading ahead needs
    /// no step at all.
    pub(super) fn catch_up(&mut self, now: u64) {
        if self.awaited() {
            return;
        }
        loop {
            self.settle_destage(now);
            if matches!(self.work, Work::Destage(_) | Work::Record | Work::Clean) {
                return;
            }
            if self.writing.cache.is_empty() {
                if self.clean_unasked(now) {
                    continue;
                }
                return;
            }
            let idle_since = self.writing.cache.oldest().max(self.last_host_work);
            let begin = self.busy.max(idle_since + self.p.write_cache.delay_ns);
            if begin >= now {
                return;
            }
            if let Some((_, start, number)) = self.nearest_run(begin) {
                self.begin_destage(start, number, begin);
            }
        }
    }

    /// Lets go of what the arm does; gives the time from which it is free.
    pub(super) fn leave(&mut self, now: u64) -> u64 {
        let free = match self.work {
            Work::Rest | Work::Record | Work::Clean => now,
            Work::Ahead(ahead) => self.leave_ahead(&ahead, now),
            Work::Destage(destage) => self.leave_destage(&destage, now),
        };
        self.work = Work::Rest;
        free
    }

    /// Gives the arm, if it is free, to the next access. Called whenever that may have changed.
    pub(super) fn pump(&mut self, now: u64) {
        self.settle_destage(now);
        self.end_flushes(now);
        self.let_in(now);
        if self.awaited() && self.busy <= now && self.choose(now) {
            self.let_in(now);
        }
        // Where something waits and the arm is free, there is nothing yet to move it for: data on
        // the wire will call again.
        let waits = self.awaited() && self.busy > now;
        self.arm_at = if waits { self.busy } else { NEVER };
    }

    /// Gives the free arm to the cheapest access; false where there is none.
    fn choose(&mut self, now: u64) -> bool {
        if let Some(next) = self.committed.take() {
            self.begin_chosen(&next, now);
            return true;
        }
        let streaming = self.streaming(now);
        let read = self.queue.cheapest(
            &self.p.mechanics,
            &self.pass,
            now,
            streaming,
            (self.p.patience, self.p.queueing),
        );
        let late = self
            .writing
            .cache
            .oldest()
            .saturating_add(self.p.write_cache.deadline_ns)
            < now;
        let destage = if self.writing.stalled.is_empty() && self.writing.flushes.is_empty() && !late
        {
            None
        } else {
            self.cheapest_destage(now)
        };
        match (read, destage) {
            (Some((cost, place)), d)
                if d.is_none_or(|(c, ..)| self.seen(cost, place, now) <= c) =>
            {
                let waiting = self.queue.take(place);
                self.begin_chosen(&waiting, now);
            }
            (_, Some((_, start, number))) => self.begin_destage(start, number, now),
            (_, None) => return false,
        }
        true
    }

    /// What a command's access costs beside a piece of writing back, of which the whole way is seen.
    fn seen(&self, cost: i64, place: u32, now: u64) -> i64 {
        let rule = self.p.queueing;
        if (rule.sees_rotation && rule.sees_seek) || cost == i64::MIN {
            return cost;
        }
        let waiting = self.queue.get(place);
        let aim = Aim::new(&self.p.mechanics, &self.pass, now, self.p.patience);
        aim.cost(&waiting.place, waiting.write, waiting.since)
    }

    /// Begins with an access; a drive that commits itself chooses the one after it now, from where
    /// this one will leave the head.
    fn begin_chosen(&mut self, waiting: &Waiting, now: u64) {
        self.begin_access(waiting, now);
        if self.p.queueing.committed {
            let rule = (self.p.patience, self.p.queueing);
            let (m, then) = (&self.p.mechanics, self.busy);
            let next = self.queue.cheapest(m, &self.pass, then, None, rule);
            self.committed = next.map(|(_, place)| self.queue.take(place));
        }
    }

    /// The head as it stands now, to choose what it does next.
    #[inline]
    pub(super) fn aim(&self, now: u64) -> Aim<'_> {
        Aim::new(&self.p.mechanics, &self.pass, now, self.p.patience).by(self.p.queueing)
    }
}

/// Puts the drive into its mode at low temperature until the time that its parameters say.
fn chill(p: &mut Parameters, rare: &mut Rare) {
    if let Some(cold) = p.cold.filter(|_| p.cold_until_ns > 0) {
        rare.chill(cold.retry_gap_blocks, p.cold_until_ns);
        if cold.verify_writes {
            p.mechanics.verify_until = p.cold_until_ns;
        }
        p.mechanics.slow_until = (p.cold_until_ns, cold.seek_factor);
    }
}

impl Model for Hdd {
    fn info(&self) -> Info {
        self.p.info()
    }

    fn hint(&mut self, upcoming: &[Io]) {
        let block = self.p.block.get();
        let mut follows = None;
        for io in upcoming {
            // Sequential accesses stay in one zone for long.
            if follows != Some(io.offset) {
                let geometry = &self.p.mechanics.geometry;
                self.touched ^= geometry.touch(io.offset.get() / block);
                if let Some(translation) = &self.translation {
                    self.touched ^= translation.cache.touch(io.offset.get() / block);
                }
            }
            follows = io.offset.get().checked_add(io.len.get()).map(Bytes::new);
        }
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        let now = now.as_nanos();
        if io.op == Op::Write && self.refusal(io).is_none() {
            self.written += io.len.get();
        }
        self.catch_up(now);
        if self.scan.is_some() && self.agenda.first_or_never().0 == Instant::MAX {
            self.scan_until(now);
        }
        let block = self.p.block.get();
        let start = io.offset.get() / block;
        let refusal = self.refusal(io);
        let overhead = match io.op {
            Op::Write => self.p.write_overhead_ns,
            _ => self.p.read_overhead_ns,
        };
        self.commands[tag.0 as usize] = Command {
            op: io.op,
            start,
            end: start.saturating_add(io.len.get() / block),
            stage: Stage::Decoded,
            planned: true,
            durable: io.durable || self.translation.as_ref().is_some_and(|t| t.all_durable),
            through: false,
        };
        if let Some(translation) = &mut self.translation {
            translation.last_command = now;
        }
        let at = self.link.decode(now, overhead);
        self.set(tag.0, refusal.map_or(Stage::Decoded, Stage::End), at);
    }

    #[inline]
    fn next(&self) -> Option<Instant> {
        let (at, _) = self.agenda.first_or_never();
        let at = at.min(Instant::from_nanos(self.arm_at));
        (at != Instant::MAX).then_some(at)
    }

    // A part of `advance`, which looks at the agenda once for both.
    #[inline(always)]
    fn step(&mut self, done: &mut Vec<Finished>) {
        let (at, slot) = self.agenda.first_or_never();
        let now = at.as_nanos().min(self.arm_at);
        if now == NEVER {
            return;
        }
        self.catch_up(now);
        if self.arm_at < at.as_nanos() {
            return self.pump(now);
        }
        // Most commands have their next time soon after: the old one is replaced, not taken out.
        self.commands[slot].planned = false;
        let outcome = self.goes_on(slot as u32, now);
        if !self.commands[slot].planned {
            self.agenda.clear(slot);
        }
        if let Some(outcome) = outcome {
            if let Some(scan) = &mut self.scan {
                scan.ended(now);
            }
            done.push(Finished {
                tag: Tag(slot as u32),
                at,
                outcome,
            });
        }
    }

    fn power_cut(&mut self, at: Instant) {
        let now = at.as_nanos();
        self.catch_up(now);
        self.settle_destage(now);
        self.leave(now);
        let block = self.p.block.get();
        let on_the_way = self.translation.iter().flat_map(|t| t.batch.runs());
        self.lost = (self.not_saved().into_iter())
            .chain(on_the_way)
            .map(|(start, end)| (Bytes::new(start * block), Bytes::new((end - start) * block)))
            .collect();
        self.agenda.clear_all();
        self.arm_at = NEVER;
        self.queue.clear();
        self.committed = None;
        self.writing.power_cut();
        if let Some(translation) = &mut self.translation {
            translation.power_cut();
        }
        self.reads.clear();
        self.link.clear(now);
        self.busy = now;
        // A drive that was still warming up starts again.
        if let Some(cold) = self.p.cold.filter(|_| now < self.p.cold_until_ns) {
            self.p.cold_until_ns = now.saturating_add(cold.lasts_ns);
            chill(&mut self.p, &mut self.rare);
        }
    }

    fn at_risk(&mut self, at: Instant, span: Span) -> Vec<Span> {
        let now = at.as_nanos();
        // What the arm has done since the last event has not been looked at yet.
        self.catch_up(now);
        let under_the_head = match self.work {
            Work::Destage(destage) => Some((destage.start, destage.end)),
            _ => None,
        };
        let block = self.p.block.get();
        let on_the_way = self.translation.iter().flat_map(|t| t.batch.runs());
        let mut found: Vec<Span> = (self.not_saved().into_iter())
            .chain(under_the_head)
            .chain(on_the_way)
            .map(|(start, end)| {
                Span::new(Bytes::new(start * block), Bytes::new((end - start) * block))
            })
            .filter_map(|run| run.within(span))
            .collect();
        found.sort_unstable_by_key(|span| span.start);
        found
    }

    fn lost(&self) -> Vec<Span> {
        let lost = self.lost.iter();
        lost.map(|(start, len)| Span::new(*start, *len)).collect()
    }

    fn write_caching(&self) -> WriteCaching {
        match self.p.write_cache.on {
            true => WriteCaching::Back {
                durable_writes: false,
            },
            false => WriteCaching::Through,
        }
    }

    fn health(&self) -> Option<Health> {
        let host_written = ByteCount {
            bytes: Some(Bytes::new(self.written)),
            of: base::message::Message::of("count-of-model"),
        };
        Some(Health {
            source: "model".to_owned(),
            protocol: "model".to_owned(),
            overall: Overall::Passed,
            capacity: Some(self.info().capacity),
            host_written: Some(host_written),
            ..Health::default()
        })
    }

    #[cfg(feature = "event-log")]
    fn happened(&mut self) -> Vec<(Instant, Event)> {
        self.log.take()
    }
}
