//! The text of AS SSD Benchmark 1 and 2, in its views of MB/s and of IOPS.
//!
//! The tests are those of the method `as-ssd`. What it prints as MB is 2^20 bytes: its MB/s and IOPS of a row differ by
//! exactly 16 and 256. Numbers have the decimal point of the computer's language. In the view of IOPS the access time is a
//! rate of accesses, under `512B`. How large the test file was (1 to 10 GB) is not in the text. Known from pasted texts.

use base::message::Message;
use base::result::Better;

use crate::Outcome;
use crate::error::ImportError;
use crate::imported::{Imported, Same, When, figure, nothing_stated, valued};
use crate::number::Decimal;
use crate::text::Text;

const TOOL: &str = "AS SSD Benchmark";

const METHOD: Same = Same {
    method: "as-ssd",
    title: "AS SSD Benchmark",
    title_ja: "AS SSD Benchmark",
    version: 2,
};

/// The sections: heading without its colon, and the method's key.
const SECTIONS: [(&str, &str); 7] = [
    ("Sequential", "seq"),
    ("16MB", "seq"),
    ("4K", "4k"),
    ("4K-64Threads", "4k-64thrd"),
    ("Access Times", "access"),
    ("512B", "access"),
    ("Score", "score"),
];

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    let heading = text.head(1).next().unwrap_or_default();
    let Some(version) = heading.strip_prefix("AS SSD Benchmark ") else {
        return Ok(None);
    };
    let mut imported = Imported::of(TOOL);
    imported.version = Some(version.trim().to_owned());
    imported.same = METHOD;
    // The size of the test file is a setting of the method.
    imported.alike = Some(results::imported::NOT_STATED.to_owned());
    let mut section = None;
    for (number, line) in text.lines().skip(1) {
        let named = SECTIONS
            .iter()
            .find(|(title, _)| *title == line.trim_end_matches(':'));
        if let Some((_, key)) = named {
            section = Some(*key);
        } else if let Some((label, value)) = line.split_once(':') {
            match section {
                None => about(&mut imported, label, value.trim()),
                Some(section) => add(&mut imported, section, label, value.trim())
                    .ok_or_else(|| layout(number, "a figure of another form"))?,
            }
        }
    }
    if imported.figures.is_empty() {
        return Err(layout(1, "no test has a figure"));
    }
    let tool = [("tool", TOOL.into())];
    imported
        .notes
        .push(Message::new("note-import-mib-named-mb", tool));
    imported.lacks(&[
        "import-what-state",
        "import-what-fill",
        "import-what-settings",
        "import-what-runs",
        "import-what-file-system",
        "import-what-temperature",
        "import-what-distribution",
    ]);
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}

/// The lines above the first section.
fn about(imported: &mut Imported, label: &str, value: &str) {
    let value = value.to_owned();
    match label.trim() {
        "Name" => {
            imported.identity.insert("model".to_owned(), value);
        }
        "Firmware" => {
            imported.identity.insert("firmware".to_owned(), value);
        }
        "Controller" => {
            imported.host.insert("driver".to_owned(), value);
        }
        "Date" => imported.when = When::Local(value),
        "Offset" if value.ends_with("BAD") => {
            let offset = [("tool", TOOL.into()), ("offset", (&*value).into())];
            let note = Message::new("note-import-misaligned", offset);
            imported.notes.push(note);
            imported.set("offset", value);
        }
        other => imported.set(&other.to_lowercase(), value),
    }
}

/// `Read: 2711.40 MB/s` of a section.
fn add(imported: &mut Imported, section: &str, label: &str, value: &str) -> Option<()> {
    let (number, unit) = value.split_once(' ').unwrap_or((value, ""));
    let number = decimal(number)?;
    // The unit of the figure, and the end of its key.
    let (unit, suffix) = match (section, unit.trim()) {
        ("score", "") => ("points", ""),
        ("access", "ms") => ("ms", ""),
        ("seq" | "4k" | "4k-64thrd", "MB/s") => ("MiB/s", ""),
        ("seq" | "4k" | "4k-64thrd" | "access", "iops") => ("IOPS", ".iops"),
        _ => return None,
    };
    let direction = match label.trim() {
        "Read" => "read",
        "Write" => "write",
        "Total" if section == "score" => "total",
        _ => return None,
    };
    let by = nothing_stated();
    let made = Message::new("made-by-tool", [("tool", TOOL.into())]);
    let key = format!("{section}.{direction}{suffix}");
    let mut figure = figure(key, unit, made, 1, &by);
    if section == "score" {
        figure.better = Better::Higher;
    }
    imported.figures.push(valued(figure, number, 1, 1));
    Some(())
}

/// A number with a point or a comma before its decimals; with both nobody can say which it is.
fn decimal(text: &str) -> Option<Decimal> {
    match (text.contains('.'), text.contains(',')) {
        (true, true) => None,
        (false, true) => Decimal::read(&text.replace(',', ".")),
        _ => Decimal::read(text),
    }
}
