//! The benchmark text of HD Tune (free).
//!
//! Three rates of the transfer curve, access time and burst rate, of reads. It writes `MB/sec` and does not say how many
//! bytes an MB has, so the rates keep that unit and stand beside no others. The points of the curve are not in the text. The
//! heading has the drive's model and no version. Known from pasted texts alone.

use base::message::Message;
use base::result::Comparable;

use crate::Outcome;
use crate::error::ImportError;
use crate::imported::{Imported, figure, not_stated, valued};
use crate::number::Decimal;
use crate::text::Text;

const TOOL: &str = "HD Tune";

/// The lines: label, unit, key and statistic.
#[rustfmt::skip]
const LINES: [(&str, &str, &str, &str); 5] = [
    ("Transfer Rate Minimum", "MB/sec", "read.min", "made-least-point"),
    ("Transfer Rate Maximum", "MB/sec", "read.max", "made-greatest-point"),
    ("Transfer Rate Average", "MB/sec", "read.mean", "made-mean-point"),
    ("Access Time", "ms", "read.access-time", "made-by-tool"),
    ("Burst Rate", "MB/sec", "read.burst", "made-by-tool"),
];

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    let heading = text.head(1).next().unwrap_or_default();
    let Some(model) = heading
        .strip_prefix("HD Tune: ")
        .and_then(|rest| rest.strip_suffix("Benchmark"))
    else {
        return Ok(None);
    };
    let mut imported = Imported::of(TOOL);
    imported
        .identity
        .insert("model".to_owned(), model.trim().to_owned());
    let by = Comparable {
        span: not_stated(),
        alignment: not_stated().as_str().to_owned(),
        ..Comparable::default()
    };
    for (label, unit, key, made) in LINES {
        let of_label = |line: &str| {
            let (before, value) = line.split_once(':')?;
            (before.trim() == label).then_some(value.trim().to_owned())
        };
        let found = text
            .lines()
            .find_map(|(number, line)| Some((number, of_label(line)?)));
        let last = text.lines().count();
        let (line, value) =
            found.ok_or_else(|| layout(last, &format!("the line {label} is missing")))?;
        let number = value
            .strip_suffix(unit)
            .map(str::trim)
            .and_then(Decimal::read);
        let number = number.ok_or_else(|| layout(line, &format!("no number in {unit}")))?;
        let made = match made {
            "made-by-tool" => Message::new("made-by-tool", [("tool", TOOL.into())]),
            made => Message::of(made),
        };
        imported.figures.push(valued(
            figure(key.to_owned(), unit, made, 1, &by),
            number,
            1,
            1,
        ));
    }
    imported.notes.push(Message::new(
        "note-import-mb-unknown",
        [("tool", TOOL.into())],
    ));
    imported.lacks(&[
        "import-what-state",
        "import-what-fill",
        "import-what-settings",
        "import-what-runs",
        "import-what-host",
        "import-what-date",
        "import-what-distribution",
    ]);
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}
