//! `drivelab review`: the main command, a generated plan.

use base::message::{Argument, Message};
use plans::prepared::prepare;
use plans::review;
use targets::Consent;

use crate::arguments::ReviewArguments;
use crate::commands::{Session, can_report, consent, plan};
use crate::output::{Failure, announce, tell};

/// Reviews a target: summary on the terminal, a report, stored results.
pub(crate) fn review(session: &Session, arguments: ReviewArguments) -> Result<(), Failure> {
    let target = &arguments.target;
    let beside = match (arguments.beside.is_empty(), &session.neighbours) {
        (false, _) => arguments.beside,
        (true, Some(own)) => own.clone(),
        (true, None) => review::neighbours(target, arguments.seed)?,
    };
    let consent = consent(&arguments.consent, target)?;
    let (scale, seed) = (arguments.scale.into(), arguments.seed);
    let class = match arguments.class {
        true => review::class(target, &beside, seed)?,
        false => Vec::new(),
    };
    if !class.is_empty() {
        let seconds = review::seconds_of_class(class.len(), scale);
        tell(&Message::new(
            "forecast-class",
            [
                ("method", "crystaldiskmark".into()),
                ("drives", class.len().into()),
                ("seconds", Argument::text(format_args!("{seconds:.0}"))),
            ],
        ));
    }
    let plan = review::plan(target, &consent, &beside, &class, scale, seed)?;
    // What is set beside is only read.
    let mut consents = vec![Consent::default(); plan.targets.len()];
    consents[0] = consent;
    let context = session.context(consents);
    if arguments.consent.dry_run {
        let prepared = prepare(plan, context, None)?;
        return plan::show_forecast(prepared, arguments.json);
    }
    let html = (!arguments.no_html).then(|| session.report_place(arguments.html));
    let prepared = prepare(plan, context, html.clone())?;
    can_report(html.as_deref())?;
    let store = session.open_store()?;
    let earlier = plans::prepared::told_of_unfinished(&store, review::NAME, "a review")?;
    earlier.iter().for_each(tell);
    announce(&plans::forecast::before_it_starts(&prepared.forecast));
    let outcome = plan::begin(session, &store, prepared)?;
    plan::end_review(session, &outcome, html.as_deref(), arguments.json)
}
