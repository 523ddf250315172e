//! Modelled drives: mechanism by mechanism, in virtual time.
//!
//! No threads, no wall clock, no randomness but seeded: the same drive, workload and seed give the
//! same completion times, bit for bit, on every machine. A [`model::Model`] keeps its own agenda and
//! has no clock; [`virtual_time::Virtual`] gives it one and makes it a target like any other.

pub mod agenda;
pub mod block_mapped;
pub mod catalogue;
pub mod catalogue_files;
pub mod event_log;
pub mod file_system;
pub mod halt;
pub mod hdd;
pub mod interface;
pub mod layer;
pub mod model;
pub mod one_at_a_time;
pub mod outline;
pub mod ram_drive;
pub mod sheet;
pub mod speed;
pub mod ssd;
pub mod virtual_time;
pub mod xpoint;
pub mod zoned;
