//! From a target's name to an open target.
//!
//! A target is anything that accepts block I/O: a device, a file, a test file in a directory, a modelled drive, layers
//! over these. Its name is parsed ([`grammar`]), resolved without opening anything ([`resolve`]), admitted for the
//! planned operations ([`ResolvedTarget::admit`]: a user's data is never written without consent), and opened
//! ([`Admitted::open`]). Real and modelled drives meet in this crate, and in none below.

mod asking;
mod class;
pub mod compared;
mod consent;
pub mod content;
mod description;
pub mod error;
mod file_system;
mod found_again;
mod gate;
pub mod grammar;
mod health;
mod layers;
mod making;
mod model;
mod neighbours;
mod opened;
mod options;
mod real_drive;
mod real_options;
mod resolved;
mod served_by;
mod stack;
mod written_over;

pub use asking::Asking;
pub use class::DriveClass;
pub use consent::Consent;
pub use error::TargetError;
pub use file_system::placed_on;
pub use found_again::{On, name_now, path_of};
pub use gate::{Admitted, open_confirmed_file};
pub use grammar::Spec;
pub use health::AskedDrive;
pub use model::{MODEL_OPTIONS, is_of_the_file, sheet};
pub use opened::{Drive, Opened};
pub use real_drive::RealDrive;
pub use resolved::{ResolvedTarget, check_models, resolve};
pub use served_by::{lies_on, served_by};
