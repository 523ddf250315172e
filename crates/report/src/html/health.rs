//! What the drives said of their health before and after each run.
//!
//! A column is there where one of the drive's results has something for it: what a drive does not say
//! is not shown as zero. A drive that could not be read says so, with the reason.

use base::health::{ByteCount, Health, HealthReading};
use results::RunResult;

use crate::number;
use analysis::group::Subject;

use super::Page;
use super::drives::letter;
use crate::escape::escape;

/// A quantity: its text, and how it is printed before and after.
type Column = (&'static str, fn(&Health) -> Option<Amount>);

/// What a drive said, as a number where differences are of interest.
struct Amount {
    text: String,
    value: f64,
    unit: &'static str,
}

fn count(value: Option<u64>) -> Option<Amount> {
    value.map(|n| Amount {
        text: number::with_commas(&n.to_string()),
        value: n as f64,
        unit: "",
    })
}

fn bytes(of: Option<&ByteCount>) -> Option<Amount> {
    let bytes = of?.bytes?.get() as f64 / 1e9;
    Some(Amount {
        text: format!("{} GB", number::value(bytes, "GB")),
        value: bytes,
        unit: " GB",
    })
}

fn percent(value: Option<f64>) -> Option<Amount> {
    value.map(|share| Amount {
        text: format!("{} %", number::with_commas(&share.round().to_string())),
        value: share,
        unit: " %",
    })
}

const COLUMNS: [Column; 12] = [
    ("health-temperature", |h| {
        h.temperature_celsius.map(|heat| Amount {
            text: format!("{heat} °C"),
            value: heat as f64,
            unit: " °C",
        })
    }),
    ("health-host-written", |h| bytes(h.host_written.as_ref())),
    ("health-host-read", |h| bytes(h.host_read.as_ref())),
    ("health-flash-written", |h| bytes(h.nand_written.as_ref())),
    ("health-used", |h| percent(h.percentage_used)),
    ("health-spare", |h| percent(h.available_spare_percent)),
    ("health-hours", |h| count(h.power_on_hours)),
    ("health-reallocated", |h| count(h.reallocated)),
    ("health-pending", |h| count(h.pending)),
    ("health-uncorrectable", |h| count(h.uncorrectable)),
    ("health-media-errors", |h| count(h.media_errors)),
    ("health-link-errors", |h| count(h.link_errors)),
];

/// The section; nothing where no result has a reading.
pub(super) fn section(page: &Page) -> String {
    let tables: String = page
        .groups
        .subjects
        .iter()
        .map(|subject| table(page, subject))
        .collect();
    if tables.is_empty() {
        return String::new();
    }
    format!(
        "<section id=\"health\" aria-labelledby=\"health-h\"><h2 id=\"health-h\">{}</h2><p>{}</p>{tables}</section>\n",
        page.say("health"),
        page.say("health-explained"),
    )
}

fn table(page: &Page, subject: &Subject) -> String {
    let results: Vec<&RunResult> = subject
        .results
        .iter()
        .filter(|r| r.health_before.is_some() || r.health_after.is_some())
        .copied()
        .collect();
    if results.is_empty() {
        return String::new();
    }
    let columns: Vec<&Column> = COLUMNS
        .iter()
        .filter(|(_, of)| results.iter().any(|r| readings(r).any(|h| of(h).is_some())))
        .collect();
    let heads: String = columns
        .iter()
        .map(|(key, _)| format!("<th scope=\"col\">{}</th>", page.say(key)))
        .collect();
    let rows: String = results.iter().map(|r| row(page, r, &columns)).collect();
    format!(
        "<div class=\"d{n}\"><h3>{letter} {title}</h3>\
         <div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{title}\">\
         <table class=\"health\"><thead><tr><th scope=\"col\">{method}</th><th scope=\"col\">{condition}</th>{heads}</tr></thead>\
         <tbody>{rows}</tbody></table></div></div>",
        n = subject.index,
        letter = letter(subject),
        title = escape(&subject.title),
        method = page.say("health-run"),
        condition = page.say("health-condition"),
    )
}

/// What was read, before and after.
fn readings(result: &RunResult) -> impl Iterator<Item = &Health> {
    let both = [&result.health_before, &result.health_after];
    both.into_iter().flatten().filter_map(HealthReading::health)
}

fn row(page: &Page, result: &RunResult, columns: &[&Column]) -> String {
    let last = result
        .health_after
        .as_ref()
        .or(result.health_before.as_ref());
    let condition = last.map_or(String::new(), |reading| condition(page, reading));
    let cells: String = columns
        .iter()
        .map(|(_, of)| format!("<td>{}</td>", change(result, *of)))
        .collect();
    format!(
        "<tr><th scope=\"row\">{}</th><td>{condition}</td>{cells}</tr>",
        escape(page.texts.method(result))
    )
}

/// The word for a drive's health, with its reasons, and what can be done where it could not be read.
fn condition(page: &Page, reading: &HealthReading) -> String {
    let assessment = reading.assess();
    let word = page.say(&format!("health-word-{}", assessment.condition.word()));
    let mut reasons = assessment.reasons;
    if let HealthReading::Unreadable {
        remedy: Some(remedy),
        ..
    } = reading
    {
        reasons.push(remedy.clone());
    }
    if reasons.is_empty() {
        return word;
    }
    format!(
        "{word} <small lang=\"en\">{}</small>",
        escape(&reasons.join("; "))
    )
}

/// `31 °C → 38 °C`, with the difference where it was counted up; one value where nothing changed.
fn change(result: &RunResult, of: fn(&Health) -> Option<Amount>) -> String {
    let read = |reading: &Option<HealthReading>| reading.as_ref()?.health().and_then(of);
    match (read(&result.health_before), read(&result.health_after)) {
        (Some(before), Some(after)) if before.text == after.text => escape(&after.text),
        (Some(before), Some(after)) => {
            let grown = after.value - before.value;
            let sign = if grown < 0.0 { "−" } else { "+" };
            let by = number::value(
                grown.abs(),
                if after.unit.is_empty() { "count" } else { "" },
            );
            escape(&format!(
                "{} → {} ({sign}{by}{})",
                before.text, after.text, after.unit
            ))
        }
        (None, Some(one)) | (Some(one), None) => escape(&one.text),
        (None, None) => String::new(),
    }
}
