//! Iometer's results file (CSV), versions 2004 to 1.1.0.
//!
//! A line that begins with an apostrophe is a heading, and values follow it; tests stand one behind the other. The row ALL of
//! a test has the figures of all managers, and rows must not be added up. Columns are found by name: 1.1.0 has MiB and MB a
//! second, older versions one `MBps` that does not say what it is, and is taken where IOPS and bytes show that it has 2^20
//! bytes. Response times are ms. Access
//! specifications have names of their own, so the tests are no method's. Source: Iometer's own, `ManagerList.cpp`.

use base::message::Message;
use base::result::Comparable;

use crate::Outcome;
use crate::error::ImportError;
use crate::imported::{Imported, When, figure, not_stated, nothing_stated, valued};
use crate::number::Decimal;
use crate::text::Text;

const TOOL: &str = "Iometer";

/// Columns that become figures: name, key behind the test's, unit, statistic.
const COLUMNS: [(&str, &str, &str, &str); 13] = [
    ("IOps", "all.iops", "IOPS", "mean"),
    ("Read IOps", "read.iops", "IOPS", "mean"),
    ("Write IOps", "write.iops", "IOPS", "mean"),
    ("MBps (Decimal)", "all", "MB/s", "mean"),
    ("Read MBps (Decimal)", "read", "MB/s", "mean"),
    ("Write MBps (Decimal)", "write", "MB/s", "mean"),
    ("Average Response Time", "all.latency", "ms", "mean"),
    ("Average Read Response Time", "read.latency", "ms", "mean"),
    ("Average Write Response Time", "write.latency", "ms", "mean"),
    ("Maximum Response Time", "all.worst", "ms", "max"),
    ("Maximum Read Response Time", "read.worst", "ms", "max"),
    ("Maximum Write Response Time", "write.worst", "ms", "max"),
    ("Errors", "errors", "count", "count"),
];
/// The rates of older versions: columns and keys.
const RATES_OF_BEFORE: [(&str, &str); 3] = [
    ("MBps", "all"),
    ("Read MBps", "read"),
    ("Write MBps", "write"),
];
/// How far a rate may be from what IOPS and bytes make of it: all three are written with six decimals.
const ROUNDED: f64 = 1e-3;
/// A file to which every run was appended.
const MOST_TESTS: usize = 10_000;

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    if !text.head(1).any(|line| line.starts_with("'Test Type,")) {
        return Ok(None);
    }
    let mut imported = Imported::of(TOOL);
    let (mut heading, mut columns, mut tests) = ("", Vec::new(), 0);
    for (number, line) in text.lines() {
        if let Some(rest) = line.strip_prefix('\'') {
            heading = rest;
            if rest.starts_with("Target Type,") {
                columns = rest.split(',').map(str::trim).collect();
            }
            continue;
        }
        match heading.split(',').next() {
            Some("Version") => imported.version = Some(line.trim().to_owned()),
            Some("Time Stamp") if imported.when == When::NotStated => {
                imported.when = When::Local(line.trim().to_owned());
            }
            Some("Target Type") if line.starts_with("ALL,") => {
                tests += 1;
                if tests > MOST_TESTS {
                    return Err(layout(number, "more than 10000 tests"));
                }
                add_row(&mut imported, &columns, line, tests)
                    .map_err(|what| layout(number, &what))?;
            }
            Some("Target Type") if line.starts_with("DISK,") && imported.target.is_empty() => {
                imported.target = line.split(',').nth(1).unwrap_or_default().trim().to_owned();
            }
            _ => {}
        }
    }
    if imported.figures.is_empty() {
        return Err(layout(text.lines().count(), "no row ALL"));
    }
    imported.notes.push(Message::of("note-import-all-rows"));
    imported.lacks(&[
        "import-what-state",
        "import-what-fill",
        "import-what-data",
        "import-what-link",
        "import-what-file-system",
        "import-what-temperature",
    ]);
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}

/// A row ALL under its headings.
struct Row<'a> {
    columns: &'a [&'a str],
    fields: Vec<&'a str>,
    /// What stands before the keys of its figures: `test-1`.
    test: String,
}

impl Row<'_> {
    fn field(&self, name: &str) -> Option<&str> {
        let at = self.columns.iter().position(|column| *column == name)?;
        let field = self.fields.get(at)?.trim();
        (!field.is_empty()).then_some(field)
    }

    /// How many I/Os of this kind, `Read` or `Write`, there were.
    fn accesses(&self, kind: &str) -> u64 {
        let field = self.field(&format!("{kind} I/Os"));
        field.and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// How many I/Os stand behind a figure.
    fn behind(&self, key: &str) -> u64 {
        match key.split('.').next() {
            Some("read") => self.accesses("Read"),
            Some("write") => self.accesses("Write"),
            _ => self.accesses("Read").saturating_add(self.accesses("Write")),
        }
    }

    /// Whether the rate of an older version is in units of 2^20 bytes: its IOPS times the bytes of an I/O.
    fn has_2_to_the_20(&self) -> bool {
        let number = |name: &str| self.field(name)?.parse::<f64>().ok();
        let expected = || {
            let bytes = number("Bytes Read")? + number("Bytes Written")?;
            let accesses = number("Read I/Os")? + number("Write I/Os")?;
            Some(number("IOps")? * bytes / accesses / f64::from(1 << 20))
        };
        let (Some(rate), Some(expected)) = (number("MBps"), expected()) else {
            return false;
        };
        expected.is_finite() && rate > 0.0 && (rate / expected - 1.0).abs() < ROUNDED
    }
}

/// The figures of a test; names with commas are not quoted, and shift what stands behind them.
fn add_row(
    imported: &mut Imported,
    columns: &[&str],
    line: &str,
    test: usize,
) -> Result<(), String> {
    let row = Row {
        columns,
        fields: line.split(',').collect(),
        test: format!("test-{test}"),
    };
    let (fields, headings) = (row.fields.len(), columns.len());
    if fields != headings {
        return Err(format!("{fields} fields under {headings} headings"));
    }
    let stated = [
        ("specification", "Access Specification Name"),
        ("depth", "Queue Depth"),
        ("start-sector", "Starting Sector"),
        ("sectors", "Maximum Size"),
    ];
    for (setting, column) in stated {
        if let Some(value) = row.field(column) {
            imported.set(&format!("{}.{setting}", row.test), value);
        }
    }
    let by = Comparable {
        data: match row.accesses("Write") {
            0 => Message::default(),
            _ => not_stated(),
        },
        ..nothing_stated()
    };
    add_columns(imported, &row, &by)?;
    if row.has_2_to_the_20() {
        add_rates_of_before(imported, &row, &by);
    }
    Ok(())
}

fn add_columns(imported: &mut Imported, row: &Row, by: &Comparable) -> Result<(), String> {
    for (column, key, unit, statistic) in COLUMNS {
        let n = row.behind(key);
        let Some(text) = row.field(column).filter(|_| n > 0) else {
            continue;
        };
        let number = Decimal::read(text).ok_or_else(|| format!("{column} is no number"))?;
        let mut made = figure(format!("{}.{key}", row.test), unit, statistic, n, by);
        match unit {
            "count" => made.value = number.value(),
            _ => made = valued(made, number, 1, 1),
        }
        imported.figures.push(made);
    }
    Ok(())
}

fn add_rates_of_before(imported: &mut Imported, row: &Row, by: &Comparable) {
    for (column, key) in RATES_OF_BEFORE {
        let n = row.behind(key);
        let number = row.field(column).and_then(Decimal::read);
        if let Some(number) = number.filter(|_| n > 0) {
            let made = figure(format!("{}.{key}", row.test), "MB/s", "mean", n, by);
            imported
                .figures
                .push(valued(made, number, 1 << 20, 1_000_000));
        }
    }
    for key in ["note-import-mib-checked", "note-import-mib-as-mb"] {
        let note = Message::new(key, [("tool", TOOL.into())]);
        if !imported.notes.contains(&note) {
            imported.notes.push(note);
        }
    }
}
