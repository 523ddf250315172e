//! A drive's own agenda: which slot has something to do next, and when.
//!
//! A winner tree (Knuth, *The Art of Computer Programming* 3, 5.4.1): the leaves hold one key a
//! slot, each inner node the smaller key of its two children, so that the root is the next event
//! and a change replays one path. A key is `(time - base) << 10 | slot`: one comparison of two
//! `u64` orders by time and, at equal times, by slot, and the root names the slot without a search.
//! A drive has few slots (its I/Os in flight and some of its own), so the tree stays in the first
//! level cache and nothing is allocated an event. The base moves when times outgrow the key, so a
//! drive may be idle for years between two I/Os.

use base::time::Instant;

/// Most slots of an agenda.
pub const MOST_SLOTS: usize = 1 << NAME_BITS;

/// Bits of a key that name a slot.
pub(crate) const NAME_BITS: u32 = 10;
const SLOT_MASK: u64 = (1 << NAME_BITS) - 1;
/// Nothing to do.
pub(crate) const NEVER: u64 = u64::MAX;
/// Times this far after the base move the base: 52 days, so that keys never come near [`NEVER`].
pub(crate) const FAR: u64 = 1 << 52;

/// Nodes of the largest tree. Every index is masked with its last one: no index can then lie
/// outside, and the compiler leaves the checks out, which were half of the work.
const NODES: usize = 2 * MOST_SLOTS;
const LAST: usize = NODES - 1;

/// At most one time a slot; gives the earliest, at equal times the lowest slot.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// Node 1 is the root, node `n` has the children `2n` and `2n + 1`; the nodes from `leaves` to
    /// `2 * leaves` are leaves, those above are not used.
    tree: Box<[u64; NODES]>,
    /// A power of two.
    leaves: usize,
    base: u64,
}

/// What comes first, as a key and the base that it counts from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) key: u64,
    pub(crate) base: u64,
}

impl Head {
    /// When, and the name; [`Instant::MAX`] where there is nothing.
    #[inline(always)]
    pub(crate) fn time_and_name(self) -> (Instant, usize) {
        let at = match self.key {
            NEVER => Instant::MAX,
            key => Instant::from_nanos(self.base + (key >> NAME_BITS)),
        };
        (at, (self.key & SLOT_MASK) as usize)
    }

    /// The first of two: when, its name, and whether it is the other one; [`Instant::MAX`] where
    /// there is neither. At equal times the lower name.
    #[inline(always)]
    pub(crate) fn first_of_two(self, other: Head) -> (Instant, usize, bool) {
        // Both count from the same time until one has planned for more than 52 days: keys then
        // compare as they are.
        if self.base != other.base {
            return self.first_of_two_apart(other);
        }
        let key = self.key.min(other.key);
        let (at, name) = Head { key, ..self }.time_and_name();
        (at, name, other.key < self.key)
    }

    #[cold]
    fn first_of_two_apart(self, other: Head) -> (Instant, usize, bool) {
        let (mine, theirs) = (self.time_and_name(), other.time_and_name());
        let (at, name) = mine.min(theirs);
        (at, name, theirs < mine)
    }
}

impl Agenda {
    /// An empty agenda for slots below `slots`; it grows where a higher one is used.
    ///
    /// # Panics
    /// Where `slots` is more than [`MOST_SLOTS`].
    pub fn new(slots: usize) -> Agenda {
        assert!(slots <= MOST_SLOTS, "an agenda has at most 1024 slots");
        Agenda {
            tree: Box::new([NEVER; NODES]),
            leaves: slots.max(2).next_power_of_two(),
            base: 0,
        }
    }

    /// The next time and its slot.
    #[inline]
    pub fn first(&self) -> Option<(Instant, usize)> {
        let key = self.tree[1];
        (key != NEVER).then(|| (self.time_of(key), (key & SLOT_MASK) as usize))
    }

    /// The next time.
    #[inline]
    pub fn next(&self) -> Option<Instant> {
        let key = self.tree[1];
        (key != NEVER).then(|| self.time_of(key))
    }

    /// The next time and its slot; [`Instant::MAX`] where there is none.
    #[inline(always)]
    pub fn first_or_never(&self) -> (Instant, usize) {
        self.head().time_and_name()
    }

    /// The first key, and what it counts from.
    #[inline(always)]
    pub(crate) fn head(&self) -> Head {
        Head {
            key: self.tree[1],
            base: self.base,
        }
    }

    /// The time of a slot.
    pub fn at(&self, slot: usize) -> Option<Instant> {
        if slot >= self.leaves {
            return None;
        }
        let key = self.tree[(self.leaves + slot) & LAST];
        (key != NEVER).then(|| self.time_of(key))
    }

    /// Gives a slot a time, in place of the one that it has.
    ///
    /// # Panics
    /// Where `slot` is not below [`MOST_SLOTS`], or where times in the agenda would lie more than
    /// 52 days apart: no drive plans so far ahead.
    #[inline]
    pub fn set(&mut self, slot: usize, at: Instant) {
        self.set_as(slot, slot, at);
    }

    /// As [`Agenda::set`], but it is `name` that is given for the slot, and by which equal times
    /// are ordered.
    ///
    /// # Panics
    /// As [`Agenda::set`], and in debug builds where `name` is not below [`MOST_SLOTS`].
    #[inline]
    pub fn set_as(&mut self, slot: usize, name: usize, at: Instant) {
        debug_assert!(name < MOST_SLOTS, "names are as many as slots");
        if slot >= self.leaves {
            self.grow(slot);
        }
        let since = at.as_nanos().wrapping_sub(self.base);
        // A time before the base wraps round and is far, too.
        if since >= FAR {
            self.move_base(slot, name, at);
            return;
        }
        self.replay(slot, since << NAME_BITS | name as u64);
    }

    /// Takes a slot's time away.
    #[inline]
    pub fn clear(&mut self, slot: usize) {
        if slot < self.leaves {
            self.replay(slot, NEVER);
        }
    }

    /// Takes every time away; the base stays.
    pub fn clear_all(&mut self) {
        self.tree.fill(NEVER);
    }

    #[inline(always)]
    fn time_of(&self, key: u64) -> Instant {
        Instant::from_nanos(self.base + (key >> NAME_BITS))
    }

    /// Puts a key in its leaf and plays its way up. An earlier key wins as far as it is earlier
    /// than the winner there: most new ones lose soon. A later key is played anew as far as the old
    /// one had won: on each level one load that waits for nothing and one comparison.
    #[inline]
    fn replay(&mut self, slot: usize, key: u64) {
        let tree = &mut *self.tree;
        let mut node = (self.leaves + slot) & LAST;
        let old = std::mem::replace(&mut tree[node], key);
        if key < old {
            while node > 1 {
                node >>= 1;
                if tree[node] <= key {
                    return;
                }
                tree[node] = key;
            }
            return;
        }
        let mut winner = key;
        if tree[1] == old {
            // The first of all had won everywhere.
            while node > 1 {
                winner = winner.min(tree[node ^ 1]);
                node >>= 1;
                tree[node] = winner;
            }
            return;
        }
        while node > 1 {
            winner = winner.min(tree[node ^ 1]);
            node >>= 1;
            if tree[node] != old {
                return;
            }
            tree[node] = winner;
        }
    }

    /// Counts from the earliest time, `at` included, then sets the slot.
    #[cold]
    fn move_base(&mut self, slot: usize, name: usize, at: Instant) {
        self.replay(slot, NEVER);
        let earliest = self.next().map_or(at, |first| first.min(at)).as_nanos();
        let old = self.base;
        self.base = earliest;
        let moved = |time: u64| {
            let since = time - earliest;
            assert!(since < FAR, "an agenda's moments lie within 52 days");
            since << NAME_BITS
        };
        for leaf in &mut self.tree[self.leaves..2 * self.leaves] {
            if *leaf != NEVER {
                *leaf = moved(old + (*leaf >> NAME_BITS)) | (*leaf & SLOT_MASK);
            }
        }
        self.tree[self.leaves + slot] = moved(at.as_nanos()) | name as u64;
        self.play_all();
    }

    #[cold]
    fn grow(&mut self, slot: usize) {
        assert!(slot < MOST_SLOTS, "an agenda has at most 1024 slots");
        let (old, leaves) = (self.leaves, (slot + 1).next_power_of_two());
        self.tree.copy_within(old..2 * old, leaves);
        self.tree[leaves + old..].fill(NEVER);
        self.leaves = leaves;
        self.play_all();
    }

    fn play_all(&mut self) {
        for node in (1..self.leaves).rev() {
            self.tree[node] = self.tree[2 * node].min(self.tree[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::time::Duration;
    use proptest::prelude::*;

    #[test]
    fn equal_times_are_taken_by_slot() {
        let mut agenda = Agenda::new(4);
        let at = Instant::from_nanos(5);
        agenda.set(3, at);
        agenda.set(1, at);
        agenda.set(2, at);
        assert_eq!(agenda.first(), Some((at, 1)));
        agenda.clear(1);
        assert_eq!(agenda.first(), Some((at, 2)));
        assert_eq!(agenda.at(1), None);
        assert_eq!(agenda.at(3), Some(at));
    }

    #[test]
    fn a_rest_of_a_century_moves_the_base() {
        let mut agenda = Agenda::new(4);
        let century = Duration::from_secs(100 * 365 * 86_400);
        let later = Instant::ZERO.saturating_add(century);
        agenda.set(0, Instant::from_nanos(7));
        agenda.clear(0);
        agenda.set(1, later);
        agenda.set(0, later);
        assert_eq!(agenda.first(), Some((later, 0)));
        // And back: a time before the moved base.
        agenda.set(2, Instant::from_nanos(later.as_nanos() - 1_000));
        assert_eq!(agenda.first().map(|(_, slot)| slot), Some(2));
    }

    #[test]
    fn the_highest_slot_is_kept_whole_in_the_key() {
        let mut agenda = Agenda::new(2);
        let far = Instant::from_nanos(FAR - 1);
        agenda.set(MOST_SLOTS - 1, far);
        assert_eq!(agenda.first(), Some((far, MOST_SLOTS - 1)));
    }

    proptest! {
        /// Any sequence of settings and clearings against a plain list that is sorted.
        #[test]
        fn the_first_is_that_of_a_sorted_list(
            steps in prop::collection::vec((0_usize..1_024, 0_u64..50, any::<bool>(), 0_u64..3), 1..400)
        ) {
            let mut agenda = Agenda::new(1);
            let mut plain: Vec<Option<u64>> = vec![None; MOST_SLOTS];
            let mut now = 0;
            for (slot, ahead, clear, leap) in steps {
                if clear {
                    agenda.clear(slot);
                    plain[slot] = None;
                } else {
                    agenda.set(slot, Instant::from_nanos(now + ahead));
                    plain[slot] = Some(now + ahead);
                }
                let mut list: Vec<(u64, usize)> =
                    plain.iter().enumerate().filter_map(|(s, at)| at.map(|at| (at, s))).collect();
                list.sort_unstable();
                let expected = list.first().map(|&(at, s)| (Instant::from_nanos(at), s));
                prop_assert_eq!(agenda.first(), expected);
                // Time continues to the first event; now and then the drive rests for a month.
                match list.first() {
                    Some(&(at, s)) if leap == 0 => {
                        now = now.max(at);
                        agenda.clear(s);
                        plain[s] = None;
                    }
                    None => now += 30 * 86_400 * 1_000_000_000,
                    _ => {}
                }
            }
        }
    }
}
