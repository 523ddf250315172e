//! A modelled solid-state drive.
//!
//! An I/O moves from resource to resource. The [`front`] end takes commands over the link, through the
//! controller and, for a write, into the DRAM buffer; the translation layer ([`ftl`]) says where data
//! lie and makes room for them; dies and channels ([`flash`]) read and program them. [`drive`] is the
//! event loop over all of them, [`operations`] what is under way. `mechanisms` lists what only some
//! drives have. [`state`] makes a drive that has been through something; [`config`] reads one from its
//! file into plain [`parameters`]. Why equal commands do not take the same time is in [`scatter`].

mod audit;
pub mod config;
pub mod drive;
pub mod flash;
pub mod front;
pub mod ftl;
mod health;
mod mechanisms;
pub mod operations;
pub mod parameters;
pub mod scatter;
pub mod state;

#[cfg(test)]
mod tests;
