//! Whose data a superblock takes: what is written together is erased together, so each stream has open blocks of its own,
//! unless a drive does not keep apart what it moves (`together`).

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stream {
    /// The host, straight to all bits a cell.
    Host = 0,
    /// The host, one bit a cell.
    Slc = 1,
    /// The drive itself: collection and folding.
    Move = 2,
    /// The drive itself, one bit a cell: what a flush saves, and its tables. None of it counts: what
    /// was saved is programmed in its place later.
    Journal = 3,
}
