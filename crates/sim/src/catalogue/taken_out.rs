//! What a drive's file cannot be read for, taken out of it, so that the rest can be read.

use std::ops::Range;

use base::nearest::nearest;
use toml::de::{DeTable, DeValue};

use super::words;

/// What was taken out of a file, since it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TakenOut {
    /// Its path: `ssd.nand.dies`.
    pub(super) path: String,
    /// Where it stands.
    pub(super) span: Range<usize>,
    /// What the reader said of it.
    pub(super) said: String,
}

impl TakenOut {
    /// What is wrong with it and what to do.
    pub(super) fn words(&self) -> String {
        let TakenOut { path, said, .. } = self;
        if let Some(fields) = words::fields(said) {
            let own = path.rsplit('.').next().unwrap_or(path);
            let meant = super::error::did_you_mean(&nearest(own, &fields));
            let known = match meant.is_empty() {
                true => format!("; there are {}", fields.join(", ")),
                false => meant,
            };
            return format!("there is no key {path}{known}");
        }
        let said = words::said(said).unwrap_or_else(|| said.clone());
        format!("{path}: {said}")
    }
}

/// Takes the entry whose key or value stands at a place out of a table, however deep: gives its path.
pub(super) fn take_out(table: &mut DeTable<'_>, at: &Range<usize>) -> Option<String> {
    let here = table
        .iter()
        .find(|(key, value)| key.span() == *at || value.span() == *at)
        .map(|(key, _)| key.get_ref().to_string());
    if let Some(key) = here {
        table.remove(key.as_str());
        return Some(key);
    }
    let (above, path, whole) = table.iter_mut().find_map(|(key, value)| {
        let DeValue::Table(inner) = value.get_mut() else {
            return None;
        };
        let path = take_out(inner, at)?;
        // Of a value with its source, what is wrong is part of it: it goes as one.
        let whole = inner.contains_key("source") || inner.contains_key("why");
        Some((key.get_ref().to_string(), path, whole))
    })?;
    if whole {
        table.remove(above.as_str());
        return Some(above);
    }
    Some(format!("{above}.{path}"))
}
