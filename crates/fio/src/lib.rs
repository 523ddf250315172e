//! fio's language: its job files on drivelab's targets, real and modelled, and its output.
//!
//! A job file is the usual description of a measurement. [`mod@file`] reads the text, [`job`] parses each section;
//! nothing that would change a result is silently ignored ([`options`]). Their files are laid out on one target
//! ([`layout`]), and [`running`] sends what [`drawing`] generates through drivelab's run loop; [`kept`] has fio's
//! figures. All of that is a piece of work ([`work`]), run like any method.

pub mod drawing;
pub mod error;
pub mod file;
pub mod job;
pub mod kept;
pub mod layout;
pub mod logged;
pub mod options;
pub mod output;
pub mod running;
pub mod script;
pub mod steady;
pub mod units;
pub mod work;
mod zoned;

#[cfg(test)]
mod tests;
