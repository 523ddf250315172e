//! The permissions that a plan needs: asked once, before anything runs.
//!
//! If overwriting is allowed at all, each device or user file that a step would write must be confirmed by its own
//! name, as for a single run; what is only read is opened read-only. A confirmation is matched with the drive that it
//! names, so that several may be given in any order, and it applies to one target: a drive that is listed twice must be
//! confirmed twice.

use super::{Plan, Step};
use crate::error::PlanError;
use lab::running::{Request, prepare};
use targets::{Consent, resolve};

/// A drive or file that a plan would overwrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToConfirm {
    /// Which of the plan's targets.
    pub target: usize,
    pub name: String,
    /// What has to be typed, in words.
    pub token: String,
    /// What would be lost.
    pub lost: Vec<String>,
    /// Which of the given confirmations is its own.
    pub given: Option<String>,
}

/// Everything that a plan would overwrite if it were allowed to; `given` are confirmations.
///
/// # Errors
/// What is wrong with a target or a step.
pub fn to_confirm(plan: &Plan, given: &[String]) -> Result<Vec<ToConfirm>, PlanError> {
    let writable = Consent {
        destroy_data: true,
        confirm: None,
    };
    let mut found: Vec<ToConfirm> = Vec::new();
    let mut left: Vec<&String> = given.iter().collect();
    for step in plan.schedule() {
        if found.iter().any(|known| known.target == step.target) {
            continue;
        }
        let name = &plan.targets[step.target].name;
        let resolved = resolve(name, &writable, plan.seed)?;
        if !resolved.is_the_users_own() || !writes(plan, step, &writable)? {
            continue;
        }
        let own = left
            .iter()
            .position(|typed| resolved.is_confirmed_by(typed));
        found.push(ToConfirm {
            target: step.target,
            name: name.clone(),
            token: resolved.token(),
            lost: resolved.would_be_lost(),
            given: own.map(|at| left.remove(at).clone()),
        });
    }
    Ok(found)
}

/// True where the step would write if it might.
fn writes(plan: &Plan, step: Step, consent: &Consent) -> Result<bool, PlanError> {
    let method = &plan.steps[step.method];
    let prepared = prepare(Request {
        repeat: method.repeat,
        set: method.set.clone(),
        consent: consent.clone(),
        ..Request::new(
            &method.method,
            &plan.targets[step.target].name,
            method.scale,
            plan.seed,
        )
    })?;
    Ok(!prepared.forecast.written.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::parse;

    #[test]
    fn only_what_is_the_users_own_and_would_be_written_is_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name).display().to_string();
        for name in ["written", "read"] {
            std::fs::write(at(name), vec![7; 1 << 20]).unwrap();
        }
        let text = format!(
            "targets = ['null:', '{read}', '{written}', '{dir}']\n\
             [[step]]\nmethod = 'full-scan'\nset = {{ ops = 'read', extent = '1MiB' }}\n\
             [[step]]\nmethod = 'full-scan'\nset = {{ ops = 'read-write', extent = '1MiB' }}\n\
             targets = ['null:', '{written}', '{dir}']\n",
            read = at("read"),
            written = at("written"),
            dir = dir.path().display(),
        );
        let plan = parse("own", "own.toml", &text).unwrap();
        let given = ["other".to_owned(), at("written")];
        let asked = to_confirm(&plan, &given).unwrap();
        let names: Vec<&str> = asked.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, [at("written").as_str()]);
        assert_eq!(asked[0].given, Some(at("written")));
        assert_eq!(to_confirm(&plan, &given[..1]).unwrap()[0].given, None);
    }

    #[test]
    fn a_confirmation_is_good_for_one_target() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("written").display().to_string();
        std::fs::write(&at, vec![7; 1 << 20]).unwrap();
        let text = format!(
            "targets = ['{at}', '{at}?buffered=yes']\n\
             [[step]]\nmethod = 'full-scan'\nset = {{ ops = 'read-write', extent = '1MiB' }}\n"
        );
        let plan = parse("own", "own.toml", &text).unwrap();
        let of = |given: &[String]| {
            let asked = to_confirm(&plan, given).unwrap();
            asked.into_iter().map(|one| one.given).collect::<Vec<_>>()
        };
        assert_eq!(of(std::slice::from_ref(&at)), [Some(at.clone()), None]);
        let twice = [at.clone(), at.clone()];
        assert_eq!(of(&twice), twice.map(Some));
    }
}
