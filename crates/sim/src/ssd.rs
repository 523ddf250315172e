//! A modelled solid-state drive.
//!
//! An I/O moves from resource to resource: the host link ([`crate::interface::link`]), the controller
//! ([`controller`]), then for a read a die ([`die`]), its channel and the link again; for a write
//! the link, the DRAM buffer ([`buffer`]), and later, in units of a program, the controller's path,
//! the channel and the die. Where data lie is the page map's business ([`map`]) and that of the
//! superblocks that it points into ([`space`]); [`collection`] moves data to make room, and from the
//! SLC area to TLC when the host is idle ([`slc`]); blocks wear out ([`wear`]) and old data fade
//! ([`retention`]). [`drive`] is the event loop over all of them,
//! [`map_cache`] says which part of the map is at hand,
//! [`read_ahead`] fetches what a sequential reader will ask for, [`page_types`] lets pages of a word
//! line read unlike each other, [`thermal`] slows a hot drive down,
//! [`construct`] makes a drive that has been through something.

mod audit;
pub mod bit_errors;
pub mod buffer;
mod cached;
mod channel;
pub mod collection;
mod completing;
pub mod compression;
pub mod config;
pub mod construct;
pub mod controller;
mod dealing;
pub mod die;
pub mod drive;
mod flow;
mod health;
pub mod map;
pub mod map_cache;
pub mod nand;
pub mod ops;
pub mod page_types;
pub mod parameters;
mod power;
pub mod read_ahead;
mod reading;
pub mod retention;
pub mod reverse;
pub mod slc;
pub mod space;
pub mod sub_unit;
mod table;
pub mod thermal;
pub mod translation;
pub mod wear;
mod without_op;
pub mod write_through;

#[cfg(test)]
mod tests;
