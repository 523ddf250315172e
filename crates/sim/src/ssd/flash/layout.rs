//! How the flash is laid out: channels, dies, superblocks, rows and groups.
//!
//! Dies hang on channels; a die works on all its planes at once, and a block must be erased before
//! its pages are programmed again, in order. The drive takes one block of every plane of every die
//! together as a *superblock*, the unit that is opened, collected and freed. Inside it, 4 KiB pages
//! are numbered in the order in which they are written: a *unit* is what one die takes in one page
//! of all its planes, a *row* is one unit of every die, and as many rows as a cell has bits are
//! programmed together on each die (a *group*). Sequentially written data thus lie on consecutive
//! numbers, and neighbouring units on neighbouring channels. The first die of a row is drawn again
//! for each group of rows: perfectly regular placement would resonate with a workload's own order.
//! Dies of a row that hold parity ([`super::parity`]) have no numbers: rows and superblocks are of data.

/// A page of the map: 4 KiB.
pub const PAGE: u64 = 4096;

/// Number of a physical 4 KiB page, in the order of writing within its superblock.
pub type Ppn = u32;

/// Number of a logical 4 KiB page.
pub type Lpn = u32;

/// No page at all.
pub const NONE: u32 = u32::MAX;

/// How the flash is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    pub channels: u32,
    /// Dies in all, spread over the channels in turns.
    pub dies: u32,
    /// Planes of a die, which program and erase together: two, four, six.
    pub planes: u32,
    /// Bytes of a flash page; a power of two of at least 4 KiB.
    pub page_bytes: u32,
    /// Rows of flash pages in a block; a multiple of [`Geometry::bits`].
    pub rows: u32,
    /// Blocks in a plane: the number of superblocks.
    pub superblocks: u32,
    /// Rows that are programmed together: the bits of a cell (3 for TLC) where a word line is
    /// programmed at once, one where page by page, as on flat SLC and MLC of 2010.
    pub bits: u32,
    /// Dies of a stripe, including the one with parity; 0: no parity.
    pub stripe: u32,
}

impl Geometry {
    /// Pages of 4 KiB in a unit: one flash page of all planes of a die.
    pub const fn unit_pages(&self) -> u32 {
        self.planes * (self.page_bytes / PAGE as u32)
    }
    /// Pages of 4 KiB in a flash page.
    pub const fn flash_page_pages(&self) -> u32 {
        self.page_bytes / PAGE as u32
    }
    /// Pages of 4 KiB in a row: one unit of every die that holds data.
    pub const fn row_pages(&self) -> u32 {
        self.data_dies() * self.unit_pages()
    }
    /// Pages of 4 KiB in a superblock.
    pub const fn superblock_pages(&self) -> u32 {
        self.rows * self.row_pages()
    }
    /// Pages of 4 KiB in a superblock that holds one bit a cell.
    pub const fn slc_superblock_pages(&self) -> u32 {
        self.superblock_pages() / self.bits
    }
    /// Groups of a die in a superblock: program operations on it, one bit a cell or all.
    pub const fn groups_a_die(&self) -> u32 {
        self.rows / self.bits
    }
    /// Pages of 4 KiB in all.
    pub const fn pages(&self) -> u64 {
        self.superblock_pages() as u64 * self.superblocks as u64
    }
}

/// Divides `u32`s by a fixed number without a division (Robison, "N-bit unsigned division via N-bit
/// multiply-add", 2005): the high half of `(n + 1) * floor((2^64 - 1) / d)`. Exact for all
/// `n < 2^32`: what the reciprocal lacks makes less than 2^-32, and a quotient that is not whole lies at
/// least `1 / d` above the one below it.
#[derive(Clone, Copy, Debug)]
pub struct Divisor {
    d: u32,
    reciprocal: u64,
}

impl Divisor {
    /// Divides by `d`.
    ///
    /// # Panics
    /// Where `d` is zero.
    pub const fn new(d: u32) -> Divisor {
        assert!(d > 0, "nothing can be divided by zero");
        Divisor {
            d,
            reciprocal: u64::MAX / d as u64,
        }
    }
    /// `n / d` and the remainder.
    #[inline]
    pub const fn divide(self, n: u32) -> (u32, u32) {
        let quotient = ((self.reciprocal as u128 * (n as u64 + 1) as u128) >> 64) as u32;
        (quotient, n - quotient * self.d)
    }
}

/// Where a physical page lies.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    geometry: Geometry,
    /// Of pages in a unit: its logarithm where that is whole, as it is on all but dies of six planes.
    unit_shift: Option<u32>,
    unit: Divisor,
    dies: Divisor,
    channels: Divisor,
    superblock: Divisor,
    row: Divisor,
    bits: Divisor,
    groups_a_die: u32,
    seed: u32,
}

/// A group: what one die programs at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    pub superblock: u32,
    /// The group's number on its die.
    pub index: u32,
    pub die: u32,
}

impl Layout {
    /// The layout of a geometry; the seed draws each row's first die.
    ///
    /// # Panics
    /// Where the geometry is not one: [`crate::ssd::parameters::Parameters::check`] says so before.
    pub fn new(geometry: Geometry, seed: u64) -> Layout {
        Layout {
            geometry,
            unit_shift: (geometry.unit_pages().is_power_of_two())
                .then(|| geometry.unit_pages().trailing_zeros()),
            unit: Divisor::new(geometry.unit_pages()),
            dies: Divisor::new(geometry.data_dies()),
            channels: Divisor::new(geometry.channels),
            superblock: Divisor::new(geometry.superblock_pages()),
            row: Divisor::new(geometry.row_pages()),
            bits: Divisor::new(geometry.bits),
            groups_a_die: geometry.groups_a_die(),
            seed: base::rng::splitmix64(seed) as u32,
        }
    }

    /// The geometry.
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// [`Geometry::unit_pages`], worked out once.
    #[inline]
    pub const fn unit_pages(&self) -> u32 {
        self.unit.d
    }

    /// [`Geometry::superblock_pages`], worked out once.
    #[inline]
    pub const fn superblock_pages(&self) -> u32 {
        self.superblock.d
    }

    /// [`Geometry::groups_a_die`], worked out once.
    #[inline]
    pub const fn groups_a_die(&self) -> u32 {
        self.groups_a_die
    }

    /// A place's number in its unit.
    #[inline]
    pub fn in_unit(&self, place: u32) -> u32 {
        match self.unit_shift {
            Some(_) => place & (self.unit.d - 1),
            None => self.unit.divide(place).1,
        }
    }

    /// A page's superblock and its place there.
    #[inline]
    pub fn place(&self, ppn: Ppn) -> (u32, u32) {
        self.superblock.divide(ppn)
    }

    /// A page's unit: pages of one unit are read together.
    #[inline]
    pub fn unit(&self, ppn: Ppn) -> u32 {
        match self.unit_shift {
            Some(shift) => ppn >> shift,
            None => self.unit.divide(ppn).0,
        }
    }

    /// The die of a unit.
    #[inline]
    pub fn die_of_unit(&self, unit: u32) -> u32 {
        self.die_and_row(unit).0
    }

    /// The die of a unit and its row, counted over all superblocks.
    #[inline]
    pub fn die_and_row(&self, unit: u32) -> (u32, u32) {
        let (row, column) = self.dies.divide(unit);
        let (group_row, _) = self.bits.divide(row);
        (self.turn(column + self.first_die(group_row)), row)
    }

    /// The channel of a die.
    #[inline]
    pub fn channel(&self, die: u32) -> u32 {
        self.channels.divide(die).1
    }

    /// The first die of the rows that are programmed together.
    #[inline]
    pub(super) fn first_die(&self, group_row: u32) -> u32 {
        let mixed = (group_row ^ self.seed).wrapping_mul(0x9e37_79b1);
        let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b);
        ((u64::from(mixed) * u64::from(self.geometry.dies)) >> 32) as u32
    }

    /// A die's number, past the last one counted from the first again. The difference wraps to a
    /// huge number where there is nothing to take away: the smaller one is right, without a branch
    /// that no processor could foresee.
    #[inline]
    pub(super) fn turn(&self, die: u32) -> u32 {
        die.min(die.wrapping_sub(self.geometry.dies))
    }

    /// The group that is complete once the unit at this place (the number of its first page in the
    /// superblock) is filled; `None` if rows of the group are still to come.
    pub fn group_completed_by(&self, superblock: u32, place: u32, slc: bool) -> Option<Group> {
        let (row, _) = self.row.divide(place);
        let (group_row, bit) = self.bits.divide(row);
        let index = if slc {
            row
        } else if bit == self.geometry.bits - 1 {
            group_row
        } else {
            return None;
        };
        let unit = self.unit(superblock * self.superblock_pages() + place);
        Some(Group {
            superblock,
            index,
            die: self.die_of_unit(unit),
        })
    }

    /// Up to which place no unit from one on completes a group: the end of its row, where rows of the group are
    /// still to come behind it, else the place itself.
    pub fn completes_none_before(&self, place: u32, slc: bool) -> u32 {
        let (row, in_row) = self.row.divide(place);
        let (_, bit) = self.bits.divide(row);
        match slc || bit == self.geometry.bits - 1 {
            true => place,
            false => place - in_row + self.row.d,
        }
    }

    /// A dense number of the group that holds a page.
    pub fn group_number(&self, ppn: Ppn, slc: bool) -> usize {
        let (superblock, place) = self.place(ppn);
        let (row, _) = self.row.divide(place);
        let index = if slc { row } else { self.bits.divide(row).0 };
        let die = self.die_of_unit(self.unit(ppn));
        self.number(&Group {
            superblock,
            index,
            die,
        })
    }

    /// A dense number of a group.
    pub fn number(&self, group: &Group) -> usize {
        let groups = self.groups_a_die as usize;
        let row = group.superblock as usize * groups + group.index as usize;
        row * self.geometry.dies as usize + group.die as usize
    }

    /// Groups in all.
    pub fn groups(&self) -> usize {
        let g = &self.geometry;
        g.superblocks as usize * g.groups_a_die() as usize * g.dies as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_divisor_divides(n: u32, d in 1_u32..=u32::MAX, small in 1_u32..5_000) {
            prop_assert_eq!(Divisor::new(d).divide(n), (n / d, n % d));
            for n in [n, n / small * small, u32::MAX, 0] {
                prop_assert_eq!(Divisor::new(small).divide(n), (n / small, n % small));
            }
        }
    }

    const SMALL: Geometry = Geometry {
        channels: 2,
        dies: 6,
        planes: 2,
        page_bytes: 16_384,
        rows: 6,
        superblocks: 4,
        bits: 3,
        stripe: 0,
    };

    #[test]
    fn every_row_uses_every_die_once() {
        let layout = Layout::new(SMALL, 3);
        for row in 0..SMALL.rows * SMALL.superblocks {
            let mut dies: Vec<u32> = (0..6)
                .map(|column| layout.die_of_unit(row * 6 + column))
                .collect();
            dies.sort_unstable();
            assert_eq!(dies, [0, 1, 2, 3, 4, 5]);
        }
    }

    #[test]
    fn every_group_is_completed_once_and_holds_the_units_of_its_die() {
        let layout = Layout::new(SMALL, 9);
        let pages = SMALL.superblock_pages();
        let mut completed = Vec::new();
        for place in (0..pages).step_by(SMALL.unit_pages() as usize) {
            if let Some(group) = layout.group_completed_by(1, place, false) {
                let ppn = pages + place;
                assert_eq!(layout.group_number(ppn, false), layout.number(&group));
                completed.push(layout.number(&group));
            }
        }
        completed.sort_unstable();
        let groups = (SMALL.groups_a_die() * SMALL.dies) as usize;
        assert_eq!(completed, (groups..2 * groups).collect::<Vec<_>>());
    }
}
