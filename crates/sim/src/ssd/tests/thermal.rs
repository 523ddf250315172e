//! Heat: how long until a drive is throttled, the rate then, and what rest does.

use super::*;
use crate::ssd::front::thermal::Heating;

/// Rest at 30 C; 500 MB/s of reads are 5 W, which would end at 30 + 5 x 20 = 130 C with a time
/// constant of 0.4 s.
const HEATING: Heating = Heating {
    read_j: 10e-9,
    write_j: 20e-9,
    heat: 0.02,
    resistance: 20.0,
    ambient: 30.0,
    idle: 0.0,
    throttle: 80.0,
    resume: 75.0,
    throttled: PicosPerByte::new(10_000),
};

fn hot(heating: Option<Heating>) -> Virtual<Drive> {
    let mut p = small(100, 30_000);
    p.thermal = heating;
    in_state(p, "full-in-order")
}

fn read_mb_s(drive: &mut Virtual<Drive>, ios: u64) -> f64 {
    reads(drive, Order::Sequential, 128, 16, ios)
}

#[test]
fn a_drive_is_throttled_when_the_exponential_says_so() {
    let mut drive = hot(Some(HEATING));
    let full = read_mb_s(&mut hot(None), 500);
    let watts = full * 1e6 * HEATING.read_j;
    // Until 80 C: rest + watts x R x (1 - exp(-t / RC)) = 80.
    let seconds = -0.4 * libm::log(1.0 - 50.0 / (watts * 20.0));
    let ios = (seconds * full * 1e6 / 131_072.0) as u64;
    near(read_mb_s(&mut drive, ios - 20), full, 0.001);
    let now = at(&drive);
    near(drive.model().celsius(now).unwrap(), 80.0, 0.02);
    // 100 MB/s are 1 W, which keeps it at 50 C: so it cools to 75 and heats to 80, in turns.
    let throttled = read_mb_s(&mut drive, 4_000);
    assert!(throttled < 0.75 * full, "{throttled} of {full}");
    let now = at(&drive);
    let celsius = drive.model().celsius(now).unwrap();
    assert!((74.0..81.0).contains(&celsius), "{celsius}");
}

#[test]
fn the_throttled_rate_is_the_one_that_was_given() {
    let mut drive = hot(Some(Heating {
        throttle: 31.0,
        resume: 30.5,
        ..HEATING
    }));
    read_mb_s(&mut drive, 500);
    near(read_mb_s(&mut drive, 2_000), 100.0, 0.01);
}

#[test]
fn rest_cools_it_with_the_time_constant() {
    let mut drive = hot(Some(HEATING));
    read_mb_s(&mut drive, 800);
    let now = at(&drive);
    let before = drive.model().celsius(now).unwrap() - 30.0;
    let after = drive
        .model()
        .celsius(now + Duration::from_millis(400))
        .unwrap()
        - 30.0;
    near(after / before, libm::exp(-1.0), 1e-6);
}

#[test]
fn a_drive_that_stays_cool_is_as_fast_as_one_without_heat() {
    let cool = Heating {
        heat: 1e6,
        ..HEATING
    };
    let took = |heating| {
        let mut drive = hot(heating);
        let job = mixed(70, 16, 8, &drive);
        go(&mut drive, job, 5_000).took
    };
    assert_eq!(took(None), took(Some(cool)));
}
