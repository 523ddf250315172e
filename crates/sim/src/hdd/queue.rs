//! Which access is next: the one that the head can begin soonest, with an allowance for age.
//!
//! A drive with native command queuing knows where each waiting block is, how far away the arm is,
//! and the angle of the discs when it gets there. So it can take the access with the shortest
//! positioning time (seek, settle and rotation together), which at 32 waiting reads takes about
//! half the time of the next one in line. Taken alone, that rule can starve an access at the edge
//! for as long as nearer ones keep coming. So each nanosecond of waiting counts against the
//! positioning time, at one part in `patience`: an access that waits longer than `patience` times
//! the longest positioning is taken before any that just came.
//!
//! Real drives choose less well, each in its own way ([`Queueing`]). One that has the next access
//! *committed* when it begins with one chooses among fewer: at a depth of two or three it works first
//! come, first served, and gains little at four. One that cannot see the rotation chooses by the seek
//! alone; one that looks for the shortest wait at the end of each seek, whatever the seek takes, saves
//! no more than the rotation. One may look for a better order only where *so many* wait, and else work first come, first
//! served. And an access that is older than an *age limit* is taken at once, the oldest first (the limit
//! of an Ultrastar C15K600 is 2.4 s, "command aging" in its specification).

use std::hint::select_unpredictable;

use super::geometry::PhysicalAddress;
use super::seek::Actuator;
use super::spindle::Spindle;
use super::track_pass::{Mechanics, TrackPass};

/// An access that waits for the head.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub tag: u32,
    /// Whether a write is acknowledged only when it is on the medium.
    pub write: bool,
    /// First block needed from the medium.
    pub start: u64,
    /// Block after the last one.
    pub end: u64,
    /// Segment that this continues, if any.
    pub segment: Option<u32>,
    /// When it came, in nanoseconds.
    pub since: u64,
    /// Where its first block is.
    pub place: PhysicalAddress,
}

/// How a drive chooses, beyond the allowance for age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queueing {
    /// The next access is chosen when one begins, and not when it ends.
    pub committed: bool,
    /// The choice sees where the discs will be when the arm is there.
    pub sees_rotation: bool,
    /// The choice sees how far the arm has to go.
    pub sees_seek: bool,
    /// Nanoseconds after which the oldest access is taken before all others; 0: there is no limit.
    pub age_limit_ns: u64,
    /// Accesses that must wait before another than the oldest is taken; 0 and 1: any.
    pub reorders_from: u32,
}

impl Default for Queueing {
    /// Chooses when the arm is free, by the whole positioning time.
    fn default() -> Queueing {
        Queueing {
            committed: false,
            sees_rotation: true,
            sees_seek: true,
            age_limit_ns: 0,
            reorders_from: 0,
        }
    }
}

/// What waiting counts against positioning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Nanoseconds of allowance a nanosecond of waiting, in 2^-16.
    allowance_q16: u64,
}

/// No wait counts for more than this, 18 minutes: the product stays in 64 bits.
const LONGEST_WAIT: u64 = 1 << 40;

/// As many commands as Serial ATA queues, for which the values of `patience` are meant.
const TOGETHER: usize = 32;

impl Patience {
    /// One part in `patience` of the waiting time; 1 to 65,536.
    pub const fn new(patience: u32) -> Patience {
        Patience {
            allowance_q16: if patience == 0 {
                1 << 16
            } else {
                (1 << 16) / patience as u64
            },
        }
    }

    /// That of one among so many that all wait for the same arm, where no one waits for them: beyond
    /// `TOGETHER` a wait is what all of them take, and says nothing about the one.
    #[must_use]
    pub fn of_one_among(self, many: usize) -> Patience {
        let many = many.max(TOGETHER) as u64;
        Patience {
            allowance_q16: self.allowance_q16 * TOGETHER as u64 / many,
        }
    }

    /// The allowance for having waited from `since` to `now`.
    #[inline]
    pub fn allowance(self, since: u64, now: u64) -> i64 {
        let waited = now.saturating_sub(since).min(LONGEST_WAIT);
        ((waited * self.allowance_q16) >> 16) as i64
    }
}

/// The head at the time of a choice: what each access that waits is measured against.
#[derive(Clone, Copy, Debug)]
pub struct Aim<'a> {
    actuator: &'a Actuator,
    cylinder: u32,
    head: u16,
    /// What a write allows for until the head is still.
    write_margin_ns: i64,
    spindle: Spindle,
    sees_rotation: bool,
    sees_seek: bool,
    now: u64,
    patience: Patience,
}

impl<'a> Aim<'a> {
    /// The head of a pass at a given time.
    pub fn new(
        mechanics: &'a Mechanics,
        head: &TrackPass,
        now: u64,
        patience: Patience,
    ) -> Aim<'a> {
        Aim {
            actuator: &mechanics.actuator,
            cylinder: head.track.cylinder,
            head: head.track.head,
            write_margin_ns: 0,
            spindle: mechanics.spindle,
            sees_rotation: true,
            sees_seek: true,
            now,
            patience,
        }
    }

    /// The same of a drive that chooses by a rule.
    #[must_use]
    pub fn by(self, rule: Queueing) -> Aim<'a> {
        Aim {
            sees_rotation: rule.sees_rotation,
            sees_seek: rule.sees_seek,
            ..self
        }
    }

    /// The same of a controller that allows for so long until the head is still enough to write.
    #[must_use]
    pub fn allowing_ns(self, write_margin_ns: u64) -> Aim<'a> {
        Aim {
            write_margin_ns: write_margin_ns as i64,
            ..self
        }
    }

    /// What no access at a cylinder, or at one that is no nearer, costs less than, without its allowance: the arm's
    /// way at least. The sector may be there at once.
    #[inline(always)]
    fn floor(&self, cylinder: u32) -> i64 {
        let distance = self.cylinder.abs_diff(cylinder);
        let way = match self.sees_seek {
            true => self.actuator.curve.least_from(distance),
            false => 0,
        };
        // A write may settle in less than no time.
        way as i64 + (self.actuator.write_settle_ns + self.write_margin_ns).min(0)
    }

    /// Positioning time less the allowance for having waited since a time, in nanoseconds.
    // Dozens are worked out for an access: what is the same for all of them is loaded once only where it is inlined.
    #[inline(always)]
    pub fn cost(&self, place: &PhysicalAddress, write: bool, since: u64) -> i64 {
        if self.sees_rotation && self.sees_seek {
            self.cost_as_seen::<true, true>(place, write, since)
        } else {
            self.cost_of_less(place, write, since)
        }
    }

    /// The same of a drive that does not see all of it, as few do.
    #[inline(never)]
    fn cost_of_less(&self, place: &PhysicalAddress, write: bool, since: u64) -> i64 {
        if self.sees_rotation {
            self.cost_as_seen::<true, false>(place, write, since)
        } else if self.sees_seek {
            self.cost_as_seen::<false, true>(place, write, since)
        } else {
            self.cost_as_seen::<false, false>(place, write, since)
        }
    }

    #[inline(always)]
    fn cost_as_seen<const ROTATION: bool, const SEEK: bool>(
        &self,
        place: &PhysicalAddress,
        write: bool,
        since: u64,
    ) -> i64 {
        // As `Arm::time`, without a branch: which of the waiting ones change the head is chance.
        let switch = if self.head == place.track.head {
            0
        } else {
            self.actuator.head_switch_ns
        };
        let distance = self.cylinder.abs_diff(place.track.cylinder);
        let move_ns = self.actuator.curve.time(distance).max(switch);
        let settle = if write && move_ns != 0 {
            self.actuator.write_beyond(move_ns) + self.write_margin_ns
        } else {
            0
        };
        // Far below 2^63: no seek takes more than 4 s.
        let moving = (move_ns as i64 + settle).max(0) as u64;
        let wait = if ROTATION {
            self.spindle.wait(self.now + moving, place.angle)
        } else {
            0
        };
        let seen = if SEEK { moving } else { 0 };
        (seen + wait) as i64 - self.patience.allowance(since, self.now)
    }
}

/// The waiting accesses. Each keeps its place as long as it waits; what is kept in order is a list of words.
#[derive(Clone, Debug)]
pub struct Queue {
    waiting: Vec<Waiting>,
    /// Places of `waiting` that are free.
    free: Vec<u32>,
    /// In the order of cylinders.
    listed: Vec<Listed>,
    /// When the first of them came; [`u64::MAX`] where there is none.
    since: u64,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            waiting: Vec::new(),
            free: Vec::new(),
            listed: Vec::new(),
            since: u64::MAX,
        }
    }
}

/// The cylinder and the place of an access that waits.
#[derive(Clone, Copy, Debug)]
struct Listed {
    cylinder: u32,
    place: u32,
}

/// The cheapest access so far: its cost and its place.
#[derive(Clone, Copy)]
struct Best {
    cost: i64,
    place: u32,
}

impl Queue {
    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }
    /// One more.
    #[inline]
    pub fn push(&mut self, access: Waiting) {
        let place = match self.free.pop() {
            Some(place) => {
                self.waiting[place as usize] = access;
                place
            }
            None => {
                self.waiting.push(access);
                (self.waiting.len() - 1) as u32
            }
        };
        let cylinder = access.place.track.cylinder;
        let at = self.before(cylinder);
        self.listed.insert(at, Listed { cylinder, place });
        self.since = self.since.min(access.since);
    }
    /// How many lie on cylinders before one.
    #[inline]
    fn before(&self, cylinder: u32) -> usize {
        self.listed.partition_point(|one| one.cylinder < cylinder)
    }
    /// The cheapest access and its cost. `streaming` is the block that comes under the head next,
    /// if the head is in the middle of a pass: going on there costs nothing.
    #[inline]
    pub fn cheapest(
        &self,
        mechanics: &Mechanics,
        head: &TrackPass,
        now: u64,
        streaming: Option<u64>,
        (patience, rule): (Patience, Queueing),
    ) -> Option<(i64, u32)> {
        let few = self.listed.len() < rule.reorders_from as usize;
        let first = match few {
            true => self.oldest(),
            false => self.overdue(now, rule.age_limit_ns),
        };
        if let Some(index) = first {
            return Some((i64::MIN, index));
        }
        let mut best = Best {
            cost: i64::MAX,
            place: u32::MAX,
        };
        if let Some(block) = streaming {
            for (w, place) in self.waiting.iter().zip(0..) {
                if w.start == block && !w.write {
                    best = self.cheaper(best, -patience.allowance(w.since, now), place);
                }
            }
        }
        // What goes on may come up again: no way to it costs less than none.
        let aim = Aim::new(mechanics, head, now, patience).by(rule);
        let (back, on) = self.listed.split_at(self.before(aim.cylinder));
        best = self.nearer_first(&aim, on.iter(), best);
        best = self.nearer_first(&aim, back.iter().rev(), best);
        (!self.is_empty()).then_some((best.cost, best.place))
    }
    /// The cheapest of `best` and of the accesses on one side of the head, the nearest first. None is looked at any
    /// more once no allowance makes up for the way to it: no later one can be cheaper then, and with 32 all over a
    /// disk that is so after a few.
    #[inline(always)]
    fn nearer_first<'a>(
        &self,
        aim: &Aim<'_>,
        side: impl Iterator<Item = &'a Listed>,
        mut best: Best,
    ) -> Best {
        let most_allowed = aim.patience.allowance(self.since, aim.now);
        for one in side {
            if aim.floor(one.cylinder) - most_allowed > best.cost {
                break;
            }
            let w = self.get(one.place);
            best = self.cheaper(best, aim.cost(&w.place, w.write, w.since), one.place);
        }
        best
    }
    /// The cheaper of two; of equal ones the earlier one in line, then the lower tag. Which one it is no processor
    /// could foresee: both are at hand.
    #[inline(always)]
    fn cheaper(&self, best: Best, cost: i64, place: u32) -> Best {
        if cost == best.cost {
            return self.earlier(best, place);
        }
        let cheaper = cost < best.cost;
        Best {
            cost: select_unpredictable(cheaper, cost, best.cost),
            place: select_unpredictable(cheaper, place, best.place),
        }
    }
    #[cold]
    fn earlier(&self, best: Best, place: u32) -> Best {
        let earlier = self.turn(place) < self.turn(best.place);
        Best {
            place: if earlier { place } else { best.place },
            ..best
        }
    }
    fn turn(&self, place: u32) -> (u64, u32) {
        let w = self.get(place);
        (w.since, w.tag)
    }
    /// The oldest access, if it is older than the limit.
    #[inline]
    fn overdue(&self, now: u64, limit_ns: u64) -> Option<u32> {
        let is_over = limit_ns != 0 && self.since.saturating_add(limit_ns) < now;
        is_over.then(|| self.oldest()).flatten()
    }
    /// The one that came first.
    fn oldest(&self) -> Option<u32> {
        let places = self.listed.iter().map(|one| one.place);
        places.min_by_key(|place| self.turn(*place))
    }
    /// One that waits.
    #[inline]
    pub fn get(&self, place: u32) -> &Waiting {
        &self.waiting[place as usize]
    }
    /// Takes one out.
    #[inline]
    pub fn take(&mut self, place: u32) -> Waiting {
        let waiting = &mut self.waiting[place as usize];
        let taken = *waiting;
        // No block is so far out: what is free is found by none.
        waiting.start = u64::MAX;
        self.free.push(place);
        let mut at = self.before(taken.place.track.cylinder);
        while self.listed[at].place != place {
            at += 1;
        }
        self.listed.remove(at);
        if taken.since == self.since {
            let left = self.listed.iter().map(|one| self.get(one.place).since);
            self.since = left.min().unwrap_or(u64::MAX);
        }
        taken
    }
    /// The power is gone.
    pub fn clear(&mut self) {
        *self = Queue::default();
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::{Geometry, ZoneLayout};
    use super::super::rare::Rare;
    use super::super::seek::SeekCurve;
    use super::*;

    /// A hundred cylinders of one track each, a revolution of 10 ms, seeks of 1 to 10 ms.
    fn mechanics() -> Mechanics {
        let zone = ZoneLayout {
            cylinders: 100,
            sectors_per_track: 100,
            ..ZoneLayout::default()
        };
        let actuator = Actuator {
            curve: SeekCurve::through(100, &[(1, 1_000_000), (99, 10_000_000)]).unwrap(),
            head_switch_ns: 0,
            write_settle_ns: 0,
            write_more_q16: 0,
        };
        let geometry = Geometry::new(1, 1, false, vec![zone]).unwrap();
        Mechanics::new(geometry, actuator, Spindle::new(6_000))
    }

    /// Which of the accesses (cylinder, sector, when it came) is chosen at 3 s, with no allowance for age.
    fn chosen(accesses: &[(u64, u64, u64)], rule: Queueing) -> u32 {
        let m = mechanics();
        let head = TrackPass::parked(&m, &mut Rare::new(0.0, 1.0, 0));
        let mut queue = Queue::default();
        for (tag, &(cylinder, sector, since)) in accesses.iter().enumerate() {
            let start = cylinder * 100 + sector;
            queue.push(Waiting {
                tag: tag as u32,
                write: false,
                start,
                end: start + 1,
                segment: None,
                since,
                place: m.geometry.place(start),
            });
        }
        let rule = (Patience::new(65_536), rule);
        let (_, index) = queue
            .cheapest(&m, &head, 3_000_000_000, None, rule)
            .unwrap();
        queue.take(index).tag
    }

    /// Near, with a long wait for the disc; far, with a short one; between, with half a turn.
    const NOW: u64 = 3_000_000_000;
    const NEAR_FAR_MIDDLE: [(u64, u64, u64); 3] = [(1, 5, NOW), (99, 5, NOW), (40, 70, NOW)];

    #[test]
    fn a_drive_chooses_by_what_it_sees() {
        let rule = Queueing::default();
        // 1 + 9.5 ms, 10 + 0.5 ms, 4.6 + 2.4 ms.
        assert_eq!(chosen(&NEAR_FAR_MIDDLE, rule), 2);
        let by_seek = Queueing {
            sees_rotation: false,
            ..rule
        };
        assert_eq!(chosen(&NEAR_FAR_MIDDLE, by_seek), 0);
        let by_wait = Queueing {
            sees_seek: false,
            ..rule
        };
        assert_eq!(chosen(&NEAR_FAR_MIDDLE, by_wait), 1);
    }

    #[test]
    fn an_access_beyond_the_age_limit_goes_first_and_the_oldest_before_the_others() {
        let mut accesses = NEAR_FAR_MIDDLE;
        accesses[0].2 = 400_000_000;
        accesses[1].2 = 500_000_000;
        assert_eq!(chosen(&accesses, Queueing::default()), 2);
        let limit = |ms: u64| Queueing {
            age_limit_ns: ms * 1_000_000,
            ..Queueing::default()
        };
        assert_eq!(chosen(&accesses, limit(2_400)), 0);
        assert_eq!(chosen(&accesses, limit(2_700)), 2);
    }

    #[test]
    fn the_choice_is_that_of_looking_at_all_of_them() {
        let m = mechanics();
        let mut rng = base::rng::Rng::new(3);
        let parked = TrackPass::parked(&m, &mut Rare::new(0.0, 1.0, 0));
        let patience = Patience::new(128);
        let mut queue = Queue::default();
        let mut plain: Vec<Waiting> = Vec::new();
        for tag in 0..20_000 {
            let now = u64::from(tag) * 1_000_000;
            let place = m.geometry.place(rng.below(10_000));
            let (head, _) = parked.go(&m, now, 0, &place, false);
            let start = rng.below(10_000);
            let access = Waiting {
                tag,
                write: rng.below(4) == 0,
                start,
                end: start + 1,
                segment: None,
                since: now - rng.below(now / 8 + 1),
                place: m.geometry.place(start),
            };
            queue.push(access);
            plain.push(access);
            let streaming =
                (rng.below(2) == 0).then(|| plain[rng.below(plain.len() as u64) as usize].start);
            let rule = Queueing {
                sees_rotation: rng.below(4) > 0,
                sees_seek: rng.below(4) > 0,
                age_limit_ns: rng.below(2) * 2_000_000_000,
                ..Queueing::default()
            };
            while plain.len() as u64 > rng.below(32) {
                let aim = Aim::new(&m, &head, now, patience).by(rule);
                let cost = |w: &Waiting| match !w.write && streaming == Some(w.start) {
                    true => -patience.allowance(w.since, now),
                    false => aim.cost(&w.place, w.write, w.since),
                };
                let oldest = plain.iter().min_by_key(|w| (w.since, w.tag)).unwrap();
                let late = rule.age_limit_ns > 0 && oldest.since + rule.age_limit_ns < now;
                let cheapest = plain
                    .iter()
                    .min_by_key(|w| (cost(w), w.since, w.tag))
                    .unwrap();
                let expected = if late { oldest.tag } else { cheapest.tag };
                let (_, place) = queue
                    .cheapest(&m, &head, now, streaming, (patience, rule))
                    .unwrap();
                assert_eq!(queue.take(place).tag, expected);
                plain.retain(|w| w.tag != expected);
            }
        }
        assert_eq!(queue.is_empty(), plain.is_empty());
    }
}
