//! Layers between a workload and a modelled drive: each is a model itself and holds one.

pub mod contents;
pub mod delay;
#[cfg(test)]
mod even;
pub mod file_system;
pub mod host;
pub mod partition;
pub mod raid0;
pub mod rapid;
pub mod stripe;
