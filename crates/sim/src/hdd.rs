//! Hard disks, mechanism by mechanism.
//!
//! Where a block lies ([`geometry`]), how long the actuator takes to get there ([`seek`]), and where the
//! discs stand meanwhile ([`spindle`]) give a [`track_pass`]: sectors passing under a head. Around it stand
//! the buffer ([`read_cache`], [`write_cache`]), the choice of the next access ([`queue`]), the
//! interface ([`link`]) and what seldom goes wrong ([`rare`], [`recovery`](drive::recovery), [`media_scan`](drive::media_scan)); [`drive`] puts them together.
//! A disk may have several arms, each with a part of the addresses ([`actuators`](config::actuators)).
//! Where tracks overlap, what is written goes elsewhere first ([`shingled`](drive::shingled)).
//!
//! How near discs and arm come to real hardware, the test `measured_disks` shows on six disks.

pub mod cold;
pub mod config;
pub mod drive;
pub mod geometry;
pub mod link;
pub mod quantity;
pub mod queue;
pub mod rare;
pub mod read_cache;
pub mod seek;
mod slips;
pub mod spindle;
pub mod track_pass;
pub mod vibration;
pub mod write_cache;

#[cfg(test)]
mod tests;
