//! Numbers in the JSON output of commands, and a case's conditions on them.
//!
//! A path descends by keys: `/jobs/0/read/iops`; `[key=value]` after a list's name selects the element with such a
//! member: `/figures[key=seq.read]/value`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::fleet::case::FullStep;

/// The number at that path.
pub(crate) fn find(json: &Value, path: &str) -> Result<f64> {
    let mut here = json;
    for part in path.split('/').filter(|part| !part.is_empty()) {
        here = child(here, part).with_context(|| format!("{path}: nothing at {part}"))?;
    }
    here.as_f64()
        .with_context(|| format!("{path} is no number: {here}"))
}

fn child<'a>(here: &'a Value, part: &str) -> Option<&'a Value> {
    let (name, condition) = match part.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']')?.split_once('=')),
        None => (part, None),
    };
    let found = match name.parse::<usize>() {
        Ok(index) => here.get(index)?,
        Err(_) => here.get(name)?,
    };
    match condition {
        None => Some(found),
        Some((key, value)) => found
            .as_array()?
            .iter()
            .find(|element| element[key] == value),
    }
}

/// Compares a stored number with another one, or with bounds.
pub(crate) fn judge(step: &FullStep, kept: &BTreeMap<String, f64>) -> Result<()> {
    let name = step.value.as_deref().unwrap_or_default();
    let number = |name: &str| {
        kept.get(name)
            .copied()
            .with_context(|| format!("no number {name} was kept"))
    };
    let value = number(name)?;
    if let Some([low, high]) = step.between {
        if !(low..=high).contains(&value) {
            bail!("{name} is {value}, not within {low} and {high}");
        }
        return Ok(());
    }
    let other = step
        .like
        .as_deref()
        .context("a value is held against `like` or `between`")?;
    let reference = number(other)?;
    if (value - reference).abs() > step.within * reference.abs() {
        bail!(
            "{name} is {value}, {other} {reference}: further apart than {} %",
            step.within * 100.0
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_goes_by_keys_numbers_and_members() {
        let json = json!({ "jobs": [{ "iops": 7.5 }], "figures": [{ "key": "a", "value": 1 }, { "key": "b.c", "value": 2 }] });
        assert_eq!(
            find(&json, "/jobs/0/iops").unwrap().to_bits(),
            7.5_f64.to_bits()
        );
        assert_eq!(
            find(&json, "/figures[key=b.c]/value").unwrap().to_bits(),
            2.0_f64.to_bits()
        );
        assert!(find(&json, "/figures[key=d]/value").is_err());
    }

    #[test]
    fn a_value_is_held_against_another_and_against_bounds() {
        let kept = BTreeMap::from([("ours".to_string(), 105.0), ("theirs".to_string(), 100.0)]);
        let step = |within, between| FullStep {
            value: Some("ours".to_string()),
            like: Some("theirs".to_string()),
            within,
            between,
            ..FullStep::default()
        };
        assert!(judge(&step(0.06, None), &kept).is_ok());
        assert!(judge(&step(0.04, None), &kept).is_err());
        assert!(judge(&step(0.0, Some([100.0, 110.0])), &kept).is_ok());
        assert!(judge(&step(0.0, Some([0.0, 100.0])), &kept).is_err());
    }
}
