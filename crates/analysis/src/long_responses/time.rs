//! They are over after a while, or come only after one: work that is left over from before, or that begins.
//!
//! All n of them are in the first share w of the time by chance with the probability w^n.

use base::time::Duration;
use results::{Quantity, Statement};

use super::{Common, Phase};

pub(super) fn habit(phase: &Phase<'_>) -> Option<Common> {
    let took = phase.record.took.as_secs_f64();
    let begins = || phase.events.iter().map(|event| event.begins_s);
    let (first, last) = (begins().fold(took, f64::min), begins().fold(0.0, f64::max));
    let n = i32::try_from(phase.events.len()).ok()?;
    let early = (last / took).powi(n);
    let late = (1.0 - first / took).powi(n);
    let (key, time, chance) = match early < late {
        true => ("answer-long-responses-early", last, early),
        false => ("answer-long-responses-late", first, late),
    };
    let time = Duration::from_secs_f64(time);
    Some(Common {
        says: Statement::new(key).with("time", Quantity::Time(time)),
        // Either would have been said.
        chance: 2.0 * chance,
    })
}
