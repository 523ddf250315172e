//! What came of copying a failing drive.

use std::fmt;
use std::path::PathBuf;

use base::size::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a rescue.
pub const RESCUE_SCHEMA: &str = "drivelab.rescue/1";

/// What came of copying a failing drive.
///
/// ```json
/// {
///   "schema": "drivelab.rescue/1",
///   "source": "fault(./old.img)?bad=1MiB+4KiB",
///   "destination": "copy.img",
///   "map": "copy.img.map",
///   "bytes": 4194304,
///   "arrived": 4190208,
///   "lost": 4096,
///   "areas": [[1048576, 4096]],
///   "reads": [29, 19],
///   "resumed": false
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Rescued {
    /// The schema.
    pub schema: &'static str,
    /// The drive that is read, as it was named.
    pub source: String,
    /// Where it went.
    pub destination: String,
    /// The map's path.
    pub map: PathBuf,
    /// Bytes of the source.
    pub bytes: u64,
    /// Bytes that have arrived.
    pub arrived: u64,
    /// Bytes that cannot be read.
    pub lost: u64,
    /// First byte and length of each area that is lost.
    pub areas: Vec<(u64, u64)>,
    /// Reads of this process, and those that failed.
    pub reads: (u64, u64),
    /// Whether it went on from an earlier map.
    pub resumed: bool,
    /// Time of modelled drives, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_s: Option<f64>,
}

impl fmt::Display for Rescued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.arrived as f64 / self.bytes.max(1) as f64;
        let (arrived, bytes) = (self.arrived, self.bytes);
        writeln!(
            f,
            "rescued {arrived} of {bytes} bytes ({percent:.4} %) of {} to {}",
            self.source, self.destination
        )?;
        if let Some(took) = self.took_s {
            writeln!(f, "in {took:.1} s of the modelled drives' time")?;
        }
        match self.areas.len() {
            0 => writeln!(f, "nothing is lost")?,
            n => writeln!(f, "lost: {} bytes in {n} areas", self.lost)?,
        }
        for (start, len) in self.areas.iter().take(20) {
            writeln!(f, "  {len} bytes from {start} on ({})", Bytes::new(*len))?;
        }
        if self.areas.len() > 20 {
            writeln!(f, "  and {} more, in the map", self.areas.len() - 20)?;
        }
        writeln!(f, "map: {}", self.map.display())
    }
}
