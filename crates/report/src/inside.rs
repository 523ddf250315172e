//! What is inside a drive, as `explain` found it: for the terminal, and as a document.
//!
//! Findings stand under how certain they are, since "not visible" below "found" is read as a finding. Each is named, said,
//! and followed by what it means; what would settle an open one stands behind it.

use analysis::answers::inside::{Finding, Writes, ended_early, findings, not_asked};
use base::{Bytes, Duration, Figure, Op};
use results::explanation::{
    Certainty, EXPLAIN_SCHEMA, ExplainedPart, Explanation, ExplanationCost, Explanations,
};
use results::{Quantity, RunResult};

use crate::lang::{Lang, Texts};
use crate::text_table::hanging;

/// What stands under one heading, in the order of headings.
pub(crate) const HEADINGS: [(&str, &[Certainty]); 5] = [
    ("explain-found", &[Certainty::Found, Certainty::Bounded]),
    ("explain-absent", &[Certainty::Absent]),
    ("explain-not-visible", &[Certainty::NotVisible]),
    ("explain-open", &[Certainty::Open]),
    ("explain-not-asked", &[Certainty::NotAsked]),
];

/// What else is said of a finding, by the names under which the texts say it.
pub(crate) const ASPECTS: [(&str, &str); 3] = [
    ("rules-out", "explain-rules-out"),
    ("assumes", "explain-assumes"),
    ("settles", "explain-settles"),
];

/// Whether a result has a page of its own inside.
pub(crate) fn has(result: &RunResult) -> bool {
    !findings(result).is_empty()
}

/// The findings for a terminal, `columns` wide.
pub(crate) fn text(result: &RunResult, columns: usize, texts: &Texts) -> String {
    let found = findings(result);
    let mut out = String::new();
    let mut line = |head: &str, text: &str| {
        out.push_str(&hanging(head, &text.replace("µs", "us"), columns));
    };
    for (heading, of) in HEADINGS {
        let among: Vec<&Finding> = found
            .iter()
            .filter(|it| of.contains(&it.certainty))
            .collect();
        let unasked = match heading {
            "explain-not-asked" => unasked(result, texts),
            _ => Vec::new(),
        };
        if among.is_empty() && unasked.is_empty() {
            continue;
        }
        line("", &texts.say(heading));
        for finding in among {
            let said = [name(finding.id, texts), texts.stated(&finding.said)].join(": ");
            line("  ", &said);
            for (mark, aspect) in [("    > ", "means"), ("    ? ", "settles")] {
                let said = texts.aspect_of(&finding.said, aspect);
                said.iter().for_each(|said| line(mark, said));
            }
        }
        unasked.iter().for_each(|said| line("  ", said));
    }
    line("", &self::cost_said(result, texts));
    out
}

/// What a finding is about.
pub(crate) fn name(id: &str, texts: &Texts) -> String {
    texts.figure(&format!("explain-{id}"))
}

/// What was not asked, by what would have to be written.
pub(crate) fn unasked(result: &RunResult, texts: &Texts) -> Vec<String> {
    let open = not_asked(result);
    if ended_early(result) {
        let names: Vec<String> = open.iter().map(|(id, _, _)| name(id, texts)).collect();
        let said = || texts.with("explain-cut-short", &[("what", &texts.list(&names))]);
        return (!names.is_empty()).then(said).into_iter().collect();
    }
    let of = |writes: Writes, key: &str| {
        let names = open.iter().filter(|(_, _, of)| *of == writes);
        let names: Vec<String> = names.map(|(id, _, _)| name(id, texts)).collect();
        (!names.is_empty()).then(|| texts.with(key, &[("what", &texts.list(&names))]))
    };
    let both = [
        of(Writes::Bounded, "explain-writes-bounded"),
        of(Writes::Whole, "explain-writes-whole"),
    ];
    both.into_iter().flatten().collect()
}

/// What it took.
fn cost(result: &RunResult) -> ExplanationCost {
    let moved = |op: Op| {
        result
            .phases
            .iter()
            .map(|phase| phase.of(op).bytes.get())
            .sum()
    };
    ExplanationCost {
        seconds: result
            .phases
            .iter()
            .map(|phase| phase.took.as_secs_f64())
            .sum(),
        read: moved(Op::Read),
        written: moved(Op::Write),
    }
}

/// The same in words.
pub(crate) fn cost_said(result: &RunResult, texts: &Texts) -> String {
    let cost = cost(result);
    let size = |bytes: u64| texts.quantity(&Quantity::Size(Bytes::new(bytes)));
    let seconds = Duration::from_secs_f64(cost.seconds);
    let quantities = [
        ("seconds", texts.quantity(&Quantity::Time(seconds))),
        ("read", size(cost.read)),
        ("written", size(cost.written)),
    ];
    let quantities = quantities
        .each_ref()
        .map(|(key, value)| (*key, value.as_str()));
    texts.with("explain-cost", &quantities)
}

/// What was found of each result of `explain`, as JSON ([`EXPLAIN_SCHEMA`]).
///
/// # Errors
/// Never: the document is made of numbers and texts alone; the error is the JSON writer's.
pub fn json(results: &[RunResult]) -> Result<String, serde_json::Error> {
    let explained = results.iter().filter(|result| result.method == "explain");
    serde_json::to_string_pretty(&Explanations {
        schema: EXPLAIN_SCHEMA,
        drives: explained.map(explanation).collect(),
    })
}

/// The findings of several results, for a terminal.
pub fn of_all(results: &[RunResult], columns: usize, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let explained = results.iter().filter(|result| has(result));
    let each = explained.map(|result| {
        let title = &result.target.title;
        format!("{title}\n{}", text(result, columns, &texts))
    });
    each.collect::<Vec<String>>().join("\n")
}

fn explanation(result: &RunResult) -> Explanation {
    let texts = Texts::new(Lang::En);
    let reserved = analysis::answers::reserved(result);
    Explanation {
        result: result.id,
        target: result.target.name.clone(),
        title: result.target.title.to_string(),
        kind: result.target.kind,
        reserved: reserved.iter().map(|said| texts.state(said)).collect(),
        cost: cost(result),
        findings: findings(result)
            .iter()
            .map(|it| part(it, result, &texts))
            .collect(),
        not_asked: not_asked(result).iter().map(|(id, _, _)| *id).collect(),
    }
}

fn part(finding: &Finding, result: &RunResult, texts: &Texts) -> ExplainedPart {
    let aspect = |name: &str| texts.aspect_of(&finding.said, name);
    ExplainedPart {
        question: finding.id,
        part: finding.part,
        certainty: finding.certainty,
        says: texts.stated(&finding.said),
        means: aspect("means"),
        rules_out: aspect("rules-out"),
        assumes: aspect("assumes"),
        settles: aspect("settles"),
        evidence: evidence(finding, result).cloned().collect(),
    }
}

/// The figures behind a finding.
pub(crate) fn evidence<'a>(
    finding: &'a Finding,
    result: &'a RunResult,
) -> impl Iterator<Item = &'a Figure> {
    let all = result.figures.iter();
    all.filter(|figure| figure.key.starts_with(finding.figures))
}
