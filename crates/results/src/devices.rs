//! The devices that this machine has, and whether they are in use.

use base::size::Bytes;
use base::zone::ZoneLimits;
use schemars::JsonSchema;
use serde::Serialize;

/// The schema of the list of devices.
pub const DEVICES_SCHEMA: &str = "drivelab.devices/1";

/// The devices that can be measured.
///
/// ```json
/// {
///   "schema": "drivelab.devices/1",
///   "devices": [
///     {
///       "path": "/dev/nvme0n1",
///       "model": "Samsung SSD 970 EVO Plus 1TB",
///       "serial": "S59ANM0R123456",
///       "namespace": 1,
///       "confirmed_by": "S59ANM0R123456",
///       "capacity": 1000204886016,
///       "link": "PCIe at 8.0 GT/s PCIe x4",
///       "state": "in use",
///       "uses": ["/ on nvme0n1p2", "swap on nvme0n1p3"],
///       "unseen": []
///     }
///   ]
/// }
/// ```
#[derive(Debug, Serialize, JsonSchema)]
pub struct Devices {
    /// The schema.
    pub schema: &'static str,
    /// Whole drives, in order of name; partitions are not listed.
    pub devices: Vec<DeviceListing>,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ListedDevice")]
pub struct DeviceListing {
    /// The kernel's path.
    pub path: String,
    /// Its model, as it reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its serial number; of NVMe the controller's, which all its namespaces have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// Of NVMe: the namespace's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<u32>,
    /// What `--confirm` takes for it: its serial number, or another name where others have that, too. Where no name is its
    /// alone there is none, and it is never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<String>,
    /// Bytes that it holds.
    pub capacity: Bytes,
    /// How it is attached: the negotiated link, else what carries commands to it.
    pub link: String,
    /// Number and length of its zones, and how many may be in use at once, of a zoned drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZoneLimits>,
    /// `in use`, `free`, or `unknown` if no user is known but not everything could be checked.
    pub state: &'static str,
    /// Who uses it, and with which part of it, each in a few words.
    pub uses: Vec<String>,
    /// What could not be checked.
    pub unseen: Vec<String>,
}
