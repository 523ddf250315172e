//! Writes fitted values into a catalogue file: a value's number is replaced, everything else stays unchanged. A value
//! that does not say how it was found says so from then on: `by = "calibrate"`, next to its facts and bounds.

use std::path::{Path, PathBuf};

use base::whole_file;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Key, Table, Value};

use crate::error::AccuracyError;
use lab::LabError;
use lab::whole_file::write_whole;
use results::calibration::FittedParameter;
use results::rated::RatedParameter;

/// Writes values into a file.
pub(super) fn write(path: &str, parameters: &[&FittedParameter]) -> Result<PathBuf, AccuracyError> {
    let path = PathBuf::from(path);
    let failed = |source| LabError::File {
        path: path.clone(),
        source,
    };
    let text = whole_file::text(&path, sim::catalogue::MOST_TEXT).map_err(failed)?;
    let text = with_values(&path, &text, parameters)?;
    write_whole(&path, text.as_bytes()).map_err(failed)?;
    Ok(path)
}

/// Writes values required by rated figures into a drive's own file; the kind's values are added above them.
pub(super) fn write_rated(
    path: &str,
    parameters: &[RatedParameter],
) -> Result<PathBuf, AccuracyError> {
    let path = PathBuf::from(path);
    let failed = |source| LabError::File {
        path: path.clone(),
        source,
    };
    let text = whole_file::text(&path, sim::catalogue::MOST_TEXT).map_err(failed)?;
    let wrong = |what: String| AccuracyError::Calibrate(format!("{}: {what}", path.display()));
    let mut document: DocumentMut = text.parse().map_err(|e| wrong(format!("{e}")))?;
    for parameter in parameters {
        let facts = [format!("rated.{}", parameter.figure)];
        let to = FittedTo {
            by: "rated",
            facts: &facts,
            why: "what the data sheet rates, within what its kind has",
        };
        let value = (parameter.after, parameter.whole);
        put(&mut document, &parameter.key, value, parameter.within, &to)
            .ok_or_else(|| wrong(format!("{} is no section of values", parameter.key)))?;
    }
    write_whole(&path, document.to_string().as_bytes()).map_err(failed)?;
    Ok(path)
}

/// What a value was fitted to, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FittedTo<'a> {
    /// The word of a drive's file for the kind of fit.
    pub(crate) by: &'static str,
    /// The figures or results.
    pub(crate) facts: &'a [String],
    pub(crate) why: &'a str,
}

/// Puts a value (and whether it is whole) with its source in its section, which is made where the file has none.
pub(crate) fn put(
    document: &mut DocumentMut,
    key: &str,
    (value, whole): (f64, bool),
    within: [f64; 2],
    to: &FittedTo<'_>,
) -> Option<()> {
    let value = match whole {
        true => Value::from(value as i64),
        false => Value::from(value),
    };
    let within: Array = within.into_iter().collect();
    let facts: Array = to.facts.iter().map(String::as_str).collect();
    let mut sourced = InlineTable::new();
    sourced.insert("value", value);
    sourced.insert("source", "fitted".into());
    sourced.insert("by", to.by.into());
    sourced.insert("within", Value::Array(within));
    sourced.insert("facts", Value::Array(facts));
    sourced.insert("why", to.why.into());
    put_sourced(document, key, sourced)
}

/// Puts a value that was chosen, and why.
pub(crate) fn put_chosen(document: &mut DocumentMut, key: &str, on: bool, why: &str) -> Option<()> {
    let mut sourced = InlineTable::new();
    sourced.insert("value", on.into());
    sourced.insert("source", "estimated".into());
    sourced.insert("why", why.into());
    put_sourced(document, key, sourced)
}

/// Puts a whole value that a search may move within a range, as a kind gives it.
pub(crate) fn put_open(
    document: &mut DocumentMut,
    key: &str,
    value: i64,
    within: [f64; 2],
    why: &str,
) -> Option<()> {
    let mut sourced = InlineTable::new();
    sourced.insert("value", value.into());
    sourced.insert("source", "class".into());
    sourced.insert("within", Value::Array(within.into_iter().collect()));
    sourced.insert("why", why.into());
    put_sourced(document, key, sourced)
}

fn put_sourced(document: &mut DocumentMut, key: &str, sourced: InlineTable) -> Option<()> {
    let (section, name) = key.rsplit_once('.')?;
    let mut table = document.as_table_mut();
    for part in section.split('.') {
        let inner = table.entry(part).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        table = inner.as_table_mut()?;
    }
    table.set_implicit(false);
    table.insert(name, Item::Value(Value::InlineTable(sourced)));
    Some(())
}

/// The text with the values in it.
fn with_values(
    path: &Path,
    text: &str,
    parameters: &[&FittedParameter],
) -> Result<String, AccuracyError> {
    let wrong = |what: String| AccuracyError::Calibrate(format!("{}: {what}", path.display()));
    let mut document: DocumentMut = text.parse().map_err(|e| wrong(format!("{e}")))?;
    for parameter in parameters {
        let root = document.as_item_mut();
        let place = parameter
            .key
            .split('.')
            .try_fold(root, |item, key| item.get_mut(key));
        let place = place.and_then(Item::as_inline_table_mut);
        let place = place.ok_or_else(|| wrong(format!("there is no {}", parameter.key)))?;
        if !parameter.says_by {
            say_by(place, parameter.by);
        }
        let value = place.get_mut("value");
        let value = value.ok_or_else(|| wrong(format!("{} has no value", parameter.key)))?;
        let decor = value.decor().clone();
        *value = match parameter.step {
            Some(_) => Value::from(parameter.after as i64),
            None => Value::from(parameter.after),
        };
        *value.decor_mut() = decor;
    }
    Ok(document.to_string())
}

/// Records how a value was found, after its source.
fn say_by(table: &mut InlineTable, by: &str) {
    let order = |key: &Key| {
        let keys = [
            "value", "unit", "step", "source", "by", "within", "facts", "why",
        ];
        keys.iter().position(|known| key.get() == *known)
    };
    table.insert("by", by.into());
    table.sort_values_by(|a, _, b, _| order(a).cmp(&order(b)));
    table.fmt();
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A drive.\n[ssd.link] # its link\nread_mb_s = { value = 544.49, source = \"fitted\" } # read\n\n[ssd.nand]\ndies   = { value = 48, source = \"fitted\", by = \"calibrate\" }\n";

    fn parameter(key: &str, after: f64, step: Option<u32>) -> FittedParameter {
        FittedParameter {
            file: "drive.toml".to_owned(),
            key: key.to_owned(),
            before: 0.0,
            after,
            within: [0.0, 1000.0],
            at_bound: false,
            by: "calibrate",
            facts: Vec::new(),
            says_by: true,
            step,
        }
    }

    #[test]
    fn a_number_is_replaced_and_every_comment_stays() {
        let link = parameter("ssd.link.read_mb_s", 543.0, None);
        let dies = parameter("ssd.nand.dies", 47.0, Some(1));
        let path = Path::new("drive.toml");
        let text = with_values(path, TEXT, &[&link, &dies]).unwrap();
        assert_eq!(text, TEXT.replace("544.49", "543.0").replace("48", "47"));
        let again = with_values(path, &text, &[&link, &dies]).unwrap();
        assert_eq!(again, text);
    }

    #[test]
    fn a_value_that_does_not_say_how_it_was_found_says_so_behind_its_source() {
        let mut link = parameter("ssd.link.read_mb_s", 543.0, None);
        link.says_by = false;
        let text = "[ssd.link]\n# Read.\nread_mb_s = { value = 1.5, source = \"fitted\", why = \"x\" } # read\n";
        let path = Path::new("drive.toml");
        let written = with_values(path, text, &[&link]).unwrap();
        let said = text.replace("1.5", "543.0");
        let said = said.replace("\"fitted\"", "\"fitted\", by = \"calibrate\"");
        assert_eq!(written, said);
    }

    #[test]
    fn a_value_that_is_not_there_is_named() {
        let nothing = parameter("ssd.link.speed", 1.0, None);
        let error = with_values(Path::new("drive.toml"), TEXT, &[&nothing]).unwrap_err();
        assert_eq!(error.to_string(), "drive.toml: there is no ssd.link.speed");
    }
}
