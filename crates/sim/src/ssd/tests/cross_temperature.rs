//! Cross temperature: a drive is switched on hot, cools, and is read; or is written while it is hot.

use super::*;
use crate::ssd::front::thermal::Heating;
use crate::ssd::scatter::cross_temperature::Crossing;
use crate::ssd::scatter::read_retry::RetryRules;

/// Nothing heats it; it cools to 30 C with a time constant of 20 s, and is never throttled.
const COOLING: Heating = Heating {
    read_j: 0.0,
    write_j: 0.0,
    heat: 1.0,
    resistance: 20.0,
    ambient: 30.0,
    idle: 0.0,
    throttle: 150.0,
    resume: 149.0,
    throttled: PicosPerByte::new(10_000),
};

const US: fn(u64) -> Duration = Duration::from_micros;

fn drive(most_steps: u32, doubling: Option<f64>, state: &str) -> Virtual<Drive> {
    let mut p = small(60, 10_000);
    p.thermal = Some(COOLING);
    p.scatter.read_retry = Some(RetryRules {
        errors: 1.0,
        pages: 0.3,
        limit: 8.8e-3,
        decode: US(0),
        step: US(30),
        most: most_steps,
    });
    p.scatter.cross_temperature = doubling.map(|doubling| Crossing { doubling });
    in_state(p, state)
}

/// Ten time constants without a command.
fn cool(drive: &mut Virtual<Drive>) {
    let until = drive.now() + Duration::from_secs(200);
    drive.wait(Some(until), &mut Vec::new());
}

/// Mean response of single reads, in microseconds, and how many of 1,000 failed.
fn alone(drive: &mut Virtual<Drive>) -> (f64, u64) {
    let span = Span::first(Bytes::new(9_000 * PAGE));
    let job = Job::closed("reads", Op::Read, Order::Random, span, Bytes::kib(4), 1);
    let stop = Stop {
        ios: Some(1_000),
        ..Stop::default()
    };
    let work = Workload::single(job, stop, 7);
    let record = run(drive, "reads", &work, &mut Unwatched).unwrap();
    let mean = record.of(Op::Read).service.mean();
    (mean.map_or(0.0, Duration::as_micros_f64), record.errors())
}

#[test]
fn what_was_programmed_at_rest_is_read_slower_on_a_hot_drive_until_it_has_cooled() {
    let mut hot = drive(8, Some(20.0), "full-in-order,temperature=110C");
    let mut never = drive(8, None, "full-in-order,temperature=110C");
    // 80 K are four doublings: 1.5e-3 x 16 is three times the limit, two readings more.
    let (at_110, at_rest) = (alone(&mut hot).0, alone(&mut never).0);
    let reading = 30.0 + 60.0;
    assert!(at_110 > at_rest + 1.5 * reading, "{at_110} {at_rest}");
    cool(&mut hot);
    cool(&mut never);
    near(alone(&mut hot).0, alone(&mut never).0, 0.001);
}

#[test]
fn what_is_written_while_a_drive_is_hot_is_slow_when_it_has_cooled() {
    let mut drive = drive(8, Some(20.0), "fresh,temperature=110C");
    writes(&mut drive, Order::Sequential, 128, 4, 300);
    let while_hot = alone(&mut drive).0;
    cool(&mut drive);
    assert!(alone(&mut drive).0 > while_hot + 100.0);
}

#[test]
fn a_drive_whose_steps_do_not_suffice_errs_while_it_is_hot() {
    let mut hot = drive(1, Some(20.0), "full-in-order,temperature=110C");
    // 1.5e-3 x 16 / 2 is 1.36 times the limit, ln(1.36) = 1.03 deviations: 85 % of the pages are beyond it.
    near(alone(&mut hot).1 as f64, 850.0, 0.05);
    cool(&mut hot);
    assert_eq!(alone(&mut hot).1, 0);
}

#[test]
fn a_doubling_that_is_far_away_leaves_every_time_as_it_is() {
    let times = |doubling| {
        let mut drive = drive(8, doubling, "full-in-order");
        writes(&mut drive, Order::Random, 4, 4, 20_000);
        reads(&mut drive, Order::Random, 4, 4, 20_000);
        at(&drive)
    };
    assert_eq!(times(None), times(Some(1_000.0)));
}

#[test]
fn errors_by_temperature_without_a_temperature_are_refused() {
    let mut p = small(60, 10_000);
    p.scatter.cross_temperature = Some(Crossing { doubling: 20.0 });
    let error = Drive::new(p, 1).unwrap_err().to_string();
    assert!(error.contains("[ssd.thermal]"), "{error}");
}
