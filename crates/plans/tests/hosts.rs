//! Fleets of modelled disks in many hosts, with bad ones of different kinds: each is found, and no other.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::interrupt::Interrupt;
use base::method::Scale;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use plans::hosts::batches;
use results::RunResult;
use results::plan::{Between, PlanOutcome, StepOrder, StepOutcome};
use results::screening::Acceptance;

const DISK: &str = "model:hgst-deskstar-nas-hdn724030-3tb?host=none";
/// A surface with a slow place, retries at one place, and a slower firmware (as its seeks have it).
const BAD: [&str; 3] = [
    "fault({})?slow=1500GB+300GB&slow_by=9ms",
    "fault({})?slow=200GB+40GB&slow_by=80ms",
    "{}&hdd.media.rpm=5400",
];

fn measured(target: &str, id: i64) -> RunResult {
    let request = Request {
        set: vec!["ops=read".to_owned()],
        ..Request::new("quick-scan", target, Scale::Default, 1)
    };
    let prepared = prepare(request).unwrap();
    let mut result = prepared.run(None, &mut Silent, &Interrupt::new()).unwrap();
    result.id = id;
    result
}

/// A host with one disk.
fn host(number: u64, target: String) -> (String, PlanOutcome) {
    let result = measured(&target, 1);
    let step = StepOutcome {
        step: 1,
        method: result.method.clone(),
        target,
        run: 1,
        state: "finished",
        why: None,
    };
    let outcome = PlanOutcome {
        schema: "",
        id: 1,
        name: "screen".to_owned(),
        title: String::new(),
        order: StepOrder::default(),
        state: Between::default(),
        seed: 1,
        at_once: 1,
        forecast: None,
        steps: vec![step],
        screening: None,
        document: None,
        published: Vec::new(),
        causes: Vec::new(),
        results: vec![result],
    };
    (format!("host-{number}"), outcome)
}

/// Disks of one kind from a seed on, the first three of them bad.
fn fleet(disks: u64, seed: u64) -> Vec<(String, PlanOutcome)> {
    let target = |number: u64| {
        let disk = format!("{DISK}&seed={}", seed + number);
        match BAD.get(number as usize) {
            Some(bad) => bad.replace("{}", &disk),
            None => disk,
        }
    };
    let half = |numbers: std::ops::Range<u64>| {
        move || -> Vec<_> { numbers.map(|number| host(number, target(number))).collect() }
    };
    std::thread::scope(|scope| {
        let first = scope.spawn(half(0..disks / 2));
        let mut all = half(disks / 2..disks)();
        all.extend(first.join().unwrap());
        all
    })
}

/// The hosts whose disks are not accepted.
fn not_accepted(fleet: &[(String, PlanOutcome)]) -> Vec<String> {
    let batches = batches(fleet);
    assert_eq!(batches.len(), 1, "one model and firmware is one batch");
    let drives = &batches[0].screening.drives;
    let not = drives
        .iter()
        .filter(|drive| drive.verdict != Acceptance::Accept);
    let mut hosts: Vec<String> = not
        .map(|drive| drive.target.split(':').next().unwrap().to_owned())
        .collect();
    hosts.sort();
    hosts
}

#[test]
fn three_bad_disks_of_forty_are_found_and_no_other() {
    assert_eq!(not_accepted(&fleet(40, 1)), ["host-0", "host-1", "host-2"]);
}

#[test]
#[ignore = "ten thousand disks take many minutes: run for the record (cargo test --release -p plans --test hosts -- --ignored)"]
fn three_bad_disks_of_a_thousand_are_found_and_no_other_in_ten_fleets() {
    for fleet_number in 0..10 {
        let found = not_accepted(&fleet(1_000, 1 + fleet_number * 1_000));
        assert_eq!(
            found,
            ["host-0", "host-1", "host-2"],
            "fleet {fleet_number}"
        );
    }
}
