//! fio's language: its job files on drivelab's targets, real and modelled, and its output.
//!
//! A job file is how the field says what was measured. [`mod@file`] reads the text, [`job`] what each section asks for;
//! nothing that would change a result is left out in silence ([`options`]). Their files are laid out on one
//! target ([`layout`]), and [`running`] sends what [`drawing`] draws in drivelab's run loop; [`kept`] has fio's figures.
//! All of that is a piece of work ([`work`]), run as any method is.

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
