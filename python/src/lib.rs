//! drivelab for Python: the native half of the package `drivelab`.
//!
//! This module is an entrance, as the command line is: it turns Python's objects into a request, hands that to the
//! crates that do the work (`lab`, `plans`, `analysis`, `report`), and turns what they give back into Python's objects.
//! It measures nothing and concludes nothing. What people call (classes with keyword arguments, notebooks' views) is in
//! the pure part beside it; between the two go plain values, documents as JSON on drivelab's own schemas, and tables as
//! Arrow streams.
//!
//! Work runs in a thread of its own ([`worker`]), so that Python's lock is free meanwhile and Ctrl-C is answered.

mod comparing;
mod documents;
mod errors;
mod frame;
mod points;
mod replaying;
mod run_result;
mod running;
mod storing;
mod tables;
mod worker;

use pyo3::prelude::*;

/// The native module.
#[pymodule]
mod _drivelab {
    #[pymodule_export]
    use crate::comparing::compare;
    #[pymodule_export]
    use crate::documents::{drives, methods, parameters, read_options, sheet, target_name};
    #[pymodule_export]
    use crate::frame::{Frame, frame_of};
    #[pymodule_export]
    use crate::points::{check_points, make_point, point_line, store_points, stored_points};
    #[pymodule_export]
    use crate::replaying::replay_arrays;
    #[pymodule_export]
    use crate::run_result::{RunResult, write_report};
    #[pymodule_export]
    use crate::running::{forecast, run, sweep};
    #[pymodule_export]
    use crate::tables::merge_histograms;
    #[pymodule_export]
    use crate::storing::{
        default_store, import_file, read_stored, read_text, results_of, store_imported,
    };

    /// The version of drivelab.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
