//! fio's logs of bandwidth, IOPS and latencies: a line an I/O, or a mean an interval.
//!
//! `time in ms, value, direction, block size[, offset[, priority]]`. The file does not say what the value is (KiB a second, a
//! count, nanoseconds; only the name of the file tells), so it keeps no unit. A line of an average has a block size of 0.
//! Logs of histograms need the coarseness that they were written with, which is in no file: they are not taken. Source:
//! fio's `HOWTO`, "Log File Formats".

use base::message::Message;

use crate::Outcome;
use crate::error::ImportError;
use crate::imported::{Imported, figure, nothing_stated};
use crate::text::Text;

const TOOL: &str = "fio (log)";

/// Lines that must be of this form, so that the file is taken for a log.
const HEAD: usize = 3;
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];

/// A line.
struct Entry {
    value: u64,
    direction: usize,
    is_average: bool,
}

impl Entry {
    fn read(line: &str) -> Option<Entry> {
        let mut fields = line.split(", ");
        let mut number = || fields.next()?.trim().parse::<u64>().ok();
        let (_, value, direction, size) = (number()?, number()?, number()?, number()?);
        let rest = fields.map(|field| field.trim().parse::<u64>());
        let rest: Vec<u64> = rest.collect::<Result<_, _>>().ok()?;
        (rest.len() <= 2).then_some(Entry {
            value,
            direction: usize::try_from(direction)
                .ok()
                .filter(|d| *d < DIRECTIONS.len())?,
            is_average: size == 0,
        })
    }
}

/// Lines, their sum and the greatest of one direction.
#[derive(Clone, Copy, Default)]
struct Sum {
    lines: u64,
    sum: u128,
    greatest: u64,
}

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    if !text.head(HEAD).all(|line| Entry::read(line).is_some()) {
        return Ok(None);
    }
    let mut sums = [Sum::default(); DIRECTIONS.len()];
    let mut is_average = false;
    for (number, line) in text.lines().filter(|(_, line)| !line.trim().is_empty()) {
        let entry = Entry::read(line).ok_or_else(|| {
            let what = "a line other than time, value, direction, size";
            ImportError::layout(TOOL, number, what)
        })?;
        let sum = &mut sums[entry.direction];
        sum.lines += 1;
        sum.sum += u128::from(entry.value);
        sum.greatest = sum.greatest.max(entry.value);
        is_average |= entry.is_average;
    }
    let mut imported = Imported::of(TOOL);
    for (direction, sum) in DIRECTIONS.iter().zip(sums).filter(|(_, sum)| sum.lines > 0) {
        let mean = sum.sum as f64 / sum.lines as f64;
        let all = [
            ("lines", "count", "count", sum.lines as f64),
            ("value.mean", "", "mean", mean),
            ("value.max", "", "max", sum.greatest as f64),
        ];
        for (name, unit, statistic, value) in all {
            let by = nothing_stated();
            let mut figure = figure(
                format!("{direction}.{name}"),
                unit,
                statistic,
                sum.lines,
                &by,
            );
            figure.value = Some(value);
            imported.figures.push(figure);
        }
    }
    imported.notes.push(Message::of("note-import-log-unit"));
    if is_average {
        imported.notes.push(Message::of("note-import-log-averaged"));
    }
    imported.lacks(&[
        "import-what-settings",
        "import-what-drive",
        "import-what-state",
        "import-what-host",
        "import-what-date",
    ]);
    Ok(Some(imported))
}
