//! Wear and retention: what ends a drive, and what time does to its data.

use super::*;
use crate::ssd::flash::bit_errors::BitErrors;
use crate::ssd::flash::layout::NONE;
use crate::ssd::flash::retention::Fading;
use crate::ssd::ftl::wear::WearLimits;
use base::io::Io;
use base::target::{Outcome, Tag};

const DAY: u64 = 86_400;

fn outcome(drive: &mut Virtual<Drive>, io: Io) -> Outcome {
    drive.submit(Tag(0), &io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    done[0].outcome
}

fn page(number: u64) -> (Bytes, Bytes) {
    (Bytes::kib(4 * number), Bytes::kib(4))
}

fn worn(cycles: u32) -> Parameters {
    let mut p = small(40, 10_000);
    p.wear = Some(WearLimits {
        cycles,
        slc_cycles: u32::MAX,
        spread_per_mille: 200,
    });
    p
}

/// Random writes until one is refused; gives how many were taken.
fn write_to_the_end(drive: &mut Virtual<Drive>) -> u64 {
    let mut rng = base::rng::Rng::new(3);
    for written in 0..2_000_000 {
        let (at, len) = page(rng.below(10_000));
        match outcome(drive, Io::write(at, len, written)) {
            Outcome::Complete => {}
            other => {
                assert_eq!(other, Outcome::Failed(30));
                return written;
            }
        }
    }
    panic!("the drive never wore out");
}

#[test]
fn a_worn_out_drive_refuses_writes_keeps_its_capacity_and_reads_everything() {
    let mut drive = drive(worn(12));
    fill(&mut drive);
    let taken = write_to_the_end(&mut drive);
    let t = drive.model().ftl();
    t.check().unwrap();
    let (in_service, needed) = t.pool.wear().unwrap().in_service();
    assert_eq!(
        in_service, needed,
        "it turned just before the capacity was gone"
    );
    assert!((0..10_000).all(|lpn| t.l2p.get(lpn) != NONE));
    for number in (0..10_000).step_by(37) {
        let (at, len) = page(number);
        assert_eq!(outcome(&mut drive, Io::read(at, len)), Outcome::Complete);
    }
    assert_eq!(outcome(&mut drive, Io::flush()), Outcome::Complete);
    rest(&mut drive, Duration::from_secs(100));
    drive.model().ftl().check().unwrap();
    // Flash that stands twice as much takes about twice as much.
    let mut stronger = Virtual::new(Drive::new(worn(24), 1).unwrap());
    fill(&mut stronger);
    let more = write_to_the_end(&mut stronger) as f64 / taken as f64;
    assert!((1.8..2.4).contains(&more), "{more}");
}

#[test]
fn a_drive_without_limits_never_wears_out() {
    let mut p = worn(12);
    p.wear = None;
    let mut drive = drive(p);
    fill(&mut drive);
    writes(&mut drive, Order::Random, 4, 8, 200_000);
    assert!(!drive.model().ftl().pool.is_read_only());
}

#[test]
fn a_drive_may_begin_near_its_end() {
    let mut drive = in_state(worn(1_000), "full-in-order,wear=99%");
    let taken = write_to_the_end(&mut drive);
    // The spare superblocks' last 10 erases and those of the ones that are weaker than the mean.
    assert!(taken < 200_000, "{taken}");
    drive.model().ftl().check().unwrap();
}

#[test]
fn a_drives_life_is_over_where_it_turns_read_only() {
    for (share, over) in [(100, true), (99, false)] {
        let mut drive = in_state(worn(1_000), &format!("full-in-order,wear={share}%"));
        let space = &drive.model().ftl().pool;
        assert_eq!(space.is_read_only(), over, "{share} %");
        let (in_service, needed) = space.wear().unwrap().in_service();
        assert_eq!(in_service == needed, over);
    }
}

#[test]
fn the_read_error_rate_falls_before_the_drive_turns_read_only() {
    let attribute = |errors, state: &str| {
        let mut p = worn(1_000);
        p.bit_errors = errors;
        let mut drive = in_state(p, state);
        drive.model().read_error_rate()
    };
    let errors = Some(BitErrors {
        new_share: 0.001,
        growth: 2.0,
    });
    assert_eq!(attribute(errors, "fresh"), Some(100.0));
    let half = attribute(errors, "fresh,wear=50%").unwrap();
    let old = attribute(errors, "fresh,wear=99%").unwrap();
    assert!(old < half && half < 90.0, "{half} {old}");
    assert_eq!(attribute(None, "fresh,wear=99%"), None);
}

#[test]
fn a_worn_slc_area_is_off_for_good() {
    let with = |slc_cycles| {
        let mut p = small(60, 12_000);
        p.slc.fixed = 8;
        p.wear = Some(WearLimits {
            cycles: u32::MAX,
            slc_cycles,
            spread_per_mille: 0,
        });
        let mut drive = drive(p);
        let mut direct = Vec::new();
        for _ in 0..6 {
            let before = drive.model().counters().direct_pages;
            writes(&mut drive, Order::Sequential, 128, 4, 8 * 128 / 32);
            direct.push(drive.model().counters().direct_pages - before);
            rest(&mut drive, Duration::from_secs(5));
        }
        drive.model().ftl().check().unwrap();
        let space = &drive.model().ftl().pool;
        assert!(
            !space.slc_in_use(),
            "what was in the area is moved out of it"
        );
        assert_eq!(space.wear().unwrap().area_failed(), slc_cycles < 10);
        direct
    };
    assert_eq!(with(100), [0; 6]);
    // Written once without an erase, then erased three times.
    let failing = with(3);
    assert_eq!(failing[..4], [0; 4]);
    assert_eq!(failing[4..], [8 * 128; 2]);
}

fn fading() -> Parameters {
    let mut p = small(40, 10_000);
    p.retention = Some(Fading {
        reads_well: Duration::from_secs(30 * DAY),
        retry_each: Duration::from_secs(10 * DAY),
        most_retries: 8,
        retry: US(100),
        lost_after: Duration::from_secs(1_000 * DAY),
        worn_per_mille: 1_000,
    });
    p
}

fn read_us(drive: &mut Virtual<Drive>) -> f64 {
    let job = job(Op::Read, Order::Random, Bytes::kib(4), 1, drive);
    go(drive, job, 2_000).took.as_micros_f64() / 2_000.0
}

#[test]
fn old_data_are_read_with_retries_as_their_age_says() {
    let young = read_us(&mut in_state(fading(), "full-in-order"));
    let at = |state: &str| read_us(&mut in_state(fading(), state)) - young;
    assert!(at("full-in-order,age=29d").abs() < 0.01);
    // 15 days beyond the threshold: one and a half retries in the mean.
    near(at("full-in-order,age=45d"), 150.0, 0.05);
    near(at("full-in-order,age=365d"), 800.0, 0.001);
    // A drive that does not fade.
    let mut p = fading();
    p.retention = None;
    let same = read_us(&mut in_state(p, "full-in-order,age=365d"));
    assert!((same - young).abs() < 0.01);
}

#[test]
fn worn_flash_fades_sooner() {
    let with = |state| {
        let mut p = fading();
        p.retention.as_mut().unwrap().worn_per_mille = 4_000;
        p.wear = Some(WearLimits {
            cycles: 1_000,
            slc_cycles: u32::MAX,
            spread_per_mille: 0,
        });
        read_us(&mut in_state(p, state))
    };
    // 20 days count as 50 in the middle of the flash's life: two retries.
    let more = with("full-in-order,age=20d,wear=50%") - with("full-in-order,age=20d");
    near(more, 200.0, 0.01);
}

#[test]
fn data_that_lay_too_long_are_lost_and_what_is_written_anew_is_not() {
    let mut drive = in_state(fading(), "full-in-order,age=1001d");
    let (at, len) = page(77);
    assert_eq!(outcome(&mut drive, Io::read(at, len)), Outcome::Failed(5));
    assert_eq!(
        outcome(&mut drive, Io::write(at, len, 1)),
        Outcome::Complete
    );
    assert_eq!(outcome(&mut drive, Io::read(at, len)), Outcome::Complete);
}

#[test]
fn a_drive_that_knows_no_trim_collects_what_the_host_gave_up() {
    let with = |trim| {
        let mut p = small(100, 30_000);
        p.trim = trim;
        let mut drive = in_state(p, "steady-random,trimmed");
        writes(&mut drive, Order::Random, 4, 8, 20_000);
        drive.model().counters().collected_pages
    };
    assert_eq!(with(true), 0);
    assert!(with(false) > 10_000);
}
