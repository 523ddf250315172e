//! Models against reality: what was measured on real drives, and how far a simulation is from it.
//!
//! **Published figures** ([`published`], [`table`]) are held against the models: each is reproduced by the method that made
//! it ([`reproduce`]), fitted to where its role says so ([`calibrate`]), and scored ([`reproduction::score`]).

pub mod beside;
pub mod calibrate;
pub mod calibration;
pub(crate) mod changed;
pub mod error;
pub mod expected;
pub mod expression;
pub mod families;
pub mod metric;
pub mod prediction;
pub mod published;
pub mod reproduce;
pub mod reproduction;
pub mod table;
