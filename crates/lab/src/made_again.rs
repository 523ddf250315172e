//! Rebuilding a run's modelled drive: with its contents kept, on another file system, or power-cycled.
//!
//! A method that needs the drive in its original state requests it from its bench; here the target's name is changed
//! accordingly, and the drive is built from the changed name and the run's seed, so that everything else stays the
//! same. Real drives are never rebuilt.

use base::state::{State, Written};
use base::time::Duration;

use crate::error::LabError;
use targets::Opened;
use targets::grammar::{Options, Spec};

/// Makes a modelled drive from a name and a seed.
pub(crate) type Make<'a> = dyn Fn(&Spec, u64) -> Result<Opened, LabError> + 'a;

/// How a modelled drive is rebuilt.
pub(crate) struct MadeAgain<'a> {
    /// The current name of the target.
    pub(crate) spec: Spec,
    /// What a drive was taken for whose name leaves that open.
    pub(crate) written: Written,
    /// Makes it; nothing for a real drive.
    pub(crate) make: Option<&'a Make<'a>>,
}

/// The same target with its modelled drives switched on now, so cold, or long ago (`None`); those whose names specify no
/// state are taken as written so.
pub(crate) fn switched_on(spec: &Spec, celsius: Option<i32>, written: Written) -> Spec {
    let mut spec = spec.clone();
    match &mut spec {
        Spec::Layer { members, .. } => {
            for member in members {
                *member = switched_on(member, celsius, written);
            }
        }
        Spec::Model { options, .. } => switch(options, celsius, written),
        Spec::Path { .. } | Spec::Null { .. } => {}
    }
    spec
}

fn switch(options: &mut Options, celsius: Option<i32>, written: Written) {
    let at = options.iter().position(|(key, _)| key == "state");
    let found = at.and_then(|at| options.remove(at).1.parse::<State>().ok());
    let usual = State {
        written,
        ..State::default()
    };
    let state = State {
        power_on: celsius.map(|_| Duration::ZERO),
        temperature: celsius,
        ..found.unwrap_or(usual)
    };
    options.push(("state".to_owned(), state.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Spec {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn contents_are_kept_beneath_the_file_system_and_the_faults() {
        for (target, keeping) in [
            ("model:a", "contents(model:a)"),
            (
                "model:a?state=fresh&file_system=ntfs",
                "contents(model:a?state=fresh)?file_system=ntfs",
            ),
            ("fault(model:a)?seed=2", "fault(contents(model:a))?seed=2"),
            ("contents(rapid(model:a))", "contents(rapid(model:a))"),
        ] {
            let kept = spec(target)
                .keeping_contents()
                .unwrap_or_else(|| panic!("{target}"));
            assert_eq!(kept.to_string(), keeping);
        }
        assert_eq!(spec("null:").keeping_contents(), None);
    }

    #[test]
    fn a_drive_is_switched_on_in_the_state_that_it_is_in() {
        let cold = |target: &str, celsius| {
            switched_on(&spec(target), celsius, Written::InOrder(100)).to_string()
        };
        let state = |text: String| {
            let Spec::Model { options, .. } = spec(&text) else {
                panic!("{text}")
            };
            options[0].1.clone()
        };
        assert_eq!(
            state(cold("model:a?state=full-in-order,idle=1h", Some(-5))),
            "full-in-order,idle=1h,power-on=0s,temperature=-5C"
        );
        let warm = cold("model:a?state=fresh,power-on=0s,temperature=5C", None);
        assert_eq!(state(warm), "fresh");
        assert!(cold("rapid(model:a)", Some(5)).contains("temperature=5C"));
        // One that was taken as written stays so.
        assert_eq!(state(cold("model:a", None)), "full-in-order");
    }
}
