//! What verdicts by use must hold.

use super::*;
use fixtures::results as sample;

fn with(method: &str, figures: &[(&str, f64, &str)]) -> RunResult {
    let mut result = sample::review().swap_remove(0);
    result.target.identity.clear();
    result.method = method.to_owned();
    result.figures = figures
        .iter()
        .map(|(key, value, unit)| {
            let mut figure = sample::figure(key, Some(*value), unit);
            figure.comparable_by.whole = true;
            figure.n = 5_000;
            figure
        })
        .collect();
    result
}

fn recording(rate: f64, slowest: f64, worst: f64, errors: f64) -> Standing {
    let results = [
        with("slc-fill", &[("whole.rate", rate, "MB/s")]),
        with(
            "full-scan",
            &[
                ("write.innermost.bottom", slowest, "MB/s"),
                ("write.response.max", worst, "ms"),
                ("write.errors", errors, "count"),
            ],
        ),
    ];
    standing(&results, "continuous-recording")
}

fn standing(results: &[RunResult], of: &str) -> Standing {
    let results: Vec<&RunResult> = results.iter().collect();
    let verdicts = verdicts(&results);
    verdicts.iter().find(|v| v.of.id == of).unwrap().standing
}

#[test]
fn the_worst_figure_decides() {
    assert_eq!(recording(150.0, 120.0, 20.0, 0.0), Standing::Fit);
    assert_eq!(recording(150.0, 60.0, 20.0, 0.0), Standing::Limited);
    assert_eq!(recording(150.0, 120.0, 2_000.0, 0.0), Standing::Unfit);
    assert_eq!(recording(150.0, 120.0, 20.0, 1.0), Standing::Unfit);
}

#[test]
fn a_bound_itself_is_inside() {
    let least = Bound::AtLeast(15.0, 3.7);
    let most = Bound::AtMost(100.0, 1_000.0);
    assert_eq!(least.standing(15.0), Standing::Fit);
    assert_eq!(least.standing(3.7), Standing::Limited);
    assert_eq!(most.standing(100.0), Standing::Fit);
    assert_eq!(most.standing(1_000.1), Standing::Unfit);
}

#[test]
fn nothing_is_said_where_a_figure_is_missing_unless_another_one_forbids_the_use() {
    let slow = with("slc-fill", &[("whole.rate", 20.0, "MB/s")]);
    let fast = with("slc-fill", &[("whole.rate", 400.0, "MB/s")]);
    assert_eq!(
        standing(&[fast], "continuous-recording"),
        Standing::CannotBeSaid
    );
    assert_eq!(standing(&[slow], "continuous-recording"), Standing::Unfit);
    assert_eq!(standing(&[], "nas"), Standing::CannotBeSaid);
}

/// The method that a rule of a use names as the one to run.
fn to_run(results: &[RunResult], of: &str, rule: &str) -> Option<&'static str> {
    let results: Vec<&RunResult> = results.iter().collect();
    let verdicts = verdicts(&results);
    let verdict = verdicts.iter().find(|v| v.of.id == of).unwrap();
    let check = verdict.checks.iter().find(|c| c.rule.id == rule).unwrap();
    check.to_run().map(|lack| lack.source.method)
}

#[test]
fn a_method_that_said_why_it_has_no_value_is_not_named_again() {
    let scanned = |why: Option<&str>| {
        let mut scan = with("full-scan", &[("write.mean", 100.0, "MB/s")]);
        scan.figures[0].value = None;
        scan.figures[0].why_not = why.map(str::to_owned);
        scan
    };
    let worst = |scan| to_run(&[scan], "continuous-recording", "record-worst");
    assert_eq!(worst(scanned(None)), Some("full-scan"));
    assert_eq!(worst(scanned(Some("zones with gaps"))), Some("quick-scan"));
}

#[test]
fn of_a_drive_whose_zones_the_host_minds_only_what_minds_them_is_named() {
    let of = |zones: &str| {
        let mut read = with("quick-scan", &[("read.mean", 500.0, "MB/s")]);
        if !zones.is_empty() {
            let zones = ("zones".to_owned(), zones.to_owned());
            read.target.identity.extend([zones]);
        }
        read
    };
    let refused = {
        let mut scan = of("host-managed, 904 zones of 2 GiB");
        scan.method = "full-scan".to_owned();
        scan.figures[0].key = "write.mean".to_owned();
        scan.figures[0].value = None;
        scan.figures[0].why_not = Some("zones with gaps".to_owned());
        scan
    };
    let lasting = |results: &[RunResult]| to_run(results, "nas", "line-writes");
    assert_eq!(lasting(&[of("")]), Some("slc-fill"));
    let aware = of("host-aware, 904 zones of 2 GiB");
    assert_eq!(lasting(&[aware]), Some("slc-fill"));
    assert_eq!(lasting(std::slice::from_ref(&refused)), Some("zones"));
    // What nothing can measure there has no command.
    assert_eq!(
        to_run(std::slice::from_ref(&refused), "nas", "array-writes"),
        None
    );
    let filled = with("zones", &[("fill.rate", 1_200.0, "MB/s")]);
    assert_eq!(lasting(&[refused, filled]), None);
}

#[test]
fn a_part_of_the_drive_says_nothing_of_lasting_writes() {
    let mut fill = with("slc-fill", &[("whole.rate", 400.0, "MB/s")]);
    fill.figures[0].comparable_by.span = "1 GiB from 0 B".to_owned();
    fill.figures[0].comparable_by.whole = false;
    let results = [&fill];
    let verdicts = verdicts(&results);
    let recording = verdicts
        .iter()
        .find(|v| v.of.id == "continuous-recording")
        .unwrap();
    let Found::Nothing(lacks) = &recording.checks[0].found else {
        panic!("a value was taken");
    };
    assert_eq!(lacks[1].why, Why::NotWhole("1 GiB from 0 B"));
}

#[test]
fn a_test_file_is_not_the_whole_drive() {
    let mut fill = with("slc-fill", &[("whole.rate", 400.0, "MB/s")]);
    let identity = &mut fill.target.identity;
    identity.insert("file system".to_owned(), "ext4".to_owned());
    identity.insert("device".to_owned(), "sdz1".to_owned());
    let rule = &continuous_recording::USE.rules[0];
    let Found::Nothing(lacks) = check(rule, &[&fill]).found else {
        panic!("a file was taken for the drive");
    };
    assert_eq!(lacks[1].why, Why::TestFile);
}

#[test]
fn a_short_watch_is_no_worst_case() {
    let mut watch = with("latency-watch", &[("loaded.worst", 5.0, "ms")]);
    watch.figures[0].n = 100;
    let rule = &os_drive::USE.rules[2];
    let found = check(rule, &[&watch]).found;
    assert!(matches!(found, Found::Nothing(lacks) if lacks[0].why == Why::TooFew(100)));
    watch.figures[0].n = 1_000;
    assert_eq!(check(rule, &[&watch]).standing(), Standing::Fit);
}

#[test]
fn a_figure_in_another_unit_is_converted_and_one_that_cannot_be_is_not_taken() {
    let mb_s = in_unit(100.0, "MiB/s", "MB/s").unwrap();
    assert!((mb_s - 104.857_6).abs() < 1e-9);
    assert_eq!(in_unit(1_500.0, "us", "ms"), Some(1.5));
    assert_eq!(in_unit(1.0, "IOPS", "MB/s"), None);
    assert_eq!(in_unit(f64::NAN, "MB/s", "MB/s"), None);
}

#[test]
fn the_first_bound_of_every_rule_is_the_harder_one() {
    for rule in USES.iter().flat_map(|of| of.rules) {
        let ordered = match rule.bound {
            Bound::AtLeast(fit, limited) => fit >= limited,
            Bound::AtMost(fit, limited) => fit <= limited,
        };
        assert!(ordered && !rule.sources.is_empty(), "{}", rule.id);
    }
}

#[test]
fn a_modelled_tail_counts_for_as_long_as_it_may_be_in_truth() {
    use base::io::Op;
    use results::TargetKind;
    use results::tails::{TailErrors, Tails};
    let rule = &os_drive::USE.rules[2];
    let stands = |value: f64, tails: Option<Tails>| {
        let mut watch = with("latency-watch", &[("loaded.worst", value, "ms")]);
        watch.figures[0].statistic = "max".into();
        watch.target.kind = TargetKind::Model;
        watch.target.tails = tails;
        check(rule, &[&watch]).standing()
    };
    let by = |longest_factor: f64| {
        let errors = TailErrors {
            op: Op::Read,
            tuned: false,
            rate_percent: 1.0,
            median_percent: 1.0,
            p99_percent: 1.0,
            p99_9_percent: 1.0,
            longest_factor,
        };
        Some(Tails::Compared {
            errors: vec![errors],
        })
    };
    // Up to 100 ms is fit, up to 1,000 ms limited.
    assert_eq!(stands(40.0, by(2.0)), Standing::Fit);
    assert_eq!(stands(60.0, by(2.0)), Standing::Limited);
    assert_eq!(stands(600.0, by(2.0)), Standing::Unfit);
    // What nobody compared is taken as it is; the verdict says so.
    assert_eq!(stands(40.0, Some(Tails::NotCompared)), Standing::Fit);
    assert_eq!(stands(2_000.0, None), Standing::Unfit);
    assert_eq!(stands(40.0, Some(Tails::Exact)), Standing::Fit);
}
