//! `drivelab develop reproduce`: the modelled drives compared with published figures of the real ones.
//!
//! The judge defines which method is run on which drive in which state; here it is run, by the same methods and the
//! same engine as on a real drive, in virtual time, and the figures are returned. Nothing is stored.

use std::collections::BTreeSet;

use crate::ablation::change;
use crate::compare::{Plans, Selection};
use crate::experiments::{Experiment, Table};
use crate::metric::Outcome;
use crate::reference::Facts;
use results::reproduction::FactId;
use results::reproduction::Reproduction;
use sim::model::Model;

use crate::error::AccuracyError;
use crate::families::exactly_determined;
use base::interrupt::Interrupt;
use lab::LabError;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use targets::{Consent, resolve};

mod power_cut;

/// What is to be reproduced.
#[derive(Clone, Debug, Default)]
pub struct Reproduce {
    /// Rows for which this drive is run, by its slug.
    pub drive: Option<String>,
    /// Rows of the document whose name begins so.
    pub document: Option<String>,
    /// Rows in this role: `calibrate`, `predict` or `range`.
    pub role: Option<String>,
    /// These rows alone, as `F141`; all where none is named.
    pub rows: Vec<String>,
    /// What is changed of every modelled drive that has it, each as `key=value` in a target's name:
    /// `ssd.map_cache=off` shows what that mechanism is good for.
    pub changes: Vec<String>,
    /// Whether claims that hold are left at that, and not run again with the change that should make them fail.
    pub claims_as_they_are: bool,
    /// Threads.
    pub jobs: usize,
    /// Seeds everything random.
    pub seed: u64,
}

/// Runs every experiment that the rows need, and judges them. `done` is called with the number finished and the total.
///
/// # Errors
/// If no row is selected, a change has no effect, the compiled-in data is invalid, or a stop is requested.
pub fn reproduce(
    asked: &Reproduce,
    interrupt: &Interrupt,
    done: &(dyn Fn(usize, usize) + Sync),
) -> Result<Reproduction, AccuracyError> {
    let facts = Facts::published()?;
    let mut table = Table::published(&facts)?;
    let selection = Selection {
        ids: ids(&asked.rows)?,
        drive: asked.drive.clone(),
        document: asked.document.clone(),
        role: asked.role.clone(),
    };
    let exact = exactly_determined(&facts, &table)?;
    change(&mut table, &asked.changes)?;
    let plans = Plans::new(&facts, &table, &selection, exact)?;
    // Of drives that are changed already, a claim is asked for as it is.
    let plans = match asked.changes.is_empty() && !asked.claims_as_they_are {
        true => plans.with_claims_tried(),
        false => plans,
    };
    let simulate = |experiment: &Experiment| simulate(experiment, asked.seed, interrupt);
    let reproduction = plans.reproduce(asked.jobs, &simulate, done);
    LabError::not_interrupted(interrupt)?;
    Ok(reproduction)
}

/// Figures by their names.
fn ids(names: &[String]) -> Result<BTreeSet<FactId>, AccuracyError> {
    let id = |name: &String| {
        name.parse()
            .map_err(|_| AccuracyError::NotPublished(name.clone()))
    };
    names.iter().map(id).collect()
}

/// A published quantity that no method measures, since it cannot be measured on a real drive: by the name used instead
/// of a method's.
const PROCEDURES: &[(&str, Procedure)] = &[("power-cut", power_cut::run)];

type Procedure = fn(Box<dyn Model>) -> Result<Outcome, String>;

/// Runs one experiment. Returns a reason if there is no such drive or method, or if the run fails.
pub(crate) fn simulate(
    experiment: &Experiment,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<Outcome, String> {
    let procedure = PROCEDURES
        .iter()
        .find(|(name, _)| *name == experiment.method);
    if let Some((_, run)) = procedure {
        let built = resolve(&experiment.target, &Consent::default(), seed)
            .and_then(|resolved| resolved.build_model(interrupt));
        let built = built.map_err(|error| format!("not run: {error}"))?;
        let model = built.ok_or("only a modelled drive can be asked for that")?;
        return run(model);
    }
    let request = Request {
        set: experiment.settings.clone(),
        ..Request::new(
            &experiment.method,
            &experiment.target,
            experiment.scale,
            seed,
        )
    };
    let prepared = prepare(request).map_err(|error| match error {
        LabError::NoMethod { id, .. } => format!("not run: method missing: {id}"),
        other => format!("not run: {other}"),
    })?;
    let result = prepared.run(None, &mut Silent, interrupt);
    Ok(Outcome::of(&result.map_err(|error| error.to_string())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::method::Settings;

    #[test]
    fn every_setting_of_an_experiment_is_one_of_its_method() {
        let facts = Facts::published().unwrap();
        let table = Table::published(&facts).unwrap();
        let mut known = 0;
        for (name, planned) in &table.experiments {
            let experiment = &planned.experiment;
            let target: Result<targets::grammar::Spec, _> = experiment.target.parse();
            assert!(target.is_ok(), "{name}: {target:?}");
            let Ok(method) = methods::find(&experiment.method) else {
                continue;
            };
            let (scale, settings) = (experiment.scale, &experiment.settings);
            let settings = Settings::new(method.card(), scale, 1, settings);
            assert!(settings.is_ok(), "{name}: {settings:?}");
            known += 1;
        }
        assert!(known > 0);
    }

    #[test]
    fn a_run_gives_its_figures_or_says_why_not() {
        let experiment = |target: &str, method: &str| Experiment {
            target: target.to_owned(),
            method: method.to_owned(),
            settings: Vec::new(),
            scale: base::method::Scale::Quick,
        };
        let interrupt = Interrupt::new();
        let run = |target, method| simulate(&experiment(target, method), 1, &interrupt);
        let outcome = run("null:", "crystaldiskmark-classic").unwrap();
        assert_eq!(outcome.figures["seq.read"].unit, "MB/s");
        let cached = run("rapid(model:samsung-840-evo-750gb?host=none)", "power-cut").unwrap();
        assert!(cached.figures["lost"].value.is_some_and(|lost| lost > 0.0));
        let missing = run("null:", "crystal-ball").unwrap_err();
        assert_eq!(missing, "not run: method missing: crystal-ball");
        let unknown = run("model:no-such-drive", "full-scan").unwrap_err();
        assert!(unknown.contains("no-such-drive"), "{unknown}");
    }
}
