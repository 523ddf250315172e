//! Backblaze's drive days: a line a drive and day, with whether it failed that day.
//!
//! Columns differ from quarter to quarter, so they are found by name. Lines are counted by model: drive days and failures.
//! No rate is formed, since one day's file has too few failures for it; no speed is measured. `capacity_bytes` is -1 where
//! the drive did not say it.

use std::collections::BTreeMap;

use base::message::Message;

use crate::Outcome;
use crate::error::ImportError;
use crate::imported::{Imported, When, figure, nothing_stated};
use crate::text::Text;

const TOOL: &str = "Backblaze drive stats";

/// How the first line begins, in every quarter.
const HEADING: &str = "date,serial_number,model,capacity_bytes,failure";
/// More models than any operator has.
const MOST_MODELS: usize = 10_000;

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    if !text.head(1).any(|line| line.starts_with(HEADING)) {
        return Ok(None);
    }
    let mut rows = csv::ReaderBuilder::new().from_reader(text.as_str().as_bytes());
    let mut counts = BTreeMap::<String, (u64, u64)>::new();
    let (mut first, mut last) = (String::new(), String::new());
    let mut row = csv::StringRecord::new();
    loop {
        let line = rows.position().line() as usize;
        match rows.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => break,
            Err(why) => return Err(layout(line, &why.to_string())),
        }
        let (date, model, failure) = (&row[0], row[2].trim(), &row[4]);
        let failed = match failure {
            "0" => 0,
            "1" => 1,
            _ => return Err(layout(line, "a failure that is neither 0 nor 1")),
        };
        if first.is_empty() || date < &*first {
            first = date.to_owned();
        }
        if date > &*last {
            last = date.to_owned();
        }
        if !counts.contains_key(model) && counts.len() == MOST_MODELS {
            return Err(layout(line, "more than 10000 models"));
        }
        let (days, failures) = counts.entry(model.to_owned()).or_default();
        *days += 1;
        *failures += failed;
    }
    if counts.is_empty() {
        return Err(layout(1, "no drive"));
    }
    let mut imported = Imported::of(TOOL);
    imported.when = When::Local(match first == last {
        true => first,
        false => format!("{first} to {last}"),
    });
    for (model, (days, failures)) in counts {
        for (name, count) in [("drive-days", days), ("failures", failures)] {
            let by = nothing_stated();
            let mut figure = figure(format!("{model}.{name}"), "count", "count", days, &by);
            figure.value = Some(count as f64);
            imported.figures.push(figure);
        }
    }
    imported.notes.push(Message::of("note-import-drive-days"));
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}
