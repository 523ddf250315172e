//! What the controller's own work costs: by kind of command, by hit or miss, and by what came before.
//!
//! Extraction from outside finds that a controller takes longer for some sequences than for others,
//! a read after a write for instance, since it has to turn its buffer round. So each overhead is a
//! pair: after a read, and after a write.

/// Nanoseconds after a read, and after a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// After a read.
    pub read_ns: u64,
    /// After a write.
    pub write_ns: u64,
}

impl After {
    /// The overhead after the command that ended last.
    pub const fn of(self, after_write: bool) -> u64 {
        if after_write {
            self.write_ns
        } else {
            self.read_ns
        }
    }
}

/// All overheads of a controller that takes one command at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overheads {
    /// From the arrival of a read that finds its first block in the buffer until it takes the bus.
    pub read_hit: After,
    /// From the arrival of a read until the arm starts.
    pub read_miss: After,
    /// From the arrival of a write until arm and bus start.
    pub write: After,
    /// From then until the bus is free in a read that misses.
    pub read_disconnect: After,
    /// Nanoseconds to leave the bus after the data of a write.
    pub write_disconnect_ns: u64,
    /// Nanoseconds at the end of a read.
    pub read_completion_ns: u64,
    /// Nanoseconds at the end of a write.
    pub write_completion_ns: u64,
}

/// What a write costs that leaves the bus once more, between its command and its data.
///
/// Some controllers do so where a write follows another one that it does not adjoin: the command is
/// taken, the bus let go while the buffer is made ready, and taken again for the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtraDisconnect {
    /// Nanoseconds from the arrival until the arm may start.
    pub arm_ns: u64,
    /// Nanoseconds from the arrival until the bus is there again for the data.
    pub bus_ns: u64,
    /// Nanoseconds to leave the bus after the data.
    pub second_disconnect_ns: u64,
}

impl ExtraDisconnect {
    /// Blocks that must be in the buffer before the medium starts.
    pub fn buffered(blocks: u64) -> u64 {
        if blocks >= 45 { 15 } else { blocks.min(10) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overhead_depends_on_the_command_before() {
        let after = After {
            read_ns: 66,
            write_ns: 273,
        };
        assert_eq!((after.of(false), after.of(true)), (66, 273));
    }
}
