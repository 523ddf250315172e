//! How the drives of a target are.

use base::message::Message;
use std::collections::BTreeMap;

use base::health::{Condition, HealthReading};
use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a health document.
pub const HEALTH_SCHEMA: &str = "drivelab.health/1";

/// How the drives of a target are. A file or a directory has the drives that it is stored on. The exit code is 1 if a
/// drive is failing, and 3 if one is suspect.
///
/// ```json
/// {
///   "schema": "drivelab.health/1",
///   "target": "/dev/nvme0n1",
///   "drives": [
///     {
///       "device": "/dev/nvme0n1",
///       "condition": "good",
///       "reasons": [],
///       "reading": "read",
///       "health": {
///         "source": "smartctl 7.3, nvme",
///         "protocol": "NVMe",
///         "overall": "passed",
///         "temperature_celsius": 41,
///         "host_written": {
///           "bytes": 33588269056000,
///           "of": "data_units_written, 65602088 units of 512,000 bytes"
///         },
///         "percentage_used": 3.0,
///         "percentage_used_of": "NVMe health log"
///       }
///     }
///   ]
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HealthReport {
    /// [`HEALTH_SCHEMA`].
    pub schema: &'static str,
    /// The target as it was named.
    pub target: String,
    /// Each drive that it is, or is on.
    pub drives: Vec<DriveHealth>,
}

/// How one drive is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DriveHealth {
    /// The device's path, or the model's name.
    pub device: String,
    /// The word for it.
    pub condition: Condition,
    /// Why it is not good, worst first.
    pub reasons: Vec<Message>,
    /// The same in Japanese.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons_ja: Vec<String>,
    /// Model, serial number and the like from kernel and udev, whether or not the drive answers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub identity: BTreeMap<&'static str, String>,
    /// Its report, or why it could not be read.
    #[serde(flatten)]
    pub reading: HealthReading,
}

impl HealthReport {
    /// How the worst of the drives is.
    pub fn worst(&self) -> Option<Condition> {
        self.drives.iter().map(|drive| drive.condition).max()
    }
}
