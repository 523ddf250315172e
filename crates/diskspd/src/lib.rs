//! DiskSpd's language: its arguments and XML profiles on drivelab's targets, real and modelled, and its output.
//!
//! DiskSpd is the usual tool for measuring storage on Windows, and the engine of CrystalDiskMark. Its arguments
//! ([`arguments`]) and its profiles ([`mod@xml`]) describe the same thing, a [`profile`]: consecutive time spans, each
//! with threads that send I/Os to a target. Nothing that would change a result is silently ignored. [`running`] sends
//! what [`places`] generates through drivelab's run loop, [`kept`] has the figures, and [`output`] prints them as
//! DiskSpd does. All of that is a piece of work ([`work`]), run like any method.

pub mod arguments;
pub mod error;
pub mod kept;
pub mod output;
pub mod places;
pub mod processors;
pub mod profile;
pub mod running;
pub mod size;
pub mod work;
pub mod xml;

#[cfg(test)]
mod tests;
