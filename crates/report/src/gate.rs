//! A gate for the terminal: a line a requirement, with the figure that decides it.

use results::gate::{Gate, GateOutcome, GatedRequirement};

use crate::lang::{Lang, Texts};
use crate::number;
use crate::terminal::terminal_unit;
use crate::text_table::indented;

/// What came of a requirement, in a word.
fn word(outcome: GateOutcome, texts: &Texts) -> String {
    texts.say(match outcome {
        GateOutcome::Met => "gate-met",
        GateOutcome::NotDecided => "gate-not-decided",
        GateOutcome::NotMet => "gate-not-met",
    })
}

/// The figure behind it: value, interval, and what would decide it where nothing does.
pub(crate) fn figure(requirement: &GatedRequirement, texts: &Texts) -> String {
    let unit = terminal_unit(&requirement.unit, texts);
    let number = |value: f64| number::beside(value, &requirement.unit, &[requirement.limit]);
    let Some(value) = requirement.value else {
        let why = requirement.why_not.as_ref();
        return match why.map(|why| texts.message(why)) {
            Some(why) => texts.with("no-value-why", &[("why", &why)]),
            None => texts.say("no-value-unsaid"),
        };
    };
    let mut said = format!("{} {unit}", number(value));
    if let Some(interval) = requirement.interval {
        let (low, high) = (number(interval.low), number(interval.high));
        let percent = format!("{}", interval.confidence_percent);
        let places = [
            ("low", low),
            ("high", high),
            ("unit", unit),
            ("percent", percent),
        ];
        let places = places.each_ref().map(|(name, text)| (*name, text.as_str()));
        said.push_str(&texts.with("gate-interval", &places));
        if requirement.outcome == GateOutcome::NotDecided {
            said.push_str(&texts.say("gate-inside"));
        }
    } else if requirement.unit != "count" {
        said.push_str(&texts.say("gate-no-interval"));
    }
    said
}

/// All requirements, `columns` wide.
pub fn text(gate: &Gate, columns: usize, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let mut out = format!("{} ({})\n", gate.title, gate.target);
    for requirement in &gate.requirements {
        let figure = figure(requirement, &texts);
        let outcome = word(requirement.outcome, &texts);
        out.push_str(&format!("{outcome}  {}\n", requirement.asked));
        out.push_str(&indented(8, &figure, columns));
    }
    out
}
