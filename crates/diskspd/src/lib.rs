//! DiskSpd's language: its arguments and XML profiles on drivelab's targets, real and modelled, and its output.
//!
//! DiskSpd is how storage is measured on Windows, and what CrystalDiskMark runs beneath its buttons. Its arguments
//! ([`arguments`]) and its profiles ([`mod@xml`]) say the same thing, a [`profile`]: time spans one behind the other, each
//! with threads that send I/Os to a target. Nothing that would change a result is left out in silence. [`running`]
//! sends what [`places`] draws in drivelab's run loop, [`kept`] has the figures, and [`output`] prints them as DiskSpd
//! does. All of that is a piece of work ([`work`]), run as any method is.

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
