//! How a command ends, as scripts see it.
//!
//! An acceptance gate must distinguish a bad drive, a failing cable and a mistyped command, so each has its own code.
//! Every error type states its code in an exhaustive `match`, so a new error cannot be forgotten.

/// What a command ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It failed: I/O errors, a full disk, a drive that went away.
    Failed,
    /// The request is invalid or not allowed; nothing was run.
    Invalid,
    /// The drive is failing, or is rejected.
    Rejected,
    /// No drive is rejected, and one must be checked.
    Suspect,
    /// Interrupted by a signal.
    Interrupted,
}

impl Exit {
    /// The exit code.
    pub const fn code(self) -> u8 {
        match self {
            Exit::Failed => 1,
            Exit::Invalid => 2,
            Exit::Rejected => 3,
            Exit::Suspect => 4,
            Exit::Interrupted => 130,
        }
    }
}
