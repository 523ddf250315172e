//! Verdicts by use in the page: a table of uses and drives, and below it, use by use, each rule with
//! its bounds, its reasoning, and what was found of each drive.

use crate::number;
use crate::uses as said;
use analysis::group::Subject;
use analysis::uses::{Check, Found, Standing, USES, Verdict, verdicts};

use super::Page;
use super::drives::name;
use crate::escape::escape;

/// The verdicts; nothing where there are no drives.
pub(super) fn section(page: &Page) -> String {
    if page.groups.subjects.is_empty() {
        return String::new();
    }
    let verdicts: Vec<Vec<Verdict>> = page
        .groups
        .subjects
        .iter()
        .map(|subject| verdicts(&subject.results))
        .collect();
    let heads = heads(page);
    let rows: String = (0..USES.len())
        .map(|at| summary_row(page, at, &verdicts))
        .collect();
    let details: String = (0..USES.len())
        .map(|at| rules(page, at, &verdicts))
        .collect();
    let shortened = if page.results.iter().all(|r| r.stands_beside_published) {
        String::new()
    } else {
        format!(
            "<p class=\"standing\">{}</p>",
            page.say("uses-of-shortened")
        )
    };
    format!(
        "<section id=\"uses\" aria-labelledby=\"uses-h\"><h2 id=\"uses-h\">{title}</h2>\
         <p>{explained}</p>{shortened}\
         <div class=\"scroll\" role=\"region\" aria-labelledby=\"uses-h\" tabindex=\"0\">\
         <table class=\"verdict uses\"><thead><tr><th scope=\"col\">{of}</th>{heads}</tr></thead>\
         <tbody>{rows}</tbody></table></div>{details}</section>\n",
        title = page.say("uses"),
        explained = page.say("uses-explained"),
        of = page.say("use"),
    )
}

fn heads(page: &Page) -> String {
    let head = |subject: &Subject| {
        format!(
            "<th scope=\"col\" class=\"d{}\">{}</th>",
            subject.index,
            name(page, subject)
        )
    };
    page.groups.subjects.iter().map(head).collect()
}

fn badge(page: &Page, standing: Standing) -> String {
    let key = said::standing_key(standing);
    format!("<span class=\"{key}\">{}</span>", page.say(key))
}

fn summary_row(page: &Page, at: usize, verdicts: &[Vec<Verdict>]) -> String {
    let of = USES[at];
    let cells: String = page
        .groups
        .subjects
        .iter()
        .zip(verdicts)
        .map(|(subject, verdicts)| {
            format!(
                "<td class=\"d{}\">{}</td>",
                subject.index,
                badge(page, verdicts[at].standing)
            )
        })
        .collect();
    format!(
        "<tr><th scope=\"row\"><a href=\"#use-{}\">{}</a></th>{cells}</tr>",
        of.id,
        escape(&said::name(of, &page.texts))
    )
}

/// A use's rules with what was found; open where the page is about one drive.
fn rules(page: &Page, at: usize, verdicts: &[Vec<Verdict>]) -> String {
    let of = USES[at];
    let rows: String = (0..of.rules.len())
        .map(|place| {
            let checks: Vec<&Check> = verdicts.iter().map(|of| &of[at].checks[place]).collect();
            rule_row(page, &checks)
        })
        .collect();
    let open = if page.groups.subjects.len() == 1 {
        " open"
    } else {
        ""
    };
    format!(
        "<details class=\"use\" id=\"use-{id}\"{open}><summary>{name}</summary><p>{about}</p>\
         <div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{name}\">\
         <table class=\"rules\"><thead><tr><th scope=\"col\">{rule}</th>{heads}</tr></thead>\
         <tbody>{rows}</tbody></table></div></details>",
        id = of.id,
        name = escape(&said::name(of, &page.texts)),
        about = escape(&page.texts.say(&format!("use-{}-about", of.id))),
        rule = page.say("rule"),
        heads = heads(page),
    )
}

fn rule_row(page: &Page, checks: &[&Check]) -> String {
    let Some(rule) = checks.first().map(|check| check.rule) else {
        return String::new();
    };
    let cells: String = page
        .groups
        .subjects
        .iter()
        .zip(checks)
        .map(|(subject, check)| {
            format!(
                "<td class=\"d{}\">{}</td>",
                subject.index,
                found(page, subject, check)
            )
        })
        .collect();
    format!(
        "<tr><th scope=\"row\">{name}<br><span class=\"bounds\">{bounds}</span>\
         <span class=\"reasoning\">{why}</span></th>{cells}</tr>",
        name = escape(&said::rule_name(rule, &page.texts)),
        bounds = escape(&said::bounds(rule, &page.texts)),
        why = escape(&said::rule_why(rule, &page.texts)),
    )
}

fn found(page: &Page, subject: &Subject, check: &Check) -> String {
    let badge = badge(page, check.standing());
    match &check.found {
        Found::Value {
            result,
            figure,
            value,
            ..
        } => {
            let by = &figure.comparable_by;
            let behind: Vec<String> = [
                page.texts.method(result).to_owned(),
                figure.key.clone(),
                page.texts.statistic(&figure.statistic),
                format!("n = {}", number::with_commas(&figure.n.to_string())),
                by.span.clone(),
                by.state.clone(),
                by.scale.clone(),
            ]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
            format!(
                "<b>{} {}</b> {badge}<small>{}</small>",
                escape(&number::value(*value, check.rule.unit)),
                escape(&page.texts.unit(check.rule.unit)),
                escape(&behind.join(", "))
            )
        }
        Found::Nothing(lacks) => {
            let whys: Vec<String> = lacks.iter().map(|l| said::lack(l, &page.texts)).collect();
            let run = lacks.first().map_or(String::new(), |first| {
                format!(
                    "<small>{} {}</small>",
                    page.say("to-run"),
                    super::drives::code(&said::remedy(first, subject.target))
                )
            });
            format!("{badge}<small>{}</small>{run}", escape(&whys.join("; ")))
        }
    }
}
