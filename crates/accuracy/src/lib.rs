//! Models against reality: what was measured on real drives, and how far a simulation is from it.
//!
//! Two worlds are held against the models. **Published figures** ([`published`], [`table`]): each is reproduced by the
//! method that made it ([`reproduce`]), fitted to where its role says so ([`calibrate`]), and scored ([`reproduction::score`]). **Measured
//! disks**: what is known of one beside its parameters ([`disks`]), the requests that were run on it with the response
//! times that they had ([`trace`]), which kind of request each is ([`class`]), how far two distributions of response times
//! are apart ([`demerit`]), and all of it put together ([`validate`], [`validation`]).

pub mod beside;
pub mod calibrate;
pub mod calibration;
pub(crate) mod changed;
pub mod class;
pub mod demerit;
pub mod disks;
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
pub mod trace;
pub mod validate;
pub mod validation;
