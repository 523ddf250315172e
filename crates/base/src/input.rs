//! Files that a method reads: a trace to replay, a list of access specifications.
//!
//! A method does no I/O of its own. A setting of [`crate::method::Kind::File`] names the file; the runner opens it,
//! stores its digest with the setting, and passes a reader. A file is read twice: once before anything is opened or
//! requested ([`crate::method::Method::survey`]), so that a malformed line is found before a drive is touched, and once
//! while the method runs ([`crate::bench::Bench::input`]).

use std::io::BufRead;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reader of a file, which may be handed to another thread.
pub type Reader = Box<dyn BufRead + Send>;

/// What is stored about a file that a setting names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its absolute path.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal digits: what `sha256sum` prints.
    pub digest: String,
    /// Number of bytes.
    pub bytes: u64,
    /// What the method found in it, in a form of the method's own.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub noted: serde_json::Value,
}

/// Where a method gets its files from before it runs.
pub trait Inputs {
    /// The file that a setting names, from its beginning.
    ///
    /// # Errors
    /// [`BadInput`] where it cannot be opened.
    fn open(&self, key: &str) -> Result<Reader, BadInput>;
}

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadInput {
    /// It cannot be opened or read.
    #[error("{key}={path}: {why}")]
    Unreadable {
        /// The setting.
        key: String,
        /// The file.
        path: String,
        /// The system's error.
        why: String,
    },
    /// A line makes no sense.
    #[error("{path}: line {line}: {what}")]
    Line {
        /// The file.
        path: String,
        /// Which line, from 1.
        line: u64,
        /// What was found, and what was expected.
        what: String,
    },
    /// The file as a whole does not fit.
    #[error("{path}: {what}")]
    Unfit {
        /// The file.
        path: String,
        /// Why not, and what to do.
        what: String,
    },
}
