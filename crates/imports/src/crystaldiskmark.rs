//! CrystalDiskMark's text, versions 3 to 9.
//!
//! Version 3 has a line a test and direction; 5 and 6 add depth and threads; from 7 on columns stand one below the other, with
//! the mean latency. MB/s are 10^6 bytes a second in every version; `1000 MB` of a test file are MiB. Versions 8 and 9 make
//! the tests of `crystaldiskmark`, 3 those of `crystaldiskmark-classic`; what 5 to 7 make is no method's. Source: the
//! program's own, `DiskMarkDlg.cpp`.

use base::message::Message;
use base::result::Comparable;

use crate::Outcome;
use crate::crystaldiskmark_lines::{
    Conditions, Data, Measured, Test, begins_a_test, column, conditions, measured, queue_of,
    size_of,
};
use crate::error::ImportError;
use crate::imported::{Imported, Same, When, figure, valued};
use crate::number::Decimal;
use crate::text::Text;

const TOOL: &str = "CrystalDiskMark";

/// Where the heading is looked for.
const HEAD: usize = 4;

/// Versions 8 and 9.
const GRID: Same = Same {
    method: "crystaldiskmark",
    title: "CrystalDiskMark 8/9",
    title_ja: "CrystalDiskMark 8/9",
    version: 2,
};
/// Version 3.
const CLASSIC: Same = Same {
    method: "crystaldiskmark-classic",
    title: "CrystalDiskMark 3 (classic)",
    title_ja: "CrystalDiskMark 3 (旧版)",
    version: 1,
};

/// The profiles of 8 and 9 as the method names them, by their tests.
const PROFILES: [(&str, &[&str]); 6] = [
    (
        "default",
        &["seq1m-q8t1", "seq1m-q1t1", "rnd4k-q32t1", "rnd4k-q1t1"],
    ),
    (
        "nvme",
        &["seq1m-q8t1", "seq128k-q32t1", "rnd4k-q32t16", "rnd4k-q1t1"],
    ),
    ("peak", &["seq1m-q8t1", "rnd4k-q32t1"]),
    ("peak-nvme", &["seq1m-q8t1", "rnd4k-q32t16"]),
    ("real-world", &["seq1m-q1t1", "rnd4k-q1t1"]),
    ("demo", &["seq1m-q8t1"]),
];

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    let Some(heading) = text
        .head(HEAD)
        .find_map(|line| line.strip_prefix("CrystalDiskMark "))
    else {
        return Ok(None);
    };
    let version = heading.split_whitespace().next().unwrap_or_default();
    let major: u32 = (version.split_once('.'))
        .and_then(|(major, _)| major.parse().ok())
        .filter(|major| (3..=9).contains(major))
        .ok_or_else(|| layout(2, "a version other than 3 to 9"))?;
    let conditions = conditions(text, TOOL)?;
    let mut imported = Imported::of(TOOL);
    imported.version = Some(version.to_owned());
    imported.same = match major {
        3 => CLASSIC,
        8 | 9 => GRID,
        _ => Same::NONE,
    };
    let edition = heading.split("(C)").next().unwrap_or_default().trim();
    imported.set("edition", edition);
    match major {
        7.. => grid(text, &conditions, &mut imported)?,
        _ => lines(text, major, &conditions, &mut imported)?,
    }
    if imported.figures.is_empty() {
        return Err(layout(HEAD, "no test has a rate"));
    }
    state(&conditions, &mut imported);
    settings(major, &conditions, &mut imported);
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}

/// Since version 7: columns with tests.
fn grid(text: &Text, by: &Conditions, imported: &mut Imported) -> Result<(), ImportError> {
    let mut under = None;
    for (number, line) in text.lines() {
        under = column(line).or(under);
        if !begins_a_test(line) {
            continue;
        }
        let cut = || layout(number, "a test without its rate");
        let line = measured(line).ok_or_else(cut)?;
        let test = Test::read(line.name).ok_or_else(|| layout(number, "a test of another form"))?;
        let column = under
            .as_deref()
            .ok_or_else(|| layout(number, "a test under no heading"))?;
        let comparable = comparable(by, column != "read", &test.size.to_string(), false);
        add(
            imported,
            &format!("{}.{column}", test.key()),
            line,
            by.runs,
            &comparable,
        );
    }
    Ok(())
}

/// Up to version 6: a line a test and direction.
fn lines(
    text: &Text,
    major: u32,
    by: &Conditions,
    imported: &mut Imported,
) -> Result<(), ImportError> {
    for (number, line) in text.lines().filter(|(_, line)| begins_a_test(line)) {
        let cut = || layout(number, "a test without its rate");
        let line = measured(line).ok_or_else(cut)?;
        let named = match major {
            3 => classic_test(line.name),
            _ => test_of_5(line.name),
        };
        let (key, align) = named.ok_or_else(|| layout(number, "a test of another form"))?;
        let writes = key.ends_with(".write");
        add(
            imported,
            &key,
            line,
            by.runs,
            &comparable(by, writes, &align, major == 3),
        );
    }
    Ok(())
}

/// `Random Read 4KB (QD=32)`: its key and the alignment of its I/Os.
fn classic_test(name: &str) -> Option<(String, String)> {
    let mut words = name.split_whitespace();
    let (order, direction) = (words.next()?, direction(words.next()?)?);
    let (key, align) = match (order, words.next(), words.next(), words.next()) {
        ("Sequential", None, None, None) => ("seq", "1 MiB"),
        ("Random", Some("512KB"), None, None) => ("512k", "512 KiB"),
        ("Random", Some("4KB"), Some("(QD=1)"), None) => ("4k", "4 KiB"),
        ("Random", Some("4KB"), Some("(QD=32)"), None) => ("4k-qd32", "4 KiB"),
        _ => return None,
    };
    Some((format!("{key}.{direction}"), align.to_owned()))
}

/// `Random Read 4KiB (Q= 8,T= 8)`, `Sequential Write (T= 1)`: the size of sequential I/Os is not written.
fn test_of_5(name: &str) -> Option<(String, String)> {
    let (what, queue) = name.split_once('(')?;
    let (depth, threads) = queue_of(queue)?;
    let depth = depth.map_or(String::new(), |depth| format!("q{depth}"));
    let mut words = what.split_whitespace();
    let (order, direction) = (words.next()?, direction(words.next()?)?);
    let (kind, align) = match (order, words.next()) {
        ("Sequential", None) => ("seq".to_owned(), results::imported::NOT_STATED.to_owned()),
        ("Random", Some(size)) => {
            let size = size_of(size)?;
            (format!("rnd{}k", size.get() >> 10), size.to_string())
        }
        _ => return None,
    };
    Some((format!("{kind}-{depth}t{threads}.{direction}"), align))
}

fn direction(word: &str) -> Option<&'static str> {
    match word {
        "Read" => Some("read"),
        "Write" => Some("write"),
        _ => None,
    }
}

/// The figures of a line: the rate, and IOPS and latency where they are written.
fn add(imported: &mut Imported, key: &str, line: Measured, runs: u64, by: &Comparable) {
    let best = format!("best of {runs}");
    let all: [(&str, &str, Option<Decimal>); 3] = [
        ("", "MB/s", Some(line.rate)),
        (".iops", "IOPS", line.iops),
        (".latency", "us", line.latency),
    ];
    for (name, unit, number) in all {
        if let Some(number) = number {
            let figure = figure(format!("{key}{name}"), unit, &*best, runs, by);
            imported.figures.push(valued(figure, number, 1, 1));
        }
    }
}

fn comparable(by: &Conditions, writes: bool, align: &str, classic: bool) -> Comparable {
    let percent = |percent: u32| [("percent", percent.into())];
    let data = match (writes, by.data) {
        (false, _) => Message::default(),
        (true, Data::Zeros) => Message::of("data-zeros"),
        (true, Data::Ones) => Message::of("data-ones"),
        (true, Data::Random) if classic => Message::new("data-repeats", percent(50)),
        (true, Data::Random) => Message::new("data-fresh", percent(0)),
    };
    Comparable {
        span: by.span().said(),
        data,
        alignment: align.to_owned(),
        ..Comparable::default()
    }
}

/// What the file says of the drive and the computer, and what it does not.
fn state(by: &Conditions, imported: &mut Imported) {
    if let Some(volume) = by.volume {
        imported
            .identity
            .insert("volume".to_owned(), volume.to_owned());
    } else {
        imported.lacks(&["import-what-fill"]);
    }
    if let Some(system) = by.system {
        imported.host.insert("system".to_owned(), system.to_owned());
    }
    match by.date {
        Some(date) => imported.when = When::Local(date.to_owned()),
        None => imported.lacks(&["import-what-date"]),
    }
    imported.lacks(&[
        "import-what-state",
        "import-what-drive",
        "import-what-link",
        "import-what-file-system",
        "import-what-temperature",
        "import-what-distribution",
    ]);
    let tool = [("tool", TOOL.into())];
    imported
        .notes
        .push(Message::new("note-import-best-of-each", tool));
}

/// The settings as the method of the same tests names them.
fn settings(major: u32, by: &Conditions, imported: &mut Imported) {
    let data = match by.data {
        Data::Random => "random",
        Data::Zeros => "zeros",
        Data::Ones => "ones",
    };
    let seconds = |seconds: Option<u64>| match seconds {
        Some(seconds) => format!("{seconds}s"),
        None => results::imported::NOT_STATED.to_owned(),
    };
    let (profile, mix) = tests(imported);
    let runs = by.runs.to_string();
    // Each with the original's own value; a run of version 3 lasts 5 s, which cannot be changed.
    let settings: Vec<(&str, String, &str)> = match major {
        3 => vec![
            ("size", by.size_text.replace("MB", "MiB"), "1000MiB"),
            ("runs", runs, "5"),
            ("time", "5s".to_owned(), "5s"),
            ("data", data.to_owned(), "random"),
            ("ops", "as-allowed".to_owned(), "as-allowed"),
        ],
        8 | 9 => vec![
            ("profile", profile, "default"),
            ("size", by.size_text.clone(), "1GiB"),
            ("runs", runs, "5"),
            ("time", seconds(by.measure), "5s"),
            ("pause", seconds(by.interval), "5s"),
            ("data", data.to_owned(), "random"),
            ("mix", mix, "0"),
            ("ops", "as-allowed".to_owned(), "as-allowed"),
        ],
        _ => {
            imported.set("size", &*by.size_text);
            imported.set("runs", runs);
            imported.set("data", data);
            imported.set("pause", seconds(by.interval));
            return;
        }
    };
    for (key, value, full) in settings {
        if value != full {
            imported.changed.push(key.to_owned());
        }
        imported.set(key, value);
    }
}

/// Which profile has just these tests, and the share of reads in the mixed column.
fn tests(imported: &Imported) -> (String, String) {
    let mut tests: Vec<&str> = Vec::new();
    let mut mix = "0";
    for figure in &imported.figures {
        let Some((test, column)) = figure.key.split_once('.') else {
            continue;
        };
        if !tests.contains(&test) {
            tests.push(test);
        }
        let share = column
            .strip_prefix("mix-r")
            .and_then(|share| share.split('.').next());
        mix = share.unwrap_or(mix);
    }
    let profile = PROFILES.iter().find(|(_, of)| *of == tests);
    let profile = profile.map_or("customized", |(name, _)| name);
    (profile.to_owned(), mix.to_owned())
}
