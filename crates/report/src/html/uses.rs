//! Verdicts by use in the page: a table of uses and drives, and below it, use by use, each rule with
//! its bounds, its reasoning, and the findings for each drive.

use crate::number;
use crate::uses as said;
use analysis::group::Subject;
use analysis::uses::{Check, Found, USES, Verdict, verdicts};
use maud::{Markup, html};
use results::Standing;

use super::Page;
use super::drives::{code, heads};

/// Whether the page has verdicts: one method that judges no use has none.
pub(super) fn is_shown(page: &Page) -> bool {
    let judged = |verdict: &Verdict| verdict.standing != Standing::CannotBeSaid;
    let subjects = &page.groups.subjects;
    !subjects.is_empty()
        && page.around.front.is_none()
        && (!page.is_of_one_method() || all_verdicts(page).iter().flatten().any(judged))
}

fn all_verdicts<'a>(page: &'a Page) -> Vec<Vec<Verdict<'a>>> {
    let subjects = page.groups.subjects.iter();
    subjects.map(|subject| verdicts(&subject.results)).collect()
}

/// The verdicts; empty where there are none.
pub(super) fn section(page: &Page) -> Markup {
    let verdicts = all_verdicts(page);
    let shortened = page.results.iter().any(|r| !r.stands_beside_published);
    html! {
        @if is_shown(page) {
            section #uses aria-labelledby="uses-h" {
                h2 #uses-h { (page.say("uses")) }
                p { (page.say("uses-explained")) }
                @if shortened { p.standing { (page.say("uses-of-shortened")) } }
                @if verdicts.iter().flatten().any(Verdict::so_far) { p.standing { (page.say("so-far-explained")) } }
                div.scroll role="group" aria-labelledby="uses-h" tabindex="0" {
                    table.verdict.uses {
                        thead { tr { th scope="col" { (page.say("use")) } (heads(page)) } }
                        tbody { @for at in 0..USES.len() { (summary_row(page, at, &verdicts)) } }
                    }
                }
                @for at in 0..USES.len() { (rules(page, at, &verdicts)) }
            }
        }
    }
}

fn badge(page: &Page, standing: Standing) -> Markup {
    let key = said::standing_key(standing);
    html! { span class=(key) { (page.say(key)) } }
}

fn summary_row(page: &Page, at: usize, verdicts: &[Vec<Verdict>]) -> Markup {
    let of = USES[at];
    html! {
        tr {
            th scope="row" { a href={ "#use-" (of.id) } { (said::name(of, &page.texts)) } }
            @for (subject, verdicts) in page.groups.subjects.iter().zip(verdicts) {
                td class={ "d" (subject.index) } {
                    (badge(page, verdicts[at].standing))
                    @if verdicts[at].so_far() { " " (page.say("so-far-chip")) }
                }
            }
        }
    }
}

/// A use's rules with what was found; open where the page is about one drive and something was found.
fn rules(page: &Page, at: usize, verdicts: &[Vec<Verdict>]) -> Markup {
    let of = USES[at];
    let name = said::name(of, &page.texts);
    let checks = |place: usize| -> Vec<&Check> {
        let each = verdicts.iter().map(|of| &of[at].checks[place]);
        each.collect()
    };
    let is_known = (verdicts.iter()).any(|of| of[at].standing != Standing::CannotBeSaid);
    html! {
        details.use id={ "use-" (of.id) } open[page.groups.subjects.len() == 1 && is_known] {
            summary { (name) }
            p { (page.say(&format!("use-{}-about", of.id))) }
            div.scroll role="group" tabindex="0" aria-label=(name) {
                table.rules {
                    thead { tr { th scope="col" { (page.say("rule")) } (heads(page)) } }
                    tbody { @for place in 0..of.rules.len() { (rule_row(page, &checks(place))) } }
                }
            }
        }
    }
}

fn rule_row(page: &Page, checks: &[&Check]) -> Markup {
    let Some(rule) = checks.first().map(|check| check.rule) else {
        return html! {};
    };
    html! {
        tr {
            th scope="row" {
                (said::rule_name(rule, &page.texts)) br;
                span.bounds { (said::bounds(rule, &page.texts)) }
                span.reasoning { (said::rule_why(rule, &page.texts)) }
            }
            @for (subject, check) in page.groups.subjects.iter().zip(checks) {
                td class={ "d" (subject.index) } { (found(page, subject, check)) }
            }
        }
    }
}

fn found(page: &Page, subject: &Subject, check: &Check) -> Markup {
    let badge = badge(page, check.standing());
    match &check.found {
        Found::Value {
            result,
            figure,
            value,
            tail,
            ..
        } => {
            let by = &figure.comparable_by;
            let worth = said::worth(check, *tail, &page.texts);
            let behind: Vec<String> = [
                page.texts.method(result).to_owned(),
                figure.key.clone(),
                page.texts
                    .statistic(&result.statistic_in_all_repeats(figure)),
                format!(
                    "n = {}",
                    number::with_commas(&result.samples(figure).to_string())
                ),
                page.texts.message(&by.span),
                page.texts.drive_state(&by.state),
                page.texts.recorded_scale(&by.scale),
                worth.unwrap_or_default(),
            ]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
            let unit = check.rule.unit;
            html! {
                b { (number::beside(*value, unit, &check.rule.bound.limits())) " " (page.texts.unit(unit)) } " " (badge)
                small { (page.texts.clauses(&behind)) }
            }
        }
        Found::Nothing(lacks) => {
            let mut whys: Vec<String> = lacks.iter().map(|l| said::lack(l, &page.texts)).collect();
            // Two figures of a method that was not run lack the same.
            whys.dedup();
            html! {
                (badge)
                small { (page.texts.clauses(&whys)) }
                @if let Some(first) = check.to_run() {
                    small { (page.say("to-run")) " " (code(&said::remedy(first, subject.target))) }
                }
            }
        }
    }
}
