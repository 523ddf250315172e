//! Published figures compared with stored results: the rows of one document, from a plan's runs.
//!
//! [`reproduce`](crate::compare::run) runs the experiments of the row tables itself and keeps nothing. A plan with the
//! same targets, methods and settings leaves results with all their charts; here each experiment is looked up among
//! them, and the same judge evaluates the row. An experiment matches if target and method have the same name and every
//! setting has the value that the row table gives it at the result's scale. So a shortened run is compared with its
//! row, too, and the row says that it was shortened.

use std::collections::BTreeSet;

use base::method::{Scale, Settings};
use results::reproduction::ReproducedFigure;
use results::{RunEnd, RunResult};

use crate::compare::{Outcomes, Plans, Selection};
use crate::error::AccuracyError;
use crate::experiments::{Experiment, Table};
use crate::families::exactly_determined;
use crate::metric::Outcome;
use crate::reference::Facts;

/// The published figures of a document, by its name, each with the value from the results.
///
/// # Errors
/// A document that published nothing here.
pub fn published(
    document: &str,
    results: &[RunResult],
) -> Result<Vec<ReproducedFigure>, AccuracyError> {
    let facts = Facts::published()?;
    let table = Table::published(&facts)?;
    let exact = exactly_determined(&facts, &table)?;
    let selection = Selection {
        document: Some(document.to_owned()),
        ..Selection::default()
    };
    let plans = Plans::new(&facts, &table, &selection, exact)?;
    let (mut outcomes, mut shortened) = (Outcomes::new(), BTreeSet::new());
    for experiment in plans.experiments() {
        let Some(result) = results.iter().find(|result| is_of(result, &experiment)) else {
            continue;
        };
        if result.scale != Scale::Full {
            shortened.insert((experiment.target.clone(), experiment.method.clone()));
        }
        outcomes.insert(experiment, Ok(Outcome::of(result)));
    }
    let mut rows = plans.beside(&outcomes);
    for row in &mut rows {
        let runs = row.targets.iter().flat_map(|target| {
            let methods = row.methods.iter();
            methods.map(move |method| (target.clone(), method.clone()))
        });
        if runs.into_iter().any(|run| shortened.contains(&run)) {
            row.assumed
                .push("shortened: the document's test took longer".to_owned());
        }
    }
    Ok(rows)
}

/// Whether a result is that of an experiment, at whatever scale.
fn is_of(result: &RunResult, experiment: &Experiment) -> bool {
    let named = result.method == experiment.method && result.target.name == experiment.target;
    if !named || result.ended != RunEnd::Complete {
        return false;
    }
    let Ok(method) = methods::find(&experiment.method) else {
        return false;
    };
    let (scale, seed) = (result.settings.scale, result.settings.seed);
    let settings = Settings::new(method.card(), scale, seed, &experiment.settings);
    settings.is_ok_and(|settings| settings.values == result.settings.values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::interrupt::Interrupt;
    use lab::progress::Silent;
    use lab::running::{Request, prepare};

    const DOCUMENT: &str = "000_cbc203d44e87477b.txt";
    const TARGET: &str = "model:intel-x25-m-g1-80gb?state=fresh&host=windows-xp-ide";

    fn marked(size: &str) -> RunResult {
        let request = Request {
            set: vec![format!("size={size}")],
            ..Request::new("crystaldiskmark-classic", TARGET, Scale::Quick, 1)
        };
        let prepared = prepare(request).unwrap();
        prepared.run(None, &mut Silent, &Interrupt::new()).unwrap()
    }

    fn row(rows: &[ReproducedFigure], id: &str) -> ReproducedFigure {
        let id = id.parse().unwrap();
        rows.iter().find(|row| row.id == id).unwrap().clone()
    }

    #[test]
    fn a_result_stands_beside_the_rows_of_its_experiment_and_says_that_it_was_shortened() {
        let rows = published(DOCUMENT, &[marked("1000MiB")]).unwrap();
        let write = row(&rows, "F043");
        assert!(
            write.simulated.is_some_and(|value| value > 1.0),
            "{write:?}"
        );
        assert_eq!((write.published.as_str(), write.role), ("55-65", "range"));
        assert!(write.assumed.iter().any(|a| a.starts_with("shortened")));
        let other = row(&rows, "F013");
        assert_eq!(other.simulated, None);
        assert_eq!(other.not_run.as_deref(), Some("its experiment was not run"));
    }

    #[test]
    fn a_result_with_other_settings_or_of_a_part_stands_beside_nothing() {
        let of = |result: RunResult| row(&published(DOCUMENT, &[result]).unwrap(), "F043");
        assert_eq!(of(marked("100MiB")).simulated, None);
        let part = RunResult {
            ended: RunEnd::from("interrupted".to_owned()),
            ..marked("1000MiB")
        };
        assert_eq!(of(part).simulated, None);
        assert!(published("999", &[]).is_err());
    }
}
