//! The options of a target's name: one table for each kind of target.
//!
//! A row of a table has the option's key, a description of its value, and a setter. So unknown options and invalid
//! values are reported in the same way everywhere, and a new option is a new row.

use std::str::FromStr;

use base::size::Bytes;
use base::time::Duration;
use base::workload::Span;

use crate::error::{TargetError, did_you_mean};
use crate::grammar::Options;

/// An option, which sets a part of `P`.
pub(crate) struct OptionOf<P> {
    key: &'static str,
    set: Set<P>,
}

enum Set<P> {
    /// What it expects, in words; nothing is set by another value.
    Expects(&'static str, fn(&mut P, &str) -> Option<()>),
    /// The value's own parser reports the error.
    Explains(fn(&mut P, &str) -> Result<(), String>),
}

/// A row of a table: `expects` describes the value; `set` returns `None` for an invalid one.
pub(crate) const fn option<P>(
    key: &'static str,
    expects: &'static str,
    set: fn(&mut P, &str) -> Option<()>,
) -> OptionOf<P> {
    let set = Set::Expects(expects, set);
    OptionOf { key, set }
}

/// The same for a value with its own grammar, whose parser explains errors.
pub(crate) const fn explained<P>(
    key: &'static str,
    set: fn(&mut P, &str) -> Result<(), String>,
) -> OptionOf<P> {
    let set = Set::Explains(set);
    OptionOf { key, set }
}

/// Parses options into their fields.
///
/// # Errors
/// An option that the table does not have, or a value that is not what it expects.
pub(crate) fn read<P>(
    target: &str,
    options: &Options,
    table: &[OptionOf<P>],
    into: &mut P,
) -> Result<(), TargetError> {
    for (key, value) in options {
        let Some(known) = table.iter().find(|known| known.key == key) else {
            let keys: Vec<&str> = table.iter().map(|known| known.key).collect();
            return Err(unknown_option(target, key, &keys));
        };
        let set = match known.set {
            Set::Expects(expects, set) => {
                set(into, value).ok_or_else(|| format!("expected {expects}, not '{value}'"))
            }
            Set::Explains(set) => set(into, value),
        };
        set.map_err(|why| option_error(target, format!("{key}: {why}")))?;
    }
    Ok(())
}

/// What is wrong with an option of a target.
pub(crate) fn option_error(target: &str, what: String) -> TargetError {
    TargetError::Option {
        target: target.to_owned(),
        what,
    }
}

/// Options of drives that people write after a layer.
const OF_DRIVES: [&str; 2] = ["host", "state"];

/// An option that a target does not take, with the nearest ones.
pub(crate) fn unknown_option(target: &str, key: &str, known: &[&str]) -> TargetError {
    let layer = target.split_once('(').map(|(layer, _)| layer);
    if let Some(layer) = layer.filter(|_| OF_DRIVES.contains(&key)) {
        let what = format!(
            "'?{key}=' is an option of the drive, so it stands within: {layer}(model:DRIVE?{key}=...)"
        );
        return option_error(target, what);
    }
    let meant = did_you_mean(&base::nearest::nearest(key, known));
    option_error(
        target,
        format!("no option '{key}'{meant}; it takes {}", known.join(", ")),
    )
}

/// A value as its type is written.
pub(crate) fn put<T: FromStr>(place: &mut T, value: &str) -> Option<()> {
    *place = value.parse().ok()?;
    Some(())
}

/// The same where there need not be one.
pub(crate) fn put_some<T: FromStr>(place: &mut Option<T>, value: &str) -> Option<()> {
    *place = Some(value.parse().ok()?);
    Some(())
}

/// The longest time that something is held back for: many of them together still end before the clock
/// of virtual time does.
const LONGEST: Duration = Duration::from_secs(3_600);
/// What [`put_time`] expects.
pub(crate) const TIME: &str = "a time of 1h at most, such as 20ms";

/// A time.
pub(crate) fn put_time(place: &mut Duration, value: &str) -> Option<()> {
    *place = value.parse().ok().filter(|time| *time <= LONGEST)?;
    Some(())
}

/// What [`put_yes_or_no`] expects.
pub(crate) const YES_OR_NO: &str = "yes or no";

/// Yes or no.
pub(crate) fn put_yes_or_no(place: &mut bool, value: &str) -> Option<()> {
    *place = match value {
        "yes" | "true" | "1" => true,
        "no" | "false" | "0" => false,
        _ => return None,
    };
    Some(())
}

/// What [`put_flush`] expects.
pub(crate) const FLUSH: &str = "honoured or ignored";

/// Whether flushes are honoured.
pub(crate) fn put_flush(honoured: &mut bool, value: &str) -> Option<()> {
    *honoured = match value {
        "honoured" => true,
        "ignored" => false,
        _ => return None,
    };
    Some(())
}

/// What [`put_spans`] expects.
pub(crate) const SPANS: &str = "START+LENGTH, such as 1MiB+4KiB, or several with commas between";

/// Several of `START+LENGTH`.
pub(crate) fn put_spans(place: &mut Vec<Span>, value: &str) -> Option<()> {
    *place = value.split(',').map(span).collect::<Option<_>>()?;
    Some(())
}

fn span(text: &str) -> Option<Span> {
    let (start, len) = text.split_once('+')?;
    let (start, len): (Bytes, Bytes) = (start.parse().ok()?, len.parse().ok()?);
    // Cut off where addresses end.
    let most = Bytes::new(u64::MAX - start.get());
    Some(Span::new(start, len.min(most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_cannot_be_is_told_with_what_was_expected_and_a_key_with_the_nearest_one() {
        let table = [option("errors", "a number of I/Os per million", put::<u32>)];
        let said = |key: &str, value: &str| {
            let options = vec![(key.to_owned(), value.to_owned())];
            let read = read("fault(model:a)", &options, &table, &mut 0);
            read.map_err(|error| error.to_string())
        };
        assert_eq!(said("errors", "10"), Ok(()));
        let wrong = "target fault(model:a): errors: expected a number of I/Os per million, not 'x'";
        assert_eq!(said("errors", "x"), Err(wrong.to_owned()));
        let unknown = said("error", "1").unwrap_err();
        assert!(unknown.contains("did you mean errors?"), "{unknown}");
        let behind = said("host", "none").unwrap_err();
        assert!(behind.contains("fault(model:DRIVE?host=...)"), "{behind}");
    }
}
