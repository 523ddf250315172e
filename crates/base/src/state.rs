//! What a modelled drive has been through before a run.
//!
//! Random work on a drive differs by a factor of two or three with its state: how much was written,
//! sequentially or randomly, whether it was trimmed or has been idle. So a state is declared, and a drive
//! in it is constructed, not written: the same state is the same drive, at once.
//!
//! ```text
//! state = base { "," suffix }
//! base  = "fresh" | N"%-in-order" | "full-in-order" | "steady-random" [ ":" N"%" ]
//! suffix = "trimmed" | "idle=" T | "age=" T | "power-on=" T | "wear=" N "%" | "temperature=" N "C"
//! ```
//! Times are 36500 days at most. `wear` is the share of the drive's life that is over, as if it had been
//! worn evenly: its life ends where it turns read-only. `temperature` is the drive's own when it was
//! switched on, in whole degrees Celsius. Without suffixes the drive has rested until its own work was
//! done, was switched on long ago, and is as warm as its work makes it.

use std::fmt;
use std::str::FromStr;

use crate::message::{Argument, Message};
use crate::time::Duration;

/// What was written, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Written {
    /// Nothing.
    #[default]
    Fresh,
    /// This many per cent of the drive, once, from the start on.
    InOrder(u8),
    /// This many per cent of the drive from the start on, then random overwrites until steady state.
    SteadyRandom(u8),
}

/// The longest time of a state, 36500 days: well below where the clock of a model ends.
const LONGEST: Duration = Duration::from_secs(36_500 * 86_400);

/// A declared state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub written: Written,
    /// All of it was trimmed afterwards.
    pub trimmed: bool,
    /// Then the drive rested for so long, switched on.
    pub idle: Option<Duration>,
    /// Then the data lay for so long.
    pub age: Option<Duration>,
    /// The drive was switched on so long ago.
    pub power_on: Option<Duration>,
    /// So many in ten thousand of its life are over.
    pub wear: Option<u32>,
    /// It was so cold then, in degrees Celsius.
    pub temperature: Option<i32>,
}

impl State {
    /// As it leaves the factory.
    pub const FRESH: State = State {
        written: Written::Fresh,
        trimmed: false,
        idle: None,
        age: None,
        power_on: None,
        wear: None,
        temperature: None,
    };

    /// The suffixes that are set, as they are written: for a drive that has to refuse them.
    pub fn suffixes(&self) -> Vec<String> {
        let suffixes = self.said_suffixes().into_iter();
        suffixes.map(|suffix| suffix.to_string()).collect()
    }

    /// The parts of the state, in the order in which they are written.
    pub fn said(&self) -> Vec<Message> {
        let percent = |percent: u8| [("percent", u32::from(percent).into())];
        let written = match self.written {
            Written::Fresh => Message::of("state-fresh"),
            Written::InOrder(100) => Message::of("state-full-in-order"),
            Written::InOrder(part) => Message::new("state-in-order", percent(part)),
            Written::SteadyRandom(100) => Message::of("state-steady-random"),
            Written::SteadyRandom(part) => Message::new("state-steady-random-part", percent(part)),
        };
        std::iter::once(written)
            .chain(self.said_suffixes())
            .collect()
    }

    fn said_suffixes(&self) -> Vec<Message> {
        let time = |key, time: Duration| Message::new(key, [("time", as_written(time).into())]);
        let on = |on: Duration| match on.is_zero() {
            true => Message::of("state-just-on"),
            false => time("state-on", on),
        };
        let wear = |share| {
            let percent = Argument::text(f64::from(share) / 100.0);
            Message::new("state-wear", [("percent", percent)])
        };
        let warmth = |celsius| {
            let celsius = Argument::text(celsius);
            Message::new("state-temperature", [("celsius", celsius)])
        };
        [
            self.trimmed.then(|| Message::of("state-trimmed")),
            self.idle.map(|idle| time("state-idle", idle)),
            self.age.map(|age| time("state-age", age)),
            self.power_on.map(on),
            self.wear.map(wear),
            self.temperature.map(warmth),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A time in the largest unit that it is a whole number of.
fn as_written(time: Duration) -> Message {
    const UNITS: [(u64, &str); 7] = [
        (86_400_000_000_000, "time-days"),
        (3_600_000_000_000, "time-hours"),
        (60_000_000_000, "time-minutes"),
        (1_000_000_000, "time-seconds"),
        (1_000_000, "time-milliseconds"),
        (1_000, "time-microseconds"),
        (1, "time-nanoseconds"),
    ];
    let ns = time.as_nanos();
    let (unit, key) = UNITS
        .into_iter()
        .find(|(unit, _)| ns >= *unit && ns.is_multiple_of(*unit))
        .unwrap_or((1, "time-seconds"));
    Message::new(key, [("n", (ns / unit).into())])
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.said().iter().map(Message::to_string).collect();
        f.pad(&parts.join(","))
    }
}

/// What stands between a state and the runs that a modelled drive had since.
const SINCE: &str = ", carried over after ";

/// A state as it is recorded of a drive that was not made anew after `runs`.
pub fn carried_over(state: &str, runs: &str) -> String {
    format!("{state}{SINCE}{runs}")
}

/// A recorded state as a sentence with its key; nothing where it was written by nobody here.
pub fn told(text: &str) -> Option<Message> {
    if let Some((state, runs)) = text.split_once(SINCE) {
        let state = ("state", told(state)?.into());
        return Some(Message::new("state-since", [state, ("runs", runs.into())]));
    }
    match text {
        "unknown" => return Some(Message::of("state-unknown")),
        "none" => return Some(Message::of("state-none")),
        _ => {}
    }
    // The members of an array, where they differ.
    let members = text.split("; ").map(parts);
    let states = Argument::clauses(members.collect::<Option<_>>()?);
    Some(Message::new("state-of", [("states", states)]))
}

/// A state, or a part of one without what was written.
fn parts(text: &str) -> Option<Message> {
    let said = match text.parse::<State>() {
        Ok(state) => state.said(),
        Err(_) => format!("fresh,{text}")
            .parse::<State>()
            .ok()?
            .said_suffixes(),
    };
    let between = ",".to_owned();
    let states = Argument::Said {
        parts: said,
        between,
    };
    Some(Message::new("state-of", [("states", states)]))
}

/// What a text that should be a state is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAState {
    /// An unknown first part.
    #[error(
        "'{0}' is not a state: write fresh, N%-in-order, full-in-order or steady-random[:N%] with N from 1 to 100, then ,trimmed ,idle=T ,age=T ,power-on=T ,wear=N% ,temperature=NC"
    )]
    Base(String),
    /// An unknown suffix.
    #[error(
        "unknown part '{0}' of a state: expected trimmed, idle=T, age=T, power-on=T, wear=N% or temperature=NC"
    )]
    Suffix(String),
    /// A suffix twice.
    #[error("'{0}' is given twice in the state")]
    Twice(String),
    /// A share of the drive's life that is none.
    #[error("in the state, wear={0}: write a share such as 99.5%, from 0 to 100 in hundredths")]
    Wear(String),
    /// A time that is none.
    #[error("in the state, {suffix}: {cause}")]
    Time {
        suffix: String,
        /// What is wrong with its time.
        cause: crate::time::NotATime,
    },
    /// A time that is longer than drives last.
    #[error("in the state, {0}: the longest time is 36500d")]
    TooLong(String),
    /// A temperature that is none, or that no drive has.
    #[error("in the state, temperature: '{0}' is not a whole number of degrees from -60C to 120C")]
    Temperature(String),
}

impl FromStr for State {
    type Err = NotAState;

    fn from_str(text: &str) -> Result<State, NotAState> {
        let mut parts = text.trim().split(',').map(str::trim);
        let first = parts.next().unwrap_or("");
        let mut state = State {
            written: written(first).ok_or_else(|| NotAState::Base(first.to_owned()))?,
            ..State::FRESH
        };
        for part in parts {
            add_suffix(&mut state, part)?;
        }
        Ok(state)
    }
}

fn written(text: &str) -> Option<Written> {
    match text {
        "fresh" => return Some(Written::Fresh),
        "full-in-order" => return Some(Written::InOrder(100)),
        "steady-random" => return Some(Written::SteadyRandom(100)),
        _ => {}
    }
    if let Some(share) = text.strip_suffix("-in-order") {
        return percent(share).map(Written::InOrder);
    }
    let share = text.strip_prefix("steady-random:")?;
    percent(share).map(Written::SteadyRandom)
}

fn percent(text: &str) -> Option<u8> {
    let digits = text.strip_suffix('%')?;
    let all_digits = digits.bytes().all(|b| b.is_ascii_digit());
    let percent: u8 = digits.parse().ok()?;
    (all_digits && (1..=100).contains(&percent)).then_some(percent)
}

/// A share in ten-thousandths, from a text in per cent with at most two decimals.
fn share(text: &str) -> Option<u32> {
    let number = text.strip_suffix('%')?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || part.len() > 2 || !digits(whole) || !digits(part) {
        return None;
    }
    let share = whole.parse::<u32>().ok()?.checked_mul(100)?;
    let share = share.checked_add(format!("{part:0<2}").parse().ok()?)?;
    (share <= 10_000).then_some(share)
}

fn add_suffix(state: &mut State, part: &str) -> Result<(), NotAState> {
    if part == "trimmed" {
        let twice = std::mem::replace(&mut state.trimmed, true);
        return if twice {
            Err(NotAState::Twice(part.to_owned()))
        } else {
            Ok(())
        };
    }
    let unknown = || NotAState::Suffix(part.to_owned());
    let (name, value) = part.split_once('=').ok_or_else(unknown)?;
    if name == "wear" {
        let share = share(value).ok_or_else(|| NotAState::Wear(value.to_owned()))?;
        if state.wear.replace(share).is_some() {
            return Err(NotAState::Twice(name.to_owned()));
        }
        return Ok(());
    }
    if name == "temperature" {
        return add_temperature(state, part, value);
    }
    let slot = match name {
        "idle" => &mut state.idle,
        "age" => &mut state.age,
        "power-on" => &mut state.power_on,
        _ => return Err(unknown()),
    };
    let time: Duration = value.parse().map_err(|cause| NotAState::Time {
        suffix: name.to_owned(),
        cause,
    })?;
    if time > LONGEST {
        return Err(NotAState::TooLong(part.to_owned()));
    }
    if slot.replace(time).is_some() {
        return Err(NotAState::Twice(name.to_owned()));
    }
    Ok(())
}

fn add_temperature(state: &mut State, part: &str, value: &str) -> Result<(), NotAState> {
    let celsius = value
        .strip_suffix('C')
        .and_then(|degrees| degrees.parse::<i32>().ok())
        .filter(|degrees| (-60..=120).contains(degrees))
        .ok_or_else(|| NotAState::Temperature(value.to_owned()))?;
    match state.temperature.replace(celsius) {
        None => Ok(()),
        Some(_) => Err(NotAState::Twice(part.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_printed_as_it_is_read() {
        for text in [
            "fresh",
            "1%-in-order",
            "50%-in-order",
            "full-in-order",
            "steady-random",
            "steady-random:80%",
            "full-in-order,trimmed",
            "steady-random,trimmed,idle=30s,age=365d,power-on=1500ms",
            "fresh,power-on=2h",
            "steady-random,wear=99.5%",
            "fresh,wear=7%",
            "fresh,power-on=0s,temperature=-5C",
        ] {
            assert_eq!(text.parse::<State>().unwrap().to_string(), text);
        }
        let same: State = "100%-in-order".parse().unwrap();
        assert_eq!(same.to_string(), "full-in-order");
    }

    #[test]
    fn a_recorded_state_is_told_as_it_is_written() {
        for text in [
            "fresh",
            "full-in-order,trimmed,idle=5min",
            "power-on=0s,temperature=-5C",
            "fresh; steady-random:80%",
            "unknown",
            "none",
        ] {
            for text in [text, &carried_over(text, "slc-fill, slc-fill")] {
                assert_eq!(told(text).unwrap(), text);
            }
        }
        assert_eq!(told("of a kind"), None);
        assert_eq!(told("fresh,of a kind"), None);
    }

    #[test]
    fn what_is_no_state_is_refused_with_what_is_allowed() {
        for bad in [
            "",
            "full",
            "0%-in-order",
            "101%-in-order",
            "+5%-in-order",
            "steady-random:x",
        ] {
            assert!(
                matches!(bad.parse::<State>(), Err(NotAState::Base(_))),
                "{bad}"
            );
        }
        for bad in ["fresh,", "fresh,idle", "fresh,old=1d", "fresh,Trimmed"] {
            assert!(
                matches!(bad.parse::<State>(), Err(NotAState::Suffix(_))),
                "{bad}"
            );
        }
        for bad in [
            "fresh,wear=",
            "fresh,wear=101%",
            "fresh,wear=1.234%",
            "fresh,wear=5",
        ] {
            assert!(
                matches!(bad.parse::<State>(), Err(NotAState::Wear(_))),
                "{bad}"
            );
        }
        for bad in ["fresh,trimmed,trimmed", "fresh,idle=1s,idle=2s"] {
            assert!(
                matches!(bad.parse::<State>(), Err(NotAState::Twice(_))),
                "{bad}"
            );
        }
        for bad in [
            "fresh,temperature=5",
            "fresh,temperature=5F",
            "fresh,temperature=500C",
        ] {
            let error = bad.parse::<State>().unwrap_err();
            assert!(matches!(error, NotAState::Temperature(_)), "{bad}");
        }
        for bad in ["fresh,idle=36501d", "fresh,age=200000d"] {
            let error = bad.parse::<State>().unwrap_err();
            assert!(error.to_string().contains("36500d"), "{error}");
        }
        let bad = "fresh,idle=soon".parse::<State>().unwrap_err();
        assert!(bad.to_string().contains("idle"), "{bad}");
    }
}
