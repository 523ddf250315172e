//! The questions, one file each.

pub(crate) mod depth;
pub(crate) mod map;
pub(crate) mod nature;
pub(crate) mod read_ahead;
pub(crate) mod rotation;
