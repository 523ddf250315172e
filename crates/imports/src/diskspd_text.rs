//! DiskSpd's text results, versions 2.0 and later.
//!
//! Each time span has tables of total, reads and writes, with a row a thread and a line of their sum. The sum has bytes and
//! I/Os, of which rates are made over the measured seconds, as of the XML: the column of MiB/s, which versions up to
//! 2.0.17 head with `MB/s`, has two decimals alone. Columns differ with the options and are found by their headings.
//! Latencies are milliseconds. Everything that was asked for is there, and the computer's name; the drive and the
//! version are not. A score of CrystalDiskMark may follow. Source: `ResultParser.cpp`.

use base::result::{Comparable, alike};

use crate::Outcome;
use crate::diskspd::{JOBS, TOOL, utc};
use crate::error::ImportError;
use crate::imported::{Imported, When, figure, numbered};
use crate::number::Decimal;
use crate::text::Text;

/// The rows of the latency distribution that are taken, with the end of the key and the statistic's word.
const PERCENTILES: [(&str, &str, &str); 4] = [
    ("50th", ".median", "median"),
    ("99th", ".p99", "p99"),
    ("3-nines", ".p99.9", "p99.9"),
    ("max", ".worst", "max"),
];

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    let mut head = text.head(4);
    if !head.any(|line| line.starts_with("Command Line:"))
        || !text.head(8).any(|line| line == "Input parameters:")
    {
        return Ok(None);
    }
    let mut imported = Imported::of(TOOL);
    imported.same = JOBS;
    about(text, &mut imported);
    let mut span = Span::default();
    for (number, line) in text.lines() {
        span.line(line, &mut imported)
            .ok_or_else(|| layout(number, "a line of another form"))?;
    }
    if imported.figures.is_empty() {
        return Err(layout(1, "no time span has an I/O"));
    }
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}

/// What was asked for, the computer and the date: what stands above the first result.
fn about(text: &Text, imported: &mut Imported) {
    let mut asked = String::new();
    let mut is_asked = true;
    let above = text.lines().map(|(_, line)| line);
    for line in above.take_while(|line| !line.starts_with("Results for timespan")) {
        let (label, value) = match line.trim().split_once(':') {
            Some((label, value)) => (label.trim(), value.trim()),
            None => (line.trim(), ""),
        };
        match label {
            "System information" => is_asked = false,
            "computer name" => {
                imported
                    .host
                    .insert("computer".to_owned(), value.to_owned());
            }
            "start time" => {
                imported.when = utc(value).unwrap_or_else(|| When::Local(value.to_owned()));
            }
            "path" if imported.target.is_empty() => {
                imported.target = value.trim_matches('\'').to_owned();
            }
            "Command Line" => imported.set("command line", value),
            _ if is_asked && line.starts_with('\t') => {
                asked.push_str(&format!("{label}={value}\n"));
                if !value.is_empty() {
                    imported.set(label, value);
                }
            }
            _ => {}
        }
    }
    imported.alike = Some(alike("parameters of DiskSpd", &asked));
    imported.lacks(&[
        "import-what-state",
        "import-what-fill",
        "import-what-drive",
        "import-what-file-system",
        "import-what-temperature",
    ]);
}

/// Where in a time span the reader is.
#[derive(Default)]
struct Span {
    /// Its number; 0 above the first.
    number: u32,
    seconds: Option<Decimal>,
    /// The direction of the present table, and which of its columns the latency is.
    table: Option<(&'static str, Option<usize>)>,
    /// I/Os read and written.
    counts: [u64; 2],
    /// Whether the present table is the distribution.
    is_distribution: bool,
}

impl Span {
    /// Takes a line; nothing where it is not what its place asks for.
    fn line(&mut self, line: &str, imported: &mut Imported) -> Option<()> {
        let begins = line.starts_with("Results for timespan");
        if self.number == 0 && !begins {
            return Some(());
        }
        if begins {
            *self = Span {
                number: self.number + 1,
                ..Span::default()
            };
        } else if let Some(time) = line.strip_prefix("actual test time:") {
            self.seconds = Some(seconds(time)?);
        } else if let Some(direction) = direction_of(line) {
            self.table = Some((direction, None));
        } else if line.contains("%-ile") {
            self.is_distribution = true;
        } else if self.is_distribution {
            return self.percentile(line, imported);
        } else if let Some((_, latency)) = &mut self.table {
            let mut columns = line.split('|').map(str::trim);
            if line.starts_with("thread |") {
                *latency = columns.position(|column| column == "AvgLat");
            } else if let Some(sum) = line.strip_prefix("total:") {
                return self.sum(sum, imported);
            }
        }
        Some(())
    }

    fn key(&self, direction: &str, suffix: &str) -> String {
        format!("timespan-{}.{direction}{suffix}", self.number)
    }

    /// The line of a table that sums its threads: bytes, I/Os, MiB/s, I/Os a second, then what the options ask for.
    fn sum(&mut self, sum: &str, imported: &mut Imported) -> Option<()> {
        let (direction, latency) = self.table.take()?;
        let cells: Vec<&str> = sum.split('|').map(str::trim).collect();
        let bytes: u64 = cells.first()?.parse().ok()?;
        let count: u64 = cells.get(1)?.parse().ok()?;
        let seconds = self.seconds?;
        match direction {
            "read" => self.counts[0] = count,
            "write" => self.counts[1] = count,
            _ => return Some(()),
        }
        if count == 0 {
            return Some(());
        }
        let by = Comparable::default();
        for (suffix, unit, amount, of) in
            [("", "MB/s", bytes, 1_000_000), (".iops", "IOPS", count, 1)]
        {
            let mut figure = figure(self.key(direction, suffix), unit, "mean", count, &by);
            figure.value = seconds.under(amount, of);
            imported.figures.push(figure);
        }
        // The sum has no cell for the thread.
        if let Some(cell) = latency.and_then(|column| cells.get(column.checked_sub(1)?)) {
            let mean = figure(self.key(direction, ".latency"), "us", "mean", count, &by);
            let mean = numbered(mean, Decimal::read(cell)?, 1_000, 1);
            imported.figures.push(mean);
        }
        Some(())
    }

    /// A row of the distribution: `99th | read ms | write ms | total ms`.
    fn percentile(&self, line: &str, imported: &mut Imported) -> Option<()> {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let taken = PERCENTILES.iter().find(|(row, _, _)| *row == cells[0]);
        let Some((_, suffix, statistic)) = taken else {
            return Some(());
        };
        let by = Comparable::default();
        for (place, direction) in [(1, "read"), (2, "write")] {
            let count = self.counts[place - 1];
            if count == 0 {
                continue;
            }
            let time = Decimal::read(cells.get(place)?)?;
            let made = figure(self.key(direction, suffix), "us", *statistic, count, &by);
            imported.figures.push(numbered(made, time, 1_000, 1));
        }
        Some(())
    }
}

/// `30.01s`, more than none.
fn seconds(text: &str) -> Option<Decimal> {
    let seconds = Decimal::read(text.trim().strip_suffix('s')?)?;
    (!seconds.is_zero() && !seconds.is_negative()).then_some(seconds)
}

/// The heading of a table.
fn direction_of(line: &str) -> Option<&'static str> {
    match line.trim_end() {
        "Total IO" => Some("total"),
        "Read IO" => Some("read"),
        "Write IO" => Some("write"),
        _ => None,
    }
}
