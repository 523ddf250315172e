//! Verdicts by use in words: for the terminal, as JSON, and the rules by themselves.

use std::fmt::Write as _;

use base::{Better, Bytes};
use results::uses::{
    CheckedFigure, DriveReservation, DriveVerdicts, FigureSource, ListedUse, RuleCheck, Standing,
    USES_SCHEMA, UseRule, UseVerdict, UseVerdicts,
};
use results::{Quantity, RunResult, Statement, TEST_FILE, TailMark, TargetRecord};

use crate::lang::{Lang, Texts};
use crate::number;
use crate::terminal::{TerminalOptions, terminal_unit};
use crate::text_table::{hanging, indented};
use analysis::group::{Groups, Subject};
use analysis::observer::reservations;
use analysis::uses::{Bound, Check, Found, Lack, Rule, Source, USES, Use, Verdict, Why, verdicts};

/// The arguments behind a drive's name in a command, quoted where a shell would split them.
pub(crate) fn quoted(target: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if target.chars().all(plain) && !target.is_empty() {
        target.to_owned()
    } else {
        format!("'{}'", target.replace('\'', "'\\''"))
    }
}

/// The name of a standing's text, and of its class in the page.
pub(crate) const fn standing_key(standing: Standing) -> &'static str {
    match standing {
        Standing::Fit => "standing-fit",
        Standing::Limited => "standing-limited",
        Standing::CannotBeSaid => "standing-cannot-be-said",
        Standing::Unfit => "standing-unfit",
    }
}

/// Sign and number of the first bound, then of the second.
fn said(bound: Bound) -> [String; 2] {
    let (sign, bounds) = match bound {
        Bound::AtLeast(fit, limited) => ("≥", [fit, limited]),
        Bound::AtMost(fit, limited) => ("≤", [fit, limited]),
    };
    bounds.map(|bound| format!("{sign} {}", bound_number(bound)))
}

/// A bound as it is written in its reasoning: `1,000`, `118.7`.
fn bound_number(bound: f64) -> String {
    number::with_commas(&bound.to_string())
}

/// The command that would give a figure that is missing. Where a test file was judged, it names one that is large enough
/// to say something, and never the drive that the file lies on: that is in use, and some methods would write to it.
pub(crate) fn remedy(lack: &Lack, target: &TargetRecord) -> String {
    let more = match lack.why {
        Why::NotWhole(_) => " --set extent=whole",
        Why::TooFew(_) => " --scale full",
        Why::Seeks => " --set dwell=3s",
        _ => "",
    };
    let is_test_file = target.identity.contains_key(TEST_FILE);
    let name = match is_test_file && !lack.source.part.is_zero() {
        true => with_a_file_of(&target.name, lack.source.part),
        false => target.name.clone(),
    };
    format!(
        "drivelab run {} {}{more}",
        lack.source.method,
        quoted(&name)
    )
}

/// The name of a directory with a test file of such a size; a name under layers stays as it is.
fn with_a_file_of(name: &str, size: Bytes) -> String {
    if name.contains('(') {
        return name.to_owned();
    }
    let (path, options) = name.split_once('?').unwrap_or((name, ""));
    let others = options.split('&');
    let others = others.filter(|option| !option.is_empty() && !option.starts_with("size="));
    let size = format!("size={}", size.to_string().replace(' ', ""));
    let options: Vec<&str> = others.chain([size.as_str()]).collect();
    format!("{path}?{}", options.join("&"))
}

/// Why a source says nothing, as a sentence.
pub(crate) fn lack(lack: &Lack, texts: &Texts) -> String {
    let id = lack.source.method;
    let method = match lack.result {
        Some(result) => texts.method(result).to_owned(),
        None => texts
            .find(&format!("method-{id}"), &[])
            .unwrap_or_else(|| id.to_owned()),
    };
    let method = method.as_str();
    let figure = texts.figure(lack.source.key);
    match lack.why {
        Why::NotRun => texts.with("lack-not-run", &[("method", method)]),
        Why::NotMeasured => texts.with(
            "lack-not-measured",
            &[("method", method), ("figure", &figure)],
        ),
        Why::NoValue(why) => {
            let why = why.map_or_else(String::new, |why| texts.message(why));
            let places = [("method", method), ("figure", &figure), ("why", &why)];
            texts.with("lack-no-value", &places)
        }
        Why::NotWhole(span) => {
            let span = texts.message(span);
            texts.with("lack-not-whole", &[("method", method), ("span", &span)])
        }
        Why::TestFile => texts.with("lack-test-file", &[("method", method)]),
        Why::Seeks => texts.with("lack-seeks", &[("method", method)]),
        Why::TooFew(n) => {
            let least = number::with_commas(&lack.source.samples.to_string());
            let n = number::with_commas(&n.to_string());
            texts.with(
                "lack-too-few",
                &[("method", method), ("n", &n), ("least", &least)],
            )
        }
    }
}

/// The two bounds of a rule with their unit: `fit ≥ 15 MB/s, limited ≥ 3.7 MB/s`.
pub(crate) fn bounds(rule: &Rule, texts: &Texts) -> String {
    let [fit, limited] = said(rule.bound);
    let unit = texts.unit(rule.unit);
    texts.with(
        "use-bounds",
        &[("fit", &fit), ("limited", &limited), ("unit", &unit)],
    )
}

/// The bound of a fit drive with its unit: `≥ 15 MB/s`.
pub(crate) fn fit_bound(rule: &Rule, texts: &Texts) -> String {
    let [fit, _] = said(rule.bound);
    format!("{fit} {}", texts.unit(rule.unit))
}

/// What a use asks, in words.
pub(crate) fn name(of: &Use, texts: &Texts) -> String {
    texts.say(&format!("use-{}", of.id))
}

/// What a rule asks, in words.
pub(crate) fn rule_name(rule: &Rule, texts: &Texts) -> String {
    texts.say(&format!("rule-{}", rule.id))
}

/// Why a rule asks it.
pub(crate) fn rule_why(rule: &Rule, texts: &Texts) -> String {
    texts.say(&format!("rule-{}-why", rule.id))
}

/// Verdicts by use for the terminal, drive by drive, each with the figures behind it.
pub fn text(results: &[RunResult], options: &TerminalOptions) -> String {
    let texts = Texts::new(options.lang);
    let groups = texts.groups(results);
    let mut out = format!("{}\n", texts.say("uses"));
    for subject in &groups.subjects {
        let _ = writeln!(out, "\n{}", subject.title);
        let reserved = crate::reserved::reserved(&subject.results, &texts);
        if !reserved.is_empty() {
            out.push_str(&indented(2, &reserved, options.columns));
        }
        for verdict in verdicts(&subject.results) {
            let standing = texts.say(standing_key(verdict.standing));
            let _ = writeln!(out, "  {}: {standing}", name(verdict.of, &texts));
            for id in &verdict.because {
                let line = format!("{standing}: {}", texts.say(&format!("finding-{id}")));
                out.push_str(&hanging("    - ", &line, options.columns.max(26)));
            }
            for check in &verdict.checks {
                let line = format!(
                    "{}: {}",
                    standing_of(check, &texts),
                    check_text(check, subject, &texts)
                );
                out.push_str(&hanging("    - ", &line, options.columns.max(26)));
            }
        }
    }
    out
}

/// The state of a rule: provisional, where only a part of the drive was measured.
fn standing_of(check: &Check, texts: &Texts) -> String {
    let standing = texts.say(standing_key(check.standing()));
    match (check.part(), check.standing()) {
        (Some(_), Standing::Fit | Standing::Limited) => {
            texts.with("so-far", &[("what", &standing)])
        }
        _ => standing,
    }
}

/// What a figure is worth beside its number: of how much of the drive it is, and how far it is to be believed.
pub(crate) fn worth(check: &Check, tail: Option<TailMark>, texts: &Texts) -> Option<String> {
    let held = match check.provisional {
        true => Some(texts.say("provisional-figure")),
        false => tail.map(|mark| crate::tails::sentence(mark, texts)),
    };
    let worth: Vec<String> = part(check, texts).into_iter().chain(held).collect();
    (!worth.is_empty()).then(|| texts.clauses(&worth))
}

/// What the sentences of a part state.
const SHARE: &str = "share";
const SIZE: &str = "size";

/// The part of the drive that was measured, where all of it was asked for.
fn part(check: &Check, texts: &Texts) -> Option<String> {
    let part = check.part()?;
    let said = match check.share() {
        Some(share) => Statement::new("measured-share").with(SHARE, Quantity::Percent(share)),
        None => Statement::new("measured-file").with(SIZE, Quantity::Length(part)),
    };
    Some(texts.state(&said))
}

fn check_text(check: &Check, subject: &Subject, texts: &Texts) -> String {
    let rule = check.rule;
    let said = match &check.found {
        Found::Value {
            result,
            figure,
            value,
            tail,
            ..
        } => {
            let worth = worth(check, *tail, texts).map(|worth| format!("; {worth}"));
            format!(
                "{} {} ({}; {}, {}{})",
                number::beside(*value, rule.unit, &rule.bound.limits()),
                terminal_unit(rule.unit, texts),
                bounds(rule, texts),
                texts.method(result),
                figure.key,
                worth.unwrap_or_default()
            )
        }
        Found::Nothing(lacks) => match (check.to_run(), lacks.first()) {
            (Some(first), _) => {
                format!("{} ({})", lack(first, texts), remedy(first, subject.target))
            }
            (None, Some(first)) => lack(first, texts),
            (None, None) => String::new(),
        },
    };
    format!("{}: {said}", rule_name(rule, texts))
}

/// Verdicts by use as a document on [`USES_SCHEMA`]: the rules, and each drive's verdicts.
///
/// # Errors
/// Never: the document is made of numbers and texts alone; the error is the JSON writer's.
pub fn json(results: &[RunResult]) -> Result<String, serde_json::Error> {
    let groups = Groups::new(results);
    let texts = Texts::new(Lang::En);
    let of_drive = |subject: &Subject| DriveVerdicts {
        target: subject.target.name.clone(),
        title: subject.title.clone(),
        kind: subject.target.kind,
        reservations: reservations(&subject.results)
            .iter()
            .map(|one| DriveReservation {
                id: one.of.id,
                says: texts.state(&one.says),
                does: texts.state(&one.does),
                results: one.results,
            })
            .collect(),
        findings: crate::findings::documented(&subject.results, &texts),
        verdicts: (verdicts(&subject.results).iter())
            .map(|verdict| use_verdict(verdict, subject, &texts))
            .collect(),
    };
    serde_json::to_string_pretty(&UseVerdicts {
        schema: USES_SCHEMA,
        uses: USES.iter().map(|of| listed_use(of, &texts)).collect(),
        drives: groups.subjects.iter().map(of_drive).collect(),
    })
}

fn listed_use(of: &Use, texts: &Texts) -> ListedUse {
    let source = |source: &Source| FigureSource {
        method: source.method,
        key: source.key,
        whole: source.whole,
        samples: source.samples,
    };
    let rule = |rule: &Rule| {
        let (better, fit, limited) = match rule.bound {
            Bound::AtLeast(fit, limited) => (Better::Higher, fit, limited),
            Bound::AtMost(fit, limited) => (Better::Lower, fit, limited),
        };
        UseRule {
            id: rule.id,
            asks: rule_name(rule, texts),
            why: rule_why(rule, texts),
            unit: rule.unit,
            better,
            fit,
            limited,
            sources: rule.sources.iter().map(source).collect(),
        }
    };
    ListedUse {
        id: of.id,
        name: name(of, texts),
        rules: of.rules.iter().map(rule).collect(),
    }
}

fn use_verdict(verdict: &Verdict, subject: &Subject, texts: &Texts) -> UseVerdict {
    let check = |check: &Check| {
        let found = match &check.found {
            Found::Value {
                result,
                figure,
                value,
                tail,
                ..
            } => CheckedFigure::Found {
                value: *value,
                unit: check.rule.unit,
                result: result.id,
                method: result.method.clone(),
                key: figure.key.clone(),
                statistic: result.statistic_in_all_repeats(figure).to_string(),
                n: result.samples(figure),
                state: figure.comparable_by.state.clone(),
                scale: figure.comparable_by.scale.clone(),
                part: check.part(),
                tail: *tail,
            },
            Found::Nothing(lacks) => CheckedFigure::Missing {
                missing: lacks.iter().map(|l| lack(l, texts)).collect(),
                run: check.to_run().map(|l| remedy(l, subject.target)),
            },
        };
        RuleCheck {
            rule: check.rule.id,
            standing: check.standing(),
            provisional: check.provisional,
            found,
        }
    };
    UseVerdict {
        of: verdict.of.id,
        standing: verdict.standing,
        so_far: verdict.so_far(),
        checks: verdict.checks.iter().map(check).collect(),
    }
}

/// All uses with their rules, bounds and reasoning as Markdown; `docs/uses.md` is this in English.
pub fn rules(lang: Lang) -> String {
    let texts = Texts::new(lang);
    let mut out = format!(
        "# {}\n\n{}\n",
        texts.say("uses-rules"),
        texts.say("uses-explained")
    );
    for of in USES {
        let _ = write!(
            out,
            "\n## {}\n\n{}\n\n| {} | {} | {} | {} |\n|---|---|---|---|\n",
            name(of, &texts),
            texts.say(&format!("use-{}-about", of.id)),
            texts.say("rule"),
            texts.say("bounds"),
            texts.say("figures-of"),
            texts.say("reasoning"),
        );
        for rule in of.rules {
            let sources: Vec<String> = rule.sources.iter().map(|s| source(s, &texts)).collect();
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                rule_name(rule, &texts),
                bounds(rule, &texts),
                sources.join("; "),
                rule_why(rule, &texts)
            );
        }
    }
    out
}

/// A source in words: method, key, and what is asked of the measurement.
pub(crate) fn source(source: &Source, texts: &Texts) -> String {
    let mut asked = Vec::new();
    if source.whole {
        asked.push(texts.say("source-whole"));
    }
    if source.samples > 0 {
        let least = number::with_commas(&source.samples.to_string());
        asked.push(texts.with("source-samples", &[("least", &least)]));
    }
    let asked = if asked.is_empty() {
        String::new()
    } else {
        format!(" ({})", asked.join(", "))
    };
    format!("`{}` {}{asked}", source.method, source.key)
}

#[cfg(test)]
mod tests;
