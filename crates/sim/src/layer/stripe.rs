//! Stripe arithmetic: where a byte of a RAID 0 lies, and back.
//!
//! The array is cut into stripe units of equal size (64 and 128 KiB are usual), which are dealt to
//! the members in turn: unit `k` is unit `k / n` of member `k % n`. Units of one access that go to
//! the same member are neighbours there, so a member sees one command, however long the access is.
//! The array is as large as whole rows of units on its smallest member allow (Patterson, Gibson and
//! Katz, "A case for redundant arrays of inexpensive disks", 1988, whose level 0 was named later).

use base::size::Bytes;

/// How an array is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripe {
    unit: u64,
    members: u64,
}

/// What of an access goes to one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which member, from 0.
    pub member: usize,
    /// First byte on it.
    pub offset: Bytes,
    pub len: Bytes,
}

/// An array cannot be cut so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an array of {members} members cannot have stripes of {unit}: two members and a multiple of 512 B are the least, a whole member the most"
)]
pub struct NoStripe {
    pub unit: Bytes,
    pub members: usize,
}

impl Stripe {
    /// Units of `unit` over `members`.
    ///
    /// # Errors
    /// Fewer than two members, or a unit that is not a multiple of a sector.
    pub fn new(unit: Bytes, members: usize) -> Result<Stripe, NoStripe> {
        if members < 2 || unit.is_zero() || !unit.is_multiple_of(Bytes::SECTOR) {
            return Err(NoStripe { unit, members });
        }
        Ok(Stripe {
            unit: unit.get(),
            members: members as u64,
        })
    }

    /// What an array holds whose smallest member holds `smallest`.
    pub fn capacity(&self, smallest: Bytes) -> Bytes {
        Bytes::new(smallest.get() / self.unit * self.unit * self.members)
    }

    /// The member of a byte, and where it lies there.
    pub fn place(&self, offset: Bytes) -> (usize, Bytes) {
        let (number, within) = (offset.get() / self.unit, offset.get() % self.unit);
        let on_member = number / self.members * self.unit + within;
        ((number % self.members) as usize, Bytes::new(on_member))
    }

    /// The byte of the array that lies there on a member.
    pub fn back(&self, member: usize, offset: Bytes) -> Bytes {
        let (row, within) = (offset.get() / self.unit, offset.get() % self.unit);
        Bytes::new((row * self.members + member as u64) * self.unit + within)
    }

    /// The parts of `len` bytes from `offset` on by member: at most one part a member, in the order
    /// of the access.
    pub fn parts(&self, offset: Bytes, len: Bytes) -> impl Iterator<Item = Part> {
        let stripe = *self;
        let (from, end) = (offset.get(), offset.get() + len.get());
        let first = from / self.unit;
        let count = end.div_ceil(self.unit).saturating_sub(first);
        (first..first + count.min(self.members)).map(move |number| {
            let member = number % stripe.members;
            let start = from.max(number * stripe.unit);
            // The last unit that this member has in the access.
            let last = first + count - 1;
            let last = last - (last - number) % stripe.members;
            let stop = end.min((last + 1) * stripe.unit);
            let (_, begins) = stripe.place(Bytes::new(start));
            let (_, ends) = stripe.place(Bytes::new(stop - 1));
            Part {
                member: member as usize,
                offset: begins,
                len: ends + Bytes::new(1) - begins,
            }
        })
    }

    /// What `len` bytes from `offset` on of a member are in the array: a range a unit.
    pub fn ranges(
        &self,
        member: usize,
        offset: Bytes,
        len: Bytes,
    ) -> impl Iterator<Item = (Bytes, Bytes)> {
        let stripe = *self;
        let (from, end) = (offset.get(), offset.get() + len.get());
        (from / self.unit..end.div_ceil(self.unit)).map(move |row| {
            let start = from.max(row * stripe.unit);
            let stop = end.min((row + 1) * stripe.unit);
            (
                stripe.back(member, Bytes::new(start)),
                Bytes::new(stop - start),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// Arrays and accesses, drawn.
    fn drawn(cases: u64) -> impl Iterator<Item = (Stripe, Bytes, Bytes)> {
        let mut rng = Rng::new(5);
        (0..cases).map(move |_| {
            let unit = Bytes::new(512 * (1 + rng.below(16)));
            let stripe = Stripe::new(unit, 2 + rng.below(5) as usize).unwrap();
            let offset = Bytes::new(512 * rng.below(200));
            let len = Bytes::new(512 * (1 + rng.below(200)));
            (stripe, offset, len)
        })
    }

    #[test]
    fn every_byte_has_one_place_and_comes_back_from_it() {
        for (stripe, offset, len) in drawn(500) {
            for byte in [
                offset.get(),
                offset.get() + len.get() - 1,
                offset.get() + 511,
            ] {
                let (member, place) = stripe.place(Bytes::new(byte));
                assert!(member < stripe.members as usize);
                assert_eq!(stripe.back(member, place), Bytes::new(byte));
            }
        }
    }

    #[test]
    fn parts_cover_an_access_once_with_one_part_a_member() {
        for (stripe, offset, len) in drawn(500) {
            let mut sectors = vec![0; 400];
            let mut members = Vec::new();
            for part in stripe.parts(offset, len) {
                members.push(part.member);
                for k in 0..part.len.get() / 512 {
                    let at = stripe.back(part.member, part.offset + Bytes::new(512 * k));
                    sectors[(at.get() / 512) as usize] += 1;
                }
            }
            let (from, n) = ((offset.get() / 512) as usize, (len.get() / 512) as usize);
            for (i, count) in sectors.iter().enumerate() {
                let wanted = usize::from((from..from + n).contains(&i));
                assert_eq!(*count, wanted, "{stripe:?} {offset} {len}: sector {i}");
            }
            let mut once = members.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), members.len(), "a member twice in {members:?}");
        }
    }

    #[test]
    fn ranges_of_a_member_lead_back_to_the_same_bytes() {
        for (stripe, offset, len) in drawn(200) {
            let mut next = offset;
            for (at, n) in stripe.ranges(1, offset, len) {
                assert_eq!(stripe.place(at), (1, next));
                next += n;
            }
            assert_eq!(next, offset + len);
        }
    }

    #[test]
    fn the_smallest_member_decides_what_the_array_holds() {
        let stripe = Stripe::new(Bytes::kib(128), 3).unwrap();
        assert_eq!(stripe.capacity(Bytes::kib(1_000)), Bytes::kib(3 * 896));
        let last = stripe.place(Bytes::kib(3 * 896) - Bytes::new(1));
        assert_eq!(last, (2, Bytes::kib(896) - Bytes::new(1)));
    }

    #[test]
    fn an_array_of_one_or_of_broken_sectors_is_refused() {
        assert!(Stripe::new(Bytes::kib(128), 1).is_err());
        assert!(Stripe::new(Bytes::new(100), 2).is_err());
        assert!(Stripe::new(Bytes::ZERO, 2).is_err());
    }
}
