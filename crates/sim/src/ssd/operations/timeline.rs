//! Events in the order of their times, the first of them at hand.
//!
//! A drive's operations with a time are few (tens), and of two kinds: what the drive does next is
//! due before nearly all others, and a program that begins ends after nearly all others. So they
//! are kept as a plain list in order. The first is taken by moving the list's beginning, and a new
//! one finds its place by a few comparisons from the nearer end, where those between it and that end
//! move by one place; only one that belongs in the middle of many is searched for by halving. A tree
//! would be played on each level for both. Keys are those of [`crate::agenda`], so that both compare
//! as they are.

use base::time::Instant;

use crate::agenda::{FAR, Head, MOST_SLOTS, NAME_BITS, NEVER};

/// Room for the list to move in: it begins in the middle and is put back there.
const ROOM: usize = 4 * MOST_SLOTS;
const LAST: usize = ROOM - 1;
const LAST_NAME: usize = MOST_SLOTS - 1;
/// From either end so many are compared one by one.
const FEW: usize = 12;

/// At most one time a name; gives the earliest, at equal times the lowest name.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    /// Keys in order from `first` on, with a zero before them and [`NEVER`] at `end`: a search
    /// stops at either.
    keys: Box<[u64; ROOM]>,
    first: usize,
    end: usize,
    /// By name: its key; [`NEVER`] without a time.
    of: Box<[u64; MOST_SLOTS]>,
    base: u64,
}

impl Timeline {
    /// Nothing has a time.
    pub(super) fn new() -> Timeline {
        let mut timeline = Timeline {
            keys: Box::new([0; ROOM]),
            first: ROOM / 2,
            end: ROOM / 2,
            of: Box::new([NEVER; MOST_SLOTS]),
            base: 0,
        };
        timeline.mark_ends();
        timeline
    }

    /// The first key, and what it counts from.
    #[inline(always)]
    pub(super) fn head(&self) -> Head {
        Head {
            key: self.keys[self.first & LAST],
            base: self.base,
        }
    }

    /// Gives a name a time, in place of the one that it has.
    #[inline]
    pub(super) fn set(&mut self, name: u32, at: Instant) {
        self.clear(name);
        let since = at.as_nanos().wrapping_sub(self.base);
        // A time before the base wraps round and is far, too.
        let since = if since < FAR {
            since
        } else {
            self.move_base(at)
        };
        let key = since << NAME_BITS | u64::from(name);
        self.of[name as usize & LAST_NAME] = key;
        self.insert(key);
    }

    /// Takes a name's time away.
    #[inline]
    pub(super) fn clear(&mut self, name: u32) {
        let key = std::mem::replace(&mut self.of[name as usize & LAST_NAME], NEVER);
        if key == NEVER {
            return;
        }
        if key == self.keys[self.first & LAST] {
            self.keys[self.first & LAST] = 0;
            self.first += 1;
        } else {
            self.remove(key);
        }
    }

    /// Takes every time away; the base stays.
    pub(super) fn clear_all(&mut self) {
        self.of.fill(NEVER);
        (self.first, self.end) = (ROOM / 2, ROOM / 2);
        self.mark_ends();
    }

    fn mark_ends(&mut self) {
        self.keys[(self.first - 1) & LAST] = 0;
        self.keys[self.end & LAST] = NEVER;
    }

    #[inline]
    fn insert(&mut self, key: u64) {
        if self.end > LAST - 1 {
            self.put_in_the_middle();
        }
        let (keys, many) = (&mut *self.keys, self.end - self.first > 2 * FEW);
        if key < keys[((self.first + self.end) / 2) & LAST] {
            if self.first < 2 || (many && keys[(self.first + FEW) & LAST] < key) {
                return self.insert_among_many(key);
            }
            let mut place = self.first;
            while keys[place & LAST] < key {
                keys[(place - 1) & LAST] = keys[place & LAST];
                place += 1;
            }
            keys[(place - 1) & LAST] = key;
            self.first -= 1;
            keys[(self.first - 1) & LAST] = 0;
        } else {
            if many && keys[(self.end - FEW) & LAST] > key {
                return self.insert_among_many(key);
            }
            let mut place = self.end;
            while keys[(place - 1) & LAST] > key {
                keys[place & LAST] = keys[(place - 1) & LAST];
                place -= 1;
            }
            keys[place & LAST] = key;
            self.end += 1;
            keys[self.end & LAST] = NEVER;
        }
    }

    #[inline(never)]
    fn insert_among_many(&mut self, key: u64) {
        if self.first < 2 {
            self.put_in_the_middle();
        }
        let before = self.before(key);
        let place = self.first + before;
        if before < (self.end - self.first) / 2 {
            self.keys.copy_within(self.first..place, self.first - 1);
            self.first -= 1;
            self.keys[place - 1] = key;
        } else {
            self.keys.copy_within(place..self.end, place + 1);
            self.end += 1;
            self.keys[place] = key;
        }
        self.mark_ends();
    }

    /// Takes away a key that is not the first.
    #[inline(never)]
    fn remove(&mut self, key: u64) {
        let before = self.before(key);
        let place = self.first + before;
        debug_assert_eq!(self.keys[place], key, "what has a time is in the list");
        if before < (self.end - self.first) / 2 {
            self.keys.copy_within(self.first..place, self.first + 1);
            self.first += 1;
        } else {
            self.keys.copy_within(place + 1..self.end, place);
            self.end -= 1;
        }
        self.mark_ends();
    }

    /// How many keys lie before one.
    fn before(&self, key: u64) -> usize {
        self.keys[self.first..self.end].partition_point(|other| *other < key)
    }

    /// The list has come to an end of its room.
    #[cold]
    fn put_in_the_middle(&mut self) {
        let count = self.end - self.first;
        let first = (ROOM - count) / 2;
        self.keys.copy_within(self.first..self.end, first);
        (self.first, self.end) = (first, first + count);
        self.mark_ends();
    }

    /// Counts from the earliest time, `at` included; gives how far that is from it.
    #[cold]
    fn move_base(&mut self, at: Instant) -> u64 {
        let first = self.head();
        let earliest = match first.key {
            NEVER => at.as_nanos(),
            key => at.as_nanos().min(self.base + (key >> NAME_BITS)),
        };
        let old = std::mem::replace(&mut self.base, earliest);
        let moved = |since: u64| {
            assert!(since < FAR, "a drive's events lie within 52 days");
            since
        };
        for key in &mut self.keys[self.first..self.end] {
            let name = *key & LAST_NAME as u64;
            *key = moved(old + (*key >> NAME_BITS) - earliest) << NAME_BITS | name;
            self.of[name as usize] = *key;
        }
        moved(at.as_nanos() - earliest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn first(timeline: &Timeline) -> Option<(Instant, usize)> {
        let (at, name) = timeline.head().time_and_name();
        (at != Instant::MAX).then_some((at, name))
    }

    #[test]
    fn equal_times_are_taken_by_name() {
        let mut timeline = Timeline::new();
        let at = Instant::from_nanos(5);
        for name in [3, 1, 2] {
            timeline.set(name, at);
        }
        assert_eq!(first(&timeline), Some((at, 1)));
        timeline.clear(1);
        assert_eq!(first(&timeline), Some((at, 2)));
        timeline.clear_all();
        assert_eq!(first(&timeline), None);
    }

    proptest! {
        /// Any sequence of settings and clearings against a plain list that is sorted.
        #[test]
        fn the_first_is_that_of_a_sorted_list(
            names in 2_u32..1_000,
            steps in prop::collection::vec((0_u32..1_000, 0_u64..500, 0_u8..4, 0_u8..4), 1..3_000)
        ) {
            let mut timeline = Timeline::new();
            let mut plain: Vec<Option<u64>> = vec![None; MOST_SLOTS];
            let mut now = 0;
            for (name, ahead, clear, leap) in steps {
                let name = name % names;
                if clear == 0 {
                    timeline.clear(name);
                    plain[name as usize] = None;
                } else {
                    timeline.set(name, Instant::from_nanos(now + ahead));
                    plain[name as usize] = Some(now + ahead);
                }
                let times = plain.iter().zip(0_usize..);
                let expected = times.filter_map(|(at, name)| at.map(|at| (at, name))).min();
                let expected = expected.map(|(at, name)| (Instant::from_nanos(at), name));
                prop_assert_eq!(first(&timeline), expected);
                // Time continues to the first event; now and then the drive rests for a month.
                match expected {
                    Some((at, name)) if leap < 2 => {
                        now = now.max(at.as_nanos());
                        timeline.clear(name as u32);
                        plain[name] = None;
                    }
                    None => now += 30 * 86_400 * 1_000_000_000,
                    _ => {}
                }
            }
        }
    }
}
