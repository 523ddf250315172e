//! The inside of a drive on the page: a cut-away whose parts look as certain as they are, and the findings with what they
//! rest on.
//!
//! The way of a request leads from the host's link through controller, caches and map to the medium. A part that was found
//! is solid and has its value written in; one that is only bounded is hatched, one that is not there is struck out, and one
//! that is open or was not asked is dotted. Each leads to its evidence below.

use analysis::answers::inside::{Finding, costs, findings, not_asked};
use analysis::group::{Section, Subject};
use maud::{Markup, html};
use results::RunResult;
use results::explanation::{Certainty, Part};

use crate::inside::{ASPECTS, HEADINGS, cost_said, evidence, name, unasked};
use crate::number;

use super::Page;

/// Dies that are drawn one by one.
const DIES_DRAWN: f64 = 128.0;

/// The first screen of a drive: its cut-away, and what costs whoever uses it most.
pub(super) fn first(page: &Page, subject: &Subject, result: &RunResult) -> Markup {
    let found = findings(result);
    let means = |finding: &&Finding| {
        let said = page.texts.aspect_of(&finding.said, "means")?;
        Some((name(finding.id, &page.texts), said))
    };
    html! {
        @for said in analysis::answers::reserved(result) { p.reserved { (page.texts.state(&said)) } }
        (cutaway(page, subject, result, &found))
        ul.points {
            @for (of, means) in costs(&found).iter().filter_map(means) { li { b { (of) } ": " (means) } }
        }
    }
}

fn cutaway(page: &Page, subject: &Subject, result: &RunResult, found: &[Finding]) -> Markup {
    let open = not_asked(result);
    let of_part = |part: Part| {
        let own: Vec<&Finding> = found.iter().filter(|it| it.part == part).collect();
        let open: Vec<&str> = (open.iter().filter(|it| it.1 == part))
            .map(|it| it.0)
            .collect();
        html! {
            @if !own.is_empty() || !open.is_empty() {
                (self::part(page, subject, result, part, (&own, &open)))
            }
        }
    };
    html! {
        figure.cutaway aria-label=(page.with("explain-cutaway", &[("drive", &subject.title)])) {
            (of_part(Part::Link))
            div.drive {
                @for part in PARTS { (of_part(part)) }
            }
            figcaption { (page.say("explain-key")) }
        }
    }
}

/// The parts of a drive, in the order in which a request meets them.
const PARTS: [Part; 8] = [
    Part::Controller,
    Part::ReadCache,
    Part::WriteCache,
    Part::Map,
    Part::SlcCache,
    Part::Dies,
    Part::Arm,
    Part::Discs,
];

fn part(
    page: &Page,
    subject: &Subject,
    result: &RunResult,
    part: Part,
    (own, open): (&[&Finding], &[&str]),
) -> Markup {
    // As certain as the most certain of what is known of it.
    let certainty = own.iter().map(|it| it.certainty).min();
    let title = page.say(&format!("explain-part-{}", crate::json::word(&part)));
    html! {
        section class={ "part " (class(certainty.unwrap_or(Certainty::NotAsked))) } {
            h4 { (title) }
            (drawn(result, part))
            ul {
                @for finding in own {
                    li class=(class(finding.certainty)) {
                        a href={ "#" (anchor(subject, finding.id)) } { (entry(page, finding)) }
                    }
                }
                @for id in open { li.open { (name(id, &page.texts)) } }
            }
        }
    }
}

/// The finding in a few words.
fn entry(page: &Page, finding: &Finding) -> Markup {
    let of = name(finding.id, &page.texts);
    let short = page.texts.aspect_of(&finding.said, "short");
    html! {
        @match (finding.certainty, short) {
            (Certainty::Absent | Certainty::NotVisible, _) => s { (of) },
            (_, Some(short)) => { span { (of) } " " b { (short) } },
            (_, None) => (of),
        }
    }
}

/// Dies as squares, and the parts of a drive that a map or a one-bit cache covers as bars.
fn drawn(result: &RunResult, part: Part) -> Markup {
    let value = |key: &str| {
        let mut all = result.figures.iter();
        all.find(|figure| figure.key == key)?.value
    };
    let of_all = |bytes: f64| {
        let info = result.target.info.as_ref()?;
        Some((100.0 * bytes / info.capacity.get() as f64).clamp(0.5, 100.0))
    };
    let covered = match part {
        Part::Map => value("map.coverage").and_then(|gib| of_all(gib * 1_073_741_824.0)),
        Part::SlcCache => value("slc.size").and_then(|gb| of_all(gb * 1e9)),
        _ => None,
    };
    let dies = match (value("stripe.pages"), value("stripe.side-by-side")) {
        (Some(pages), Some(planes)) if part == Part::Dies => pages / planes.max(1.0),
        _ => 0.0,
    };
    html! {
        @if let Some(percent) = covered {
            div.share aria-hidden="true" { span style={ "width:" (format!("{percent:.1}")) "%" } {} }
        }
        @if (1.0..=DIES_DRAWN).contains(&dies) {
            div.dies aria-hidden="true" { @for _ in 0..dies as usize { i {} } }
        }
    }
}

const fn class(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Found => "found",
        Certainty::Bounded => "bounded",
        Certainty::Absent | Certainty::NotVisible => "absent",
        Certainty::Open | Certainty::NotAsked => "open",
    }
}

fn anchor(subject: &Subject, id: &str) -> String {
    format!("inside-{}-{id}", subject.index)
}

/// All findings of a section, by drive.
pub(super) fn tables(page: &Page, section: &Section) -> Markup {
    let subjects = &page.groups.subjects;
    html! {
        @for (subject, result) in section.results.iter().filter(|(_, it)| crate::inside::has(it)) {
            @let subject = &subjects[*subject];
            @if subjects.len() > 1 { h3 { (super::drives::name(page, subject)) } }
            // The page of one method has begun with it.
            @if !page.is_of_one_method() { (first(page, subject, result)) }
            div.scroll role="group" tabindex="0" aria-label=(page.with("explain-cutaway", &[("drive", &subject.title)])) {
                (table(page, subject, result))
            }
            @for said in unasked(result, &page.texts) { p { (said) } }
            p { (cost_said(result, &page.texts)) }
        }
    }
}

fn table(page: &Page, subject: &Subject, result: &RunResult) -> Markup {
    let found = findings(result);
    html! {
        table.inside {
            thead { tr {
                th scope="col" { (page.say("explain-what")) }
                th scope="col" { (page.say("explain-says")) }
                th scope="col" { (page.say("explain-means")) }
                th scope="col" { (page.say("explain-evidence")) }
            } }
            @for (heading, of) in HEADINGS {
                @let among: Vec<&Finding> = found.iter().filter(|it| of.contains(&it.certainty)).collect();
                @if !among.is_empty() {
                    tbody {
                        tr.group { th colspan="4" scope="rowgroup" { (page.say(heading)) } }
                        @for finding in among { (row(page, subject, result, finding)) }
                    }
                }
            }
        }
    }
}

fn row(page: &Page, subject: &Subject, result: &RunResult, finding: &Finding) -> Markup {
    let texts = &page.texts;
    html! {
        tr id=(anchor(subject, finding.id)) class=(class(finding.certainty)) {
            th scope="row" { (name(finding.id, texts)) }
            // Reasons are plain ASCII, as a terminal may be.
            td { (texts.stated(&finding.said).replace(" us ", " µs ")) }
            td {
                (texts.aspect_of(&finding.said, "means").unwrap_or_default())
                @for (aspect, title) in ASPECTS {
                    @if let Some(said) = texts.aspect_of(&finding.said, aspect) {
                        p.aspect { b { (page.say(title)) ": " } (said) }
                    }
                }
            }
            td { (figures(page, result, finding)) }
        }
    }
}

/// The figures behind a finding: value, interval, and from how many I/Os.
fn figures(page: &Page, result: &RunResult, finding: &Finding) -> Markup {
    let texts = &page.texts;
    html! {
        ul.evidence {
            @for figure in evidence(finding, result).filter(|figure| figure.value.is_some()) {
                @let unit = texts.unit(&figure.unit);
                @let print = |value: f64| number::value(value, &figure.unit);
                @let value = match (figure.value, &figure.interval) {
                    (Some(value), Some(it)) => format!("{} {unit} [{}, {}]", print(value), print(it.low), print(it.high)),
                    (Some(value), None) => format!("{} {unit}", print(value)),
                    (None, _) => String::new(),
                };
                @let ios = number::with_commas(&figure.n.to_string());
                li { (texts.figure(&figure.key)) ": " (page.with("explain-figure", &[("value", &value), ("ios", &ios)])) }
            }
        }
    }
}
