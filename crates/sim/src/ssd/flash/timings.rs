//! What a reading, a program, an erase and a transfer take.
//!
//! One bit a cell has two levels of charge to tell apart and to set: it is read in half the time and
//! programmed in a tenth of that of three bits, whose levels are set in several passes, each a little
//! at a time and checked in between.

use base::size::PicosPerByte;
use base::time::Duration;

/// What flash operations take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timings {
    /// Cells of all bits to the die's register.
    pub read: Duration,
    /// Cells of one bit to the register.
    pub read_slc: Duration,
    /// Register to cells: all rows of a group at once.
    pub program: Duration,
    /// Register to cells of one bit: one row.
    pub program_slc: Duration,
    /// Erasing a block.
    pub erase: Duration,
    /// The channel's bus, parity included.
    pub bus: PicosPerByte,
    /// How often a group's data pass from the controller to the die before all bits are programmed.
    pub program_passes: u32,
}
