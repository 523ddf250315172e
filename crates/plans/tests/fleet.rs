//! Fleets of modelled disks, judged by the limits of the ready plan: faulty ones are found, healthy ones are let be.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use analysis::screening::{Candidate, screen};
use base::interrupt::Interrupt;
use base::method::Scale;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use plans::ready::find;
use results::RunResult;
use results::screening::{Acceptance, Screened, Screening};

const DISK: &str = "model:wd-red-wd30efrx-3tb";

/// The plan's methods with a full scan of the first 10 GB: its positions are 9.8 MB then.
const METHODS: [(&str, &[&str]); 3] = [
    ("quick-scan", &["ops=read"]),
    ("full-scan", &["ops=read", "extent=10GB"]),
    ("latency-watch", &["op=read", "load=none"]),
];

fn results(target: &str) -> Vec<RunResult> {
    let run = |(method, set): (&str, &[&str])| {
        let request = Request {
            set: set.iter().map(|one| (*one).to_owned()).collect(),
            ..Request::new(method, target, Scale::Default, 1)
        };
        let prepared = prepare(request).unwrap();
        prepared.run(None, &mut Silent, &Interrupt::new()).unwrap()
    };
    METHODS.into_iter().map(run).collect()
}

fn judged(targets: &[String]) -> Screening {
    let limits = find("screen").unwrap().unwrap().screen.unwrap();
    let all: Vec<Vec<RunResult>> = targets.iter().map(|target| results(target)).collect();
    let candidate = |(target, results)| Candidate {
        target,
        title: None,
        steps: METHODS.len(),
        results: Vec::from_iter::<&Vec<RunResult>>(results),
    };
    let batch = targets.iter().map(String::as_str).zip(&all);
    screen(&limits, &batch.map(candidate).collect::<Vec<_>>())
}

fn said(drive: &Screened) -> Vec<&str> {
    drive.reasons.iter().map(|reason| reason.says.key).collect()
}

#[test]
fn of_eight_disks_the_bad_the_slow_and_the_stuttering_one_are_not_accepted() {
    let faults = [
        "",
        "",
        "",
        "bad=4GB+64KiB",
        "slow=7GB+5MB&slow_by=80ms",
        "",
        "stutter=300ms&stutter_every=10s",
        "",
    ];
    let target = |(at, fault): (usize, &&str)| {
        let seed = at + 1;
        let disk = format!("{DISK}?seed={seed}");
        if fault.is_empty() {
            disk
        } else {
            format!("fault({disk})?{fault}")
        }
    };
    let targets: Vec<String> = faults.iter().enumerate().map(target).collect();
    let screening = judged(&targets);
    let drives = &screening.drives;
    for at in [0, 1, 2, 5, 7] {
        assert_eq!(
            drives[at].verdict,
            Acceptance::Accept,
            "{:#?}",
            drives[at].reasons
        );
    }
    assert_eq!(drives[3].verdict, Acceptance::Reject);
    assert_eq!(said(&drives[3])[0], "acceptance-failed-reads");
    assert_eq!(
        drives[4].verdict,
        Acceptance::Look,
        "{:#?}",
        drives[4].reasons
    );
    let weak = drives[4]
        .reasons
        .iter()
        .find(|r| r.says.key == "acceptance-weak");
    let weak = weak.unwrap_or_else(|| panic!("{:#?}", drives[4].reasons));
    let area = drives[4].surfaces[0].weak[0];
    assert!(area.from.get() <= 7_000_000_000 && area.to.get() >= 7_005_000_000);
    assert_eq!(weak.method.as_ref().unwrap().id, "full-scan");
    assert!(drives[6].verdict >= Acceptance::Look, "it stands still");
    assert!(
        said(&drives[6]).contains(&"acceptance-stalls"),
        "{:?}",
        said(&drives[6])
    );
}

#[test]
fn of_a_hundred_healthy_disks_one_at_most_is_to_be_looked_at() {
    let mut all = Vec::new();
    for fleet in 0..10 {
        let targets: Vec<String> = (1..=8)
            .map(|disk| format!("{DISK}?seed={}", 100 * fleet + disk))
            .collect();
        all.extend(judged(&targets).drives);
    }
    let seen = all
        .iter()
        .filter(|drive| drive.verdict != Acceptance::Accept);
    let seen: Vec<_> = seen.map(|drive| (&drive.target, &drive.reasons)).collect();
    assert!(seen.len() <= 1, "{seen:#?}");
}
