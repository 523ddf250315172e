//! Layers between a workload and a modelled drive: each is a model itself and holds one.

pub mod host;
pub mod partition;
