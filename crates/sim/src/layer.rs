//! Layers between a workload and a modelled drive: each is a model itself and holds one.
//!
//! A layer says what it changes, and passes everything else on to the model beneath it
//! ([`Model::beneath`](crate::model::Model::beneath)), as the filters of a network block device server do. [`raid0`]
//! lies over several drives and passes nothing on unchanged.

pub mod contents;
pub mod delay;
pub mod file_system;
pub mod host;
pub mod partition;
pub mod raid0;
pub mod rapid;
pub mod stripe;

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) mod even;
}
