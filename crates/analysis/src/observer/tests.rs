//! Reservations about results with known surroundings.

use base::record::{Pauses, WakeUps};
use base::surroundings::{HostActivity, Layer, SlowLink};
use base::time::Duration;
use fixtures::results as sample;
use results::uses::Standing;

use super::*;
use crate::uses::verdicts;

/// A watch on a real drive, with responses of 900 ms under load.
fn watch() -> RunResult {
    let mut results = sample::review();
    results.retain(|result| result.method == "latency-watch");
    let mut watch = results.swap_remove(0);
    for figure in &mut watch.figures {
        figure.n = 5_000;
        if figure.key.ends_with(".p99.9") || figure.key.ends_with(".worst") {
            figure.value = Some(900.0);
        }
    }
    watch
}

fn ids(result: &RunResult) -> Vec<&'static str> {
    let said = reservations(&[result]);
    said.iter().map(|one| one.of.id).collect()
}

fn game_load(result: &RunResult) -> (Standing, Standing, bool) {
    let verdicts = verdicts(&[result]);
    let verdict = verdicts.iter().find(|v| v.of.id == "game-load").unwrap();
    let check = verdict
        .checks
        .iter()
        .find(|c| c.rule.id == "within-a-frame");
    let check = check.unwrap();
    (verdict.standing, check.standing(), check.provisional)
}

#[test]
fn on_a_busy_host_a_long_response_is_provisional_and_never_unfit() {
    let quiet = watch();
    assert_eq!(ids(&quiet), [""; 0]);
    assert_eq!(game_load(&quiet), (Standing::Unfit, Standing::Unfit, false));
    let busy_by = |activity: HostActivity| {
        let mut busy = watch();
        busy.environment.activity = Some(HostActivity {
            processors: 2,
            ..activity
        });
        busy
    };
    for activity in [
        HostActivity {
            load: Some(10.1),
            ..HostActivity::default()
        },
        HostActivity {
            others_ios: Some(400),
            ..HostActivity::default()
        },
        HostActivity {
            stolen_percent: Some(12.0),
            ..HostActivity::default()
        },
    ] {
        let busy = busy_by(activity);
        assert_eq!(ids(&busy), ["busy-host"], "{activity:?}");
        let provisional = (Standing::CannotBeSaid, Standing::CannotBeSaid, true);
        assert_eq!(game_load(&busy), provisional, "{activity:?}");
    }
    let calm = HostActivity {
        load: Some(0.8),
        others_ios: Some(3),
        stolen_percent: Some(0.1),
        ..HostActivity::default()
    };
    assert_eq!(ids(&busy_by(calm)), [""; 0]);
}

#[test]
fn what_a_busy_host_cannot_make_better_stays_fit() {
    let mut busy = watch();
    for figure in &mut busy.figures {
        if figure.key.ends_with(".p99.9") {
            figure.value = Some(1.0);
        }
    }
    busy.environment.activity = Some(HostActivity {
        load: Some(9.0),
        processors: 2,
        ..HostActivity::default()
    });
    let (_, check, provisional) = game_load(&busy);
    assert_eq!((check, provisional), (Standing::Fit, false));
}

#[test]
fn punctual_wake_ups_outweigh_a_load_of_the_minute_before() {
    let with_late = |late: u64, streams: u32| {
        let mut result = watch();
        result.environment.activity = Some(HostActivity {
            load: Some(6.0),
            processors: 2,
            ..HostActivity::default()
        });
        for phase in &mut result.phases {
            phase.workload.jobs.truncate(1);
            phase.workload.jobs[0].streams = streams;
            phase.pauses.wake_ups = Some(WakeUps { count: 1_000, late });
        }
        result
    };
    assert_eq!(ids(&with_late(2, 1)), [""; 0]);
    assert_eq!(ids(&with_late(20, 1)), ["busy-host"]);
    // A program that keeps both processors busy itself is late by itself.
    assert_eq!(
        ids(&with_late(2, 8)),
        ["busy-host"],
        "the load alone is known"
    );
    let mut own = with_late(900, 8);
    own.environment.activity = Some(HostActivity {
        load: Some(0.5),
        processors: 2,
        ..HostActivity::default()
    });
    assert_eq!(ids(&own), [""; 0]);
}

#[test]
fn pauses_of_the_program_are_told_with_what_is_left_out() {
    let mut result = watch();
    result.phases[0].pauses = Pauses::default();
    assert_eq!(ids(&result), [""; 0]);
    result.phases[0].pauses.count = 2;
    result.phases[0].pauses.total = Duration::from_secs(4);
    result.phases[0].pauses.longest = Duration::from_secs(3);
    let said = reservations(&[&result, &result]);
    assert_eq!(
        (said.len(), said[0].of.id, said[0].results),
        (1, "own-pauses", 2)
    );
    let total = Quantity::Time(Duration::from_secs(8));
    assert_eq!(said[0].says.quantity("total"), Some(&total));
}

#[test]
fn layers_and_links_are_said_and_a_slow_link_or_a_degraded_array_excuses_a_low_rate() {
    for (kind, id) in [
        (LayerKind::Compression, Some("compressing-file-system")),
        (LayerKind::VirtualDisk, Some("virtual-disk")),
        (LayerKind::Encryption, Some("layer-beneath")),
        (LayerKind::Cache, Some("layer-beneath")),
        (LayerKind::Volume, None),
        (LayerKind::Array, None),
    ] {
        let mut result = watch();
        let name = "x".to_owned();
        result.target.beneath = vec![Layer { kind, name }];
        let expected: Vec<&str> = id.into_iter().collect();
        assert_eq!(ids(&result), expected);
        assert!(!is_worsened(Figures::Rates, &result));
    }
    let mut result = watch();
    let (kind, name) = (LayerKind::DegradedArray, "md0".to_owned());
    result.target.beneath = vec![Layer { kind, name }];
    assert_eq!(ids(&result), ["degraded-array"]);
    assert!(is_worsened(Figures::Rates, &result));
    assert!(is_worsened(Figures::ResponseTimes, &result));
    let mut result = watch();
    result.target.slow_link = Some(SlowLink {
        has: "3.0 Gbps".to_owned(),
        best: "6.0 Gbps".to_owned(),
    });
    assert_eq!(ids(&result), ["slow-link"]);
    assert!(is_worsened(Figures::Rates, &result));
    assert!(!is_worsened(Figures::ResponseTimes, &result));
}
