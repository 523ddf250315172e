//! A drive's own health report: identity, temperature, hours, bytes, wear, errors.
//!
//! Drives keep counters: ATA in attributes and in the device statistics log (ACS-4, section 9.5), NVMe in the SMART /
//! health information log (NVM Express base specification, log page 02h), SCSI in log pages (SPC-5, SBC-4). Few report
//! everything; what a drive does not report is absent here, never zero. A modelled drive fills the same fields from its
//! counters.
//!
//! Three things that are often confused are kept separate: the **drive's** own verdict ([`Overall`]), the **counters**
//! ([`Health::assess`]), and that **nothing could be read** ([`HealthReading::Unreadable`]). A drive that cannot be
//! queried is not a healthy drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Message;
use crate::size::Bytes;
use crate::time::Duration;

mod assessment;
mod self_tests;
mod sign;
mod text;

pub use assessment::{Assessment, Condition, WORN_PERCENT};
pub use sign::Sign;
pub use text::{Told, told};

/// What came of asking a drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reading", rename_all = "kebab-case")]
pub enum HealthReading {
    /// It answered, though perhaps incompletely.
    Read {
        /// Its report.
        health: Box<Health>,
    },
    /// It did not, and nothing is known of its health.
    Unreadable {
        /// Why, in one line.
        reason: Message,
        /// What can be done about it, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remedy: Option<Message>,
    },
}

impl HealthReading {
    /// Its sentences that may have a key.
    pub fn sentences(&mut self) -> Vec<&mut Message> {
        match self {
            HealthReading::Unreadable { reason, remedy } => {
                std::iter::once(reason).chain(remedy).collect()
            }
            HealthReading::Read { health } => {
                let health = &mut **health;
                let counts = [
                    &mut health.host_read,
                    &mut health.host_written,
                    &mut health.nand_written,
                ];
                let counts = counts.into_iter().flatten().map(|count| &mut count.of);
                let warnings = health.critical_warnings.iter_mut();
                let said = warnings.chain(&mut health.remarks).chain(counts);
                said.chain(&mut health.percentage_used_of).collect()
            }
        }
    }

    /// The drive's report, if any.
    pub fn health(&self) -> Option<&Health> {
        match self {
            HealthReading::Read { health } => Some(health),
            HealthReading::Unreadable { .. } => None,
        }
    }

    /// How the drive is, with the reasons; [`Condition::Unknown`] where it could not be read.
    pub fn assess(&self) -> Assessment {
        match self {
            HealthReading::Read { health } => health.assess(),
            HealthReading::Unreadable { reason, .. } => Assessment {
                condition: Condition::Unknown,
                reasons: vec![reason.clone()],
            },
        }
    }
}

/// A drive's overall verdict on itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overall {
    /// It passed its own assessment.
    Passed,
    /// It predicts its failure, or has failed.
    Failed,
    /// Not reported.
    #[default]
    Unknown,
}

/// A count of bytes, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ByteCount {
    /// The bytes; absent where the counter's unit is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// Which counter, with its raw value and unit: `attribute 241 Host_Writes_32MiB, raw 1024`.
    pub of: Message,
}

/// A self-test of the drive's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTest {
    /// Which: `Extended offline`.
    pub kind: String,
    /// How it ended, in the drive's words.
    pub status: String,
    /// Whether it passed; absent if it was aborted, is still running, or is not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    /// Power-on hours at which it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_hours: Option<u64>,
}

/// An attribute that is, or was, at or below the threshold that the drive's maker set for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alarm {
    /// Its number and name: `5 Reallocated_Sector_Ct`.
    pub attribute: String,
    /// Whether it is so now, false where it was so once.
    pub now: bool,
    /// Whether the maker marks it as predicting failure; false if it indicates age.
    pub predicts_failure: bool,
}

/// A drive's health report. Everything that it does not report is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// The source: `smartctl 7.3, sat`; `model` for a modelled drive.
    pub source: String,
    /// `ATA`, `NVMe`, `SCSI`, or `model`.
    pub protocol: String,
    /// The model name that the drive gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Serial number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// Firmware revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Capacity in bytes, as reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Bytes>,
    /// The drive's own word.
    #[serde(default)]
    pub overall: Overall,
    /// Temperature, in degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<i64>,
    /// Hours under power.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_on_hours: Option<u64>,
    /// How often it was switched on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_cycles: Option<u64>,
    /// How often it lost its power without warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_shutdowns: Option<u64>,
    /// What hosts read from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_read: Option<ByteCount>,
    /// What hosts wrote to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_written: Option<ByteCount>,
    /// What it wrote to its flash, on behalf of hosts and on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nand_written: Option<ByteCount>,
    /// Used endurance as the maker rates it, in per cent; may exceed 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage_used: Option<f64>,
    /// Which counter the used endurance comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage_used_of: Option<Message>,
    /// Mean number of erases of a block (modelled drives).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_erases: Option<f64>,
    /// Read error rate as a normalised attribute, 100 where next to nothing has to be corrected
    /// (modelled drives).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_error_rate: Option<f64>,
    /// Spare blocks that are left, in per cent of those there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_spare_percent: Option<f64>,
    /// Below this share of spare blocks the drive warns, in per cent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_spare_threshold_percent: Option<f64>,
    /// Sectors (disks) or blocks (SSDs) that were replaced by spares; for SCSI the grown defects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reallocated: Option<u64>,
    /// Sectors that could not be read and wait to be rewritten or replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<u64>,
    /// Errors that could not be corrected (ATA: reported to hosts, or found offline).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncorrectable: Option<u64>,
    /// Media and data-integrity errors (NVMe).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_errors: Option<u64>,
    /// Transfers that arrived damaged: the cable or the contacts, not the drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_errors: Option<u64>,
    /// Entries in the drive's own log of errors, since it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged_errors: Option<u64>,
    /// What the drive warns of now, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub critical_warnings: Vec<Message>,
    /// Attributes at or below their thresholds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<Alarm>,
    /// The last self-test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_test: Option<SelfTest>,
    /// An earlier self-test that failed, and that no later one outdates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_self_test: Option<SelfTest>,
    /// Further indications about the drive or its answer, outside the counters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<Sign>,
    /// Errors during the query, or limits of what was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Message>,
}

/// A health report at one moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HealthSample {
    /// When, since the run began.
    pub at: Duration,
    /// Temperature, in degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<i64>,
    /// What hosts wrote to it since it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_written: Option<Bytes>,
}

impl Health {
    /// The parts that can be plotted over time; `None` if the drive reports neither.
    pub fn sample(&self, at: Duration) -> Option<HealthSample> {
        let host_written = self.host_written.as_ref().and_then(|count| count.bytes);
        let sample = HealthSample {
            at,
            temperature_celsius: self.temperature_celsius,
            host_written,
        };
        (sample.temperature_celsius.is_some() || host_written.is_some()).then_some(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_drive_does_not_say_is_absent_in_its_document() {
        let health = Health {
            source: "model".to_owned(),
            protocol: "model".to_owned(),
            reallocated: Some(0),
            ..Health::default()
        };
        let reading = HealthReading::Read {
            health: Box::new(health),
        };
        let document = serde_json::to_string(&reading).unwrap();
        assert_eq!(
            document,
            r#"{"reading":"read","health":{"source":"model","protocol":"model","overall":"unknown","reallocated":0}}"#
        );
        let back: HealthReading = serde_json::from_str(&document).unwrap();
        assert_eq!(back, reading);
    }

    #[test]
    fn a_drive_that_tells_neither_heat_nor_writes_has_no_place_on_the_time_axis() {
        let mut health = Health::default();
        assert_eq!(health.sample(Duration::ZERO), None);
        health.host_written = Some(ByteCount {
            bytes: None,
            of: Message::as_it_stands("attribute 241, unit unknown"),
        });
        assert_eq!(health.sample(Duration::ZERO), None);
        health.temperature_celsius = Some(31);
        let sample = health.sample(Duration::from_secs(9)).unwrap();
        assert_eq!(sample.temperature_celsius, Some(31));
        assert_eq!(sample.at, Duration::from_secs(9));
    }
}
