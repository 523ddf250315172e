//! fio's language: its job files on drivelab's targets, real and modelled, and its output.
//!
//! A job file is how the field says what was measured. [`mod@file`] reads the text, [`job`] what each section asks for;
//! nothing that would change a result is left out in silence ([`options`]).

pub mod error;
pub mod file;
pub mod job;
pub mod options;
pub mod units;

#[cfg(test)]
mod tests;
