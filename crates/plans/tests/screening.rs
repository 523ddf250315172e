//! Batches of modelled disks: like ones, one with a slower spindle, one whose counters were changed.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::health::{Health, HealthReading, Overall};
use base::method::Scale;

use analysis::screening::{Candidate, ODD, screen};
use base::health::Condition;
use base::interrupt::Interrupt;
use base::io::Op;
use base::record::Latencies;
use base::time::Duration;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use results::RunResult;
use results::screening::{Acceptance, Limits, Screened, Screening};
use results::statement::Quantity;

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
            set: vec![set.to_owned()],
            ..Request::new(method, target, scale, 1)
        };
        let prepared = prepare(request).unwrap();
        prepared.run(None, &mut Silent, &Interrupt::new()).unwrap()
    };
    methods.into_iter().map(run).collect()
}

/// Five disks of one kind, the fourth with a defect.
fn batch(fourth: &str) -> Vec<(String, Vec<RunResult>)> {
    let of = |number: usize| {
        let own = if number == 4 { fourth } else { "" };
        let target = format!("{DISK}&seed={number}{own}");
        let results = results(&target);
        (target, results)
    };
    (1..=5).map(of).collect()
}

fn none() -> Limits {
    Limits {
        odd: ODD,
        ..Limits::default()
    }
}

fn verdicts(screening: &Screening) -> Vec<Acceptance> {
    screening.drives.iter().map(|drive| drive.verdict).collect()
}

/// The names of what is reported about a drive.
fn said(drive: &Screened) -> Vec<&str> {
    drive.reasons.iter().map(|reason| reason.says.key).collect()
}

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
    let alike = judge(&none(), &batch(""));
    assert_eq!(alike.odd_one, None, "{:#?}", alike.drives);
    assert_eq!(verdicts(&alike), [Acceptance::Accept; 5]);
    let mixed = batch("&hdd.media.rpm=5400");
    let odd = judge(&none(), &mixed);
    assert_eq!(
        odd.odd_one.as_deref(),
        Some(mixed[3].0.as_str()),
        "{:#?}",
        odd.drives
    );
    assert!(!odd.drives[3].furthest.is_empty());
    let mut seen = [Acceptance::Accept; 5];
    seen[3] = Acceptance::Look;
    assert_eq!(verdicts(&odd), seen, "an outlier is never accepted");
    assert_eq!(said(&odd.drives[3]), ["acceptance-outlier"]);
    let two = judge(&none(), &mixed[3..]);
    assert_eq!(
        (two.odd_beyond, two.odd_one),
        (None, None),
        "too few to tell"
    );
}

#[test]
fn drives_are_compared_with_those_of_their_own_model_only() {
    let limits = Limits {
        curve_below_percent: Some(20.0),
        ..none()
    };
    let ssd = |seed| {
        let target = format!("model:samsung-860-pro-512gb?seed={seed}");
        let results = results(&target);
        (target, results)
    };
    let beside = |mut disks: Vec<(String, Vec<RunResult>)>| {
        disks.extend([ssd(1), ssd(2)]);
        disks.swap(0, 5);
        judge(&limits, &disks)
    };
    let alike = beside(batch(""));
    assert_eq!(verdicts(&alike), [Acceptance::Accept; 7]);
    assert_eq!(alike.models, 2);
    // One of a model's disks is gone: that is no model of its own.
    let mut less = batch("");
    less[0].1.clear();
    assert_eq!(judge(&limits, &less).models, 1);
    let mixed = beside(batch("&hdd.media.rpm=5400"));
    assert_eq!(mixed.count(Acceptance::Reject), 1);
    assert_eq!(mixed.drives[3].verdict, Acceptance::Reject);
    assert_eq!(mixed.odd_one.as_ref(), Some(&mixed.drives[3].target));
}

#[test]
fn a_disk_that_breaks_a_limit_is_refused_with_what_and_where() {
    let mixed = batch("&hdd.media.rpm=5400");
    let limits = Limits {
        curve_below_percent: Some(20.0),
        ..none()
    };
    let screening = judge(&limits, &mixed);
    assert_eq!(screening.count(Acceptance::Reject), 1);
    assert_eq!(
        said(&screening.drives[3]),
        ["acceptance-below", "acceptance-outlier"]
    );
    let strict = Limits {
        response_max: Some(Duration::from_micros(1)),
        response_p99: Some(Duration::from_micros(1)),
        ..none()
    };
    let all = judge(&strict, &mixed);
    assert_eq!(all.count(Acceptance::Reject), 5);
    let first = &all.drives[0];
    let both = ["acceptance-read-longest", "acceptance-read-p99"];
    assert_eq!(said(first)[..2], both);
    let methods = first.reasons.iter().filter_map(|r| r.method.as_ref());
    let of: Vec<(&str, Option<&str>)> = methods
        .map(|method| (method.id.as_str(), method.phase.as_deref()))
        .collect();
    assert_eq!(of[0], ("quick-scan", None));
    // The watch is judged as it measures, alone and beside a load; the probe of its pace is not.
    assert!(of.contains(&("latency-watch", Some("alone"))), "{of:?}");
    assert!(of.contains(&("latency-watch", Some("beside a load"))));
    assert!(!of.contains(&("latency-watch", Some("pace"))), "{of:?}");
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
        ..none()
    };
    let screening = judge(&limits, &batch);
    let [accept, reject] = [Acceptance::Accept, Acceptance::Reject];
    assert_eq!(
        verdicts(&screening),
        [accept, reject, reject, accept, accept]
    );
    let all = [
        "acceptance-suspect",
        "acceptance-reallocated",
        "acceptance-hot",
    ];
    assert_eq!(said(&screening.drives[1]), all);
    assert!(!screening.drives[1].reasons[0].because.is_empty());
    assert_eq!(said(&screening.drives[2]), ["acceptance-missing"]);
    let good = Limits {
        condition: Some(Condition::Good),
        ..none()
    };
    let asked = judge(&good, &batch);
    assert_eq!(said(&asked.drives[1])[0], "acceptance-suspect");
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
            ..none()
        };
        screen(&limits, &[candidate]).drives.remove(0)
    };
    assert_eq!(screened(&results, 5).verdict, Acceptance::Accept);
    let both = ["acceptance-failed", "acceptance-differing"];
    let four = screened(&results, 4);
    assert_eq!(said(&four), both);
    let counts = four.reasons.iter().map(|r| r.says.quantity("count"));
    let counts: Vec<_> = counts.flatten().cloned().collect();
    assert_eq!(counts, [Quantity::Count(3), Quantity::Count(2)]);
    results[0].phases[0].jobs[0].errors.differing_reads = 5;
    assert_eq!(said(&screened(&results, 0)), ["acceptance-differing"]);
}

#[test]
fn a_drive_that_is_gone_is_named_by_what_it_was() {
    let gone = Candidate {
        target: "/dev/sdd",
        title: Some("Samsung SSD 840 750 GB (S1D9NEAD600001T)".to_owned()),
        steps: 2,
        results: Vec::new(),
    };
    let screening = screen(&none(), &[gone]);
    assert_eq!(
        screening.drives[0].title,
        "Samsung SSD 840 750 GB (S1D9NEAD600001T)"
    );
    assert_eq!(screening.drives[0].verdict, Acceptance::Reject);
}

/// A drive's results, changed.
fn changed(results: &[RunResult], change: impl Fn(&mut RunResult)) -> Vec<RunResult> {
    let mut results = results.to_vec();
    results.iter_mut().for_each(change);
    results
}

fn with_health(results: &[RunResult], health: &Health) -> Vec<RunResult> {
    changed(results, |result| {
        result.health_after = Some(HealthReading::Read {
            health: Box::new(health.clone()),
        });
    })
}

/// Every read as one of this length, of the given operation.
fn slowed(results: &[RunResult], op: Op, time: Duration) -> Vec<RunResult> {
    changed(results, |result| {
        for job in result.phases.iter_mut().flat_map(|phase| &mut phase.jobs) {
            let mut all = Latencies::default();
            (0..200).for_each(|_| all.keep(time));
            let mut read = Latencies::default();
            (0..200).for_each(|_| read.keep(Duration::from_millis(1)));
            job.ops[Op::Read as usize].service = read.clone();
            job.ops[Op::Write as usize].service = read;
            job.ops[op as usize].service = all;
            for op in &mut job.ops {
                op.response = Latencies::default();
            }
        }
    })
}

#[test]
fn every_limit_rejects_a_drive_that_no_other_one_does() {
    let results = results(DISK);
    let healthy = Health {
        overall: Overall::Passed,
        ..Health::default()
    };
    let ill = |change: fn(&mut Health)| {
        let mut health = healthy.clone();
        change(&mut health);
        with_health(&results, &health)
    };
    let slow = |op| slowed(&results, op, Duration::from_millis(50));
    let failed = changed(&results, |result| {
        result.phases[0].jobs[0].errors.count = 1;
    });
    let limit = Some(Duration::from_millis(20));
    type Set = fn(&mut Limits, Option<Duration>);
    let cases: [(&str, Vec<RunResult>, Set); 11] = [
        ("acceptance-read-longest", slow(Op::Read), |l, t| {
            l.response_max = t
        }),
        ("acceptance-read-p99", slow(Op::Read), |l, t| {
            l.response_p99 = t
        }),
        ("acceptance-read-longest", slow(Op::Read), |l, t| {
            l.read_max = t
        }),
        ("acceptance-read-p99", slow(Op::Read), |l, t| l.read_p99 = t),
        ("acceptance-write-longest", slow(Op::Write), |l, t| {
            l.write_max = t
        }),
        ("acceptance-write-p99", slow(Op::Write), |l, t| {
            l.write_p99 = t
        }),
        ("acceptance-failed", failed, |l, _| l.errors = Some(0)),
        (
            "acceptance-reallocated",
            ill(|h| h.reallocated = Some(3)),
            |l, _| l.reallocated = Some(2),
        ),
        (
            "acceptance-pending",
            ill(|h| h.pending = Some(3)),
            |l, _| l.pending = Some(2),
        ),
        (
            "acceptance-uncorrectable",
            ill(|h| h.uncorrectable = Some(3)),
            |l, _| l.uncorrectable = Some(2),
        ),
        (
            "acceptance-hot",
            ill(|h| h.temperature_celsius = Some(61)),
            |l, _| l.temperature_celsius = Some(60),
        ),
    ];
    for (key, results, set) in &cases {
        let alone = [(DISK.to_owned(), results.clone())];
        let mut limits = none();
        set(&mut limits, limit);
        let screening = judge(&limits, &alone);
        assert_eq!(screening.drives[0].verdict, Acceptance::Reject, "{key}");
        assert!(
            said(&screening.drives[0]).iter().all(|said| said == key),
            "{key}"
        );
        limits.errors = Some(1);
        let kept = Limits {
            errors: Some(1),
            ..none()
        };
        assert_eq!(judge(&kept, &alone).worst(), Acceptance::Accept, "{key}");
    }
}

#[test]
fn the_99th_percentile_is_judged_at_its_edge_and_of_a_hundred_at_least() {
    let results = results(DISK);
    let of = |count: u64, limit: u64| {
        let results = changed(&results, |result| {
            for job in result.phases.iter_mut().flat_map(|phase| &mut phase.jobs) {
                let read = &mut job.ops[Op::Read as usize];
                (read.service, read.response) = <(Latencies, Latencies)>::default();
            }
            let last = result.phases.last_mut().unwrap();
            let read = &mut last.jobs[0].ops[Op::Read as usize];
            (0..count).for_each(|_| read.service.keep(Duration::from_millis(50)));
        });
        let limits = Limits {
            read_p99: Some(Duration::from_micros(limit)),
            ..none()
        };
        judge(&limits, &[(DISK.to_owned(), results)]).worst()
    };
    assert_eq!(of(100, 51_000), Acceptance::Accept);
    assert_eq!(of(100, 49_000), Acceptance::Reject);
    assert_eq!(of(99, 49_000), Acceptance::Look, "too few to tell");
    assert_eq!(
        of(99, 51_000),
        Acceptance::Accept,
        "the longest is within it"
    );
}

#[test]
fn a_limit_of_writes_on_drives_that_were_only_read_is_to_be_looked_at() {
    let results = results(DISK);
    let limits = Limits {
        write_p99: Some(Duration::from_secs(1)),
        ..none()
    };
    let only_read = changed(&results, |result| {
        for job in result.phases.iter_mut().flat_map(|phase| &mut phase.jobs) {
            job.ops[Op::Write as usize] = base::record::OpRecord::default();
        }
    });
    let screening = judge(&limits, &[(DISK.to_owned(), only_read)]);
    assert_eq!(said(&screening.drives[0]), ["acceptance-no-writes"]);
}
