//! Room uring (see DESIGN.md).

pub mod inspect;
pub mod testfile;
