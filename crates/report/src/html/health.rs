//! The health that the drives reported before and after each run.
//!
//! A column is there if one of the drive's results has a value for it: a value that a drive does not
//! report is not shown as zero. A drive that could not be read says so, with the reason.

use base::health::{ByteCount, Health, HealthReading};
use maud::{Markup, html};
use results::RunResult;

use crate::number;
use analysis::group::Subject;

use super::Page;
use super::drives::letter;

/// A quantity: its text, and how it is printed before and after.
type Column = (&'static str, fn(&Health) -> Option<Amount>);

/// A reported value, as a number where differences are of interest.
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

/// The section; empty where no result has a reading.
pub(super) fn section(page: &Page) -> Markup {
    let has_any = |subject: &&Subject| !of_health(subject).is_empty();
    let subjects: Vec<&Subject> = page.groups.subjects.iter().filter(has_any).collect();
    html! {
        @if !subjects.is_empty() {
            details.fold {
                summary { h2 #health-h { (page.say("health")) } }
                section #health aria-labelledby="health-h" {
                    p { (page.say("health-explained")) }
                    @for subject in subjects { (table(page, subject)) }
                }
            }
        }
    }
}

/// The results that say something of the drive's health.
fn of_health<'a>(subject: &Subject<'a>) -> Vec<&'a RunResult> {
    let results = subject.results.iter().copied();
    results
        .filter(|r| r.health_before.is_some() || r.health_after.is_some())
        .collect()
}

fn table(page: &Page, subject: &Subject) -> Markup {
    let results = of_health(subject);
    let columns: Vec<&Column> = COLUMNS
        .iter()
        .filter(|(_, of)| results.iter().any(|r| readings(r).any(|h| of(h).is_some())))
        .collect();
    html! {
        div class={ "d" (subject.index) } {
            h3 { (letter(subject)) " " (subject.title) }
            div.scroll role="group" tabindex="0" aria-label=(subject.title) {
                table.health {
                    thead { tr {
                        th scope="col" { (page.say("health-run")) }
                        th scope="col" { (page.say("health-condition")) }
                        @for (key, _) in &columns { th scope="col" { (page.say(key)) } }
                    } }
                    tbody { @for result in results { (row(page, result, &columns)) } }
                }
            }
        }
    }
}

/// What was read, before and after.
fn readings(result: &RunResult) -> impl Iterator<Item = &Health> {
    let both = [&result.health_before, &result.health_after];
    both.into_iter().flatten().filter_map(HealthReading::health)
}

fn row(page: &Page, result: &RunResult, columns: &[&Column]) -> Markup {
    let last = result
        .health_after
        .as_ref()
        .or(result.health_before.as_ref());
    html! {
        tr {
            th scope="row" { (page.texts.method(result)) }
            td { @if let Some(reading) = last { (condition(page, reading)) } }
            @for (_, of) in columns { td { (change(result, *of)) } }
        }
    }
}

/// The word for a drive's health, with its reasons, and what can be done where it could not be read.
fn condition(page: &Page, reading: &HealthReading) -> Markup {
    let assessment = reading.assess();
    let reasons = assessment.reasons.iter();
    let mut reasons: Vec<String> = reasons.map(|why| page.texts.message(why)).collect();
    if let HealthReading::Unreadable {
        remedy: Some(remedy),
        ..
    } = reading
    {
        reasons.push(page.texts.message(remedy));
    }
    html! {
        (page.say(&format!("health-word-{}", assessment.condition.word())))
        @if !reasons.is_empty() { " " small { (page.texts.clauses(&reasons)) } }
    }
}

/// `31 °C → 38 °C`, with the difference where it was counted up; one value where nothing changed.
fn change(result: &RunResult, of: fn(&Health) -> Option<Amount>) -> String {
    let read = |reading: &Option<HealthReading>| reading.as_ref()?.health().and_then(of);
    match (read(&result.health_before), read(&result.health_after)) {
        (Some(before), Some(after)) if before.text == after.text => after.text,
        (Some(before), Some(after)) => {
            let grown = after.value - before.value;
            let sign = if grown < 0.0 { "−" } else { "+" };
            let by = number::value(
                grown.abs(),
                if after.unit.is_empty() { "count" } else { "" },
            );
            format!(
                "{} → {} ({sign}{by}{})",
                before.text, after.text, after.unit
            )
        }
        (None, Some(one)) | (Some(one), None) => one.text,
        (None, None) => String::new(),
    }
}
