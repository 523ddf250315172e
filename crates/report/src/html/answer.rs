//! The first screen: what each drive is good for, what is wrong with it, and four bars beside its neighbours.

use std::cmp::Ordering;

use analysis::answer::{MEASURES, Measure};
use analysis::group::Subject;
use base::result::Better;
use maud::{Markup, html};

use crate::answer as said;
use crate::uses::{name as use_name, standing_key};

use super::Page;
use super::drives::{code, letter, name};

/// The answers; empty where there are no drives.
pub(super) fn section(page: &Page) -> Markup {
    let subjects = &page.groups.subjects;
    html! {
        @if !subjects.is_empty() {
            section #answer aria-labelledby="answer-h" tabindex="-1" {
                h2 #answer-h { (page.say("answer")) }
                div.answers {
                    @for subject in subjects { (answer(page, subject)) }
                }
                div.measures {
                    @for measure in MEASURES { (bars(page, measure)) }
                }
            }
        }
    }
}

fn answer(page: &Page, subject: &Subject) -> Markup {
    let said = said::of(subject, &page.texts);
    html! {
        article class={ "answer d" (subject.index) } {
            h3 { (name(page, subject)) }
            p.sentence { (said.sentence) }
            ul.chips {
                @for verdict in &said.answer.verdicts {
                    li {
                        a class=(standing_key(verdict.standing)) href={ "#use-" (verdict.of.id) } {
                            (use_name(verdict.of, &page.texts)) ": " (page.say(standing_key(verdict.standing)))
                            @if verdict.so_far() { " " (page.say("so-far-chip")) }
                        }
                    }
                }
            }
            ul.points {
                @for point in &said.strengths { li.strong { (point) } }
                @for point in &said.weaknesses { li.weak { (point) } }
            }
            @if let Some(next) = &said.next {
                p.next { (page.say("to-run")) " " (code(next)) }
            }
        }
    }
}

/// The better value first, those without one last.
fn by_rank(a: Option<f64>, b: Option<f64>, better: Better) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if better == Better::Lower => a.total_cmp(&b),
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// A measure of all drives, the best first, with the reviewed one marked: bars from zero, so that twice as long is
/// twice as much.
fn bars(page: &Page, measure: &Measure) -> Markup {
    let subjects = &page.groups.subjects;
    let values = subjects
        .iter()
        .map(|subject| measure.of(&subject.results).map(|measured| measured.value));
    let values: Vec<Option<f64>> = values.collect();
    let mut ranked: Vec<(&Subject, Option<f64>)> = subjects.iter().zip(values.clone()).collect();
    ranked.sort_by(|(_, a), (_, b)| by_rank(*a, *b, measure.better));
    let is_reviewed = |subject: &Subject| subjects.len() > 1 && subject.index == 0;
    let most = values.iter().flatten().copied().fold(0.0, f64::max);
    let share = |value: f64| {
        if most > 0.0 {
            100.0 * value / most
        } else {
            0.0
        }
    };
    let better = match measure.better {
        Better::Higher => "better-higher",
        Better::Lower => "better-lower",
        Better::None => "better-none",
    };
    html! {
        figure.measure {
            figcaption {
                (page.say(&format!("measure-{}", measure.id))) " "
                span.unit { (page.texts.unit(measure.unit)) ", " (page.say(better)) }
            }
            ul {
                @for (subject, value) in &ranked {
                    li class={ "d" (subject.index) @if is_reviewed(subject) { " reviewed" } } {
                        (letter(subject))
                        span.unseen { (subject.title) @if is_reviewed(subject) { " (" (page.say("reviewed")) ")" } }
                        svg.track viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                            @if let Some(value) = value {
                                rect class={ "fill drive-" (subject.index % crate::chart::COLOURS) } x="0" y="0" height="10" width={ (format!("{:.2}", share(*value))) } {}
                            }
                        }
                        b { (said::measured(measure, subject).unwrap_or_else(|| page.say("no-value"))) }
                        @if let Some(reserve) = said::reserve(measure, subject, &page.texts) { small { (reserve) } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_comes_first_and_a_drive_without_a_value_last() {
        let mut values = [None, Some(1.0), Some(3.0)];
        values.sort_by(|a, b| by_rank(*a, *b, Better::Higher));
        assert_eq!(values, [Some(3.0), Some(1.0), None]);
        values.sort_by(|a, b| by_rank(*a, *b, Better::Lower));
        assert_eq!(values, [Some(1.0), Some(3.0), None]);
    }
}
