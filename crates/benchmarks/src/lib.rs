//! drivelab measuring itself: what the engine and the models cost, what a mechanism is worth, what a day leaves behind.
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
