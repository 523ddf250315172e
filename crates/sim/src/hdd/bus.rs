//! A bus that a disk shares with others, and leaves while it has nothing to send.
//!
//! On parallel SCSI a disk that has to fetch data *disconnects*: the bus is free for others until
//! the disk takes it again. Each block takes its time on the bus, and goes as soon as it is in the
//! buffer and the bus is there; so medium and bus overlap. How many blocks must be in the buffer
//! before the disk comes back is its *watermark*, a share of the request. When the buffer has run
//! dry, the disk either holds the bus and continues sector by sector, or leaves and waits for the
//! mark again.

/// What a transfer over the bus takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedBus {
    /// Nanoseconds a block to the host.
    pub read_block_ns: u64,
    /// Nanoseconds a block from the host.
    pub write_block_ns: u64,
    /// The bus is kept when the buffer has run dry in a read.
    pub hold: bool,
    /// The bus is never left at all.
    pub never_disconnect: bool,
    /// Watermark of a read, in millionths of the request (or of a segment, where that is less).
    pub read_mark_millionths: u64,
    /// Nanoseconds before each transfer's first block.
    pub preparation_ns: u64,
    /// Nanoseconds to take the bus again.
    pub reselect_ns: u64,
}

impl SharedBus {
    /// Blocks that must be in the buffer before the disk takes the bus for a read: at least one.
    pub fn mark(&self, blocks: u64, segment: u64) -> usize {
        let share = u128::from(blocks.min(segment)) * u128::from(self.read_mark_millionths);
        ((share / 1_000_000) as usize).max(1)
    }

    /// Sends the blocks that arrive in the buffer at these times, in order; gives the end. `held`:
    /// the bus is there from `from` on, else it has to be taken, from then on at the earliest.
    pub fn send(&self, arrivals: &[u64], from: u64, held: bool, mark: usize) -> u64 {
        let mut now = from;
        let mut connected = held;
        if connected {
            now += self.preparation_ns;
        }
        let mut sent = 0;
        while sent < arrivals.len() {
            if !connected {
                let wanted = mark.min(arrivals.len() - sent);
                now = now.max(arrivals[sent + wanted - 1]) + self.reselect_ns + self.preparation_ns;
                connected = true;
            }
            if arrivals[sent] > now && !self.hold && !self.never_disconnect {
                connected = false;
                continue;
            }
            now = now.max(arrivals[sent]) + self.read_block_ns;
            sent += 1;
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bus() -> SharedBus {
        SharedBus {
            read_block_ns: 10,
            write_block_ns: 10,
            hold: false,
            never_disconnect: false,
            read_mark_millionths: 0,
            preparation_ns: 0,
            reselect_ns: 0,
        }
    }

    #[test]
    fn blocks_follow_the_medium_or_the_bus_whichever_is_slower() {
        assert_eq!(bus().send(&[100, 120, 140], 0, false, 1), 150);
        assert_eq!(bus().send(&[100, 101, 102], 0, false, 1), 130);
        assert_eq!(bus().send(&[100, 101, 102], 500, false, 1), 530);
    }

    #[test]
    fn a_watermark_of_all_waits_for_the_last_block() {
        let all = SharedBus {
            read_mark_millionths: 1_000_000,
            ..bus()
        };
        assert_eq!(all.mark(3, 512), 3);
        assert_eq!(all.mark(800, 512), 512);
        assert_eq!(bus().mark(3, 512), 1);
        assert_eq!(all.send(&[100, 120, 140], 0, false, 3), 170);
    }

    #[test]
    fn a_bus_that_is_held_pays_for_taking_it_once() {
        let dear = SharedBus {
            reselect_ns: 7,
            preparation_ns: 1,
            ..bus()
        };
        let arrivals = [100, 120, 140];
        assert_eq!(dear.send(&arrivals, 0, false, 1), 140 + 7 + 1 + 10);
        let held = SharedBus { hold: true, ..dear };
        assert_eq!(held.send(&arrivals, 0, false, 1), 150);
        assert_eq!(held.send(&[0, 0], 50, true, 1), 50 + 1 + 20);
    }
}
