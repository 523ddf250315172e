//! Hard disks, mechanism by mechanism.
//!
//! Where a block lies ([`geometry`]), how long the arm takes to get there ([`seek`]), and where the
//! discs stand meanwhile ([`spindle`]) give a [`sweep`]: sectors passing under a head. Around it stand
//! the buffer ([`read_cache`], [`write_cache`]), the choice of the next access ([`queue`]), the
//! interface ([`link`]) and what seldom goes wrong ([`rare`]); [`drive`] puts them together.

pub mod config;
pub mod drive;
pub mod geometry;
pub mod link;
pub mod parameters;
pub mod queue;
pub mod rare;
pub mod read_cache;
mod reading;
pub mod seek;
pub mod spindle;
pub mod sweep;
pub mod write_cache;
mod writing;

#[cfg(test)]
mod tests;
