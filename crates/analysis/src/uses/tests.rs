//! What verdicts by use must hold.

use super::*;
use base::time::Duration;
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
        scan.figures[0].why_not = why.map(Message::as_it_stands);
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
        scan.figures[0].why_not = Some(Message::as_it_stands("zones with gaps"));
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
    fill.figures[0].comparable_by.span = base::message::Message::as_it_stands("1 GiB from 0 B");
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
    let span = base::message::Message::as_it_stands("1 GiB from 0 B");
    assert_eq!(lacks[1].why, Why::NotWhole(&span));
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

/// A watch that was repeated: the median of its longest responses says nothing of the one second in one of them.
#[test]
fn one_stall_in_one_of_several_repeats_counts_and_so_do_the_samples_of_all() {
    let mut watch = with("latency-watch", &[("loaded.worst", 5.0, "ms")]);
    let figure = &mut watch.figures[0];
    (figure.n, figure.statistic) = (3, base::statistic::Statistic::from("max").over_repeats());
    let mut repeats = results::Repeats::default();
    let key = || "loaded.worst".to_owned();
    repeats.values.insert(key(), vec![5.0, 5.0, 1_500.0]);
    repeats.samples.insert(key(), 6_000);
    watch.repeats = Some(repeats);
    let rule = &os_drive::USE.rules[2];
    assert_eq!(check(rule, &[&watch]).standing(), Standing::Unfit);
    // And it is told as what it is.
    let made = watch.statistic_in_all_repeats(&watch.figures[0]);
    assert_eq!(made.as_str(), "max");
    watch
        .repeats
        .as_mut()
        .unwrap()
        .values
        .insert(key(), vec![5.0; 3]);
    assert_eq!(check(rule, &[&watch]).standing(), Standing::Fit);
    watch.repeats.as_mut().unwrap().samples.insert(key(), 600);
    assert_eq!(check(rule, &[&watch]).standing(), Standing::CannotBeSaid);
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

/// A quick scan of this many regions with one phase, with a first I/O of 20 ms before 1 MiB/10 ms each.
fn jumping(dwell: Duration) -> RunResult {
    let mut result = with("quick-scan", &[("read.mean", 0.0, "MB/s")]);
    let mut phase = sample::review().swap_remove(0).phases.swap_remove(0);
    let seek = Duration::from_millis(20);
    phase.took = dwell;
    let rate = 120.0 * (dwell - seek).as_secs_f64();
    let record = &mut phase.jobs[0].ops[0];
    record.bytes = Bytes::new((rate * 1e6) as u64);
    record.service = base::record::Latencies::default();
    record.service.keep(seek);
    result.figures[0].value = Some(rate / dwell.as_secs_f64());
    result.figures[0].phases = vec![phase.name.clone()];
    result.phases = vec![phase];
    result
}

#[test]
fn a_mean_that_seeks_decide_says_nothing() {
    let rule = &video_editing::USE.rules[0];
    let short = jumping(Duration::from_millis(30));
    let found = check(rule, &[&short]);
    assert_eq!(found.standing(), Standing::CannotBeSaid);
    let lack = found.to_run().unwrap();
    assert_eq!((lack.source.method, lack.why), ("quick-scan", Why::Seeks));
    let long = jumping(Duration::from_millis(3_000));
    assert_eq!(check(rule, &[&long]).standing(), Standing::Limited);
}

/// A full scan of a part of a drive of 3 TB.
fn part_of_a_scan(key: &str, value: f64, unit: &str, part: Bytes) -> RunResult {
    let mut result = with("full-scan", &[(key, value, unit)]);
    let mut phase = sample::review().swap_remove(0).phases.swap_remove(0);
    result.target.info.as_mut().unwrap().capacity = Bytes::new(3_000_000_000_000);
    phase.workload.jobs[0].span = base::workload::Span::first(part);
    phase.jobs[0].ops[0].bytes = part;
    result.figures[0].phases = vec![phase.name.clone()];
    result.figures[0].comparable_by.whole = false;
    result.phases = vec![phase];
    result
}

#[test]
fn a_part_says_of_how_much_it_is_and_a_small_one_says_nothing() {
    let rule = nas::USE.rules.iter().find(|rule| rule.id == "rebuild");
    let scanned = |part| part_of_a_scan("read.errors", 0.0, "count", part);
    let little = scanned(Bytes::gib(1));
    assert_eq!(
        check(rule.unwrap(), &[&little]).standing(),
        Standing::CannotBeSaid
    );
    let more = scanned(Bytes::new(24_000_000_000));
    let found = check(rule.unwrap(), &[&more]);
    assert_eq!(found.standing(), Standing::Fit);
    assert!((found.share().unwrap() - 0.8).abs() < 1e-9);
}

#[test]
fn the_slowest_position_is_at_the_end_or_unknown() {
    let rule = &continuous_play_out::USE.rules[0];
    let part = Bytes::new(24_000_000_000);
    let mut scan = part_of_a_scan("read.innermost.bottom", 41.2, "MB/s", part);
    assert_eq!(check(rule, &[&scan]).standing(), Standing::CannotBeSaid);
    let covered = sample::figure("read.covered", Some(0.8), "%");
    scan.figures.push(covered);
    assert_eq!(check(rule, &[&scan]).standing(), Standing::Unfit);
}

#[test]
fn a_rate_of_small_accesses_on_a_busy_computer_is_not_held_against_the_drive() {
    let rule = &os_drive::USE.rules[1];
    let of = |size: Bytes, late: u64| {
        let mut result = with(
            "crystaldiskmark",
            &[("rnd4k-q1t1.write.median", 1.0, "MB/s")],
        );
        let mut phase = sample::review().swap_remove(0).phases.swap_remove(0);
        phase.workload.jobs[0].accesses[0].size = size;
        phase.pauses.wake_ups = Some(base::record::WakeUps { count: 1_000, late });
        result.figures[0].phases = vec![phase.name.clone()];
        result.phases = vec![phase];
        check(rule, &[&result]).standing()
    };
    assert_eq!(of(Bytes::kib(4), 0), Standing::Unfit);
    assert_eq!(of(Bytes::kib(4), 200), Standing::CannotBeSaid);
    assert_eq!(of(Bytes::mib(1), 200), Standing::Unfit);
}

#[test]
fn a_known_miss_leaves_open_only_what_the_published_value_would_decide_otherwise() {
    use results::TargetKind;
    use results::tails::KnownMiss;
    let rule = nas::USE.rules.iter().find(|rule| rule.id == "array-reads");
    let stands = |published: Option<f64>, factor: f64| {
        let mut scan = with("full-scan", &[("read.response.max", 12.18, "ms")]);
        scan.target.kind = TargetKind::Model;
        scan.target.known_misses = vec![KnownMiss {
            key: "read.response.max".to_owned(),
            published,
            unit: "ms".to_owned(),
            factor,
        }];
        let found = check(rule.unwrap(), &[&scan]);
        assert!(!found.is_unverified());
        found.standing()
    };
    // Up to 1,000 ms is fit.
    assert_eq!(stands(Some(10.7), 7.8), Standing::Fit);
    assert_eq!(stands(Some(1_200.0), 7.8), Standing::CannotBeSaid);
    assert_eq!(stands(None, 7.8), Standing::Fit);
    assert_eq!(stands(None, 100.0), Standing::CannotBeSaid);
}
