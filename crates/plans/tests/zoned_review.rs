//! A review of a zoned drive contains reads, and sequential zone writes.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::method::Scale;
use plans::context::Context;
use plans::prepared::prepare;
use plans::review;
use targets::Consent;

const DRIVES: [&str; 2] = [
    "model:wd-ultrastar-dc-zn540-1tb",
    "model:wd-ultrastar-dc-hc620-14tb",
];

fn context() -> Context {
    Context {
        consents: vec![Consent::default()],
        command: Vec::new(),
        now_unix_ms: || 0,
    }
}

#[test]
fn a_review_of_a_zoned_drive_can_run_at_every_scale() {
    for drive in DRIVES {
        for scale in [Scale::Quick, Scale::Default, Scale::Full] {
            let plan = review::plan(drive, &Consent::default(), &[], &[], scale, 1).unwrap();
            let methods: Vec<&str> = plan.steps.iter().map(|s| s.method.as_str()).collect();
            assert!(methods.contains(&"zones"), "{methods:?}");
            let iometer = plan.steps.iter().find(|step| step.method == "iometer");
            assert_eq!(iometer.is_some(), scale != Scale::Quick, "{methods:?}");
            let prepared = prepare(plan, context(), None);
            assert!(prepared.is_ok(), "{drive}: {:?}", prepared.err());
        }
    }
}

#[test]
fn a_review_of_any_other_drive_has_no_zones() {
    for drive in ["model:crucial-p5-1tb", "model:wd-red-wd30efrx-3tb"] {
        let plan = review::plan(drive, &Consent::default(), &[], &[], Scale::Full, 1).unwrap();
        assert!(plan.steps.iter().all(|step| step.method != "zones"));
    }
}
