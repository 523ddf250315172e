//! Completions on their way to the host: the link carries them one after the other, in the
//! order of their hand-over.

use base::time::Instant;

/// Most commands in flight: [`crate::ssd::parameters::Parameters::check`] allows no longer queue.
/// As many as a `u8` has values, so that places wrap round by themselves and none lies outside.
const MOST: usize = 256;

/// The times at which commands are complete, in order, with their tags.
#[derive(Debug)]
pub(in crate::ssd) struct Completions {
    ring: Box<[(Instant, u32); MOST]>,
    first: u8,
    /// The place after the last one.
    end: u8,
    count: u32,
}

impl Default for Completions {
    fn default() -> Completions {
        Completions {
            ring: Box::new([(Instant::MAX, 0); MOST]),
            first: 0,
            end: 0,
            count: 0,
        }
    }
}

impl Completions {
    /// One more, not before the others.
    #[inline]
    pub(in crate::ssd) fn push(&mut self, at: Instant, tag: u32) {
        debug_assert!((self.count as usize) < MOST, "no more than are in flight");
        self.ring[usize::from(self.end)] = (at, tag);
        self.end = self.end.wrapping_add(1);
        self.count += 1;
    }

    /// When the next one arrives; [`Instant::MAX`] where there is none.
    #[inline]
    pub(in crate::ssd) fn next(&self) -> Instant {
        if self.count == 0 {
            Instant::MAX
        } else {
            self.ring[usize::from(self.first)].0
        }
    }

    /// Takes the next one's tag.
    #[inline]
    pub(in crate::ssd) fn take(&mut self) -> u32 {
        debug_assert!(self.count > 0, "there is one");
        let (_, tag) = self.ring[usize::from(self.first)];
        self.first = self.first.wrapping_add(1);
        self.count -= 1;
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_arrive_in_the_order_in_which_they_were_sent() {
        let mut completing = Completions::default();
        let at = Instant::from_nanos;
        let mut expected = 0;
        for i in 0..1_000_u32 {
            completing.push(at(u64::from(i)), i);
            if i % 5 > 1 {
                assert_eq!(completing.next(), at(u64::from(expected)));
                assert_eq!(completing.take(), expected);
                expected += 1;
            }
            if i - expected > 200 {
                break;
            }
        }
        while completing.next() != Instant::MAX {
            assert_eq!(completing.take(), expected);
            expected += 1;
        }
    }
}
