//! When a result was made, as people read it.

use std::fmt::Write as _;
use std::time::UNIX_EPOCH;

/// Milliseconds of the Unix epoch as a date and time of UTC: `2026-03-01 12:34 UTC`; `None` for 0,
/// which is a model's, and beyond the year 9999.
pub fn date(unix_ms: u64) -> Option<String> {
    let time = UNIX_EPOCH.checked_add(std::time::Duration::from_millis(unix_ms))?;
    let mut text = String::new();
    write!(text, "{}", humantime::format_rfc3339_seconds(time)).ok()?;
    let (day, clock) = text.split_once('T')?;
    (unix_ms > 0).then(|| format!("{day} {} UTC", clock.get(..5).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_right_around_leap_days_and_centuries() {
        assert_eq!(date(0), None);
        assert_eq!(date(60_000).unwrap(), "1970-01-01 00:01 UTC");
        assert_eq!(date(951_782_400_000).unwrap(), "2000-02-29 00:00 UTC");
        assert_eq!(date(951_868_800_000).unwrap(), "2000-03-01 00:00 UTC");
        assert_eq!(date(4_107_542_399_999).unwrap(), "2100-02-28 23:59 UTC");
        assert_eq!(date(1_772_368_440_000).unwrap(), "2026-03-01 12:34 UTC");
    }
}
