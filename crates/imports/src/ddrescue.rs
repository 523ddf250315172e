//! The map of GNU ddrescue: how many bytes of a drive arrived, and how many could not be read.
//!
//! Comments, a line with the position and status of the pass under way, then position, size and status of each area, in
//! bytes. Source: GNU ddrescue's manual, "Mapfile structure"; before 1.20 the file was called a logfile.

use base::message::Message;

use crate::Outcome;
use crate::error::ImportError;
use crate::imported::{Imported, When, figure, nothing_stated};
use crate::text::Text;

const TOOL: &str = "GNU ddrescue";

/// Signs of areas, and the key of their bytes.
const STATUS: [(&str, &str); 5] = [
    ("+", "copied"),
    ("?", "untried"),
    ("*", "untrimmed"),
    ("/", "unscraped"),
    ("-", "bad"),
];

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    let heading = text.head(1).next().unwrap_or_default();
    let Some((_, version)) = heading.split_once("Created by GNU ddrescue version ") else {
        return Ok(None);
    };
    if !heading.starts_with('#') {
        return Ok(None);
    }
    let mut imported = Imported::of(TOOL);
    imported.version = Some(version.trim().to_owned());
    let mut bytes = [0_u64; STATUS.len()];
    let mut areas = [0_u64; STATUS.len()];
    let mut end = 0_u64;
    let spoken = text
        .lines()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    // The first such line is of the pass under way.
    for (number, line) in spoken.skip(1) {
        let wrong = || layout(number, "an area without position, size and status");
        let (start, size, status) = area(line).ok_or_else(wrong)?;
        // An area that begins before the last one ended, or ends beyond all numbers, is in no map.
        let next = start.checked_add(size).filter(|_| start >= end);
        end = next.ok_or_else(|| layout(number, "areas that are not one behind the other"))?;
        bytes[status] += size;
        areas[status] += 1;
    }
    if end == 0 {
        return Err(layout(text.lines().count(), "no area"));
    }
    for (at, (_, name)) in STATUS.iter().enumerate() {
        for (key, unit, count) in [("bytes", "B", bytes[at]), ("areas", "count", areas[at])] {
            let by = nothing_stated();
            let mut figure = figure(format!("{name}.{key}"), unit, "count", 1, &by);
            figure.value = Some(count as f64);
            imported.figures.push(figure);
        }
    }
    about(text, &mut imported);
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}

/// `0x00100000  0x00010000  *`: position, size, and the place of the status in [`STATUS`].
fn area(line: &str) -> Option<(u64, u64, usize)> {
    let mut words = line.split_whitespace();
    let (start, size, sign) = (words.next()?, words.next()?, words.next()?);
    let status = STATUS.iter().position(|(known, _)| *known == sign)?;
    let rest = words.next().is_none_or(|word| word.starts_with('#'));
    rest.then_some((number(start)?, number(size)?, status))
}

/// Hexadecimal with `0x`, else decimal.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The comments.
fn about(text: &Text, imported: &mut Imported) {
    let comment = |label: &str| {
        let mut lines = text.lines().map(|(_, line)| line);
        let found = lines.find_map(|line| line.strip_prefix("# ")?.strip_prefix(label));
        found.map(|value| value.trim().to_owned())
    };
    if let Some(command) = comment("Command line:") {
        imported.set("command", command);
    }
    match comment("Start time:") {
        Some(start) => imported.when = When::Local(start),
        None => imported.lacks(&["import-what-date"]),
    }
    imported.notes.push(Message::of("note-import-copied"));
    imported.lacks(&["import-what-drive", "import-what-state", "import-what-host"]);
}
