//! The read cache: segments that the head fills by reading on, of adaptive size.
//!
//! After a read the head is at the next sector anyway, so the disk goes on reading until its segment is full or another
//! command needs the head. A read of what will pass soon waits for it, which is how a sequential reader with pauses gets
//! the rate of the platter. Segments grow for readers that come back and shrink for those that do not, so their number
//! is not fixed: many small ones under random reads, few large ones under a stream.

use base::size::Bytes;
use base::time::Instant;

use super::platter::Platter;
use crate::description::ReadCache;

#[derive(Debug)]
pub(super) struct Segments {
    d: ReadCache,
    /// Size of the next new one.
    size: u64,
    segments: Vec<Segment>,
    uses: u64,
    /// The last of `segments` is being filled since this time, from its end then.
    filling: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    start: u64,
    /// First byte that is not there (yet).
    end: u64,
    /// Where it is full.
    limit: u64,
    size: u64,
    hits: u32,
    used: u64,
}

impl Segments {
    pub(super) fn new(d: ReadCache) -> Segments {
        Segments {
            d,
            size: d.least_segment.get(),
            segments: Vec::new(),
            uses: 0,
            filling: None,
        }
    }

    /// When a range is there without an access; `None` if it needs one. Bytes of a segment lie on the platter from
    /// `home` on.
    pub(super) fn hit(
        &mut self,
        now: Instant,
        from: u64,
        to: u64,
        home: u64,
        platter: &Platter,
    ) -> Option<Instant> {
        if let (Some(since), Some(segment)) = (self.filling, self.segments.last()) {
            let full = since + platter.passing(home + segment.end, home + segment.limit);
            // While the head reads on, it may go on for what is behind the segment.
            let follows = now <= full && from <= segment.limit;
            if segment.start <= from && (to <= segment.limit || follows) {
                return Some(self.read_on(now, to, follows, since, home, platter));
            }
        }
        let in_memory = |segment: &Segment| segment.start <= from && to <= segment.end;
        let found = self.segments.iter().position(in_memory)?;
        self.uses += 1;
        self.segments[found].used = self.uses;
        self.segments[found].hits += 1;
        Some(now)
    }

    /// A read that ends at `to` hits the segment that is filled since a time; gives when it is there.
    fn read_on(
        &mut self,
        now: Instant,
        to: u64,
        follows: bool,
        since: Instant,
        home: u64,
        platter: &Platter,
    ) -> Instant {
        self.uses += 1;
        let most = self.d.size.get() / 2;
        let Some(segment) = self.segments.last_mut() else {
            return now;
        };
        segment.used = self.uses;
        segment.hits += 1;
        if follows {
            segment.size = (segment.size * 2).min(most);
            segment.limit = segment.limit.max(to + segment.size);
            let behind = segment.limit.saturating_sub(2 * segment.size);
            segment.start = segment.start.max(behind);
        }
        let there = since + platter.passing(home + segment.end, home + to.max(segment.end));
        there.max(now)
    }

    /// The head leaves at a time: what passed until then is there.
    pub(super) fn stop(&mut self, now: Instant, home: u64, platter: &Platter) {
        let Some(since) = self.filling.take() else {
            return;
        };
        if let Some(segment) = self.segments.last_mut() {
            let reached = platter.reached(home + segment.end, now.since(since)) - home;
            segment.end = reached.clamp(segment.end, segment.limit);
        }
    }

    /// A range was read from the platter until a time: a new segment begins with it, and the head reads on.
    pub(super) fn begin(&mut self, at: Instant, from: u64, to: u64, capacity: Bytes) {
        self.uses += 1;
        // A reader goes on behind its segment: the next one is larger.
        let before = self.segments.iter().position(|segment| segment.end == from);
        let mut size = self.size;
        if let Some(before) = before {
            size = (self.segments.remove(before).size * 2).min(self.d.size.get() / 2);
        }
        let limit = (to + size).min(capacity.get()).max(to);
        self.segments.push(Segment {
            start: from,
            end: to,
            limit,
            size,
            hits: u32::from(before.is_some()),
            used: self.uses,
        });
        self.filling = Some(at);
        while self.segments.len() > 1 && self.held() > self.d.size.get() {
            self.drop_oldest();
        }
    }

    fn held(&self) -> u64 {
        let held = |segment: &Segment| segment.limit - segment.start;
        self.segments.iter().map(held).sum()
    }

    fn drop_oldest(&mut self) {
        let oldest = (0..self.segments.len() - 1).min_by_key(|i| self.segments[*i].used);
        let gone = self.segments.remove(oldest.unwrap_or(0));
        let (least, most) = (self.d.least_segment.get(), self.d.size.get() / 2);
        self.size = match gone.hits {
            0 => (self.size / 2).max(least),
            _ => (self.size * 2).clamp(least, most.max(least)),
        };
    }

    /// A range is written: it is no longer here.
    pub(super) fn forget(&mut self, from: u64, to: u64) {
        let had_last = self.segments.last().map(|segment| segment.start);
        self.segments
            .retain(|segment| to <= segment.start || segment.limit <= from);
        if self.segments.last().map(|segment| segment.start) != had_last {
            self.filling = None;
        }
    }
}
