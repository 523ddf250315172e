//! KDiskMark's text, versions 2 and 3.
//!
//! It looks like CrystalDiskMark's, and fio measures. Its heading says that an MB has 1,000,000 bytes, and it prints fio's
//! KiB/s divided by 1000: an MB is 1,024,000 bytes, as its own IOPS show. How it makes one number of several runs and
//! threads differs from CrystalDiskMark, so it is no method's. Source: the program's own, `mainwindow.cpp`.

use base::message::Message;
use base::result::Comparable;

use crate::Outcome;
use crate::crystaldiskmark_lines::{
    Conditions, Data, Measured, Test, begins_a_test, column, conditions, measured,
};
use crate::error::ImportError;
use crate::imported::{Imported, When, figure, valued};
use crate::number::Decimal;
use crate::text::Text;

const TOOL: &str = "KDiskMark";

/// Bytes of what it calls an MB.
const MB: u64 = 1_024_000;

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    let Some(heading) = text
        .head(2)
        .find_map(|line| line.strip_prefix("KDiskMark ("))
    else {
        return Ok(None);
    };
    let (version, _) = heading
        .split_once(')')
        .ok_or_else(|| layout(1, "no version"))?;
    if !version.starts_with(['2', '3']) {
        return Err(layout(1, "a version other than 2 and 3"));
    }
    let conditions = conditions(text, TOOL)?;
    let mut imported = Imported::of(TOOL);
    imported.version = Some(version.to_owned());
    let mut under = None;
    for (number, line) in text.lines() {
        under = column(line).or(under);
        if !begins_a_test(line.trim()) {
            continue;
        }
        let line = measured(line).ok_or_else(|| layout(number, "a test without its rate"))?;
        let test = Test::read(line.name).ok_or_else(|| layout(number, "a test of another form"))?;
        let column = under
            .as_deref()
            .ok_or_else(|| layout(number, "a test under no heading"))?;
        let by = comparable(&conditions, column != "read", test);
        add(
            &mut imported,
            &format!("{}.{column}", test.key()),
            line,
            conditions.runs,
            &by,
        );
    }
    if imported.figures.is_empty() {
        return Err(layout(1, "no test has a rate"));
    }
    state(text, &conditions, &mut imported);
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}

fn add(imported: &mut Imported, key: &str, line: Measured, runs: u64, by: &Comparable) {
    let all: [(&str, &str, Option<Decimal>, u64, u64); 3] = [
        ("", "MB/s", Some(line.rate), MB, 1_000_000),
        (".iops", "IOPS", line.iops, 1, 1),
        (".latency", "us", line.latency, 1, 1),
    ];
    for (name, unit, number, many, of) in all {
        if let Some(number) = number {
            let made = [("tool", TOOL.into()), ("n", runs.into())];
            let made = Message::new("made-by-tool-of-runs", made);
            let figure = figure(format!("{key}{name}"), unit, made, runs, by);
            imported.figures.push(valued(figure, number, many, of));
        }
    }
}

fn comparable(by: &Conditions, writes: bool, test: Test) -> Comparable {
    let data = match (writes, by.data) {
        (false, _) => Message::default(),
        (true, Data::Zeros) => Message::of("data-zeros"),
        (true, _) => crate::imported::not_stated(),
    };
    Comparable {
        span: by.span().said(),
        data,
        alignment: test.size.to_string(),
        ..Comparable::default()
    }
}

/// Settings, drive and computer as far as the file has them.
fn state(text: &Text, by: &Conditions, imported: &mut Imported) {
    imported.set("size", &*by.size_text);
    imported.set("runs", by.runs.to_string());
    for (key, seconds) in [("time", by.measure), ("pause", by.interval)] {
        if let Some(seconds) = seconds {
            imported.set(key, format!("{seconds}s"));
        }
    }
    if let Some(profile) = by.profile {
        imported.set("profile", profile);
    }
    let engine = text.head(3).find_map(|line| line.split_once("(fio-"));
    if let Some((version, _)) = engine.and_then(|(_, rest)| rest.split_once(')')) {
        imported.set("engine", format!("fio {version}"));
    }
    if let Some(system) = by.system {
        imported.host.insert("system".to_owned(), system.to_owned());
    }
    imported.when = by
        .date
        .map_or(When::NotStated, |date| When::Local(date.to_owned()));
    // `/mnt/example 12.50/931.00 GiB [EXAMPLE SSD 1TB]`.
    match by.target {
        Some(target) => {
            let (volume, model) = target.split_once('[').unwrap_or((target, ""));
            imported
                .identity
                .insert("volume".to_owned(), volume.trim().to_owned());
            let model = model.trim_end_matches(']').trim();
            if !model.is_empty() {
                imported
                    .identity
                    .insert("model".to_owned(), model.to_owned());
            }
        }
        None => imported.lacks(&["import-what-drive", "import-what-fill"]),
    }
    imported.lacks(&[
        "import-what-state",
        "import-what-data",
        "import-what-link",
        "import-what-file-system",
        "import-what-temperature",
        "import-what-distribution",
    ]);
    imported.notes.push(Message::of("note-import-kdiskmark-mb"));
}
