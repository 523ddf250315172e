//! Verdicts as JUnit XML, which test runners and continuous integration show: a test case a requirement of a gate,
//! or a drive of a batch.
//!
//! A requirement that is not met, and a drive that is rejected, is a `failure`. One that is not decided, and a drive that
//! a person must check, is an `error`, JUnit's word for a test that came to no verdict. The format has no standard; the
//! elements and attributes here are those that Jenkins and GitLab read.

use maud::{Markup, html};
use results::gate::{Gate, GateOutcome};
use results::screening::{Acceptance, Screening};

use crate::lang::{Lang, Texts};
use crate::xml::without_control_characters;
use crate::{gate, screening};

/// A test case: what it is called, and what is wrong.
struct Case {
    class: String,
    name: String,
    wrong: Option<Wrong>,
}

/// What is wrong, in a line and in full.
struct Wrong {
    /// True where there is no verdict.
    undecided: bool,
    message: String,
    lines: Vec<String>,
}

/// A gate's requirements.
pub fn of_gate(gate: &Gate, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let cases = gate.requirements.iter().map(|requirement| Case {
        class: requirement.method.clone(),
        name: requirement.asked.clone(),
        wrong: (requirement.outcome != GateOutcome::Met).then(|| Wrong {
            undecided: requirement.outcome == GateOutcome::NotDecided,
            message: gate::figure(requirement, &texts),
            lines: Vec::new(),
        }),
    });
    document(&format!("gate {}", gate.target), &cases.collect::<Vec<_>>())
}

/// The drives of a batch.
pub fn of_screening(batch: &Screening, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let cases = batch.drives.iter().map(|drive| {
        let mut lines = screening::reasons(drive, &texts);
        Case {
            class: "screen".to_owned(),
            name: format!("{} ({})", drive.title, drive.target),
            wrong: (drive.verdict != Acceptance::Accept).then(|| Wrong {
                undecided: drive.verdict == Acceptance::Look,
                message: match lines.is_empty() {
                    true => String::new(),
                    false => lines.remove(0),
                },
                lines,
            }),
        }
    });
    document("screen", &cases.collect::<Vec<_>>())
}

fn document(suite: &str, cases: &[Case]) -> String {
    let count = |undecided: bool| {
        let wrong = cases.iter().filter_map(|case| case.wrong.as_ref());
        wrong.filter(|wrong| wrong.undecided == undecided).count()
    };
    let (failures, errors) = (count(false), count(true));
    let page = html! {
        testsuites name="drivelab" tests=(cases.len()) failures=(failures) errors=(errors) {
            testsuite name=(suite) tests=(cases.len()) failures=(failures) errors=(errors) skipped="0" {
                @for case in cases {
                    testcase classname={ "drivelab." (case.class) } name=(case.name) {
                        @if let Some(wrong) = &case.wrong { (element(wrong)) }
                    }
                }
            }
        }
    };
    let page = without_control_characters(page.into_string());
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{page}\n")
}

fn element(wrong: &Wrong) -> Markup {
    let lines = wrong.lines.join("\n");
    match wrong.undecided {
        true => html! { error message=(wrong.message) { (lines) } },
        false => html! { failure message=(wrong.message) { (lines) } },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::gate::{GATE_SCHEMA, GatedRequirement};
    use results::screening::Screened;

    fn requirement(asked: &str, value: Option<f64>, outcome: GateOutcome) -> GatedRequirement {
        GatedRequirement {
            asked: asked.to_owned(),
            method: "full-scan".to_owned(),
            figure: "read.errors".to_owned(),
            sign: "=",
            limit: 0.0,
            unit: "count".to_owned(),
            value,
            interval: None,
            why_not: None,
            outcome,
        }
    }

    #[test]
    fn each_requirement_is_a_test_case_and_what_is_not_met_or_not_decided_has_its_figure() {
        let gate = Gate {
            schema: GATE_SCHEMA,
            target: "model:<x>&\u{1b}".to_owned(),
            title: String::new(),
            outcome: GateOutcome::NotMet,
            requirements: vec![
                requirement("a <= 1 ms", Some(0.0), GateOutcome::Met),
                requirement("b \"=\" 0", Some(3.0), GateOutcome::NotMet),
                requirement("c", None, GateOutcome::NotDecided),
            ],
        };
        let text = of_gate(&gate, Lang::En);
        let document = roxmltree::Document::parse(&text).unwrap();
        let suite = document.root_element().first_element_child().unwrap();
        assert_eq!(suite.attribute("name"), Some("gate model:<x>&\u{fffd}"));
        let counts = ["tests", "failures", "errors"].map(|name| suite.attribute(name));
        assert_eq!(counts, [Some("3"), Some("1"), Some("1")]);
        let cases: Vec<_> = suite.children().collect();
        assert_eq!(cases[0].attribute("name"), Some("a <= 1 ms"));
        assert!(cases[0].first_element_child().is_none());
        let failure = cases[1].first_element_child().unwrap();
        assert_eq!(failure.tag_name().name(), "failure");
        assert_eq!(failure.attribute("message"), Some("3 count"));
        assert_eq!(
            cases[2].first_element_child().unwrap().tag_name().name(),
            "error"
        );
    }

    #[test]
    fn a_drive_that_is_rejected_fails_and_one_to_check_is_an_error() {
        let drive = |target: &str, verdict: Acceptance| Screened {
            target: target.to_owned(),
            verdict,
            ..Screened::default()
        };
        let batch = Screening {
            drives: vec![
                drive("a", Acceptance::Accept),
                drive("b", Acceptance::Look),
                drive("c", Acceptance::Reject),
            ],
            ..Screening::default()
        };
        let text = of_screening(&batch, Lang::Ja);
        let document = roxmltree::Document::parse(&text).unwrap();
        let wrong: Vec<_> = (document.descendants())
            .filter(|node| node.has_tag_name("testcase"))
            .map(|case| {
                case.first_element_child()
                    .map(|wrong| wrong.tag_name().name().to_owned())
            })
            .collect();
        assert_eq!(
            wrong,
            [None, Some("error".to_owned()), Some("failure".to_owned())]
        );
    }
}
