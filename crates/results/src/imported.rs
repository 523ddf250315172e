//! What a result says of the file that it was read from, where another tool measured it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands in the place of a condition that a file does not state: no default, since nobody knows. Two such
/// conditions are not known to be the same.
pub const NOT_STATED: &str = "not stated";

/// The method of what another tool measured in a way that no method of drivelab does.
pub const METHOD: &str = "import";

/// The tool and its file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedFrom {
    /// The tool's name.
    pub tool: String,
    /// Its version, where the file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The file's name, without its folder.
    pub file: String,
    /// SHA-256 of the whole file: the same file is stored once.
    pub sha256: String,
    /// When it was measured, as the file writes it, where it has no zone of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}
