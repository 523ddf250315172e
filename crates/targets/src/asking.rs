//! How often a real device's health is queried: the option `health` of a target's name.

use base::time::Duration;
use inspect::health::LEAST_PERIOD;

/// Health queries of a real device during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    /// Between phases; every [`LEAST_PERIOD`] on NVMe.
    #[default]
    Auto,
    /// Not at all.
    Off,
    /// Every so often, whatever it costs.
    Every(Duration),
}

/// What the option expects; the period is [`LEAST_PERIOD`] at least.
pub(crate) const ASKING: &str = "auto, off, or a period of 10s at least";

impl std::str::FromStr for Asking {
    type Err = ();

    fn from_str(text: &str) -> Result<Asking, ()> {
        match text {
            "auto" => Ok(Asking::Auto),
            "off" | "no" => Ok(Asking::Off),
            _ => match text.parse::<Duration>() {
                Ok(period) if period >= LEAST_PERIOD => Ok(Asking::Every(period)),
                _ => Err(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_shorter_than_the_least_one_is_refused() {
        assert_eq!("auto".parse(), Ok(Asking::Auto));
        assert_eq!("off".parse(), Ok(Asking::Off));
        let minute = Duration::from_secs(60);
        assert_eq!("60s".parse(), Ok(Asking::Every(minute)));
        assert!("1s".parse::<Asking>().is_err());
        assert_eq!(
            LEAST_PERIOD,
            Duration::from_secs(10),
            "which {ASKING:?} says"
        );
        assert!("often".parse::<Asking>().is_err());
    }
}
