//! Questions for causes that a plan asks, interrupted: the steps keep their results, and the questions are asked again.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::cell::Cell;
use std::sync::atomic::Ordering;

use base::interrupt::Interrupt;
use lab::progress::Silent;
use plans::causes::PlannedCause;
use plans::context::Context;
use plans::error::PlanError;
use plans::file::parse;
use plans::prepared::{prepare, stored};
use results::cause::Cause;
use store::Store;
use targets::Consent;

const PLAN: &str = r#"
targets = ["null:"]
scale = "quick"
[[step]]
method = "latency-watch"
[[cause]]
a = "model:samsung-840-250gb"
b = "model:samsung-840-evo-250gb"
method = "slc-fill"
figure = "whole.rate"
[[cause]]
a = "model:samsung-840-250gb"
b = "model:samsung-840-evo-250gb"
method = "slc-fill"
figure = "whole.rate"
"#;

#[test]
fn an_interrupt_between_two_questions_loses_no_step_and_both_are_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("store.db")).unwrap();
    let context = Context {
        consents: vec![Consent::default()],
        command: Vec::new(),
        now_unix_ms: || 0,
    };
    let prepared = prepare(parse("own", "own.toml", PLAN).unwrap(), context, None).unwrap();
    let under_way = prepared.begin(&store).unwrap();
    let id = under_way.id();
    let (interrupt, asked) = (Interrupt::new(), Cell::new(0));
    let stops = |_: &PlannedCause, _: u64| -> Result<Cause, String> {
        asked.set(asked.get() + 1);
        interrupt.flag().store(true, Ordering::Relaxed);
        Err("interrupted".to_owned())
    };
    let stopped = prepared.work(&store, under_way, &stops, &mut Silent, &interrupt);
    let Err(PlanError::Interrupted {
        done: 1, steps: 1, ..
    }) = stopped
    else {
        panic!("{stopped:?}")
    };
    assert_eq!(asked.get(), 1, "the second question is not asked");
    let run = store.steps(id).unwrap()[0].run;
    let again = stored(&store, id).unwrap();
    let again = again.prepare(vec![Consent::default()], || 0).unwrap();
    let under_way = store.resume_plan(id).unwrap();
    let counts = |_: &PlannedCause, seed: u64| -> Result<Cause, String> {
        Err(format!("no answer with seed {seed}"))
    };
    let outcome = again
        .work(&store, under_way, &counts, &mut Silent, &Interrupt::new())
        .unwrap();
    assert_eq!(outcome.steps[0].run, run.0, "the step is not run again");
    assert_eq!((outcome.causes.len(), outcome.without_answer()), (2, 2));
    assert_eq!(
        outcome.causes[0].why.as_deref(),
        Some("no answer with seed 1")
    );
}
