//! DiskSpd's XML results, versions 2.0 and later.
//!
//! The file has bytes and counts of each thread and target, and no rate: the rate is their sum over the measured seconds.
//! Latencies are milliseconds; the percentiles are of the whole time span, and the 100th is the longest. Everything that
//! was asked for is there, and the computer's name; the drive is not. A text may follow the document. Source:
//! `XmlResultParser.cpp`.

use base::result::{Comparable, alike};
use base::size::Bytes;
use roxmltree::{Document, Node, ParsingOptions};

use crate::Outcome;
use crate::error::ImportError;
use crate::imported::{Imported, Same, When, figure, numbered};
use crate::number::Decimal;
use crate::text::Text;

pub(crate) const TOOL: &str = "DiskSpd";

pub(crate) const JOBS: Same = Same {
    method: "diskspd",
    title: "DiskSpd",
    title_ja: "DiskSpd",
    version: 1,
};

/// A tree takes many times the size of its text.
const LARGEST: Bytes = Bytes::mib(8);
/// Elements of the longest file: each span has some hundred buckets.
const MOST_NODES: u32 = 1_000_000;
/// The percentiles that are taken of the hundred that are there, with the statistic's word.
const PERCENTILES: [(&str, &str, &str); 4] = [
    ("50", ".median", "median"),
    ("99", ".p99", "p99"),
    ("99.9", ".p99.9", "p99.9"),
    ("100", ".worst", "max"),
];

/// Reads it.
pub(crate) fn read(text: &Text) -> Outcome {
    if !text.head(1).any(|line| line.starts_with("<Results>")) {
        return Ok(None);
    }
    text.within(LARGEST)?;
    let end = "</Results>";
    let whole = text.as_str().trim_start();
    let document = whole.find(end).map_or(whole, |at| &whole[..at + end.len()]);
    let options = ParsingOptions {
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(document, options)
        .map_err(|why| layout(why.pos().row as usize, &why.to_string()))?;
    let root = document.root_element();
    let mut imported = Imported::of(TOOL);
    imported.same = JOBS;
    about(root, &mut imported);
    let spans: Vec<Node> = children(root, "TimeSpan").collect();
    for (number, span) in (1..).zip(&spans) {
        let name = format!("timespan-{number}");
        let line = document.text_pos_at(span.range().start).row as usize;
        let wrong = || layout(line, "a time span without its counts or its time");
        add_span(&mut imported, &name, *span).ok_or_else(wrong)?;
    }
    if imported.figures.is_empty() {
        return Err(layout(1, "no time span has an I/O"));
    }
    Ok(Some(imported))
}

fn layout(line: usize, what: &str) -> ImportError {
    ImportError::layout(TOOL, line, what)
}

fn children<'a, 'b>(node: Node<'a, 'b>, name: &'static str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.children()
        .filter(move |child| child.has_tag_name(name))
}

/// The text of the first element of this name below a node.
fn text_of<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let found = node.descendants().find(|below| below.has_tag_name(name))?;
    found.text().map(str::trim).filter(|text| !text.is_empty())
}

/// Version, computer, date and everything that was asked for.
fn about(root: Node, imported: &mut Imported) {
    if let Some(system) = children(root, "System").next() {
        imported.version = text_of(system, "Version").map(str::to_owned);
        if let Some(name) = text_of(system, "ComputerName") {
            imported.host.insert("computer".to_owned(), name.to_owned());
        }
        if let Some(time) = text_of(system, "RunTime") {
            imported.when = utc(time).unwrap_or(When::Local(time.to_owned()));
        }
    }
    let mut asked = String::new();
    if let Some(profile) = children(root, "Profile").next() {
        let leaves = profile
            .descendants()
            .filter(|node| node.is_element() && !node.children().any(|child| child.is_element()));
        for leaf in leaves {
            let (name, value) = (
                leaf.tag_name().name(),
                leaf.text().unwrap_or_default().trim(),
            );
            asked.push_str(&format!("{name}={value}\n"));
            imported
                .settings
                .entry(name.to_owned())
                .or_insert_with(|| value.to_owned());
        }
        imported.target = text_of(profile, "Path").unwrap_or_default().to_owned();
    }
    imported.alike = Some(match asked.is_empty() {
        true => results::imported::NOT_STATED.to_owned(),
        false => alike("profile of DiskSpd", &asked),
    });
    imported.lacks(&[
        "import-what-state",
        "import-what-fill",
        "import-what-drive",
        "import-what-file-system",
        "import-what-temperature",
    ]);
}

/// `2020/04/13 10:00:01 UTC`.
pub(crate) fn utc(text: &str) -> Option<When> {
    let text = text
        .strip_suffix(" UTC")?
        .replace('/', "-")
        .replace(' ', "T");
    let time = humantime::parse_rfc3339(&format!("{text}Z")).ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(When::UnixMs(u64::try_from(since.as_millis()).ok()?))
}

fn add_span(imported: &mut Imported, name: &str, span: Node) -> Option<()> {
    let seconds = Decimal::read(text_of(span, "TestTimeSeconds")?)?;
    if seconds.is_zero() || seconds.is_negative() {
        return None;
    }
    for (direction, title) in [("read", "Read"), ("write", "Write")] {
        let (bytes, count) = (sum(span, title, "Bytes")?, sum(span, title, "Count")?);
        if count == 0 {
            continue;
        }
        let key = format!("{name}.{direction}");
        let by = Comparable::default();
        for (suffix, unit, amount, of) in
            [("", "MB/s", bytes, 1_000_000), (".iops", "IOPS", count, 1)]
        {
            let mut figure = figure(format!("{key}{suffix}"), unit, "mean", count, &by);
            figure.value = seconds.under(amount, of);
            imported.figures.push(figure);
        }
        let Some(latency) = children(span, "Latency").next() else {
            continue;
        };
        let mut add = |suffix: &str, statistic: &str, text: &str| {
            let made = figure(format!("{key}{suffix}"), "us", statistic, count, &by);
            // Milliseconds.
            imported
                .figures
                .push(numbered(made, Decimal::read(text)?, 1_000, 1));
            Some(())
        };
        if let Some(mean) = text_of(latency, &format!("Average{title}Milliseconds")) {
            add(".latency", "mean", mean)?;
        }
        for bucket in children(latency, "Bucket") {
            let percentile = text_of(bucket, "Percentile")?;
            let taken = PERCENTILES.iter().find(|(of, _, _)| *of == percentile);
            let time = text_of(bucket, &format!("{title}Milliseconds"));
            if let (Some((_, suffix, statistic)), Some(time)) = (taken, time) {
                add(suffix, statistic, time)?;
            }
        }
    }
    Some(())
}

/// The sum over all threads and targets.
fn sum(span: Node, title: &str, what: &str) -> Option<u64> {
    let mut sum = 0_u64;
    for thread in children(span, "Thread") {
        for target in children(thread, "Target") {
            let number: u64 = text_of(target, &format!("{title}{what}"))?.parse().ok()?;
            sum = sum.checked_add(number)?;
        }
    }
    Some(sum)
}
