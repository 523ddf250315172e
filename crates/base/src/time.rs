//! Time in whole nanoseconds, never in floats.
//!
//! An [`Instant`] counts from the moment its target was opened, whether a ring reads it off the
//! machine's clock or a modelled drive jumps from event to event. A `u64` of nanoseconds lasts 584
//! years, so that ageing a drive needs no other type. Rates of models are in picoseconds a byte:
//! whole nanoseconds would make every bus above 1,000 MB/s free.

use std::fmt;

use crate::whole::three_digits;

whole! {
    /// A span of time in nanoseconds.
    #[schemars(inline, extend("format" = "ns"))]
    Duration
}
span!(Duration);

whole! {
    /// A moment: nanoseconds since the target was opened.
    #[schemars(inline, extend("format" = "ns"))]
    Instant
}
plus!(Instant, Duration);

impl Duration {
    /// The longest span that can be named, 584 years.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span of `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Duration {
        Duration(ns)
    }
    /// A span of `us` microseconds; saturates at [`Duration::MAX`].
    pub const fn from_micros(us: u64) -> Duration {
        Duration(us.saturating_mul(1_000))
    }
    /// A span of `ms` milliseconds; saturates at [`Duration::MAX`].
    pub const fn from_millis(ms: u64) -> Duration {
        Duration(ms.saturating_mul(1_000_000))
    }
    /// A span of `s` seconds; saturates at [`Duration::MAX`].
    pub const fn from_secs(s: u64) -> Duration {
        Duration(s.saturating_mul(1_000_000_000))
    }
    /// A span of `s` seconds, rounded to the nearest nanosecond; negative and not-a-number are zero.
    pub fn from_secs_f64(s: f64) -> Duration {
        // `as` saturates, and takes NaN and negatives to 0.
        Duration((s * 1e9 + 0.5) as u64)
    }
    /// The span in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// The span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// The span in milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// The span in microseconds.
    pub fn as_micros_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }
    /// `self * times`, or [`Duration::MAX`].
    pub const fn saturating_mul(self, times: u64) -> Duration {
        Duration(self.0.saturating_mul(times))
    }
}

impl Instant {
    /// The moment at which the target was opened.
    pub const ZERO: Instant = Instant(0);
    /// Later than anything.
    pub const MAX: Instant = Instant(u64::MAX);

    /// The moment `ns` nanoseconds after the target was opened.
    pub const fn from_nanos(ns: u64) -> Instant {
        Instant(ns)
    }
    /// Nanoseconds since the target was opened.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// How long after `earlier` this is; zero where it is not after it.
    pub const fn since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
    /// `self + span`, or [`Instant::MAX`].
    pub const fn saturating_add(self, span: Duration) -> Instant {
        Instant(self.0.saturating_add(span.0))
    }
}

impl fmt::Display for Duration {
    /// Three significant digits in the unit that fits: `312 ns`, `8.20 ms`, `2 min 5 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.0 {
            0 => "0 s".to_owned(),
            ns if ns < 1_000 => format!("{ns} ns"),
            ns if ns < 1_000_000 => three_digits(ns as f64 / 1e3, "us"),
            ns if ns < 1_000_000_000 => three_digits(ns as f64 / 1e6, "ms"),
            ns if ns < 120_000_000_000 => three_digits(ns as f64 / 1e9, "s"),
            ns => {
                let seconds = ns / 1_000_000_000;
                match seconds {
                    s if s < 7_200 => format!("{} min {} s", s / 60, s % 60),
                    s if s < 172_800 => format!("{} h {} min", s / 3_600, s / 60 % 60),
                    s => format!("{} d {} h", s / 86_400, s / 3_600 % 24),
                }
            }
        };
        f.pad(&text)
    }
}

/// What a text that should be a span of time is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a time: write a number and ns, us, ms, s, min, h or d, such as 1.5s")]
pub struct NotATime(pub String);

impl std::str::FromStr for Duration {
    type Err = NotATime;

    /// Reads `300`, `300s`, `1.5ms`, `10 min`, `2h`, `3d`; a bare number is seconds.
    fn from_str(text: &str) -> Result<Duration, NotATime> {
        let fail = || NotATime(text.to_owned());
        let trimmed = text.trim();
        let split = trimmed
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(split);
        let nanos_a_unit = match unit.trim() {
            "ns" => 1.0,
            "us" | "µs" => 1e3,
            "ms" => 1e6,
            "" | "s" => 1e9,
            "min" | "m" => 60e9,
            "h" => 3_600e9,
            "d" => 86_400e9,
            _ => return Err(fail()),
        };
        let value: f64 = number.parse().map_err(|_| fail())?;
        let nanos = value * nanos_a_unit;
        if !(0.0..=1.8e19).contains(&nanos) {
            return Err(fail());
        }
        Ok(Duration((nanos + 0.5) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_printed_with_three_digits_and_its_unit() {
        let cases = [
            (0, "0 s"),
            (312, "312 ns"),
            (1_500, "1.50 us"),
            (8_200_000, "8.20 ms"),
            (99_960_000, "100 ms"),
            (125_000_000_000, "2 min 5 s"),
            (7_260_000_000_000, "2 h 1 min"),
        ];
        for (ns, text) in cases {
            assert_eq!(Duration::from_nanos(ns).to_string(), text);
        }
    }

    #[test]
    fn a_time_is_read_in_every_unit_and_nonsense_is_refused() {
        assert_eq!("1.5ms".parse(), Ok(Duration::from_micros(1_500)));
        assert_eq!("10 min".parse(), Ok(Duration::from_secs(600)));
        assert_eq!("3".parse(), Ok(Duration::from_secs(3)));
        for bad in ["", "ms", "3 parsecs", "-1s", "1e3", "99999999999999999d"] {
            assert!(bad.parse::<Duration>().is_err(), "{bad}");
        }
    }
}
