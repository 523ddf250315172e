//! One plan on the drives of many hosts.
//!
//! A measurement has no engine beside it: a worker with heartbeats on the measured machine would disturb what it measures, as
//! root, behind a port. So this sends the program itself over the system's own `ssh`, checks it by its digest, and begins
//! `drivelab run PLAN` there, detached from the connection. From then on it asks from time to time how far the run is. A
//! lost connection loses nothing; a host that was rebooted goes on with `drivelab resume`; the stored results are fetched
//! when the run has ended. The same command again goes on with what was begun: the folder on the host is named after what
//! is run there.
//!
//! Hosts, drives and consents are in a file ([`hosts`]). Everything about the connection (users, ports, keys, jump hosts)
//! belongs to ssh's own configuration; a host key that changed or is unknown is refused by ssh itself.

mod digest;
mod error;
pub mod hosts;
mod remote;
mod ssh;
mod work;

pub use error::FleetError;
pub use ssh::Ssh;
pub use work::{Ended, Event, Order, clean, run};
