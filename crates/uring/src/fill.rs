//! What a write writes.
//!
//! A drive that compresses or deduplicates is as fast as its data are simple, so the bytes are part
//! of the workload. Random bytes come from wyrand (Wang Yi, in wyhash, 2019): a counter is multiplied
//! with itself, changed by a constant, and the product's halves are folded together. No word waits
//! for another one, so that a core makes up to 10 GB a second of them. Each write starts
//! from its own state, made from its stamp: equal stamps give equal bytes, different ones different
//! blocks (two blocks of different stamps are equal with probability 2^-64).
//!
//! `compressible_percent` of each 4 KiB piece, counted from the write's start (or of a shorter last
//! piece), are zeros, at the piece's end. Data that repeat each MiB come from one MiB of pattern
//! that is laid over the target: the byte depends on its offset modulo 1 MiB and on nothing else.

use base::io::{Fill, FillKind, Io};
use base::label;
use base::rng::splitmix64;

/// The piece of which a share is compressible.
const PIECE: usize = 4_096;
/// The length after which [`FillKind::RepeatEachMib`] repeats.
const MIB: usize = 1 << 20;
/// wyrand's step between two words, and the constant that makes two factors of one number.
const STEP: u64 = 0xa076_1d64_78bd_642f;
const OTHER: u64 = 0xe703_7ed1_a0b4_28db;
/// The pattern's own stamp: any number does, as long as it stays.
const PATTERN_STAMP: u64 = 0x4d69_4250_6174_7465;

/// Fills buffers, and remembers what constant data each of them already holds.
#[derive(Debug)]
pub(crate) struct Filler {
    held: Vec<Held>,
    pattern: Option<(u8, Box<[u8]>)>,
}

/// What a buffer holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    Unknown,
    /// `len` bytes that [`Fill`] gives at `phase` bytes after a whole MiB (0 where it is the same
    /// anywhere).
    Constant {
        fill: Fill,
        phase: usize,
        len: usize,
    },
}

impl Filler {
    pub(crate) fn new(buffers: u32) -> Filler {
        Filler {
            held: vec![Held::Unknown; buffers as usize],
            pattern: None,
        }
    }

    /// Says that a buffer will be overwritten by something else.
    #[inline]
    pub(crate) fn forget(&mut self, index: u32) {
        self.held[index as usize] = Held::Unknown;
    }

    /// Makes the bytes of a write in its buffer, which is as long as the write.
    pub(crate) fn fill(&mut self, index: u32, buffer: &mut [u8], io: &Io) {
        let wanted = match io.fill.kind {
            FillKind::Fresh => {
                self.forget(index);
                return fresh(buffer, io.stamp, io.fill.compressible_percent);
            }
            FillKind::RepeatEachMib => Held::Constant {
                fill: io.fill,
                phase: (io.offset.get() % MIB as u64) as usize,
                len: buffer.len(),
            },
            FillKind::Labelled { generation } => {
                self.forget(index);
                return label::write(buffer, io.offset, generation);
            }
            FillKind::Zeros | FillKind::Ones | FillKind::Pattern { .. } => Held::Constant {
                fill: io.fill,
                phase: 0,
                len: buffer.len(),
            },
        };
        if self.held[index as usize].covers(wanted) {
            return;
        }
        self.held[index as usize] = wanted;
        match io.fill.kind {
            FillKind::Zeros => buffer.fill(0x00),
            FillKind::Ones => buffer.fill(0xff),
            FillKind::Pattern { bytes, len } => {
                let few = &bytes.to_le_bytes()[..usize::from(len.clamp(1, 8))];
                let over = few.iter().cycle();
                buffer
                    .iter_mut()
                    .zip(over)
                    .for_each(|(to, byte)| *to = *byte);
            }
            _ => self.lay_pattern(buffer, io),
        }
    }

    fn lay_pattern(&mut self, buffer: &mut [u8], io: &Io) {
        let percent = io.fill.compressible_percent;
        if self.pattern.as_ref().is_none_or(|(p, _)| *p != percent) {
            let mut bytes = vec![0; MIB].into_boxed_slice();
            fresh(&mut bytes, PATTERN_STAMP, percent);
            self.pattern = Some((percent, bytes));
        }
        let Some((_, pattern)) = &self.pattern else {
            return;
        };
        let mut phase = (io.offset.get() % MIB as u64) as usize;
        let mut rest = buffer;
        while !rest.is_empty() {
            let (now, later) = rest.split_at_mut((MIB - phase).min(rest.len()));
            now.copy_from_slice(&pattern[phase..phase + now.len()]);
            rest = later;
            phase = 0;
        }
    }
}

impl Held {
    fn covers(self, wanted: Held) -> bool {
        match (self, wanted) {
            (
                Held::Constant {
                    fill: has,
                    phase: at,
                    len: holds,
                },
                Held::Constant { fill, phase, len },
            ) => has == fill && at == phase && holds >= len,
            _ => false,
        }
    }
}

/// Random bytes from a stamp, of each piece a share zeros.
fn fresh(buffer: &mut [u8], stamp: u64, compressible_percent: u8) {
    let share = usize::from(compressible_percent.min(100));
    let mut state = splitmix64(stamp);
    for piece in buffer.chunks_mut(PIECE) {
        let zeros = piece.len() * share / 100;
        let (random, zeros) = piece.split_at_mut(piece.len() - zeros);
        state = random_bytes(random, state);
        zeros.fill(0);
    }
}

/// Fills with the words that follow a state; gives the state after them.
fn random_bytes(bytes: &mut [u8], mut state: u64) -> u64 {
    let mut words = bytes.chunks_exact_mut(8);
    for word in &mut words {
        state = state.wrapping_add(STEP);
        word.copy_from_slice(&word_of(state).to_le_bytes());
    }
    let tail = words.into_remainder();
    if !tail.is_empty() {
        state = state.wrapping_add(STEP);
        tail.copy_from_slice(&word_of(state).to_le_bytes()[..tail.len()]);
    }
    state
}

#[inline]
fn word_of(state: u64) -> u64 {
    let product = u128::from(state) * u128::from(state ^ OTHER);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::size::Bytes;
    use std::collections::BTreeSet;

    fn filled(fill: Fill, offset: u64, len: usize, stamp: u64) -> Vec<u8> {
        let mut buffer = vec![0xa5; len];
        let io = Io {
            fill,
            ..Io::write(Bytes::new(offset), Bytes::new(len as u64), stamp)
        };
        Filler::new(1).fill(0, &mut buffer, &io);
        buffer
    }

    fn repeating(compressible_percent: u8) -> Fill {
        Fill {
            kind: FillKind::RepeatEachMib,
            compressible_percent,
        }
    }

    /// Shannon entropy in bits a byte.
    fn entropy(bytes: &[u8]) -> f64 {
        let mut counts = [0_u32; 256];
        bytes.iter().for_each(|&b| counts[usize::from(b)] += 1);
        let n = bytes.len() as f64;
        counts
            .iter()
            .filter(|&&c| c > 0)
            .map(|&c| f64::from(c) / n)
            .map(|p| -p * libm::log2(p))
            .sum()
    }

    #[test]
    fn equal_stamps_write_equal_bytes_wherever_and_others_different_ones() {
        let a = filled(Fill::FRESH, 0, 12_345, 7);
        assert_eq!(a, filled(Fill::FRESH, 512, 12_345, 7));
        assert_ne!(a, filled(Fill::FRESH, 0, 12_345, 8));
        // A shorter write is the beginning of a longer one.
        assert_eq!(a[..4_096], filled(Fill::FRESH, 0, 4_096, 7));
    }

    #[test]
    fn fresh_bytes_are_incompressible_and_no_block_of_512_bytes_repeats() {
        let mut blocks = BTreeSet::new();
        for stamp in 0..64 {
            let bytes = filled(Fill::FRESH, 0, 128 << 10, stamp);
            // 128 KiB of ideal random bytes: 8 - 255 / (2 ln 2 n) = 7.9986.
            assert!(entropy(&bytes) > 7.998, "{stamp}: {}", entropy(&bytes));
            for block in bytes.chunks(512) {
                assert!(blocks.insert(block.to_vec()), "stamp {stamp}");
            }
        }
    }

    #[test]
    fn of_each_4_kib_the_compressible_share_is_zeros() {
        let fill = Fill {
            kind: FillKind::Fresh,
            compressible_percent: 46,
        };
        for piece in filled(fill, 0, 64 << 10, 3).chunks(4_096) {
            let zeros = 4_096 * 46 / 100;
            assert!(piece[4_096 - zeros..].iter().all(|&b| b == 0));
            assert!(entropy(&piece[..4_096 - zeros]) > 7.8);
        }
    }

    #[test]
    fn repeating_data_depend_on_the_offset_within_a_mib_alone() {
        let whole = filled(repeating(0), 0, 3 << 20, 1);
        assert_eq!(whole[..MIB], whole[MIB..2 * MIB]);
        assert_eq!(entropy(&whole[..MIB]).round() as u32, 8);
        let from_within = filled(repeating(0), (5 << 20) + 1_024 * 1_000, 256 << 10, 2);
        assert_eq!(from_within, whole[1_024 * 1_000..][..256 << 10]);
    }

    #[test]
    fn constant_data_are_all_zeros_or_all_ones() {
        let ones = Fill {
            kind: FillKind::Ones,
            compressible_percent: 0,
        };
        assert!(filled(Fill::ZEROS, 0, 1_000, 1).iter().all(|&b| b == 0));
        assert!(filled(ones, 0, 1_000, 1).iter().all(|&b| b == 0xff));
    }

    #[test]
    fn a_pattern_begins_with_each_write() {
        let pattern = |bytes, len| Fill {
            kind: FillKind::Pattern { bytes, len },
            compressible_percent: 0,
        };
        assert_eq!(
            filled(pattern(0xadde, 2), 1, 5, 1),
            [0xde, 0xad, 0xde, 0xad, 0xde]
        );
        let eight = filled(pattern(0x0807_0605_0403_0201, 8), 0, 16, 1);
        assert_eq!(eight[..8], [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(eight[..8], eight[8..]);
    }

    #[test]
    fn a_buffer_that_holds_the_data_already_is_left_alone_until_it_is_used_otherwise() {
        let mut filler = Filler::new(1);
        let mut buffer = vec![0; MIB];
        let write = |mib: u64, percent| Io {
            fill: repeating(percent),
            ..Io::write(Bytes::mib(mib), Bytes::mib(1), mib)
        };
        let pattern = |percent| filled(repeating(percent), 0, MIB, 0);
        filler.fill(0, &mut buffer, &write(0, 0));
        // A mark shows whether it is written anew.
        buffer[77] ^= 0xff;
        filler.fill(0, &mut buffer, &write(9, 0));
        assert_ne!(buffer, pattern(0));
        filler.fill(0, &mut buffer, &write(9, 50));
        assert_eq!(buffer, pattern(50));
        buffer[77] ^= 0xff;
        filler.forget(0);
        filler.fill(0, &mut buffer, &write(9, 50));
        assert_eq!(buffer, pattern(50));
        filler.fill(0, &mut buffer, &Io::write(Bytes::ZERO, Bytes::mib(1), 5));
        filler.fill(0, &mut buffer, &write(3, 50));
        assert_eq!(buffer, pattern(50));
    }
}
