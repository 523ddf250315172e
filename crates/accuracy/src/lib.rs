//! Models against reality: measurements of real drives, and how far a simulation is from them.
//!
//! **Reference figures** that were published ([`mod@reference`]) are compared with the models: each is measured by the method
//! that made it ([`experiments`], [`compare`]), fitted to where its role allows that ([`fit`]), and scored
//! ([`compare::score`]).
//!
//! **A cause** ([`mod@cause`]) is what makes the difference between two drives in a figure: the model of the one is changed
//! into that of the other, mechanism by mechanism.
//!
//! **A twin** ([`mod@twin`]) is the other direction: a drive's file made from what was measured on one drive.

pub(crate) mod ablation;
pub mod cause;
pub mod claim;
pub mod compare;
pub mod error;
pub mod expected;
pub mod experiments;
pub mod families;
pub mod fit;
pub mod inference;
pub mod metric;
pub mod prediction;
pub mod reference;
pub mod twin;
