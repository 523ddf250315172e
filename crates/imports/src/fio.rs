//! fio's JSON and json+, versions 2 and 3.
//!
//! Each job has its rate, IOPS and latencies by direction. fio 3 gives nanoseconds and bytes, fio 2 microseconds and KiB,
//! under other names. Percentiles are of the completion latency (`clat`: from submission on), the mean and the longest are
//! also there for the whole latency (`lat`): both have keys of their own. json+ adds the bins of the histogram. Warnings may
//! stand before the first brace, and other forms of output too. Source: fio's `stat.c` and files of 2.2 and 3.33.

use std::collections::BTreeMap;

use base::chart::{Chart, Curve, designs};
use base::message::Message;
use base::result::{Comparable, alike};
use base::size::Bytes;
use results::imported::NOT_STATED;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Number;

use crate::Outcome;
use crate::error::ImportError;
use crate::imported::{Imported, Same, When, figure, numbered};
use crate::number::Decimal;
use crate::text::Text;

const TOOL: &str = "fio";

/// The work of a job file, whose figures have the same keys.
const JOBS: Same = Same {
    method: "fio",
    title: "fio's jobs",
    title_ja: "fio のジョブ",
    version: 2,
};

/// Bins are kept one by one while the document is read.
const LARGEST: Bytes = Bytes::mib(16);
/// How far behind the first brace the version stands.
const HEAD: usize = 200;
/// Buckets a decade of a drawn histogram.
const BUCKETS_A_DECADE: f64 = 20.0;

#[derive(Deserialize)]
struct Output {
    #[serde(rename = "fio version")]
    version: String,
    timestamp: Option<u64>,
    timestamp_ms: Option<u64>,
    #[serde(rename = "global options", default)]
    global: BTreeMap<String, String>,
    #[serde(default)]
    jobs: Vec<Job>,
    client_stats: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Job {
    jobname: String,
    #[serde(default)]
    error: i64,
    #[serde(rename = "job options", default)]
    options: BTreeMap<String, String>,
    read: Option<Side>,
    write: Option<Side>,
    trim: Option<Side>,
}

/// One direction of a job.
#[derive(Deserialize)]
struct Side {
    /// KiB a second.
    bw: Number,
    /// Bytes a second; fio 2 has none.
    bw_bytes: Option<Number>,
    iops: Number,
    total_ios: u64,
    lat_ns: Option<Spread>,
    clat_ns: Option<Spread>,
    slat_ns: Option<Spread>,
    /// The same in microseconds, of fio 2.
    lat: Option<Spread>,
    clat: Option<Spread>,
    slat: Option<Spread>,
}

#[derive(Deserialize)]
struct Spread {
    max: Number,
    mean: Number,
    percentile: Option<BTreeMap<String, Number>>,
    bins: Option<BTreeMap<String, u64>>,
}

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    let Some((line, document)) = document(text.as_str()) else {
        return Ok(None);
    };
    text.within(LARGEST)?;
    // Other forms of output may follow.
    let mut all = serde_json::Deserializer::from_str(document).into_iter::<Output>();
    let output = match all.next() {
        Some(Ok(output)) => output,
        Some(Err(why)) => return Err(layout(line - 1 + why.line(), &why.to_string())),
        None => return Ok(None),
    };
    if output.client_stats.is_some() {
        return Err(layout(line, "client_stats of a run on several computers"));
    }
    let version = output.version.trim_start_matches("fio-");
    let is_2 = version.starts_with("2.");
    if !is_2 && !version.starts_with("3.") {
        return Err(layout(line, "a version other than 2 and 3"));
    }
    let mut imported = imported(&output, version);
    let mut names = BTreeMap::new();
    for job in &output.jobs {
        let times = names.entry(key(&job.jobname)).or_insert(0_u32);
        *times += 1;
        let name = match times {
            1 => key(&job.jobname),
            again => format!("{}-{again}", key(&job.jobname)),
        };
        add_job(&mut imported, &name, job).ok_or_else(|| {
            layout(
                line,
                &format!("job {name} has no figures in the form of fio {version}"),
            )
        })?;
    }
    if imported.figures.is_empty() {
        return Err(layout(line, "no job has a figure"));
    }
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}

/// The document and the line on which it begins.
fn document(text: &str) -> Option<(usize, &str)> {
    const VERSION: &str = "\"fio version\"";
    let mut at = 0;
    // The next version is looked for once: lines with a brace may be many.
    let mut found = text.find(VERSION)?;
    for (line, piece) in (1..).zip(text.split_inclusive('\n')) {
        if found < at {
            found = at + text[at..].find(VERSION)?;
        }
        // A character is four bytes at most.
        let is_near = || {
            let ends = found + VERSION.len();
            ends - at <= 4 * HEAD && text[at..ends].chars().count() <= HEAD
        };
        if piece.trim_start().starts_with('{') && is_near() {
            return Some((line, &text[at..]));
        }
        at += piece.len();
    }
    None
}

/// All but the jobs' figures.
fn imported(output: &Output, version: &str) -> Imported {
    let mut imported = Imported::of(TOOL);
    imported.version = Some(version.to_owned());
    imported.same = JOBS;
    imported.when = match (output.timestamp_ms, output.timestamp) {
        (Some(moment), _) => When::UnixMs(moment),
        (None, Some(seconds)) => When::UnixMs(seconds.saturating_mul(1_000)),
        (None, None) => When::NotStated,
    };
    let mut asked = String::new();
    let mut keep = |of: &str, options: &BTreeMap<String, String>| {
        for (option, value) in options {
            asked.push_str(&format!("{of}.{option}={value}\n"));
            imported
                .settings
                .insert(format!("{of}.{option}"), value.clone());
        }
    };
    keep("global", &output.global);
    for job in &output.jobs {
        keep(&job.jobname, &job.options);
    }
    imported.alike = Some(match asked.is_empty() {
        true => NOT_STATED.to_owned(),
        false => alike("options of fio", &asked),
    });
    if asked.is_empty() {
        imported.lacks(&[
            "import-what-settings",
            "import-what-span",
            "import-what-data",
        ]);
    }
    let options = output.jobs.iter().map(|job| &job.options);
    let named = options
        .chain([&output.global])
        .find_map(|options| options.get("filename"));
    imported.target = named.cloned().unwrap_or_default();
    imported.lacks(&[
        "import-what-state",
        "import-what-fill",
        "import-what-drive",
        "import-what-host",
        "import-what-temperature",
    ]);
    if version.starts_with("2.") {
        imported.notes.push(Message::of("note-import-fio-2"));
    }
    imported
}

/// A job's name as a part of a figure's key, as the figures of our own jobs have it.
fn key(name: &str) -> String {
    let letter = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '-',
    };
    name.chars().map(letter).collect()
}

fn add_job(imported: &mut Imported, name: &str, job: &Job) -> Option<()> {
    if job.error != 0 {
        imported.set(&format!("{name}.error"), job.error.to_string());
    }
    if job.read.is_none() && job.write.is_none() {
        return None;
    }
    let sides = [
        ("read", &job.read),
        ("write", &job.write),
        ("trim", &job.trim),
    ];
    for (direction, side) in sides {
        if let Some(side) = side.as_ref().filter(|side| side.total_ios > 0) {
            add_side(imported, &format!("{name}.{direction}"), side)?;
        }
    }
    Some(())
}

fn add_side(imported: &mut Imported, key: &str, side: &Side) -> Option<()> {
    let by = Comparable::default();
    let mut add = |name: &str, unit: &str, statistic: &str, number: &Number, many, of| {
        let figure = figure(format!("{key}{name}"), unit, statistic, side.total_ios, &by);
        imported
            .figures
            .push(numbered(figure, decimal(number)?, many, of));
        Some(())
    };
    match &side.bw_bytes {
        Some(bytes) => add("", "MB/s", "mean", bytes, 1, 1_000_000)?,
        None => add("", "MB/s", "mean", &side.bw, 1_024, 1_000_000)?,
    }
    add(".iops", "IOPS", "mean", &side.iops, 1, 1)?;
    // Nanoseconds of fio 3, microseconds of fio 2.
    let of = |new: &'_ Option<Spread>| if new.is_some() { 1_000 } else { 1 };
    let whole = side.lat_ns.as_ref().or(side.lat.as_ref())?;
    add(".latency", "us", "mean", &whole.mean, 1, of(&side.lat_ns))?;
    add(".worst", "us", "max", &whole.max, 1, of(&side.lat_ns))?;
    let completion = side.clat_ns.as_ref().or(side.clat.as_ref())?;
    add(
        ".clat",
        "us",
        "mean",
        &completion.mean,
        1,
        of(&side.clat_ns),
    )?;
    if let Some(submission) = side.slat_ns.as_ref().or(side.slat.as_ref()) {
        add(
            ".slat",
            "us",
            "mean",
            &submission.mean,
            1,
            of(&side.slat_ns),
        )?;
    }
    for (percent, number) in completion.percentile.iter().flatten() {
        // fio 2 fills up its list with `0.00`.
        let percent: f64 = percent.parse().ok()?;
        if (0.0..100.0).contains(&percent) && percent > 0.0 {
            let name = format!(".clat.p{percent}");
            add(
                &name,
                "us",
                &format!("p{percent}"),
                number,
                1,
                of(&side.clat_ns),
            )?;
        }
    }
    if let Some(bins) = completion.bins.as_ref().filter(|_| side.clat_ns.is_some()) {
        draw(imported, key, bins)?;
    }
    Some(())
}

/// The digits as they stand: fio writes at most six decimals, which the nearest float keeps.
fn decimal(number: &Number) -> Option<Decimal> {
    Decimal::read(&number.to_string())
}

/// The histogram of the bins: values in ns, and how many I/Os have them.
fn draw(imported: &mut Imported, key: &str, bins: &BTreeMap<String, u64>) -> Option<()> {
    let mut counts = BTreeMap::<i32, u64>::new();
    for (value, count) in bins {
        let nanos: u64 = value.parse().ok()?;
        let bucket = (libm::log10(nanos.max(1) as f64) * BUCKETS_A_DECADE).floor() as i32;
        let sum = counts.entry(bucket).or_default();
        *sum = sum.saturating_add(*count);
    }
    let (first, last) = (*counts.keys().next()?, *counts.keys().next_back()?);
    let edge_us = |bucket: i32| libm::pow(10.0, f64::from(bucket) / BUCKETS_A_DECADE) / 1e3;
    let count = |bucket: i32| Some(counts.get(&bucket).copied().unwrap_or(0) as f64);
    let (x, y) = (first..=last)
        .map(|bucket| (edge_us(bucket), count(bucket)))
        .unzip();
    let curve = Curve::new(key, x, y);
    imported
        .notes
        .push(Message::new("note-import-fio-bins", [("job", key.into())]));
    match imported
        .charts
        .iter_mut()
        .find(|chart| chart.key == "response")
    {
        Some(chart) => chart.curves.push(curve),
        None => imported
            .charts
            .push(Chart::new("response", designs::RESPONSE, vec![curve])),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::document;

    #[test]
    fn a_document_behind_many_braces_is_found() {
        let braces = "{\n".repeat(100_000);
        assert_eq!(document(&braces), None);
        // From the first brace that has the version within 200 characters.
        let text = format!("{braces}{{ \"fio version\" : \"fio-3.33\" }}");
        let (line, found) = document(&text).expect("it has a document");
        assert_eq!((line, found.len()), (100_001 - 92, 2 * 92 + 30));
    }

    #[test]
    fn a_version_that_stands_before_the_brace_or_far_behind_it_is_none_of_the_document() {
        let text = "\"fio version\"\n{\n\"fio version\": 1 }";
        assert_eq!(document(text), Some((2, &text[14..])));
        let far = format!("{{{}\"fio version\"", " ".repeat(200));
        assert_eq!(document(&far), None);
    }
}
