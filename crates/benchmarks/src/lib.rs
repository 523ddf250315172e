//! Benchmarks of drivelab itself: cost of engine and models, value of a mechanism, endurance over a day.
//!
//! Every claim of speed is a ratio against a peer or a floor in the same run ([`engine`], [`model`], [`against`]); what each mechanism
//! adds to the agreement with published figures is in [`mechanisms`], what serving a drive costs in [`mod@emulate`], days and kills in [`endurance`].

pub mod against;
pub mod emulate;
pub mod endurance;
pub mod engine;
pub mod error;
pub mod host_file;
pub mod host_noise;
pub mod mechanisms;
pub mod model;
