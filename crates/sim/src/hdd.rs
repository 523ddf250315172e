//! Hard disks, mechanism by mechanism.
//!
//! Where a block lies ([`geometry`]), how long the arm takes to get there ([`seek`]), and where the
//! discs stand meanwhile ([`spindle`]).

pub mod geometry;
pub mod rare;
pub mod seek;
pub mod spindle;
pub mod sweep;
