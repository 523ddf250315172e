//! Self-describing sectors: address, generation and checksum.
//!
//! Benchmarks do not check the data that they write, so a drive that loses or mixes up data looks like any fast drive.
//! A **labelled** sector of 512 bytes can be checked without knowing who wrote it: it begins with an eight-letter
//! magic, its address on the target (bytes), its **generation** (the number of the write at this position), and a
//! checksum of these and of the rest of the sector, which are random bytes derived from address and generation. So the
//! contents of a sector show what went wrong: see [`Difference`]. Drive testers use similar formats (`fio --verify`,
//! FreeBSD's `geom` tools, and T10's protection information, which carries address and checksum out of band); the
//! layout here is our own.
//!
//! All numbers are little-endian. The checksum is the exclusive or of splitmix64 of each word, mixed with its position:
//! not cryptographic, but a changed word is missed with probability 2^-64.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rng::splitmix64;
use crate::size::Bytes;

/// Bytes of a labelled sector.
pub const SECTOR: usize = 512;
/// EILSEQ, "illegal byte sequence" on Linux: the error number of data that does not match, as used by the kernel's
/// block layer for protection information.
pub const EILSEQ: i32 = 84;
/// Highest generation.
pub const MOST_GENERATIONS: u16 = u16::MAX - 1;

/// What marks a labelled sector.
const MARK: u64 = u64::from_le_bytes(*b"drivelab");
/// Words of a sector, and those of its head: mark, address, generation, checksum.
const WORDS: usize = SECTOR / 8;
const HEAD: usize = 4;

/// What is wrong with a sector.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "SectorDifference")]
pub enum Difference {
    /// It holds nothing, all bytes zeros or all ones: it was not written, or was trimmed.
    Unwritten,
    /// It is valid and at its address, but of another generation: a later write was lost.
    OldGeneration,
    /// It is valid, but belongs elsewhere: a misdirected write or read.
    OtherAddress,
    /// Anything else: bytes were changed, or other software has written there.
    Corrupt,
    /// It was acknowledged, and a power cut took it. Only modelled drives tell this apart.
    Lost,
}

impl Difference {
    /// All of them.
    pub const ALL: [Difference; 5] = [
        Difference::Unwritten,
        Difference::OldGeneration,
        Difference::OtherAddress,
        Difference::Corrupt,
        Difference::Lost,
    ];

    /// Its name in figures.
    pub const fn name(self) -> &'static str {
        match self {
            Difference::Unwritten => "unwritten",
            Difference::OldGeneration => "old-generation",
            Difference::OtherAddress => "other-address",
            Difference::Corrupt => "corrupt",
            Difference::Lost => "lost",
        }
    }
}

/// How the data read differs from the data written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReadDifference")]
pub struct Differs {
    /// What is wrong with the first sector that differs.
    pub kind: Difference,
    /// Which sector of the read that is, from 0.
    pub first: u32,
    /// Sectors of the read that differ.
    pub sectors: u32,
}

impl Differs {
    /// Sums up what is wrong with the sectors of a read, each by its number in it.
    pub fn of(wrong: impl Iterator<Item = (u32, Difference)>) -> Option<Differs> {
        wrong.fold(None, |so_far, (number, kind)| {
            Some(match so_far {
                None => Differs {
                    kind,
                    first: number,
                    sectors: 1,
                },
                Some(differs) => Differs {
                    sectors: differs.sectors + 1,
                    ..differs
                },
            })
        })
    }
}

/// Makes the sectors of a write at `offset`; what is left of a sector at the end is not touched.
pub fn write(buffer: &mut [u8], offset: Bytes, generation: u16) {
    for (sector, address) in buffer.chunks_exact_mut(SECTOR).zip(addresses(offset)) {
        let words = words_of(address, generation);
        for (bytes, word) in sector.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// Holds what was read at `offset` against what a write of a generation left there.
pub fn check(buffer: &[u8], offset: Bytes, generation: u16) -> Option<Differs> {
    let sectors = buffer.chunks_exact(SECTOR).zip(addresses(offset)).zip(0..);
    Differs::of(sectors.filter_map(|((sector, address), number)| {
        let difference = difference(&read(sector), address, generation)?;
        Some((number, difference))
    }))
}

fn addresses(offset: Bytes) -> impl Iterator<Item = u64> {
    (0..).map(move |i: u64| offset.get() + i * SECTOR as u64)
}

fn read(sector: &[u8]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(sector.chunks_exact(8)) {
        let mut eight = [0; 8];
        eight.copy_from_slice(bytes);
        *word = u64::from_le_bytes(eight);
    }
    words
}

fn words_of(address: u64, generation: u16) -> [u64; WORDS] {
    let seed = splitmix64(address ^ u64::from(generation).rotate_right(16));
    let mut words = [0; WORDS];
    for (i, word) in words.iter_mut().enumerate().skip(HEAD) {
        *word = splitmix64(seed.wrapping_add(i as u64));
    }
    (words[0], words[1], words[2]) = (MARK, address, u64::from(generation));
    words[3] = checksum(&words);
    words
}

/// Of all words but the checksum itself.
fn checksum(words: &[u64; WORDS]) -> u64 {
    let sum = |sum, (i, word): (usize, &u64)| match i {
        3 => sum,
        _ => sum ^ splitmix64(word.rotate_left(i as u32) ^ splitmix64(i as u64)),
    };
    words.iter().enumerate().fold(0, sum)
}

fn difference(words: &[u64; WORDS], address: u64, generation: u16) -> Option<Difference> {
    let blank = |of: u64| words.iter().all(|word| *word == of);
    if blank(0) || blank(u64::MAX) {
        Some(Difference::Unwritten)
    } else if words[0] != MARK || words[3] != checksum(words) {
        Some(Difference::Corrupt)
    } else if words[1] != address {
        Some(Difference::OtherAddress)
    } else {
        (words[2] != u64::from(generation)).then_some(Difference::OldGeneration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(offset: u64, sectors: usize, generation: u16) -> Vec<u8> {
        let mut bytes = vec![0xa5; sectors * SECTOR];
        write(&mut bytes, Bytes::new(offset), generation);
        bytes
    }

    fn found(bytes: &[u8]) -> Option<(Difference, u32, u32)> {
        let differs = check(bytes, Bytes::mib(1), 2)?;
        Some((differs.kind, differs.first, differs.sectors))
    }

    #[test]
    fn what_was_written_is_found_whatever_part_of_it_is_read() {
        let bytes = written(1 << 20, 64, 2);
        assert_eq!(found(&bytes), None);
        assert_eq!(found(&bytes[..SECTOR]), None);
        let later = check(&bytes[8 * SECTOR..], Bytes::mib(1) + Bytes::kib(4), 2);
        assert_eq!(later, None);
    }

    #[test]
    fn each_way_to_be_wrong_is_told_from_the_others() {
        let right = written(1 << 20, 4, 2);
        let with = |at: usize, sector: &[u8]| {
            let mut bytes = right.clone();
            bytes[at * SECTOR..(at + 1) * SECTOR].copy_from_slice(sector);
            found(&bytes)
        };
        let zeros = [0; SECTOR];
        assert_eq!(with(1, &zeros), Some((Difference::Unwritten, 1, 1)));
        assert_eq!(
            with(3, &[0xff; SECTOR]),
            Some((Difference::Unwritten, 3, 1))
        );
        let old = written((1 << 20) + 1_024, 1, 1);
        assert_eq!(with(2, &old), Some((Difference::OldGeneration, 2, 1)));
        let elsewhere = written(0, 1, 2);
        assert_eq!(with(0, &elsewhere), Some((Difference::OtherAddress, 0, 1)));
        assert_eq!(
            found(&written(0, 4, 2)),
            Some((Difference::OtherAddress, 0, 4))
        );
    }

    #[test]
    fn a_change_of_any_one_bit_is_seen() {
        for bit in 0..SECTOR * 8 {
            let mut bytes = written(1 << 20, 1, 2);
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(found(&bytes), Some((Difference::Corrupt, 0, 1)), "{bit}");
        }
        // Nor do two words in each other's places pass.
        let mut bytes = written(1 << 20, 1, 2);
        bytes[64..80].rotate_left(8);
        assert_eq!(found(&bytes), Some((Difference::Corrupt, 0, 1)));
    }
}
