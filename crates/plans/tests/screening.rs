//! Batches of modelled disks: like ones, one with a slower spindle, one whose counters were changed.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::health::{Health, HealthReading, Overall};
use base::method::Scale;
use stats::repeat::Repeat;

use analysis::screening::{Candidate, ODD, screen};
use base::health::Condition;
use base::time::Duration;
use lab::opening::Consent;
use lab::progress::{Interrupt, Silent};
use lab::running::{Request, prepare};
use results::RunResult;
use results::screening::{Limits, Screening};

const DISK: &str = "model:hgst-deskstar-nas-hdn724030-3tb?host=none";

/// A quick scan and a few seconds of small reads on a modelled disk.
fn results(target: &str) -> Vec<RunResult> {
    // At quick scale a stall of a tenth of a second is several regions long.
    let methods = [
        ("quick-scan", Scale::Default, "ops=read"),
        ("latency-watch", Scale::Quick, "op=read"),
    ];
    let run = |(method, scale, set): (&str, Scale, &str)| {
        let request = Request {
            method: method.to_owned(),
            target: target.to_owned(),
            scale,
            seed: 1,
            repeat: Repeat::default(),
            set: vec![set.to_owned()],
            consent: Consent::default(),
            command: Vec::new(),
            now_unix_ms: || 0,
        };
        let prepared = prepare(request).unwrap();
        prepared.run(None, &mut Silent, &Interrupt::new()).unwrap()
    };
    methods.into_iter().map(run).collect()
}

/// Five disks of one kind, the fourth with something of its own.
fn batch(fourth: &str) -> Vec<(String, Vec<RunResult>)> {
    let of = |number: usize| {
        let own = if number == 4 { fourth } else { "" };
        let target = format!("{DISK}&seed={number}{own}");
        let results = results(&target);
        (target, results)
    };
    (1..=5).map(of).collect()
}

const NONE: Limits = Limits {
    response_max: None,
    response_p99: None,
    curve_below_percent: None,
    errors: None,
    condition: None,
    reallocated: None,
    pending: None,
    uncorrectable: None,
    temperature_celsius: None,
    odd: ODD,
};

fn judge(limits: &Limits, batch: &[(String, Vec<RunResult>)]) -> Screening {
    let candidates = batch.iter().map(|(target, results)| Candidate {
        title: None,
        target,
        steps: 2,
        results: results.iter().collect(),
    });
    screen(limits, &candidates.collect::<Vec<_>>())
}

#[test]
fn a_disk_that_turns_slower_is_the_odd_one_and_like_disks_have_none() {
    let alike = judge(&NONE, &batch(""));
    assert_eq!(alike.odd_one, None, "{:#?}", alike.drives);
    assert!(alike.drives.iter().all(|drive| drive.accepted));
    let mixed = batch("&hdd.media.rpm=5400");
    let odd = judge(&NONE, &mixed);
    assert_eq!(
        odd.odd_one.as_deref(),
        Some(mixed[3].0.as_str()),
        "{:#?}",
        odd.drives
    );
    assert!(!odd.drives[3].furthest.is_empty());
    assert!(odd.drives[3].accepted, "no limit was asked");
    let two = judge(&NONE, &mixed[3..]);
    assert_eq!(
        (two.odd_beyond, two.odd_one),
        (None, None),
        "too few to tell"
    );
}

#[test]
fn a_disk_that_breaks_a_limit_is_refused_with_what_and_where() {
    let mixed = batch("&hdd.media.rpm=5400");
    let limits = Limits {
        curve_below_percent: Some(20.0),
        ..NONE
    };
    let screening = judge(&limits, &mixed);
    assert_eq!(screening.refused(), 1, "{:#?}", screening.drives);
    let reason = &screening.drives[3].reasons[0];
    assert!(
        reason.contains("below the batch in the eighth from"),
        "{reason}"
    );
    let strict = Limits {
        response_max: Some(Duration::from_micros(1)),
        response_p99: Some(Duration::from_micros(1)),
        ..NONE
    };
    let all = judge(&strict, &mixed);
    assert_eq!(all.refused(), 5);
    assert!(all.drives[0].reasons[0].contains("quick-scan read responses: the longest"));
    assert_eq!(
        all.drives[0].reasons.len(),
        6,
        "{:?}",
        all.drives[0].reasons
    );
}

#[test]
fn a_counter_beyond_its_limit_or_a_step_without_a_result_refuses_a_disk() {
    let mut batch = batch("");
    let health = Health {
        overall: Overall::Passed,
        reallocated: Some(3),
        temperature_celsius: Some(61),
        ..Health::default()
    };
    for result in &mut batch[1].1 {
        result.health_after = Some(HealthReading::Read {
            health: Box::new(health.clone()),
        });
    }
    batch[2].1.pop();
    let limits = Limits {
        reallocated: Some(2),
        temperature_celsius: Some(60),
        condition: Some(Condition::Unknown),
        errors: Some(0),
        ..NONE
    };
    let screening = judge(&limits, &batch);
    let accepted: Vec<bool> = screening.drives.iter().map(|d| d.accepted).collect();
    assert_eq!(accepted, [true, false, false, true, true]);
    let reasons = screening.drives[1].reasons.join("; ");
    for words in ["its health is suspect", "reallocated: 3", "61 degrees"] {
        assert!(reasons.contains(words), "{words}: {reasons}");
    }
    assert!(screening.drives[2].reasons[0].contains("1 of 2 steps"));
    let good = Limits {
        condition: Some(Condition::Good),
        ..NONE
    };
    let asked = judge(&good, &batch);
    assert!(asked.drives[1].reasons[0].contains("suspect"));
}

#[test]
fn reads_that_differ_and_ios_that_failed_break_one_limit_in_words_of_their_own() {
    let mut results = results(DISK);
    let errors = &mut results[0].phases[0].jobs[0].errors;
    (errors.count, errors.differing_reads) = (5, 2);
    let screened = |results: &[RunResult], most| {
        let candidate = Candidate {
            title: None,
            target: DISK,
            steps: 2,
            results: results.iter().collect(),
        };
        let limits = Limits {
            errors: Some(most),
            ..NONE
        };
        screen(&limits, &[candidate]).drives.remove(0)
    };
    assert!(screened(&results, 5).accepted);
    let both = "quick-scan: 3 I/Os failed, 2 reads gave other data than was written (at most 4)";
    assert_eq!(screened(&results, 4).reasons, [both]);
    results[0].phases[0].jobs[0].errors.differing_reads = 5;
    let differ = "quick-scan: 5 reads gave other data than was written (at most 0)";
    assert_eq!(screened(&results, 0).reasons, [differ]);
}

#[test]
fn a_drive_that_is_gone_is_named_by_what_it_was() {
    let gone = Candidate {
        target: "/dev/sdd",
        title: Some("Samsung SSD 840 750 GB (S1D9NEAD600001T)".to_owned()),
        steps: 2,
        results: Vec::new(),
    };
    let screening = screen(&NONE, &[gone]);
    assert_eq!(
        screening.drives[0].title,
        "Samsung SSD 840 750 GB (S1D9NEAD600001T)"
    );
    assert!(!screening.drives[0].accepted);
}
