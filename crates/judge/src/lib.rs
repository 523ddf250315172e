//! Models against reality: what was measured on real drives, and how far a simulation is from it.
//!
//! The room knows measurements and never the model: simulation is handed in as a closure. What is
//! known of a measured disk beside its parameters ([`disks`]), the requests that were run on it with
//! the response times that they had ([`trace`]), which kind of request each is ([`class`]), how far two
//! distributions of response times are apart ([`demerit`]), and all of it put together
//! ([`validation`]).

pub mod calibration;
pub mod class;
pub mod demerit;
pub mod disks;
pub mod expression;
pub mod metric;
pub mod published;
pub mod reproduction;
pub mod score;
pub mod table;
pub mod trace;
pub mod validation;
