//! The questions, one file each.

pub(crate) mod again;
pub(crate) mod beside;
pub(crate) mod buffer;
pub(crate) mod compression;
pub(crate) mod depth;
pub(crate) mod full;
pub(crate) mod host_cache;
pub(crate) mod map;
pub(crate) mod media_cache;
pub(crate) mod members;
pub(crate) mod nature;
pub(crate) mod read_ahead;
pub(crate) mod rest;
pub(crate) mod rotation;
pub(crate) mod seek;
pub(crate) mod segments;
pub(crate) mod shingled;
pub(crate) mod slc;
pub(crate) mod spare;
pub(crate) mod stripe;
pub(crate) mod sustained;
pub(crate) mod transfer;
pub(crate) mod trim;
pub(crate) mod unit;
pub(crate) mod wake;
pub(crate) mod write_cache;
