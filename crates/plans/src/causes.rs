//! What a plan asks of modelled drives: why one of two is ahead of the other in a figure.
//!
//! ```toml
//! [[cause]]
//! ask = "Why does the EVO write as the 840 does not?"  # for people; may be left out
//! a = "model:samsung-840-250gb?state=fresh"            # two modelled drives, or one in two states
//! b = "model:samsung-840-evo-250gb?state=fresh"
//! method = "slc-fill"
//! set = { extent = "2GiB" }
//! figure = "whole.rate"                                # a figure of the method
//! scale = "quick"                                      # the plan's where it is left out
//! ```
//!
//! A review tells what each drive does, and then why. The plan's steps are the first; this is the second. How the causes are
//! found is no matter of this crate: whoever runs the plan brings the [`Answering`]. They come after the last step, since
//! a simulation beside a measurement would slow it. They are not stored: the same models and seed give the same answer, in
//! seconds, whenever the plan is resumed or its report is made again.

use std::collections::BTreeMap;

use base::{Argument, Interrupt, Message, Scale};
use lab::progress::Progress;
use lab::running::{Request, prepare};
use results::cause::Cause;
use results::plan::{CauseForecast, PlanCause};
use serde::{Deserialize, Serialize};
use targets::grammar::Spec;
use toml::Spanned;

use super::Plan;
use super::reading::{Plain, Source, Usual, method_of, settings_of};
use crate::error::PlanError;

/// Runs of a question, for its forecast: both drives with three seeds each, and all sets of five groups.
const RUNS: f64 = 38.0;

/// Finds a cause, with a seed; or why there is none.
pub type Answering<'a> = &'a dyn Fn(&PlannedCause, u64) -> Result<Cause, String>;

/// Nobody asks: for plans without causes.
///
/// # Errors
/// Always.
pub fn unanswered(_: &PlannedCause, _: u64) -> Result<Cause, String> {
    Err("nobody was there to answer it".to_owned())
}

/// What is asked of two modelled drives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedCause {
    /// The question in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// The first drive, as a target.
    pub a: String,
    /// The second one.
    pub b: String,
    /// The method's name.
    pub method: String,
    /// How long.
    pub scale: Scale,
    /// Settings, each as `key=value`.
    pub set: Vec<String>,
    /// The figure's key, or what is read off a chart.
    pub figure: String,
    /// File and line where it is asked.
    pub place: String,
}

/// The question as written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CauseTable {
    ask: Option<String>,
    a: Spanned<String>,
    b: Spanned<String>,
    method: Spanned<String>,
    #[serde(default)]
    set: BTreeMap<Spanned<String>, Spanned<Plain>>,
    figure: Spanned<String>,
    scale: Option<Scale>,
}

impl CauseTable {
    pub(super) fn read(
        self,
        source: &Source<'_>,
        usual: &Usual,
    ) -> Result<PlannedCause, PlanError> {
        for target in [&self.a, &self.b] {
            check(target.get_ref()).map_err(|why| source.error(target.span(), why))?;
        }
        let method = method_of(source, &self.method)?;
        let scale = self.scale.unwrap_or(usual.scale);
        let figure = self.figure;
        Ok(PlannedCause {
            ask: self.ask,
            a: self.a.into_inner(),
            b: self.b.into_inner(),
            method: self.method.into_inner(),
            scale,
            set: settings_of(source, method, &self.set, scale, usual.seed)?,
            place: source.place(figure.span()),
            figure: figure.into_inner(),
        })
    }
}

/// Whether a target is a modelled drive that exists, without layers.
fn check(target: &str) -> Result<(), String> {
    let spec: Spec = target.parse().map_err(said)?;
    match spec {
        Spec::Model { .. } => targets::sheet(&spec).map(|_| ()).map_err(said),
        _ => Err(format!(
            "{target}: a cause is asked of modelled drives without layers: model:NAME"
        )),
    }
}

fn said(why: impl ToString) -> String {
    why.to_string()
}

/// What each question will take.
pub(super) fn forecast(plan: &Plan) -> Result<Vec<CauseForecast>, PlanError> {
    let forecast = |cause: &PlannedCause| {
        let of = |target: &String| {
            let request = Request {
                set: cause.set.clone(),
                ..Request::new(&cause.method, target, cause.scale, plan.seed)
            };
            Ok::<f64, PlanError>(prepare(request)?.how_long().simulated_seconds)
        };
        let each = (of(&cause.a)? + of(&cause.b)?) / 2.0;
        Ok(CauseForecast {
            method: cause.method.clone(),
            a: cause.a.clone(),
            b: cause.b.clone(),
            simulated_seconds: RUNS * each,
        })
    };
    plan.causes.iter().map(forecast).collect()
}

/// What a plan's questions are answered; those that are left when somebody interrupts are not asked.
pub fn answered(
    plan: &Plan,
    answering: Answering<'_>,
    progress: &mut dyn Progress,
    interrupt: &Interrupt,
) -> Vec<PlanCause> {
    let mut all = Vec::new();
    for (at, asked) in plan.causes.iter().enumerate() {
        if interrupt.wanted() {
            break;
        }
        let places = [
            ("number", Argument::text(at + 1)),
            ("count", plan.causes.len().into()),
            ("method", (&asked.method).into()),
            ("figure", (&asked.figure).into()),
        ];
        progress.say(&Message::new("progress-cause", places));
        let answer = answering(asked, plan.seed);
        all.push(PlanCause {
            ask: asked.ask.clone(),
            why: answer.as_ref().err().cloned(),
            cause: answer.ok(),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::parse;
    use crate::forecast::{forecast, lines};

    const WHOLE: &str = r#"
targets = ["null:"]
scale = "quick"

[[step]]
method = "latency-watch"

[[cause]]
ask = "Why?"
a = "model:samsung-840-250gb?state=fresh"
b = "model:samsung-840-evo-250gb?state=fresh"
method = "slc-fill"
set = { extent = "2GiB" }
figure = "whole.rate"
"#;

    #[test]
    fn a_question_has_the_plans_scale_and_knows_where_it_was_asked() {
        let plan = parse("own", "own.toml", WHOLE).unwrap();
        let [asked] = &plan.causes[..] else {
            panic!("one question")
        };
        assert_eq!(
            (asked.scale, asked.ask.as_deref()),
            (Scale::Quick, Some("Why?"))
        );
        assert_eq!(asked.set, ["extent=2GiB"]);
        assert_eq!(asked.place, "own.toml, line 14");
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_the_nearest_name() {
        for (old, new, says) in [
            (
                "\"slc-fill\"",
                "\"slc-fil\"",
                "line 12: there is no method 'slc-fil'; did you mean slc-fill",
            ),
            ("840-evo-250gb", "840-ev-250gb", "line 11: "),
            (
                "840-evo-250gb",
                "840-ev-250gb",
                "did you mean samsung-840-evo-250gb",
            ),
            (
                "model:samsung-840-evo-250gb?state=fresh",
                "null:",
                "line 11: null:: a cause is asked of modelled drives",
            ),
            (
                "extent",
                "extend",
                "line 13: slc-fill has no setting 'extend'; did you mean extent",
            ),
            ("figure =", "figur =", "unknown field 'figur'"),
            ("figure = \"whole.rate\"\n", "", "missing field 'figure'"),
        ] {
            assert!(WHOLE.contains(old), "{old}");
            let said = parse("own", "own.toml", &WHOLE.replacen(old, new, 1));
            let said = said.unwrap_err().to_string();
            assert!(said.contains(says), "{new}: {said}");
            assert!(!said.contains('\n'), "one line: {said}");
        }
    }

    #[test]
    fn a_question_costs_time_of_the_processor_and_writes_nothing() {
        let of = |text: &str| {
            let plan = parse("own", "own.toml", text).unwrap();
            forecast(&plan, &crate::context::Context::reading(1)).unwrap()
        };
        let (steps, _) = WHOLE.split_once("[[cause]]").unwrap();
        let (without, forecast) = (of(steps), of(WHOLE));
        let [cause] = &forecast.causes[..] else {
            panic!("{forecast:?}")
        };
        let more = forecast.simulated_seconds - without.simulated_seconds;
        assert!(more > 0.0 && (more - cause.simulated_seconds).abs() < 1e-9);
        assert_eq!(forecast.targets, without.targets);
        let said = lines(&forecast);
        assert!(said[1].contains("writes nothing"), "{said:?}");
    }
}
