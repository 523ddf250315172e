//! A drive is built when a run opens it, and by nothing else.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::interrupt::Interrupt;
use base::method::Scale;
use base::time::Duration;
use lab::progress::{Progress, Standing};
use plans::causes::unanswered;
use plans::context::Context;
use plans::prepared::prepare;
use plans::{Plan, PlannedStep, PlannedTarget};
use results::plan::{Between, StepOrder};
use stats::repeat::Repeat;
use store::Store;
use targets::Consent;

/// Counts the drives that are built.
#[derive(Default)]
struct Builds(usize);

impl Progress for Builds {
    fn show(&mut self, _: &Standing<'_>) {}
    fn building(&mut self, _: &str) {
        self.0 += 1;
    }
    fn say(&mut self, _: &base::message::Message) {}
}

const STEPS: usize = 20;
const DRIVES: [&str; 2] = [
    "model:acard-ans-9010-14gb",
    "rapid(model:ocz-core-v2-30gb?state=full-in-order)",
];

fn plan(state: Between) -> Plan {
    let step = PlannedStep {
        method: "queue-depth-sweep".to_owned(),
        scale: Scale::Quick,
        set: ["time=10ms", "most-depth=1", "ops=read", "prepare=no"]
            .map(str::to_owned)
            .into(),
        repeat: Repeat::default(),
        rest: Duration::ZERO,
        targets: Vec::new(),
    };
    let target = |name: &str| PlannedTarget {
        name: name.to_owned(),
        rated_endurance: None,
    };
    Plan {
        name: "own".to_owned(),
        title: "Own".to_owned(),
        order: StepOrder::AsListed,
        state,
        seed: 1,
        at_once: 1,
        targets: DRIVES.map(target).into(),
        steps: vec![step; STEPS],
        screen: None,
        beside_published: None,
        causes: Vec::new(),
    }
}

fn built(state: Between) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("store.db")).unwrap();
    let context = Context {
        consents: vec![Consent::default(); DRIVES.len()],
        command: Vec::new(),
        now_unix_ms: || 0,
    };
    let mut builds = Builds::default();
    let prepared = prepare(plan(state), context, None).unwrap();
    let under_way = prepared.begin(&store).unwrap();
    prepared
        .work(
            &store,
            under_way,
            &unanswered,
            &mut builds,
            &Interrupt::new(),
        )
        .unwrap();
    builds.0
}

#[test]
fn a_plan_of_forty_modelled_steps_builds_forty_drives() {
    assert_eq!(built(Between::Anew), STEPS * DRIVES.len());
}

#[test]
fn a_plan_that_carries_its_drives_over_builds_each_once() {
    assert_eq!(built(Between::CarriedOver), DRIVES.len());
}
