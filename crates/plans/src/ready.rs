//! The plans that come with the program: one file in `catalog/plans` and one line here.
//!
//! Most name no targets: these are given after the plan's name. Those that reproduce the tables of a published document
//! name its drives, as models, and show the published figures next to the results. Each is an ordinary plan file, to be
//! printed, changed and run under another name.

use std::path::Path;

use base::nearest::nearest;
use results::plan::{PLANS_SCHEMA, PlanListing, ReadyPlans};

use super::{Plan, file};
use crate::error::PlanError;
use lab::LabError;
use targets::error::did_you_mean;

/// A plan that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Ready {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! ready {
    ($name:literal) => {
        Ready {
            name: $name,
            text: include_str!(concat!("../../../catalog/plans/", $name, ".toml")),
        }
    };
}

/// The plans, in the order in which they are listed.
pub static READY: &[Ready] = &[
    ready!("quick"),
    ready!("review-ssd"),
    ready!("review-hdd"),
    ready!("screen"),
    ready!("pts"),
    ready!("hg2-2009"),
    ready!("840-evo-2013"),
    ready!("boot-2011"),
    ready!("gen4-2022"),
    ready!("nas-disks-2016"),
];

impl Ready {
    /// The plan.
    ///
    /// # Errors
    /// An error in the file: a test prevents that.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        file::parse(self.name, self.name, self.text)
    }
}

/// The plan that the first word of a command line names: a file that ends in `.toml`, or a ready plan;
/// nothing for anything else.
///
/// # Errors
/// A file that cannot be read, or a mistake in it.
pub fn find(word: &str) -> Result<Option<Plan>, PlanError> {
    if word.ends_with(".toml") {
        return file::open(Path::new(word)).map(Some);
    }
    let found = READY.iter().find(|ready| ready.name == word);
    found.map(Ready::plan).transpose()
}

/// Whether a word that names no plan names a method.
///
/// # Errors
/// Where it does not, with the nearest names of methods and plans.
pub fn method_or_plan(word: &str) -> Result<(), PlanError> {
    if methods::find(word).is_ok() {
        return Ok(());
    }
    let names = methods::METHODS.iter().map(|method| method.card().id);
    let names: Vec<&str> = names.chain(READY.iter().map(|ready| ready.name)).collect();
    Err(LabError::NoMethod {
        id: word.to_owned(),
        nearest: nearest(word, &names),
    }
    .into())
}

/// The file of a ready plan.
///
/// # Errors
/// No such plan, with the nearest names.
pub fn text(name: &str) -> Result<&'static str, PlanError> {
    if let Some(found) = READY.iter().find(|ready| ready.name == name) {
        return Ok(found.text);
    }
    let names: Vec<&str> = READY.iter().map(|ready| ready.name).collect();
    Err(PlanError::Targets(format!(
        "there is no plan '{name}'{}; `drivelab plans` lists them",
        did_you_mean(&nearest(name, &names))
    )))
}

/// All ready plans.
///
/// # Errors
/// An error in a file: a test prevents that.
pub fn plans() -> Result<ReadyPlans, PlanError> {
    let listed = READY.iter().map(|ready| {
        let plan = ready.plan()?;
        let writes = |id: &String| methods::find(id).is_ok_and(|method| method.card().writes);
        let methods: Vec<String> = plan.steps.into_iter().map(|step| step.method).collect();
        Ok(PlanListing {
            name: ready.name,
            title: plan.title,
            writes: methods.iter().any(writes),
            methods,
            screens: plan.screen.is_some(),
        })
    });
    Ok(ReadyPlans {
        schema: PLANS_SCHEMA,
        plans: listed.collect::<Result<_, PlanError>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ready_plan_can_be_read_and_none_has_the_name_of_a_method() {
        for ready in READY {
            let plan = ready.plan().unwrap();
            let has_drives = plan.beside_published.is_some();
            assert_eq!(plan.targets.is_empty(), !has_drives, "{}", ready.name);
            assert!(methods::find(ready.name).is_err(), "{}", ready.name);
        }
        assert_eq!(plans().unwrap().plans.len(), READY.len());
        assert!(find("quick").unwrap().is_some());
        assert!(find("quick-scan").unwrap().is_none());
        assert!(find("nowhere.toml").is_err());
    }
}
