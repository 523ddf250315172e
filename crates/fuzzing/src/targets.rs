//! The targets, one a file: what `run` does with the bytes.
//!
//! A target asserts the invariants of every result. Every error must be a single line.

use std::fmt::Display;

pub(crate) mod diskspd_options;
pub(crate) mod diskspd_profile;
pub(crate) mod drive_file;
pub(crate) mod emulation_log;
pub(crate) mod expression;
pub(crate) mod fio_jobs;
pub(crate) mod host_file;
pub(crate) mod icf;
pub(crate) mod imported_file;
pub(crate) mod kept_folder;
pub(crate) mod label;
pub(crate) mod machine;
pub(crate) mod network_block_device;
pub(crate) mod packed_trace;
pub(crate) mod plan;
pub(crate) mod published;
pub(crate) mod published_rows;
pub(crate) mod questions;
pub(crate) mod rescue_map;
pub(crate) mod result;
pub(crate) mod served_client;
pub(crate) mod settings;
pub(crate) mod signature;
pub(crate) mod smartctl;
pub(crate) mod stored;
pub(crate) mod sweep;
pub(crate) mod target_name;
pub(crate) mod trace;
pub(crate) mod units;
pub(crate) mod virtual_disk;
pub(crate) mod window_request;

mod on_disk;

/// The input as text; nothing where it is none, as no file of text is taken that is none.
fn text(input: &[u8]) -> Option<&str> {
    std::str::from_utf8(input).ok()
}

/// A refusal is one line of sensible length.
fn refusal(said: &impl Display) {
    let said = said.to_string();
    assert!(!said.is_empty(), "a refusal without words");
}
