//! Page types: the pages of a word line do not read alike.
//!
//! A cell of several bits holds one page for each bit. To tell the bit of the *lower* page takes one
//! reference voltage, that of the *upper* page up to half of all: so a reading takes longer from bit
//! to bit. A 16 nm MLC die reads its lower and upper pages in 48 and 64 us; for TLC 57, 78 and 106 us
//! are used for lower, centre and upper pages (the NAND profiles of the emulator FEMU, Li et al.,
//! FAST 2018, the second taken from SimpleSSD): 14 % and 30 % either way of the mean. The type of a
//! page follows from its place alone, in turns from row to row, so the same page always reads alike.
//!
//! `read_spread` is how much longer than the mean (`nand.read_us`) the slowest type takes, as a share
//! of it; `coding` says how the others lie below. A reading takes a fixed time and as many sensings
//! as its page needs: two bits take 1 and 2 of them, three bits 1, 2 and 4 in the plain Gray code and
//! 2, 3 and 2 in the balanced one that most makers of charge-trap cells use, four bits 1, 2, 4 and 8,
//! or 4, 4, 4 and 3. Where nothing is said the types lie evenly, as far below the mean as above it.
//! Pages of one bit a cell have no types.

use base::time::Duration;
use serde::Deserialize;

use crate::sheet::quantity::{PerMille, Word};
use crate::sheet::table::parameters;
use crate::ssd::flash::layout::Divisor;

/// How many sensings the pages of a word line take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coding {
    /// Evenly from the fastest to the slowest.
    #[default]
    Even,
    /// Twice as many from bit to bit.
    Gray,
    /// As equal as it can be.
    Balanced,
}

impl std::fmt::Display for Coding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Coding::Even => "even",
            Coding::Gray => "gray",
            Coding::Balanced => "balanced",
        })
    }
}

impl Coding {
    /// Sensings by type, in cells of so many bits.
    const fn sensings(self, bits: u32) -> [i64; MOST_BITS] {
        match (self, bits) {
            (Coding::Gray, _) => [1, 2, 4, 8],
            (Coding::Balanced, 3) => [2, 3, 2, 0],
            (Coding::Balanced, 4) => [4, 4, 4, 3],
            (Coding::Even | Coding::Balanced, _) => [1, 2, 3, 4],
        }
    }
}

/// How unlike each other pages read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadSpread {
    /// Bits a cell: types of pages.
    pub bits: u32,
    /// From the mean to the slowest, in thousandths of the mean.
    pub thousandths: u32,
    /// How the others lie below.
    pub coding: Coding,
}

parameters! {
    /// How unlike each other pages of a word line read, whatever a cell holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Spread from PageTypesConfig ["page_types"] {
        /// From the mean to the slowest, in thousandths of the mean.
        thousandths "read_spread": PerMille("of nand.read_us") in 0.0..=0.9;
        /// How many sensings the pages take.
        coding "coding": Word<Coding>, or Coding::Even;
    }
}

impl Spread {
    /// In cells that hold so many bits: pages of one bit are all alike.
    pub fn of_cells(&self, bits: u32) -> ReadSpread {
        ReadSpread {
            bits,
            thousandths: if bits > 1 { self.thousandths } else { 0 },
            coding: self.coding,
        }
    }
}

/// Most bits a cell.
const MOST_BITS: usize = 4;

/// What a reading takes, by type.
#[derive(Clone, Copy, Debug)]
pub(in crate::ssd) struct PageTypes {
    times: [Duration; MOST_BITS],
    bits: Divisor,
}

impl PageTypes {
    /// Types about a mean.
    pub(in crate::ssd) fn new(mean: Duration, spread: ReadSpread) -> PageTypes {
        PageTypes {
            times: read_times(mean, spread),
            bits: Divisor::new(spread.bits),
        }
    }

    /// What a reading of a row takes.
    #[inline]
    pub(in crate::ssd) fn read(&self, row: u32) -> Duration {
        self.times[self.bits.divide(row).1 as usize % MOST_BITS]
    }
}

/// What a reading takes by type.
fn read_times(mean: Duration, spread: ReadSpread) -> [Duration; MOST_BITS] {
    let bits = i64::from(spread.bits);
    let types = bits.clamp(1, MOST_BITS as i64) as usize;
    let sensings = spread.coding.sensings(spread.bits);
    let sum: i64 = sensings[..types].iter().sum();
    let most = sensings[..types]
        .iter()
        .max()
        .map_or(0, |most| most * bits - sum);
    let mean = mean.as_nanos() as i64;
    std::array::from_fn(|bit| {
        // How many sensings more than the mean, as a share of those of the slowest.
        let more = sensings[bit] * bits - sum;
        let off = mean * i64::from(spread.thousandths) * more / (1_000 * most.max(1));
        Duration::from_nanos((mean + off).max(0) as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(bits: u32, thousandths: u32) -> Vec<u64> {
        let coding = Coding::Even;
        let spread = ReadSpread {
            bits,
            thousandths,
            coding,
        };
        let times = read_times(Duration::from_micros(80), spread);
        times[..bits as usize]
            .iter()
            .map(|time| time.as_nanos() / 1_000)
            .collect()
    }

    #[test]
    fn the_types_lie_evenly_about_the_mean() {
        assert_eq!(us(2, 150), [68, 92]);
        assert_eq!(us(3, 300), [56, 80, 104]);
        assert_eq!(us(4, 300), [56, 72, 88, 104]);
        assert_eq!(us(3, 0), [80, 80, 80]);
    }

    #[test]
    fn types_follow_the_sensings_of_the_coding_and_keep_the_mean() {
        let us = |bits, coding| {
            let spread = ReadSpread {
                bits,
                thousandths: 500,
                coding,
            };
            let times = read_times(Duration::from_micros(90), spread);
            times.map(|time| time.as_nanos() / 1_000)
        };
        // 90 - 4/5 * 45, 90 - 1/5 * 45, 90 + 45.
        assert_eq!(us(3, Coding::Gray)[..3], [54, 81, 135]);
        assert_eq!(us(3, Coding::Balanced)[..3], [67, 135, 67]);
    }
}
