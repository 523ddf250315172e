//! Sizes in bytes and rates in bytes a second, with the units that the field mixes up.
//!
//! `k Ki KiB M Mi MiB G Gi GiB T Ti TiB` are powers of 1024, `kB MB GB TB` powers of 1000, a bare
//! number is bytes. A drive's capacity and a benchmark's MB/s are powers of 1000, a block size is a
//! power of 1024: every printed figure carries its unit, and [`Rate::mb_s`] and [`Rate::mib_s`] are
//! different questions.

use std::fmt;

use crate::time::Duration;
use crate::whole::three_digits;

whole! {
    /// A number of bytes: a length, an offset, a capacity.
    #[schemars(inline, extend("format" = "bytes"))]
    Bytes
}
span!(Bytes);

impl Bytes {
    /// One 512-byte sector.
    pub const SECTOR: Bytes = Bytes(512);

    /// `n` bytes.
    pub const fn new(n: u64) -> Bytes {
        Bytes(n)
    }
    /// `n` times 1024 bytes.
    pub const fn kib(n: u64) -> Bytes {
        Bytes(n << 10)
    }
    /// `n` times 1024^2 bytes.
    pub const fn mib(n: u64) -> Bytes {
        Bytes(n << 20)
    }
    /// `n` times 1024^3 bytes.
    pub const fn gib(n: u64) -> Bytes {
        Bytes(n << 30)
    }
    /// `n` times 10^9 bytes.
    pub const fn gb(n: u64) -> Bytes {
        Bytes(n * 1_000_000_000)
    }
    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
    /// The largest multiple of `unit` that is not above this.
    ///
    /// # Panics
    /// Where `unit` is zero.
    pub const fn round_down(self, unit: Bytes) -> Bytes {
        Bytes(self.0 / unit.0 * unit.0)
    }
    /// The smallest multiple of `unit` that is not below this; saturates.
    ///
    /// # Panics
    /// Where `unit` is zero.
    pub const fn round_up(self, unit: Bytes) -> Bytes {
        Bytes(self.0.div_ceil(unit.0).saturating_mul(unit.0))
    }
    /// True where this is a whole number of `unit`.
    pub const fn is_multiple_of(self, unit: Bytes) -> bool {
        unit.0 != 0 && self.0.is_multiple_of(unit.0)
    }
}

impl fmt::Display for Bytes {
    /// Exact where a unit divides it (`4 KiB`, `750 GB`), else three digits of a decimal unit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EXACT: [(u64, &str); 8] = [
            (1 << 40, "TiB"),
            (1_000_000_000_000, "TB"),
            (1 << 30, "GiB"),
            (1_000_000_000, "GB"),
            (1 << 20, "MiB"),
            (1_000_000, "MB"),
            (1 << 10, "KiB"),
            (1_000, "kB"),
        ];
        let exact = EXACT.iter().find(|(unit, _)| {
            self.0 >= *unit && self.0.is_multiple_of(*unit) && self.0 / unit < 10_000
        });
        let text = match exact {
            Some((unit, name)) => format!("{} {name}", self.0 / unit),
            None if self.0 < 10_000 => format!("{} B", self.0),
            None => {
                let (unit, name) = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
                    .into_iter()
                    .find(|(unit, _)| self.0 as f64 >= *unit)
                    .unwrap_or((1e3, "kB"));
                three_digits(self.0 as f64 / unit, name)
            }
        };
        f.pad(&text)
    }
}

/// What a text that should be a size is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotASize {
    /// Neither a number nor a unit that we know.
    #[error(
        "'{0}' is not a size: write a number and B, KiB, MiB, GiB, TiB (1024) or kB, MB, GB, TB (1000), such as 4KiB"
    )]
    Malformed(String),
    /// A fraction that is not a whole number of bytes.
    #[error("'{0}' is not a whole number of bytes")]
    Fraction(String),
    /// More than 2^64 bytes.
    #[error("'{0}' is more than 16 EiB")]
    TooLarge(String),
}

impl std::str::FromStr for Bytes {
    type Err = NotASize;

    fn from_str(text: &str) -> Result<Bytes, NotASize> {
        let trimmed = text.trim();
        let split = trimmed
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(split);
        let unit: u128 = match unit.trim() {
            "" | "B" => 1,
            "k" | "K" | "Ki" | "KiB" => 1 << 10,
            "M" | "Mi" | "MiB" => 1 << 20,
            "G" | "Gi" | "GiB" => 1 << 30,
            "T" | "Ti" | "TiB" => 1 << 40,
            "kB" | "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "TB" => 1_000_000_000_000,
            _ => return Err(NotASize::Malformed(text.to_owned())),
        };
        decimal_times(number, unit, text)
    }
}

/// `number` (decimal text) times `unit`, exact: 31.5 KiB is 32,256 bytes, not nearly so.
fn decimal_times(number: &str, unit: u128, text: &str) -> Result<Bytes, NotASize> {
    let malformed = || NotASize::Malformed(text.to_owned());
    let too_large = || NotASize::TooLarge(text.to_owned());
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || (number.contains('.') && fraction.is_empty()) || fraction.contains('.') {
        return Err(malformed());
    }
    if whole.len() > 20 || fraction.len() > 12 {
        return Err(too_large());
    }
    let digits: u128 = format!("{whole}{fraction}")
        .parse()
        .map_err(|_| malformed())?;
    let divisor = 10_u128.pow(fraction.len() as u32);
    let product = digits.checked_mul(unit).ok_or_else(too_large)?;
    if !product.is_multiple_of(divisor) {
        return Err(NotASize::Fraction(text.to_owned()));
    }
    u64::try_from(product / divisor)
        .map(Bytes)
        .map_err(|_| too_large())
}

/// A data rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rate {
    bytes_per_second: f64,
}

impl Rate {
    /// `moved` in `time`; `None` where no time passed.
    pub fn of(moved: Bytes, time: Duration) -> Option<Rate> {
        if time.is_zero() {
            return None;
        }
        Some(Rate {
            bytes_per_second: moved.get() as f64 / time.as_secs_f64(),
        })
    }
    /// In 10^6 bytes a second, as drive makers and CrystalDiskMark count.
    pub fn mb_s(self) -> f64 {
        self.bytes_per_second / 1e6
    }
    /// In 2^20 bytes a second, as Iometer counts (and prints "MB/s").
    pub fn mib_s(self) -> f64 {
        self.bytes_per_second / 1_048_576.0
    }
}

whole! {
    /// The time that one byte takes on a link, a bus or a medium, in picoseconds.
    PicosPerByte
}

impl PicosPerByte {
    /// `ps` picoseconds a byte.
    pub const fn new(ps: u64) -> PicosPerByte {
        PicosPerByte(ps)
    }
    /// The time a byte takes at `mb_s` x 10^6 bytes a second, to the nearest picosecond; zero (no
    /// time at all) where the rate is not positive or not finite.
    pub fn from_mb_s(mb_s: f64) -> PicosPerByte {
        if mb_s > 0.0 && mb_s.is_finite() {
            PicosPerByte((1e6 / mb_s + 0.5) as u64)
        } else {
            PicosPerByte(0)
        }
    }
    /// Picoseconds a byte.
    pub const fn get(self) -> u64 {
        self.0
    }
    /// The time that `bytes` take, rounded once, upwards.
    pub const fn time_for(self, bytes: Bytes) -> Duration {
        Duration::from_nanos((self.0 as u128 * bytes.0 as u128).div_ceil(1_000) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_decimal_units_are_told_apart() {
        assert_eq!("4KiB".parse(), Ok(Bytes::new(4096)));
        assert_eq!("4k".parse(), Ok(Bytes::new(4096)));
        assert_eq!("4kB".parse(), Ok(Bytes::new(4000)));
        assert_eq!("31.5KiB".parse(), Ok(Bytes::new(32_256)));
        assert_eq!("750GB".parse(), Ok(Bytes::gb(750)));
        assert_eq!("512".parse(), Ok(Bytes::SECTOR));
    }

    #[test]
    fn a_size_that_is_none_is_refused_with_what_to_write() {
        assert!(matches!(
            "0.3B".parse::<Bytes>(),
            Err(NotASize::Fraction(_))
        ));
        assert!(matches!(
            "20000000TiB".parse::<Bytes>(),
            Err(NotASize::TooLarge(_))
        ));
        // More digits times the unit than any integer holds.
        assert!(matches!(
            "99999999999999999999.999999999999TiB".parse::<Bytes>(),
            Err(NotASize::TooLarge(_))
        ));
        for bad in ["", "KiB", "4 KiBs", "1.2.3", "-1", "4.", ".5M"] {
            assert!(
                matches!(bad.parse::<Bytes>(), Err(NotASize::Malformed(_))),
                "{bad}"
            );
        }
    }

    #[test]
    fn a_size_is_printed_exactly_where_a_unit_divides_it() {
        let cases = [
            (4096, "4 KiB"),
            (750_000_000_000, "750 GB"),
            (3_000_592_982_016, "3.00 TB"),
            (1_048_576_000, "1000 MiB"),
            (512, "512 B"),
        ];
        for (bytes, text) in cases {
            assert_eq!(Bytes::new(bytes).to_string(), text);
        }
    }

    #[test]
    fn a_fast_bus_still_takes_time() {
        // 2,400 MT/s on 8 bits: 417 ps a byte, 4 KiB in 1,709 ns.
        let bus = PicosPerByte::from_mb_s(2_400.0);
        assert_eq!(bus.time_for(Bytes::kib(4)), Duration::from_nanos(1_709));
        assert_eq!(bus.time_for(Bytes::new(1)), Duration::from_nanos(1));
    }
}
