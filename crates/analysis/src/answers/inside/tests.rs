//! Which sentence a figure chooses, and how certain it is.

use super::*;
use crate::answers::figures::measured;
use base::health::HealthSample;
use base::message::Message;
use base::result::Interval;

fn keys(figures: &[(&str, f64, &str)]) -> Vec<&'static str> {
    said(&measured("explain", figures))
}

fn said(result: &RunResult) -> Vec<&'static str> {
    findings(result).iter().map(|it| it.said.key).collect()
}

#[test]
fn each_finding_has_its_sentence() {
    let disk = [
        ("rotation.speed", 7_200.2, "1/min"),
        ("rotation.track", 1_420.0, "KiB"),
        ("depth.gain", 2.1, "ratio"),
        ("depth.ceiling", 160.0, "IOPS"),
        ("depth.enough", 32.0, "count"),
    ];
    assert_eq!(
        keys(&disk),
        ["answer-explain-rotation", "answer-explain-queue"]
    );
    let flat = [
        ("depth.gain", 1.02, "ratio"),
        ("depth.ceiling", 123.0, "IOPS"),
        ("depth.enough", 1.0, "count"),
    ];
    assert_eq!(keys(&flat), ["answer-explain-queue-gains-nothing"]);
    let flash = [
        ("map.hit", 70.0, "us"),
        ("map.coverage", 62.0, "GiB"),
        ("map.miss", 24.0, "us"),
    ];
    assert_eq!(keys(&flash), ["answer-explain-map"]);
}

#[test]
fn what_writes_show_has_its_sentence() {
    let of = |key, value, unit| keys(&[("lone.read", 80.0, "us"), (key, value, unit)]);
    assert_eq!(
        of("elsewhere.write", 0.01, "ratio"),
        ["answer-explain-writes-elsewhere"]
    );
    assert_eq!(
        of("elsewhere.write", 0.7, "ratio"),
        ["answer-explain-writes-in-place"]
    );
    assert_eq!(
        of("elsewhere.write", 0.2, "ratio"),
        ["answer-explain-writes-open"]
    );
    // Without an interval nothing is certain.
    assert_eq!(
        of("unit.misaligned", 5.0, "ratio"),
        ["answer-explain-unit-not-visible"]
    );
    assert_eq!(of("trim.read", 0.1, "ratio"), ["answer-explain-trim"]);
    assert_eq!(
        of("trim.read", 1.0, "ratio"),
        ["answer-explain-trim-ignored"]
    );
    let beside = |lone, writes| {
        let figures = [
            ("lone.read", lone, "us"),
            ("beside.alone", 120.0, "us"),
            ("beside.writes", writes, "us"),
        ];
        keys(&figures)
    };
    assert_eq!(beside(80.0, 150.0), ["answer-explain-beside-stops"]);
    assert_eq!(beside(80.0, 1_700.0), ["answer-explain-beside-waits"]);
    assert_eq!(beside(8_000.0, 30_000.0), ["answer-explain-beside-disk"]);
    let stripe = [
        ("stripe.pages", 32.0, "count"),
        ("stripe.side-by-side", 2.0, "count"),
    ];
    assert_eq!(keys(&stripe), ["answer-explain-stripe"]);
}

#[test]
fn each_part_of_a_disk_has_its_sentence() {
    let mut seek = measured(
        "explain",
        &[
            ("seek.mean", 8.2, "ms"),
            ("seek.third", 8.5, "ms"),
            ("seek.shortest", 1.0, "ms"),
            ("seek.full", 15.6, "ms"),
        ],
    );
    // Without an interval no mean is told.
    assert!(said(&seek).is_empty());
    seek.figures[0].interval = Some(base::result::Interval {
        low: 7.8,
        high: 8.6,
        confidence_percent: 95.0,
    });
    assert_eq!(said(&seek)[0], "answer-explain-seek");
    let transfer = [
        ("transfer.outer", 164.0, "MB/s"),
        ("transfer.inner", 88.0, "MB/s"),
        ("transfer.mean", 127.0, "MB/s"),
        ("transfer.surface-fast", 181.0, "MB/s"),
        ("transfer.surface-slow", 147.0, "MB/s"),
    ];
    let [rates, surfaces] = ["answer-explain-transfer", "answer-explain-surfaces"];
    assert_eq!(keys(&transfer), [rates, surfaces]);
    assert_eq!(keys(&transfer[..3]), [rates]);
    let cache = [
        ("segments.streams", 16.0, "count"),
        ("segments.ahead", 1_024.0, "KiB"),
    ];
    let [streams, ahead] = ["answer-explain-streams", "answer-explain-ahead-by"];
    assert_eq!(keys(&cache), [streams, ahead]);
}

#[test]
fn a_write_cache_is_on_with_what_it_takes_or_off_or_open() {
    let of = |first, limits: &[(&str, f64, &str)]| {
        let mut figures = vec![("write-cache.first", first, "ratio")];
        figures.extend(limits);
        keys(&figures)
    };
    let (entries, bytes) = (
        ("write-cache.entries", 128.0, "count"),
        ("write-cache.bytes", 24.2, "MiB"),
    );
    assert_eq!(of(0.01, &[entries, bytes]), ["answer-explain-write-cache"]);
    assert_eq!(of(0.01, &[entries]), ["answer-explain-write-cache-entries"]);
    assert_eq!(of(0.01, &[bytes]), ["answer-explain-write-cache-bytes"]);
    assert_eq!(of(0.2, &[]), ["answer-explain-write-cache-open"]);
    assert_eq!(of(0.7, &[]), ["answer-explain-write-cache-off"]);
}

#[test]
fn the_write_path_has_its_sentences_where_there_are_intervals() {
    let mut found = measured(
        "explain",
        &[
            ("buffer.at-least", 22.0, "MiB"),
            ("buffer.at-most", 25.5, "MiB"),
            ("slc.size", 42.0, "GB"),
            ("slc.before", 3_300.0, "MB/s"),
            ("slc.after", 1_310.0, "MB/s"),
            ("rest.onset", 10.0, "s"),
            ("rest.gives-back", 1_200.0, "MB/s"),
        ],
    );
    assert!(said(&found).is_empty());
    for figure in &mut found.figures {
        let of = figure.value.unwrap();
        figure.interval = Some(Interval {
            low: 0.9 * of,
            high: 1.1 * of,
            confidence_percent: 95.0,
        });
    }
    let mut said_at = |celsius| {
        found.health_during = vec![HealthSample {
            at: Duration::ZERO,
            temperature_celsius: celsius,
            host_written: None,
        }];
        said(&found)
    };
    let with = |slc| ["answer-explain-buffer", slc, "answer-explain-rest"];
    // Hot, or with no temperature, it may as well throttle.
    assert_eq!(said_at(Some(45)), with("answer-explain-slc"));
    for celsius in [Some(78), None] {
        assert_eq!(said_at(celsius), with("answer-explain-slc-or-heat"));
    }
}

#[test]
fn caches_sleep_and_compression_have_their_sentences() {
    let mut read_again = measured("explain", &[("again.read", 0.1, "ratio")]);
    // Without an interval nothing is certain.
    assert!(said(&read_again).is_empty());
    let mut between = |low, high| {
        read_again.figures[0].interval = Some(Interval {
            low,
            high,
            confidence_percent: 95.0,
        });
        said(&read_again)[0]
    };
    assert_eq!(between(0.05, 0.2), "answer-explain-read-again-kept");
    assert_eq!(between(0.9, 1.1), "answer-explain-read-again-not-kept");
    assert_eq!(between(0.4, 0.9), "answer-explain-read-again-open");
    let wakes = [("wake.rest", 0.1, "s"), ("wake.longer", 1_230.0, "us")];
    assert_eq!(keys(&wakes), ["answer-explain-wakes"]);
    let with = |us: f64| [&wakes[..], &[("wake.processor-awake", us, "us")]].concat();
    assert_eq!(keys(&with(1_190.0)), ["answer-explain-wakes-drive"]);
    assert_eq!(keys(&with(20.0)), ["answer-explain-wakes-host"]);
    // Another processor, which takes the interrupt, may sleep as long.
    assert_eq!(keys(&with(700.0)), ["answer-explain-wakes"]);
    assert_eq!(
        keys(&[("zeros.faster", 2.0, "ratio")]),
        ["answer-explain-compression-not-visible"]
    );
}

#[test]
fn what_falls_what_passes_and_what_goes_elsewhere_have_their_sentences() {
    let reads = [
        ("sustained.before", 3_500.0, "MB/s"),
        ("sustained.read-for", 60.0, "s"),
        ("sustained.after", 1_500.0, "MB/s"),
        ("sustained.falls-after", 14.0, "s"),
    ];
    assert_eq!(keys(&reads), ["answer-explain-throttles"]);
    let without = |key: &'static str, why: &'static str, others: &[(&str, f64, &str)]| {
        let mut all = others.to_vec();
        all.push((key, 0.0, "s"));
        let mut result = measured("explain", &all);
        let figure = result.figures.last_mut().unwrap();
        (figure.value, figure.why_not) = (None, Some(base::message::Message::of(why)));
        said(&result)
    };
    let stays = without("sustained.after", "why-rate-stays", &reads[..2]);
    assert_eq!(stays, ["answer-explain-no-throttling"]);
    let open = without("sustained.after", "why-fell-once", &reads[..2]);
    assert_eq!(open, ["answer-explain-throttling-open"]);
    let watched = [("passing.watched", 150.0, "s")];
    let none = without("passing.ends", "why-no-step-of-time", &watched);
    assert_eq!(none, ["answer-explain-no-passing"]);
    let open = without("passing.ends", "why-looks-uneven", &watched);
    assert_eq!(open, ["answer-explain-passing-open"]);
    let ends = [
        ("passing.before", 100.0, "MB/s"),
        ("passing.after", 190.0, "MB/s"),
        ("passing.ends", 140.0, "s"),
    ];
    // Without an interval it is nowhere.
    assert!(keys(&ends).is_empty());
    let mut media = measured(
        "explain",
        &[
            ("media-cache.pieces", 131_000.0, "count"),
            ("media-cache.before", 420.0, "IOPS"),
            ("media-cache.after", 1.4, "IOPS"),
            ("media-cache.size", 34.3, "GB"),
        ],
    );
    assert!(said(&media).is_empty());
    media.figures[3].interval = Some(Interval {
        low: 33.0,
        high: 38.0,
        confidence_percent: 95.0,
    });
    assert_eq!(said(&media), ["answer-explain-media-cache"]);
}

#[test]
fn what_took_long_was_seen_whether_or_not_it_has_a_period() {
    let of = |why: Option<&'static str>, others: &[(&str, f64, &str)]| {
        let mut all = others.to_vec();
        all.push(("long-responses.every", 5.0, "s"));
        let mut result = measured("explain", &all);
        if let Some(why) = why {
            let figure = result.figures.last_mut().unwrap();
            (figure.value, figure.why_not) = (None, Some(Message::of(why)));
        }
        let found = findings(&result);
        (found[0].said.key, found[0].certainty)
    };
    let seen = [
        ("long-responses.longest", 52.0, "ms"),
        ("long-responses.least", 10.0, "ms"),
        ("long-responses.events", 14.0, "count"),
        ("long-responses.watched", 66.0, "s"),
    ];
    let quiet = [
        ("long-responses.none-from", 80.0, "ms"),
        ("long-responses.watched", 66.0, "s"),
    ];
    for (why, figures, says, certainty) in [
        (None, &seen[..], "answer-explain-stutter", Certainty::Found),
        (
            Some("why-one-place"),
            &seen,
            "answer-explain-slow-place",
            Certainty::Found,
        ),
        (
            Some("why-no-period"),
            &seen,
            "answer-explain-long-responses",
            Certainty::Found,
        ),
        (
            Some("why-few-long-responses"),
            &seen,
            "answer-explain-few-long-responses",
            Certainty::Open,
        ),
        (
            Some("why-no-long-response"),
            &quiet,
            "answer-explain-no-long-response",
            Certainty::Absent,
        ),
    ] {
        let (key, is) = of(why, figures);
        assert_eq!((key, is), (says, certainty));
    }
}

#[test]
fn a_capacity_is_there_or_only_a_part_of_it() {
    let sizes = |kept| {
        [
            ("capacity.claimed", 64.0, "GB"),
            ("capacity.kept", kept, "GB"),
        ]
    };
    assert_eq!(keys(&sizes(64.0)), ["answer-explain-capacity-whole"]);
    let mut counterfeit = measured("explain", &sizes(8.0));
    counterfeit.figures[1].interval = Some(Interval {
        low: 8.0,
        high: 9.1,
        confidence_percent: 95.0,
    });
    let found = findings(&counterfeit);
    assert_eq!(found[0].said.key, "answer-explain-capacity-missing");
    assert_eq!(costs(&found)[0].said.key, found[0].said.key);
    for (why, certainty) in [
        ("why-no-data-kept", Certainty::NotAsked),
        ("why-looks-differ", Certainty::Open),
    ] {
        let mut open = measured("explain", &sizes(0.0));
        (open.figures[1].value, open.figures[1].why_not) = (None, Some(Message::of(why)));
        assert_eq!(findings(&open)[0].certainty, certainty);
    }
}

#[test]
fn a_cache_in_front_is_one_that_keeps_more_than_any_drive() {
    let of = |kept, between: Option<[f64; 2]>| {
        let figures = [
            ("host-cache.faster", 11.0, "ratio"),
            ("host-cache.kept", kept, "MiB"),
        ];
        let mut found = measured("explain", &figures);
        found.figures[1].interval = between.map(|[low, high]| Interval {
            low,
            high,
            confidence_percent: 95.0,
        });
        let found = findings(&found).swap_remove(0);
        (found.said.key, found.certainty)
    };
    assert_eq!(
        of(1_024.0, Some([1_023.0, 1_025.0])),
        ("answer-explain-host-cache", Certainty::Found)
    );
    assert_eq!(
        of(2_048.0, None),
        ("answer-explain-host-cache-at-least", Certainty::Found)
    );
    for between in [Some([63.0, 65.0]), None] {
        let small = ("answer-explain-host-cache-small", Certainty::Open);
        assert_eq!(of(64.0, between), small);
    }
}

#[test]
fn read_ahead_is_told_from_what_is_kept_and_from_neither() {
    let of = |up, down| {
        keys(&[
            ("ahead.in-order", up, "ratio"),
            ("ahead.in-reverse", down, "ratio"),
        ])
    };
    assert_eq!(of(0.1, 1.0), ["answer-explain-reads-ahead"]);
    assert_eq!(of(0.01, 0.5), ["answer-explain-reads-ahead"]);
    assert_eq!(of(0.3, 0.3), ["answer-explain-keeps-neighbours"]);
    assert_eq!(of(1.0, 1.0), ["answer-explain-no-read-ahead"]);
    assert_eq!(of(0.7, 0.9), ["answer-explain-read-ahead-open"]);
}

#[test]
fn a_sentence_is_as_certain_as_it_sounds() {
    let of = |key, why: Option<&'static str>, is_wide| {
        let said = Statement::new(key);
        let said = match why {
            Some(why) => said.with("why", Quantity::Why(base::message::Message::of(why))),
            None => said,
        };
        certainty(&said, is_wide)
    };
    assert_eq!(of("answer-explain-slc", None, false), Certainty::Found);
    assert_eq!(of("answer-explain-slc", None, true), Certainty::Bounded);
    assert_eq!(of("answer-explain-awake", None, true), Certainty::Absent);
    for (why, certain) in [
        ("why-no-stripe", Certainty::NotVisible),
        ("why-no-width", Certainty::Open),
        ("why-too-small-to-ask", Certainty::NotAsked),
    ] {
        let key = "answer-explain-stripe-not-visible";
        assert_eq!(of(key, Some(why), false), certain, "{why}");
    }
    for key in OPEN.iter().filter(|key| key.ends_with("-open")) {
        assert_eq!(of(key, None, false), Certainty::Open);
    }
}

#[test]
fn what_was_not_asked_depends_on_the_drive_and_on_what_may_be_written() {
    let of = |figures| -> Vec<&str> {
        let open = not_asked(&measured("explain", figures));
        open.iter().map(|(id, _, _)| *id).collect()
    };
    let flash = of(&[("lone.read", 80.0, "us")]);
    assert!(
        flash.contains(&"slc") && flash.contains(&"trim"),
        "{flash:?}"
    );
    assert!(
        !flash.contains(&"rotation") && !flash.contains(&"map"),
        "{flash:?}"
    );
    // Room for random writes is asked about only where they go somewhere else.
    let lone = ("lone.read", 8_000.0, "us");
    let writes = |share| [lone, ("elsewhere.write", share, "ratio")];
    let [shingled, usual] = [writes(0.01), writes(0.7)];
    let [shingled, usual] = [of(&shingled), of(&usual)];
    assert!(shingled.contains(&"media-cache") && !usual.contains(&"media-cache"));
    let asked = of(&[("lone.read", 80.0, "us"), ("slc.size", 42.0, "GB")]);
    assert!(
        !asked.contains(&"slc") && !asked.contains(&"rest"),
        "{asked:?}"
    );
    let disk = of(&[("lone.read", 9_000.0, "us")]);
    assert!(
        disk.contains(&"write-cache") && !disk.contains(&"slc"),
        "{disk:?}"
    );
}

#[test]
fn a_fall_is_no_throttling_where_it_comes_before_a_drive_is_hot() {
    let of = |size, celsius| {
        let figures = [
            ("slc.size", size, "GB"),
            ("slc.before", 500.0, "MB/s"),
            ("slc.after", 300.0, "MB/s"),
        ];
        let mut found = measured("explain", &figures);
        found.figures[0].interval = Some(Interval {
            low: size,
            high: size,
            confidence_percent: 95.0,
        });
        found.health_during = vec![HealthSample {
            at: Duration::ZERO,
            temperature_celsius: celsius,
            host_written: None,
        }];
        said(&found)[0]
    };
    let (cache, either) = ("answer-explain-slc", "answer-explain-slc-or-heat");
    assert_eq!([of(3.0, None), of(42.0, None)], [cache, either]);
    // What was read of the temperature counts more.
    assert_eq!([of(42.0, Some(60)), of(3.0, Some(80))], [cache, either]);
}

#[test]
fn trim_is_open_behind_a_cache_of_what_was_read() {
    let figures = [("again.read", 0.06, "ratio"), ("trim.read", 5.4, "ratio")];
    let mut cached = measured("explain", &figures);
    cached.figures[0].interval = Some(Interval {
        low: 0.05,
        high: 0.07,
        confidence_percent: 95.0,
    });
    let said = said(&cached);
    assert!(said.contains(&"answer-explain-trim-open"), "{said:?}");
}

#[test]
fn a_run_that_was_cut_short_did_not_ask_what_it_did_not_come_to() {
    let mut cut = measured("explain", &[("lone.read", 80.0, "us")]);
    let asks = |result: &RunResult, id| not_asked(result).iter().any(|it| it.0 == id);
    assert!(!asks(&cut, "map"));
    cut.ended = RunEnd::from("interrupted".to_owned());
    assert!(asks(&cut, "map") && asks(&cut, "trim") && !asks(&cut, "rotation"));
}

#[test]
fn what_costs_most_is_named_first() {
    let found = findings(&measured(
        "explain",
        &[
            ("lone.read", 80.0, "us"),
            ("depth.gain", 9.8, "ratio"),
            ("depth.ceiling", 98_000.0, "IOPS"),
            ("depth.enough", 16.0, "count"),
            ("beside.alone", 120.0, "us"),
            ("beside.writes", 1_700.0, "us"),
        ],
    ));
    let named: Vec<&str> = costs(&found).iter().map(|finding| finding.id).collect();
    assert_eq!(named, ["beside", "queue"]);
}

#[test]
fn spare_flash_has_two_bounds_or_one() {
    let figures = [
        ("spare.at-full-rate", 4.0, "GB"),
        ("spare.before", 144.0, "MB/s"),
        ("spare.after", 11.0, "MB/s"),
        ("spare.share", 5.6, "%"),
        ("spare.amplification", 12.5, "ratio"),
    ];
    let mut result = measured("explain", &figures);
    let between = |low, high| {
        Some(Interval {
            low,
            high,
            confidence_percent: 95.0,
        })
    };
    assert!(said(&result).is_empty());
    result.figures[0].interval = between(3.8, 4.2);
    let certainty = |result: &RunResult| {
        let found = findings(result);
        (found[0].said.key, found[0].certainty)
    };
    let least = ("answer-explain-spare-at-least", Certainty::Bounded);
    assert_eq!(certainty(&result), least);
    result.figures[3].interval = between(5.3, 19.0);
    assert_eq!(
        certainty(&result),
        ("answer-explain-spare-counted", Certainty::Found)
    );
    // A drive that does not count.
    result.figures[4].value = None;
    assert_eq!(
        certainty(&result),
        ("answer-explain-spare", Certainty::Found)
    );
}
