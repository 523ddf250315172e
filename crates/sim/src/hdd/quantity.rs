//! Quantities of disks' files: times in whole nanoseconds, sizes in blocks, shares of a revolution.

use base::size::Bytes;

use super::spindle::Angle;
use crate::sheet::quantity::quantities;

/// Bytes of a block: the unit of addresses.
pub const BLOCK: u64 = Bytes::SECTOR.get();

quantities! {
    /// A time in milliseconds, in a model in nanoseconds, rounded.
    pub NanosOfMillis: f64, "ms" => u64 = |ms| (ms * 1e6 + 0.5) as u64;
    /// A time in microseconds, in a model in nanoseconds, rounded.
    pub NanosOfMicros: f64, "us" => u64 = |us| (us * 1e3 + 0.5) as u64;
    /// A time in minutes, in a model in nanoseconds, rounded.
    pub NanosOfMinutes: f64, "min" => u64 = |min| (min * 60e9 + 0.5) as u64;
    /// A time in seconds, in a model in nanoseconds, rounded.
    pub NanosOfSeconds: f64, "s" => u64 = |seconds| (seconds * 1e9 + 0.5) as u64;
    /// A size in KiB, in a model in blocks.
    pub BlocksOfKib: u32, "KiB" => u64 = |kib| u64::from(kib) * 1_024 / BLOCK;
    /// A size in MiB, in a model in blocks.
    pub BlocksOfMib: u32, "MiB" => u64 = |mib| u64::from(mib) * 2_048;
    /// Megabytes between two events, in a model blocks.
    pub BlocksOfMb: f64, "MB" => f64 = |mb| mb * 1e6 / BLOCK as f64;
    /// A share of a revolution.
    pub ShareOfRevolution: f64, "of a turn" => Angle =
        |share| Angle::from_millionths((share * 1e6 + 0.5) as u64);
    /// A temperature in whole degrees Celsius.
    pub Celsius: i32, "degrees Celsius" => i32 = |celsius| celsius;
}
