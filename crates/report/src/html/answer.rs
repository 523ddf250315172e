//! The first screen: what each drive is good for, what is wrong with it, and four bars beside its neighbours.

use analysis::answer::{Measure, measures};
use analysis::group::Subject;
use maud::{Markup, html};

use crate::answer as said;
use crate::answers::of_section;
use crate::uses::{name as use_name, standing_key};

use super::Page;
use super::bars::{self, Bar};
use super::drives::{code, name};

/// The answers; empty where there are no drives.
pub(super) fn section(page: &Page) -> Markup {
    let subjects = &page.groups.subjects;
    // A single method that judges no use has given its answer: "not determined" for all six uses is none. If it judges
    // one drive, all drives have their verdicts.
    let judges = page.groups.sections.len() > 1
        || (subjects.iter()).any(|subject| !said::of(subject, &page.texts).answer.judges_nothing());
    html! {
        @if !subjects.is_empty() {
            section #answer aria-labelledby="answer-h" tabindex="-1" {
                h2 #answer-h { (page.say("answer")) }
                div.answers {
                    @for subject in subjects { (answer(page, subject, judges)) }
                }
                div.measures {
                    @for measure in measures(subjects) { (bars(page, measure)) }
                }
            }
        }
    }
}

fn answer(page: &Page, subject: &Subject, judges: bool) -> Markup {
    let said = said::of(subject, &page.texts);
    html! {
        article class={ "answer d" (subject.index) } {
            h3 { (name(page, subject)) }
            @for finding in said.findings.iter().filter(|finding| finding.failing) {
                p.sentence.failing { b { (finding.sentence(&page.texts)) } }
            }
            @if !said.reservations.is_empty() { p.reserved { (said.reservations) } }
            // The page of one method begins with that method's answer: the uses are what follows from it.
            @if let [section] = page.groups.sections.as_slice() {
                @if let Some((_, result)) = section.results.iter().find(|(of, it)| *of == subject.index && crate::inside::has(it)) {
                    (super::inside::first(page, subject, result))
                } @else {
                    @for (of, answer) in of_section(section, &page.groups.subjects, &page.texts) {
                        @if of.index == subject.index { p.sentence { (answer) } }
                    }
                }
            }
            @if judges && !said.answer.fails() { p.sentence { (said.sentence) } }
            @if let Some(health) = &said.health { p.health { (health) } }
            ul.chips {
                @for verdict in said.answer.verdicts.iter().filter(|_| judges) {
                    li {
                        a class=(standing_key(verdict.standing)) href={ "#use-" (verdict.of.id) } {
                            (use_name(verdict.of, &page.texts)) ": " (page.say(standing_key(verdict.standing)))
                            @if verdict.so_far() { " " (page.say("so-far-chip")) }
                        }
                    }
                }
            }
            ul.points {
                @for finding in said.findings.iter().filter(|finding| !finding.failing) {
                    li.finding { b { (finding.name) } ": " (finding.sentence(&page.texts)) }
                }
                @if !said.answer.fails() {
                    @for point in &said.strengths { li.strong { (point) } }
                    @for point in &said.weaknesses { li.weak { (point) } }
                }
            }
            @if let Some(next) = said.next.as_ref().filter(|_| judges && !said.answer.fails()) {
                p.next { (page.say("to-run")) " " (code(next)) }
            }
            // Nobody asks about the neighbours.
            @let is_reviewed = page.around.of_a_review && subject.index == 0;
            @if is_reviewed && !said.unchecked.is_empty() && !said.answer.fails() {
                p.next.unchecked { (said.unchecked) }
            }
        }
    }
}

/// A measure of all drives.
fn bars(page: &Page, measure: &Measure) -> Markup {
    let bar = |subject| Bar {
        subject,
        value: measure.of(&subject.results).map(|measured| measured.value),
        shown: said::measured(measure, subject).unwrap_or_else(|| page.say("no-value")),
        reserve: said::reserve(measure, subject, &page.texts),
    };
    let title = page.say(&format!("measure-{}", measure.id));
    // Which figure of which method it is: the table below has others of the same test.
    let said = |subject: &Subject| {
        let measured = measure.of(&subject.results)?;
        let statistic = page.texts.statistic(&measured.figure.statistic);
        let method = page.texts.method(measured.result);
        Some(page.texts.list(&[method, &statistic]))
    };
    let behind = of_all(page.groups.subjects.iter().filter_map(said));
    let title = match behind {
        Some(behind) => format!("{title} ({behind})"),
        None => title,
    };
    let bars = page.groups.subjects.iter().map(bar).collect();
    bars::picture(page, (&title, measure.unit), measure.better, bars)
}

/// What is said of each, where it is the same of all.
pub(super) fn of_all<T: PartialEq>(mut each: impl Iterator<Item = T>) -> Option<T> {
    let first = each.next()?;
    each.all(|other| other == first).then_some(first)
}
