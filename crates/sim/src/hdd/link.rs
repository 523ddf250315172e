//! The interface: one command at a time is decoded, one transfer at a time is on the wire.
//!
//! Serial ATA sends 8 bits as 10: 150, 300 or 600 MB/s on the wire; frames and handshakes leave some
//! 92 to 94 per cent of that. Data go in frames of at most 8 KiB: the last frame of a read follows the
//! last sector from the medium, and the others were sent while the medium delivered. The controller
//! decodes a command before anything else happens.

use base::io::Op;

/// The way between host and buffer.
#[derive(Clone, Debug)]
pub struct Link {
    /// Nanoseconds a block on the wire, in 2^-16.
    block_ns_q16: u64,
    /// The same of what is written.
    written_block_ns_q16: u64,
    /// Blocks a frame.
    frame: u64,
    controller_free: u64,
    wire_free: u64,
}

impl Link {
    /// A link with its times for a block read and written, in picoseconds, and its frame in blocks.
    pub fn new(block_picos: u64, written_block_picos: u64, frame: u64) -> Link {
        let q16 = |picos: u64| ((u128::from(picos) << 16) / 1_000) as u64;
        Link {
            block_ns_q16: q16(block_picos),
            written_block_ns_q16: q16(written_block_picos),
            frame,
            controller_free: 0,
            wire_free: 0,
        }
    }

    /// Decodes a command that came at `now` in `overhead` nanoseconds; gives the end.
    #[inline]
    pub fn decode(&mut self, now: u64, overhead: u64) -> u64 {
        self.controller_free = self.controller_free.max(now) + overhead;
        self.controller_free
    }

    /// Nanoseconds on the wire of what is read, rounded up.
    #[inline]
    pub fn time(&self, blocks: u64) -> u64 {
        (blocks * self.block_ns_q16 + 0xffff) >> 16
    }

    /// Takes the wire as soon as it is free; gives the end of the transfer.
    #[inline]
    pub fn transfer(&mut self, now: u64, op: Op, blocks: u64) -> u64 {
        let time = match op {
            Op::Write => (blocks * self.written_block_ns_q16 + 0xffff) >> 16,
            Op::Read | Op::Flush | Op::Trim => self.time(blocks),
        };
        self.wire_free = self.wire_free.max(now) + time;
        self.wire_free
    }

    /// When the transfer of a read should take the wire, so that it ends one frame after the medium
    /// has delivered the last block at `last`.
    #[inline]
    pub fn begin_before(&self, last: u64, blocks: u64) -> u64 {
        let early = blocks.saturating_sub(self.frame);
        last.saturating_sub(self.time(early))
    }

    /// The power is gone.
    pub fn clear(&mut self, now: u64) {
        self.controller_free = now;
        self.wire_free = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_takes_the_time_that_was_asked_for() {
        // 558 MB/s: 512 bytes in 917.56 ns.
        let link = Link::new(917_560, 917_560, 16);
        assert_eq!(link.time(128), 117_448);
        assert_eq!(link.time(1), 918);
    }

    #[test]
    fn commands_and_transfers_queue_up() {
        let mut link = Link::new(1_000_000, 2_000_000, 16);
        assert_eq!(link.decode(100, 50), 150);
        assert_eq!(link.decode(120, 50), 200);
        assert_eq!(link.transfer(500, Op::Read, 10), 10_500);
        assert_eq!(link.transfer(600, Op::Read, 10), 20_500);
        assert_eq!(link.transfer(90_000, Op::Read, 10), 100_000);
        // Only the last frame is left when the medium has delivered the last block.
        assert_eq!(link.transfer(200_000, Op::Write, 10), 220_000, "a bridge");
        assert_eq!(link.begin_before(1_000_000, 128), 888_000);
        assert_eq!(link.begin_before(1_000_000, 8), 1_000_000);
    }
}
