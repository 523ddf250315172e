//! What there is (methods, modelled drives) as documents, and targets' names as the grammar of `targets` has them.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use targets::grammar::Spec;

use crate::errors::{Failure, raise};
use crate::frame::{Columns, Frame};

/// A document as text on its schema.
pub(crate) fn json(document: &impl serde::Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string(document)?)
}

/// All methods, on `drivelab.methods/1`.
#[pyfunction]
pub(crate) fn methods(py: Python<'_>) -> PyResult<String> {
    raise(py, json(&lab::listing::methods()))
}

/// All modelled drives, on `drivelab.drives/1`.
#[pyfunction]
pub(crate) fn drives(py: Python<'_>) -> PyResult<String> {
    let listed = raise(py, lab::listing::drives())?;
    raise(py, json(&listed))
}

/// A modelled drive's sheet, on `drivelab.drive/1`.
#[pyfunction]
pub(crate) fn sheet(py: Python<'_>, name: &str) -> PyResult<String> {
    let sheet = raise(py, lab::listing::sheet(name))?;
    raise(py, json(&sheet))
}

/// A target's name with these options added to its outermost part; what is given again replaces what was there.
#[pyfunction]
pub(crate) fn target_name(
    py: Python<'_>,
    name: &str,
    options: Vec<(String, String)>,
) -> PyResult<String> {
    let mut spec = raise(py, parsed(name))?;
    for (key, value) in options {
        spec.set_option(&key, &value);
    }
    let name = spec.to_string();
    // Found out here rather than in the middle of a run.
    raise(py, resolved(&name))?;
    Ok(name)
}

/// What a target holds and can do: capacity and block in bytes, most I/Os in flight, and whether it is a model.
#[pyfunction]
pub(crate) fn read_options(py: Python<'_>, name: &str) -> PyResult<(u64, u64, u32, bool)> {
    let resolved = raise(py, resolved(name))?;
    let info = resolved.provisional;
    Ok((
        info.capacity.get(),
        info.block.get(),
        info.max_in_flight,
        resolved.is_a_model(),
    ))
}

fn parsed(name: &str) -> Result<Spec, Failure> {
    name.parse()
        .map_err(|bad: targets::grammar::BadName| lab::LabError::from(bad).into())
}

fn resolved(name: &str) -> Result<targets::ResolvedTarget, Failure> {
    Ok(targets::resolve(name, &targets::Consent::default(), 1)?)
}

/// Every value of a target's modelled drives, with its source; `given` is what the target's name puts in its place.
#[pyfunction]
pub(crate) fn parameters(py: Python<'_>, name: &str) -> PyResult<Frame> {
    let spec = raise(py, parsed(name))?;
    let drives = raise(py, sheets(&spec))?;
    let rows = || {
        drives
            .iter()
            .flat_map(|drive| drive.sheet.values.iter().map(move |value| (drive, value)))
    };
    let texts = |of: fn(&results::listing::SheetValue) -> String| -> Vec<String> {
        rows().map(|(_, value)| of(value)).collect()
    };
    let ends = |end: usize| -> Vec<Option<f64>> {
        rows()
            .map(|(_, value)| value.within.map(|ends| ends[end]))
            .collect()
    };
    let names: Vec<String> = rows().map(|(drive, _)| drive.name.clone()).collect();
    let given: Vec<Option<String>> = rows()
        .map(|(drive, value)| drive.given(value.section, value.key))
        .collect();
    Columns::default()
        .text("drive", &names)
        .text("section", &texts(|value| value.section.to_owned()))
        .text("key", &texts(|value| value.key.to_owned()))
        .text("value", &texts(|value| value.value.clone()))
        .text("unit", &texts(|value| value.unit.to_owned()))
        .text_or_none("given", &given)
        .text("source", &texts(|value| value.source.to_owned()))
        .text("facts", &texts(|value| value.facts.join(" ")))
        .float_or_none("within_low", ends(0))
        .float_or_none("within_high", ends(1))
        .text("why", &texts(|value| value.why.clone()))
        .frame()
}

/// A modelled drive of a target.
struct NamedDrive {
    name: String,
    options: BTreeMap<String, String>,
    sheet: results::listing::Sheet,
}

impl NamedDrive {
    /// What the target's name puts in place of a value of the file: `ssd.SECTION.KEY=VALUE`.
    fn given(&self, section: &str, key: &str) -> Option<String> {
        let ending = format!(".{section}.{key}");
        let is_it = |path: &String| {
            targets::is_of_the_file(path)
                && (path.ends_with(&ending) || *path == format!("{section}.{key}"))
        };
        let found = self.options.iter().find(|(path, _)| is_it(path));
        found.map(|(_, value)| value.clone())
    }
}

fn sheets(spec: &Spec) -> Result<Vec<NamedDrive>, Failure> {
    match spec {
        Spec::Model { name, options } => Ok(vec![NamedDrive {
            name: name.clone(),
            options: options.iter().cloned().collect(),
            sheet: lab::listing::sheet(name)?,
        }]),
        Spec::Layer { members, .. } => {
            let each: Result<Vec<_>, _> = members.iter().map(sheets).collect();
            Ok(each?.into_iter().flatten().collect())
        }
        Spec::Null { .. } | Spec::Path { .. } => Ok(Vec::new()),
    }
}
