//! Page types: the pages of a word line do not read alike.
//!
//! A cell of several bits holds one page for each bit. To tell the bit of the *lower* page takes one
//! reference voltage, that of the *upper* page up to half of all: so a reading takes longer from bit
//! to bit. A 16 nm MLC die reads its lower and upper pages in 48 and 64 us; for TLC 57, 78 and 106 us
//! are used for lower, centre and upper pages (the NAND profiles of the emulator FEMU, Li et al.,
//! FAST 2018, the second taken from SimpleSSD): 14 % and 30 % either way of the mean. The type of a
//! page follows from its place alone, in turns from row to row, so the same page always reads alike.
//!
//! One parameter, `read_spread`: how much longer than the mean the slowest type takes, and how much
//! shorter the fastest, as a share of the mean (`nand.read_us`); types between lie evenly. Pages of
//! one bit a cell have no types.

use base::time::Duration;

use crate::sheet::quantity::PerMille;
use crate::sheet::table::parameters;
use crate::ssd::flash::layout::Divisor;

/// How unlike each other pages read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadSpread {
    /// Bits a cell: types of pages.
    pub bits: u32,
    /// From the mean to the slowest, in thousandths of the mean.
    pub thousandths: u32,
}

parameters! {
    /// How unlike each other pages of a word line read, whatever a cell holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Spread from PageTypesConfig ["page_types"] {
        /// From the mean to the slowest, in thousandths of the mean.
        thousandths "read_spread": PerMille("of nand.read_us") in 0.0..=0.9;
    }
}

impl Spread {
    /// In cells that hold so many bits: pages of one bit are all alike.
    pub fn of_cells(&self, bits: u32) -> ReadSpread {
        ReadSpread {
            bits,
            thousandths: if bits > 1 { self.thousandths } else { 0 },
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

/// What a reading takes by type, fastest first.
fn read_times(mean: Duration, spread: ReadSpread) -> [Duration; MOST_BITS] {
    let steps = i64::from(spread.bits).max(2) - 1;
    let mean = mean.as_nanos() as i64;
    std::array::from_fn(|bit| {
        // -1 to 1 in `steps` steps, times the spread.
        let twice = 2 * (bit as i64).min(steps) - steps;
        let off = mean * i64::from(spread.thousandths) * twice / (1_000 * steps);
        Duration::from_nanos((mean + off).max(0) as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(bits: u32, thousandths: u32) -> Vec<u64> {
        let times = read_times(Duration::from_micros(80), ReadSpread { bits, thousandths });
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
}
